// SPDX-License-Identifier: Apache-2.0
// verbund config: explains every key, shows a file as understood, lists the presets, converts another system's file.
#include <iostream>

#include "cli/command.h"
#include "cli/options.h"
#include "config/config.h"
#include "config/show.h"
#include "config/value.h"
#include "core/error.h"
#include "core/file.h"
#include "core/output.h"
#include "data/dataset_format.h"
#include "data/statistics.h"
#include "migrate/openseq2seq.h"
#include "migrate/opustrainer.h"

namespace verbund {
namespace {

void list_presets() {
  for (const BuiltinFile& preset : builtin_presets()) {
    print_rows(fmt::format("{:<17}  {}\n", preset.name, preset_summary(preset)));
  }
}

struct Conversion {
  std::string file, data;
  int64_t workers = 0;
};

std::string converted(const Conversion& request) {
  OpenSeq2SeqSurroundings surroundings;
  surroundings.workers = request.workers;
  surroundings.data = request.data;
  if (!request.data.empty()) {
    surroundings.average_tokens = average_training_tokens(fs::path(request.data) / kStatisticsFile);
  }
  return convert_openseq2seq(load_python(request.file), surroundings);
}

}  // namespace

void run_config(const Arguments& arguments) {
  Options options(
      "config",
      "Explains the configuration, shows a file as Verbund understands it, or converts that of another system.",
      "  verbund config --explain > my.yaml            every key with default and meaning\n"
      "  verbund config --list                         the presets, for --config NAME of other commands\n"
      "  verbund config --show transformer-base        a preset\n"
      "  verbund config --show my.yaml --set seed=7    the whole configuration as it would be used\n"
      "  verbund config --from-openseq2seq base.py --data data/wmt16 --workers 4 > base.yaml\n"
      "  verbund config --from-opustrainer mix.yml > mixture.yaml\n");
  bool explain = false, list = false;
  std::string file, opustrainer;
  Conversion conversion;
  std::vector<std::string> overrides;
  options.add_flag("--explain", explain, "Print every key with its default and meaning, as a YAML file");
  options.add_flag("--list", list, "List the presets that every --config knows by name");
  options.add_option("--show", file, "Read FILE or preset and print the configuration as understood")
      ->type_name("FILE");
  options.add_list("--set", overrides, "Override a value: section.key=value (repeatable)", "KEY=VALUE");
  options
      .add_option("--from-openseq2seq", conversion.file,
                  "Convert a configuration of OpenSeq2Seq (Python, never executed) and print it")
      ->type_name("FILE");
  options.add_option("--from-opustrainer", opustrainer, "Convert a file of OpusTrainer: its stages become a mixture")
      ->type_name("FILE");
  options
      .add_option("--data", conversion.data,
                  "With --from-openseq2seq: the dataset whose average length converts sentences to tokens")
      ->type_name("FOLDER");
  options
      .add_option("--workers", conversion.workers,
                  "With --from-openseq2seq: the number of GPUs that its batch size is for")
      ->type_name("N")
      ->check(at_least(1));
  if (!options.read(arguments)) return;
  if (list) return list_presets();
  if (!conversion.file.empty()) {
    std::cout << converted(conversion);
    return;
  }
  if (!opustrainer.empty()) {
    std::cout << convert_opustrainer(parse_yaml(read_file(opustrainer), opustrainer),
                                     fs::path(opustrainer).parent_path());
    return;
  }
  if (!explain && file.empty() && overrides.empty()) {
    throw UsageError(
        "choose what to show: --explain, --list, --show FILE, --set KEY=VALUE, --from-openseq2seq FILE or "
        "--from-opustrainer FILE\n"
        "See: verbund config --help");
  }
  log_config_choice(file);
  std::cout << show(load_config(file, overrides), explain);
}

}  // namespace verbund
