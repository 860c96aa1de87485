// SPDX-License-Identifier: Apache-2.0
// Readers for parts of a run folder, used by read_run (run_data.h) and by single pages.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/run_data.h"
#include "score/bleu.h"
#include "score/chrf.h"

namespace verbund {

// run.json: the record itself, starts and hosts.
void read_record(RunData& run);

// Refines the times of starts from the history, if there is one, and adds the last sign of life of killed starts.
void complete_starts(RunData& run);

// Averages neighbours to at most kResourceRows rows: days of samples of many workers would fill the memory.
inline constexpr size_t kResourceRows = 2000;
Resources thin_resources(Resources resources);

// Selects at most kJudgedEvaluations of `evaluation_files`: evenly spread ones, the last, and those with the lowest
// loss.
inline constexpr size_t kJudgedEvaluations = 40;
std::vector<size_t> choose_evaluations(const RunData& run);

// One evaluation by sentence. The first sentences, perhaps none, have translations with their scores.
struct EvaluatedSentences {
  std::vector<std::string> translations;
  std::vector<double> loss;  // cross-entropy per target token, nats
  std::vector<BleuStatistics> bleu;
  std::vector<ChrfStatistics> chrf;

  size_t size() const { return loss.size(); }
};

// Up to the first damaged line: later lines would be assigned to other sentences. Empty if the file cannot be read.
EvaluatedSentences read_evaluated_sentences(const std::filesystem::path& file);

struct DevSentence {
  std::string source, reference;
};

// evaluations/dev.jsonl; empty if there is none.
std::vector<DevSentence> read_dev_sentences(const std::filesystem::path& run);

}  // namespace verbund
