// SPDX-License-Identifier: Apache-2.0
// The whole model on a GPU against the CPU's: loss, every gradient, and decoding token by token.
#include "model/transformer.h"

#include <cmath>

#include "gpu/gpu.h"
#include "optim/optimizer.h"
#include "support/random_batch.h"

namespace verbund::model_test {
namespace {

// The same weights on both devices.
struct Pair {
  ModelConfig config;
  VocabularySizes sizes;
  CpuDevice cpu;
  std::unique_ptr<DecodableModel> on_cpu, on_gpu;

  Pair(Random& random, Precision precision) : config(random_model(random)), sizes{60, 50} {
    if (config.share_embeddings == Sharing::kAll) sizes.target = sizes.source;
    on_cpu = make_fused_transformer(cpu, config, sizes);
    on_gpu = make_fused_transformer(gpu(precision), config, sizes);
    const std::span<float> values = on_cpu->weights().write().host();
    on_cpu->table().initialize(7, values);
    randomize(values, random);
    on_gpu->weights().write().upload(values);
  }
};

double largest(std::span<const float> values) {
  double result = 0;
  for (const float value : values) result = std::max(result, std::abs(static_cast<double>(value)));
  return result;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * b[i];
    aa += static_cast<double>(a[i]) * a[i];
    bb += static_cast<double>(b[i]) * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

class GpuModel : public GpuTest {};

TEST_P(GpuModel, HasTheLossAndGradientsOfTheCpu) {
  const bool exact = GetParam() == Precision::kFp32;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed, 2);
    Pair pair(random, GetParam());
    const Batch batch = random_batch(random, 3, 20, pair.sizes);
    const Pass pass = {random.next(), 5, true, 64};
    const Loss expected = pair.on_cpu->accumulate(batch, pass), actual = pair.on_gpu->accumulate(batch, pass);
    EXPECT_NEAR(actual.smoothed, expected.smoothed, (exact ? 1e-5 : 2e-2) * std::abs(expected.smoothed));
    EXPECT_EQ(actual.tokens, expected.tokens);
    const HostCopy copy(pair.on_gpu->gradients());
    const std::span<const float> ours = copy.values(), theirs = pair.on_cpu->gradients().host();
    EXPECT_GT(cosine(ours, theirs), exact ? 0.9999999 : GetParam() == Precision::kFp16 ? 0.99 : 0.97);
    if (!exact) continue;
    for (const Parameter& p : pair.on_cpu->table().all()) {
      const auto begin = static_cast<size_t>(p.offset), size = static_cast<size_t>(p.size);
      double worst = 0;
      for (size_t i = begin; i < begin + size; ++i) {
        worst = std::max(worst, std::abs(static_cast<double>(ours[i]) - theirs[i]));
      }
      EXPECT_LE(worst, 1e-4 * largest(theirs.subspan(begin, size)) + 1e-6 * largest(theirs)) << p.name;
    }
  }
}

// Operands of 16 bits follow the weights, whoever changes them.
TEST_P(GpuModel, LearnsAsTheCpuDoes) {
  Random random(11, 2);
  Pair pair(random, GetParam());
  const Batch batch = random_batch(random, 3, 12, pair.sizes);
  double last[2];
  for (DecodableModel* model : {pair.on_cpu.get(), pair.on_gpu.get()}) {
    const auto optimizer = make_optimizer(model->weights().device(), {}, model->weights().size());
    double loss = 0;
    for (uint64_t step = 0; step < 6; ++step) {
      model->gradients().zero();
      loss = model->accumulate(batch, {1, step, true, 1}).mean();
      optimizer->step(model->weights(), model->gradients(), 3e-3, 1.0 / static_cast<double>(batch.target_tokens()));
    }
    last[model == pair.on_gpu.get() ? 1 : 0] = loss;
  }
  EXPECT_NEAR(last[1], last[0], (GetParam() == Precision::kFp32 ? 1e-3 : 3e-2) * last[0]);
  // Written by the host, read by products.
  const Loss before = pair.on_gpu->evaluate(batch);
  change_on_host(pair.on_gpu->weights().write(), [](std::span<float> values) {
    for (float& value : values) value *= 0.5f;
  });
  EXPECT_GT(std::abs(pair.on_gpu->evaluate(batch).smoothed - before.smoothed), 1e-3 * before.smoothed);
}

TEST_P(GpuModel, GoesOnTokenByTokenAsTheCpuDoes) {
  const double tolerance = GetParam() == Precision::kFp32 ? 1e-4 : 0.1;
  Random random(5, 2);
  Pair pair(random, GetParam());
  const std::vector<Sentence> sources = {{7, 8, 9, 10, 11}, {12}, {}};
  std::vector<NextRow> rows = {{0, kStartOfSentence}, {1, kStartOfSentence}, {2, kStartOfSentence}};
  std::vector<int32_t> aligned[2] = {std::vector<int32_t>(4), std::vector<int32_t>(4)};
  pair.on_cpu->start_decoding(sources);
  pair.on_gpu->start_decoding(sources);
  for (int step = 0; step < 4; ++step) {
    const size_t size = rows.size() * static_cast<size_t>(pair.sizes.target);
    std::vector<float> expected(size), actual(size);
    pair.cpu.download(expected.data(), pair.on_cpu->step(rows, aligned[0].data()), size * sizeof(float));
    gpu(GetParam()).download(actual.data(), pair.on_gpu->step(rows, aligned[1].data()), size * sizeof(float));
    for (size_t i = 0; i < size; ++i) ASSERT_NEAR(actual[i], expected[i], tolerance) << step << ", " << i;
    if (GetParam() == Precision::kFp32) {
      EXPECT_EQ(aligned[0], aligned[1]);
    }
    // Other parents, one of them twice.
    rows = {{1, 20 + step}, {0, 30}, {0, 31}, {2, 9}};
    if (step != 1) continue;
    // A sentence joins, in the place of another.
    for (DecodableModel* model : {pair.on_cpu.get(), pair.on_gpu.get()}) model->join_decoding({{13, 14, 15}});
    rows[2] = {4, kStartOfSentence};
  }
}

INSTANTIATE_TEST_SUITE_P(On, GpuModel, ::testing::Values(Precision::kFp32, Precision::kBf16, Precision::kFp16),
                         GpuTest::name);

}  // namespace
}  // namespace verbund::model_test
