// The decoder one token at a time. Keys and values of earlier tokens are kept, never computed again
// and never moved: an unfinished sentence (a row) knows its ancestors by where their keys lie, so
// reordering the beams of a search copies pointers, not caches.
#pragma once

#include <span>
#include <vector>

#include "data/batch.h"
#include "device/packed_upload.h"
#include "device/weights.h"
#include "model/position_codes.h"
#include "model/sublayers.h"

namespace verbund {

class StepwiseDecoder {
 public:
  // `weights`: the parameters, as they are when decoding starts.
  StepwiseDecoder(Device& device, const ModelConfig& config, const ParameterTable& table, Weights& weights,
                  int64_t vocabulary);

  // `keys`: [source tokens, layers, {key, value}, d], which must stay while decoding.
  void start(ConstTypedFloats keys, const std::vector<int32_t>& source_offsets);
  // See DecodableModel.
  const float* step(std::span<const NextRow> rows, int32_t* aligned);

 private:
  struct Layer {
    Linear qkv, self_out;
    ResidualNorm after_self;
    Linear query, cross_out;
    ResidualNorm after_cross;
    FeedForward feed_forward;
    ResidualNorm after_feed_forward;
  };
  // A row of this step: the keys it attends to.
  struct Row {
    int32_t sentence;
    std::vector<const void*> own;  // where its tokens' [layers, {query, key, value}, d] lie
  };
  // The keys of all rows of this step, see StepAttention.
  struct KeyLists {
    const void* const* keys;
    const int64_t* first;
    const int32_t* counts;
  };

  TypedFloats cache_at(int64_t position) const;
  void continue_rows(std::span<const NextRow> rows);
  void send(std::span<const NextRow> next);
  ConstTypedFloats embed(const Rows& rows);
  void attend_to_self(size_t layer, ConstTypedFloats input);
  void attend_to_source(size_t layer, ConstTypedFloats input, int32_t* aligned);

  Device& device_;
  ModelConfig config_;
  Workspace workspace_;
  Context context_;
  Tensor embedding_, output_;
  int64_t vocabulary_;
  ResidualNorm embedded_;
  std::vector<Layer> layers_;

  // Of each sentence: where its tokens' keys lie, all of them in one array, and where in it they begin.
  std::vector<const void*> source_keys_;
  std::vector<int32_t> source_offsets_;
  int64_t position_ = 0;  // of the next token
  std::vector<Row> rows_;
  std::vector<Buffer> cache_;  // of each position: [rows, layers, {query, key, value}, d]
  PackedUpload upload_;
  const int32_t* ids_ = nullptr;
  const TokenPosition* names_ = nullptr;
  KeyLists own_ = {}, source_ = {};
  PositionCodes positions_;
};

}  // namespace verbund
