// SPDX-License-Identifier: Apache-2.0
#include "model/device_batch.h"

#include <algorithm>
#include <numeric>

namespace verbund {
namespace {

std::vector<TokenPosition> token_positions(const Batch& batch, const std::vector<int32_t>& offsets) {
  std::vector<TokenPosition> positions;
  positions.reserve(static_cast<size_t>(offsets.back()));
  for (size_t s = 0; s < batch.sentences(); ++s) {
    for (int32_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      positions.push_back({batch.sentence_ids[s], static_cast<uint32_t>(i - offsets[s])});
    }
  }
  return positions;
}

// The offsets of each sentence's attention weights; rows of keys are padded to whole vectors of the CPU.
std::vector<int64_t> weight_offsets(int64_t heads, const std::vector<int32_t>& queries,
                                    const std::vector<int32_t>& keys) {
  std::vector<int64_t> offsets = {0};
  for (size_t s = 0; s + 1 < queries.size(); ++s) {
    const int64_t padded = (int64_t{keys[s + 1]} - keys[s] + 15) / 16 * 16;
    offsets.push_back(offsets.back() + heads * (queries[s + 1] - queries[s]) * padded);
  }
  return offsets;
}

// The rows of a side sorted by token; see TokenOrder.
struct SortedRows {
  std::vector<int32_t> tokens, first, rows;

  explicit SortedRows(const std::vector<TokenId>& ids) : rows(ids.size()) {
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](int32_t a, int32_t b) { return ids[static_cast<size_t>(a)] < ids[static_cast<size_t>(b)]; });
    for (size_t i = 0; i < rows.size(); ++i) {
      const TokenId token = ids[static_cast<size_t>(rows[i])];
      if (!tokens.empty() && tokens.back() == token) continue;
      tokens.push_back(token);
      first.push_back(static_cast<int32_t>(i));
    }
    first.push_back(static_cast<int32_t>(rows.size()));
  }
};

// The offsets of one side's arrays in the upload.
struct SideOffsets {
  size_t ids, offsets, positions;
  size_t order[3] = {};
  int64_t distinct = 0;

  SideOffsets(PackedUpload& upload, const Batch& batch, const std::vector<TokenId>& tokens,
              const std::vector<int32_t>& sentence_offsets, bool ordered)
      : ids(upload.add(tokens)),
        offsets(upload.add(sentence_offsets)),
        positions(upload.add(token_positions(batch, sentence_offsets))) {
    if (!ordered) return;
    const SortedRows sorted(tokens);
    distinct = static_cast<int64_t>(sorted.tokens.size());
    order[0] = upload.add(sorted.tokens);
    order[1] = upload.add(sorted.first);
    order[2] = upload.add(sorted.rows);
  }

  Rows view(const PackedUpload& upload, const Batch& batch, size_t tokens, size_t sentence_ids, bool ordered) const {
    Rows side = {static_cast<int64_t>(tokens),      static_cast<int32_t>(batch.sentences()),
                 upload.at<int32_t>(ids),           upload.at<int32_t>(offsets),
                 upload.at<uint64_t>(sentence_ids), upload.at<TokenPosition>(positions)};
    if (ordered) {
      side.order = {distinct, upload.at<int32_t>(order[0]), upload.at<int32_t>(order[1]), upload.at<int32_t>(order[2])};
    }
    return side;
  }
};

}  // namespace

void DeviceBatch::put(const Batch& batch, int64_t heads, Device& device, Workspace& workspace) {
  const bool ordered = device.needs_token_order();
  upload_.clear();
  const SideOffsets source(upload_, batch, batch.source, batch.source_offsets, ordered);
  const SideOffsets target(upload_, batch, batch.target_input, batch.target_offsets, ordered);
  const size_t sentence_ids = upload_.add(batch.sentence_ids), output = upload_.add(batch.target_output);
  const auto add_offsets = [&](const std::vector<int32_t>& queries, const std::vector<int32_t>& keys,
                               WeightOffsets& weights) {
    const std::vector<int64_t> offsets = weight_offsets(heads, queries, keys);
    weights.total = offsets.back();
    return upload_.add(offsets);
  };
  const size_t source_weights = add_offsets(batch.source_offsets, batch.source_offsets, source_weights_);
  const size_t target_weights = add_offsets(batch.target_offsets, batch.target_offsets, target_weights_);
  const size_t cross_weights = add_offsets(batch.target_offsets, batch.source_offsets, cross_weights_);
  upload_.send(device, workspace);
  source_ = source.view(upload_, batch, batch.source_tokens(), sentence_ids, ordered);
  target_ = target.view(upload_, batch, batch.target_tokens(), sentence_ids, ordered);
  target_output_ = upload_.at<TokenId>(output);
  source_weights_.offsets = upload_.at<int64_t>(source_weights);
  target_weights_.offsets = upload_.at<int64_t>(target_weights);
  cross_weights_.offsets = upload_.at<int64_t>(cross_weights);
}

}  // namespace verbund
