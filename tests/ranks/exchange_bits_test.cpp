// SPDX-License-Identifier: Apache-2.0
// The gradient exchange does not change the bits of whole runs: the same number of workers makes the same bits on any
// layout of hosts and with buckets of any size; and a resumed run makes the bits of an uninterrupted one, on every
// wire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/checkpoint_reader.h"
#include "collectives/chunks.h"
#include "ranks/training_runs.h"

namespace verbund {
namespace {

class ExchangeBits : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    config_.model.d_model = 64;  // a gradient of several chunks
    config_.model.d_ff = 256;
    config_.train.max_steps = kFew;
    prepare_data();
  }

  std::string optimizer(const fs::path& run) { return slurp(run / "checkpoints" / "last" / "optimizer.safetensors"); }
  std::string residuals(const fs::path& run) {
    const fs::path last = run / "checkpoints" / "last";
    return Checkpoint(last).exchange() ? slurp(last / "exchange.safetensors") : "";
  }

  static constexpr int kFew = 12;
};

TEST_F(ExchangeBits, AreTheSameOnAnyLayoutAndWithBucketsOfAnySize) {
  config_.workers.bucket_kb = 128;  // a chunk
  const std::string expected = weights(run_on({4}, "4"));
  ASSERT_GT(expected.size(), 5 * kChunk * sizeof(float)) << "several buckets";
  for (const std::vector<int>& hosts :
       {std::vector{4}, std::vector{2, 2}, std::vector{1, 3}, std::vector{1, 1, 1, 1}}) {
    for (const int64_t kilobytes : {384, 8192}) {
      for (const bool sharded : {false, true}) {
        config_.workers.bucket_kb = kilobytes;
        config_.workers.shard_optimizer = sharded;
        const std::string name =
            fmt::format("{}, {} kB{}", fmt::join(hosts, "+"), kilobytes, sharded ? ", sharded" : "");
        EXPECT_EQ(weights(run_on(hosts, name)), expected) << name;
      }
    }
  }
}

TEST_F(ExchangeBits, AreTheSameInAResumedRunOnEveryWire) {
  for (const Wire wire : {Wire::kFp32, Wire::kBf16, Wire::kFp16, Wire::kInt8}) {
    for (const std::vector<int>& hosts : {std::vector{2, 2}, std::vector{1, 3}}) {
      for (const bool sharded : {false, true}) {
        config_.workers.wire = wire;
        config_.workers.shard_optimizer = sharded;
        const std::string name = fmt::format("{} {}{}", kWireNames[static_cast<size_t>(wire)], fmt::join(hosts, "+"),
                                             sharded ? " sharded" : "");
        const fs::path whole = run_on(hosts, name + " whole");
        config_.train.max_steps = kFew / 2;
        run_on(hosts, name);
        config_.train.max_steps = kFew;
        const fs::path resumed = run_on(hosts, name);
        EXPECT_EQ(weights(resumed), weights(whole)) << name;
        EXPECT_EQ(optimizer(resumed), optimizer(whole)) << name;
        EXPECT_EQ(residuals(resumed), residuals(whole)) << name;
        EXPECT_EQ(residuals(whole).empty(), wire != Wire::kInt8) << name;
      }
    }
  }
}

}  // namespace
}  // namespace verbund
