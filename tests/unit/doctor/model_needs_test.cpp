// SPDX-License-Identifier: Apache-2.0
#include "doctor/facts.h"

namespace verbund {
namespace {

TEST(ModelNeeds, CountBuffers) {
  Config config;
  const VocabularySizes sizes = {1000, 1000};
  const auto buffer = static_cast<uint64_t>(ParameterTable(config.model, sizes).buffer_size()) * 4;
  ModelNeeds needs = needs_of_model(config, sizes, 4);
  EXPECT_EQ(needs.parameters, ParameterTable(config.model, sizes).count());
  EXPECT_EQ(needs.gradient_bytes, buffer);
  EXPECT_EQ(needs.worker_bytes, 4 * buffer);  // weights, gradient, two of Adam
  EXPECT_EQ(needs.gpu_bytes, 4 * buffer);
  EXPECT_EQ(needs.checkpoint_bytes, 3 * buffer);
  EXPECT_EQ(needs.leader_bytes, 3 * buffer);
  EXPECT_EQ(needs.checkpoints, config.checkpoint.keep_last + 3 + 1);

  config.workers.shard_optimizer = true;
  config.average.decay = 0.999;
  config.checkpoint.asynchronous = false;
  needs = needs_of_model(config, sizes, 4);
  EXPECT_EQ(needs.worker_bytes, 3 * buffer + buffer / 2);
  EXPECT_EQ(needs.checkpoint_bytes, 4 * buffer);
  EXPECT_EQ(needs.leader_bytes, 0U);

  config = Config();
  config.workers.wire = Wire::kInt8;  // each of two hosts keeps a gradient's worth of what was rounded away
  needs = needs_of_model(config, sizes, 4, 2);
  EXPECT_EQ(needs.worker_bytes, 4 * buffer + buffer / 2);
  EXPECT_EQ(needs.gpu_bytes, 4 * buffer);
  EXPECT_EQ(needs.checkpoint_bytes, 5 * buffer);
  EXPECT_EQ(needs.leader_bytes, 7 * buffer);
  EXPECT_EQ(needs_of_model(config, sizes, 4, 1).worker_bytes, 4 * buffer);

  config = Config();
  config.train.precision = Precision::kFp16;  // weights once more, in half the bytes
  EXPECT_EQ(needs_of_model(config, sizes, 1).gpu_bytes, 4 * buffer + buffer / 2);
  config.optimizer.type = OptimizerType::kSgd;
  EXPECT_EQ(needs_of_model(config, sizes, 1).worker_bytes, 2 * buffer);
  config.optimizer.momentum = 0.9;
  EXPECT_EQ(needs_of_model(config, sizes, 1).worker_bytes, 3 * buffer);
}

}  // namespace
}  // namespace verbund
