// Small texts that several parts of a page need: moments, durations, commands.
#pragma once

#include <string>
#include <vector>

namespace verbund {

// Seconds since 1970 -> "2026-02-03 04:05 UTC"; "unknown" if it is none.
std::string moment_text(double at);
// human_duration, or "unknown".
std::string duration_text(double seconds);
// "steps", 1 -> "1 step"; 1200 -> "1,200 steps"
std::string counted(double count, const std::string& one, const std::string& many);
// The words as they are typed into a shell: quoted where they must be.
std::string shell_command(const std::vector<std::string>& words);
// "a, b and c"
std::string list_text(const std::vector<std::string>& items);

}  // namespace verbund
