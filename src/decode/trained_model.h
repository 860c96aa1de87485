// A trained model, ready to be used: found in a run or checkpoint folder, with its vocabulary.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "checkpoint/checkpoint_reader.h"
#include "config/config.h"
#include "model/transformer.h"
#include "text/subwords.h"

namespace verbund {

// A run's copies of its dataset's subword models; the same file for a joint one.
inline constexpr char kSourceVocabulary[] = "source.model";
inline constexpr char kTargetVocabulary[] = "target.model";

struct ModelPlace {
  fs::path folder;         // of a run, or of one checkpoint
  std::string checkpoint;  // of a run: "best", "last", "step-00004000", any name; "": best if there is one, else newest
  fs::path source_vocabulary, target_vocabulary;  // empty: the run's own
  DeviceChoice device = DeviceChoice::kAuto;      // what it is to be used on
  std::optional<Precision> precision;             // none: the one it was trained in, if the device has that
};

// The folder of the checkpoint that is meant; says which there are if there is no such.
fs::path find_checkpoint(const ModelPlace& place);

struct TrainedModel {
  Config config;
  fs::path checkpoint;
  int64_t step = 0;
  bool averaged = false;  // the weights are the exponential average of the run
  std::string origin;     // as JSON: which run the weights come from; "{}" if the checkpoint is an old one
  fs::path source_vocabulary, target_vocabulary;
  Subwords source, target;
  std::shared_ptr<Device> device;
  std::unique_ptr<DecodableModel> model;

  int64_t target_size() const { return static_cast<int64_t>(target.size()); }
};

// Weights that were averaged while training are used instead of the last ones. Refuses a
// vocabulary that does not belong to the model. `device`: null if one is to be opened for it.
TrainedModel load_trained_model(const ModelPlace& place, std::shared_ptr<Device> device = nullptr);

// Copies the values of all parameters; refuses a file of another shape, naming both.
void load_weights(const SafetensorsFile& file, const ParameterTable& table, Buffer& values);

}  // namespace verbund
