// SPDX-License-Identifier: Apache-2.0
#include "doctor/collect.h"

#include <cmath>

#include "core/error.h"
#include "core/random.h"
#include "cuda/libraries.h"
#include "cuda/open_device.h"
#include "device/cpu_device.h"
#include "model/transformer.h"

namespace verbund {
namespace {

constexpr uint64_t kSeed = 5;
constexpr int64_t kVocabulary = 300;
constexpr uint64_t kSentences = 8, kLongest = 20;
constexpr float kLossScale = 64;  // or half precision would round small gradients to zero

ModelConfig small_model() {
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 64;
  config.heads = 4;
  config.d_ff = 128;
  return config;
}

Batch small_batch() {
  Random random(kSeed, 1);
  const auto sentence = [&] {
    Sentence tokens(1 + random.below(kLongest));
    for (TokenId& token : tokens) token = static_cast<TokenId>(random.below(kVocabulary));
    return tokens;
  };
  Batch batch;
  for (uint64_t name = 0; name < kSentences; ++name) {
    const Sentence source = sentence();
    append(batch, source, sentence(), name);
  }
  return batch;
}

// One step of a small model, to compare devices: the same model, sentences and dropout on each.
StepFacts small_step(Device& device) {
  const auto model = make_fused_transformer(device, small_model(), {kVocabulary, kVocabulary});
  std::vector<float> weights(model->weights().size());
  model->table().initialize(kSeed, weights);
  model->weights().write().upload(weights);
  Pass pass;
  pass.seed = kSeed;
  pass.loss_scale = kLossScale;
  const Loss loss = model->accumulate(small_batch(), pass);
  const Interval all = {0, model->gradients().size()};
  const Magnitude gradient = device.measure(model->gradients().data(), {&all, 1});
  return {loss.mean(), std::sqrt(gradient.squares) / (kLossScale * static_cast<double>(loss.tokens))};
}

void note_libraries(DeviceChoice requested, GpuFacts& facts) {
  const cuda::CudaLibraries all = cuda::load_cuda(search_for(requested));
  for (const cuda::LibraryState* state : {&all.driver_state, &all.nvrtc_state, &all.cublas_state, &all.nccl_state}) {
    facts.libraries.push_back({state->name, state->path.string(), state->version, state->why_not});
  }
  const std::string name = requested == DeviceChoice::kEmulated ? "emulated" : "cuda";
  facts.missing = cuda::missing_message(all, name);
  facts.nccl_missing = cuda::missing_nccl_message(all, name);
  facts.driver = all.driver_state.usable();
  if (all.usable()) facts.count = static_cast<int>(all.architectures.size());
}

std::unique_ptr<Device> open_and_try(DeviceChoice requested, Precision precision, int local_rank, GpuFacts& facts) {
  std::unique_ptr<Device> gpu = open_device({requested, precision, false, local_rank});
  facts.name = gpu->facts().name;
  facts.architecture = gpu->facts().architecture;
  const MemoryUse memory = gpu->memory();
  facts.memory = memory.total;
  facts.free_memory = memory.free;
  facts.step = small_step(*gpu);
  facts.cpu_step = small_step(*open_device({DeviceChoice::kCpu}));
  return gpu;
}

}  // namespace

CollectedGpu collect_gpu_facts(const Worker& self, const Config& config) {
  CollectedGpu collected;
  GpuFacts& facts = collected.facts;
  facts.requested = kDeviceNames[static_cast<size_t>(config.device)];
  facts.precision = kPrecisionNames[static_cast<size_t>(config.train.precision)];
  try {
    note_libraries(config.device, facts);
  } catch (const Error& error) {
    facts.missing = error.what();
  }
  if (config.device == DeviceChoice::kCpu || facts.count == 0) {
    if (!facts.requires_gpu()) facts.cpu_trouble = CpuDevice::trouble_with(config.train.precision);
    return collected;
  }
  const std::optional<int> number = gpu_of_worker(self.local_rank, static_cast<size_t>(facts.count));
  if (!number) return collected;
  facts.number = *number;
  try {
    collected.device = open_and_try(config.device, config.train.precision, self.local_rank, facts);
  } catch (const Error& error) {
    facts.trouble = error.what();
  }
  return collected;
}

}  // namespace verbund
