// SPDX-License-Identifier: Apache-2.0
#include "launch/srun_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>

namespace verbund {
namespace {

constexpr int kSignals = 32;
constexpr size_t kCut = 1024;  // a chunk of this size is not a whole line

// "03: text" -> 3, and `line` without the label; -1 for a line without one.
int take_label(std::string_view& line) {
  const size_t digits = std::min(line.find_first_not_of(' '), line.size());
  int rank = -1;
  const auto [end, error] = std::from_chars(line.data() + digits, line.data() + line.size(), rank);
  std::string_view rest(end, static_cast<size_t>(line.data() + line.size() - end));
  if (error != std::errc() || rank < 0 || !rest.starts_with(':')) return -1;
  rest.remove_prefix(1);
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  line = rest;
  return rank;
}

// The signal with this description, as in "Killed" or "Segmentation fault (core dumped)"; 0 if there is none.
int signal_named(std::string_view text) {
  for (int number = 1; number < kSignals; ++number) {
    if (text.starts_with(::sigdescr_np(number))) return number;
  }
  return 0;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

void LabelledOutput::add(std::string_view bytes, bool is_stdout) {
  std::string& pending = pending_[is_stdout ? 1 : 0];
  pending += bytes;
  size_t begin = 0;
  for (size_t end; (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1) {
    take_line(std::string_view(pending).substr(begin, end - begin), is_stdout);
  }
  pending.erase(0, begin);
}

void LabelledOutput::finish() {
  for (const bool is_stdout : {true, false}) {
    std::string& pending = pending_[is_stdout ? 1 : 0];
    if (!pending.empty()) take_line(pending, is_stdout);
    pending.clear();
  }
  for (const auto& [source, text] : std::exchange(beginning_, {})) sink_({source.first, source.second, text});
}

void LabelledOutput::take_line(std::string_view line, bool is_stdout) {
  const int rank = take_label(line);
  // A worker's daemon writes on the worker's stderr.
  const bool of_daemon = rank < 0 || (!is_stdout && line.starts_with("slurmstepd"));
  if (of_daemon) return sink_({OutputLine::kStarter, false, std::string(line)});
  std::string& text = beginning_[{rank, is_stdout}];
  text += line;
  if (line.size() == kCut) return;
  sink_({rank, is_stdout, std::exchange(text, "")});
  beginning_.erase({rank, is_stdout});
}

std::vector<std::string> SrunNotices::add(const std::string& line) {
  cannot_start_ |= has(line, "error: execve():");
  lost_host_ |= has(line, "error: Node failure on") || has(line, "Communication connection failure");
  // What follows a loss that is reported in our words, and where --cpu-bind=none is not needed.
  constexpr std::array<std::string_view, 7> kKnown = {"Job step aborted: Waiting up to",
                                                      "_errhandler: ",
                                                      "forcing job termination",
                                                      "Force Terminated",
                                                      "forwarding signal",
                                                      "got SIGCONT",
                                                      "lacks support for cpu binding"};
  const bool known = std::any_of(kKnown.begin(), kKnown.end(), [&](std::string_view part) { return has(line, part); });
  if (known || parse_end(line)) return {};
  return {line};
}

// "srun: error: host-b: tasks 2-3: Exited with exit code 3"
bool SrunNotices::parse_end(std::string_view line) {
  constexpr std::string_view kTask = ": task", kCode = "Exited with exit code ";
  const size_t found = line.find(kTask);
  if (!line.starts_with("srun: ") || found == std::string_view::npos) return false;
  std::string_view rest = line.substr(found + kTask.size());
  if (rest.starts_with('s')) rest.remove_prefix(1);
  const size_t blank = std::min(rest.find_first_not_of(' '), rest.size());
  int rank = 0;
  const auto [after, no_rank] = std::from_chars(rest.data() + blank, rest.data() + rest.size(), rank);
  const size_t colon = rest.find(": ");
  if (no_rank != std::errc() || colon == std::string_view::npos) return false;
  const std::string_view end = rest.substr(colon + 2);

  const std::string host = host_of_worker(hosts_, rank);
  const std::string worker = host.empty() ? fmt::format("worker {}", rank) : fmt::format("worker {} on {}", rank, host);
  int code = 0;
  std::string what;
  if (end.starts_with(kCode)) {
    std::from_chars(end.data() + kCode.size(), end.data() + end.size(), code);
    what = fmt::format("{} ended with exit code {}", worker, code);
  } else if (const int signal = signal_named(end)) {
    code = 128 + signal;
    what = fmt::format("{} was killed by signal {} ({})", worker, signal, ::sigdescr_np(signal));
  } else {
    return false;
  }
  asked_to_stop_ |= end.starts_with(kCode) && code == 128 + SIGTERM;
  const bool for_good = end.starts_with(kCode) && (code == 1 || code == 2);
  if (reason_.empty() || (for_good && exit_code_ != 1 && exit_code_ != 2)) {
    reason_ = what;
    exit_code_ = code;
  }
  return true;
}

}  // namespace verbund
