// SPDX-License-Identifier: Apache-2.0
// bench_step measures what a training step costs beyond its GEMMs. It times a full step (forward,
// backward, clip, Adam, dropout on) and the same GEMMs alone with every BLAS of the machine
// (the fastest is "the GEMM floor"), in one run, and verifies that the step trains.
//
//   bench_step [tiny|small|base ...] [threads ...] [bf16]    bf16: and with operands in bfloat16
//   bench_step --json NAME THREADS STEPS [fp32|bf16]    the step alone, as one line of JSON
//   bench_step --device cpu|cuda|emulated ...    the step alone, on that device: see device_step.h
#include <fmt/format.h>
#include <sys/resource.h>

#include "bench/blas.h"
#include "bench/device_step.h"
#include "bench/shapes.h"
#include "bench/trained_step.h"
#include "core/json.h"
#include "core/process.h"
#include "device/cpu_device.h"

using namespace verbund;

namespace {

long page_faults() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

// The GEMMs of a step alone, on matrices of their own.
class GemmRunner {
 public:
  explicit GemmRunner(std::vector<Gemm> gemms) : gemms_(std::move(gemms)) {
    size_t a = 0, b = 0, c = 0;
    for (const Gemm& p : gemms_) {
      a = std::max(a, static_cast<size_t>(p.m * p.k));
      b = std::max(b, static_cast<size_t>(p.k * p.n));
      c = std::max(c, static_cast<size_t>(p.m * p.n));
      operations_ += 2.0 * static_cast<double>(p.m * p.n * p.k);
    }
    a_.assign(a, 0.5f);
    b_.assign(b, 0.5f);
    c_.assign(c, 0.0f);
    for (Gemm& p : gemms_) {
      p.a = a_.data(), p.lda = p.transpose_a ? p.m : p.k;
      p.b = b_.data(), p.ldb = p.transpose_b ? p.k : p.n;
      p.c = c_.data(), p.ldc = p.n;
    }
  }

  double time(const Blas& blas) {
    const double start = now();
    for (const Gemm& p : gemms_) blas.multiply(p);
    return now() - start;
  }
  double operations() const { return operations_; }

 private:
  std::vector<Gemm> gemms_;
  std::vector<float> a_, b_, c_;
  double operations_ = 0;
};

bool compare_with_gemms(const Shape& shape, int threads, bool bf16) {
  CpuDevice device;
  Bench bench(shape, threads, device);
  std::vector<Gemm> log;
  bench.step();
  device.log_gemms(&log);
  bench.step();
  device.log_gemms(nullptr);
  GemmRunner gemms(log);
  const std::vector<Blas> libraries = blas_libraries();
  for (const Blas& blas : libraries) gemms.time(blas);

  // The best of several, taken in turn, so that all meet the machine in the same moods.
  double best_step = 1e9;
  std::vector<double> best(libraries.size(), 1e9);
  long faults = 0;
  for (int round = 0; round < shape.rounds; ++round) {
    const long before = page_faults();
    best_step = std::min(best_step, bench.step());
    faults += page_faults() - before;
    for (size_t i = 0; i < libraries.size(); ++i) best[i] = std::min(best[i], gemms.time(libraries[i]));
  }
  const double floor = *std::min_element(best.begin(), best.end());
  fmt::print("{} on {} thread{}, {} target tokens: step {:.4f} s, {:.0f} tokens/s, {:.1f} page faults a step\n",
             shape.name, threads, threads == 1 ? "" : "s", bench.tokens(), best_step, bench.tokens() / best_step,
             static_cast<double>(faults) / shape.rounds);
  for (size_t i = 0; i < libraries.size(); ++i) {
    fmt::print("  GEMM by {:<9} {:.4f} s ({:.0f} GFLOP/s)  step / GEMM {:.3f}{}\n", libraries[i].name, best[i],
               gemms.operations() / best[i] / 1e9, best_step / best[i], best[i] == floor ? "  <- the floor" : "");
  }
  if (bf16) {
    CpuDevice rounding(Precision::kBf16);
    Bench half(shape, threads, rounding);
    half.step();
    double best_half = 1e9;
    for (int round = 0; round < shape.rounds; ++round) best_half = std::min(best_half, half.step());
    fmt::print("  step with bf16 GEMM {:.4f} s, {:.2f} x as fast; loss {:.3f} -> {:.3f}\n", best_half,
               best_step / best_half, half.losses().front(), half.losses().back());
  }
  fmt::print("  loss {:.3f} -> {:.3f}{}\n", bench.losses().front(), bench.losses().back(),
             bench.trains() ? "" : "  DOES NOT TRAIN");
  std::fflush(stdout);
  return bench.trains();
}

bool print_json(const Shape& shape, int threads, int steps, CpuDevice& device) {
  Bench bench(shape, threads, device);
  bench.step();
  std::vector<double> seconds;
  for (int i = 0; i < steps; ++i) seconds.push_back(bench.step());
  std::sort(seconds.begin(), seconds.end());
  std::vector<int32_t> lengths;
  for (size_t s = 0; s < bench.batch().sentences(); ++s) {
    lengths.push_back(bench.batch().target_offsets[s + 1] - bench.batch().target_offsets[s]);
  }
  const Json line = {{"name", shape.name},
                     {"threads", threads},
                     {"source_tokens", bench.batch().source_tokens()},
                     {"target_tokens", bench.batch().target_tokens()},
                     {"lengths", lengths},
                     {"seconds_per_step", seconds[seconds.size() / 2]},
                     {"peak_memory_bytes", peak_memory()},
                     {"first_loss", bench.losses().front()},
                     {"last_loss", bench.losses().back()}};
  fmt::print("{}\n", line.dump());
  return bench.trains();
}

}  // namespace

int main(int argc, char** argv) try {
  wait_briefly_for_threads(argv);
  keep_freed_memory();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() >= 4 && arguments[0] == "--json") {
    CpuDevice device(arguments.size() > 4 && arguments[4] == "bf16" ? Precision::kBf16 : Precision::kFp32);
    return print_json(shape_named(arguments[1]), std::stoi(arguments[2]), std::stoi(arguments[3]), device) ? 0 : 1;
  }
  if (!arguments.empty() && arguments[0] == "--device") return bench_on_device(arguments) ? 0 : 1;
  std::vector<std::string> names;
  std::vector<int> threads;
  bool bf16 = false;
  for (const std::string& argument : arguments) {
    if (argument == "bf16") {
      bf16 = has_bf16_gemm();
      if (!bf16) fmt::print("this processor has no bf16 GEMM\n");
    } else if (std::isdigit(argument[0]) != 0) {
      threads.push_back(std::stoi(argument));
    } else {
      names.push_back(argument);
    }
  }
  if (names.empty()) names = {"tiny", "small", "base"};
  if (threads.empty()) threads = {1, 2};
  fmt::print("{} kernels\n", choose_kernels().name);
  bool good = true;
  for (const std::string& name : names) {
    for (const int count : threads) good = compare_with_gemms(shape_named(name), count, bf16) && good;
  }
  return good ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_step: {}\n", error.what());
  return 1;
}
