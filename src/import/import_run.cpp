#include "import/import_run.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "import/event_folder.h"
#include "import/openseq2seq_log.h"
#include "import/run_writer.h"
#include "import/scalar_csv.h"
#include "import/source_kind.h"
#include "import/undone_steps.h"
#include "tensorboard/event_file.h"

namespace verbund {
namespace {

ImportedRun read_source(const fs::path& source, const std::string& kind) {
  if (kind == "openseq2seq-log") return read_openseq2seq_log(source);
  if (kind == "scalar-csv") {
    const auto files = find_scalar_csv(source);
    if (files.empty()) {
      fail("{} holds no CSV file that begins with \"{}\", as TensorBoard writes them", source.string(),
           kScalarCsvHeader);
    }
    return read_scalar_csv(files);
  }
  const auto files = fs::is_directory(source) ? event_files(source) : std::vector{source};
  if (files.empty()) fail("{} holds no event files (events.out.tfevents.*)", source.string());
  return read_event_files(files);
}

fs::path without_last_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();  // "runs/a/" would be made inside of itself
}

}  // namespace

nlohmann::ordered_json import_run(const fs::path& source, const std::string& kind, const fs::path& run_folder) {
  const fs::path folder = without_last_slash(run_folder);
  check_place_of_import(folder);
  ImportedRun run = read_source(source, kind.empty() ? recognise_source(source) : kind);
  for (const std::string& note : drop_undone(run.points)) run.notes.push_back(note);
  return write_imported_run(run, source, folder);
}

}  // namespace verbund
