// From facts to findings: no file, clock or network is looked at here. A problem is what keeps the hosts from
// training together; a warning is what makes it slow, or surprising later.
#pragma once

#include "doctor/facts.h"
#include "doctor/finding.h"

namespace verbund {

// All of them, in the order in which they are to be read.
Findings judge_facts(const Facts& facts);

// The parts of it.
Findings judge_start(const Facts& facts);      // do hosts answer, does mpirun bring the workers together?
Findings judge_sameness(const Facts& facts);   // program, instruction set, configuration, dataset
Findings judge_resources(const Facts& facts);  // cores, memory, disks
Findings judge_gpus(const Facts& facts);       // libraries, a step, memory, NCCL
Findings judge_network(const Facts& facts);    // clocks, addresses, links, all-reduce

// "worker 2 on b", "workers 2, 3 on b and 4 on c"
std::string describe(const std::vector<const WorkerFacts*>& workers);

}  // namespace verbund
