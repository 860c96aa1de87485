// The whole examination: by the workers themselves, and by the process that starts them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "collectives/workers.h"
#include "doctor/collect.h"
#include "doctor/facts.h"
#include "launch/host_list.h"
#include "launch/mpirun_command.h"

namespace verbund {

// Called by all workers; all get the same facts.
Facts examine(Workers& workers, const Training& training);

// What worker 0 says to the process that started it: first that all are together, then the facts, each on a line.
constexpr const char* kTogether = "verbund doctor: the workers are together";
std::string line_of_facts(const Facts& facts);

// Asks whether the hosts answer, and has mpirun start one worker per slot, each of which calls examine(). What
// keeps them from it is one of the facts.
Facts examine_hosts(const JobSettings& settings, const std::vector<Host>& hosts, std::chrono::seconds patience);

}  // namespace verbund
