#include "doctor/examine.h"

#include <nlohmann/json.hpp>

#include "config/config.h"
#include "core/error.h"
#include "doctor/measure.h"

namespace verbund {
namespace {

constexpr uint64_t kUsualGradient = 64 << 20;
constexpr double kDeadlineSeconds = 60;  // nothing here takes longer

// How gradients would travel, by worker 0's configuration: all must do the same, even if theirs differ.
Wire planned_wire(Workers& workers, const Training& training) {
  Wire wire = WorkersConfig().wire;
  try {
    wire = load_config(training.config_file, training.overrides).workers.wire;
  } catch (const Error&) {  // it has been noted among the facts
  }
  return static_cast<Wire>(std::stoi(workers.broadcast(std::to_string(static_cast<int>(wire)))));
}

// What the system says, in file names or messages, need not be UTF-8.
std::string line_of(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Facts examine(Workers& workers, const Training& training) {
  WorkersConfig limits;
  limits.deadline_seconds = kDeadlineSeconds;
  workers.set_limits(limits);
  Facts facts;
  const nlohmann::json own = collect_worker_facts(workers.self(), workers.size(), training);
  for (const std::string& text : workers.gather(line_of(own))) {
    facts.workers.push_back(nlohmann::json::parse(text).get<WorkerFacts>());
  }
  facts.links = measure_links(workers);
  uint64_t gradient = 0;
  for (const WorkerFacts& worker : facts.workers) gradient = std::max(gradient, worker.needs.gradient_bytes);
  if (gradient == 0) gradient = kUsualGradient;
  facts.all_reduce = measure_all_reduce(workers, gradient, planned_wire(workers, training));
  return facts;
}

std::string line_of_facts(const Facts& facts) { return line_of(facts); }

}  // namespace verbund
