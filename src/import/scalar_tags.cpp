// SPDX-License-Identifier: Apache-2.0
#include "import/scalar_tags.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace verbund {
namespace {

enum class Change { kNone, kPercent, kInverse };

struct Tag {
  std::string_view theirs;  // as in a file name, with underscores instead of slashes
  const char* ours;
  Change change = Change::kNone;
};

constexpr Tag kTags[] = {
    {"train_loss", "train_loss"},
    {"loss", "train_loss"},  // common in PyTorch training scripts
    {"Loss_train", "train_loss"},
    {"loss_metrics_global_avg_loss", "train_loss"},
    {"lr", "learning_rate"},
    {"train_lr", "learning_rate"},
    {"eval_loss", "dev_loss"},
    // Teacher-forced, on subword pieces: not the BLEU of translations.
    {"Eval_BLEU_Score", "dev_teacher_forced_piece_bleu", Change::kPercent},
    {"learning_rate", "learning_rate"},
    {"global_step_sec", "seconds_per_step", Change::kInverse},
    {"Loss_Optimization_global_gradient_norm", "gradient_norm"},
    {"Loss_Optimization_loss_scale", "loss_scale"},
};

// Keys reserved in every line of metrics.jsonl.
constexpr std::array<std::string_view, 3> kOwnKeys = {"step", "time", "start"};

constexpr std::array<std::string_view, 4> kEvaluationWords = {"dev", "eval", "valid",
                                                              "test"};  // prefixes of their names

std::string as_in_file_names(std::string_view tag) {
  std::string name(tag);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

}  // namespace

std::optional<ScalarValue> translate_scalar(std::string_view tag, double value) {
  const std::string name = as_in_file_names(tag);
  for (const Tag& known : kTags) {
    if (known.theirs != name) continue;
    if (known.change == Change::kPercent) value *= 100;
    if (known.change == Change::kInverse) {
      if (!(value > 0) || std::isinf(value)) return std::nullopt;
      value = 1 / value;
    }
    return ScalarValue{known.ours, value};
  }
  const bool taken = std::find(kOwnKeys.begin(), kOwnKeys.end(), tag) != kOwnKeys.end();
  return ScalarValue{taken ? "tag/" + std::string(tag) : std::string(tag), value};
}

bool is_of_evaluation(std::string_view key) {
  std::string small(key);
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::any_of(kEvaluationWords.begin(), kEvaluationWords.end(),
                     [&](std::string_view word) { return small.starts_with(word); });
}

}  // namespace verbund
