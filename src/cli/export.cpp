// SPDX-License-Identifier: Apache-2.0
// verbund export: a trained model -> the model folder of another engine; a run -> TensorBoard's events.
#include "decode/export.h"
#include "cli/command.h"
#include "cli/model_flags.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/human.h"
#include "core/log.h"
#include "interop/export_huggingface.h"
#include "tensorboard/tensorboard_run.h"

namespace verbund {
namespace {

void export_model(const ModelPlace& place, const std::string& format, const std::string& out) {
  if (place.folder.empty()) fail_usage("--format {} needs --model, the run or checkpoint to export", format);
  ModelPlace host = place;  // nothing is computed
  host.device = DeviceChoice::kCpu;
  host.precision = Precision::kFp32;
  const TrainedModel trained = load_trained_model(host);
  const bool huggingface = format == "huggingface";
  huggingface ? export_to_huggingface(trained, out, program_version())
              : export_to_ctranslate2(trained, out, program_version());
  log("{} holds step {}{} of {} for {}", out, trained.step, trained.averaged ? " (averaged weights)" : "",
      trained.checkpoint.string(), huggingface ? "Hugging Face's transformers" : "CTranslate2");
  if (huggingface) log("fill in the licence in {}", (fs::path(out) / "README.md").string());
}

void export_run(const std::string& run, const std::string& out) {
  if (run.empty()) fail_usage("--format tensorboard needs --run, the folder of the run to export");
  const ExportedRun told = export_to_tensorboard(run, out);
  if (told.damaged > 0) {
    warn("{} lines of {}/metrics.jsonl have no metrics and are left out", human_count(told.damaged), run);
  }
  log("{} holds {} lines of metrics of {} for TensorBoard: tensorboard --logdir {}", out, human_count(told.lines), run,
      out);
}

}  // namespace

void run_export(const Arguments& arguments) {
  ModelPlace place;
  std::string format, run, out;
  Options options("export", "Writes a trained model in the format of another translation engine, or a run's curves.",
                  "  verbund export --model runs/demo --format ctranslate2 --out demo-ctranslate2\n"
                  "  verbund export --model runs/base --checkpoint step-00004000 --format ctranslate2 --out base\n"
                  "  verbund export --model runs/post --format huggingface --out my-model\n"
                  "  verbund export --run runs/old --format tensorboard --out tensorboard/old\n");
  add_model_flags(options, place)->required(false);
  options.add_option("--run", run, "For tensorboard: the folder of a run")->type_name("FOLDER");
  options.add_option("--format", format, "Format of the result: ctranslate2, huggingface or tensorboard")
      ->required()
      ->check(one_of({"ctranslate2", "huggingface", "tensorboard"}));
  options.add_option("--out", out, "The folder to write; must not exist")->type_name("FOLDER")->required();
  if (!options.read(arguments)) return;

  if (format == "tensorboard") {
    if (!place.folder.empty() || !place.checkpoint.empty()) {
      fail_usage(
          "--format tensorboard exports the curves of a run: it uses --run, and neither --model nor --checkpoint");
    }
    export_run(run, out);
  } else {
    if (!run.empty()) fail_usage("--format {} uses --model, not --run {}", format, run);
    export_model(place, format, out);
  }
}

}  // namespace verbund
