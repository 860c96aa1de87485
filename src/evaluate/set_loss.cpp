#include "evaluate/set_loss.h"

#include <algorithm>
#include <numeric>

#include "evaluate/shared_batches.h"

namespace verbund {

// Each batch's loss, and each sentence's, is known to one worker and zero to the others. Added up in the order of the
// batches, the sum's bits are those of one worker.
SetLoss loss_on(DecodableModel& model, const TestSet& set, Workers& workers) {
  const std::vector<PairNumbers> batches = batches_of(set);
  std::vector<double> known(4 * batches.size() + set.size());
  const std::span losses = std::span(known).first(4 * batches.size()), sentences = std::span(known).last(set.size());
  std::vector<double> tokens;  // cross-entropies of a batch
  for_batches(set, batches, workers, [&](const Batch& batch, const PairNumbers& numbers, size_t number) {
    tokens.resize(batch.target_tokens());
    const Loss loss = model.evaluate(batch, tokens);
    const double values[] = {loss.smoothed, loss.cross_entropy, static_cast<double>(loss.tokens),
                             static_cast<double>(loss.correct)};
    std::ranges::copy(values, losses.begin() + static_cast<std::ptrdiff_t>(4 * number));
    for (size_t i = 0; i < numbers.size(); ++i) {
      sentences[numbers[i]] =
          std::accumulate(tokens.begin() + batch.target_offsets[i], tokens.begin() + batch.target_offsets[i + 1], 0.0);
    }
  });
  workers.comm().sum(known);
  SetLoss result;
  for (size_t i = 0; i < losses.size(); i += 4) {
    result.sum +=
        Loss{losses[i], losses[i + 1], static_cast<int64_t>(losses[i + 2]), static_cast<int64_t>(losses[i + 3])};
  }
  for (size_t i = 0; i < set.size(); ++i) {
    result.sentences.push_back({sentences[i], static_cast<int64_t>(set.reference_tokens[i].size()) + 1});
  }
  return result;
}

}  // namespace verbund
