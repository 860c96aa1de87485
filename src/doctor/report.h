// SPDX-License-Identifier: Apache-2.0
// Report of the findings: a table for people, or JSON with all facts for programs.
#pragma once

#include <string>

#include "doctor/facts.h"
#include "doctor/judge.h"

namespace verbund {

// At most so many columns wide, and never more than 100: verdict, check, finding, with the advice below it.
std::string findings_table(const Findings& findings, bool colour = false, size_t columns = 100);

// "2 problems, 1 warning: this will not train yet"
std::string conclusion(const Findings& findings);

std::string findings_json(const Findings& findings, const Facts& facts);

}  // namespace verbund
