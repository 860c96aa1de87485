// What the doctor says about one thing: a row of its table.
#pragma once

#include <string>
#include <vector>

namespace verbund {

enum class Health { kSkipped, kOk, kWarning, kProblem };  // from best to worst, but for what nobody looked at

struct Finding {
  Health health = Health::kOk;
  std::string check;   // what was looked at: "dataset"
  std::string text;    // what was found
  std::string advice;  // what to do; "" if all is well
};

using Findings = std::vector<Finding>;

const char* name_of(Health health);
Health worst_of(const Findings& findings);

}  // namespace verbund
