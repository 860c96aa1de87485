// SPDX-License-Identifier: Apache-2.0
// bench_exchange measures how long an all-reduce of a buffer, and of a handful of numbers, takes. Verbund's exchange
// and MPI_Allreduce take turns on the same buffer. Verifies every value of every sum. bench/exchange.py starts it on
// hosts and compares.
//
//   mpirun -n 4 bench_exchange MEGABYTES ROUNDS [fp32|bf16|fp16]   (these are exact for what is summed)
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>

#include "collectives/workers.h"
#include "core/error.h"
#include "core/json.h"

using namespace verbund;

namespace {

constexpr int kNumbers = 6;  // as many as a step of training sums
constexpr int kSums = 200;

using Clock = std::chrono::steady_clock;

double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

// Small whole numbers: their sums are exact in any order, and in 8 bits of mantissa.
float value_of(int rank, size_t i) { return static_cast<float>((i * 7 + static_cast<size_t>(rank) * 13) % 16); }

struct Measured {
  std::vector<double> seconds;
  bool right = true;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Bench {
 public:
  Bench(Communicator& comm, size_t values) : comm_(comm), buffer_(values) {}

  template <typename AllReduce>
  void measure(Measured& measured, AllReduce all_reduce) {
    for (size_t i = 0; i < buffer_.size(); ++i) buffer_[i] = value_of(comm_.rank(), i);
    comm_.barrier();
    const double start = now();
    all_reduce(buffer_);
    measured.seconds.push_back(comm_.max(now() - start));
    for (size_t i = 0; i < buffer_.size(); ++i) {
      float sum = 0;
      for (int rank = 0; rank < comm_.size(); ++rank) sum += value_of(rank, i);
      measured.right = measured.right && buffer_[i] == sum;
    }
    measured.right = !comm_.any(!measured.right);
  }

  template <typename Sum>
  double latency(Sum sum) {
    std::vector<double> seconds;
    for (int i = 0; i < kSums; ++i) {
      double numbers[kNumbers] = {1, 2, 3, 4, 5, 6};
      const double start = now();
      sum(numbers);
      seconds.push_back(now() - start);
      if (numbers[5] != 6 * comm_.size()) fail("the sum of 6 numbers is {}", numbers[5]);
    }
    return comm_.max(median(seconds));
  }

 private:
  Communicator& comm_;
  std::vector<float> buffer_;
};

void compare(Communicator& comm, size_t values, int rounds, Wire wire) {
  Bench bench(comm, values);
  Measured ours, mpi;
  uint64_t sent = 0;
  for (int round = 0; round <= rounds; ++round) {
    if (round == 1) ours.seconds.clear(), mpi.seconds.clear();  // the first is for warming up
    const uint64_t before = comm.bytes_sent();
    bench.measure(ours, [&](std::span<float> buffer) { comm.all_reduce(buffer, {0, buffer.size()}, wire); });
    sent = comm.bytes_sent() - before;
    bench.measure(mpi, [&](std::span<float> buffer) {
      MPI_Allreduce(MPI_IN_PLACE, buffer.data(), static_cast<int>(buffer.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    });
  }
  const double latency = bench.latency([&](std::span<double> numbers) { comm.sum(numbers); });
  const double mpi_latency = bench.latency([&](std::span<double> numbers) {
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  });
  if (comm.rank() != 0) return;
  std::cout << Json{{"workers", comm.size()},          {"bytes", values * sizeof(float)},    {"sent_by_worker_0", sent},
                    {"seconds", median(ours.seconds)}, {"mpi_seconds", median(mpi.seconds)}, {"latency", latency},
                    {"mpi_latency", mpi_latency},      {"right", ours.right && mpi.right}}
            << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  const auto values = static_cast<size_t>((argc > 1 ? std::atof(argv[1]) : 64) * (1 << 20) / sizeof(float));
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  const std::string wire_name = argc > 3 ? argv[3] : "fp32";
  const auto* const name = std::find(std::begin(kWireNames), std::end(kWireNames), wire_name);
  if (name == std::end(kWireNames) || wire_name == "int8") {
    std::cerr << wire_name << " is none of fp32, bf16, fp16\n";
    return 2;
  }
  with_workers([&](Workers& workers) {
    workers
        .start("benchmark",
               [&](Communicator& comm) {
                 compare(comm, values, rounds, static_cast<Wire>(name - std::begin(kWireNames)));
               })
        .get();
  });
}
