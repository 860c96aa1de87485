// SPDX-License-Identifier: Apache-2.0
#include "core/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace verbund {
namespace {

constexpr std::string_view kRecords = "records", kStatus = "status", kColour = "colour";

bool is_set(const char* variable) { return variable != nullptr && *variable != '\0'; }

// Is it one of the words of "a,b,c"?
bool holds(const std::string& list, std::string_view word) {
  return ("," + list + ",").find("," + std::string(word) + ",") != std::string::npos;
}

}  // namespace

Terminal terminal_for(bool is_terminal, const TerminalVariables& variables) {
  if (is_terminal) {
    if (!is_set(variables.term) || variables.term == std::string_view("dumb")) return {};
    return {StatusLine::kDrawn, !is_set(variables.no_color)};
  }
  if (!is_set(variables.told)) return {};
  Terminal terminal;
  if (holds(variables.told, kStatus)) terminal.status_line = StatusLine::kMarked;
  terminal.colour = holds(variables.told, kColour) && !is_set(variables.no_color);
  terminal.takes_records = holds(variables.told, kRecords);
  return terminal;
}

Terminal terminal_at(int descriptor) {
  return terminal_for(::isatty(descriptor) == 1,
                      {std::getenv("TERM"), std::getenv("NO_COLOR"), std::getenv(kTerminalVariable)});
}

std::string describe_for_workers(const Terminal& terminal) {
  std::string told(kRecords);
  if (terminal.status_line == StatusLine::kNone) return told;
  told.append(",").append(kStatus);
  if (terminal.colour) told.append(",").append(kColour);
  return told;
}

size_t terminal_columns(int descriptor) {
  winsize size = {};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string coloured(const std::string& text, Colour colour, bool allowed) {
  if (!allowed || colour == Colour::kNone) return text;
  const char* const code = colour == Colour::kRed ? "31" : colour == Colour::kGreen ? "32" : "33";
  return std::string("\033[") + code + "m" + text + "\033[0m";
}

}  // namespace verbund
