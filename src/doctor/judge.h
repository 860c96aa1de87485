// SPDX-License-Identifier: Apache-2.0
// Findings are what the doctor concludes from facts; nothing here looks at files, clocks or the network. A problem
// keeps the hosts from training together; a warning makes training slow, or surprising later.
#pragma once

#include <string>
#include <vector>

#include "doctor/facts.h"

namespace verbund {

enum class Health { kSkipped, kOk, kWarning, kProblem };  // from best to worst, after what was not checked

// A row of the doctor's table.
struct Finding {
  Health health = Health::kOk;
  std::string check;   // subject of the check: "dataset"
  std::string text;    // result
  std::string advice;  // next action; "" if all is well
};

using Findings = std::vector<Finding>;

const char* name_of(Health health);
Health worst_of(const Findings& findings);
void add_findings(Findings& all, Findings more);

// All findings, in the order in which people should read them.
Findings judge_facts(const Facts& facts);

// Parts of judge_facts.
Findings judge_start(const Facts& facts);        // reachable hosts, mpirun
Findings judge_consistency(const Facts& facts);  // the same program, instruction set, configuration, dataset
Findings judge_resources(const Facts& facts);    // cores, memory, disks
Findings judge_gpus(const Facts& facts);         // libraries, a step, memory, NCCL
Findings judge_network(const Facts& facts);      // clocks, addresses, links, all-reduce

// "worker 2 on b", "workers 2, 3 on b and 4 on c"
std::string describe(const std::vector<const WorkerFacts*>& workers);

// The findings as a table, at most `columns` and never more than 100 wide: verdict, check, finding, with the advice
// below it.
std::string findings_table(const Findings& findings, bool colour = false, size_t columns = 100);

// "2 problems, 1 warning: this will not train yet"
std::string conclusion(const Findings& findings);

std::string findings_json(const Findings& findings, const Facts& facts);

}  // namespace verbund
