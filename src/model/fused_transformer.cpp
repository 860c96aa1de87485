// SPDX-License-Identifier: Apache-2.0
#include "model/fused_transformer.h"

#include <algorithm>
#include <cmath>

namespace verbund {
namespace {

// The number of rows of logits that are computed and turned into their gradient at a time: few on a CPU, so that they
// stay near its caches; many on a GPU, since each time all of the output matrix's gradient is read and written.
int64_t rows_of_logits(const Device& device, int64_t vocabulary, FloatType type) {
  constexpr int64_t kRowsOnHost = 512, kBytesOnGpu = 256 << 20;
  if (device.is_host()) return kRowsOnHost;
  return std::max(kRowsOnHost, kBytesOnGpu / (vocabulary * size_of(type)));
}

// The most columns whose sums are taken at a time.
int64_t widest_sum(const ModelConfig& config, VocabularySizes vocabularies) {
  const int64_t projections = 3 * config.d_model * std::max<int64_t>(1, config.decoder_layers);
  return std::max({projections, config.d_ff, config.output_bias ? vocabularies.target : 0});
}

}  // namespace

FusedTransformer::FusedTransformer(Device& device, const ModelConfig& config, VocabularySizes vocabularies)
    : device_(device),
      config_(config),
      table_(config, vocabularies),
      order_(order_with_rows(config, table_)),
      weights_(device, static_cast<size_t>(table_.buffer_size())),
      gradients_(device, static_cast<size_t>(table_.buffer_size()), "gradients"),
      partial_sums_(device, static_cast<size_t>(partial_sums_size(widest_sum(config, vocabularies))), "partial sums"),
      packed_(weights_),
      workspace_(device),
      context_{device,          workspace_,          config_,           table_,
               weights_.data(), weights_.operands(), gradients_.data(), partial_sums_.data()},
      source_embedding_(context_.tensor("source.embedding")),
      target_embedding_(config.share_embeddings == Sharing::kAll ? source_embedding_
                                                                 : context_.tensor("target.embedding")),
      output_(config.share_embeddings == Sharing::kNone ? context_.tensor("output.weight") : target_embedding_),
      output_bias_(context_.optional("output.bias")),
      target_size_(vocabularies.target),
      source_norm_(context_, norm_after(config, "", "encoder.0.self.norm"), site::kSourceEmbedding),
      target_norm_(context_, norm_after(config, "", "decoder.0.self.norm"), site::kTargetEmbedding),
      cross_(context_, "decoder.cross.kv", config.decoder_layers * 2 * config.d_model, config.d_model),
      stepwise_(device, config_, table_, weights_, packed_, vocabularies.target),
      source_caches_(device, "the kv cache"),
      positions_(device, config) {
  for (int64_t i = 0; i < config.encoder_layers; ++i) {
    const std::string layer = fmt::format("encoder.{}.", i);
    const std::string next =
        i + 1 < config.encoder_layers ? fmt::format("encoder.{}.self.norm", i + 1) : "encoder.norm";
    encoder_.push_back(
        {{context_, layer, false, site::encoder(i, site::kSelfWeights)},
         {context_, norm_after(config, layer + "self.norm", layer + "ff.norm"), site::encoder(i, site::kSelfOut)},
         {context_, layer, site::encoder(i, site::kRelu)},
         {context_, norm_after(config, layer + "ff.norm", next), site::encoder(i, site::kFeedForwardOut)}});
  }
  for (int64_t i = 0; i < config.decoder_layers; ++i) {
    const std::string layer = fmt::format("decoder.{}.", i);
    const std::string next =
        i + 1 < config.decoder_layers ? fmt::format("decoder.{}.self.norm", i + 1) : "decoder.norm";
    decoder_.push_back(
        {{context_, layer, true, site::decoder(i, site::kSelfWeights)},
         {context_, norm_after(config, layer + "self.norm", layer + "cross.norm"), site::decoder(i, site::kSelfOut)},
         {context_, layer, site::decoder(i, site::kCrossWeights)},
         {context_, norm_after(config, layer + "cross.norm", layer + "ff.norm"), site::decoder(i, site::kCrossOut)},
         {context_, layer, site::decoder(i, site::kRelu)},
         {context_, norm_after(config, layer + "ff.norm", next), site::decoder(i, site::kFeedForwardOut)}});
  }
}

Loss FusedTransformer::evaluate(const Batch& batch, std::span<double> cross_entropies) {
  if (batch.sentences() == 0) return {};
  begin(batch, Pass{0, 0, false});
  project(decode(encode()), nullptr);
  device_.download(cross_entropies.data(), cross_entropies_, cross_entropies.size_bytes());
  return loss();
}

std::vector<TokenId> FusedTransformer::predict(const Batch& batch) {
  std::vector<TokenId> best(batch.target_tokens());
  if (batch.sentences() == 0) return best;
  begin(batch, Pass{0, 0, false});
  project(decode(encode()), nullptr);
  device_.download(best.data(), best_, best.size() * sizeof(TokenId));
  return best;
}

std::vector<double> FusedTransformer::token_log_probabilities(const Batch& batch) {
  std::vector<double> values(batch.target_tokens());
  evaluate(batch, values);
  for (double& value : values) value = -value;
  return values;
}

Loss FusedTransformer::accumulate(const Batch& batch, const Pass& pass, const GradientReady& ready) {
  if (batch.sentences() == 0) return {};
  begin(batch, pass);
  const ConstTypedFloats encoded = encode();
  const ConstTypedFloats decoded = decode(encoded);
  float* decoded_gradient = workspace_.take(target_.count * config_.d_model);
  project(decoded, decoded_gradient);
  backward(encoded, decoded_gradient, ready);
  return loss();
}

void FusedTransformer::begin(const Batch& batch, const Pass& pass) {
  workspace_.reset();
  weights_.operands();  // brings them up to date
  context_.pass = pass;
  if (pass.training) packed_.clear();  // it would not be up to date, and take memory
  batch_.put(batch, config_.heads, device_, workspace_);
  source_ = batch_.source();
  target_ = batch_.target();
  context_.output = workspace_.take(std::max(source_.count, target_.count) * config_.d_model);
  positions_.reach(std::max(batch.longest_source, batch.longest_target));
}

ConstTypedFloats FusedTransformer::embed(const Rows& rows, const Tensor& embedding, ResidualNorm& residual_norm,
                                         uint32_t site_number) {
  const int64_t d = config_.d_model;
  device_.embed_forward({
      .rows = rows.count,
      .width = d,
      .ids = rows.ids,
      .table = embedding.value,
      .factor = embedding_factor(config_),
      .position_codes = positions_.at(0),
      .out = context_.output,
      .dropout = context_.dropout(config_.dropout, site_number),
      .token_positions = rows.token_positions,
  });
  // The embedding's dropout is done: the ResidualNorm only norms (pre) or copies (post).
  Context undropped = context_;
  undropped.pass.training = false;
  residual_norm.forward(undropped, rows, nullptr, context_.output, nullptr);
  return residual_norm.output();
}

ConstTypedFloats FusedTransformer::encode() {
  ConstTypedFloats input = embed(source_, source_embedding_, source_norm_, site::kSourceEmbedding);
  const float* residual = source_norm_.residual();
  const auto add_and_norm = [&](ResidualNorm& after, ConstTypedFloats output, const Tensor& bias) {
    after.forward(context_, source_, residual, output, bias.value);
    residual = after.residual();
    input = after.output();
  };
  for (EncoderLayer& layer : encoder_) {
    add_and_norm(layer.after_attention, layer.attention.forward(context_, source_, batch_.source_weights(), input),
                 layer.attention.out_bias());
    add_and_norm(layer.after_feed_forward, layer.feed_forward.forward(context_, source_, input),
                 layer.feed_forward.out_bias());
  }
  return input;
}

void FusedTransformer::project_keys(ConstTypedFloats encoded, TypedFloats keys) {
  const int64_t d = config_.d_model, stride = config_.decoder_layers * 2 * d;
  keys_ = keys;
  cross_.forward(context_, source_.count, {encoded, d}, {keys_, stride});
}

void FusedTransformer::start_decoding(const std::vector<Sentence>& sources) {
  stepwise_.start();
  join_decoding(sources);
}

void FusedTransformer::join_decoding(const std::vector<Sentence>& sources) {
  if (sources.empty()) return;
  clear(sources_);
  for (const Sentence& source : sources) append(sources_, source, {}, sources_.sentences());
  packed_.update();
  begin(sources_, Pass{0, 0, false});
  context_.packed = &packed_;
  const FloatType dtype = device_.compute_dtype();
  const auto keys = source_caches_.take_bytes(static_cast<size_t>(keys_size() * size_of(dtype)));
  project_keys(encode(), {keys->data(), dtype});
  context_.packed = nullptr;
  stepwise_.join(keys, sources_.source_offsets);
}

ConstTypedFloats FusedTransformer::decode(ConstTypedFloats encoded) {
  const int64_t d = config_.d_model, stride = config_.decoder_layers * 2 * d;
  project_keys(encoded, workspace_.take_operand(keys_size()));
  ConstTypedFloats input = embed(target_, target_embedding_, target_norm_, site::kTargetEmbedding);
  const float* residual = target_norm_.residual();
  const auto add_and_norm = [&](ResidualNorm& after, ConstTypedFloats output, const Tensor& bias) {
    after.forward(context_, target_, residual, output, bias.value);
    residual = after.residual();
    input = after.output();
  };
  for (size_t i = 0; i < decoder_.size(); ++i) {
    DecoderLayer& layer = decoder_[i];
    add_and_norm(layer.after_attention, layer.attention.forward(context_, target_, batch_.target_weights(), input),
                 layer.attention.out_bias());
    add_and_norm(layer.after_cross,
                 layer.cross.forward(context_, target_, source_, batch_.cross_weights(), input,
                                     keys_ + static_cast<int64_t>(i) * 2 * d, stride),
                 layer.cross.out_bias());
    add_and_norm(layer.after_feed_forward, layer.feed_forward.forward(context_, target_, input),
                 layer.feed_forward.out_bias());
  }
  return input;
}

// The loss of each token and, if decoded_gradient is not null, the gradient of `decoded`.
void FusedTransformer::project(ConstTypedFloats decoded, float* decoded_gradient) {
  const int64_t d = config_.d_model, v = target_size_, n = target_.count;
  smoothed_ = workspace_.take<double>(n);
  cross_entropies_ = workspace_.take<double>(n);
  best_ = workspace_.take<TokenId>(n);
  sums_ = workspace_.take<LossSums>(1);
  const Workspace::Temporary temporary(workspace_);
  // While training, logits have the compute dtype and their gradient replaces them; losses without gradient are
  // computed from logits in float.
  const bool trains = decoded_gradient != nullptr;
  const FloatType type = trains ? device_.compute_dtype() : FloatType::kFp32;
  const int64_t max_rows = std::min(n, rows_of_logits(device_, v, type));
  const TypedFloats logits = workspace_.take(max_rows * v, type);
  const TypedFloats gradient = trains ? logits : TypedFloats();
  for (int64_t first = 0; first < n; first += max_rows) {
    const int64_t rows = std::min(max_rows, n - first);
    const ConstMatrixRows x = {decoded + first * d, d};
    multiply_nt(device_, rows, v, d, x, output_.operand, {logits, v}, Into::kReplace);
    if (output_bias_.value != nullptr) device_.add_bias({rows, v, logits, v, output_bias_.value});
    device_.loss({rows, v, logits, batch_.target_output() + first, config_.label_smoothing, gradient,
                  context_.pass.loss_scale, smoothed_ + first, cross_entropies_ + first, best_ + first});
    if (!trains) continue;
    if (output_bias_.value != nullptr) {
      device_.column_sums({rows, v, gradient, output_bias_.gradient, context_.partial_sums});
    }
    add_outer_product(device_, rows, v, d, {gradient, v}, x, output_.gradient);
    multiply_nn(device_, rows, d, v, {gradient, v}, output_.operand, {decoded_gradient + first * d, d}, Into::kReplace);
  }
  device_.sum_losses({n, smoothed_, cross_entropies_, best_, batch_.target_output(), sums_});
}

// Waits for the device.
Loss FusedTransformer::loss() const {
  LossSums sums;
  device_.download(&sums, sums_, sizeof(sums));
  return {sums.smoothed, sums.cross_entropy, target_.count, static_cast<int64_t>(sums.correct)};
}

Loss& Loss::operator+=(const Loss& other) {
  smoothed += other.smoothed;
  cross_entropy += other.cross_entropy;
  tokens += other.tokens;
  correct += other.correct;
  return *this;
}

std::unique_ptr<DecodableModel> make_fused_transformer(Device& device, const ModelConfig& config,
                                                       VocabularySizes vocabularies) {
  return std::make_unique<FusedTransformer>(device, config, vocabularies);
}

}  // namespace verbund
