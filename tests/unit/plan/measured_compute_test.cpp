// SPDX-License-Identifier: Apache-2.0
#include "plan/measured_compute.h"

#include <gtest/gtest.h>

#include "core/machine.h"
#include "support/busy_processes.h"

namespace verbund {
namespace {

Config tiny() {
  Config config;
  config.device = DeviceChoice::kCpu;
  config.model.d_model = 16;
  config.model.d_ff = 32;
  config.model.heads = 2;
  config.model.encoder_layers = config.model.decoder_layers = 1;
  return config;
}

TEST(MeasuredCompute, AMadeBatchHasItsTokensInSentencesOfOneLength) {
  const Batch batch = made_batch({50, 60}, 10, 95);
  EXPECT_EQ(batch.target_tokens(), 100);
  const TokenCounts counts = counts_of(batch);
  EXPECT_EQ(counts.source, 100);
  EXPECT_EQ(counts.target_pairs, 10 * 100);
}

TEST(MeasuredCompute, SaysWhatItMeasured) {
  const ComputeRates rates = measure_compute(tiny(), {50, 50}, made_batch({50, 50}, 10, 300), 1);
  EXPECT_GT(rates.gemm, 1e6);
  EXPECT_LT(rates.gemm, 1e13);
  EXPECT_GT(rates.update_bytes, 0);
  EXPECT_FALSE(rates.named);
  EXPECT_FALSE(rates.gpu);
  EXPECT_NE(rates.source.find("1 thread"), std::string::npos) << rates.source;
}

TEST(MeasuredCompute, SaysThatTheMachineWasBusy) {
  const size_t cores = allowed_cores().size();
  const BusyProcesses others(2 * cores);
  const auto threads = static_cast<int>(cores);
  EXPECT_NE(measure_compute(tiny(), {50, 50}, made_batch({50, 50}, 10, 300), threads).load, "");
}

}  // namespace
}  // namespace verbund
