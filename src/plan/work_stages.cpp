// SPDX-License-Identifier: Apache-2.0
#include "plan/work_stages.h"

#include <fmt/format.h>

#include <utility>

namespace verbund {
namespace {

// Operations of attention per pair of tokens and feature: two GEMMs forward and four backward, 2 operations each,
// plus exponentials and masks, as the emulated GPU counts them (bench/gpu_forecast.py).
constexpr double kAttentionForward = 5, kAttentionBackward = 11;

// Bytes moved by everything but GEMM, counted there as well: those independent of the precision, and those per byte
// of an operand.
struct Moved {
  double fixed, of_operands;
};
constexpr Moved kResidualNormForward = {10, 1},
                kResidualNormBackward = {18, 4};                // for each element of a row: residual, dropout, norm
constexpr Moved kReluForward = {0, 2}, kReluBackward = {0, 3};  // for each element of the hidden layer
constexpr Moved kLoss = {0, 2};                                 // for each logit
constexpr Moved kEmbedding = {10, 0};                           // for each element of a row, either way

class StageList {
 public:
  StageList(const ModelConfig& config, const ParameterTable& table, const TokenCounts& tokens)
      : config_(config), table_(table), tokens_(tokens), unready_(static_cast<size_t>(table.buffer_size())) {}

  void add(const std::string& name, bool backward) {
    stages_.emplace_back();
    stages_.back().name = name;
    stages_.back().backward = backward;
  }

  // A linear map on n rows: one GEMM forward, two backward.
  void linear(double n, double out, double in) { last().gemm += (last().backward ? 4 : 2) * n * out * in; }
  void attend(double pairs, double share = 1) {
    last().attention += (last().backward ? kAttentionBackward : kAttentionForward) * share * pairs * d();
  }
  void move(double elements, Moved moved) {
    last().bytes += elements * (moved.fixed + 4 * moved.of_operands);
    last().half_bytes += elements * (moved.fixed + 2 * moved.of_operands);
  }
  void residual_norm(double rows) { move(rows * d(), last().backward ? kResidualNormBackward : kResidualNormForward); }

  // Gradients from this parameter on become ready, except those that are already.
  void ready_from(const std::string& name) { ready_from(static_cast<size_t>(table_.find(name).offset)); }
  void ready_from(size_t begin) { last().ready = {begin, std::exchange(unready_, begin)}; }

  double d() const { return static_cast<double>(config_.d_model); }
  double hidden() const { return static_cast<double>(config_.d_ff); }
  WorkStage& last() { return stages_.back(); }
  std::vector<WorkStage> take() { return std::move(stages_); }

  void feed_forward(double rows) {
    linear(rows, hidden(), d());
    linear(rows, d(), hidden());
    move(rows * hidden(), last().backward ? kReluBackward : kReluForward);
    residual_norm(rows);
  }
  void self_attention(double rows, double pairs, bool causal) {
    linear(rows, 3 * d(), d());
    linear(rows, d(), d());
    attend(pairs, causal ? 0.5 : 1);
    residual_norm(rows);
  }
  void cross_attention() {
    linear(tokens_.target, d(), d());
    linear(tokens_.target, d(), d());
    attend(tokens_.cross_pairs);
    residual_norm(tokens_.target);
  }
  void keys_of_source() { linear(tokens_.source, static_cast<double>(config_.decoder_layers) * 2 * d(), d()); }
  void embed(double rows) { move(rows * d(), kEmbedding); }

 private:
  const ModelConfig& config_;
  const ParameterTable& table_;
  const TokenCounts& tokens_;
  size_t unready_;  // values before this one are not ready yet
  std::vector<WorkStage> stages_;
};

void add_forward(StageList& list, const ModelConfig& config, const TokenCounts& tokens) {
  list.add("encoder", false);
  list.embed(tokens.source);
  for (int64_t i = 0; i < config.encoder_layers; ++i) {
    list.self_attention(tokens.source, tokens.source_pairs, false);
    list.feed_forward(tokens.source);
  }
  list.add("decoder", false);
  list.keys_of_source();
  list.embed(tokens.target);
  for (int64_t i = 0; i < config.decoder_layers; ++i) {
    list.self_attention(tokens.target, tokens.target_pairs, true);
    list.cross_attention();
    list.feed_forward(tokens.target);
  }
}

// Logits, loss and both gradients of the output GEMM form one stage, computed block by block.
void add_output(StageList& list, VocabularySizes vocabularies, const TokenCounts& tokens) {
  const auto pieces = static_cast<double>(vocabularies.target);
  list.add("output and loss", false);
  list.linear(tokens.target, pieces, list.d());
  list.last().gemm *= 3;
  list.move(tokens.target * pieces, kLoss);
}

}  // namespace

TokenCounts& TokenCounts::operator+=(const TokenCounts& other) {
  source += other.source;
  target += other.target;
  source_pairs += other.source_pairs;
  target_pairs += other.target_pairs;
  cross_pairs += other.cross_pairs;
  return *this;
}

TokenCounts TokenCounts::operator*(double factor) const {
  return {source * factor, target * factor, source_pairs * factor, target_pairs * factor, cross_pairs * factor};
}

GradientOrder gradient_order(const ModelConfig& config, const ParameterTable& table, bool rows_apart) {
  return rows_apart ? order_with_rows(config, table) : order_without_rows(static_cast<size_t>(table.buffer_size()));
}

std::vector<WorkStage> work_stages(const ModelConfig& config, VocabularySizes vocabularies, const TokenCounts& tokens,
                                   bool rows_apart) {
  const ParameterTable table(config, vocabularies);
  const GradientOrder order = gradient_order(config, table, rows_apart);
  StageList list(config, table, tokens);
  add_forward(list, config, tokens);
  add_output(list, vocabularies, tokens);
  if (config.share_embeddings == Sharing::kNone) {
    list.ready_from("output.weight");
  } else {
    list.last().ready = order.dense_table;
  }

  for (int64_t i = config.decoder_layers; i-- > 0;) {
    list.add(fmt::format("decoder {}, feed-forward", i), true);
    list.feed_forward(tokens.target);
    list.ready_from(fmt::format("decoder.{}.ff.in.weight", i));
    list.add(fmt::format("decoder {}, attention", i), true);
    list.cross_attention();
    list.self_attention(tokens.target, tokens.target_pairs, true);
    list.ready_from(fmt::format("decoder.{}.self.qkv.weight", i));
  }
  list.add("embedding of the target", true);
  list.embed(tokens.target);
  if (rows_apart) list.last().rows = kTargetLookup;
  list.add("keys and values of the source", true);
  list.keys_of_source();
  list.ready_from("decoder.cross.kv.weight");
  for (int64_t i = config.encoder_layers; i-- > 0;) {
    list.add(fmt::format("encoder {}, feed-forward", i), true);
    list.feed_forward(tokens.source);
    list.ready_from(fmt::format("encoder.{}.ff.in.weight", i));
    list.add(fmt::format("encoder {}, attention", i), true);
    list.self_attention(tokens.source, tokens.source_pairs, false);
    list.ready_from(fmt::format("encoder.{}.self.qkv.weight", i));
  }
  list.add("embedding of the source", true);
  list.embed(tokens.source);
  list.ready_from(order.tables_end);
  if (rows_apart) list.last().rows = kSourceLookup;
  return list.take();
}

}  // namespace verbund
