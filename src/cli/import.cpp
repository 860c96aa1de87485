// SPDX-License-Identifier: Apache-2.0
// verbund import: a run or a model of another program -> a run folder.

#include "cli/command.h"
#include "cli/options.h"
#include "core/human.h"
#include "core/json.h"
#include "core/log.h"
#include "import/import_run.h"
#include "interop/import_model.h"

namespace verbund {

void run_import(const Arguments& arguments) {
  std::string source, run, kind;
  Options options(
      "import",
      "Makes a run folder from a model or the output of another program. Models: a folder of Hugging Face's Marian "
      "class, such as those of OPUS-MT, or Marian's model.npz. Outputs: a console log of OpenSeq2Seq (plain, .gz, "
      ".xz), scalars as exported by TensorBoard (CSV files, their folder, an archive of them), or event files of "
      "TensorBoard. Values that they do not contain stay unknown.",
      "  verbund import opus-mt-en-de/ --run runs/opus && verbund translate -m runs/opus < text.en\n"
      "  verbund import nohup.out.gz --run runs/old\n"
      "  verbund import scalars/ --run runs/old && verbund report runs/old\n"
      "  verbund import logs/ --kind tensorboard-events --run runs/old\n");
  options.add_option("SOURCE", source, "A file or folder")->required();
  options.add_option("--run", run, "The run folder to make; must be new or empty")->type_name("FOLDER")->required();
  options
      .add_option("--kind", kind,
                  "The kind of source, if it is not recognised: openseq2seq-log, scalar-csv, tensorboard-events")
      ->check(one_of({kSourceKinds.begin(), kSourceKinds.end()}));
  if (!options.read(arguments)) return;

  if (kind.empty() && is_foreign_model(source)) {
    const ModelImport model = import_model(source, run, program_version());
    log("{} holds the model of {} ({}, {} parameters)", run, source, model.kind, human_count(model.parameters));
    return;
  }
  const Json imported = import_run(source, kind, run);
  log("{} holds {} of {} ({})", run, imported["what"].get<std::string>(), source, imported["kind"].get<std::string>());
  for (const auto& note : imported["notes"]) log("note: {}", note.get<std::string>());
  log("unknown: {}", fmt::join(imported["unknown"].get<std::vector<std::string>>(), ", "));
}

}  // namespace verbund
