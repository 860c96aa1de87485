// SPDX-License-Identifier: Apache-2.0
#include "control/stall.h"

#include <fmt/format.h>

#include <algorithm>

namespace verbund {
namespace {

constexpr double kSilence = 2;  // seconds; heartbeats come several times a second

std::string place_of(const WorkerSeen& worker) { return fmt::format("step {} ({})", worker.step + 1, worker.doing); }

}  // namespace

std::optional<Stall> find_stall(std::span<const WorkerSeen> workers) {
  std::optional<Stall> worst;
  const auto consider = [&](double seconds, size_t worker, const auto& message) {
    if (!worst || seconds > worst->seconds) worst = Stall{seconds, worker, message(), false};
  };
  for (size_t i = 0; i < workers.size(); ++i) {
    const WorkerSeen& worker = workers[i];
    if (worker.left || worker.silent < kSilence) continue;
    consider(worker.silent, i, [&] {
      return fmt::format("no heartbeat from {} for {:.0f} s; it was last seen at {}", worker.name, worker.silent,
                         place_of(worker));
    });
  }
  if (worst) return worst;

  // Workers in the newest operation wait for those that have not entered it.
  uint64_t newest = 0;
  for (const WorkerSeen& worker : workers) newest = std::max(newest, worker.entered);
  const WorkerSeen* waiting = nullptr;
  for (const WorkerSeen& worker : workers) {
    if (worker.left || worker.entered != newest || worker.finished == newest) continue;
    if (waiting == nullptr || worker.waiting > waiting->waiting) waiting = &worker;
  }
  if (waiting == nullptr) return std::nullopt;
  for (size_t i = 0; i < workers.size(); ++i) {
    const WorkerSeen& straggler = workers[i];
    if (straggler.left || straggler.entered == newest) continue;
    if (straggler.may_block) return std::nullopt;
    consider(std::min(waiting->waiting, straggler.in_step), i, [&] {
      return fmt::format("{} has waited {:.0f} s for {} in the {}: the straggler is alive, but still at {}",
                         waiting->name, waiting->waiting, straggler.name, waiting->operation, place_of(straggler));
    });
  }
  if (worst) return worst;

  // All have entered it. Before the last one did, nobody could get further.
  double seconds = std::numeric_limits<double>::infinity();
  bool may_block = false;
  for (const WorkerSeen& worker : workers) {
    if (worker.left) continue;
    may_block = may_block || worker.may_block;
    seconds = std::min(seconds, worker.since_entered);
  }
  return Stall{seconds, static_cast<size_t>(waiting - workers.data()),
               fmt::format("all workers have been in the {} of step {} for {:.0f} s: the network between them is slow "
                           "or stuck",
                           waiting->operation, waiting->step + 1, seconds),
               true, may_block};
}

}  // namespace verbund
