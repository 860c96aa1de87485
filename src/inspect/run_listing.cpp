// A run folder's contents for people and for programs.
#include "core/human.h"
#include "inspect/run_contents.h"

namespace verbund {
namespace {

using Json = nlohmann::ordered_json;

std::string run_row(const std::string& head, const std::string& text) { return fmt::format("{:<12}{}\n", head, text); }

std::string state_of(const RunContents& contents) {
  if (contents.running) return "running: a training holds the folder";
  if (contents.starts.empty() || !contents.starts.back().end.empty()) return "not running";
  return "not running, though its last start has no end: it was killed";
}

std::string file_table(const RunContents& contents) {
  std::string text = run_row(
      "files", fmt::format("{} bytes ({}), as du -b counts", human_count(contents.bytes), human_bytes(contents.bytes)));
  for (const RunContents::File& file : contents.files) {
    const std::string count = file.name.ends_with('/') ? fmt::format(" ({} files)", human_count(file.files)) : "";
    text += fmt::format("  {:<22} {:>10}  {}{}\n", file.name, human_bytes(file.bytes), file.purpose, count);
  }
  return text +
         fmt::format("  {:<22} {:>10}  the entries of folders and links\n", "", human_bytes(contents.folder_bytes));
}

std::string start_table(const RunContents& contents) {
  if (contents.starts.empty()) return "";
  const bool left_out = contents.start_count > static_cast<int64_t>(contents.starts.size());
  std::string text = run_row("starts", human_count(static_cast<uint64_t>(contents.start_count)) +
                                       (left_out ? ", those in the middle are not kept" : ""));
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
  if (!contents.last_step) return run_row("step", "nothing is logged yet");
  std::string text = run_row(
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
  if (contents.checkpoints.empty()) return run_row("checkpoints", "none");
  std::string text = run_row("checkpoints", human_count(contents.checkpoints.size()));
  for (const RunContents::Checkpoint& checkpoint : contents.checkpoints) {
    text += fmt::format("  {:<22} {:>10}  {}\n", checkpoint.name, human_bytes(checkpoint.bytes),
                        fmt::join(checkpoint.links, ", "));
  }
  return text;
}

}  // namespace

std::string show_run_contents(const RunContents& contents) {
  std::string text = run_row("run", contents.folder.string());
  if (!contents.id.empty()) text += run_row("id", contents.id);
  if (contents.imported.is_object()) {
    text += run_row("imported", fmt::format("from {} ({})", contents.imported.value("source", "unknown"),
                                        contents.imported.value("kind", "unknown")));
  }
  text += run_row("state", state_of(contents)) + "\n" + file_table(contents) + "\n" + start_table(contents) +
          result_table(contents) + checkpoint_table(contents);
  for (const std::string& note : contents.notes) text += run_row("note", note);
  return text;
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
