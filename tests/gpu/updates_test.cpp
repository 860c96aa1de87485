// SPDX-License-Identifier: Apache-2.0
// The GPU operations on flat buffers: optimizer updates, EMA, magnitudes.
#include <cmath>
#include <limits>

#include "gpu/gpu.h"

namespace verbund::updates_test {
namespace {

class GpuUpdates : public GpuTest {};
VERBUND_FOR_EVERY_PRECISION(GpuUpdates);

std::vector<size_t> sizes() {
  std::vector<size_t> result = {1, 1024, 2051};
  Random random(17, 0);
  for (int i = 0; i < 3; ++i) result.push_back(1 + random.below(1500));
  return result;
}

TEST_P(GpuUpdates, Adam) {
  for (const size_t size : sizes()) {
    for (const size_t shift : {0, 1}) {
      const auto run = [&](Device& device) {
        const OnDevice<float> gradients(device, random_values(size + 1, 1)),
            weights(device, random_values(size + 1, 2));
        const OnDevice<float> mean(device, random_values(size + 1, 3));
        const OnDevice<float> square(device, Floats(size + 1, 0.5f));
        const TypedOnDevice copy(device, zeros(static_cast<int64_t>(size + 1)), type());
        AdamUpdate update{size,
                          gradients.data() + shift,
                          weights.data() + shift,
                          mean.data() + shift,
                          square.data() + shift,
                          {},
                          0.5f,
                          0.01f,
                          0.999f,
                          0.9f,
                          0.1f,
                          0.98f,
                          0.02f,
                          1.5f,
                          1e-8f,
                          0.01f};
        if (!device.is_host()) update.operands = copy.data() + static_cast<int64_t>(shift);
        device.adam(update);
        Floats expected = weights.get();
        (shift == 0 ? expected.back() : expected.front()) = 0;
        return Outputs{{"weights", weights.get()},
                       {"mean", mean.get()},
                       {"square", square.get()},
                       {"operands.", device.is_host() ? expected : copy.get()}};
      };
      compare(run, std::to_string(size));
    }
  }
}

TEST_P(GpuUpdates, Sgd) {
  for (const size_t size : sizes()) {
    for (const bool with_momentum : {true, false}) {
      const auto run = [&](Device& device) {
        const OnDevice<float> gradients(device, random_values(size, 1)), weights(device, random_values(size, 2));
        const OnDevice<float> momentum(device, with_momentum ? random_values(size, 3) : Floats());
        const TypedOnDevice copy(device, zeros(static_cast<int64_t>(size)), type());
        SgdUpdate update{size, gradients.data(), weights.data(), momentum.data(), {}, 0.5f, 0.01f, 0.9f, 0.1f};
        if (!device.is_host()) update.operands = copy.data();
        device.sgd(update);
        return Outputs{{"weights", weights.get()},
                       {"momentum", momentum.get()},
                       {"operands.", device.is_host() ? weights.get() : copy.get()}};
      };
      compare(run, std::to_string(size));
    }
  }
}

TEST_P(GpuUpdates, AverageAndSwap) {
  for (const size_t size : sizes()) {
    const auto run = [&](Device& device) {
      const OnDevice<float> weights(device, random_values(size, 1)), average(device, random_values(size, 2));
      device.ema({size, weights.data(), average.data(), 0.1f});
      const Floats averaged = average.get();
      device.swap({size, weights.data(), average.data()});
      return Outputs{{"average", averaged}, {"a", weights.get()}, {"b", average.get()}};
    };
    compare(run, std::to_string(size));
  }
}

TEST_P(GpuUpdates, RoundingIsToTheNearestEven) {
  Floats values = random_values(4001, 1, 1000);
  for (const float special :
       {0.0f, -0.0f, 1e-40f, 6.1e-5f, 5.9e-8f, 2.9e-8f, 65504.0f, 65520.0f, 1e38f, 1.00390625f, 1.01171875f,
        std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    values.push_back(special);
  }
  const OnDevice<float> on_device(device(), values);
  const TypedOnDevice copy(device(), zeros(static_cast<int64_t>(values.size())), type());
  device().round({values.size(), on_device.data(), copy.data()});
  EXPECT_TRUE(same_bits(rounded(values, type()), copy.get()));
  const OnDevice<float> none(device(), {std::numeric_limits<float>::quiet_NaN()});
  device().round({1, none.data(), copy.data()});
  EXPECT_TRUE(std::isnan(copy.get()[0]));
}

TEST_P(GpuUpdates, Magnitude) {
  const Floats values = random_values(200'000, 1);
  const OnDevice<float> on_device(device(), values);
  const std::vector<Interval> intervals = {{0, 7}, {100, 100}, {1000, 150'000}, {199'999, 200'000}};
  const verbund::Magnitude expected = portable::measure(values.data(), intervals);
  const Outputs found = in_any_order([&](Device& gpu) {
    const verbund::Magnitude size = gpu.measure(on_device.data(), intervals);
    return Outputs{{"both", {static_cast<float>(size.squares), size.largest}}};
  });
  EXPECT_NEAR(found.at("both")[0] / expected.squares, 1, 1e-6);
  EXPECT_EQ(found.at("both")[1], expected.largest);
  EXPECT_EQ(device().measure(on_device.data(), {}).squares, 0);
}

TEST_P(GpuUpdates, MagnitudeOfTrouble) {
  const OnDevice<float> nan(device(), {1, std::numeric_limits<float>::quiet_NaN(), -3});
  const OnDevice<float> infinite(device(), {1, -std::numeric_limits<float>::infinity(), 3});
  const std::vector<Interval> all = {{0, 3}};
  EXPECT_FALSE(std::isfinite(device().measure(nan.data(), all).squares));
  EXPECT_EQ(device().measure(nan.data(), all).largest, 3);
  EXPECT_FALSE(std::isfinite(device().measure(infinite.data(), all).squares));
}

}  // namespace
}  // namespace verbund::updates_test
