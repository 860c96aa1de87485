// verbund export: a trained model -> the model folder of another engine.
#include "decode/export.h"
#include "cli/command.h"
#include "cli/model_flags.h"
#include "cli/options.h"
#include "cli/version_text.h"
#include "core/log.h"

namespace verbund {
void run_export(const Arguments& arguments) {
  ModelPlace place;
  std::string format, out;
  Options options("export", "Writes a trained model in the format of another translation engine.",
                  "  verbund export --model runs/demo --format ctranslate2 --out demo-ctranslate2\n"
                  "  verbund export --model runs/base --checkpoint step-00004000 --format ctranslate2 --out base\n");
  add_model_flags(options, place);
  options.add_option("--format", format, "Of the result: ctranslate2")
      ->required()
      ->check(CLI::IsMember({"ctranslate2"}).description(""));
  options.add_option("--out", out, "The folder to write; must not exist")->type_name("FOLDER")->required();
  if (!options.read(arguments)) return;

  const TrainedModel trained = load_trained_model(place);
  export_to_ctranslate2(trained, out, program_version());
  log("{} holds step {}{} of {} for CTranslate2", out, trained.step, trained.averaged ? " (averaged weights)" : "",
      trained.checkpoint.string());
}

}  // namespace verbund
