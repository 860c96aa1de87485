// SPDX-License-Identifier: Apache-2.0
#include "model/gradient_order.h"

#include <algorithm>

namespace verbund {
namespace {

// A parameter's interval with the gap after it, which belongs to no parameter but must be sent with one.
Interval place_with_gap(const ParameterTable& table, const Parameter& parameter) {
  const auto begin = static_cast<size_t>(parameter.offset);
  for (const Parameter& next : table.all()) {
    if (next.offset > parameter.offset) return {begin, static_cast<size_t>(next.offset)};
  }
  return {begin, static_cast<size_t>(table.buffer_size())};
}

Lookup lookup_of(const Parameter& parameter, bool is_dense) {
  const auto begin = static_cast<size_t>(parameter.offset);
  return {{begin, begin + static_cast<size_t>(parameter.size)}, parameter.shape[1], is_dense};
}

}  // namespace

GradientOrder order_without_rows(size_t size) { return {size, {}, {}, 0, {{{0, size}, {}}}}; }

GradientOrder order_with_rows(const ModelConfig& config, const ParameterTable& table) {
  const Sharing sharing = config.share_embeddings;
  const Parameter& source = table.find("source.embedding");
  const Parameter& target = sharing == Sharing::kAll ? source : table.find("target.embedding");
  GradientOrder order;
  order.size = static_cast<size_t>(table.buffer_size());
  order.lookups.resize(2);
  order.lookups[kTargetLookup] = lookup_of(target, sharing != Sharing::kNone);
  order.lookups[kSourceLookup] = lookup_of(source, sharing == Sharing::kAll);
  order.tables_end = place_with_gap(table, target).end;
  if (sharing != Sharing::kNone) order.dense_table = place_with_gap(table, target);

  // The target's rows come between the decoder and the encoder.
  const auto decoder = static_cast<size_t>(table.find("decoder.0.self.qkv.weight").offset);
  if (order.dense_table.size() > 0) order.events.push_back({order.dense_table, {}});
  order.events.push_back({{decoder, order.size}, {}});
  order.events.push_back({{}, kTargetLookup});
  order.events.push_back({{order.tables_end, decoder}, {}});
  order.events.push_back({{}, kSourceLookup});
  return order;
}

CompactIds::CompactIds(std::span<const int32_t> ids) : distinct(ids.begin(), ids.end()) {
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  rows.reserve(ids.size());
  for (const int32_t id : ids) {
    rows.push_back(static_cast<int32_t>(std::lower_bound(distinct.begin(), distinct.end(), id) - distinct.begin()));
  }
}

}  // namespace verbund
