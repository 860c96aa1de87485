// SPDX-License-Identifier: Apache-2.0
// Status is the content of the status line: what is being done, how much of it, how long it will take. A worker that
// launch has started has no terminal. It writes its status and its records (it has started, another worker is lost) as
// marked lines on stderr, which launch reads and does not show as they are.
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

// The line as drawn on a terminal of `columns` columns: the bar fills the room that the text leaves. There is always
// room for the ^C that a terminal writes when it is pressed.
std::string status_line(const Status& status, size_t columns);

// The characters that remove a line of `drawn` columns from a terminal that has `columns` now: on a terminal that has
// become narrower, the line may take several rows.
std::string erase_sequence(size_t drawn, size_t columns);

// A status line begins with this character, which no text has; launch draws it. An empty status has no text after it.
constexpr char kStatusMark = '\x1e';  // record separator

std::string marked_status(const Status& status);
// The status of such a line; nothing for an ordinary line.
std::optional<Status> parse_marked_status(std::string_view line);

// WorkerRecord tells launch about a worker, in a line of a mark and a JSON object:
//
//   0x1d {"event":"started","worker":0}
//   0x1d {"event":"connecting","worker":0}
//   0x1d {"event":"connected","worker":0}
//   0x1d {"event":"lost_worker","worker":1}
//
// A worker writes the first when it can be asked to stop: mpirun loses signals for workers that it has yet to start. It
// writes the next two before and after MPI connects all workers: all of them wait there for one that was killed. A
// worker that notices the loss of another writes the last: mpirun reports it only when it ends, and may then wait for
// ever for the lost one. The message for people is another line, in any words.
enum class WorkerEvent { kStarted, kConnecting, kConnected, kTraining, kLost };

struct WorkerRecord {
  WorkerEvent event = WorkerEvent::kLost;
  int worker = -1;  // the rank; -1: unknown

  bool operator==(const WorkerRecord&) const = default;
};

constexpr char kRecordMark = '\x1d';  // group separator: no text has it

std::string marked_record(const WorkerRecord& record);
// Nothing for any other line.
std::optional<WorkerRecord> parse_marked_record(std::string_view line);

}  // namespace verbund
