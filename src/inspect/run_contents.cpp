// SPDX-License-Identifier: Apache-2.0
#include "inspect/run_contents.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "core/file.h"
#include "core/folder_lock.h"
#include "core/folder_tree.h"
#include "record/json_lines.h"
#include "record/run_record.h"

namespace verbund {
namespace {

struct RunFilePurpose {
  const char* name;  // ending in '/': a folder; in '*': all that begin so
  const char* text;
};

constexpr RunFilePurpose kRunFilePurposes[] = {
    {"config.yaml", "the whole configuration as used"},
    {"run.json", "every start and stop: when, where and by which program"},
    {"log.txt", "the console output"},
    {"metrics.jsonl", "the curves: one line per logged step and evaluation"},
    {"metrics.jsonl.damaged", "metrics.jsonl before its damaged lines were removed"},
    {"history.jsonl", "events: starts, saves, signals, faults"},
    {"exchange.jsonl", "the gradient exchange of some steps"},
    {"samples.jsonl", "translations from the log of an imported run"},
    {"original-config.txt", "the original configuration of an imported run"},
    {"source.model", "the subword model of the source"},
    {"target.model", "the subword model of the target"},
    {"report.html", "the report, for a browser"},
    {"report.md", "the report, as text"},
    {"events.out.tfevents.*", "the curves for TensorBoard"},
    {"checkpoints/", "checkpoints: for resuming and for translating"},
    {"steps/", "every step of every worker"},
    {"resources/", "processors, memory and networks, second by second"},
    {"evaluations/", "translations and losses of each evaluation, by sentence"},
    {"timeline/", "timelines of some steps, for Perfetto"},
};

std::string purpose_of_run_file(const std::string& name) {
  for (const RunFilePurpose& purpose : kRunFilePurposes) {
    const std::string_view known = purpose.name;
    const bool fits = known.ends_with('*') ? name.starts_with(known.substr(0, known.size() - 1)) : name == known;
    if (fits) return purpose.text;
  }
  return "unknown: not part of a run";
}

void add_files(RunContents& contents, const std::vector<TreeEntry>& tree) {
  std::map<std::string, RunContents::File> files;  // of the first level
  for (const TreeEntry& entry : tree) {
    const bool is_file = entry.kind != TreeEntry::Kind::kFolder && entry.kind != TreeEntry::Kind::kLink;
    if (!is_file) contents.folder_bytes += entry.size;
    if (entry.name == ".") continue;
    const size_t slash = entry.name.find('/');
    const bool in_folder = slash != std::string::npos || entry.kind == TreeEntry::Kind::kFolder;
    const std::string name = entry.name.substr(0, slash) + (in_folder ? "/" : "");
    RunContents::File& file =
        files.try_emplace(name, RunContents::File{name, purpose_of_run_file(name), 0, 0}).first->second;
    if (!is_file) continue;
    file.bytes += entry.counted ? entry.size : 0;
    ++file.files;
  }
  for (auto& [name, file] : files) contents.files.push_back(std::move(file));
  contents.bytes = tree_bytes(tree);
}

void add_checkpoints(RunContents& contents, const std::vector<TreeEntry>& tree) {
  constexpr std::string_view kFolder = "checkpoints/";
  std::map<std::string, RunContents::Checkpoint> found;
  for (const TreeEntry& entry : tree) {
    if (!entry.name.starts_with(kFolder)) continue;
    const std::string rest = entry.name.substr(kFolder.size());
    const std::string name = rest.substr(0, rest.find('/'));
    if (entry.kind == TreeEntry::Kind::kLink && rest == name) {
      found[entry.target].links.push_back(name);
    } else if (entry.kind == TreeEntry::Kind::kFolder || rest != name) {
      found[name].name = name;
      found[name].bytes += entry.kind == TreeEntry::Kind::kFolder || !entry.counted ? 0 : entry.size;
    }
  }
  for (auto& [name, checkpoint] : found) {
    if (!checkpoint.name.empty()) {
      contents.checkpoints.push_back(checkpoint);
    } else {
      contents.notes.push_back(
          fmt::format("checkpoints/{} points to {}, where there is no checkpoint", checkpoint.links.front(), name));
    }
  }
}

// True if a link has another target than when it was listed: a training that runs has saved a checkpoint meanwhile, and
// the old target may be missing in the list.
bool has_moved_link(const fs::path& folder, const std::vector<TreeEntry>& tree) {
  return std::any_of(tree.begin(), tree.end(), [&](const TreeEntry& entry) {
    std::error_code gone;
    return entry.kind == TreeEntry::Kind::kLink && fs::read_symlink(folder / entry.name, gone) != entry.target;
  });
}

std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

RunContents::Start start_of(const Json& json) {
  RunContents::Start start;
  start.time = text_in(json, "time");
  if (const auto step = json.find("step"); step != json.end() && step->is_number_integer()) start.step = *step;
  if (const auto hosts = json.find("hosts"); hosts != json.end() && hosts->is_array()) {
    for (const Json& host : *hosts) {
      start.host_list += (start.host_list.empty() ? "" : ", ") + text_in(host, "host");
      if (host.contains("workers")) start.workers += host["workers"].size();
    }
  }
  if (const auto stop = json.find("stop"); stop != json.end() && stop->is_object()) {
    start.end = text_in(*stop, "reason");
    start.end_time = text_in(*stop, stop->contains("last_sign_of_life") ? "last_sign_of_life" : "time");
  }
  return start;
}

void add_record(RunContents& contents) {
  if (!fs::exists(contents.folder / "run.json")) return;
  try {
    const Json record = read_run_record(contents.folder);
    contents.id = record.at("id");
    contents.start_count = record.at("start_count");
    contents.imported = record.value("imported", Json());
    for (const Json& start : record.at("starts")) contents.starts.push_back(start_of(start));
  } catch (const Error& error) {
    contents.notes.emplace_back(error.what());
  } catch (const Json::exception& error) {
    contents.notes.push_back(fmt::format("run.json is damaged: {}", error.what()));
  }
}

// Losses are best when small, other metrics when large.
void take_best(RunContents& contents, const std::string& metric, double value, int64_t step) {
  if (!std::isfinite(value)) return;
  auto found = std::find_if(contents.best.begin(), contents.best.end(),
                            [&](const RunContents::Best& best) { return best.metric == metric; });
  if (found == contents.best.end()) {
    contents.best.push_back({metric, value, step});
  } else if (metric.ends_with("loss") || metric.ends_with("entropy") ? value < found->value : value > found->value) {
    *found = {metric, value, step};
  }
}

void add_metrics(RunContents& contents) {
  constexpr const char* kJudged[] = {"dev_loss", "dev_cross_entropy", "dev_bleu", "dev_chrf",
                                     "dev_teacher_forced_piece_bleu"};
  size_t without_step = 0;
  const size_t damaged = read_json_lines(contents.folder / "metrics.jsonl", [&](const Json& line) {
    if (!line.contains("step") || !line["step"].is_number_integer()) {
      ++without_step;
      return;
    }
    const int64_t step = line["step"];
    contents.last_step = std::max(contents.last_step.value_or(step), step);
    if (const std::string time = text_in(line, "time"); !time.empty()) contents.last_time = time;
    bool evaluation = false;
    for (const char* metric : kJudged) {
      if (!line.contains(metric)) continue;
      evaluation = true;
      // The score of an untrained model depends only on its references.
      const bool meaningless = step == 0 && std::string_view(metric) == "dev_teacher_forced_piece_bleu";
      if (line[metric].is_number() && !meaningless) take_best(contents, metric, line[metric], step);
    }
    ++(evaluation ? contents.evaluations : contents.logged);
  });
  if (damaged + without_step > 0) {
    contents.notes.push_back(fmt::format("{} lines of metrics.jsonl are damaged", damaged + without_step));
  }
}

}  // namespace

RunContents read_run_contents(const fs::path& folder) {
  expect_folder(folder, "a run");
  RunContents contents;
  contents.folder = fs::canonical(folder);
  std::vector<TreeEntry> tree = list_tree(contents.folder);
  for (int tries = 0; tries < 10 && has_moved_link(contents.folder, tree); ++tries) tree = list_tree(contents.folder);
  add_files(contents, tree);
  add_checkpoints(contents, tree);
  add_record(contents);
  add_metrics(contents);
  contents.running = FolderLock(contents.folder).is_taken();
  return contents;
}

}  // namespace verbund
