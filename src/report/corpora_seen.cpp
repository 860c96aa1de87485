// SPDX-License-Identifier: Apache-2.0
#include "report/corpora_seen.h"

#include <cmath>

#include "data/dataset_record.h"
#include "report/json_values.h"

namespace verbund {

std::vector<CorpusSeen> corpora_seen(const RunData& run) {
  const DatasetRecord data = read_dataset_record(object_at(run.record, "dataset"));
  std::vector<CorpusSeen> corpora;
  for (const CorpusRecord& corpus : data.corpora) {
    const double seen = run.training.last("pairs_seen." + corpus.name);
    corpora.push_back({corpus.name, corpus.pairs, corpus.usable, seen, seen / corpus.usable});
  }
  if (corpora.empty()) corpora.push_back({"", data.sum(&FolderRecord::pairs)});
  if (corpora.size() == 1 && !is_known(corpora[0].epochs)) corpora[0].epochs = run.training.last("epoch");
  return corpora;
}

double max_epochs(const RunData& run) {
  double most = kNotKnown;
  for (const CorpusSeen& corpus : corpora_seen(run)) most = std::fmax(most, corpus.epochs);
  for (const auto& [key, values] : run.training.columns) {  // a forced resume may have dropped a corpus
    if (key.starts_with("epochs_seen.")) most = std::fmax(most, run.training.last(key));
  }
  return most;
}

}  // namespace verbund
