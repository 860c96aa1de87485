// SPDX-License-Identifier: Apache-2.0
#include "import/tensorboard_scalars.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "core/byte_order_mark.h"
#include "core/file.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "fetch/archive.h"
#include "import/scalar_tags.h"
#include "tensorboard/tensorboard_events.h"
#include "text/head_of_file.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

bool has_header(std::string_view text) { return without_byte_order_mark(text).starts_with(kScalarCsvHeader); }

// "run-transformer-tag-train_loss.csv" -> run "transformer", tag "train_loss"; other file names are the tag.
struct Curve {
  std::string run, tag;
  std::vector<ImportedPoint> points;
};

Curve name_curve(const std::string& file) {
  const std::string whole = fs::path(file).filename().string();
  const std::string name = whole.substr(0, whole.find(".csv"));
  const size_t tag = name.find("-tag-");
  if (tag == std::string::npos) return {"", name, {}};
  std::string run = name.substr(0, tag);
  if (run.starts_with("run-")) run = run.substr(4);
  return {run, name.substr(tag + 5), {}};
}

template <typename T>
std::optional<T> parse(std::string_view text) {
  T value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

struct Row {
  double time = 0;
  int64_t step = 0;
  double value = 0;
};

std::optional<Row> parse_row(std::string_view line) {
  const size_t first = line.find(','), second = line.find(',', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  const auto time = parse<double>(line.substr(0, first));
  const auto step = parse<int64_t>(line.substr(first + 1, second - first - 1));
  const auto value = parse<double>(line.substr(second + 1));
  if (!time || !step || !value || *step < 0) return std::nullopt;
  return Row{*time, *step, *value};
}

class CsvReader {
 public:
  explicit CsvReader(ImportedRun& run) : run_(run) {}

  Curve read(const ScalarCsv& csv) {
    Curve curve = name_curve(csv.file);
    std::istringstream lines(csv.text);
    std::string line;
    size_t number = 1, damaged = 0, first_damaged = 0, untimed = 0, without_value = 0;
    std::getline(lines, line);  // the header
    while (std::getline(lines, line)) {
      ++number;
      if (line.ends_with('\r')) line.pop_back();
      if (line.empty()) continue;
      const bool cut = lines.eof();  // an incomplete line
      const auto row = cut ? std::nullopt : parse_row(line);
      if (!row) {
        if (damaged++ == 0) first_damaged = number;
        continue;
      }
      const auto scalar = translate_scalar(curve.tag, row->value);
      if (!scalar) {
        ++without_value;
        continue;
      }
      ImportedPoint point{scalar->key, row->step, scalar->value};
      if (is_time(row->time)) {
        point.time = row->time;
      } else {
        ++untimed;
      }
      curve.points.push_back(point);
    }
    note(csv.file, damaged, fmt::format("are damaged, the first is line {}", first_damaged));
    note(csv.file, untimed, "have no valid time");
    note(csv.file, without_value, "have no valid number of steps per second");
    return curve;
  }

 private:
  void note(const std::string& file, size_t count, const std::string& what) {
    if (count > 0) run_.notes.push_back(fmt::format("{}: {} lines {}", file, human_count(count), what));
  }

  ImportedRun& run_;
};

// The whole file, decompressed.
std::string read_text(const fs::path& path) {
  const auto source = open_bytes(path);
  std::string text;
  std::string block(1 << 16, '\0');
  while (true) {
    const size_t size = source->read(block.data(), block.size());
    if (size == 0) return text;
    text.append(block, 0, size);
  }
}

// Takes the run with the most values, and from the others the curves that it lacks.
void add_curves(std::vector<Curve> curves, ImportedRun& run) {
  std::map<std::string, size_t> sizes;
  for (const Curve& curve : curves) sizes[curve.run] += curve.points.size();
  std::stable_sort(curves.begin(), curves.end(),
                   [&](const Curve& a, const Curve& b) { return sizes[a.run] > sizes[b.run]; });
  std::set<std::string> taken;
  for (Curve& curve : curves) {
    if (taken.insert(curve.tag).second) {
      run.points.insert(run.points.end(), curve.points.begin(), curve.points.end());
    } else {
      run.notes.push_back(fmt::format("{} of the run {} is skipped: another run has more values", curve.tag,
                                      curve.run.empty() ? "without a name" : curve.run));
    }
  }
}

// A start undoes earlier values of its step and of later steps.
void undo_from(std::vector<ImportedPoint>& points, int64_t step) {
  std::erase_if(points, [&](const ImportedPoint& point) { return point.step >= step; });
}

}  // namespace

std::vector<ScalarCsv> find_scalar_csv(const fs::path& source) {
  std::vector<ScalarCsv> files;
  const auto add = [&](const std::string& name, const std::string& text) {
    if (has_header(text)) files.push_back({name, text});
  };
  if (fs::is_directory(source)) {
    for (const fs::path& path : list_folder(source)) {
      if (path.extension() == ".csv" && fs::is_regular_file(path)) add(path.filename().string(), read_file(path));
    }
  } else if (is_archive(head_of_file(source))) {
    for (const ArchiveMember& member : read_members(source, ".csv")) add(member.name, member.bytes);
  } else if (has_header(head_of_file(source))) {
    add(source.filename().string(), read_text(source));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  return files;
}

ImportedRun read_scalar_csv(const std::vector<ScalarCsv>& files) {
  ImportedRun run;
  run.kind = "scalar-csv";
  std::vector<Curve> curves;
  for (const ScalarCsv& csv : files) curves.push_back(CsvReader(run).read(csv));
  add_curves(std::move(curves), run);
  return run;
}

ImportedRun read_event_files(const std::vector<fs::path>& files) {
  ImportedRun run;
  run.kind = "tensorboard-events";
  std::map<std::string, std::string> plugins;
  size_t untimed = 0, without_value = 0, undone = 0, texts = 0;
  bool started = false;
  for (const fs::path& file : files) {
    const std::string trouble = read_events(file, plugins, [&](const Event& event, std::string_view) {
      check_interrupt();
      if (event.start && std::exchange(started, true)) {
        const size_t before = run.points.size();
        undo_from(run.points, event.step);
        undone += before - run.points.size();
      }
      for (const EventValue& value : event.values) {
        texts += value.text.empty() ? 0 : 1;
        if (!value.scalar || event.step < 0) continue;
        const auto scalar = translate_scalar(value.tag, *value.scalar);
        without_value += scalar ? 0 : 1;
        if (!scalar) continue;
        ImportedPoint point{scalar->key, event.step, scalar->value};
        if (is_time(event.wall_time)) {
          point.time = event.wall_time;
        } else {
          ++untimed;
        }
        run.points.push_back(point);
      }
    });
    if (!trouble.empty()) run.notes.push_back(trouble);
  }
  const auto note = [&](size_t count, const char* what) {
    if (count > 0) run.notes.push_back(fmt::format("{} {}", human_count(count), what));
  };
  note(undone, "values are skipped, because the run resumed from an earlier step");
  note(untimed, "values have no valid time");
  note(without_value, "values are not a valid number of steps per second");
  note(texts, "texts are skipped: only numbers are imported");
  return run;
}

bool is_archive(std::string_view head) {
  constexpr size_t kTarMark = 257;  // offset of "ustar" in a tar
  return head.starts_with("PK\3\4") || (head.size() > kTarMark && head.substr(kTarMark).starts_with("ustar"));
}

}  // namespace verbund
