// SPDX-License-Identifier: Apache-2.0
// Loading of configurations, and the presets that --config may name instead of a file.
#include "config/config.h"

#include "config/hints.h"
#include "config/load.h"
#include "config/value.h"
#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/log.h"

namespace verbund {
namespace {

const BuiltinFile* find_preset(const std::string& name) {
  for (const BuiltinFile& preset : builtin_presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

[[noreturn]] void fail_unknown(const std::string& name_or_path) {
  std::vector<std::string> names;
  for (const BuiltinFile& preset : builtin_presets()) names.emplace_back(preset.name);
  const std::string guess = nearest(fs::path(name_or_path).stem().string(), names);
  fail_usage("no configuration {}: there is neither a file nor a preset of that name{}\nPresets: {}", name_or_path,
             guess.empty() ? "" : fmt::format(": did you mean --config {}?", guess), fmt::join(names, ", "));
}

}  // namespace

std::string preset_summary(const BuiltinFile& preset) {
  const std::string_view line = preset.text.substr(0, preset.text.find('\n'));
  return std::string(line.starts_with("# ") ? line.substr(2) : line);
}

ConfigText find_config(const std::string& name_or_path) {
  const BuiltinFile* preset = find_preset(name_or_path);
  for (const std::string& path : {name_or_path, name_or_path + ".yaml"}) {
    if (!fs::exists(path) || (preset != nullptr && fs::is_directory(path))) continue;
    std::string note;
    if (preset != nullptr)
      note = fmt::format("configuration: file {} in this folder, not the preset of that name", path);
    return {read_file(path), path, note};
  }
  if (preset == nullptr) fail_unknown(name_or_path);
  return {std::string(preset->text), fmt::format("preset {}", preset->name),
          fmt::format("configuration: preset {} (verbund config --show {})", preset->name, preset->name)};
}

void log_config_choice(const std::string& name_or_path) {
  if (name_or_path.empty()) return;
  const std::string note = find_config(name_or_path).note;
  if (!note.empty()) log_line(note);
}

Config load_config(const std::string& file, const std::vector<std::string>& overrides) {
  Config config;
  if (!file.empty()) {
    const ConfigText found = find_config(file);
    debug("configuration: read from {}, {} values of --set override it", found.where, overrides.size());
    load(parse_yaml(found.text, found.where), config, config_hints());
  }
  override_config(config, overrides);
  return config;
}

void override_config(Config& config, const std::vector<std::string>& overrides) {
  for (const std::string& assignment : overrides) load(parse_override(assignment), config, config_hints());
}

}  // namespace verbund
