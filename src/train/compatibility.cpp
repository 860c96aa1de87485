#include "train/compatibility.h"

#include <map>
#include <nlohmann/json.hpp>

#include "config/config.h"
#include "config/show.h"
#include "config/value.h"
#include "core/error.h"

namespace verbund {
namespace {

// "model.d_model" -> "512"
void flatten(const Value& value, const std::string& prefix, std::map<std::string, std::string>& keys) {
  for (const auto& [key, item] : value.map) {
    const std::string name = prefix + key;
    if (item.kind == Value::Kind::kMap) {
      flatten(item, name + ".", keys);
    } else if (item.kind == Value::Kind::kScalar) {
      keys[name] = item.scalar;
    }
  }
}

bool may_change(const std::string& key) {
  for (const char* prefix :
       {"corpus.", "clean.", "subwords.", "checkpoint.", "train.max_steps", "train.epochs", "train.log_every",
        "train.eval_every", "train.sample_every", "train.on_divergence", "train.roll_backs", "train.start_from",
        "decode.", "evaluate.", "batch.memory_limit", "threads"}) {
    if (key.rfind(prefix, 0) == 0) return true;
  }
  return false;
}

}  // namespace

void check_compatible(const std::string& saved_config, const std::string& config, const std::string& saved_state,
                      const std::string& dataset_checksum) {
  std::map<std::string, std::string> before, now;
  flatten(parse_yaml(show(Config()), "the defaults"), "", before);  // of keys that the saved one does not know
  flatten(parse_yaml(saved_config, "the checkpoint's config.yaml"), "", before);
  flatten(parse_yaml(config, "the configuration"), "", now);
  std::string differences;
  for (const auto& [key, value] : now) {
    const auto found = before.find(key);
    if (may_change(key) || (found != before.end() && found->second == value)) continue;
    differences +=
        fmt::format("\n  {} was {}, is now {}", key, found == before.end() ? "not set" : found->second, value);
  }
  const std::string saved_dataset = nlohmann::json::parse(saved_state).at("dataset");
  if (saved_dataset != dataset_checksum) {
    differences += fmt::format("\n  the dataset's checksum was {}, is now {}", saved_dataset, dataset_checksum);
  }
  if (differences.empty()) return;
  fail(
      "the run cannot go on, for it was started differently:{}\nGive another --run folder to train anew, or "
      "--resume force to go on all the same.",
      differences);
}

}  // namespace verbund
