#include "core/loss_record.h"

#include <nlohmann/json.hpp>

namespace verbund {
namespace {

constexpr const char* kEvent = "lost_worker";  // its name in a run's history, too

}  // namespace

std::string marked_record(const LossRecord& loss) {
  const nlohmann::ordered_json object = {{"event", kEvent}, {"worker", loss.worker}};
  return kRecordMark + object.dump();
}

std::optional<LossRecord> parse_marked_record(std::string_view line) {
  if (line.empty() || line.front() != kRecordMark) return std::nullopt;
  const nlohmann::json object = nlohmann::json::parse(line.substr(1), nullptr, false);
  if (!object.is_object() || object.value("event", nlohmann::json()) != kEvent) return std::nullopt;
  const nlohmann::json worker = object.value("worker", nlohmann::json());
  if (!worker.is_number_integer()) return std::nullopt;
  return LossRecord{worker.get<int>()};
}

}  // namespace verbund
