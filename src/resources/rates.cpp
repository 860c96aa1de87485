#include "resources/rates.h"

#include <limits>
#include <utility>

namespace verbund {

std::optional<std::vector<float>> Rates::row(double seconds, const std::vector<double>& reading) {
  const double passed = seconds - std::exchange(before_, seconds);
  const std::vector<double> last = std::exchange(last_, reading);
  if (last.empty()) return {};
  std::vector<float> values(reading.size(), std::numeric_limits<float>::quiet_NaN());
  for (size_t i = 0; i < reading.size(); ++i) {
    if (kinds_[i] == ResourceSource::kNow) {
      values[i] = static_cast<float>(reading[i]);
    } else if (passed > 0 && reading[i] >= last[i]) {  // neither is NaN
      values[i] = static_cast<float>((reading[i] - last[i]) / passed);
    }
  }
  return values;
}

}  // namespace verbund
