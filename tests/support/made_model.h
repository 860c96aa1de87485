// SPDX-License-Identifier: Apache-2.0
// MadeModel is a small model of random shape and weights, whose translations are varied and end.
#pragma once

#include <cmath>
#include <memory>

#include "core/random.h"
#include "decode/beam_search.h"
#include "support/on_cpu.h"
#include "support/random_batch.h"

namespace verbund {

struct MadeModel {
  ModelConfig config;
  VocabularySizes sizes;
  std::unique_ptr<DecodableModel> model;

  std::span<float> parameter(const std::string& name) const {
    const Parameter& p = model->table().find(name);
    return model->weights().write().host().subspan(static_cast<size_t>(p.offset), static_cast<size_t>(p.size));
  }
};

inline ModelConfig small_model(Random& random) {
  ModelConfig config = random_model(random);
  config.encoder_layers = 1 + static_cast<int64_t>(random.below(2));
  config.decoder_layers = 1 + static_cast<int64_t>(random.below(2));
  config.heads = 1 + static_cast<int64_t>(random.below(3));
  config.d_model = config.heads * (4 + 2 * static_cast<int64_t>(random.below(5)));
  return config;
}

// Raises the logit of </s> by about `amount`: the last norm gets a bias, which the output weights of </s> look for.
inline void favour_end(const MadeModel& made, double amount, Random& random) {
  const std::string norm = made.config.norm == NormPlace::kPre
                               ? "decoder.norm"
                               : fmt::format("decoder.{}.ff.norm", made.config.decoder_layers - 1);
  const std::string output[] = {"source.embedding", "target.embedding", "output.weight"};
  const auto bias = made.parameter(norm + ".bias");
  for (float& value : bias) value = random.below(2) == 0 ? -0.5f : 0.5f;
  const auto weights = made.parameter(output[static_cast<size_t>(made.config.share_embeddings)])
                           .subspan(kEndOfSentence * bias.size(), bias.size());
  for (size_t i = 0; i < bias.size(); ++i) {
    weights[i] += static_cast<float>(amount / (0.25 * static_cast<double>(bias.size()))) * bias[i];
  }
}

// Makes the decoder look at one source token at a time, and at another each time.
inline void sharpen_attention(const MadeModel& made) {
  for (int64_t i = 0; i < made.config.decoder_layers; ++i) {
    for (float& value : made.parameter(fmt::format("decoder.{}.cross.q.weight", i))) value *= 10;
  }
}

inline MadeModel made_model(const ModelConfig& config, VocabularySizes sizes, uint64_t seed, double end = 2.5) {
  if (config.share_embeddings == Sharing::kAll) sizes.source = sizes.target;
  MadeModel made = {config, sizes, make_fused_transformer(cpu(), config, sizes)};
  const std::span<float> values = made.model->weights().write().host();
  made.model->table().initialize(seed, values);
  Random random(seed, 1);
  for (float& value : values) value *= 1.5f;  // bolder than at the start of training
  randomize(values, random);
  favour_end(made, end, random);
  return made;
}

inline MadeModel made_model(uint64_t seed, double end = 2.5) {
  Random random(seed, 0);
  const ModelConfig config = small_model(random);
  const auto size = [&] { return static_cast<int64_t>(9 + random.below(40)); };
  return made_model(config, {size(), size()}, seed, end);
}

// A sentence of 0 to `longest` tokens.
inline Sentence random_sentence(Random& random, uint64_t longest, int64_t vocabulary) {
  Sentence sentence(random.below(longest + 1));
  for (TokenId& token : sentence) {
    token = static_cast<TokenId>(kUnknown + random.below(static_cast<uint64_t>(vocabulary - kUnknown)));
  }
  return sentence;
}

inline std::vector<SearchTask> random_tasks(Random& random, size_t count, const MadeModel& made) {
  std::vector<SearchTask> tasks(count);
  for (size_t i = 0; i < count; ++i) tasks[i] = {random_sentence(random, 7, made.sizes.source), {}, i};
  return tasks;
}

inline SearchRequest random_request(Random& random) {
  static constexpr int64_t kBeams[] = {1, 2, 4, 5};
  static constexpr double kPenalties[] = {0, 0.6, 1};
  SearchRequest request;
  request.config.beam = kBeams[random.below(4)];
  request.config.length_penalty = kPenalties[random.below(3)];
  request.config.max_ratio = 0.5 + 0.25 * static_cast<double>(random.below(3));
  request.config.max_extra = 2 + static_cast<int64_t>(random.below(5));
  request.nbest = 1 + static_cast<int64_t>(random.below(static_cast<uint64_t>(request.config.beam)));
  return request;
}

inline std::vector<std::vector<Hypothesis>> search(const MadeModel& made, const std::vector<SearchTask>& tasks,
                                                   const SearchRequest& request) {
  DecodableModel* const models[] = {made.model.get()};
  return search(models, made.sizes.target, tasks, request);
}

}  // namespace verbund
