// SPDX-License-Identifier: Apache-2.0
#include "collectives/gradient_reducer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/chunks.h"
#include "core/random.h"
#include "support/expect_error.h"
#include "support/on_cpu.h"
#include "support/thread_workers.h"

namespace verbund {
namespace {

constexpr size_t kSize = 20 * kChunk + 77;

WorkersConfig buckets_of(size_t chunks) {
  WorkersConfig config;
  config.bucket_kb = static_cast<int64_t>(chunks * kChunk * sizeof(float) / 1024);
  return config;
}

// A backward pass that finishes the buffer in uneven portions, different ones on each worker.
void fill_and_reduce(GradientReducer& reducer, std::span<float> gradients, int rank) {
  std::fill(gradients.begin(), gradients.end(), 0.0f);
  reducer.begin();
  const size_t portion = 10000 + 7777 * static_cast<size_t>(rank);
  for (size_t from = kSize; from > 0;) {
    const size_t next = from > portion ? from - portion : 0;
    for (size_t i = next; i < from; ++i) gradients[i] = static_cast<float>(i % 1000) + static_cast<float>(rank);
    reducer.mark_ready({next, from});
    from = next;
  }
  reducer.finish();
}

TEST(GradientReducer, SumsWhateverThePortionsAndBuckets) {
  for (const int workers : {1, 2, 3}) {
    for (const size_t chunks : {1, 3, 100}) {
      run_as_workers(workers, [&](Workers& all) {
        Buffer buffer(cpu(), kSize, "a test");
        const std::span<float> gradients = buffer.host();
        GradientReducer reducer(all, buffer, buckets_of(chunks));
        for (int step = 0; step < 2; ++step) {
          fill_and_reduce(reducer, gradients, all.rank());
          for (size_t i = 0; i < kSize; ++i) {
            const size_t expected = i % 1000 * static_cast<size_t>(workers) +
                                    static_cast<size_t>(workers) * static_cast<size_t>(workers - 1) / 2;
            ASSERT_EQ(gradients[i], static_cast<float>(expected)) << i;
          }
        }
      });
    }
  }
}

TEST(GradientReducer, AWorkerWithoutSentencesTakesPart) {
  run_as_workers(2, [](Workers& all) {
    Buffer buffer(cpu(), kSize, "a test");
    const std::span<float> gradients = buffer.host();
    GradientReducer reducer(all, buffer, buckets_of(2));
    if (all.rank() == 0) {
      fill_and_reduce(reducer, gradients, 0);
    } else {
      reducer.begin();
      reducer.finish();
    }
    EXPECT_EQ(gradients[kSize - 1], static_cast<float>((kSize - 1) % 1000));
    EXPECT_EQ(gradients[999], 999);
  });
}

TEST(GradientReducer, ShardedWorkersHaveTheSumsOfTheirOwn) {
  run_as_workers(3, [](Workers& all) {
    WorkersConfig config = buckets_of(4);
    config.shard_optimizer = true;
    Buffer buffer(cpu(), kSize, "a test");
    const std::span<float> gradients = buffer.host();
    GradientReducer reducer(all, buffer, config);
    fill_and_reduce(reducer, gradients, all.rank());
    size_t owned = 0;
    for (const Interval interval : reducer.owned()) {
      owned += interval.size();
      for (size_t i = interval.begin; i < interval.end; ++i)
        ASSERT_EQ(gradients[i], static_cast<float>(i % 1000 * 3 + 3));
    }
    double sum = static_cast<double>(owned);
    all.comm().sum({&sum, 1});
    EXPECT_EQ(sum, kSize);
    EXPECT_LT(owned, kSize / 3 + 2 * kChunk);
  });
}

TEST(GradientReducer, KnowsWhenEachBucketWasOnItsWay) {
  for (const bool sharded : {false, true}) {
    run_as_workers(2, [&](Workers& all) {
      WorkersConfig config = buckets_of(3);
      config.shard_optimizer = sharded;
      Buffer buffer(cpu(), kSize, "a test");
      const std::span<float> gradients = buffer.host();
      GradientReducer reducer(all, buffer, config);
      const BucketTimes* place = nullptr;
      for (int step = 0; step < 3; ++step) {
        fill_and_reduce(reducer, gradients, all.rank());
        const std::span<const BucketTimes> buckets = reducer.buckets();
        ASSERT_EQ(buckets.size(), 7u) << "20 chunks and a bit";
        EXPECT_TRUE(step == 0 || buckets.data() == place) << "nothing is allocated after the first step";
        place = buckets.data();
        double before = 0;
        uint64_t bytes = 0;
        for (const BucketTimes& bucket : buckets) {
          EXPECT_GE(bucket.ready, 0);
          EXPECT_GE(bucket.begin, bucket.ready);
          EXPECT_GE(bucket.begin, before) << "one after the other";
          EXPECT_GT(bucket.end, bucket.begin);
          before = bucket.end;
          bytes += bucket.bytes;
        }
        EXPECT_EQ(bytes, reducer.times().bytes);
        EXPECT_GT(bytes, 0u);
        EXPECT_FALSE(reducer.is_tuning());
      }
    });
  }
}

TEST(GradientReducer, TimesCountFromWhereTheStepBegan) {
  run_as_workers(2, [&](Workers& all) {
    Buffer buffer(cpu(), kSize, "a test");
    const std::span<float> gradients = buffer.host();
    GradientReducer reducer(all, buffer, buckets_of(100));
    reducer.begin(std::chrono::steady_clock::now() - std::chrono::hours(1));
    reducer.finish();
    ASSERT_EQ(reducer.buckets().size(), 1u);
    EXPECT_GE(reducer.buckets()[0].ready, 3600);
  });
}

TEST(GradientReducer, OneWorkerHasNoBucketsAndTunesNothing) {
  Workers alone;
  Buffer buffer(cpu(), 300 * kChunk, "a test");
  const std::span<float> gradients = buffer.host();
  GradientReducer reducer(alone, buffer, {});
  fill_and_reduce(reducer, gradients, 0);
  EXPECT_TRUE(reducer.buckets().empty());
  EXPECT_FALSE(reducer.is_tuning());
}

TEST(GradientReducer, FindsHowToExchangeOnceAndTheSameEverywhere) {
  std::vector<std::string> reports(2);
  run_as_workers(2, [&](Workers& all) {
    Buffer buffer(cpu(), 300 * kChunk, "a test");
    const std::span<float> gradients = buffer.host();
    GradientReducer reducer(all, buffer, {});
    std::string& report = reports[static_cast<size_t>(all.rank())];
    EXPECT_FALSE(reducer.found_settings());
    for (int step = 0; step < 21; ++step) {
      std::fill(gradients.begin(), gradients.end(), 1.0f);
      reducer.begin();
      reducer.finish();
      EXPECT_TRUE(std::all_of(gradients.begin(), gradients.end(), [](float value) { return value == 2; }));
      const std::string said = reducer.take_report();
      EXPECT_EQ(said.empty(), step != 17) << "one line, when all is found";
      report += said;
      EXPECT_EQ(reducer.is_tuning(), step < 18);
    }
    EXPECT_TRUE(reducer.found_settings());
  });
  EXPECT_EQ(reports[0], reports[1]);
  EXPECT_THAT(reports[0], ::testing::ContainsRegex("buckets of .*;.* chunks in flight "));
}

TEST(GradientReducer, TakesWhatWasFoundBefore) {
  run_as_workers(2, [&](Workers& all) {
    Buffer buffer(cpu(), 300 * kChunk, "a test");
    GradientReducer reducer(all, buffer, {});
    reducer.use_found_settings({16 * kChunk, 8});
    reducer.begin();
    reducer.finish();
    EXPECT_FALSE(reducer.is_tuning());
    EXPECT_EQ(reducer.buckets().size(), 19u) << "300 chunks, 16 at a time";
    EXPECT_THAT(reducer.take_report(), ::testing::HasSubstr("8 chunks in flight"));
    EXPECT_EQ(reducer.found_settings(), (ExchangeSettings{16 * kChunk, 8}));
  });
}

// Two tables before all else, as models have them: one table for both sides that is the output too, the target's alone
// is, or neither.
constexpr int64_t kWidth = 40;
constexpr size_t kTable = 2500 * kWidth;  // three chunks and a bit

GradientOrder order_with_rows(Sharing sharing) {
  const bool one = sharing == Sharing::kAll;
  const Interval source = {0, kTable}, target = one ? source : Interval{kTable, 2 * kTable};
  const size_t decoder = 12 * kChunk + 5;
  GradientOrder order;
  order.size = kSize;
  order.lookups = {{target, kWidth, sharing != Sharing::kNone}, {source, kWidth, one}};
  if (sharing != Sharing::kNone) order.events.push_back({target, {}});
  order.events.insert(order.events.end(), {{{decoder, kSize}, {}}, {{}, 0}, {{target.end, decoder}, {}}, {{}, 1}});
  return order;
}

// What a pass of a worker makes, dense and in rows.
struct MadePass {
  std::vector<float> dense;
  std::vector<SparseRows> rows;

  MadePass(const GradientOrder& order, uint64_t rank, uint64_t pass) : dense(order.size) {
    Random random(rank, pass);
    for (const GradientOrder::Event& event : order.events) {
      for (size_t i = event.values.begin; i < event.values.end; ++i) {
        dense[i] = static_cast<float>(random.uniform() - 0.5);
      }
    }
    for (const Lookup& lookup : order.lookups) {
      SparseRows some;
      for (size_t id = 0; id < lookup.place.size() / kWidth; ++id) {
        if (random.below(5) == 0) some.ids.push_back(static_cast<int32_t>(id));
      }
      for (size_t i = 0; i < some.count() * kWidth; ++i) {
        some.values.push_back(static_cast<float>(random.uniform() - 0.5));
      }
      rows.push_back(some);
    }
  }
};

// As a model does it; worker 1 has one pass, worker 2 none, the others two.
std::vector<MadePass> passes_of(const GradientOrder& order, int rank) {
  std::vector<MadePass> passes;
  for (uint64_t pass = 0; pass < (rank == 1 ? 1 : rank == 2 ? 0 : 2); ++pass) {
    passes.emplace_back(order, static_cast<uint64_t>(rank), pass);
  }
  return passes;
}

void run_passes(const GradientOrder& order, GradientReducer& reducer, std::span<float> gradients, int rank) {
  std::fill(gradients.begin(), gradients.end(), 0.0f);
  reducer.begin();
  const std::vector<MadePass> passes = passes_of(order, rank);
  for (const MadePass& pass : passes) {
    const GradientReady ready = reducer.listener(&pass == &passes.back());
    ASSERT_TRUE(ready.rows);
    for (const GradientOrder::Event& event : order.events) {
      for (size_t i = event.values.begin; i < event.values.end; ++i) gradients[i] += pass.dense[i];
      ready.mark_ready(event.values);
      if (event.rows) ready.rows({*event.rows, pass.rows[*event.rows].ids, pass.rows[*event.rows].values});
    }
  }
  reducer.finish();
}

std::vector<double> expected_sum(const GradientOrder& order, int workers) {
  std::vector<double> sum(order.size);
  for (int rank = 0; rank < workers; ++rank) {
    for (const MadePass& pass : passes_of(order, rank)) {
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += pass.dense[i];
      for (size_t l = 0; l < order.lookups.size(); ++l) {
        const SparseRows& rows = pass.rows[l];
        for (size_t i = 0; i < rows.values.size(); ++i) {
          sum[order.lookups[l].place.begin + static_cast<size_t>(rows.ids[i / kWidth]) * kWidth + i % kWidth] +=
              rows.values[i];
        }
      }
    }
  }
  return sum;
}

TEST(GradientReducer, SumsRowsThatAreToldApart) {
  for (const Sharing sharing : {Sharing::kAll, Sharing::kTarget, Sharing::kNone}) {
    const GradientOrder order = order_with_rows(sharing);
    for (const Wire wire : {Wire::kFp32, Wire::kBf16}) {
      for (const int workers : {2, wire == Wire::kFp32 ? 5 : 3}) {
        const std::vector<double> expected = expected_sum(order, workers);
        std::vector<float> bits;  // the same with buckets of any size
        for (const size_t chunks : {2, 100}) {
          std::vector<std::vector<float>> results(static_cast<size_t>(workers));
          run_as_workers(workers, [&](Workers& all) {
            WorkersConfig config = buckets_of(chunks);
            config.wire = wire;
            Buffer buffer(cpu(), kSize, "a test");
            GradientReducer reducer(all, buffer, config, nullptr, order);
            for (int step = 0; step < 2; ++step) run_passes(order, reducer, buffer.host(), all.rank());
            results[static_cast<size_t>(all.rank())] = {buffer.host().begin(), buffer.host().end()};
          });
          if (bits.empty()) bits = results[0];
          for (const auto& result : results) ASSERT_EQ(result, bits) << workers << " workers, " << chunks;
        }
        for (size_t i = 0; i < kSize; ++i) ASSERT_NEAR(bits[i], expected[i], wire == Wire::kFp32 ? 2e-6 : 0.05) << i;
      }
    }
  }
}

TEST(GradientReducer, ShardedWorkersHaveTheRowsOfTheirOwn) {
  for (const Sharing sharing : {Sharing::kAll, Sharing::kTarget, Sharing::kNone}) {
    const GradientOrder order = order_with_rows(sharing);
    const std::vector<double> expected = expected_sum(order, 4);
    run_as_workers(4, [&](Workers& all) {
      WorkersConfig config = buckets_of(4);
      config.shard_optimizer = true;
      Buffer buffer(cpu(), kSize, "a test");
      GradientReducer reducer(all, buffer, config, nullptr, order);
      run_passes(order, reducer, buffer.host(), all.rank());
      for (const Interval interval : reducer.owned()) {
        for (size_t i = interval.begin; i < interval.end; ++i) ASSERT_NEAR(buffer.host()[i], expected[i], 2e-6) << i;
      }
    });
  }
}

TEST(GradientReducer, RowsAreBucketsOfTheirOwn) {
  run_as_workers(2, [&](Workers& all) {
    const GradientOrder order = order_with_rows(Sharing::kAll);
    Buffer buffer(cpu(), kSize, "a test");
    GradientReducer reducer(all, buffer, buckets_of(100), nullptr, order);
    run_passes(order, reducer, buffer.host(), all.rank());
    ASSERT_EQ(reducer.buckets().size(), 5u) << "a table, two parts, rows twice";
    uint64_t bytes = 0;
    for (const BucketTimes& bucket : reducer.buckets()) {
      EXPECT_GT(bucket.end, bucket.begin);
      EXPECT_GT(bucket.bytes, 0u);
      bytes += bucket.bytes;
    }
    EXPECT_EQ(bytes, reducer.times().bytes);
  });
}

// Devices that exchange among themselves, without others: what they are asked for.
class MadeDevices : public DeviceCommunicator {
 public:
  SideStream& stream() override { return *stream_; }
  void all_reduce(float*, size_t count) override { sums.push_back(count); }
  void broadcast(float* values, size_t count, int from_rank) override {
    ASSERT_TRUE(in_group_);
    std::fill_n(values, count, static_cast<float>(from_rank));
    ++broadcasts;
  }
  void all_gather(float* values, size_t count_of_each) override {
    ASSERT_TRUE(in_group_);
    for (int rank = 0; rank < 3; ++rank) {
      std::fill_n(values + static_cast<size_t>(rank) * count_of_each, count_of_each, static_cast<float>(rank));
    }
    ++gathers;
  }
  void group(const std::function<void()>& calls) override {
    in_group_ = true;
    calls();
    in_group_ = false;
  }
  void wait() override {
    if (lost) fail("a device is lost");
    ++waits;
  }
  void abort() noexcept override {}

  bool lost = false;
  std::vector<size_t> sums;
  int broadcasts = 0, gathers = 0, waits = 0;

 private:
  std::unique_ptr<SideStream> stream_ = cpu().make_side_stream();
  bool in_group_ = false;
};

TEST(GradientReducer, OneWorkerAndDevicesTakeNoRows) {
  Workers alone;
  Buffer buffer(cpu(), kSize, "a test");
  EXPECT_FALSE(GradientReducer(alone, buffer, {}, nullptr, order_with_rows(Sharing::kAll)).listener(true).rows);
  run_as_workers(2, [&](Workers& all) {
    MadeDevices devices;
    Buffer own(cpu(), kSize, "a test");
    EXPECT_FALSE(GradientReducer(all, own, {}, &devices, order_with_rows(Sharing::kAll)).listener(true).rows);
  });
}

TEST(GradientReducer, SeveralDevicesHaveOneSizeOfBucketsInEveryRun) {
  for (const int workers : {2, 3}) {
    run_as_workers(workers, [&](Workers& all) {
      MadeDevices devices;
      Buffer buffer(cpu(), 100 * kChunk, "a test");
      GradientReducer reducer(all, buffer, {}, &devices);
      reducer.begin();
      reducer.finish();
      EXPECT_EQ(reducer.is_tuning(), workers == 2) << "the order of two does not matter";
      EXPECT_EQ(devices.waits, 1);
      if (workers == 2) return;
      EXPECT_THAT(devices.sums, ::testing::ElementsAre(64 * kChunk, 36 * kChunk));
    });
  }
}

TEST(GradientReducer, DevicesGatherRowsOfChunksAndBroadcastTheRest) {
  run_as_workers(3, [&](Workers& all) {
    WorkersConfig config;
    config.shard_optimizer = true;
    MadeDevices devices;
    Buffer buffer(cpu(), kSize, "a test");
    Weights weights(cpu(), kSize);
    GradientReducer reducer(all, buffer, config, &devices);
    reducer.share_weights(weights);
    EXPECT_EQ(devices.gathers, 6) << "20 chunks and a bit in rows of 3";
    EXPECT_EQ(devices.broadcasts, 3);
    for (int rank = 0; rank < 3; ++rank) {
      for (const Interval interval : owned_by(rank, 3, kSize)) {
        for (size_t i = interval.begin; i < interval.end; ++i)
          ASSERT_EQ(weights.data()[i], static_cast<float>(rank)) << i;
      }
    }
  });
}

TEST(GradientReducer, ALostDeviceIsAnErrorAndNoSum) {
  run_as_workers(2, [&](Workers& all) {
    MadeDevices devices;
    devices.lost = true;
    Buffer buffer(cpu(), kSize, "a test");
    GradientReducer reducer(all, buffer, buckets_of(4), &devices);
    reducer.begin();
    EXPECT_ERROR(reducer.finish(), Error, ::testing::HasSubstr("a device is lost"));
  });
}

// Residuals are kept from step to step; but a step that is skipped leaves none, for its values may have exploded.
TEST(GradientReducer, KeepsWhatInt8RoundsAwayUnlessTheStepIsSkipped) {
  run_as_workers(2, [](Workers& all) {
    Buffer buffer(cpu(), kSize, "a test");
    const std::span<float> gradients = buffer.host();
    WorkersConfig config = buckets_of(2);
    config.wire = Wire::kInt8;
    GradientReducer reducer(all, buffer, config);
    ASSERT_NE(reducer.feedback(), nullptr);
    const auto sum_of_small = [&](float large) {  // beside a large one
      std::fill(gradients.begin(), gradients.end(), 0.0f);
      for (size_t i = 0; i < kSize; i += kWireBlock) gradients[i] = large;
      for (size_t i = 1; i < kSize; i += kWireBlock) gradients[i] = 0.3f;
      reducer.begin();
      reducer.finish();
      return gradients[1];
    };
    double sum = 0;
    for (int step = 0; step < 100; ++step) {
      sum += sum_of_small(127);
      reducer.settle_residuals(true, 1);
    }
    EXPECT_NEAR(sum, 60, 2);
    sum_of_small(1e30f);
    reducer.settle_residuals(false, 0.5);
    EXPECT_EQ(sum_of_small(127), 0);
    reducer.settle_residuals(true, 4);  // 1.2 are owed by one of them now
    EXPECT_NE(sum_of_small(127), 0);
  });
  run_on_hosts({2}, [](Workers& all) {  // nothing is rounded within a host
    Buffer buffer(cpu(), kSize, "a test");
    WorkersConfig config = buckets_of(2);
    config.wire = Wire::kInt8;
    EXPECT_EQ(GradientReducer(all, buffer, config).feedback(), nullptr);
  });
}

}  // namespace
}  // namespace verbund
