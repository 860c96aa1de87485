#include "plan/work_stages.h"

#include <fmt/format.h>

namespace verbund {
namespace {

// Attention for each pair of tokens and feature: two products forward and four backward, 2 operations each, and
// exponentials and masks, as the emulated GPU counts them (bench/gpu_forecast.py).
constexpr double kAttentionForward = 5, kAttentionBackward = 11;

// Bytes moved by what is no product, counted there as well: those that do not depend on the precision, and those for
// each byte of a factor.
struct Moved {
  double fixed, of_factors;
};
constexpr Moved kJoinForward = {10, 1}, kJoinBackward = {18, 4};  // for each element of a row: residual, dropout, norm
constexpr Moved kReluForward = {0, 2}, kReluBackward = {0, 3};    // for each element of the hidden layer
constexpr Moved kLoss = {0, 2};                                   // for each logit
constexpr Moved kEmbedding = {10, 0};                             // for each element of a row, either way

class StageList {
 public:
  StageList(const ModelConfig& config, VocabularySizes vocabularies, const TokenCounts& tokens)
      : config_(config), table_(config, vocabularies), tokens_(tokens), unready_(size()) {}

  void add(const std::string& name, bool backward) {
    stages_.emplace_back();
    stages_.back().name = name;
    stages_.back().backward = backward;
  }

  // Of a linear map on n rows: one product forward, two backward.
  void linear(double n, double out, double in) { last().products += (last().backward ? 4 : 2) * n * out * in; }
  void attend(double pairs, double share = 1) {
    last().attention += (last().backward ? kAttentionBackward : kAttentionForward) * share * pairs * d();
  }
  void move(double elements, Moved moved) {
    last().bytes += elements * (moved.fixed + 4 * moved.of_factors);
    last().half_bytes += elements * (moved.fixed + 2 * moved.of_factors);
  }
  void join(double rows) { move(rows * d(), last().backward ? kJoinBackward : kJoinForward); }

  // All values from the one of this name on are final, but those that were before.
  void final_from(const std::string& name) { final_from(place(name).begin); }
  void final_from(size_t begin) {
    last().ready = {begin, unready_};
    unready_ = begin;
  }
  void ready(Interval values) { last().ready = values; }
  void rows(LookedUp rows) { last().rows = rows; }

  Interval place(const std::string& name) const {
    const Parameter& parameter = table_.find(name);
    return {static_cast<size_t>(parameter.offset), static_cast<size_t>(parameter.offset + parameter.size)};
  }
  size_t size() const { return static_cast<size_t>(table_.buffer_size()); }
  double d() const { return static_cast<double>(config_.d_model); }
  double hidden() const { return static_cast<double>(config_.d_ff); }
  WorkStage& last() { return stages_.back(); }
  std::vector<WorkStage> take() { return std::move(stages_); }

  void feed_forward(double rows) {
    linear(rows, hidden(), d());
    linear(rows, d(), hidden());
    move(rows * hidden(), last().backward ? kReluBackward : kReluForward);
    join(rows);
  }
  void self_attention(double rows, double pairs, bool causal) {
    linear(rows, 3 * d(), d());
    linear(rows, d(), d());
    attend(pairs, causal ? 0.5 : 1);
    join(rows);
  }
  void cross_attention() {
    linear(tokens_.target, d(), d());
    linear(tokens_.target, d(), d());
    attend(tokens_.cross_pairs);
    join(tokens_.target);
  }
  void keys_of_source() { linear(tokens_.source, static_cast<double>(config_.decoder_layers) * 2 * d(), d()); }
  void embed(double rows) { move(rows * d(), kEmbedding); }

 private:
  const ModelConfig& config_;
  ParameterTable table_;
  const TokenCounts& tokens_;
  size_t unready_;  // values before this one are not final yet
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

// Logits, loss and both gradients of the output product, block of rows by block of rows: one stage.
void add_output(StageList& list, VocabularySizes vocabularies, const TokenCounts& tokens) {
  const auto pieces = static_cast<double>(vocabularies.target);
  list.add("output and loss", false);
  list.linear(tokens.target, pieces, list.d());
  list.last().products *= 3;
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

std::vector<WorkStage> work_stages(const ModelConfig& config, VocabularySizes vocabularies, const TokenCounts& tokens,
                                   EmbeddingGradients embeddings) {
  StageList list(config, vocabularies, tokens);
  const bool first = embeddings == EmbeddingGradients::kFirst;
  add_forward(list, config, tokens);
  add_output(list, vocabularies, tokens);

  // Embeddings lie at the begin of the buffer, an output matrix of its own at the end.
  const size_t end_of_embeddings = list.place("encoder.0.self.norm.scale").begin;
  const Sharing sharing = config.share_embeddings;
  if (sharing == Sharing::kNone) {
    list.final_from("output.weight");
  } else if (first) {
    list.ready(sharing == Sharing::kAll ? Interval{0, end_of_embeddings}
                                        : Interval{list.place("target.embedding").begin, end_of_embeddings});
  }

  for (int64_t i = config.decoder_layers; i-- > 0;) {
    list.add(fmt::format("decoder {}, feed-forward", i), true);
    list.feed_forward(tokens.target);
    list.final_from(fmt::format("decoder.{}.ff.in.weight", i));
    list.add(fmt::format("decoder {}, attention", i), true);
    list.cross_attention();
    list.self_attention(tokens.target, tokens.target_pairs, true);
    list.final_from(fmt::format("decoder.{}.self.qkv.weight", i));
  }
  list.add("keys and values of the source", true);
  list.embed(tokens.target);
  list.keys_of_source();
  list.final_from("decoder.cross.kv.weight");
  if (first) list.rows(LookedUp::kTargetRows);
  for (int64_t i = config.encoder_layers; i-- > 0;) {
    list.add(fmt::format("encoder {}, feed-forward", i), true);
    list.feed_forward(tokens.source);
    list.final_from(fmt::format("encoder.{}.ff.in.weight", i));
    list.add(fmt::format("encoder {}, attention", i), true);
    list.self_attention(tokens.source, tokens.source_pairs, false);
    list.final_from(fmt::format("encoder.{}.self.qkv.weight", i));
  }
  list.add("embedding of the source", true);
  list.embed(tokens.source);
  list.final_from(first ? end_of_embeddings : 0);
  if (first) list.rows(LookedUp::kSourceRows);
  return list.take();
}

}  // namespace verbund
