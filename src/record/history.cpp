#include "record/history.h"

#include "record/json_lines.h"

namespace verbund {

History read_history(const std::filesystem::path& path) {
  History history;
  history.damaged = read_json_lines(path, [&](const nlohmann::ordered_json& line) {
    history.events.push_back(
        {line.at("at"), line.at("event"), line.at("rank"), line.at("host"), line.at("step"), line.at("start"), line});
  });
  return history;
}

}  // namespace verbund
