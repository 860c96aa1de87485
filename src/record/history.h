// history.jsonl as it is read: what happened to a run, event by event, over all its starts. See docs/formats.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace verbund {

struct HistoryEvent {
  double at = 0;  // seconds since 1970 on the clock of worker 0
  std::string event;
  int rank = 0;
  std::string host;
  int64_t step = 0;
  uint32_t start = 0;
  nlohmann::ordered_json line;  // all of it, details included
};

struct History {
  std::vector<HistoryEvent> events;  // in the order of the file
  size_t damaged = 0;                // lines that hold no event; a last one that a kill has cut is not counted
};

// Empty if there is no such file.
History read_history(const std::filesystem::path& path);

}  // namespace verbund
