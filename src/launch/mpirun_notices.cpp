#include "launch/mpirun_notices.h"

#include <fmt/format.h>

#include <regex>
#include <string_view>

namespace verbund {
namespace {

bool is_rule(std::string_view line) {
  return line.size() >= 20 && line.find_first_not_of('-') == std::string_view::npos;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

std::vector<std::string> MpirunNotices::add(const std::string& line) {
  if (is_rule(line)) {
    inside_ = !inside_;
    return inside_ ? std::vector<std::string>() : finish();
  }
  if (line.starts_with("mpirun: Forwarding signal")) return {};  // we sent it, and said so
  if (!inside_) return {line};
  paragraph_.push_back(line);
  return {};
}

std::vector<std::string> MpirunNotices::finish() {
  inside_ = false;
  std::vector<std::string> lines;
  lines.swap(paragraph_);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return understand(text) ? std::vector<std::string>() : lines;
}

// True if there is nothing in it that the user has to read.
bool MpirunNotices::understand(const std::string& paragraph) {
  lost_host_ |= holds(paragraph, "lost communication with a remote daemon") ||
                holds(paragraph, "unable to reliably start one or more daemons") ||
                holds(paragraph, "daemon has unexpectedly failed");
  cannot_start_ |= holds(paragraph, "unable to launch the specified application") ||
                   holds(paragraph, "unable to find the specified executable");

  static const std::regex killed(R"(process rank (\d+) with PID \d+ on node \S+ exited on (signal (\d+) \([^)]*\)))");
  static const std::regex ended(R"(Process name: \[\[\d+,\d+\],(\d+)\]\s*Exit code:\s*(\d+))");
  static const std::regex lost(R"(lost communication with a remote daemon[^]*Remote daemon: \S+ on node (\S+))");
  std::smatch match;
  if (std::regex_search(paragraph, match, killed)) {
    reason_ = worker(std::stoi(match[1])) + " was killed by " + match[2].str();
    exit_code_ = 128 + std::stoi(match[3]);
    return true;
  }
  if (std::regex_search(paragraph, match, ended)) {
    reason_ = worker(std::stoi(match[1])) + " ended with exit code " + match[2].str();
    exit_code_ = std::stoi(match[2]);
    return true;
  }
  if (std::regex_search(paragraph, match, lost)) {
    reason_ = fmt::format("the connection to host {} is lost", match[1].str());
    return true;
  }
  return holds(paragraph, "Per user-direction, the job has been aborted");
}

std::string MpirunNotices::worker(int rank) const {
  const std::string host = host_of_worker(hosts_, rank);
  return host.empty() ? fmt::format("worker {}", rank) : fmt::format("worker {} on {}", rank, host);
}

}  // namespace verbund
