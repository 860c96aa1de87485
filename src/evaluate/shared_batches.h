// for_batches deals the pairs of a test set, in batches, to all workers.
#pragma once

#include <optional>

#include "collectives/workers.h"
#include "core/interrupt.h"
#include "core/progress.h"
#include "data/batch.h"
#include "evaluate/test_set.h"

namespace verbund {

using PairNumbers = std::vector<size_t>;

// All pairs in batches of similar length, by number.
std::vector<PairNumbers> batches_of(const TestSet& set);

// Worker 0 shows the progress of its own share, scaled to the whole.
class SharedProgress {
 public:
  SharedProgress(const char* what, size_t own, size_t all, const Workers& workers) : own_(own), all_(all) {
    if (workers.leads()) progress_.emplace(what, all, "sentences");
  }
  void update(size_t done) {
    if (progress_ && own_ > 0) progress_->update(done * all_ / own_);
  }

 private:
  size_t own_, all_;
  std::optional<Progress> progress_;
};

// Calls use(batch, numbers of its pairs, number of the batch) for this worker's share of all batches.
template <typename Use>
void for_batches(const TestSet& set, const std::vector<PairNumbers>& batches, const Workers& workers, Use use) {
  size_t done = 0;
  SharedProgress progress("evaluating the loss,", batches.size(), set.size(), workers);
  for (auto i = static_cast<size_t>(workers.rank()); i < batches.size(); i += static_cast<size_t>(workers.size())) {
    Batch batch;
    for (const size_t pair : batches[i]) append(batch, set.source_tokens[pair], set.reference_tokens[pair], pair);
    check_interrupt();
    progress.update(done);
    use(batch, batches[i], i);
    done += static_cast<size_t>(workers.size());
  }
}

}  // namespace verbund
