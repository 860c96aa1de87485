#include "model/transformer.h"

#include <cmath>

#include "core/error.h"
#include "core/float_buffer.h"
#include "model/stepwise_decoder.h"
#include "model/sublayers.h"

namespace verbund {
namespace {

// Rows of logits that are made, turned into their gradient and used up at a time.
constexpr int64_t kLossRows = 512;

struct EncoderLayer {
  SelfAttention attention;
  Join after_attention;
  FeedForward feed_forward;
  Join after_feed_forward;
};

struct DecoderLayer {
  SelfAttention attention;
  Join after_attention;
  CrossAttention cross;
  Join after_cross;
  FeedForward feed_forward;
  Join after_feed_forward;
};

class FusedTransformer final : public DecodableModel {
 public:
  FusedTransformer(const ModelConfig& config, VocabularySizes vocabularies);

  Loss evaluate(const Batch& batch) override { return evaluate(batch, {}); }
  Loss evaluate(const Batch& batch, std::span<double> cross_entropies) override;
  using DecodableModel::accumulate;
  Loss accumulate(const Batch& batch, const Pass& pass, const GradientsFinal& final_from) override;
  std::vector<TokenId> predict(const Batch& batch) override;
  void start_decoding(const std::vector<Sentence>& sources) override;
  const float* step(std::span<const NextRow> rows, int32_t* aligned) override { return stepwise_.step(rows, aligned); }
  std::vector<double> token_log_probabilities(const Batch& batch) override;
  std::span<float> values() override { return values_.values(); }
  std::span<float> gradients() override { return gradients_.values(); }
  const ParameterTable& table() const override { return table_; }

 private:
  void begin(const Batch& batch, const Pass& pass);
  const float* encode();
  void project_keys(const float* encoded);
  const float* decode(const float* encoded);
  Loss project(const float* decoded, float* decoded_gradient, TokenId* best, double* cross_entropies = nullptr);
  void backward(const float* encoded, float* decoded_gradient, const GradientsFinal& final_from);
  size_t offset_of(const std::string& name) const { return static_cast<size_t>(table_.find(name).offset); }
  void name_rows(const Batch& batch);
  const int64_t* weight_offsets(const std::vector<int32_t>& queries, const std::vector<int32_t>& keys);

  const float* embed(const Rows& rows, const Tensor& embedding, Join& join, uint32_t site_number);
  void embed_backward(const Rows& rows, const Tensor& embedding, const Join& join, uint32_t site_number,
                      const float* input_gradient, float* residual_gradient);
  // Backward through a join and the sublayer before it; see the .cpp.
  template <typename Sublayer>
  void back(const Rows& rows, const Join& join, const Tensor& out_bias, Sublayer sublayer_backward);

  ModelConfig config_;
  ParameterTable table_;
  FloatBuffer values_, gradients_, partial_sums_;
  Workspace workspace_;
  Context context_;

  Tensor source_embedding_, target_embedding_, output_;
  int64_t target_size_;
  Join source_join_, target_join_;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  Linear cross_;
  StepwiseDecoder stepwise_;
  Batch sources_;  // while decoding

  std::vector<float> positions_;
  std::vector<RowName> source_names_, target_names_;
  const Batch* batch_ = nullptr;
  Rows source_, target_;
  const int64_t *source_weights_ = nullptr, *target_weights_ = nullptr, *cross_weights_ = nullptr;
  float* keys_ = nullptr;  // [S, layers, {key, value}, d]
  // Gradients on their way down: of what a sublayer reads, and of the residual beside it.
  float *input_gradient_ = nullptr, *residual_gradient_ = nullptr;
};

FusedTransformer::FusedTransformer(const ModelConfig& config, VocabularySizes vocabularies)
    : config_(config),
      table_(config, vocabularies),
      values_(static_cast<size_t>(table_.buffer_size())),
      gradients_(static_cast<size_t>(table_.buffer_size())),
      partial_sums_(static_cast<size_t>(
          partial_sums_size(std::max(3 * config.d_model * std::max<int64_t>(1, config.decoder_layers), config.d_ff)))),
      context_{config_, table_, values_.data(), gradients_.data(), &workspace_, partial_sums_.data(), nullptr, {}},
      source_embedding_(context_.tensor("source.embedding")),
      target_embedding_(config.share_embeddings == Sharing::kAll ? source_embedding_
                                                                 : context_.tensor("target.embedding")),
      output_(config.share_embeddings == Sharing::kNone ? context_.tensor("output.weight") : target_embedding_),
      target_size_(vocabularies.target),
      source_join_(context_, norm_behind(config, "", "encoder.0.self.norm"), site::kSourceEmbedding),
      target_join_(context_, norm_behind(config, "", "decoder.0.self.norm"), site::kTargetEmbedding),
      cross_(context_, "decoder.cross.kv", config.decoder_layers * 2 * config.d_model, config.d_model),
      stepwise_(config_, table_, values_.data(), vocabularies.target) {
  for (int64_t i = 0; i < config.encoder_layers; ++i) {
    const std::string layer = fmt::format("encoder.{}.", i);
    const std::string next =
        i + 1 < config.encoder_layers ? fmt::format("encoder.{}.self.norm", i + 1) : "encoder.norm";
    encoder_.push_back(
        {{context_, layer, false, site::encoder(i, site::kSelfWeights)},
         {context_, norm_behind(config, layer + "self.norm", layer + "ff.norm"), site::encoder(i, site::kSelfOut)},
         {context_, layer, site::encoder(i, site::kRelu)},
         {context_, norm_behind(config, layer + "ff.norm", next), site::encoder(i, site::kFeedForwardOut)}});
  }
  for (int64_t i = 0; i < config.decoder_layers; ++i) {
    const std::string layer = fmt::format("decoder.{}.", i);
    const std::string next =
        i + 1 < config.decoder_layers ? fmt::format("decoder.{}.self.norm", i + 1) : "decoder.norm";
    decoder_.push_back(
        {{context_, layer, true, site::decoder(i, site::kSelfWeights)},
         {context_, norm_behind(config, layer + "self.norm", layer + "cross.norm"), site::decoder(i, site::kSelfOut)},
         {context_, layer, site::decoder(i, site::kCrossWeights)},
         {context_, norm_behind(config, layer + "cross.norm", layer + "ff.norm"), site::decoder(i, site::kCrossOut)},
         {context_, layer, site::decoder(i, site::kRelu)},
         {context_, norm_behind(config, layer + "ff.norm", next), site::decoder(i, site::kFeedForwardOut)}});
  }
}

Loss FusedTransformer::evaluate(const Batch& batch, std::span<double> cross_entropies) {
  if (batch.sentences() == 0) return {};
  begin(batch, Pass{0, 0, false});
  return project(decode(encode()), nullptr, nullptr, cross_entropies.data());
}

std::vector<TokenId> FusedTransformer::predict(const Batch& batch) {
  std::vector<TokenId> best(batch.target_tokens());
  if (batch.sentences() == 0) return best;
  begin(batch, Pass{0, 0, false});
  project(decode(encode()), nullptr, best.data());
  return best;
}

std::vector<double> FusedTransformer::token_log_probabilities(const Batch& batch) {
  std::vector<double> values(batch.target_tokens());
  evaluate(batch, values);
  for (double& value : values) value = -value;
  return values;
}

Loss FusedTransformer::accumulate(const Batch& batch, const Pass& pass, const GradientsFinal& final_from) {
  if (batch.sentences() == 0) return {};
  begin(batch, pass);
  const float* encoded = encode();
  const float* decoded = decode(encoded);
  float* decoded_gradient = workspace_.take(target_.count * config_.d_model);
  const Loss loss = project(decoded, decoded_gradient, nullptr);
  backward(encoded, decoded_gradient, final_from);
  return loss;
}

void FusedTransformer::begin(const Batch& batch, const Pass& pass) {
  workspace_.reset();
  batch_ = &batch;
  context_.pass = pass;
  name_rows(batch);
  const auto sentences = static_cast<int32_t>(batch.sentences());
  source_ = {static_cast<int64_t>(batch.source_tokens()),
             sentences,
             batch.source.data(),
             batch.source_offsets.data(),
             batch.names.data(),
             source_names_.data()};
  target_ = {static_cast<int64_t>(batch.target_tokens()),
             sentences,
             batch.target_input.data(),
             batch.target_offsets.data(),
             batch.names.data(),
             target_names_.data()};
  source_weights_ = weight_offsets(batch.source_offsets, batch.source_offsets);
  target_weights_ = weight_offsets(batch.target_offsets, batch.target_offsets);
  cross_weights_ = weight_offsets(batch.target_offsets, batch.source_offsets);
  context_.output = workspace_.take(std::max(source_.count, target_.count) * config_.d_model);
  const int64_t longest = std::max(batch.longest_source, batch.longest_target);
  if (static_cast<int64_t>(positions_.size()) < longest * config_.d_model) {
    positions_ = position_codes(2 * longest, config_.d_model);
  }
}

void FusedTransformer::name_rows(const Batch& batch) {
  const auto fill_names = [&](const std::vector<int32_t>& offsets, std::vector<RowName>& rows) {
    rows.clear();
    for (size_t s = 0; s < batch.sentences(); ++s) {
      for (int32_t i = offsets[s]; i < offsets[s + 1]; ++i) {
        rows.push_back({batch.names[s], static_cast<uint32_t>(i - offsets[s])});
      }
    }
  };
  fill_names(batch.source_offsets, source_names_);
  fill_names(batch.target_offsets, target_names_);
}

// Where each sentence's attention weights start: rows of keys are padded to whole vectors.
const int64_t* FusedTransformer::weight_offsets(const std::vector<int32_t>& queries, const std::vector<int32_t>& keys) {
  auto* offsets = workspace_.take<int64_t>(static_cast<int64_t>(queries.size()));
  offsets[0] = 0;
  for (size_t s = 0; s + 1 < queries.size(); ++s) {
    const int64_t padded = (int64_t{keys[s + 1]} - keys[s] + 15) / 16 * 16;
    offsets[s + 1] = offsets[s] + config_.heads * (queries[s + 1] - queries[s]) * padded;
  }
  return offsets;
}

const float* FusedTransformer::embed(const Rows& rows, const Tensor& embedding, Join& join, uint32_t site_number) {
  const int64_t d = config_.d_model;
  kernels().embed_forward(rows.count, d, rows.ids, embedding.value, std::sqrt(static_cast<float>(d)), positions_.data(),
                          context_.output, context_.dropout(config_.dropout, site_number), rows.rows);
  // The embedding's dropout is done: the join only norms (pre) or copies (post).
  Context undropped = context_;
  undropped.pass.training = false;
  join.forward(undropped, rows, nullptr, context_.output, nullptr);
  return join.output();
}

const float* FusedTransformer::encode() {
  const float* input = embed(source_, source_embedding_, source_join_, site::kSourceEmbedding);
  const float* residual = source_join_.residual();
  const auto join = [&](Join& after, const float* output, const Tensor& bias) {
    after.forward(context_, source_, residual, output, bias.value);
    residual = after.residual();
    input = after.output();
  };
  for (EncoderLayer& layer : encoder_) {
    join(layer.after_attention, layer.attention.forward(context_, source_, source_weights_, input),
         layer.attention.out_bias());
    join(layer.after_feed_forward, layer.feed_forward.forward(context_, source_, input), layer.feed_forward.out_bias());
  }
  return input;
}

void FusedTransformer::project_keys(const float* encoded) {
  const int64_t d = config_.d_model, stride = config_.decoder_layers * 2 * d;
  keys_ = workspace_.take(source_.count * stride);
  cross_.forward(source_.count, {encoded, d}, {keys_, stride});
}

void FusedTransformer::start_decoding(const std::vector<Sentence>& sources) {
  clear(sources_);
  for (const Sentence& source : sources) append(sources_, source, {}, sources_.sentences());
  begin(sources_, Pass{0, 0, false});
  project_keys(encode());
  stepwise_.start(keys_, sources_.source_offsets);
}

const float* FusedTransformer::decode(const float* encoded) {
  const int64_t d = config_.d_model, stride = config_.decoder_layers * 2 * d;
  project_keys(encoded);
  const float* input = embed(target_, target_embedding_, target_join_, site::kTargetEmbedding);
  const float* residual = target_join_.residual();
  const auto join = [&](Join& after, const float* output, const Tensor& bias) {
    after.forward(context_, target_, residual, output, bias.value);
    residual = after.residual();
    input = after.output();
  };
  for (size_t i = 0; i < decoder_.size(); ++i) {
    DecoderLayer& layer = decoder_[i];
    join(layer.after_attention, layer.attention.forward(context_, target_, target_weights_, input),
         layer.attention.out_bias());
    join(layer.after_cross,
         layer.cross.forward(context_, target_, source_, cross_weights_, input, keys_ + static_cast<int64_t>(i) * 2 * d,
                             stride),
         layer.cross.out_bias());
    join(layer.after_feed_forward, layer.feed_forward.forward(context_, target_, input), layer.feed_forward.out_bias());
  }
  return input;
}

// `best` [T] and `cross_entropies` [T], if not null, receive what is known of each token.
Loss FusedTransformer::project(const float* decoded, float* decoded_gradient, TokenId* best, double* cross_entropies) {
  const int64_t d = config_.d_model, v = target_size_, n = target_.count;
  const Workspace::Temporary temporary(workspace_);
  float* logits = workspace_.take(std::min(n, kLossRows) * v);
  auto* smoothed = workspace_.take<double>(n);
  double* plain = cross_entropies != nullptr ? cross_entropies : workspace_.take<double>(n);
  TokenId* predicted = best != nullptr ? best : workspace_.take<TokenId>(n);
  for (int64_t first = 0; first < n; first += kLossRows) {
    const int64_t rows = std::min(kLossRows, n - first);
    const ConstMatrixRows x = {decoded + first * d, d};
    multiply_transposed(rows, v, d, x, output_.value, {logits, v}, Into::kReplace);
    kernels().loss({rows, v, logits, batch_->target_output.data() + first, config_.label_smoothing,
                    decoded_gradient != nullptr, context_.pass.loss_scale, smoothed + first, plain + first,
                    predicted + first});
    if (decoded_gradient == nullptr) continue;
    add_outer_product(rows, v, d, {logits, v}, x, output_.gradient);
    multiply_plain(rows, d, v, {logits, v}, output_.value, {decoded_gradient + first * d, d}, Into::kReplace);
  }
  Loss loss;
  loss.tokens = n;
  for (int64_t i = 0; i < n; ++i) {
    loss.smoothed += smoothed[i];
    loss.plain += plain[i];
    loss.right += predicted[i] == batch_->target_output[static_cast<size_t>(i)] ? 1 : 0;
  }
  return loss;
}

// One step down: through the join into the sublayer's output and the residual, then through the
// sublayer into its input. With post-norm, input and residual are the same activation, so the
// sublayer adds its part to the residual's gradient.
template <typename Sublayer>
void FusedTransformer::back(const Rows& rows, const Join& join, const Tensor& out_bias, Sublayer sublayer_backward) {
  const int64_t d = config_.d_model;
  float* output_gradient = context_.output;
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
// the first: what stands behind a sublayer's first product is final when the sublayer is done. (Before it
// is its norm, which with pre-norm belongs to the sublayer before.)
void FusedTransformer::backward(const float* encoded, float* decoded_gradient, const GradientsFinal& final_from) {
  const int64_t d = config_.d_model, stride = config_.decoder_layers * 2 * d;
  const bool pre = config_.norm == NormPlace::kPre;
  final_from(gradients().size());
  float* keys_gradient = workspace_.take(source_.count * stride);
  const auto start = [&](const Rows& rows, float* gradient) {
    input_gradient_ = gradient;
    residual_gradient_ = workspace_.take(rows.count * d);
    if (pre) std::fill(residual_gradient_, residual_gradient_ + rows.count * d, 0.0f);
  };

  start(target_, decoded_gradient);
  for (size_t i = decoder_.size(); i-- > 0;) {
    DecoderLayer& layer = decoder_[i];
    back(
        target_, layer.after_feed_forward, layer.feed_forward.out_bias(),
        [&](const float* g, MatrixRows dx, Into into) { layer.feed_forward.backward(context_, target_, g, dx, into); });
    final_from(offset_of(fmt::format("decoder.{}.ff.in.weight", i)));
    back(target_, layer.after_cross, layer.cross.out_bias(), [&](const float* g, MatrixRows dx, Into into) {
      layer.cross.backward(context_, target_, source_, g, dx, into, keys_gradient + static_cast<int64_t>(i) * 2 * d);
    });
    back(target_, layer.after_attention, layer.attention.out_bias(),
         [&](const float* g, MatrixRows dx, Into into) { layer.attention.backward(context_, target_, g, dx, into); });
    final_from(offset_of(fmt::format("decoder.{}.self.qkv.weight", i)));
  }
  embed_backward(target_, target_embedding_, target_join_, site::kTargetEmbedding, input_gradient_, residual_gradient_);

  float* encoded_gradient = workspace_.take(source_.count * d);
  cross_.backward(context_, source_.count, {encoded, d}, {keys_gradient, stride}, {encoded_gradient, d},
                  Into::kReplace);
  final_from(offset_of("decoder.cross.kv.weight"));
  start(source_, encoded_gradient);
  for (size_t i = encoder_.size(); i-- > 0;) {
    EncoderLayer& layer = encoder_[i];
    back(
        source_, layer.after_feed_forward, layer.feed_forward.out_bias(),
        [&](const float* g, MatrixRows dx, Into into) { layer.feed_forward.backward(context_, source_, g, dx, into); });
    final_from(offset_of(fmt::format("encoder.{}.ff.in.weight", i)));
    back(source_, layer.after_attention, layer.attention.out_bias(),
         [&](const float* g, MatrixRows dx, Into into) { layer.attention.backward(context_, source_, g, dx, into); });
    final_from(offset_of(fmt::format("encoder.{}.self.qkv.weight", i)));
  }
  embed_backward(source_, source_embedding_, source_join_, site::kSourceEmbedding, input_gradient_, residual_gradient_);
}

void FusedTransformer::embed_backward(const Rows& rows, const Tensor& embedding, const Join& join, uint32_t site_number,
                                      const float* input_gradient, float* residual_gradient) {
  const int64_t d = config_.d_model;
  const float* gradient = input_gradient;  // post: nothing stands between
  if (config_.norm == NormPlace::kPre) {
    join.backward(context_, rows, input_gradient, residual_gradient, residual_gradient, nullptr, nullptr);
    gradient = residual_gradient;
  }
  kernels().embed_backward(rows.count, d, rows.ids, gradient, std::sqrt(static_cast<float>(d)), embedding.gradient,
                           context_.dropout(config_.dropout, site_number), rows.rows);
}

}  // namespace

Loss& Loss::operator+=(const Loss& other) {
  smoothed += other.smoothed;
  plain += other.plain;
  tokens += other.tokens;
  right += other.right;
  return *this;
}

std::vector<float> position_codes(int64_t length, int64_t d) {
  std::vector<float> codes(static_cast<size_t>(length * d));
  const int64_t half = d / 2;
  const double step = std::log(10000.0) / static_cast<double>(std::max<int64_t>(1, half - 1));
  for (int64_t position = 0; position < length; ++position) {
    for (int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) * std::exp(static_cast<double>(i) * -step);
      codes[static_cast<size_t>(position * d + i)] = static_cast<float>(std::sin(angle));
      codes[static_cast<size_t>(position * d + half + i)] = static_cast<float>(std::cos(angle));
    }
  }
  return codes;
}

std::unique_ptr<DecodableModel> make_fused_transformer(const ModelConfig& config, VocabularySizes vocabularies) {
  return std::make_unique<FusedTransformer>(config, vocabularies);
}

}  // namespace verbund
