// SPDX-License-Identifier: Apache-2.0
// ScoreCommand has the flags of verbund score.
#pragma once

#include "cli/options.h"
#include "score/comparison.h"

namespace verbund {

inline constexpr char kStandardInput[] = "-";

struct ScoreCommand {
  std::vector<std::string> systems;  // files
  std::vector<std::string> references;
  std::vector<std::string> metrics = {"bleu"};
  std::string tokenizer = "13a";
  std::string smoothing = "exp";
  BleuOptions bleu;
  ChrfOptions chrf;
  TerOptions ter;
  bool sentence = false;
  int width = 1;
  bool score_only = false;
  bool json = false;
  bool confidence = false, paired_ar = false, paired_bs = false;
  int64_t confidence_samples = kBootstrapSamples, ar_trials = kRandomizationTrials, bs_samples = kBootstrapSamples;
  std::string seed = std::to_string(kTestSeed);
  TestOptions test;
};

void declare_flags(Options& options, ScoreCommand& command);

// Refuses contradicting flags, and derives the remaining settings.
void complete(ScoreCommand& command);

}  // namespace verbund
