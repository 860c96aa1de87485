#include "data/stages.h"

#include <chrono>

#include "core/file.h"
#include "core/human.h"
#include "core/log.h"
#include "core/process.h"

namespace verbund {
namespace {

// Enough to notice that a file is gone, cut or written by somebody else.
Stages::Json fingerprint(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) return nullptr;
  return {{"size", size}, {"written", fs::last_write_time(path).time_since_epoch().count()}};
}

}  // namespace

Stages::Stages(fs::path file) : file_(std::move(file)) {
  if (!fs::exists(file_)) return;
  memory_ = Json::parse(read_file(file_), nullptr, false);
  if (!memory_.is_object()) memory_ = Json::object();  // damaged: then nothing is done
}

bool Stages::is_done(const std::string& name, const std::string& key) const {
  const auto found = memory_.find(name);
  if (found == memory_.end() || found->value("key", "") != key) return false;
  for (const auto& [path, print] : (*found)["outputs"].items()) {
    if (print.is_null() || fingerprint(path) != print) return false;
  }
  return true;
}

Stages::Json Stages::run(const std::string& name, const std::string& key, const std::vector<fs::path>& outputs,
                         const std::function<Json()>& work) {
  if (is_done(name, key)) {
    log("{:<10} done before", name);
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

  Json entry = {{"key", key}, {"seconds", seconds}, {"peak_memory_bytes", memory}, {"result", result}};
  entry["outputs"] = Json::object();
  for (const fs::path& path : outputs) entry["outputs"][path.string()] = fingerprint(path);
  memory_[name] = entry;
  write_file(file_, memory_.dump(2) + "\n");
  return result;
}

}  // namespace verbund
