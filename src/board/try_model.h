// SPDX-License-Identifier: Apache-2.0
// TryModel translates single sentences with a checkpoint of a run. The model is loaded on the first request and
// unloaded after a while without requests. It uses one thread, so that a training on the same machine is not held up.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/file.h"
#include "core/json.h"
#include "decode/trained_model.h"

namespace verbund {

class TryModel {
 public:
  static constexpr size_t kMaxBytes = 2000;  // of a text

  explicit TryModel(double idle_seconds = 120);
  ~TryModel();
  TryModel(const TryModel&) = delete;
  TryModel& operator=(const TryModel&) = delete;

  // {"checkpoint", "step", "source_pieces", "translations": [{"text", "score", "pieces", "alignment"}]}. Fails if the
  // model cannot be loaded or the text is too long. Any thread may call it; one translates at a time.
  Json translate(const fs::path& run, const std::string& checkpoint, const std::string& text, int64_t nbest);

 private:
  void drop_when_idle();

  const double idle_seconds_;
  std::mutex mutex_;  // of all members below
  std::condition_variable changed_;
  std::unique_ptr<TrainedModel> model_;
  fs::path folder_;  // of its checkpoint
  double used_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

// The names of a run's checkpoints: "best", "last", "step-00001000", ... Only these may be asked for.
std::vector<std::string> checkpoint_names(const fs::path& run);

}  // namespace verbund
