// SPDX-License-Identifier: Apache-2.0
#include "optim/schedule.h"

#include <algorithm>

#include "config/number.h"
#include "core/error.h"

namespace verbund {
namespace {

// "1000 2000" or "1000, 2000" -> {1000, 2000}
std::vector<double> parse_list(const char* key, const std::string& text) {
  constexpr const char* kSeparators = " ,\t";
  std::vector<double> numbers;
  size_t begin = text.find_first_not_of(kSeparators);
  while (begin != std::string::npos) {
    const size_t end = std::min(text.find_first_of(kSeparators, begin), text.size());
    double number = 0;
    const std::string word = text.substr(begin, end - begin);
    if (!parse_real(word, number)) {
      fail_usage("schedule.{} is \"{}\", and \"{}\" is not a number: write numbers with spaces between them", key, text,
                 word);
    }
    numbers.push_back(number);
    begin = text.find_first_not_of(kSeparators, end);
  }
  return numbers;
}

}  // namespace

Schedule::Schedule(const ScheduleConfig& config, int64_t d_model)
    : parameters_{config, static_cast<double>(d_model), parse_list("boundaries", config.boundaries),
                  parse_list("decay_rates", config.decay_rates)},
      policy_(find_policy(config.policy)) {
  policy_.check(parameters_);
}

}  // namespace verbund
