// SPDX-License-Identifier: Apache-2.0
// StepwiseDecoder runs the decoder one token at a time with a kv cache: keys and values of earlier tokens are kept,
// never computed again and never moved. An unfinished sentence (a row) has the addresses of its tokens' cache entries,
// so reordering the beams of a search copies pointers, not caches. Sentences may join at any step: each row has its own
// length and its own source.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "data/batch.h"
#include "device/buffer_pool.h"
#include "device/packed_upload.h"
#include "device/weights.h"
#include "model/position_codes.h"
#include "model/sublayers.h"

namespace verbund {

class StepwiseDecoder {
 public:
  // `weights`: the parameters, as they are when decoding starts; `packed`: is up to date then.
  StepwiseDecoder(Device& device, const ModelConfig& config, const ParameterTable& table, Weights& weights,
                  PackedWeights& packed, int64_t vocabulary);

  // Forgets all sentences.
  void start();
  // `source_cache`: the kv cache of cross-attention, [source tokens, layers, {key, value}, d].
  void join(const std::shared_ptr<const Buffer>& source_cache, const std::vector<int32_t>& source_offsets);
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
  // The kv cache entries of a source sentence; it lives as long as a row has it.
  struct Source {
    std::shared_ptr<const Buffer> cache;
    std::vector<const void*> entries;  // of each of its tokens, [layers, {key, value}, d]
  };
  // A row of this step: the kv cache entries that it attends to.
  struct Row {
    std::shared_ptr<const Source> source;
    std::vector<const void*> entries;  // of each of its tokens, [layers, {query, key, value}, d]
  };
  // The kv cache entries of all rows of this step, see StepAttention.
  struct EntryLists {
    const void* const* entries;
    const int64_t* first;
    const int32_t* counts;
  };

  TypedFloats new_entries() const { return {kv_cache_.back()->data(), device_.compute_dtype()}; }
  void continue_rows(std::span<const NextRow> rows);
  void send(std::span<const NextRow> next);
  ConstTypedFloats embed(const Rows& rows);
  void attend_to_self(size_t layer, ConstTypedFloats input);
  void attend_to_source(size_t layer, ConstTypedFloats input, int32_t* aligned);

  Device& device_;
  ModelConfig config_;
  Workspace workspace_;
  Context context_;
  Tensor embedding_, output_, output_bias_;
  int64_t vocabulary_;
  ResidualNorm embedded_;
  std::vector<Layer> layers_;

  std::vector<Row> rows_;
  // Queries, keys and values of each step since the oldest sentence joined: [rows, layers, {query, key, value}, d].
  std::deque<std::shared_ptr<const Buffer>> kv_cache_;
  BufferPool kv_buffers_;
  PackedUpload upload_;
  const int32_t* ids_ = nullptr;
  const TokenPosition* token_positions_ = nullptr;
  EntryLists own_ = {}, source_ = {};
  PositionCodes positions_;
};

}  // namespace verbund
