#include "report/words.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "core/human.h"
#include "core/wall_clock.h"
#include "report/ticks.h"

namespace verbund {

std::string moment_text(double at) {
  if (!std::isfinite(at) || std::abs(at) > 1e11) return "unknown";
  using namespace std::chrono;
  const std::string utc =
      utc_time(system_clock::time_point(duration_cast<system_clock::duration>(duration<double>(at))));
  return utc.substr(0, 10) + " " + utc.substr(11, 5) + " UTC";
}

std::string duration_text(double seconds) {
  return std::isfinite(seconds) && seconds >= 0 ? human_duration(seconds) : "unknown";
}

std::string counted(double count, const std::string& one, const std::string& many) {
  return human_number(count) + " " + (count == 1 ? one : many);
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789_@%+=:,./-") == std::string::npos;
    command += command.empty() ? "" : " ";
    if (plain) {
      command += word;
      continue;
    }
    command += '\'';
    for (const char c : word) command += c == '\'' ? "'\\''" : std::string(1, c);
    command += '\'';
  }
  return command;
}

std::string list_text(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

}  // namespace verbund
