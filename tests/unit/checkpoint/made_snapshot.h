// SPDX-License-Identifier: Apache-2.0
// MadeSnapshot is a snapshot for tests: all its numbers follow from the step and a size, so that a checkpoint can be
// compared with it.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_format.h"
#include "checkpoint/checkpoint_reader.h"
#include "config/checkpoint_config.h"
#include "core/file.h"

namespace verbund {

class MadeSnapshot {
 public:
  explicit MadeSnapshot(int64_t step, int64_t size = 1000)
      : step_(step), weights_(numbers(1, size)), bias_(numbers(2, 7)), moments_(numbers(3, 2 * size)) {}

  CheckpointSnapshot view() const {
    CheckpointSnapshot snapshot;
    snapshot.step = step_;
    const auto size = static_cast<int64_t>(weights_.size());
    snapshot.weights = {view_tensor<float>("encoder.weight", {size / 10, 10}, weights_),
                        view_tensor<float>("encoder.bias", {7}, bias_)};
    snapshot.optimizer = {view_tensor<float>("moments", {2, size}, moments_)};
    snapshot.average = {view_tensor<float>("encoder.weight", {size / 10, 10}, weights_)};
    snapshot.exchange = {view_tensor<float>("residual.0.0", {size}, weights_)};
    snapshot.state_json = fmt::format(R"({{"step": {}, "epoch": 2}})", step_);
    snapshot.config_yaml = "seed: 1\n";
    return snapshot;
  }

  void overwrite() {
    for (auto* values : {&weights_, &bias_, &moments_}) std::fill(values->begin(), values->end(), -1.0f);
  }

 private:
  std::vector<float> numbers(int64_t which, int64_t size) const {
    std::vector<float> numbers(static_cast<size_t>(size));
    std::iota(numbers.begin(), numbers.end(), static_cast<float>(step_ * 10 + which));
    return numbers;
  }

  int64_t step_;
  std::vector<float> weights_, bias_, moments_;
};

inline void expect_same_tensors(const SafetensorsFile& found, const std::vector<TensorView>& expected) {
  ASSERT_EQ(found.tensors().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const TensorView& tensor = found.tensors()[i];
    EXPECT_EQ(tensor.name, expected[i].name);
    EXPECT_EQ(tensor.shape, expected[i].shape);
    EXPECT_EQ(tensor.dtype, expected[i].dtype);
    EXPECT_TRUE(
        std::equal(tensor.bytes.begin(), tensor.bytes.end(), expected[i].bytes.begin(), expected[i].bytes.end()))
        << tensor.name;
  }
}

inline void expect_same(const Checkpoint& found, const CheckpointSnapshot& expected) {
  EXPECT_EQ(found.step(), expected.step);
  expect_same_tensors(found.weights(), expected.weights);
  ASSERT_NE(found.optimizer(), nullptr);
  expect_same_tensors(*found.optimizer(), expected.optimizer);
  ASSERT_NE(found.average(), nullptr);
  expect_same_tensors(*found.average(), expected.average);
  ASSERT_NE(found.exchange(), nullptr);
  expect_same_tensors(*found.exchange(), expected.exchange);
  EXPECT_EQ(found.state_json(), expected.state_json);
  EXPECT_EQ(found.config_yaml(), expected.config_yaml);
}

// Keeps so many checkpoints, and every `every`th.
inline CheckpointConfig keep(int64_t last, int64_t every = 0) {
  CheckpointConfig config;
  config.keep_last = last;
  config.keep_every = every;
  return config;
}

// The names in a folder, sorted.
inline std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace verbund
