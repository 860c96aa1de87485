// SPDX-License-Identifier: Apache-2.0
#include "cli/model_flags.h"

#include "core/error.h"
#include "core/log.h"

namespace verbund {
namespace {

template <typename Choice, size_t kCount>
Choice choice_named(const char* flag, const std::string& name, const char* const (&names)[kCount]) {
  for (size_t i = 0; i < kCount; ++i) {
    if (name == names[i]) return static_cast<Choice>(i);
  }
  fail_usage("{} {} is unknown: choose {}", flag, name, fmt::join(names, ", "));
}

}  // namespace

Option* add_model_flags(Options& options, ModelPlace& place) {
  Option* const model = options.add_option("-m,--model", place.folder, "A run or checkpoint folder");
  add_checkpoint_flags(options, place);
  return model->type_name("FOLDER")->required();
}

void add_checkpoint_flags(Options& options, ModelPlace& place) {
  options
      .add_option("--checkpoint", place.checkpoint,
                  "Checkpoint of a run: best, last, average, step-00004000, ...; best if there is one, else the newest")
      ->type_name("NAME");
  options.add_option("--vocabulary", place.source_vocabulary, "Subword model, if the run has none")->type_name("FILE");
  options
      .add_option("--target-vocabulary", place.target_vocabulary, "Subword model of the target side, if it has its own")
      ->type_name("FILE");
}

void add_device_flags(Options& options, ModelPlace& place) {
  options
      .add_call(
          "--device",
          [&place](const std::string& name) {
            place.device = choice_named<DeviceChoice>("--device", name, kDeviceNames);
          },
          "Device that computes: cpu, cuda (a GPU), or auto: a GPU if there is one")
      ->type_name("NAME");
  options
      .add_call(
          "--precision",
          [&place](const std::string& name) {
            place.precision = choice_named<Precision>("--precision", name, kPrecisionNames);
          },
          "Compute dtype, to which GEMM operands are rounded: fp32, tf32, bf16 or fp16; that of the training, if the "
          "device supports it")
      ->type_name("NAME");
}

void log_device(const Device& device) { log("{}", device.facts().description); }

void override_use(Config& config, const std::vector<std::string>& overrides) {
  override_config(config, overrides);
  for (const std::string& assignment : overrides) {
    const std::string key = assignment.substr(0, assignment.find('='));
    const bool of_use = key.starts_with("decode.") || key.starts_with("evaluate.") || key.starts_with("workers.") ||
                        key == "threads" || key == "seed";
    if (of_use) continue;
    fail_usage("--set {}: this key has no effect on a trained model; decode.*, evaluate.*, workers.* and threads have.",
               key);
  }
}

}  // namespace verbund
