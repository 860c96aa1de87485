// SPDX-License-Identifier: Apache-2.0
#include "inspect/listing.h"

#include "checkpoint/checkpoint_format.h"
#include "checkpoint/checkpoint_reader.h"
#include "core/columns.h"
#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "data/dataset_format.h"

namespace verbund {
namespace {

bool looks_like_run(const fs::path& folder) {
  return fs::exists(folder / "run.json") || fs::exists(folder / "metrics.jsonl") || fs::exists(folder / "checkpoints");
}

std::string row(const std::string& head, const std::string& text) { return fmt::format("{:<12}{}\n", head, text); }

std::string both_sizes(uint64_t bytes) { return fmt::format("{} bytes ({})", human_count(bytes), human_bytes(bytes)); }

std::string heading(const CheckpointContents& contents) {
  std::string text = row("checkpoint", contents.folder.string());
  if (!contents.links.empty()) text += row("called", fmt::format("{}", fmt::join(contents.links, ", ")));
  text += row("step", human_count(static_cast<uint64_t>(contents.step)));
  if (!contents.average_of.empty()) text += row("made of", contents.average_of);
  if (!contents.run.empty()) text += row("run", fmt::format("{}, in {}", contents.run, contents.run_folder));
  if (!contents.time.empty()) text += row("made", fmt::format("{} by {}", contents.time, contents.program));
  return text;
}

std::string file_table(const CheckpointContents& contents) {
  std::string text = row("files", both_sizes(contents.file_bytes));
  for (const CheckpointContents::File& file : contents.files) {
    text += fmt::format("  {:<22} {:>10}  {}\n", file.name, human_bytes(file.size), file.purpose);
    if (!file.damage.empty()) text += fmt::format("  {:<22} {:>10}  damaged: {}\n", "", "", file.damage);
  }
  if (contents.damaged()) return text;
  return text + row("checksums", contents.verified ? "all files match" : "not compared; all sizes match");
}

std::string part_table(const std::string& head, const std::vector<CheckpointContents::Part>& parts) {
  std::string text = head;
  for (const CheckpointContents::Part& part : parts) {
    text += fmt::format("  {:<34} {:>14}  {:>10}\n", part.name, human_count(part.parameters), human_bytes(part.bytes));
  }
  return text;
}

// "4 bytes x 60,880,896 parameters x 3 (weights, adam.m, adam.v)", and the rest.
std::string explained_size(const CheckpointContents& contents) {
  std::vector<std::string> copies = {"weights"};
  for (const CheckpointContents::Part& moment : contents.moments) copies.push_back(moment.name);
  if (contents.averaged) copies.emplace_back("average");
  std::string text =
      row("size", fmt::format("4 bytes x {} parameters x {} ({}) = {}", human_count(contents.parameters), copies.size(),
                              fmt::join(copies, ", "), both_sizes(contents.expected_bytes)));
  for (const CheckpointContents::Share& share : contents.remainder) {
    text += fmt::format("  {:>+14} bytes  {}\n", share.bytes, share.what);
  }
  return text + fmt::format("  {:>14} bytes  in all files; {} with the folder's entry, as du -b counts\n",
                            contents.file_bytes, contents.folder_bytes);
}

Json to_json(const std::vector<CheckpointContents::Part>& parts) {
  Json list = Json::array();
  for (const CheckpointContents::Part& part : parts) {
    list.push_back({{"name", part.name}, {"parameters", part.parameters}, {"bytes", part.bytes}});
  }
  return list;
}

std::string state_of(const RunContents& contents) {
  if (contents.running) return "running: a training process holds the folder";
  if (contents.starts.empty() || !contents.starts.back().end.empty()) return "not running";
  return "not running; its last start was killed";
}

std::string file_table(const RunContents& contents) {
  std::string text = row("files", both_sizes(contents.bytes) + ", as du -b counts");
  for (const RunContents::File& file : contents.files) {
    const std::string count = file.name.ends_with('/') ? fmt::format(" ({} files)", human_count(file.files)) : "";
    text += fmt::format("  {:<22} {:>10}  {}{}\n", file.name, human_bytes(file.bytes), file.purpose, count);
  }
  return text + fmt::format("  {:<22} {:>10}  entries of folders and links\n", "", human_bytes(contents.folder_bytes));
}

std::string start_table(const RunContents& contents) {
  if (contents.starts.empty()) return "";
  const bool left_out = contents.start_count > static_cast<int64_t>(contents.starts.size());
  std::string text = row("starts", human_count(static_cast<uint64_t>(contents.start_count)) +
                                       (left_out ? "; those in the middle were dropped" : ""));
  for (const RunContents::Start& start : contents.starts) {
    text += fmt::format("  {} from step {}", start.time.empty() ? "time unknown," : start.time, start.step);
    if (start.workers > 0) text += fmt::format(", {} workers on {}", start.workers, start.host_list);
    text += "\n";
    if (start.end.empty()) continue;
    text += fmt::format("    {} {}\n", start.end_time.empty() ? "until:" : "until " + start.end_time + ":", start.end);
  }
  return text;
}

std::string result_table(const RunContents& contents) {
  if (!contents.last_step) return row("step", "nothing was logged yet");
  std::string text = row(
      "step", fmt::format("{}{}; {} logged, {} evaluations", human_count(static_cast<uint64_t>(*contents.last_step)),
                          contents.last_time.empty() ? "" : ", at " + contents.last_time, human_count(contents.logged),
                          human_count(contents.evaluations)));
  if (!contents.best.empty()) text += "best\n";
  for (const RunContents::Best& best : contents.best) {
    text += fmt::format("  {:<30} {:>10.4f}  at step {}\n", best.metric, best.value, best.step);
  }
  return text;
}

std::string checkpoint_table(const RunContents& contents) {
  if (contents.checkpoints.empty()) return row("checkpoints", "none");
  std::string text = row("checkpoints", human_count(contents.checkpoints.size()));
  for (const RunContents::Checkpoint& checkpoint : contents.checkpoints) {
    text += fmt::format("  {:<22} {:>10}  {}\n", checkpoint.name, human_bytes(checkpoint.bytes),
                        fmt::join(checkpoint.links, ", "));
  }
  return text;
}

}  // namespace

InspectedFolder recognise_folder(const fs::path& folder) {
  if (fs::is_symlink(folder) && !follow_checkpoint_link(folder)) {
    fail("{} points to {}, where there is no folder", folder.string(), fs::read_symlink(folder).string());
  }
  expect_folder(folder, "a dataset, a run or a checkpoint");
  std::error_code error;
  if (fs::is_empty(folder, error)) fail("{} is empty: it is not a dataset, a run or a checkpoint", folder.string());
  for (const char* name : {kCheckpointManifest, kWeightsFile, kStateFile}) {
    if (fs::exists(folder / name)) return InspectedFolder::kCheckpoint;
  }
  if (!fs::exists(folder / kDatasetManifest) && looks_like_run(folder)) return InspectedFolder::kRun;
  if (fs::exists(folder / kDatasetManifest) || fs::exists(folder / "work")) return InspectedFolder::kDataset;
  fail(
      "{} is not a dataset (which has {}), a run (which has run.json, metrics.jsonl or checkpoints/) or a checkpoint "
      "(which has {})",
      folder.string(), kDatasetManifest, kCheckpointManifest);
}

std::string show_checkpoint_contents(const CheckpointContents& contents) {
  std::string text = heading(contents) + "\n" + file_table(contents);
  if (contents.parts.empty()) return printable(text);
  text += "\n" + part_table(row("parameters", human_count(contents.parameters)), contents.parts);
  if (contents.moments.empty()) {
    text += row("optimiser", "its state was not saved: a resumed training starts with a fresh one");
  } else {
    text += part_table(row("optimiser", fmt::format("{} buffers", contents.moments.size())), contents.moments);
  }
  return printable(text + row("average", contents.averaged ? "averaged weights are saved" : "none") + "\n" +
                   explained_size(contents));
}

Json to_json(const CheckpointContents& contents) {
  Json json = {{"kind", "checkpoint"},  {"folder", contents.folder.string()}, {"links", contents.links},
               {"step", contents.step}, {"verified", contents.verified},      {"damaged", contents.damaged()}};
  const auto add_text = [&](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  add_text("run", contents.run);
  add_text("run_folder", contents.run_folder);
  add_text("program", contents.program);
  add_text("time", contents.time);
  add_text("average_of", contents.average_of);
  json["files"] = Json::array();
  for (const CheckpointContents::File& file : contents.files) {
    Json entry = {{"name", file.name}, {"purpose", file.purpose}, {"bytes", file.size}};
    if (!file.checksum.empty()) entry["xxh3_128"] = file.checksum;
    if (!file.damage.empty()) entry["damage"] = file.damage;
    json["files"].push_back(std::move(entry));
  }
  json["file_bytes"] = contents.file_bytes;
  json["folder_bytes"] = contents.folder_bytes;
  if (contents.parts.empty()) return json;
  json["parameters"] = contents.parameters;
  json["parts"] = to_json(contents.parts);
  json["optimizer"] = to_json(contents.moments);
  json["averaged"] = contents.averaged;
  json["expected_bytes"] = contents.expected_bytes;
  json["remainder"] = Json::array();
  for (const CheckpointContents::Share& share : contents.remainder) {
    json["remainder"].push_back({{"what", share.what}, {"bytes", share.bytes}});
  }
  return json;
}

std::string show_run_contents(const RunContents& contents) {
  std::string text = row("run", contents.folder.string());
  if (!contents.id.empty()) text += row("id", contents.id);
  if (contents.imported.is_object()) {
    text += row("imported", fmt::format("from {} ({})", contents.imported.value("source", "unknown"),
                                        contents.imported.value("kind", "unknown")));
  }
  text += row("state", state_of(contents)) + "\n" + file_table(contents) + "\n" + start_table(contents) +
          result_table(contents) + checkpoint_table(contents);
  for (const std::string& note : contents.notes) text += row("note", note);
  return printable(text);
}

Json to_json(const RunContents& contents) {
  Json json = {{"kind", "run"}, {"folder", contents.folder.string()}};
  if (!contents.id.empty()) json["id"] = contents.id;
  if (contents.imported.is_object()) json["imported"] = contents.imported;
  json["running"] = contents.running;
  json["bytes"] = contents.bytes;
  json["folder_bytes"] = contents.folder_bytes;
  json["files"] = Json::array();
  for (const RunContents::File& file : contents.files) {
    json["files"].push_back(
        {{"name", file.name}, {"purpose", file.purpose}, {"bytes", file.bytes}, {"files", file.files}});
  }
  json["start_count"] = contents.start_count;
  json["starts"] = Json::array();
  for (const RunContents::Start& start : contents.starts) {
    Json entry = {{"step", start.step}};
    const auto add = [&](const char* key, const std::string& text) {
      if (!text.empty()) entry[key] = text;
    };
    add("time", start.time);
    add("hosts", start.host_list);
    if (start.workers > 0) entry["workers"] = start.workers;
    add("end", start.end);
    add("end_time", start.end_time);
    json["starts"].push_back(std::move(entry));
  }
  if (contents.last_step) json["last_step"] = *contents.last_step;
  if (!contents.last_time.empty()) json["last_time"] = contents.last_time;
  json["logged"] = contents.logged;
  json["evaluations"] = contents.evaluations;
  json["best"] = Json::object();
  for (const RunContents::Best& best : contents.best) {
    json["best"][best.metric] = {{"value", best.value}, {"step", best.step}};
  }
  json["checkpoints"] = Json::array();
  for (const RunContents::Checkpoint& checkpoint : contents.checkpoints) {
    json["checkpoints"].push_back(
        {{"name", checkpoint.name}, {"links", checkpoint.links}, {"bytes", checkpoint.bytes}});
  }
  json["notes"] = contents.notes;
  return json;
}

}  // namespace verbund
