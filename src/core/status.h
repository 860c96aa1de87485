// SPDX-License-Identifier: Apache-2.0
// Status is the content of the status line: what is being done, how much of it, how long it will take. A worker that
// launch has started has no terminal. It writes its status, and the loss of another worker, as marked lines on stderr,
// which launch reads and does not show as they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace verbund {

struct Status {
  double share = -1;  // done of all, for the bar; negative: unknown, no bar
  std::string text;   // "evaluating 340 of 3,000 sentences, 40 s left"; "": no status

  bool empty() const { return text.empty(); }
};

// The line as drawn on a terminal of so many columns: the bar fills the room that the text leaves. There is always room
// for the ^C that a terminal writes when it is pressed.
std::string status_line(const Status& status, size_t columns);

// The characters that remove a line of `drawn` columns from a terminal that has `columns` now: on a terminal that has
// become narrower, the line may take several rows.
std::string erase_sequence(size_t drawn, size_t columns);

// A status line begins with this character, which no text has; launch draws it. An empty status has no text after it.
constexpr char kStatusMark = '\x1e';  // record separator

std::string marked_status(const Status& status);
// The status of such a line; nothing for an ordinary line.
std::optional<Status> parse_marked_status(std::string_view line);

// LossRecord tells launch that a worker is lost. mpirun reports it only when it ends, and may then wait for ever for
// the lost one; so the worker that notices the loss writes a line of a mark and a JSON object:
//
//   0x1d {"event":"lost_worker","worker":1}
//
// The message for people is another line, in any words.
struct LossRecord {
  int worker = -1;  // the rank of the lost worker; -1: unknown

  bool operator==(const LossRecord&) const = default;
};

constexpr char kRecordMark = '\x1d';  // group separator: no text has it

std::string marked_record(const LossRecord& loss);
// Nothing for any other line.
std::optional<LossRecord> parse_marked_record(std::string_view line);

}  // namespace verbund
