// SPDX-License-Identifier: Apache-2.0
#include "launch/mpirun_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace verbund {
namespace {

struct Tag {
  size_t begin;
  size_t end;  // after the colon
  int rank;
  bool is_stdout;
};

std::optional<Tag> find_tag(std::string_view text, size_t from) {
  for (size_t begin = text.find('[', from); begin != std::string_view::npos; begin = text.find('[', begin + 1)) {
    const char* const last = text.data() + text.size();
    int job = 0, rank = 0;
    const auto [comma, no_job] = std::from_chars(text.data() + begin + 1, last, job);
    if (no_job != std::errc() || comma == last || *comma != ',') continue;
    const auto [bracket, no_rank] = std::from_chars(comma + 1, last, rank);
    if (no_rank != std::errc() || rank < 0) continue;
    const std::string_view rest(bracket, static_cast<size_t>(last - bracket));
    for (const std::string_view stream : {"]<stdout>:", "]<stderr>:", "]<stddiag>:"}) {
      if (!rest.starts_with(stream)) continue;
      const auto end = static_cast<size_t>(bracket - text.data()) + stream.size();
      return Tag{begin, end, rank, stream == "]<stdout>:"};
    }
  }
  return std::nullopt;
}

bool is_rule(std::string_view line) {
  return line.size() >= 20 && line.find_first_not_of('-') == std::string_view::npos;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Removes everything up to the end of `words` from the front; false if they do not occur.
bool skip_past(std::string_view& text, std::string_view words) {
  const size_t found = text.find(words);
  if (found == std::string_view::npos) return false;
  text.remove_prefix(found + words.size());
  return true;
}

// Removes a number, and blanks before it, from the front.
bool take_number(std::string_view& text, int& number) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

}  // namespace

void TaggedOutput::add(std::string_view bytes, bool /*is_stdout*/) {
  pending_ += bytes;
  size_t begin = 0;
  for (size_t end; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    take_line(std::string_view(pending_).substr(begin, end - begin), true);
  }
  pending_.erase(0, begin);
}

void TaggedOutput::take_line(std::string_view line, bool complete) {
  Source source{OutputLine::kStarter, false};
  size_t begin = 0;
  bool any = false;
  while (begin <= line.size()) {
    const std::optional<Tag> tag = find_tag(line, begin);
    const size_t end = tag ? tag->begin : line.size();
    if (end > begin || any || !tag) halves_[source] += line.substr(begin, end - begin);
    if (!tag) break;
    source = {tag->rank, tag->is_stdout};
    begin = tag->end;
    any = true;
  }
  if (complete) end_line(source);
}

void TaggedOutput::end_line(const Source& source) {
  const auto half = halves_.extract(source);
  sink_({source.first, source.second, half.empty() ? "" : half.mapped()});
}

void TaggedOutput::finish() {
  if (!pending_.empty()) take_line(pending_, false);
  pending_.clear();
  while (!halves_.empty()) {
    const Source source = halves_.begin()->first;
    if (halves_.begin()->second.empty()) {
      halves_.erase(halves_.begin());
    } else {
      end_line(source);
    }
  }
}

std::vector<std::string> MpirunNotices::add(const std::string& line) {
  if (is_rule(line)) {
    inside_ = !inside_;
    return inside_ ? std::vector<std::string>() : finish();
  }
  if (line.starts_with("mpirun: Forwarding signal")) return {};  // we sent the signal, and logged it
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
  return parse(text) ? std::vector<std::string>() : lines;
}

// True if the paragraph need not be shown.
bool MpirunNotices::parse(const std::string& paragraph) {
  lost_host_ |= holds(paragraph, "lost communication with a remote daemon") ||
                holds(paragraph, "unable to reliably start one or more daemons") ||
                holds(paragraph, "daemon has unexpectedly failed");
  cannot_start_ |= holds(paragraph, "unable to launch the specified application") ||
                   holds(paragraph, "unable to find the specified executable");
  // "process rank 1 with PID 7 on node b exited on signal 9 (Killed)"
  int rank = 0, number = 0;
  std::string_view rest = paragraph;
  if (skip_past(rest, "process rank ") && take_number(rest, rank) && skip_past(rest, " exited on signal ") &&
      take_number(rest, number) && rest.starts_with(" (") && rest.find(')') != std::string_view::npos) {
    reason_ = fmt::format("{} was killed by signal {}{}", worker(rank), number, rest.substr(0, rest.find(')') + 1));
    exit_code_ = 128 + number;
    return true;
  }
  // "Process name: [[31739,1],0]\n  Exit code:    3"
  rest = paragraph;
  if (skip_past(rest, "Process name: [[") && skip_past(rest, "],") && take_number(rest, rank) &&
      skip_past(rest, "Exit code:") && take_number(rest, number)) {
    reason_ = fmt::format("{} ended with exit code {}", worker(rank), number);
    exit_code_ = number;
    return true;
  }
  // "lost communication with a remote daemon ... Remote daemon: [[29427,0],1] on node b"
  rest = paragraph;
  if (skip_past(rest, "lost communication with a remote daemon") && skip_past(rest, "Remote daemon: ") &&
      skip_past(rest, " on node ")) {
    reason_ = fmt::format("the connection to host {} is lost", rest.substr(0, rest.find_first_of(" \t\r\n")));
    return true;
  }
  return holds(paragraph, "Per user-direction, the job has been aborted");
}

std::string MpirunNotices::worker(int rank) const {
  const std::string host = host_of_worker(hosts_, rank);
  return host.empty() ? fmt::format("worker {}", rank) : fmt::format("worker {} on {}", rank, host);
}

}  // namespace verbund
