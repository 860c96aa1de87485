#include "core/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace verbund {
namespace {

constexpr std::string_view kStatus = "status", kStatusAndColour = "status,colour";

bool is_set(const char* variable) { return variable != nullptr && *variable != '\0'; }

}  // namespace

Terminal terminal_for(bool is_terminal, const TerminalVariables& variables) {
  if (is_terminal) {
    if (!is_set(variables.term) || variables.term == std::string_view("dumb")) return {};
    return {StatusLine::kDrawn, !is_set(variables.no_color)};
  }
  if (!is_set(variables.told)) return {};
  if (variables.told == kStatus) return {StatusLine::kMarked, false};
  if (variables.told == kStatusAndColour) return {StatusLine::kMarked, !is_set(variables.no_color)};
  return {};
}

Terminal terminal_at(int descriptor) {
  return terminal_for(::isatty(descriptor) == 1,
                      {std::getenv("TERM"), std::getenv("NO_COLOR"), std::getenv(kTerminalVariable)});
}

std::string describe_for_workers(const Terminal& terminal) {
  if (terminal.status_line == StatusLine::kNone) return "";
  return std::string(terminal.colour ? kStatusAndColour : kStatus);
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
