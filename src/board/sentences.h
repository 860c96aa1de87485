// SPDX-License-Identifier: Apache-2.0
// SentenceTable is the dev set of a run over its evaluations: the translations and the chrF of each sentence, beside
// those of another evaluation, of the same run or of another one. It reads an evaluation once; of a long run some
// evaluations, spread evenly, with the last.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "record/evaluation_file.h"

namespace verbund {

enum class SentenceOrder { kFirst, kWorst, kChanged, kImproved, kForgotten, kLongest };

struct SentenceRequest {
  int64_t step = -1;  // of the evaluation; -1: the last
  // The evaluation that changes count from; -1: the first of this run, or the last of another one.
  int64_t against = -1;
  SentenceOrder order = SentenceOrder::kFirst;
  std::string search;  // in source, reference or a translation; case matters only beyond ASCII
  size_t offset = 0, count = 50;
};

class SentenceTable {
 public:
  static constexpr size_t kMaxEvaluations = 60;
  static constexpr size_t kMaxSentences = 50'000;

  // Reads what is new in the folder of the run.
  void refresh(const std::filesystem::path& run);

  // {"steps": [...], "step", "against_steps": [...], "against", "here", "there", "shared", "found", "better", "worse",
  // "sentences": [{"number", "source", "reference", "translation", "chrf", "other", "chrf_other"}]}
  // here, there, shared: sentences with a translation in the one, the other and both evaluations. better, worse: of
  // those found, by chrF. Sentences of two runs belong together if source and reference are the same; those of one run
  // alone are not listed.
  Json list(const SentenceRequest& request, const SentenceTable* other_run = nullptr) const;
  // {"number", "source", "reference", "history": [{"step", "translation", "chrf", "loss"}]}; null if there is none.
  Json history(size_t number) const;

 private:
  struct Evaluated {
    std::vector<std::string> translations;  // of the first sentences
    std::vector<float> chrf, loss;          // loss: per token
  };

  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  const Evaluated* at(int64_t step) const;
  Json steps() const;
  // Pairs that have a translation in this evaluation.
  size_t translated(const Evaluated& evaluated) const;
  // For each of our first `count` sentences its number among the first `their_count` of the other table, or kNone.
  std::vector<size_t> find_in(const SentenceTable& other, size_t count, size_t their_count) const;

  std::vector<KeptPair> pairs_;
  std::map<int64_t, Evaluated> evaluations_;  // those with translations
  std::map<int64_t, std::filesystem::file_time_type> read_;
  std::filesystem::file_time_type dev_time_;
};

}  // namespace verbund
