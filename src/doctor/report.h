// The findings as a table for people, or with all facts as JSON for programs.
#pragma once

#include <string>

#include "doctor/facts.h"
#include "doctor/finding.h"

namespace verbund {

// At most 100 columns wide; the verdict comes first, in colour if there are colours; what to do stands below a finding.
std::string findings_table(const Findings& findings, bool colour = false);

// "2 problems, 1 warning: this will not train yet"
std::string conclusion(const Findings& findings);

std::string findings_json(const Findings& findings, const Facts& facts);

}  // namespace verbund
