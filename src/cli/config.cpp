// verbund config: explains every key, shows a file as understood, lists the presets.
#include <iostream>

#include "cli/command.h"
#include "cli/options.h"
#include "config/config.h"
#include "config/presets.h"
#include "config/show.h"
#include "core/error.h"

namespace verbund {
namespace {

void list_presets() {
  for (const BuiltinFile& preset : builtin_presets()) {
    std::cout << fmt::format("{:<18} {}\n", preset.name, preset_summary(preset));
  }
}

}  // namespace

void run_config(const Arguments& arguments) {
  Options options("config", "Explains the configuration, or shows a file as Verbund understands it.",
                  "  verbund config --explain > my.yaml            every key with default and meaning\n"
                  "  verbund config --list                         the presets, for --config NAME of other commands\n"
                  "  verbund config --show transformer-base        a preset\n"
                  "  verbund config --show my.yaml --set seed=7    the whole configuration as it would be used\n");
  bool explain = false, list = false;
  std::string file;
  std::vector<std::string> overrides;
  options.add_flag("--explain", explain, "Print every key with its default and meaning, as a YAML file");
  options.add_flag("--list", list, "List the presets that every --config knows by name");
  options.add_option("--show", file, "Read FILE or preset and print the configuration as understood")
      ->type_name("FILE");
  options.add_list("--set", overrides, "Override a value: section.key=value (repeatable)", "KEY=VALUE");
  if (!options.read(arguments)) return;
  if (list) return list_presets();
  if (!explain && file.empty() && overrides.empty()) {
    throw UsageError("say what to show: --explain, --list, --show FILE or --set KEY=VALUE\nSee: verbund config --help");
  }
  say_which_config(file);
  std::cout << show(load_config(file, overrides), explain);
}

}  // namespace verbund
