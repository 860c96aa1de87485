// SPDX-License-Identifier: Apache-2.0
#include "plan/compute_rates.h"

#include <gtest/gtest.h>

#include "plan/prediction.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using testing::HasSubstr;

double step_of_base(const char* gpu, Precision precision, double tokens) {
  const double length = 1320.5 / 32;  // 9, 24, 40 and 55 tokens
  const TokenCounts counts = {tokens, tokens, tokens * length, tokens * length, tokens * length};
  const ComputeRates rates = rates_of_gpu(gpu, precision);
  return seconds_of(work_stages({}, {32768, 32768}, counts), rates) +
         kUpdateBytesPerWeight * 60.9e6 / rates.update_bytes;
}

// The forecast of docs/benchmarks.md counts every kernel; this is its short form.
TEST(GpuRates, AgreeWithTheForecast) {
  EXPECT_NEAR(step_of_base("v100", Precision::kFp16, 25000), 0.1702, 0.1 * 0.1702);
  EXPECT_NEAR(step_of_base("v100", Precision::kFp16, 4096), 0.0322, 0.15 * 0.0322);
  EXPECT_NEAR(step_of_base("a100", Precision::kBf16, 25000), 0.0821, 0.1 * 0.0821);
  EXPECT_NEAR(step_of_base("h100", Precision::kBf16, 25000), 0.0303, 0.1 * 0.0303);
}

TEST(GpuRates, UnknownNamesAndPrecisions) {
  EXPECT_ERROR(rates_of_gpu("v10", Precision::kFp32), UsageError, HasSubstr("--gpu v10"), HasSubstr("v100"));
  EXPECT_ERROR(rates_of_gpu("v100", Precision::kBf16), UsageError, HasSubstr("V100 SXM2"), HasSubstr("bf16"),
               HasSubstr("train.precision=fp16"));
  EXPECT_EQ(fastest_precision("v100"), Precision::kFp16);
  EXPECT_EQ(fastest_precision("a100"), Precision::kBf16);
}

// The given rate comes out again: 2,000 tokens of a worker at 500 a second are a step of 4 s.
TEST(GivenThroughput, AWorkerWithItsShareHasTheGivenRate) {
  AssumedBatches batches({32768, 32768}, 32);
  Scenario scenario;
  scenario.config.batch.tokens = 4000;
  scenario.compute = rates_of_throughput(500, scenario.config, batches, 2);
  scenario.hosts = {{"a", 1}};
  scenario.config.batch.tokens = 2000;
  EXPECT_NEAR(predict(scenario, batches, 1).step.seconds, 4, 1e-6);
  EXPECT_TRUE(scenario.compute.named);
}

}  // namespace
}  // namespace verbund
