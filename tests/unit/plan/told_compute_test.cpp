#include "plan/told_compute.h"

#include <gtest/gtest.h>

#include "plan/prediction.h"

namespace verbund {
namespace {

// What was told comes out again: 2,000 tokens of a worker at 500 a second are a step of 4 s.
TEST(ToldCompute, AWorkerWithItsShareHasTheRateThatWasTold) {
  AssumedBatches batches({32768, 32768}, 32);
  Scenario scenario;
  scenario.config.batch.tokens = 4000;
  scenario.compute = told_compute(500, scenario.config, batches, 2);
  scenario.hosts = {{"a", 1}};
  scenario.config.batch.tokens = 2000;
  EXPECT_NEAR(predict(scenario, batches, 1).step.seconds, 4, 1e-6);
  EXPECT_TRUE(scenario.compute.named);
}

}  // namespace
}  // namespace verbund
