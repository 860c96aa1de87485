// SPDX-License-Identifier: Apache-2.0
#include "emulated/settings.h"

#include <cstdlib>
#include <string_view>

#include "emulated/messages.h"

namespace emulated {
namespace {

bool parse_order(std::string_view text, Settings& into) {
  if (text == "forward" || text == "backward") {
    into.order = text == "forward" ? Order::kForward : Order::kBackward;
    return true;
  }
  if (!text.starts_with("random")) return false;
  into.order = Order::kRandom;
  if (text.size() > 7 && text[6] == ':') into.seed = std::strtoull(text.data() + 7, nullptr, 10);
  return true;
}

template <typename T>
void read_number(const char* name, T least, T most, T& value) {
  const char* text = std::getenv(name);
  if (text == nullptr) return;
  char* end = nullptr;
  const unsigned long long number = std::strtoull(text, &end, 10);
  if (end == text || *end != 0 || number < static_cast<unsigned long long>(least) ||
      number > static_cast<unsigned long long>(most)) {
    say("{}={} is not a number from {} to {}; {} is taken", name, text, least, most, value);
    return;
  }
  value = static_cast<T>(number);
}

// Those that CUDA_VISIBLE_DEVICES names by number, up to the first that is not there: as the real driver does.
std::vector<int> visible(int devices) {
  std::vector<int> result;
  const char* names = std::getenv("CUDA_VISIBLE_DEVICES");
  for (int i = 0; names == nullptr && i < devices; ++i) result.push_back(i);
  while (names != nullptr) {
    char* end = nullptr;
    const long number = std::strtol(names, &end, 10);
    if (end == names || number < 0 || number >= devices) break;
    result.push_back(static_cast<int>(number));
    names = *end == ',' ? end + 1 : nullptr;
  }
  return result;
}

Settings from_environment() {
  Settings result;
  int devices = 2;
  read_number("VERBUND_EMULATED_GPUS", 0, 16, devices);
  result.devices = visible(devices);
  read_number("VERBUND_EMULATED_ARCH", 50, 130, result.architecture);
  read_number("VERBUND_EMULATED_MEMORY", size_t{1} << 20, size_t{1} << 37, result.memory);
  read_number("VERBUND_EMULATED_PATIENCE", 1, 1000000, result.patience);
  if (const char* order = std::getenv("VERBUND_EMULATED_ORDER"); order != nullptr && !parse_order(order, result)) {
    say("VERBUND_EMULATED_ORDER={} is none of forward, backward, random:SEED; forward is taken", order);
  }
  if (const char* counters = std::getenv("VERBUND_EMULATED_COUNTERS")) result.counters = counters;
  return result;
}

}  // namespace

Settings& settings() {
  static auto* result = new Settings(from_environment());
  return *result;
}

bool set_order(const std::string& text) { return parse_order(text, settings()); }

}  // namespace emulated
