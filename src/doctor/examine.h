// SPDX-License-Identifier: Apache-2.0
// The doctor's examination, by the workers themselves and by the process that starts them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "collectives/workers.h"
#include "doctor/collect.h"
#include "doctor/facts.h"
#include "launch/starter.h"

namespace verbund {

// Called by all workers; all get the same facts.
Facts examine(Workers& workers, const Training& training);

// Lines from worker 0 to the process that started it: first that all workers are connected, then the facts.
constexpr const char* kTogether = "verbund doctor: the workers are together";
std::string line_of_facts(const Facts& facts);

// Probes the hosts, and lets the starter start one worker per slot, each of which calls examine(). A failure to start
// is one of the facts.
Facts examine_hosts(const Starter& starter, const JobSettings& settings, const std::vector<Host>& hosts,
                    std::chrono::seconds patience);

}  // namespace verbund
