#include "import/source_kind.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/file.h"
#include "import/file_head.h"
#include "import/scalar_csv.h"
#include "tensorboard/event_file.h"

namespace verbund {
namespace {

std::string names_in(const fs::path& folder) {
  constexpr size_t kMost = 5;
  std::vector<std::string> names;
  for (const fs::path& path : list_folder(folder)) names.push_back(path.filename().string());
  std::sort(names.begin(), names.end());
  const size_t all = names.size();
  names.resize(std::min(all, kMost));
  if (names.empty()) return "it is empty";
  return fmt::format("it holds {}{}", fmt::join(names, ", "),
                     all > kMost ? fmt::format(" and {} more", all - kMost) : "");
}

std::string recognise_folder(const fs::path& folder) {
  if (fs::exists(folder / "run.json") && fs::exists(folder / "metrics.jsonl")) {  // with event files of its own, too
    fail("{} is a run folder already: there is nothing to import", folder.string());
  }
  const bool events = !event_files(folder).empty(), csv = !find_scalar_csv(folder).empty();
  if (events && csv) {
    fail_usage("{} holds event files and CSV files: say which with --kind tensorboard-events or --kind scalar-csv",
               folder.string());
  }
  if (events) return "tensorboard-events";
  if (csv) return "scalar-csv";
  fail(
      "{} is nothing that can be imported: neither event files (events.out.tfevents.*) nor CSV files that begin with "
      "\"{}\" are in it; {}.",
      folder.string(), kScalarCsvHeader, names_in(folder));
}

}  // namespace

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
        "{} is nothing that can be imported: neither text (a log of OpenSeq2Seq, a CSV file), nor an archive of CSV "
        "files, nor an event file of TensorBoard.",
        source.string());
  }
  return "openseq2seq-log";
}

}  // namespace verbund
