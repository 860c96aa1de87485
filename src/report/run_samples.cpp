// SPDX-License-Identifier: Apache-2.0
// Samples from files that are too large to keep as a whole, and kept evaluations.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/order.h"
#include "report/run_parts.h"

namespace verbund {

Resources thin_resources(Resources resources) {
  const size_t rows = resources.times.size();
  if (rows <= kResourceRows) return resources;
  const auto edge = [&](size_t i) { return i * rows / kResourceRows; };
  for (std::vector<float>& column : resources.values) {
    std::vector<float> means(kResourceRows);
    for (size_t i = 0; i < kResourceRows; ++i) {
      double sum = 0;
      size_t count = 0;
      for (size_t k = edge(i); k < edge(i + 1); ++k) {
        if (std::isnan(column[k])) continue;
        sum += column[k];
        ++count;
      }
      means[i] = count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : std::nanf("");
    }
    column = std::move(means);
  }
  std::vector<double> times(kResourceRows);
  for (size_t i = 0; i < kResourceRows; ++i) times[i] = resources.times[edge(i + 1) - 1];
  resources.times = std::move(times);
  return resources;
}

std::vector<size_t> choose_evaluations(const RunData& run) {
  const size_t count = run.evaluation_files.size();
  std::set<size_t> chosen;
  if (count <= kJudgedEvaluations) {
    for (size_t i = 0; i < count; ++i) chosen.insert(i);
    return {chosen.begin(), chosen.end()};
  }
  constexpr size_t kLowest = 10, kSpread = kJudgedEvaluations - kLowest;
  for (size_t i = 0; i < kSpread; ++i) chosen.insert(i * (count - 1) / (kSpread - 1));
  const std::vector<double> loss =
      run.evaluations.column(run.evaluations.has("dev_cross_entropy") ? "dev_cross_entropy" : "dev_loss");
  std::map<int64_t, size_t> file_of;
  for (size_t i = 0; i < count; ++i) file_of[run.evaluation_files[i].first] = i;
  size_t taken = 0;
  for (const size_t row : largest_first(loss.size(), [&](size_t i) { return is_known(loss[i]) ? -loss[i] : -1e300; })) {
    const auto file = file_of.find(run.evaluations.step[row]);
    if (file == file_of.end()) continue;
    chosen.insert(file->second);
    if (++taken == kLowest) break;
  }
  return {chosen.begin(), chosen.end()};
}

EvaluatedSentences read_evaluated_sentences(const std::filesystem::path& file) {
  EvaluatedSentences read;
  KeptEvaluation kept;
  try {
    kept = read_evaluation(file);
  } catch (const Error&) {  // it has just vanished
    return read;
  }
  for (KeptSentence& sentence : kept.sentences) {
    if (sentence.tokens == 0) break;  // damaged
    read.loss.push_back(sentence.cross_entropy / static_cast<double>(sentence.tokens));
    if (!sentence.translation || read.translations.size() + 1 < read.loss.size()) continue;
    read.translations.push_back(std::move(*sentence.translation));
    read.bleu.push_back(*sentence.bleu);
    read.chrf.push_back(*sentence.chrf);
  }
  return read;
}

std::vector<DevSentence> read_dev_sentences(const std::filesystem::path& run) {
  std::vector<DevSentence> sentences;
  for (KeptPair& pair : read_dev(dev_file(run))) {
    sentences.push_back({std::move(pair.source), std::move(pair.reference)});
  }
  return sentences;
}

}  // namespace verbund
