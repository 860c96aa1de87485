// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/metric_tags.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "record/dev_set_keys.h"

namespace verbund {
namespace {

enum class Scale { kAsItIs, kOneOver, kHundredth };

struct Row {
  const char* key;
  const char* tag;
  const char* description;
  Scale scale = Scale::kAsItIs;
};

constexpr Row kRows[] = {
    {"train_loss", "train_loss",
     "The label-smoothed loss (train/smoothed_loss) by its older name. The loss without smoothing, which the log "
     "shows, is train/cross_entropy."},
    {"train_smoothed_loss", "train/smoothed_loss",
     "Mean label-smoothed loss per target token since the previous point, over all workers: with label smoothing (its "
     "entropy subtracted) and dropout. Not comparable with dev/smoothed_loss, which has no dropout."},
    {"train_cross_entropy", "train/cross_entropy",
     "The loss, as the log shows it: cross-entropy in nats per target token, without label smoothing."},
    {"train_accuracy", "train/accuracy", "Share of target tokens that were the most likely."},
    {"epoch", "train/epoch", "Passes over the training data."},
    {"target_tokens", "train/target_tokens", "Target tokens seen since the start of the run."},
    {"learning_rate", "learning_rate", "Learning rate of the last step."},
    {"gradient_norm", "Loss_Optimization/global_gradient_norm", "Norm of the mean gradient, before clipping."},
    {"loss_scale", "Loss_Optimization/loss_scale", ""},
    {"seconds_per_step", "global_step/sec", "Steps a second: training alone, without evaluation and saving.",
     Scale::kOneOver},
    {"seconds_per_step", "time/seconds_per_step", "Seconds per step: training alone, without evaluation and saving."},
    {"target_tokens_per_second", "time/target_tokens_per_second", "Target tokens per second of all workers together."},
    {"data_wait_seconds", "time/data_wait_seconds", "Time without a ready batch since the previous point."},
    {"training_seconds", "time/training_seconds", "Time in steps since the start of the run."},
    {"evaluation_seconds", "time/evaluation_seconds", ""},
    {"workers", "exchange/workers", ""},
    {"exchange_seconds_per_step", "exchange/seconds_per_step", "Time per step in which gradients were under way."},
    {"exchange_exposed_seconds_per_step", "exchange/exposed_seconds_per_step",
     "Part of exchange/seconds_per_step for which the computation had to wait."},
    {"exchange_bytes_sent_per_step", "exchange/bytes_sent_per_step", "Bytes that worker 0 sent."},
    {"dev_loss", "eval_loss",
     "The label-smoothed loss of the dev set (dev/smoothed_loss) by its older name. The loss without smoothing is "
     "dev/cross_entropy."},
    {"dev_smoothed_loss", "dev/smoothed_loss",
     "The label-smoothed loss per target token of the dev set: with label smoothing, without dropout."},
    {"dev_cross_entropy", "dev/cross_entropy",
     "The loss of the dev set, as the log shows it: cross-entropy in nats per target token, without label smoothing."},
    {"dev_bleu", "Eval_BLEU_Score",
     "sacreBLEU's BLEU of real translations of the dev set, divided by 100. OpenSeq2Seq's tag of this name is a "
     "teacher-forced score of subword pieces, which is much higher: the two cannot be compared.",
     Scale::kHundredth},
    {"dev_bleu", "dev/BLEU", "sacreBLEU's BLEU of real translations of the dev set, 0 to 100."},
    {"dev_chrf", "dev/chrF", "sacreBLEU's chrF of real translations of the dev set, 0 to 100."},
    {"dev_exact_sentences", "dev/exact_sentences", "Share of translations that are the reference, letter by letter."},
    {"dev_teacher_forced_piece_bleu", "dev/teacher_forced_piece_BLEU",
     "What OpenSeq2Seq logged as BLEU (times 100): BLEU of subword pieces, each predicted after the reference's own. "
     "Far too high; only for comparing curves with it."},
    {"probe_loss", "train/probe_loss", "train/probe_smoothed_loss by its older name."},
    {"probe_smoothed_loss", "train/probe_smoothed_loss",
     "The label-smoothed loss of fixed training pairs, without dropout: comparable with dev/smoothed_loss."},
    {"probe_cross_entropy", "train/probe_cross_entropy",
     "Cross-entropy of fixed training pairs, without dropout: comparable with dev/cross_entropy."},
};

// Keys of a line that are not measurements.
constexpr std::string_view kNoMeasurements[] = {"step", "time", "at", "start", "best", "averaged_weights"};
// Unknown keys, of later versions, join the group named by their prefix.
constexpr std::string_view kGroups[] = {"train", "dev", "time", "exchange"};

struct Judged {
  const char* tag;
  const char* best;
  bool less_is_better;
};
constexpr Judged kJudged[] = {{"eval_loss", "best/eval_loss", true},
                              {"dev/cross_entropy", "best/cross_entropy", true},
                              {"dev/BLEU", "best/BLEU", false},
                              {"dev/chrF", "best/chrF", false}};
constexpr std::string_view kStepEnding = "_step";

std::optional<double> number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_null() || value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity") return std::numeric_limits<double>::infinity();
  if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

double scaled(double value, Scale scale) {
  if (scale == Scale::kOneOver) return 1 / value;
  return scale == Scale::kHundredth ? value / 100 : value;
}

std::string tag_of_unknown(const std::string& key) {
  for (const std::string_view group : kGroups) {
    if (key.size() > group.size() + 1 && key.starts_with(group) && key[group.size()] == '_') {
      return std::string(group) + "/" + key.substr(group.size() + 1);
    }
  }
  return key;
}

// "dev-general_bleu" has the tags of dev_bleu, of its own group: "dev-general/BLEU". Nothing for any other key.
std::vector<TaggedValue> tagged_extra(const std::string& key, double value) {
  std::vector<TaggedValue> values;
  const auto parsed = parse_extra_dev_key(key);
  if (!parsed) return values;
  constexpr std::string_view kGroup = "dev/";
  for (const Row& row : kRows) {
    const std::string_view tag = row.tag;
    if (row.key != "dev_" + parsed->metric || !tag.starts_with(kGroup)) continue;
    values.push_back({fmt::format("{}{}/{}", kExtraDevPrefix, parsed->set, tag.substr(kGroup.size())), value});
  }
  return values;
}

bool is_measurement(std::string_view key) {
  for (const std::string_view other : kNoMeasurements) {
    if (key == other) return false;
  }
  return true;
}

}  // namespace

std::vector<TaggedValue> tagged_values(const Json& line) {
  std::vector<TaggedValue> values;
  for (const auto& [key, value] : line.items()) {
    const std::optional<double> found = is_measurement(key) ? number(value) : std::nullopt;
    if (!found) continue;
    bool known = false;
    for (const Row& row : kRows) {
      if (key != row.key) continue;
      values.push_back({row.tag, scaled(*found, row.scale)});
      known = true;
    }
    if (known) continue;
    const std::vector<TaggedValue> extra = tagged_extra(key, *found);
    values.insert(values.end(), extra.begin(), extra.end());
    if (extra.empty()) values.push_back({tag_of_unknown(key), *found});
  }
  return values;
}

std::string_view tag_description(std::string_view tag) {
  for (const Row& row : kRows) {
    if (tag == row.tag) return row.description;
  }
  for (const Judged& judged : kJudged) {
    if (tag == judged.best) return "The best of all evaluations so far.";
    if (tag.starts_with(judged.best) && tag.ends_with(kStepEnding)) return "The step of that evaluation.";
  }
  return "";
}

std::vector<TaggedValue> BestSoFar::after(int64_t step, const std::vector<TaggedValue>& values) {
  std::vector<TaggedValue> result;
  for (const Judged& judged : kJudged) {
    for (const TaggedValue& value : values) {
      if (value.tag != judged.tag || !std::isfinite(value.value)) continue;
      const auto [found, first] = best_.try_emplace(judged.tag, Best{value.value, step});
      Best& best = found->second;
      if (!first && (judged.less_is_better ? value.value < best.value : value.value > best.value)) {
        best = {value.value, step};
      }
      result.push_back({judged.best, best.value});
      result.push_back({judged.best + std::string(kStepEnding), static_cast<double>(best.step)});
    }
  }
  return result;
}

}  // namespace verbund
