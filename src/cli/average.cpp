// SPDX-License-Identifier: Apache-2.0
// verbund average: several checkpoints of a run -> one, with the mean of their weights.
#include "checkpoint/average_checkpoints.h"
#include "cli/command.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "decode/trained_model.h"

namespace verbund {
namespace {

struct AverageCommand {
  std::string run;
  int64_t last = 5;
  std::vector<std::string> checkpoints;
  std::string name = "average";
  std::string out;
};

void declare_flags(Options& options, AverageCommand& command) {
  options.add_option("--run", command.run, "Folder of a run")->type_name("FOLDER")->required();
  Option* const last = options.add_option("--last", command.last, "Number of newest checkpoints to average")
                           ->type_name("N")
                           ->check(between(2, 1000000))
                           ->capture_default_str();
  options.add_option("--checkpoints", command.checkpoints, "Average these: step-00001000 step-00002000 ...")
      ->type_name("NAME")
      ->one_or_more()
      ->separated_by(',')
      ->excludes(last);
  Option* const name =
      options.add_option("--name", command.name, "Name of the new checkpoint in the run's checkpoints/")
          ->type_name("NAME")
          ->capture_default_str();
  options.add_option("--out", command.out, "Write it into this folder instead")->type_name("FOLDER")->excludes(name);
}

void check_name(const std::string& name) {
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos) {
    fail_usage("--name \"{}\" is not the name of a folder. Use --out FOLDER for a place outside the run.", name);
  }
}

}  // namespace

void run_average(const Arguments& arguments) {
  AverageCommand command;
  Options options("average",
                  "Averages the weights of several checkpoints of a run into a new one, often a better model. If the "
                  "checkpoints hold exponentially averaged weights, these are used.",
                  "  verbund average --run runs/base --last 5\n"
                  "  verbund translate -m runs/base --checkpoint average < text.en\n"
                  "  verbund average --run runs/base --checkpoints step-00090000 step-00100000 --name two\n"
                  "  verbund average --run runs/base --last 8 --out models/base\n");
  declare_flags(options, command);
  if (!options.read(arguments)) return;
  check_name(command.name);
  expect_folder(command.run, "a run");
  const fs::path checkpoints = fs::path(command.run) / "checkpoints";
  if (!fs::is_directory(checkpoints)) fail("{} is not the folder of a run: it has no checkpoints/", command.run);
  const fs::path folder = command.out.empty() ? checkpoints / command.name : fs::path(command.out);
  check_place_of_mean(folder);  // before the work, not after it
  const CheckpointMean mean = read_while_pruned(
      [&] {
        return command.checkpoints.empty() ? last_checkpoints(checkpoints, command.last)
                                           : named_checkpoints(checkpoints, command.checkpoints);
      },
      [](const std::vector<fs::path>& folders) { return CheckpointMean(folders); });
  save_mean(folder, mean, program_version());
  log("{}: the mean of the {} of {} checkpoints, steps {}", folder.string(),
      mean.exponential() ? "exponentially averaged weights" : "weights", mean.steps().size(),
      fmt::join(mean.steps(), ", "));
  if (command.out.empty()) {
    log("to use it: verbund translate -m {} --checkpoint {}", command.run, command.name);
  } else {
    for (const char* name : {kSourceVocabulary, kTargetVocabulary}) {  // so that it can be used without the run
      const fs::path vocabulary = fs::path(command.run) / name;
      if (fs::exists(vocabulary)) write_file(folder / name, read_file(vocabulary));
    }
    log("to use it: verbund translate -m {}", command.out);
  }
}

}  // namespace verbund
