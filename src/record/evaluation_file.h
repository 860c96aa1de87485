// evaluations/step-00001000.jsonl: what an evaluation found for each dev sentence, a line for each, in their order.
// With the statistics of two such files, two models are compared without translating again. See docs/formats.md.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/evaluation.h"

namespace verbund {

std::filesystem::path evaluations_folder(const std::filesystem::path& run);
std::filesystem::path evaluation_file(const std::filesystem::path& run, int64_t step);
// Of a name such as step-00001000.jsonl; nothing if it is another file's.
std::optional<int64_t> evaluation_step(const std::filesystem::path& file);

// The lines of the file.
std::string evaluation_text(const Evaluation& evaluation);

struct KeptSentence {
  double cross_entropy = std::numeric_limits<double>::quiet_NaN();  // summed over its tokens; NaN: not known
  int64_t tokens = 0;
  // Of sentences that were translated.
  std::optional<std::string> translation;
  std::optional<BleuStatistics> bleu;
  std::optional<ChrfStatistics> chrf;
};

struct KeptEvaluation {
  std::vector<KeptSentence> sentences;  // a line that is damaged has its place, with nothing in it
  size_t damaged = 0;                   // lines
};

KeptEvaluation read_evaluation(const std::filesystem::path& path);

// evaluations/dev.jsonl: what was to be translated, in the same order.
std::filesystem::path dev_file(const std::filesystem::path& run);
std::string dev_text(const TestSet& set);

struct KeptPair {
  std::string source, reference;
};
// Empty where a line is damaged; none at all if there is no such file.
std::vector<KeptPair> read_dev(const std::filesystem::path& path);

}  // namespace verbund
