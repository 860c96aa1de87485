// SPDX-License-Identifier: Apache-2.0
// The outer step in checkpoints, see train/train_state.h. outer.safetensors has `momentum`, and `rank-N.NAME` of each
// worker's own buffers.
#include "core/log.h"
#include "train/train_state.h"

namespace verbund {
namespace {

constexpr const char* kMomentum = "momentum";
constexpr const char* kAhead = "ahead";

std::string name_of(int rank, const std::string& buffer) { return fmt::format("rank-{}.{}", rank, buffer); }

// Collective: worker 0 gets all values of the buffer of this rank.
void gather_from(int rank, Communicator& comm, std::span<const float> own, std::span<float> all, size_t size) {
  comm.gather_chunks(comm.rank() == rank ? own : std::span<const float>(), all, size, [&](size_t) { return rank; });
}

// Collective: this rank gets worker 0's values.
void scatter_to(int rank, Communicator& comm, std::span<const float> all, std::span<float> own, size_t size) {
  comm.scatter_chunks(all, comm.rank() == rank ? own : std::span<float>(), size, [&](size_t) { return rank; });
}

std::vector<float> mean_of_ranks(const SafetensorsFile& file, int ranks, const std::string& buffer, size_t size) {
  std::vector<float> mean(size);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> values = read_floats(file.at(name_of(rank, buffer)), size);
    for (size_t i = 0; i < size; ++i) mean[i] += values[i] / static_cast<float>(ranks);
  }
  return mean;
}

// The saved buffer of a rank, on worker 0; empty on the others.
std::vector<float> saved_of_rank(const Checkpoint* checkpoint, int rank, const std::string& buffer, size_t size) {
  if (checkpoint == nullptr) return {};
  return read_floats(checkpoint->outer()->at(name_of(rank, buffer)), size);
}

void restore_own(const Checkpoint* checkpoint, const Json& saved, bool optimizer_fits, TrainState& state) {
  Communicator& comm = state.workers.comm();
  const size_t size = state.model->weights().size();
  const bool is_ahead = saved.value("ahead", false);
  if (is_ahead) state.outer->ahead().resize(size);
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (is_ahead) scatter_to(rank, comm, saved_of_rank(checkpoint, rank, kAhead, size), state.outer->ahead(), size);
    if (!optimizer_fits) continue;
    for (const OptimizerState& buffer : state.optimizer->state()) {
      const std::vector<float> whole = saved_of_rank(checkpoint, rank, buffer.name, size);
      change_on_host(buffer.values, [&](std::span<float> own) { scatter_to(rank, comm, whole, own, size); });
    }
  }
  const Json& own = saved.at("workers").at(static_cast<size_t>(comm.rank()));
  state.outer->tokens() = {own.at("tokens"), own.at("tokens_of_all")};
  if (optimizer_fits) state.optimizer->set_updates(own.at("updates"));
  const auto scale = own.at("loss_scale").get<LossScaler::State>();
  if (state.scaler->fits(scale)) state.scaler->restore(scale);
}

void restore_mean(const Checkpoint* checkpoint, int ranks, TrainState& state) {
  const size_t size = state.model->weights().size();
  for (const OptimizerState& buffer : state.optimizer->state()) {
    if (checkpoint == nullptr) {
      restore_buffer(nullptr, buffer, state);
      continue;
    }
    const std::vector<float> mean = mean_of_ranks(*checkpoint->outer(), ranks, buffer.name, size);
    const TensorView view = view_tensor(buffer.name, {static_cast<int64_t>(size)}, std::span<const float>(mean));
    restore_buffer(&view, buffer, state);
  }
}

}  // namespace

Json outer_to_json(const TrainState& state) {
  if (state.outer == nullptr) return {};
  const OuterStep::Tokens& tokens = state.outer->tokens();
  const Json own = {{"updates", state.optimizer->updates()},
                    {"loss_scale", state.scaler->state()},
                    {"tokens", tokens.own},
                    {"tokens_of_all", tokens.all}};
  Json json = {{"sync_every", state.config.workers.sync_every},
               {"ahead", !state.outer->ahead().empty()},
               {"workers", Json::array()}};
  for (const std::string& text : state.workers.comm().gather(dump_json(own))) {
    json["workers"].push_back(parse_json(text));
  }
  return json;
}

void add_outer(const TrainState& state, CheckpointSnapshot& snapshot, CollectedState& collected) {
  if (state.outer == nullptr) return;
  Communicator& comm = state.workers.comm();
  const bool leads = state.workers.leads();
  const size_t size = state.model->weights().size();
  const std::vector<int64_t> shape = {static_cast<int64_t>(size)};
  snapshot.outer.push_back(view_tensor(kMomentum, shape, std::span<const float>(state.outer->momentum())));
  const auto add = [&](int rank, const std::string& name, std::span<const float> own) {
    std::vector<float>& whole = collected.emplace_back(leads ? size : 0);
    gather_from(rank, comm, own, whole, size);
    if (leads) snapshot.outer.push_back(view_tensor(name_of(rank, name), shape, std::span<const float>(whole)));
  };
  for (int rank = 0; rank < comm.size(); ++rank) {
    for (const OptimizerState& buffer : state.optimizer->state()) {
      add(rank, buffer.name, HostCopy(buffer.values).values());
    }
    if (!state.outer->ahead().empty()) add(rank, kAhead, state.outer->ahead());
  }
}

void restore_outer(const Checkpoint* checkpoint, const Json& saved, bool optimizer_fits, TrainState& state) {
  const bool leads = checkpoint != nullptr;
  const int64_t now = state.config.workers.sync_every;
  if (state.outer != nullptr) {
    state.outer->restart();
    const std::span<float> momentum = state.outer->momentum();
    std::fill(momentum.begin(), momentum.end(), 0.0f);
    if (leads && saved.is_null()) log("outer step: its momentum starts at zero (workers.sync_every is now {})", now);
  }
  if (saved.is_null()) return;
  const int64_t before = saved.at("sync_every");
  const auto ranks = static_cast<int>(saved.at("workers").size());
  if (leads && before != now) log("outer step: workers.sync_every was {}, is now {}", before, now);
  if (leads && state.outer == nullptr) log("outer step: no longer used, so its momentum is dropped");
  if (state.outer != nullptr) {
    const std::span<float> momentum = state.outer->momentum();
    if (leads) copy_tensor(checkpoint->outer()->at(kMomentum), momentum);
    if (state.workers.size() > 1) state.workers.comm().broadcast(momentum);
    if (ranks == state.workers.size()) return restore_own(checkpoint, saved, optimizer_fits, state);
  }
  if (leads && optimizer_fits) {
    log("outer step: saved by {} worker{}; each of {} continues with the mean of their optimisers' moments", ranks,
        ranks == 1 ? "" : "s", state.workers.size());
  }
  if (optimizer_fits) restore_mean(checkpoint, ranks, state);
}

}  // namespace verbund
