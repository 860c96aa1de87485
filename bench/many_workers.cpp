// SPDX-License-Identifier: Apache-2.0
// bench_many_workers measures what a run costs beside its computing, as one of any number of workers: the start, a
// step's exchange, a sum of six numbers beside MPI_Allreduce's, and the messages, memory, sockets and threads of worker
// 0. Verifies every sum and that all workers keep the same weights. bench/many_workers.py starts it with 2 .. 128
// workers. Every message to another worker is counted where the program hands it to MPI: on a crowded machine times are
// noise, but counts are not.
//
//   mpirun -n 8 bench_many_workers BEGAN STEPS SUMS       (BEGAN: seconds since 1970)
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <omp.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "bench/shapes.h"
#include "collectives/agreement.h"
#include "core/error.h"
#include "core/json.h"
#include "device/cpu_device.h"
#include "train/step.h"

using namespace verbund;

namespace {

uint64_t messages = 0;  // handed to MPI by this worker

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): MPI's name, which is ours to define
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  ++messages;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

namespace {

constexpr int kNumbers = 6;  // as many as a step of training sums
constexpr int kWarmUp = 2;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double wall() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// So little that the computing of 128 workers fits into two cores.
Shape smallest_shape() {
  Shape shape = {"smallest", {}, {500, 500}, 2, 8, 1};
  shape.model.d_model = 32;
  shape.model.d_ff = 64;
  shape.model.heads = 2;
  shape.model.encoder_layers = shape.model.decoder_layers = 1;
  return shape;
}

// Seconds of a sum on this worker, on average: where workers share a core, most sums end at once and some take long.
template <typename Sum>
double seconds_of_a_sum(int size, int rounds, Sum sum) {
  const double start = now();
  for (int i = 0; i < rounds; ++i) {
    double numbers[kNumbers] = {1, 2, 3, 4, 5, 6};
    sum(numbers);
    if (numbers[kNumbers - 1] != kNumbers * size) fail("the sum of 6 numbers is {}", numbers[kNumbers - 1]);
  }
  return (now() - start) / rounds;
}

// The messages that this worker sends in an operation.
template <typename Operation>
uint64_t messages_of(Operation operation) {
  const uint64_t before = messages;
  operation();
  return messages - before;
}

Json measure_sums(Communicator& comm, int rounds) {
  const auto ours = [&](std::span<double> numbers) { comm.sum(numbers); };
  const auto mpi = [&](std::span<double> numbers) {
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  };
  double seconds[2] = {seconds_of_a_sum(comm.size(), rounds, ours), seconds_of_a_sum(comm.size(), rounds, mpi)};
  comm.max(seconds);
  std::vector<double> numbers(kNumbers, 1);
  std::vector<float> bucket(kChunk);
  double sent[] = {static_cast<double>(messages_of([&] { comm.sum(numbers); })),
                   static_cast<double>(messages_of([&] { comm.gather("the text of a worker, as agreement has it"); })),
                   static_cast<double>(messages_of([&] {
                     comm.all_reduce(bucket, {0, kChunk}, Wire::kFp32);
                   }))};
  double all[] = {sent[0], sent[1], sent[2]}, most[] = {sent[0], sent[1], sent[2]};
  comm.sum(all);
  comm.max(most);
  const auto counts = [&](size_t i) { return Json{{"worker_0", sent[i]}, {"most", most[i]}, {"all", all[i]}}; };
  return {{"sum_seconds", seconds[0]},
          {"mpi_sum_seconds", seconds[1]},
          {"messages_of_a_sum", counts(0)},
          {"messages_of_a_gather", counts(1)},
          {"messages_of_a_chunk", counts(2)}};
}

// Seconds of a step of training, and of its computing alone, while the other workers compute as well.
Json measure_steps(Workers& workers, int steps) {
  const Shape shape = smallest_shape();
  Config config;
  config.model = shape.model;
  config.schedule.policy = SchedulePolicy::kFixed;
  config.schedule.learning_rate = 1e-3;
  CpuDevice device;
  TrainState state(config, workers, device, nullptr, shape.vocabularies);
  state.model->table().initialize(1, state.model->weights().write().host());
  const Batch batch = make_batch(shape, static_cast<uint64_t>(workers.rank()));
  WorkerBatch share;
  share.fill(batch, static_cast<uint64_t>(batch.target_tokens()) * static_cast<uint64_t>(workers.size()));
  const auto seconds_of = [&](const std::function<void()>& step) {
    workers.comm().barrier();
    const double start = now();
    for (int i = 0; i < steps; ++i) step();
    const double own = now() - start;
    return workers.comm().max(own) / steps;
  };
  const auto train = [&] {
    train_step(state, share);
    ++state.step;
  };
  for (int i = 0; i < kWarmUp; ++i) train();
  const double computing = seconds_of([&] {
    state.model->gradients().zero();
    state.model->accumulate(batch, {1, 0, true});
  });
  const double whole = seconds_of(train);
  check_weights(workers, state.model->weights().values(), state.step);  // ends all if they differ
  return {{"step_seconds", whole}, {"computing_seconds", computing}};
}

size_t sockets() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry, gone).string().starts_with("socket:")) ++count;
  }
  return count;
}

// A number of /proc/self/status.
uint64_t status_of(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":")) return std::stoull(line.substr(key.size() + 1));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const double began = argc > 1 ? std::atof(argv[1]) : wall();
  const int steps = argc > 2 ? std::atoi(argv[2]) : 10;
  const int sums = argc > 3 ? std::atoi(argv[3]) : 50;
  omp_set_num_threads(1);
  with_workers([&](Workers& workers) {
    Json result = {{"workers", workers.size()}, {"layout", workers.layout()}};
    result["start_seconds"] = workers.comm().max(wall() - began);
    result["messages_of_the_start"] = workers.comm().max(static_cast<double>(messages));
    workers.start("benchmark", [&](Communicator& comm) { result.update(measure_sums(comm, sums)); }).get();
    result.update(measure_steps(workers, steps));
    result.update({{"sockets", sockets()},
                   {"threads", status_of("Threads")},
                   {"private_bytes", status_of("RssAnon") * 1024},
                   {"shared_bytes", status_of("RssShmem") * 1024}});
    if (workers.leads()) std::cout << result.dump() << std::endl;
  });
}
