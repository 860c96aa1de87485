// SPDX-License-Identifier: Apache-2.0
// SentenceTable is the dev set of a run over its evaluations: the translations and the chrF of each sentence. It reads
// an evaluation once; of a long run some evaluations, spread evenly, with the last.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "record/evaluation_file.h"

namespace verbund {

enum class SentenceOrder { kFirst, kWorst, kImproved, kForgotten, kLongest };

struct SentenceRequest {
  int64_t step = -1;     // of the evaluation; -1: the last
  int64_t against = -1;  // the evaluation that changes count from; -1: the first with translations
  SentenceOrder order = SentenceOrder::kFirst;
  std::string search;  // in source, reference or translation; case matters only beyond ASCII
  size_t offset = 0, count = 50;
};

class SentenceTable {
 public:
  static constexpr size_t kMostEvaluations = 60;
  static constexpr size_t kMostSentences = 50'000;

  // Reads what is new in the folder of the run.
  void refresh(const std::filesystem::path& run);

  // {"steps": [...], "step", "against", "found", "sentences": [{"number", "source", "reference", "translation", "chrf",
  // "before", "chrf_before"}]}
  Json list(const SentenceRequest& request) const;
  // {"number", "source", "reference", "history": [{"step", "translation", "chrf", "loss"}]}; null if there is none.
  Json history(size_t number) const;

 private:
  struct Evaluated {
    std::vector<std::string> translations;  // of the first sentences
    std::vector<float> chrf, loss;          // loss: per token
  };

  const Evaluated* at(int64_t step) const;

  std::vector<KeptPair> pairs_;
  std::map<int64_t, Evaluated> evaluations_;  // those with translations
  std::map<int64_t, std::filesystem::file_time_type> read_;
  std::filesystem::file_time_type dev_time_;
};

}  // namespace verbund
