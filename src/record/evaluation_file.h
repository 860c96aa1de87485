// SPDX-License-Identifier: Apache-2.0
// Writer and reader of evaluations/step-00001000.jsonl: the results of an evaluation, one line per dev sentence. The
// statistics of two such files compare two models without translating again. See docs/formats.md.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "evaluate/evaluation.h"
#include "record/run_observer.h"

namespace verbund {

// `set`: of a dev set beside the main one, which has a folder of its own, evaluations/dev-general.
std::filesystem::path evaluations_folder(const std::filesystem::path& run, const std::string& set = "");
std::filesystem::path evaluation_file(const std::filesystem::path& run, int64_t step, const std::string& set = "");
// The step in a name such as step-00001000.jsonl; nothing for other files.
std::optional<int64_t> evaluation_step(const std::filesystem::path& file);

// The text of the file.
std::string evaluation_text(const Evaluation& evaluation);

struct KeptSentence {
  double cross_entropy = std::numeric_limits<double>::quiet_NaN();  // summed over its tokens; NaN: not known
  int64_t tokens = 0;
  // Present only for sentences that were translated.
  std::optional<std::string> translation;
  std::optional<BleuStatistics> bleu;
  std::optional<ChrfStatistics> chrf;
};

struct KeptEvaluation {
  std::vector<KeptSentence> sentences;  // a damaged line has an empty entry
  size_t damaged = 0;                   // lines
};

KeptEvaluation read_evaluation(const std::filesystem::path& path);

// The same file without its translations and statistics, which are skipped.
struct SentenceLosses {
  int64_t step = 0;
  std::vector<double> cross_entropy;  // nats, summed over the sentence's target tokens
  std::vector<double> tokens;
};
// Up to the first damaged line.
SentenceLosses read_sentence_losses(int64_t step, const std::filesystem::path& path);

// evaluations/dev.jsonl: the sentence pairs, in the same order.
std::filesystem::path dev_file(const std::filesystem::path& run, const std::string& set = "");
std::string dev_text(const TestSet& set);

struct KeptPair {
  std::string source, reference;
};
// A damaged line has an empty entry; without a file there are no pairs.
std::vector<KeptPair> read_dev(const std::filesystem::path& path);

// EvaluationKeeper is worker 0's observer that writes these files. A file that cannot be written is a warning; training
// continues.
class EvaluationKeeper : public RunObserver {
 public:
  explicit EvaluationKeeper(std::filesystem::path run) : run_(std::move(run)) {}

  void begin(int64_t step) override;
  void evaluation(const EvaluationSeen& seen) override;

 private:
  void keep(int64_t step, const Evaluation& dev, const TestSet& set, const std::string& name);

  std::filesystem::path run_;
  std::set<std::string> dev_is_kept_;  // of these sets
};

}  // namespace verbund
