// SPDX-License-Identifier: Apache-2.0
// Terminal describes the output of stderr: whether it shows a status line and colours, or plain lines only, and whether
// launch reads it. Decided once, by main.
#pragma once

#include <cstddef>
#include <string>

namespace verbund {

enum class StatusLine {
  kNone,    // a file or a pipe, or a terminal that cannot erase (TERM=dumb): plain lines every ten seconds
  kDrawn,   // on the terminal's last line
  kMarked,  // written as marked lines, which `launch` draws on its terminal; see status.h
};

struct Terminal {
  StatusLine status_line = StatusLine::kNone;
  bool colour = false;
  bool takes_records = false;  // `launch` reads it, and the records (status.h) in it
};

// The variable by which `launch` describes its terminal to the workers.
constexpr const char* kTerminalVariable = "VERBUND_TERMINAL";

// Variables of the environment; null if not set.
struct TerminalVariables {
  const char* term = nullptr;      // TERM
  const char* no_color = nullptr;  // NO_COLOR: set and not empty, no colours
  const char* told = nullptr;      // kTerminalVariable
};

Terminal terminal_for(bool is_terminal, const TerminalVariables& variables);
// The terminal at a descriptor, by the environment of this process.
Terminal terminal_at(int descriptor);

// The value of that variable, for workers of a `launch` with this terminal: "records", "records,status",
// "records,status,colour".
std::string describe_for_workers(const Terminal& terminal);

// The present width of the terminal; 80 if unknown.
size_t terminal_columns(int descriptor);

enum class Colour { kNone, kRed, kGreen, kYellow };

// The text in this colour, if colours are allowed.
std::string coloured(const std::string& text, Colour colour, bool allowed);

}  // namespace verbund
