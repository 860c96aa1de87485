// Presets are the configurations of configs/, compiled into the program: --config takes a file or a preset's name.
#pragma once

#include <span>
#include <string>

#include "core/builtin_file.h"

namespace verbund {

std::span<const BuiltinFile> builtin_presets();

// A preset's purpose: its first comment line.
std::string preset_summary(const BuiltinFile& preset);

struct ConfigText {
  std::string text;
  std::string where;  // its path, or "preset transformer-base"
  std::string note;   // log line about the choice; "" if a file was given by its path
};

// A file of that name (also NAME.yaml) takes precedence over a preset. If there is neither, the error lists the
// presets.
ConfigText find_config(const std::string& name_or_path);

// Logs ConfigText::note. Does nothing for "".
void log_config_choice(const std::string& name_or_path);

}  // namespace verbund
