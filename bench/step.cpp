// What does a training step cost beyond its matrix products? Times a full step (forward,
// backward, clip, Adam, dropout on) and the same products alone ("the GEMM floor"), in one
// run, and verifies that the step trains.
//
//   bench_step [tiny|small|base] [threads ...]
#include <fmt/format.h>
#include <omp.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/process.h"
#include "core/random.h"
#include "kernels/gemm.h"
#include "kernels/kernels.h"
#include "model/transformer.h"
#include "optim/clip.h"
#include "optim/optimizer.h"

using namespace verbund;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

long page_faults() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

struct Shape {
  const char* name;
  ModelConfig model;
  VocabularySizes vocabularies;
  int64_t sentences, longest;
};

Shape shape_named(const std::string& name) {
  Shape shape = {"base", {}, {32768, 32768}, 64, 62};  // about 2,000 target tokens
  if (name == "small") {
    shape = {"small", {}, {16384, 16384}, 64, 62};
    shape.model.d_model = 256;
    shape.model.d_ff = 1024;
    shape.model.heads = 4;
    shape.model.encoder_layers = shape.model.decoder_layers = 4;
  } else if (name == "tiny") {
    shape = {"tiny", {}, {10000, 10000}, 64, 62};
    shape.model.d_model = 128;
    shape.model.d_ff = 256;
    shape.model.heads = 4;
    shape.model.encoder_layers = shape.model.decoder_layers = 4;
  }
  return shape;
}

Batch make_batch(const Shape& shape) {
  Random random(1, 0);
  Batch batch;
  for (int64_t s = 0; s < shape.sentences; ++s) {
    const auto length = static_cast<int32_t>(2 + random.below(static_cast<uint64_t>(shape.longest - 1)));
    for (int32_t i = 0; i < length; ++i) {
      const auto token = [&] {
        return static_cast<TokenId>(random.below(static_cast<uint64_t>(shape.vocabularies.target)));
      };
      batch.source.push_back(token());
      batch.target_input.push_back(token());
      batch.target_output.push_back(token());
    }
    batch.source_offsets.push_back(static_cast<int32_t>(batch.source.size()));
    batch.target_offsets.push_back(static_cast<int32_t>(batch.target_input.size()));
    batch.longest_source = batch.longest_target = std::max(batch.longest_target, length);
    batch.names.push_back(static_cast<uint64_t>(s));
  }
  return batch;
}

double time_products(const std::vector<ProductShape>& products) {
  static std::vector<float> a, b, c;
  for (const ProductShape& p : products) {
    a.resize(std::max(a.size(), static_cast<size_t>(p.m * p.k)), 0.5f);
    b.resize(std::max(b.size(), static_cast<size_t>(p.k * p.n)), 0.5f);
    c.resize(std::max(c.size(), static_cast<size_t>(p.m * p.n)), 0.0f);
  }
  const double start = now();
  for (const ProductShape& p : products) repeat_product(p, a.data(), b.data(), c.data());
  return now() - start;
}

bool run(const Shape& shape, int threads) {
  omp_set_num_threads(threads);
  const auto model = make_fused_transformer(shape.model, shape.vocabularies);
  model->table().initialize(1, model->values());
  OptimizerConfig optimizer_config;
  const auto optimizer = make_optimizer(optimizer_config, model->values().size());
  const Batch batch = make_batch(shape);
  std::vector<double> losses;
  const auto step = [&](uint64_t number) {
    std::memset(model->gradients().data(), 0, model->gradients().size_bytes());
    const Loss loss = model->accumulate(batch, {1, number, true});
    const double scale = 1.0 / static_cast<double>(loss.tokens);
    const double norm = measure(model->gradients()).norm * scale;
    optimizer->step(model->values(), model->gradients(), 3e-4, scale * clip_factor(norm, 1.0));
    losses.push_back(loss.smoothed * scale);
  };
  std::vector<ProductShape> products;
  step(0);
  log_products(&products);
  step(1);
  log_products(nullptr);
  time_products(products);

  // The best of several, taken in turn, so that both meet the machine in the same moods.
  double best_step = 1e9, best_floor = 1e9;
  long faults = 0;
  constexpr int kRounds = 6;
  for (int round = 0; round < kRounds; ++round) {
    const long before = page_faults();
    double start = now();
    step(static_cast<uint64_t>(2 + round));
    best_step = std::min(best_step, now() - start);
    faults += page_faults() - before;
    best_floor = std::min(best_floor, time_products(products));
  }
  double operations = 0;
  for (const ProductShape& p : products) operations += 2.0 * static_cast<double>(p.m * p.n * p.k);
  const bool trains = std::isfinite(losses.back()) && losses.back() < losses.front();
  fmt::print(
      "{:<6} {} thread{}  {:>6} tokens  step {:8.4f} s  products {:8.4f} s ({:.0f} GFLOP/s)  ratio {:.3f}  "
      "{:.0f} tokens/s  {:.1f} page faults a step  loss {:.3f} -> {:.3f}{}\n",
      shape.name, threads, threads == 1 ? " " : "s", batch.target_tokens(), best_step, best_floor,
      operations / best_floor / 1e9, best_step / best_floor, static_cast<double>(batch.target_tokens()) / best_step,
      static_cast<double>(faults) / kRounds, losses.front(), losses.back(), trains ? "" : "  DOES NOT TRAIN");
  return trains;
}

}  // namespace

int main(int argc, char** argv) try {
  keep_freed_memory();
  fmt::print("{}, kernels {}\n", gemm_library(), kernels().name);
  std::vector<std::string> names;
  std::vector<int> threads;
  for (int i = 1; i < argc; ++i) {
    if (std::isdigit(argv[i][0]) != 0) {
      threads.push_back(std::stoi(argv[i]));
    } else {
      names.emplace_back(argv[i]);
    }
  }
  if (names.empty()) names = {"tiny", "small", "base"};
  if (threads.empty()) threads = {1, 2};
  bool good = true;
  for (const std::string& name : names) {
    for (const int count : threads) good = run(shape_named(name), count) && good;
  }
  return good ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_step: {}\n", error.what());
  return 1;
}
