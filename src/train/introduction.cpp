#include "train/introduction.h"

#include "core/human.h"
#include "collectives/agreement.h"

namespace verbund {

std::string introduction(const Run& run) {
  std::vector<std::string> lines = {
      fmt::format("{} {}: {} parameters, {} pieces",
                  run.resumed ? fmt::format("resume at step {} of", run.state.step) : "train", run.request.run.string(),
                  human_count(static_cast<uint64_t>(run.model->table().count())),
                  human_count(static_cast<uint64_t>(run.vocabularies.target))),
      fmt::format("{} training pairs ({} longer than {} tokens left out), {} batches an epoch",
                  human_count(run.plan.pairs()), human_count(run.plan.dropped_pairs()), run.config.batch.max_length,
                  run.plan.batches(0)),
      run.schedule.describe(),
      fmt::format("{}, {} thread{}", run.device->facts().description, run.threads, run.threads == 1 ? "" : "s"),
      run.verified};
  for (const std::string& difference : run.differences) lines.push_back("going on although " + difference);
  if (!run.dev) lines.emplace_back("the dataset has no dev pairs: there is no evaluation, and no best checkpoint");
  if (run.workers.size() > 1) lines.push_back(describe(run.workers, run.config.workers, run.devices != nullptr));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace verbund
