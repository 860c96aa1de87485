// verbund config: explains every key, or shows a file as understood.
#include <iostream>

#include "cli/command.h"
#include "cli/options.h"
#include "config/config.h"
#include "config/show.h"
#include "core/error.h"

namespace verbund {

void run_config(const Arguments& arguments) {
  Options options("config", "Explains the configuration, or shows a file as Verbund understands it.",
                  "  verbund config --explain > my.yaml            every key with default and meaning\n"
                  "  verbund config --show my.yaml --set seed=7    the whole configuration as it would be used\n");
  bool explain = false;
  std::string file;
  std::vector<std::string> overrides;
  options.add_flag("--explain", explain, "Print every key with its default and meaning, as a YAML file");
  options.add_option("--show", file, "Read FILE and print the configuration as understood")->type_name("FILE");
  options.add_list("--set", overrides, "Override a value: section.key=value (repeatable)", "KEY=VALUE");
  if (!options.read(arguments)) return;
  if (!explain && file.empty() && overrides.empty()) {
    throw UsageError("say what to show: --explain, --show FILE or --set KEY=VALUE\nSee: verbund config --help");
  }
  std::cout << show(load_config(file, overrides), explain);
}

}  // namespace verbund
