// Readings of resources, made values of the time between two of them: what is counted becomes a change per second.
#pragma once

#include <optional>
#include <vector>

#include "resources/resource_source.h"

namespace verbund {

class Rates {
 public:
  explicit Rates(std::vector<ResourceSource::Kind> kinds) : kinds_(std::move(kinds)) {}

  // `seconds`: on a clock that only goes forward. Nothing the first time. A counter that has gone back, as that of an
  // interface does that was made anew, has no value this time.
  std::optional<std::vector<float>> row(double seconds, const std::vector<double>& reading);

 private:
  const std::vector<ResourceSource::Kind> kinds_;
  double before_ = 0;
  std::vector<double> last_;
};

}  // namespace verbund
