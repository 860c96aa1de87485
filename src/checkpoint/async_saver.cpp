// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/async_saver.h"

#include <cstring>
#include <new>
#include <utility>

#include "core/elapsed.h"
#include "core/error.h"
#include "core/human.h"
#include "core/log.h"

namespace verbund {

void StagingArea::reserve(const CheckpointSnapshot& snapshot) {
  const uint64_t needed = snapshot.tensor_bytes();
  if (needed <= capacity_) return;
  memory_.reset();  // the old area first, so that both never exist together
  capacity_ = 0;
  try {
    memory_ = std::make_unique<std::byte[]>(needed);  // zeroed, and so touched
  } catch (const std::bad_alloc&) {
    fail(
        "there is no memory for a copy of the checkpoint ({}). Set checkpoint.asynchronous to false: the checkpoint is "
        "then written without a copy, while training waits.",
        human_bytes(needed));
  }
  capacity_ = needed;
}

CheckpointSnapshot StagingArea::copy(const CheckpointSnapshot& snapshot) {
  reserve(snapshot);
  CheckpointSnapshot staged = snapshot;
  std::byte* next = memory_.get();
  for (auto* part : {&staged.weights, &staged.optimizer, &staged.average, &staged.exchange, &staged.outer}) {
    for (TensorView& tensor : *part) {
      const size_t size = tensor.bytes.size();
      if (size > 0) std::memcpy(next, tensor.bytes.data(), size);
      tensor.bytes = {next, size};
      next += size;
    }
  }
  return staged;
}

AsyncSaver::~AsyncSaver() {
  try {
    finish();
  } catch (const std::exception& error) {
    warn("{}", error.what());
  }
}

void AsyncSaver::start(const CheckpointSnapshot& snapshot) {
  finish();
  if (!store_.config().asynchronous) {
    store_.save(snapshot);
    return;
  }
  in_progress_ = std::async(std::launch::async, [this, staged = staging_.copy(snapshot)] {
    const auto start = std::chrono::steady_clock::now();
    store_.save(staged);
    debug("checkpoint of step {}: {} bytes written in {:.3f} s", staged.step, staged.tensor_bytes(),
          seconds_since(start));
  });
}

void AsyncSaver::check() {
  if (in_progress_.valid() && in_progress_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) finish();
}

void AsyncSaver::finish() {
  if (in_progress_.valid()) in_progress_.get();
}

}  // namespace verbund
