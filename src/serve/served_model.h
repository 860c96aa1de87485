// SPDX-License-Identifier: Apache-2.0
// ServedModel is a trained model that translates for requests; ServedModels are those of one server, each of which can
// be replaced by a newer checkpoint while requests are answered.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "decode/trained_model.h"
#include "serve/service.h"
#include "serve/text_document.h"
#include "serve/translation_queue.h"

namespace verbund {

struct ModelSource {
  std::string name;  // "": by its languages, "en-de"
  ModelPlace place;
  std::string source_language, target_language;  // "": those of the run's dataset
  std::function<void(Config&)> configure;        // applies --set
  std::string tag = {};                          // before every sentence
};

class ServedModel final : public SentenceTranslator {
 public:
  // Loads the model. Fails if its languages are not known.
  explicit ServedModel(const ModelSource& source);

  std::unique_ptr<OngoingTranslation> begin() const override;
  SentenceRules rules() const;

  const std::string& name() const { return name_; }
  const std::string& source_language() const { return source_language_; }
  const std::string& target_language() const { return target_language_; }
  const fs::path& run() const { return model_.run; }
  const fs::path& checkpoint() const { return model_.checkpoint; }
  const std::string& identity() const { return identity_; }  // another one for another checkpoint
  int64_t step() const { return model_.step; }
  int64_t threads() const { return model_.config.threads; }
  int64_t beam() const { return decode_.beam; }
  const Device& device() const { return *model_.device; }

 private:
  Translator translator() const;

  TrainedModel model_;
  DecodeConfig decode_;
  std::string tag_;
  std::string name_, source_language_, target_language_, identity_;
};

class ServedModels {
 public:
  // Loads them in the queue's thread, because a GPU belongs to the thread that uses it.
  ServedModels(std::vector<ModelSource> sources, TranslationQueue& queue);

  std::vector<ServiceModel> list() const;

  // Loads again what has another checkpoint than before, or all. Requests under way keep the model they began with. A
  // model that cannot be loaded is a warning, and the old one stays. Returns the number of new ones.
  size_t refresh(bool all);

 private:
  std::shared_ptr<const ServedModel> load(const ModelSource& source) const;
  std::shared_ptr<const ServedModel> current(size_t source) const;

  const std::vector<ModelSource> sources_;
  TranslationQueue& queue_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const ServedModel>> models_;
  std::vector<std::string> signs_;  // of each source, when it was loaded or tried: see sign_of_change
};

}  // namespace verbund
