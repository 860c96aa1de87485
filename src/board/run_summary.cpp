// SPDX-License-Identifier: Apache-2.0
#include "board/run_summary.h"

#include <algorithm>

#include "board/numbers.h"
#include "board/run_curves.h"
#include "config/settings.h"
#include "page/curve.h"

namespace verbund {
namespace {

constexpr size_t kSmallCurve = 60;  // points

struct BestRow {
  double value = kNotKnown;
  int64_t step = 0;
};

BestRow highest(const MetricTable& table, const char* key) {
  const std::vector<double> values = table.column(key);
  BestRow best;
  for (size_t i = 0; i < values.size(); ++i) {
    // At step 0, a fine-tuned model is still that of another run.
    if (is_known(values[i]) && table.step[i] > 0 && !(best.value >= values[i])) best = {values[i], table.step[i]};
  }
  return best;
}

Json small_curve(const WatchedRun& run) {
  Json points = Json::array();
  const std::string loss = run.loss_key();
  if (loss.empty()) return points;
  for (const Bucket& bucket : into_buckets(run.training().steps(), run.training().column(loss), kSmallCurve)) {
    points.push_back(json_number(bucket.last));
  }
  return points;
}

Json host_names(const WatchedRun& run) {
  Json names = Json::array();
  for (const HostFacts& host : run.hosts()) names.push_back(host.name);
  return names;
}

// "ended at step 7: the disk is full" -> "the disk is full"
std::string without_step(const std::string& reason) {
  const size_t colon = reason.starts_with("ended at step ") ? reason.find(": ") : std::string::npos;
  return reason.substr(colon == std::string::npos ? 0 : colon + 2);
}

}  // namespace

Json run_row(const WatchedRun& run, const std::set<std::string>& shown_settings) {
  const MetricTable &train = run.training(), &dev = run.evaluations();
  const BestRow bleu = highest(dev, "dev_bleu"), chrf = highest(dev, "dev_chrf");
  const auto last = static_cast<double>(run.last_step());
  Json row = {{"name", run.name()},
              {"version", run.version()},
              {"state", state_name(run.state())},
              {"running", is_running(run.state())},
              {"reason", run.signs().reason},
              {"step", run.step()},
              {"last_step", run.last_step() > 0 ? Json(run.last_step()) : Json(nullptr)},
              {"progress", json_number(last > 0 ? std::min(1.0, static_cast<double>(run.step()) / last) : kNotKnown)},
              {"seconds_left", json_number(run.seconds_left())},
              {"best_bleu", json_number(bleu.value)},
              {"best_bleu_step", is_known(bleu.value) ? Json(bleu.step) : Json(nullptr)},
              {"best_chrf", json_number(chrf.value)},
              {"loss", json_number(run.loss_key().empty() ? kNotKnown : train.last(run.loss_key()))},
              {"dev_loss", json_number(dev.last(dev.has("dev_cross_entropy") ? "dev_cross_entropy" : "dev_loss"))},
              {"tokens_per_second", json_number(train.last("target_tokens_per_second"))},
              {"workers", run.workers() > 0 ? Json(run.workers()) : Json(nullptr)},
              {"hosts", host_names(run)},
              {"began", json_time(run.starts().empty() ? kNotKnown : run.starts().front().began)},
              {"last_sign", json_time(run.last_sign())},
              {"starts", run.starts().size()},
              {"curve", small_curve(run)}};
  row["settings"] = Json::object();
  for (const std::string& key : shown_settings) {
    if (const auto found = run.settings().find(key); found != run.settings().end()) row["settings"][key] = *found;
  }
  return row;
}

Json run_head(const WatchedRun& run, const std::vector<Alert>& alerts) {
  Json head = run_row(run);
  head["alerts"] = Json::array();
  for (const Alert& alert : alerts) head["alerts"].push_back({{"kind", alert.kind}, {"text", alert.text}});
  head["marks"] = Json::array();
  for (const RunMark& mark : run.marks()) {
    head["marks"].push_back({{"kind", mark.kind},
                             {"step", mark.step},
                             {"time", json_time(mark.at)},
                             {"tokens", json_number(place_of_step(run, CurveAxis::kTokens, mark.step))},
                             {"text", mark.text}});
  }
  head["keys"] = curve_keys(run);
  if (run.config()) {
    for (const ChangedSetting& changed : changed_settings(*run.config())) {
      head["settings"][changed.setting.key] = changed.setting.value;
    }
  }
  return head;
}

std::vector<Alert> find_alerts(const WatchedRun& run, double disk_free) {
  AlertFigures figures;
  figures.running = is_running(run.state());
  figures.step = run.step();
  if (figures.running) {
    if (run.signs().diverged) figures.divergence = run.divergence();
    if (const std::string loss = run.loss_key(); !loss.empty()) figures.loss = run.training().column(loss);
    if (run.is_stalled()) figures.stall = run.stall();
    figures.quiet = run.signs().quiet;
    figures.workers = run.step_times();
    figures.disk_free = disk_free;
    figures.evaluated = run.evaluations().step;
    figures.bleu = run.evaluations().column("dev_bleu");
  } else if (run.state() == RunState::kDiverged) {
    figures.end = "diverged";
    figures.end_reason = run.divergence();
  } else if (run.state() == RunState::kLost) {
    figures.end = "lost";
    if (run.signs().reason.starts_with("lost")) figures.end_reason = run.signs().reason;
  } else if (run.state() == RunState::kFailed) {
    figures.end = "failed";
    figures.end_reason = without_step(run.signs().reason);
  }
  return find_alerts(figures);
}

std::set<std::string> differing_settings(const std::vector<const Json*>& settings) {
  std::set<std::string> keys, differing;
  const Json* first = nullptr;
  for (const Json* one : settings) {
    if (one->empty()) continue;
    for (const auto& [key, value] : one->items()) keys.insert(key);
    if (!first) first = one;
  }
  for (const std::string& key : keys) {
    const bool same = std::all_of(settings.begin(), settings.end(), [&](const Json* one) {
      if (one->empty()) return true;
      const auto here = one->find(key), there = first->find(key);
      return here != one->end() && there != first->end() && *here == *there;
    });
    if (!same) differing.insert(key);
  }
  return differing;
}

}  // namespace verbund
