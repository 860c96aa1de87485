// Remembers which stages of a longer piece of work are done, by what went into them: an
// interrupted command goes on where it was, and a changed setting redoes only what depends
// on it. The memory is one JSON file, written after each stage; it names outputs relative to its own folder, so that
// a copy of everything is as good as the original.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace verbund {

class Stages {
 public:
  using Json = nlohmann::ordered_json;

  explicit Stages(std::filesystem::path file);

  // Runs `work` unless it was done with the same key and its outputs are still as it left
  // them, byte by byte. Returns what `work` returned, now or then. `outputs` is read after the work, which may
  // still fill it.
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
