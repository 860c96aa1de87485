// SPDX-License-Identifier: Apache-2.0
#include "model/gradient_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr VocabularySizes kSizes = {50, 50};

ModelConfig model_with(Sharing sharing) {
  ModelConfig config;
  config.d_model = 24;
  config.heads = 4;
  config.d_ff = 40;
  config.encoder_layers = config.decoder_layers = 2;
  config.share_embeddings = sharing;
  return config;
}

// The number of events that report each value.
std::vector<int> reports_of(const GradientOrder& order) {
  std::vector<int> times(order.size);
  for (const GradientOrder::Event& event : order.events) {
    for (size_t i = event.values.begin; i < event.values.end; ++i) ++times[i];
  }
  return times;
}

TEST(GradientOrder, WithoutRowsIsTheWholeBuffer) {
  const GradientOrder order = order_without_rows(100);
  EXPECT_EQ(reports_of(order), std::vector<int>(100, 1));
  EXPECT_TRUE(order.lookups.empty());
}

TEST(GradientOrder, TellsEachValueOnceButThoseOfTablesWithNothingButRows) {
  for (const Sharing sharing : {Sharing::kAll, Sharing::kTarget, Sharing::kNone}) {
    const ModelConfig config = model_with(sharing);
    const ParameterTable table(config, kSizes);
    const GradientOrder order = order_with_rows(config, table);
    ASSERT_EQ(order.lookups.size(), 2u);
    std::vector<int> expected(static_cast<size_t>(table.buffer_size()), 1);
    const size_t first_dense = sharing == Sharing::kAll ? 0
                               : sharing == Sharing::kTarget
                                   ? static_cast<size_t>(table.find("target.embedding").offset)
                                   : order.tables_end;
    std::fill_n(expected.begin(), first_dense, 0);
    EXPECT_EQ(reports_of(order), expected);
    for (const Lookup& lookup : order.lookups) {
      EXPECT_EQ(lookup.width, 24);
      EXPECT_EQ(lookup.place.size(), 50u * 24);
      EXPECT_EQ(lookup.is_dense, lookup.place.begin >= first_dense);
    }
    EXPECT_EQ(order.lookups[kSourceLookup].place.begin, 0u);
    EXPECT_EQ(order.lookups[kTargetLookup].place == order.lookups[kSourceLookup].place, sharing == Sharing::kAll);
  }
}

TEST(GradientOrder, ASharedTableComesFirstAndTheSourceRowsLast) {
  const ModelConfig config = model_with(Sharing::kAll);
  const ParameterTable table(config, kSizes);
  const GradientOrder order = order_with_rows(config, table);
  EXPECT_EQ(order.events.front().values, order.dense_table);
  EXPECT_EQ(order.events.front().values.begin, 0u);
  EXPECT_EQ(order.events.back().rows, kSourceLookup);
}

TEST(CompactIds, EachTokenKnowsItsRow) {
  const std::vector<int32_t> tokens = {7, 2, 7, 30000, 2, 0};
  const CompactIds ids(tokens);
  EXPECT_THAT(ids.distinct, ElementsAre(0, 2, 7, 30000));
  EXPECT_THAT(ids.rows, ElementsAre(2, 1, 2, 3, 1, 0));
}

TEST(CompactIds, NoTokensHaveNone) {
  const CompactIds ids({});
  EXPECT_THAT(ids.distinct, IsEmpty());
  EXPECT_THAT(ids.rows, IsEmpty());
}

}  // namespace
}  // namespace verbund
