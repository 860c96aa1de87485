// The configurations of configs/, compiled into the program: --config takes a file or the name of one of them.
#pragma once

#include <span>
#include <string>

#include "core/builtin_file.h"

namespace verbund {

std::span<const BuiltinFile> builtin_presets();

// A preset's first comment, without the sign: what it is for.
std::string preset_summary(const BuiltinFile& preset);

struct ConfigText {
  std::string text;
  std::string where;  // its path, or "preset transformer-base"
  std::string note;   // what to tell the user of the choice; "" if a file was given by its path
};

// A file of that name (also NAME.yaml) comes before a preset. Fails if there is neither, with the names there are.
ConfigText find_config(const std::string& name_or_path);

// Logs that note. Nothing for "".
void say_which_config(const std::string& name_or_path);

}  // namespace verbund
