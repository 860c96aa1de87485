// A checkpoint's contents for people and for programs.
#include <nlohmann/json.hpp>

#include "inspect/checkpoint_contents.h"
#include "core/human.h"

namespace verbund {
namespace {

using Json = nlohmann::ordered_json;

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
  return text + row("checksums", contents.verified ? "every byte is right" : "not compared; the sizes are right");
}

std::string part_table(const std::string& head, const std::vector<CheckpointContents::Part>& parts) {
  std::string text = head;
  for (const CheckpointContents::Part& part : parts) {
    text += fmt::format("  {:<34} {:>14}  {:>10}\n", part.name, human_count(part.parameters), human_bytes(part.bytes));
  }
  return text;
}

// "4 bytes x 60,880,896 parameters x 3 (weights, adam.m, adam.v)", and what the rest is.
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
  return text + fmt::format("  {:>14} bytes  in all files; with the folder's entry {}, as du -b counts\n",
                            contents.file_bytes, contents.folder_bytes);
}

Json to_json(const std::vector<CheckpointContents::Part>& parts) {
  Json list = Json::array();
  for (const CheckpointContents::Part& part : parts) {
    list.push_back({{"name", part.name}, {"parameters", part.parameters}, {"bytes", part.bytes}});
  }
  return list;
}

}  // namespace

std::string show_checkpoint_contents(const CheckpointContents& contents) {
  std::string text = heading(contents) + "\n" + file_table(contents);
  if (contents.parts.empty()) return text;
  text += "\n" + part_table(row("parameters", human_count(contents.parameters)), contents.parts);
  if (contents.moments.empty()) {
    text += row("optimiser", "its state was not saved: training cannot go on from here with it");
  } else {
    text += part_table(row("optimiser", fmt::format("{} buffers", contents.moments.size())), contents.moments);
  }
  return text + row("average", contents.averaged ? "averaged weights are kept" : "none is kept") + "\n" +
         explained_size(contents);
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

}  // namespace verbund
