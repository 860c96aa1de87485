// SPDX-License-Identifier: Apache-2.0
// Stages records which stages of a command are done, with a key of their inputs: an interrupted command resumes where
// it stopped, and a changed setting repeats only what depends on it. The record is one JSON file, written after each
// stage; it names outputs relative to its own folder, so that a copy of the folder works like the original. Each entry
// has a checksum: a damaged entry is a stage that is not done.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/json.h"

namespace verbund {

class Stages {
 public:
  explicit Stages(std::filesystem::path file);

  // Runs `work` unless it was done with the same key and its outputs are unchanged, byte by byte. Returns the result of
  // `work`, now or then. `outputs` is read after the work, which may fill it.
  Json run(const std::string& name, const std::string& key, const std::vector<std::filesystem::path>& outputs,
           const std::function<Json()>& work);

  // Name, seconds and peak memory of each stage, done now or before.
  const Json& memory() const { return memory_; }

 private:
  bool is_done(const std::string& name, const std::string& key) const;

  std::filesystem::path file_;
  Json memory_ = Json::object();
};

}  // namespace verbund
