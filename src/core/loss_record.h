// How a worker tells launch that another one is lost. mpirun says so only when it ends, and may then wait for ever for
// whoever is gone; so the worker that notices it writes a record: one line on stderr, a mark and an object of JSON.
//
//   0x1d {"event":"lost_worker","worker":1}
//
// launch reads it and does not show it. What people are to read of the loss is another line, in any words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace verbund {

constexpr char kRecordMark = '\x1d';  // group separator: no text has it

struct LossRecord {
  int worker = -1;  // the rank of who is lost; -1: nobody knows who it is

  bool operator==(const LossRecord&) const = default;
};

std::string marked_record(const LossRecord& loss);
// Nothing if it is another line.
std::optional<LossRecord> parse_marked_record(std::string_view line);

}  // namespace verbund
