// SPDX-License-Identifier: Apache-2.0
#include "import/import_run.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/file.h"
#include "core/plain_path.h"
#include "import/imported_run.h"
#include "import/tensorboard_scalars.h"
#include "tensorboard/event_file.h"
#include "text/head_of_file.h"

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

std::string names_in(const fs::path& folder) {
  constexpr size_t kMax = 5;
  std::vector<std::string> names;
  for (const fs::path& path : list_folder(folder)) names.push_back(path.filename().string());
  std::sort(names.begin(), names.end());
  const size_t all = names.size();
  names.resize(std::min(all, kMax));
  if (names.empty()) return "it is empty";
  return fmt::format("it holds {}{}", fmt::join(names, ", "),
                     all > kMax ? fmt::format(" and {} more", all - kMax) : "");
}

std::string recognise_folder(const fs::path& folder) {
  if (fs::exists(folder / "run.json") && fs::exists(folder / "metrics.jsonl")) {  // it has event files, too
    fail("{} is a run folder already: there is nothing to import", folder.string());
  }
  const bool events = !event_files(folder).empty(), csv = !find_scalar_csv(folder).empty();
  if (events && csv) {
    fail_usage("{} holds event files and CSV files: choose with --kind tensorboard-events or --kind scalar-csv",
               folder.string());
  }
  if (events) return "tensorboard-events";
  if (csv) return "scalar-csv";
  fail(
      "{} cannot be imported: it holds neither a model (config.json of Hugging Face's Marian, *.npz of Marian), nor "
      "event files (events.out.tfevents.*), nor CSV files that begin with \"{}\"; {}.",
      folder.string(), kScalarCsvHeader, names_in(folder));
}

}  // namespace

Json import_run(const fs::path& source, const std::string& kind, const fs::path& run_folder) {
  const fs::path folder = plain_path(run_folder);  // "runs/a/" would be created inside itself
  check_place_of_import(folder);
  ImportedRun run = read_source(source, kind.empty() ? recognise_source(source) : kind);
  for (const std::string& note : drop_undone(run.points)) run.notes.push_back(note);
  return write_imported_run(run, source, folder);
}

std::string recognise_source(const fs::path& source) {
  if (!fs::exists(source)) fail("there is no file or folder {}", source.string());
  if (fs::is_directory(source)) return recognise_folder(source);
  const std::string head = head_of_file(source);
  if (head.empty()) fail("{} is empty", source.string());
  if (head.find("brain.Event:") < 64) return "tensorboard-events";
  if (is_archive(head)) return "scalar-csv";
  if (head.find(kScalarCsvHeader) <= 3) return "scalar-csv";
  if (head.find('\0') != std::string::npos) {
    fail(
        "{} cannot be imported: it is neither text (a log of OpenSeq2Seq, a CSV file), nor an archive of CSV files, "
        "nor an event file of TensorBoard.",
        source.string());
  }
  return "openseq2seq-log";
}

}  // namespace verbund
