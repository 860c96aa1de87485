// The status line: what is being done, how much of it, how long it will take.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace verbund {

struct Status {
  double share = -1;  // done of all, for the bar; negative: nobody knows, no bar
  std::string text;   // "evaluating 340 of 3,000 sentences, 40 s left"; "": no status

  bool empty() const { return text.empty(); }
};

// As it is drawn on a terminal of so many columns: the bar takes what room the text leaves. There is always room for
// the ^C that a terminal writes when it is pressed.
std::string status_line(const Status& status, size_t columns);

// What removes a line of `drawn` columns from a terminal that has `columns` now: after it has become narrower, the
// line may stand on several rows.
std::string erase_sequence(size_t drawn, size_t columns);

// A worker that launch has started has no terminal. It writes its status as a line that begins with this character,
// which no text has; launch draws it. An empty status has no text after the mark.
constexpr char kStatusMark = '\x1e';  // record separator

std::string marked_status(const Status& status);
// The status that such a line has; nothing if it is an ordinary line.
std::optional<Status> parse_marked_status(std::string_view line);

}  // namespace verbund
