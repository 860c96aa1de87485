// SPDX-License-Identifier: Apache-2.0
#include "mixture/prefetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "core/error.h"
#include "core/random.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/data/made_split.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

// Enough to tell any two parts apart: where it is and which sentences in which portions.
struct Part {
  BatchPosition position;
  std::vector<std::vector<uint64_t>> names;

  bool operator==(const Part&) const = default;
};

Part part_of(const WorkerBatch& batch) {
  Part part = {batch.position(), {}};
  for (const Batch& micro_batch : batch.micro_batches()) part.names.push_back(micro_batch.sentence_ids);
  return part;
}

std::vector<Part> take(Prefetcher& prefetcher, size_t count) {
  std::vector<Part> parts;
  for (size_t i = 0; i < count; ++i) parts.push_back(part_of(prefetcher.next()));
  return parts;
}

class PrefetchTest : public ::testing::Test {
 protected:
  PrefetchTest() : split_(write()), plan_(split_, {.tokens = 200}, 1) {}

  // 300 pairs; the source tokens of pair i are all 4 + i.
  Split write() {
    Random random(5, 0);
    std::vector<TokenId> ids;
    std::vector<uint32_t> lengths;
    for (TokenId pair = 0; pair < 300; ++pair) {
      for (int side = 0; side < 2; ++side) {
        lengths.push_back(static_cast<uint32_t>(random.below(20)));
        ids.insert(ids.end(), lengths.back(), 4 + pair);
      }
    }
    return made_split(folder_.path(), "train", 1000, ids, lengths);
  }

  TemporaryFolder folder_;
  Split split_;
  BatchPlan plan_;
};

TEST_F(PrefetchTest, FollowsThePlanAcrossEpochs) {
  Prefetcher prefetcher(plan_, {}, {});
  const BatchPlan expected(split_, {.tokens = 200}, 1);
  BatchPosition position;
  while (position.epoch < 3) {
    const WorkerBatch& batch = prefetcher.next();
    EXPECT_EQ(batch.position(), position);
    EXPECT_EQ(batch.epoch_batches(), expected.batches(position.epoch));
    const std::vector<uint32_t> pairs = expected.batch(position);
    ASSERT_EQ(batch.micro_batches().size(), 1u);
    const Batch& whole = batch.micro_batches()[0];
    EXPECT_THAT(whole.sentence_ids, ::testing::UnorderedElementsAreArray(pairs));
    EXPECT_EQ(batch.global_target_tokens(), whole.target_tokens());
    for (size_t i = 0; i < whole.sentences(); ++i) {
      for (int32_t t = whole.source_offsets[i]; t < whole.source_offsets[i + 1] - 1; ++t) {
        ASSERT_EQ(whole.source[static_cast<size_t>(t)], 4 + static_cast<TokenId>(whole.sentence_ids[i]));
      }
    }
    position = batch.next();
  }
  EXPECT_EQ(position, (BatchPosition{3, 0}));
}

TEST_F(PrefetchTest, GoesOnFromAnyPosition) {
  const BatchShare share = {.rank = 1, .workers = 3, .micro_batch_tokens = 40};
  const size_t count = plan_.batches(0) + plan_.batches(1) + 5;
  Prefetcher from_the_start(plan_, share, {});
  const std::vector<Part> all = take(from_the_start, count);
  for (size_t i = 0; i < count; i += 3) {
    Prefetcher resumed(plan_, share, all[i].position);
    EXPECT_EQ(take(resumed, count - i), std::vector<Part>(all.begin() + static_cast<std::ptrdiff_t>(i), all.end()));
  }
}

TEST_F(PrefetchTest, WorkersTogetherHaveEachSentenceOnce) {
  for (const int workers : {1, 2, 5}) {
    std::vector<std::unique_ptr<Prefetcher>> prefetchers;
    for (int rank = 0; rank < workers; ++rank) {
      prefetchers.push_back(std::make_unique<Prefetcher>(
          plan_, BatchShare{.rank = rank, .workers = workers, .micro_batch_tokens = 50}, BatchPosition{}));
    }
    for (size_t step = 0; step < plan_.batches(0); ++step) {
      std::vector<uint64_t> names;
      size_t target_tokens = 0;
      uint64_t global_target_tokens = 0;
      for (auto& prefetcher : prefetchers) {
        const WorkerBatch& part = prefetcher->next();
        global_target_tokens = part.global_target_tokens();
        for (const Batch& batch : part.micro_batches()) {
          EXPECT_LE(std::max(batch.source_tokens(), batch.target_tokens()), 50u);
          names.insert(names.end(), batch.sentence_ids.begin(), batch.sentence_ids.end());
          target_tokens += batch.target_tokens();
        }
      }
      const std::vector<uint32_t> pairs = plan_.batch({0, step});
      EXPECT_THAT(names, ::testing::UnorderedElementsAreArray(pairs));
      EXPECT_EQ(target_tokens, global_target_tokens);
    }
  }
}

TEST_F(PrefetchTest, AWorkerWithoutASentenceHasNoMicroBatches) {
  const BatchPlan singles(split_, {.tokens = 1}, 1);  // every pair is a batch
  Prefetcher first(singles, {.rank = 0, .workers = 2}, {}), second(singles, {.rank = 1, .workers = 2}, {});
  for (int step = 0; step < 10; ++step) {
    EXPECT_EQ(first.next().micro_batches().size(), 1u);
    const WorkerBatch& nothing = second.next();
    EXPECT_THAT(nothing.micro_batches(), IsEmpty());
    EXPECT_GT(nothing.global_target_tokens(), 0u);
  }
}

TEST_F(PrefetchTest, AfterAnEpochNothingIsAllocated) {
  WorkerBatch batch;
  const auto addresses = [&batch] {
    const Batch& only = batch.micro_batches()[0];
    return std::vector<const void*>{only.source.data(),         only.target_input.data(),   only.target_output.data(),
                                    only.source_offsets.data(), only.target_offsets.data(), only.sentence_ids.data()};
  };
  for (size_t i = 0; i < plan_.batches(0); ++i) batch.fill(plan_, {}, {0, i});
  const auto before = addresses();
  for (size_t i = 0; i < plan_.batches(1); ++i) {
    batch.fill(plan_, {}, {1, i});
    EXPECT_EQ(addresses(), before);
  }
}

TEST_F(PrefetchTest, MemoryIsKeptWhenAWorkerHasFewerMicroBatches) {
  WorkerBatch batch;
  const BatchShare small = {.micro_batch_tokens = 40};
  batch.fill(plan_, small, {0, 0});
  const Batch* first = batch.micro_batches().data();
  const TokenId* tokens = first[1].source.data();
  batch.fill(plan_, {}, {0, 0});
  EXPECT_EQ(batch.micro_batches().size(), 1u);
  batch.fill(plan_, small, {0, 0});
  EXPECT_EQ(batch.micro_batches().data(), first);
  EXPECT_EQ(first[1].source.data(), tokens);
}

TEST_F(PrefetchTest, EndsAtAnyMoment) {
  for (size_t count = 0; count < 8; ++count) {
    Prefetcher prefetcher(plan_, {}, {}, count % 3);
    take(prefetcher, count);
  }
}

// Fills nothing, but counts; what it does besides is up to the test.
Prefetcher::Fill counting(
    std::atomic<int>& count, std::function<void(int)> action = [](int) {}) {
  return [&count, action](WorkerBatch&, BatchPosition) { action(count++); };
}

void wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 5000 && !condition(); ++i) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(condition());
}

TEST_F(PrefetchTest, WorksAheadSoFarAndNoFarther) {
  std::atomic<int> count = 0;
  Prefetcher prefetcher(counting(count), {}, 3);
  wait_until([&] { return count == 4; });  // the place of the caller's batch is still free
  prefetcher.next();
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(count, 4);  // three, and the one that the caller has
  prefetcher.next();
  wait_until([&] { return count == 5; });
}

TEST_F(PrefetchTest, AnErrorComesAfterTheBatchesBeforeIt) {
  std::atomic<int> count = 0;
  Prefetcher prefetcher(counting(count,
                                 [](int i) {
                                   if (i == 2) fail("the disk is gone");
                                 }),
                        {}, 4);
  prefetcher.next();
  prefetcher.next();
  EXPECT_ERROR(prefetcher.next(), Error, HasSubstr("the disk is gone"));
  EXPECT_ERROR(prefetcher.next(), Error, HasSubstr("the disk is gone"));
  EXPECT_EQ(count, 3);
}

TEST_F(PrefetchTest, APositionThatDoesNotExistIsAnError) {
  Prefetcher prefetcher(plan_, {}, {0, 1000});
  EXPECT_ERROR(prefetcher.next(), Error, HasSubstr("batch 1000"), HasSubstr("epoch 0"));
}

TEST_F(PrefetchTest, TimeIsCountedOnlyWhenTheCallerWaits) {
  std::atomic<int> count = 0;
  const auto slow_from_the_fourth = [](int i) { std::this_thread::sleep_for(i < 3 ? 0ms : 1000ms); };
  Prefetcher prefetcher(counting(count, slow_from_the_fourth), {}, 2);
  wait_until([&] { return count == 3; });
  std::this_thread::sleep_for(100ms);
  for (int i = 0; i < 3; ++i) prefetcher.next();  // these are ready
  const double before = prefetcher.seconds_waited();
  EXPECT_LT(before, 0.2);
  prefetcher.next();
  EXPECT_GT(prefetcher.seconds_waited(), before + 0.2);
}

}  // namespace
}  // namespace verbund
