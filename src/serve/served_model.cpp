// SPDX-License-Identifier: Apache-2.0
#include "serve/served_model.h"

#include <exception>
#include <tuple>

#include "collectives/threads.h"
#include "core/error.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/json_file.h"
#include "core/log.h"

namespace verbund {
namespace {

std::pair<std::string, std::string> languages_in(const Json& json) {
  return {json.at("source_language").get<std::string>(), json.at("target_language").get<std::string>()};
}

// The languages as the run remembers them, or its dataset, if that is still in its place.
std::pair<std::string, std::string> languages_of(const fs::path& checkpoint) {
  const fs::path run = fs::weakly_canonical(checkpoint).parent_path().parent_path();
  std::pair<std::string, std::string> languages;
  fs::path dataset;
  use_note(run / "run.json", [&](const Json& record) {
    const Json& made_from = record.at("dataset");
    dataset = made_from.value("path", "");
    languages = languages_in(made_from);
  });
  if (languages.first.empty() && !dataset.empty()) {
    use_note(dataset / "dataset.json", [&](const Json& manifest) { languages = languages_in(manifest); });
  }
  return languages;
}

std::string where(const fs::path& checkpoint) { return checkpoint.lexically_normal().string(); }

// Changes when the checkpoint does: another folder, or another one of the same name.
std::string identity_of(const fs::path& checkpoint) {
  std::error_code error;
  const std::string path = fs::weakly_canonical(checkpoint, error).string();
  const auto time = fs::last_write_time(checkpoint / "weights.safetensors", error).time_since_epoch().count();
  return fmt::format("{}@{}", path, error ? 0 : time);
}

// Changes when another checkpoint may have to be used; costs little, for it is asked every second.
std::string sign_of_change(const ModelPlace& place) {
  std::error_code error;
  const fs::path checkpoints = place.folder / "checkpoints";
  if (!fs::exists(checkpoints, error)) return identity_of(place.folder);
  const fs::path named = checkpoints / (place.checkpoint.empty() ? "best" : place.checkpoint);
  if (fs::exists(named, error)) return identity_of(named);
  return fmt::format("{}", fs::last_write_time(checkpoints, error).time_since_epoch().count());
}

void warn_of_missing_tag(const ModelSource& source, const ServedModel& model) {
  const std::vector<std::string> tags = tags_of_training(model.run());
  if (tags.empty() || !source.tag.empty()) return;
  warn(
      "model {}: all text that it was trained on began with a tag ({}), and so must the text of requests, unless the "
      "model is served with one: -m {}={} --tag {}",
      model.name(), fmt::join(tags, ", "), model.name(), source.place.folder.string(),
      shell_line({fmt::format("{}={}", model.name(), tags.front())}));
}

}  // namespace

ServedModel::ServedModel(const ModelSource& source)
    : model_(load_trained_model(source.place)),
      tag_(source.tag),
      source_language_(source.source_language),
      target_language_(source.target_language) {
  if (source.configure) source.configure(model_.config);
  decode_ = decode_config(model_.config);
  if (source_language_.empty()) std::tie(source_language_, target_language_) = languages_of(model_.checkpoint);
  if (source_language_.empty()) {
    fail_usage("{} does not say its languages, and its dataset is gone: name them with  --model en-de={}",
               where(model_.checkpoint), source.place.folder.string());
  }
  translator();  // refuses a tag that the model does not know
  identity_ = identity_of(model_.checkpoint);
  name_ = source.name.empty() ? source_language_ + "-" + target_language_ : source.name;
}

Translator ServedModel::translator() const {
  TranslatorConfig config;
  config.search.config = decode_;
  config.tag = tag_;
  return {{model_.model.get()}, model_.source, model_.target, config};
}

std::unique_ptr<OngoingTranslation> ServedModel::begin() const { return begin_translation(translator()); }

SentenceRules ServedModel::rules() const {
  return {[this](const std::string& line) { return translator().split(line); },
          [this](const std::string& sentence) { return model_.source.encode_pieces(sentence); }};
}

ServedModels::ServedModels(std::vector<ModelSource> sources, TranslationQueue& queue)
    : sources_(std::move(sources)), queue_(queue) {
  for (const ModelSource& source : sources_) {
    std::shared_ptr<const ServedModel> loaded;
    signs_.push_back(sign_of_change(source.place));
    queue_.call([&] {
      loaded = load(source);
      use_threads(loaded->threads());
    });
    for (const auto& other : models_) {
      if (other->name() != loaded->name()) continue;
      fail_usage("two models are called {}: {} and {}. Name one differently: --model NAME=FOLDER", loaded->name(),
                 where(other->checkpoint()), where(loaded->checkpoint()));
    }
    warn_of_missing_tag(source, *loaded);
    models_.push_back(std::move(loaded));
  }
}

// Whoever lets go of a model last, the queue's thread deletes it.
std::shared_ptr<const ServedModel> ServedModels::load(const ModelSource& source) const {
  return {new ServedModel(source),
          [&queue = queue_](const ServedModel* model) { queue.post([model] { delete model; }); }};
}

std::shared_ptr<const ServedModel> ServedModels::current(size_t source) const {
  const std::lock_guard lock(mutex_);
  return models_[source];
}

std::vector<ServiceModel> ServedModels::list() const {
  std::vector<ServiceModel> list;
  const std::lock_guard lock(mutex_);
  for (const auto& model : models_) {
    list.push_back({.name = model->name(),
                    .source_language = model->source_language(),
                    .target_language = model->target_language(),
                    .step = model->step(),
                    .beam = model->beam(),
                    .rules = model->rules(),
                    .translator = model});
  }
  return list;
}

size_t ServedModels::refresh(bool all) {
  const DeferInterrupts deferred;  // a stop is not a fault of the model
  size_t replaced = 0;
  for (size_t i = 0; i < sources_.size(); ++i) {
    const std::string sign = sign_of_change(sources_[i].place);
    if (!all && sign == signs_[i]) continue;
    signs_[i] = sign;
    const std::shared_ptr<const ServedModel> old = current(i);
    try {
      std::shared_ptr<const ServedModel> loaded;
      // For a CPU beside the translations, for a GPU between them.
      if (old->device().facts().kind == "cpu") {
        loaded = load(sources_[i]);
      } else {
        queue_.call([&] { loaded = load(sources_[i]); });
      }
      if (!all && loaded->identity() == old->identity()) continue;
      log("model {}: {} replaces {}", loaded->name(), where(loaded->checkpoint()), where(old->checkpoint()));
      const std::lock_guard lock(mutex_);
      models_[i] = std::move(loaded);
      ++replaced;
    } catch (const std::exception& error) {  // files that cannot be read, or too little memory for both
      warn("model {}: the old checkpoint stays in use, because the new one cannot be loaded: {}", old->name(),
           error.what());
    }
  }
  return replaced;
}

}  // namespace verbund
