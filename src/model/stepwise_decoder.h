// The decoder one token at a time. Keys and values of earlier tokens are kept, never computed again
// and never moved: an unfinished sentence (a row) knows its ancestors by where their keys lie, so
// reordering the beams of a search copies pointers, not caches.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "data/batch.h"
#include "model/sublayers.h"

namespace verbund {

class StepwiseDecoder {
 public:
  // `values`: the parameters, as they are when decoding starts.
  StepwiseDecoder(const ModelConfig& config, const ParameterTable& table, const float* values, int64_t vocabulary);

  // `keys`: [source tokens, layers, {key, value}, d], which must stay while decoding.
  void start(const float* keys, const std::vector<int32_t>& source_offsets);
  // See DecodableModel.
  const float* step(std::span<const NextRow> rows, int32_t* aligned);

 private:
  struct Layer {
    Linear qkv, self_out;
    Join after_self;
    Linear query, cross_out;
    Join after_cross;
    FeedForward feed_forward;
    Join after_feed_forward;
  };
  using KeyList = std::vector<const float*>;
  // A row of this step: the keys it attends to.
  struct Row {
    int32_t sentence;
    KeyList own;  // its tokens' [layers, {query, key, value}, d]
  };

  void continue_rows(std::span<const NextRow> rows);
  const float* embed(const Rows& rows, std::span<const NextRow> next);
  void attend_to_self(size_t layer, const float* input);
  void attend_to_source(size_t layer, const float* input, int32_t* aligned);

  ModelConfig config_;
  Workspace workspace_;
  Context context_;
  Tensor embedding_, output_;
  int64_t vocabulary_;
  Join embedded_;
  std::vector<Layer> layers_;

  std::vector<KeyList> sources_;  // of each sentence: where its tokens' keys lie
  int64_t position_ = 0;          // of the next token
  std::vector<Row> rows_;
  std::vector<std::unique_ptr<float[]>> cache_;  // of each position: [rows, layers, {query, key, value}, d]
  std::vector<int64_t> cache_sizes_;
  std::vector<const float*const*> own_lists_, source_lists_;
  std::vector<int32_t> own_counts_, source_counts_;
  std::vector<float> positions_;
  std::vector<TokenId> ids_;
};

}  // namespace verbund
