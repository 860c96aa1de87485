// SPDX-License-Identifier: Apache-2.0
// TrainedModel is a model ready for use, with its vocabularies, loaded from a run or checkpoint folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_reader.h"
#include "config/config.h"
#include "model/transformer.h"
#include "text/subwords.h"

namespace verbund {

struct ModelPlace {
  fs::path folder;         // of a run, or of one checkpoint
  std::string checkpoint;  // of a run: "best", "last", "step-00004000", any name; "": best if there is one, else newest
  fs::path source_vocabulary, target_vocabulary;  // empty: those of the run
  DeviceChoice device = DeviceChoice::kAuto;      // to run the model on
  std::optional<Precision> precision;             // none: that of training, if the device supports it
};

// The folder of the checkpoint; the error lists the existing ones if it is missing.
fs::path find_checkpoint(const ModelPlace& place);

// ModelFiles are the parts of a trained model before a device computes with it: the checkpoint, opened and verified,
// and the subword models that it was trained with.
struct ModelFiles {
  fs::path run;  // the checkpoint's own folder if it was moved away from its run
  Checkpoint checkpoint;
  Config config;
  fs::path source_vocabulary, target_vocabulary;
  Subwords source, target;
};

// Refuses a vocabulary that does not belong to the model.
ModelFiles open_model(const ModelPlace& place);

struct TrainedModel {
  Config config;
  fs::path run;  // as in ModelFiles
  fs::path checkpoint;
  int64_t step = 0;
  std::vector<int64_t> mean_of;  // the steps whose mean the weights are; empty: they are those of `step`
  bool averaged = false;         // the weights are the exponential average of the run
  std::string origin;            // as JSON: the run of the weights; "{}" if the checkpoint is an old one
  fs::path source_vocabulary, target_vocabulary;
  Subwords source, target;
  std::shared_ptr<Device> device;
  std::unique_ptr<DecodableModel> model;
};

// The tags with which all source sentences began that the model of a run (TrainedModel::run) was trained on. None: some
// began with none, or the run does not say.
std::vector<std::string> tags_of_training(const fs::path& run);

// Opens the model and gives its weights to a device. `device`: null to open one.
TrainedModel load_trained_model(const ModelPlace& place, std::shared_ptr<Device> device = nullptr);

}  // namespace verbund
