#include "model/transformer.h"

#include <cmath>
#include <utility>

#include "core/error.h"
#include "device/weights.h"
#include "model/compact_ids.h"
#include "model/device_batch.h"
#include "model/gradient_order.h"
#include "model/position_codes.h"
#include "model/stepwise_decoder.h"
#include "model/sublayers.h"

namespace verbund {
namespace {

// So many rows of logits are made, turned into their gradient and used up at a time. On a CPU few, which stay near its
// caches; on a GPU many, since each time all of the output matrix's gradient is read and written.
int64_t rows_of_logits(const Device& device, int64_t vocabulary, FloatType type) {
  constexpr int64_t kRowsOnHost = 512, kBytesOnGpu = 256 << 20;
  if (device.is_host()) return kRowsOnHost;
  return std::max(kRowsOnHost, kBytesOnGpu / (vocabulary * size_of(type)));
}

struct EncoderLayer {
  SelfAttention attention;
  ResidualNorm after_attention;
  FeedForward feed_forward;
  ResidualNorm after_feed_forward;
};

struct DecoderLayer {
  SelfAttention attention;
  ResidualNorm after_attention;
  CrossAttention cross;
  ResidualNorm after_cross;
  FeedForward feed_forward;
  ResidualNorm after_feed_forward;
};

class FusedTransformer final : public DecodableModel {
 public:
  FusedTransformer(Device& device, const ModelConfig& config, VocabularySizes vocabularies);

  Loss evaluate(const Batch& batch) override { return evaluate(batch, {}); }
  Loss evaluate(const Batch& batch, std::span<double> cross_entropies) override;
  using DecodableModel::accumulate;
  Loss accumulate(const Batch& batch, const Pass& pass, const GradientReady& ready) override;
  std::vector<TokenId> predict(const Batch& batch) override;
  void start_decoding(const std::vector<Sentence>& sources) override;
  const float* step(std::span<const NextRow> rows, int32_t* aligned) override { return stepwise_.step(rows, aligned); }
  std::vector<double> token_log_probabilities(const Batch& batch) override;
  Weights& weights() override { return weights_; }
  Buffer& gradients() override { return gradients_; }
  const ParameterTable& table() const override { return table_; }

 private:
  void begin(const Batch& batch, const Pass& pass);
  ConstTypedFloats encode();
  void project_keys(ConstTypedFloats encoded);
  ConstTypedFloats decode(ConstTypedFloats encoded);
  void project(ConstTypedFloats decoded, float* decoded_gradient);
  Loss loss() const;
  void backward(ConstTypedFloats encoded, float* decoded_gradient, const GradientReady& ready);
  size_t offset_of(const std::string& name) const { return static_cast<size_t>(table_.find(name).offset); }

  ConstTypedFloats embed(const Rows& rows, const Tensor& embedding, ResidualNorm& join, uint32_t site_number);
  const float* embedded_gradient(const Rows& rows, const ResidualNorm& join);
  void embed_backward(const Rows& rows, const Tensor& embedding, const float* gradient, uint32_t site_number,
                      size_t lookup, const GradientReady& ready);
  void tell_rows(const Rows& rows, const float* gradient, const DropoutKey& key, size_t lookup,
                 const GradientReady& ready);
  // Backward through a join and the sublayer before it; see the .cpp.
  template <typename Sublayer>
  void back(const Rows& rows, const ResidualNorm& join, const Tensor& out_bias, Sublayer sublayer_backward);

  Device& device_;
  ModelConfig config_;
  ParameterTable table_;
  const GradientOrder order_;  // if rows are told apart
  Weights weights_;
  Buffer gradients_, partial_sums_;
  Workspace workspace_;
  Context context_;

  Tensor source_embedding_, target_embedding_, output_;
  int64_t target_size_;
  ResidualNorm source_join_, target_join_;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  Linear cross_;
  StepwiseDecoder stepwise_;
  Batch sources_;  // while decoding

  PositionCodes positions_;
  DeviceBatch batch_;
  Rows source_, target_;
  TypedFloats keys_;  // [S, layers, {key, value}, d]
  // Of each target token, [T], and their sums.
  double *smoothed_ = nullptr, *cross_entropies_ = nullptr;
  TokenId* best_ = nullptr;
  LossSums* sums_ = nullptr;
  // Gradients on their way down: of what a sublayer reads, and of the residual beside it.
  float *input_gradient_ = nullptr, *residual_gradient_ = nullptr;
};

FusedTransformer::FusedTransformer(Device& device, const ModelConfig& config, VocabularySizes vocabularies)
    : device_(device),
      config_(config),
      table_(config, vocabularies),
      order_(order_with_rows(config, table_)),
      weights_(device, static_cast<size_t>(table_.buffer_size())),
      gradients_(device, static_cast<size_t>(table_.buffer_size()), "gradients"),
      partial_sums_(device,
                    static_cast<size_t>(partial_sums_size(
                        std::max(3 * config.d_model * std::max<int64_t>(1, config.decoder_layers), config.d_ff))),
                    "partial sums"),
      workspace_(device),
      context_{device,          workspace_,         config_,           table_,
               weights_.data(), weights_.factors(), gradients_.data(), partial_sums_.data()},
      source_embedding_(context_.tensor("source.embedding")),
      target_embedding_(config.share_embeddings == Sharing::kAll ? source_embedding_
                                                                 : context_.tensor("target.embedding")),
      output_(config.share_embeddings == Sharing::kNone ? context_.tensor("output.weight") : target_embedding_),
      target_size_(vocabularies.target),
      source_join_(context_, norm_after(config, "", "encoder.0.self.norm"), site::kSourceEmbedding),
      target_join_(context_, norm_after(config, "", "decoder.0.self.norm"), site::kTargetEmbedding),
      cross_(context_, "decoder.cross.kv", config.decoder_layers * 2 * config.d_model, config.d_model),
      stepwise_(device, config_, table_, weights_, vocabularies.target),
      positions_(device, config.d_model) {
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
  weights_.factors();  // brings them up to date
  context_.pass = pass;
  batch_.put(batch, config_.heads, device_, workspace_);
  source_ = batch_.source();
  target_ = batch_.target();
  context_.output = workspace_.take(std::max(source_.count, target_.count) * config_.d_model);
  positions_.reach(std::max(batch.longest_source, batch.longest_target));
}

ConstTypedFloats FusedTransformer::embed(const Rows& rows, const Tensor& embedding, ResidualNorm& join, uint32_t site_number) {
  const int64_t d = config_.d_model;
  device_.embed_forward(rows.count, d, rows.ids, embedding.value, std::sqrt(static_cast<float>(d)), positions_.at(0),
                        context_.output, context_.dropout(config_.dropout, site_number), rows.rows);
  // The embedding's dropout is done: the join only norms (pre) or copies (post).
  Context undropped = context_;
  undropped.pass.training = false;
  join.forward(undropped, rows, nullptr, context_.output, nullptr);
  return join.output();
}

ConstTypedFloats FusedTransformer::encode() {
  ConstTypedFloats input = embed(source_, source_embedding_, source_join_, site::kSourceEmbedding);
  const float* residual = source_join_.residual();
  const auto join = [&](ResidualNorm& after, ConstTypedFloats output, const Tensor& bias) {
    after.forward(context_, source_, residual, output, bias.value);
    residual = after.residual();
    input = after.output();
  };
  for (EncoderLayer& layer : encoder_) {
    join(layer.after_attention, layer.attention.forward(context_, source_, batch_.source_weights(), input),
         layer.attention.out_bias());
    join(layer.after_feed_forward, layer.feed_forward.forward(context_, source_, input), layer.feed_forward.out_bias());
  }
  return input;
}

void FusedTransformer::project_keys(ConstTypedFloats encoded) {
  const int64_t d = config_.d_model, stride = config_.decoder_layers * 2 * d;
  keys_ = workspace_.take_factors(source_.count * stride);
  cross_.forward(context_, source_.count, {encoded, d}, {keys_, stride});
}

void FusedTransformer::start_decoding(const std::vector<Sentence>& sources) {
  clear(sources_);
  for (const Sentence& source : sources) append(sources_, source, {}, sources_.sentences());
  begin(sources_, Pass{0, 0, false});
  project_keys(encode());
  stepwise_.start(keys_, sources_.source_offsets);
}

ConstTypedFloats FusedTransformer::decode(ConstTypedFloats encoded) {
  const int64_t d = config_.d_model, stride = config_.decoder_layers * 2 * d;
  project_keys(encoded);
  ConstTypedFloats input = embed(target_, target_embedding_, target_join_, site::kTargetEmbedding);
  const float* residual = target_join_.residual();
  const auto join = [&](ResidualNorm& after, ConstTypedFloats output, const Tensor& bias) {
    after.forward(context_, target_, residual, output, bias.value);
    residual = after.residual();
    input = after.output();
  };
  for (size_t i = 0; i < decoder_.size(); ++i) {
    DecoderLayer& layer = decoder_[i];
    join(layer.after_attention, layer.attention.forward(context_, target_, batch_.target_weights(), input),
         layer.attention.out_bias());
    join(layer.after_cross,
         layer.cross.forward(context_, target_, source_, batch_.cross_weights(), input,
                             keys_ + static_cast<int64_t>(i) * 2 * d, stride),
         layer.cross.out_bias());
    join(layer.after_feed_forward, layer.feed_forward.forward(context_, target_, input), layer.feed_forward.out_bias());
  }
  return input;
}

// Loss of each token and, if its place is not null, the gradient of what is projected.
void FusedTransformer::project(ConstTypedFloats decoded, float* decoded_gradient) {
  const int64_t d = config_.d_model, v = target_size_, n = target_.count;
  smoothed_ = workspace_.take<double>(n);
  cross_entropies_ = workspace_.take<double>(n);
  best_ = workspace_.take<TokenId>(n);
  sums_ = workspace_.take<LossSums>(1);
  const Workspace::Temporary temporary(workspace_);
  // Training keeps logits as all that products make, and their gradient replaces them; losses that are reported alone
  // are of logits in full.
  const bool trains = decoded_gradient != nullptr;
  const FloatType type = trains ? device_.compute_dtype() : FloatType::kFp32;
  const int64_t most_rows = std::min(n, rows_of_logits(device_, v, type));
  const TypedFloats logits = workspace_.take(most_rows * v, type);
  const TypedFloats gradient = trains ? logits : TypedFloats();
  for (int64_t first = 0; first < n; first += most_rows) {
    const int64_t rows = std::min(most_rows, n - first);
    const ConstMatrixRows x = {decoded + first * d, d};
    multiply_nt(device_, rows, v, d, x, output_.factors, {logits, v}, Into::kReplace);
    device_.loss({rows, v, logits, batch_.target_output() + first, config_.label_smoothing, gradient,
                  context_.pass.loss_scale, smoothed_ + first, cross_entropies_ + first, best_ + first});
    if (!trains) continue;
    add_outer_product(device_, rows, v, d, {gradient, v}, x, output_.gradient);
    multiply_nn(device_, rows, d, v, {gradient, v}, output_.factors, {decoded_gradient + first * d, d}, Into::kReplace);
  }
  device_.sum_losses(n, smoothed_, cross_entropies_, best_, batch_.target_output(), sums_);
}

// Waits for the device.
Loss FusedTransformer::loss() const {
  LossSums sums;
  device_.download(&sums, sums_, sizeof(sums));
  return {sums.smoothed, sums.cross_entropy, target_.count, static_cast<int64_t>(sums.correct)};
}

// One step down: through the join into the sublayer's output and the residual, then through the
// sublayer into its input. With post-norm, input and residual are the same activation, so the
// sublayer adds its part to the residual's gradient.
template <typename Sublayer>
void FusedTransformer::back(const Rows& rows, const ResidualNorm& join, const Tensor& out_bias, Sublayer sublayer_backward) {
  const int64_t d = config_.d_model;
  const TypedFloats output_gradient = context_.output_factors();
  if (config_.norm == NormPlace::kPre) {
    join.backward(context_, rows, input_gradient_, residual_gradient_, residual_gradient_, output_gradient,
                  out_bias.gradient);
    sublayer_backward(output_gradient, MatrixRows{input_gradient_, d}, Into::kReplace);
  } else {
    join.backward(context_, rows, input_gradient_, nullptr, residual_gradient_, output_gradient, out_bias.gradient);
    sublayer_backward(output_gradient, MatrixRows{residual_gradient_, d}, Into::kAdd);
    std::swap(input_gradient_, residual_gradient_);
  }
}

// Parameters lie in the order in which forward uses them, so backward finishes them from the last to
// the first: what stands after a sublayer's first product is final when the sublayer is done. (Before it
// is its norm, which with pre-norm belongs to the sublayer before.)
void FusedTransformer::backward(ConstTypedFloats encoded, float* decoded_gradient, const GradientReady& ready) {
  const int64_t d = config_.d_model, stride = config_.decoder_layers * 2 * d;
  const bool pre = config_.norm == NormPlace::kPre;
  size_t end = gradients_.size();
  const auto mark_ready_from = [&](size_t begin) { ready.mark_ready({begin, std::exchange(end, begin)}); };
  if (ready.backward_begins) ready.backward_begins();
  // The output product has made all of these but the rows of looked-up tokens.
  if (ready.rows) ready.mark_ready(order_.dense_table);
  if (config_.share_embeddings == Sharing::kNone) mark_ready_from(offset_of("output.weight"));

  const TypedFloats keys_gradient = workspace_.take_factors(source_.count * stride);
  const auto start = [&](const Rows& rows, float* gradient) {
    input_gradient_ = gradient;
    residual_gradient_ = workspace_.take(rows.count * d);
    if (pre) device_.zero(residual_gradient_, static_cast<size_t>(rows.count * d) * sizeof(float));
  };

  start(target_, decoded_gradient);
  for (size_t i = decoder_.size(); i-- > 0;) {
    DecoderLayer& layer = decoder_[i];
    back(target_, layer.after_feed_forward, layer.feed_forward.out_bias(),
         [&](ConstTypedFloats g, MatrixRows dx, Into into) {
           layer.feed_forward.backward(context_, target_, g, dx, into);
         });
    mark_ready_from(offset_of(fmt::format("decoder.{}.ff.in.weight", i)));
    back(target_, layer.after_cross, layer.cross.out_bias(), [&](ConstTypedFloats g, MatrixRows dx, Into into) {
      layer.cross.backward(context_, target_, source_, g, dx, into, keys_gradient + static_cast<int64_t>(i) * 2 * d);
    });
    back(target_, layer.after_attention, layer.attention.out_bias(), [&](ConstTypedFloats g, MatrixRows dx, Into into) {
      layer.attention.backward(context_, target_, g, dx, into);
    });
    mark_ready_from(offset_of(fmt::format("decoder.{}.self.qkv.weight", i)));
  }
  embed_backward(target_, target_embedding_, embedded_gradient(target_, target_join_), site::kTargetEmbedding,
                 kTargetLookup, ready);

  float* encoded_gradient = workspace_.take(source_.count * d);
  cross_.backward(context_, source_.count, {encoded, d}, {keys_gradient, stride}, {encoded_gradient, d},
                  Into::kReplace);
  mark_ready_from(offset_of("decoder.cross.kv.weight"));
  start(source_, encoded_gradient);
  for (size_t i = encoder_.size(); i-- > 0;) {
    EncoderLayer& layer = encoder_[i];
    back(source_, layer.after_feed_forward, layer.feed_forward.out_bias(),
         [&](ConstTypedFloats g, MatrixRows dx, Into into) {
           layer.feed_forward.backward(context_, source_, g, dx, into);
         });
    mark_ready_from(offset_of(fmt::format("encoder.{}.ff.in.weight", i)));
    back(source_, layer.after_attention, layer.attention.out_bias(), [&](ConstTypedFloats g, MatrixRows dx, Into into) {
      layer.attention.backward(context_, source_, g, dx, into);
    });
    mark_ready_from(offset_of(fmt::format("encoder.{}.self.qkv.weight", i)));
  }
  const float* gradient = embedded_gradient(source_, source_join_);
  if (ready.rows) mark_ready_from(order_.tables_end);
  embed_backward(source_, source_embedding_, gradient, site::kSourceEmbedding, kSourceLookup, ready);
  if (!ready.rows) mark_ready_from(0);
}

// Of what the embedding has given to a side.
const float* FusedTransformer::embedded_gradient(const Rows& rows, const ResidualNorm& join) {
  if (config_.norm == NormPlace::kPost) return input_gradient_;  // nothing stands between
  join.backward(context_, rows, input_gradient_, residual_gradient_, residual_gradient_, {}, nullptr);
  return residual_gradient_;
}

void FusedTransformer::embed_backward(const Rows& rows, const Tensor& embedding, const float* gradient,
                                      uint32_t site_number, size_t lookup, const GradientReady& ready) {
  const int64_t d = config_.d_model;
  const DropoutKey key = context_.dropout(config_.dropout, site_number);
  if (ready.rows) return tell_rows(rows, gradient, key, lookup, ready);
  device_.embed_backward(rows.count, d, rows.ids, rows.order, gradient, std::sqrt(static_cast<float>(d)),
                         embedding.gradient, key, rows.rows);
}

// As if the table had the looked-up rows alone.
void FusedTransformer::tell_rows(const Rows& rows, const float* gradient, const DropoutKey& key, size_t lookup,
                                 const GradientReady& ready) {
  if (!device_.is_host()) fail("rows of gradients are told apart on the host alone");
  const int64_t d = config_.d_model;
  const Workspace::Temporary temporary(workspace_);
  CompactIds ids({rows.ids, static_cast<size_t>(rows.count)});
  const size_t size = ids.distinct.size() * static_cast<size_t>(d);
  float* values = workspace_.take(static_cast<int64_t>(size));
  device_.zero(values, size * sizeof(float));
  device_.embed_backward(rows.count, d, ids.rows.data(), {}, gradient, std::sqrt(static_cast<float>(d)), values, key,
                         rows.rows);
  ready.rows({lookup, std::move(ids.distinct), {values, size}});
}

}  // namespace

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
