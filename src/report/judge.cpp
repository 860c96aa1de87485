// SPDX-License-Identifier: Apache-2.0
#include "report/judge.h"

#include <algorithm>
#include <cmath>

#include "report/layouts.h"

namespace verbund {
namespace {

std::string state_of(const RunData& run, const Ledger& ledger) {
  if (find_divergence(run, ledger)) return "diverged";
  if (run.imported) return "imported";
  if (run.starts.empty()) return "unknown";
  const StartFacts& last = run.starts.back();
  if (last.killed) return "killed";
  if (last.reason.empty()) return run.silent() ? "lost" : "running";
  if (last.reason.starts_with("finished")) return "finished";
  return last.reason.starts_with("stopped") ? "stopped" : "failed";
}

}  // namespace

BestValue best_of(const RunData& run, const std::string& metric, bool highest) {
  const std::vector<double> values = run.evaluations.column(metric);
  const bool starts_with_weights = run.config && starts_trained(run.config->train);
  BestValue best{metric};
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    if (starts_with_weights && run.evaluations.step[i] == 0) continue;  // those of another run, which has them
    if (is_known(best.value) && (highest ? values[i] <= best.value : values[i] >= best.value)) continue;
    best = {metric, values[i], run.evaluations.step[i]};
  }
  return best;
}

BasicFacts basic_facts(const RunData& run, const Ledger& ledger) {
  BasicFacts facts;
  facts.state = state_of(run, ledger);
  if (!run.starts.empty()) facts.reason = run.starts.back().reason;
  facts.began = ledger.began;
  facts.ended = ledger.ended;
  facts.wall = ledger.wall;
  facts.steps = run.last_step();
  facts.tokens = run.training.last("target_tokens");
  for (const auto& [key, highest] : {std::pair{"dev_bleu", true},
                                     {"dev_chrf", true},
                                     {"dev_teacher_forced_piece_bleu", true},
                                     {"dev_cross_entropy", false},
                                     {"dev_loss", false}}) {
    if (std::string_view(key) == "dev_loss" && run.evaluations.has("dev_cross_entropy")) continue;  // with smoothing
    if (const BestValue best = best_of(run, key, highest); is_known(best.value)) facts.best.push_back(best);
  }
  facts.workers = run.workers();
  for (const HostFacts& host : run.hosts) facts.hosts.push_back(host.name);
  facts.starts = static_cast<int>(run.starts.size());
  if (run.record.is_object() && run.record.contains("start_count") && run.record["start_count"].is_number_integer()) {
    facts.starts = std::max(facts.starts, run.record["start_count"].get<int>());
  }
  return facts;
}

std::vector<Verdict> judge(const RunData& run, const Ledger& ledger) {
  std::vector<Verdict> verdicts;
  if (const auto divergence = find_divergence(run, ledger)) verdicts.push_back(diverged(run, *divergence));
  verdicts.push_back(how_good(run, ledger));
  const bool unusable = verdicts.back().finding == Grade::kBad;
  if (run.config && starts_trained(run.config->train)) verdicts.push_back(fine_tuning(run));
  verdicts.push_back(fully_trained(run, ledger));
  if (unusable && verdicts.back().finding == Grade::kGood) {  // no praise for a model that nobody can use
    verdicts.back().finding = Grade::kNeutral;
    verdicts.back().sentence += " But its translations are not usable.";
  }
  verdicts.push_back(overfitting(run, ledger));
  verdicts.push_back(how_long(run, ledger));
  verdicts.push_back(learning_rate(run));
  const std::optional<LayoutPart> part = largest_part(run);
  const auto add_of_layout = [&](Verdict verdict) {
    if (part) verdict.sentence += " " + part->about;
    verdicts.push_back(std::move(verdict));
  };
  const RunData& judged = part ? part->run : run;
  add_of_layout(processors(judged, part ? make_ledger(judged) : ledger));
  add_of_layout(network(judged));
  add_of_layout(step_time(judged));
  add_of_layout(traffic(judged));
  verdicts.push_back(training_set(run));
  verdicts.push_back(checkpoint_size(run));
  verdicts.push_back(checkpoint_files(run));
  return verdicts;
}

std::vector<Verdict> judge(const RunData& run) { return judge(run, make_ledger(run)); }

}  // namespace verbund
