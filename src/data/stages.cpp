// SPDX-License-Identifier: Apache-2.0
#include "data/stages.h"

#include <chrono>

#include "core/file.h"
#include "core/hash.h"
#include "core/human.h"
#include "core/log.h"
#include "core/process.h"
#include "core/wall_clock.h"

namespace verbund {
namespace {

Json record_of(const fs::path& path) { return {{"size", fs::file_size(path)}, {"xxh3_128", file_checksum(path)}}; }

// Compares the content: a file that was damaged or edited may have its old size and time.
bool is_unchanged(const fs::path& path, const Json& record) {
  std::error_code error;
  return fs::file_size(path, error) == record.at("size") && !error && file_checksum(path) == record.at("xxh3_128");
}

constexpr const char* kEntryChecksum = "xxh3_128";

std::string entry_checksum(const std::string& name, Json entry) {
  entry.erase(kEntryChecksum);
  return checksum_of(name + dump_json(entry));
}

// An entry that anything but Stages wrote, or another version of it, counts as work that is not done.
bool is_whole(const std::string& name, const Json& entry) {
  return entry.is_object() && entry.contains(kEntryChecksum) && entry[kEntryChecksum] == entry_checksum(name, entry);
}

}  // namespace

Stages::Stages(fs::path file) : file_(std::move(file)) {
  if (!fs::exists(file_)) return;
  const Json stored = try_parse_json(read_file(file_));
  if (!stored.is_object()) {
    debug("{} is damaged: every stage runs again", file_.string());
    return;
  }
  for (const auto& [name, entry] : stored.items()) {
    if (is_whole(name, entry)) {
      memory_[name] = entry;
    } else {
      debug("stage {}: its entry in {} is damaged or of another version", name, file_.string());
    }
  }
}

bool Stages::is_done(const std::string& name, const std::string& key) const {
  const auto found = memory_.find(name);
  if (found == memory_.end() || found->at("key") != key) {
    debug("stage {}: runs, {}", name,
          found == memory_.end() ? "it has no result yet" : "its settings or inputs changed");
    return false;
  }
  for (const auto& [path, record] : found->at("outputs").items()) {
    if (is_unchanged(file_.parent_path() / path, record)) continue;
    debug("stage {}: runs again, {} is missing or changed", name, path);
    return false;
  }
  debug("stage {}: kept, its outputs match their checksums", name);
  return true;
}

Json Stages::run(const std::string& name, const std::string& key, const std::vector<fs::path>& outputs,
                 const std::function<Json()>& work) {
  if (is_done(name, key)) {
    log("{:<10} already done", name);
    return memory_[name]["result"];
  }
  reset_peak_memory();
  const uint64_t children_before = peak_memory_of_children();
  const auto start = std::chrono::steady_clock::now();
  Json result = work();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const uint64_t children = peak_memory_of_children();
  const uint64_t memory = std::max(peak_memory(), children > children_before ? children : 0);
  log("{:<10} {:>12}, peak memory {}", name, human_duration(seconds), human_bytes(memory));

  Json entry = {
      {"key", key}, {"time", utc_time()}, {"seconds", seconds}, {"peak_memory_bytes", memory}, {"result", result}};
  entry["outputs"] = Json::object();
  for (const fs::path& path : outputs) {
    entry["outputs"][path.lexically_relative(file_.parent_path()).string()] = record_of(path);
  }
  entry[kEntryChecksum] = entry_checksum(name, entry);
  memory_[name] = entry;
  write_file(file_, dump_json(memory_, 2) + "\n");
  return result;
}

}  // namespace verbund
