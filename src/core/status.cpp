// SPDX-License-Identifier: Apache-2.0
#include "core/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/columns.h"
#include "core/json.h"

namespace verbund {
namespace {

constexpr size_t kRoomForInterrupt = 3;  // ^C, and the last column, after which terminals differ
constexpr const char* kEventNames[] = {"started", "connecting", "connected", "training",
                                       "lost_worker"};  // as in WorkerEvent
constexpr size_t kLongestBar = 24, kShortestBar = 6;

std::string bar(double share, size_t width) {
  const auto filled = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(width));
  return fmt::format("[{:█<{}}{:·<{}}] ", "", filled, "", width - filled);
}

}  // namespace

std::string status_line(const Status& status, size_t columns) {
  const size_t room = columns > kRoomForInterrupt ? columns - kRoomForInterrupt : 1;
  const size_t needed = display_width(status.text) + std::char_traits<char>::length("[] ");
  const size_t width = needed < room ? std::min(kLongestBar, room - needed) : 0;
  if (status.share < 0 || width < kShortestBar) return fit_columns(status.text, room);
  return bar(status.share, width) + fit_columns(status.text, room);
}

std::string erase_sequence(size_t drawn, size_t columns) {
  const size_t rows_above = drawn == 0 || columns == 0 ? 0 : (drawn - 1) / columns;
  if (rows_above == 0) return "\r\033[K";
  return fmt::format("\r\033[{}A\033[J", rows_above);
}

std::string marked_status(const Status& status) {
  if (status.empty()) return std::string(1, kStatusMark);
  return fmt::format("{}{:.4f} {}", kStatusMark, status.share, status.text);
}

std::optional<Status> parse_marked_status(std::string_view line) {
  if (line.empty() || line.front() != kStatusMark) return std::nullopt;
  line.remove_prefix(1);
  Status status;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), status.share);
  if (error == std::errc() && end != line.data() + line.size()) status.text.assign(end + 1, line.data() + line.size());
  return status;
}

std::string marked_record(const WorkerRecord& record) {
  const Json object = {{"event", kEventNames[static_cast<size_t>(record.event)]}, {"worker", record.worker}};
  return kRecordMark + dump_json(object);
}

std::optional<WorkerRecord> parse_marked_record(std::string_view line) {
  if (line.empty() || line.front() != kRecordMark) return std::nullopt;
  const Json object = try_parse_json(line.substr(1));
  if (!object.is_object() || !object.value("worker", Json()).is_number_integer()) return std::nullopt;
  for (size_t event = 0; event < std::size(kEventNames); ++event) {
    if (object.value("event", Json()) == kEventNames[event]) {
      return WorkerRecord{static_cast<WorkerEvent>(event), object.at("worker").get<int>()};
    }
  }
  return std::nullopt;
}

}  // namespace verbund
