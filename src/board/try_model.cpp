// SPDX-License-Identifier: Apache-2.0
#include "board/try_model.h"

#include <omp.h>

#include <algorithm>

#include "board/numbers.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "decode/translator.h"

namespace verbund {

TryModel::TryModel(double idle_seconds) : idle_seconds_(idle_seconds), thread_([this] { drop_when_idle(); }) {}

TryModel::~TryModel() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void TryModel::drop_when_idle() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (!model_) {
      changed_.wait(lock);
      continue;
    }
    const double left = used_ + idle_seconds_ - monotonic_seconds();
    if (left > 0) {
      changed_.wait_for(lock, std::chrono::duration<double>(left));
    } else {
      model_.reset();
    }
  }
}

Json TryModel::translate(const fs::path& run, const std::string& checkpoint, const std::string& text, int64_t nbest) {
  if (text.size() > kMaxBytes) fail("the text has {} bytes; at most {} are translated here", text.size(), kMaxBytes);
  const std::lock_guard lock(mutex_);
  omp_set_num_threads(1);
  ModelPlace place;
  place.folder = run;
  place.checkpoint = checkpoint;
  place.device = DeviceChoice::kCpu;
  const fs::path folder = fs::canonical(find_checkpoint(place));
  if (!model_ || folder_ != folder) {
    model_.reset();
    model_ = std::make_unique<TrainedModel>(load_trained_model(place));
    folder_ = folder;
  }
  TranslatorConfig config;
  config.search.config = decode_config(model_->config);
  config.search.nbest = std::clamp<int64_t>(nbest, 1, config.search.config.beam);
  config.search.align = true;
  const Translator translator({model_->model.get()}, model_->source, model_->target, config);
  const Line line = {text, "", 1};
  translator.check(line);
  const std::vector<Translation> translations = translator.translate({line}).front();

  Json json = {{"checkpoint", folder.filename().string()},
               {"step", model_->step},
               {"source_pieces", translator.source_pieces(text)},
               {"translations", Json::array()}};
  for (const Translation& translation : translations) {
    Json pairs = Json::array();
    for (const auto& [source, target] : translation.alignment) pairs.push_back({source, target});
    json["translations"].push_back({{"text", translation.text},
                                    {"score", json_number(translation.score)},
                                    {"pieces", translation.pieces},
                                    {"alignment", pairs},
                                    {"finished", translation.finished}});
  }
  used_ = monotonic_seconds();
  changed_.notify_all();
  return json;
}

std::vector<std::string> checkpoint_names(const fs::path& run) {
  std::vector<std::string> names;
  std::error_code error;
  if (!fs::is_directory(run / "checkpoints", error)) return names;
  for (const fs::path& path : list_folder(run / "checkpoints")) {
    if (fs::exists(path / "manifest.json", error)) names.push_back(path.filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace verbund
