// SPDX-License-Identifier: Apache-2.0
// The residuals of the exchange in checkpoints, see train/train_state.h.
#include "core/log.h"
#include "train/train_state.h"

namespace verbund {
namespace {

std::vector<float> sum_of_all(const SafetensorsFile& file, size_t size) {
  std::vector<float> sum(size);
  for (const TensorView& tensor : file.tensors()) {
    const std::vector<float> values = read_floats(tensor, size);
    for (size_t i = 0; i < size; ++i) sum[i] += values[i];
  }
  return sum;
}

}  // namespace

std::string residual_layout(const TrainState& state) {
  return state.reducer.feedback() != nullptr ? state.reducer.residual_places().description() : "";
}

void add_residuals(const TrainState& state, CheckpointSnapshot& snapshot, CollectedState& collected) {
  const ErrorFeedback* feedback = state.reducer.feedback();
  if (feedback == nullptr) return;
  const ResidualPlaces places = state.reducer.residual_places();
  const size_t size = state.model->gradients().size();
  const bool leads = state.workers.leads();
  for (size_t i = 0; i < places.names().size(); ++i) {
    std::vector<float>& whole = collected.emplace_back(leads ? size : 0);
    places.gather(state.workers.comm(), *feedback, i, whole);
    if (!leads) continue;
    const std::span<const float> values = whole;
    snapshot.exchange.push_back(view_tensor(places.names()[i], {static_cast<int64_t>(size)}, values));
  }
}

void restore_residuals(const Checkpoint* checkpoint, const std::string& saved, TrainState& state) {
  ErrorFeedback* feedback = state.reducer.feedback();
  if (feedback != nullptr) feedback->clear();
  if (saved.empty()) return;
  const bool leads = checkpoint != nullptr;
  if (feedback == nullptr) {
    if (leads) {
      log("residuals of the exchange: dropped, because gradients are no longer rounded to int8");
    }
    return;
  }
  Communicator& comm = state.workers.comm();
  const ResidualPlaces places = state.reducer.residual_places();
  const size_t size = state.model->gradients().size();
  if (saved != places.description()) {
    if (leads) {
      log("residuals of the exchange: redistributed from {} to {}", saved, places.description());
    }
    return places.scatter_sum(comm, leads ? sum_of_all(*checkpoint->exchange(), size) : std::vector<float>(),
                              *feedback);
  }
  for (size_t i = 0; i < places.names().size(); ++i) {
    const std::vector<float> whole =
        leads ? read_floats(checkpoint->exchange()->at(places.names()[i]), size) : std::vector<float>();
    places.scatter(comm, whole, i, *feedback);
  }
}

}  // namespace verbund
