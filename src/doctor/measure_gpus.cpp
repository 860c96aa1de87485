// SPDX-License-Identifier: Apache-2.0
#include "doctor/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/elapsed.h"
#include "core/error.h"
#include "core/random.h"
#include "device/buffer.h"

namespace verbund {
namespace {

constexpr size_t kValues = 4 << 20;
constexpr int kTimedSums = 3;

std::vector<float> own_numbers(int rank) {
  Random random(17, static_cast<uint64_t>(rank));
  std::vector<float> numbers(kValues);
  for (float& number : numbers) number = static_cast<float>(random.uniform() - 0.5);
  return numbers;
}

// The first sum opens NCCL's connections, and its result is compared; the later ones are timed.
double sum_by_gpus(Workers& workers, Device& device, std::span<float> values) {
  const std::string id = workers.comm().broadcast(workers.leads() ? device.new_communicator_id() : "");
  workers.watchdog().report_phase(0, "connecting the GPUs");
  Buffer buffer(device, values.size(), "a sum over all GPUs");  // released after all GPUs have finished
  std::unique_ptr<DeviceCommunicator> gpus;
  workers
      .start("meeting of the GPUs", [&](Communicator&) { gpus = device.connect(id, workers.rank(), workers.size()); })
      .get();
  workers.watchdog().report_phase(0, "summing over the GPUs");
  buffer.upload(values);
  device.synchronize();
  gpus->all_reduce(buffer.data(), buffer.size());
  workers.start("sum over the GPUs", [&](Communicator&) { gpus->wait(); }).get();
  buffer.download(values);
  workers.comm().barrier();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimedSums; ++i) gpus->all_reduce(buffer.data(), buffer.size());
  workers.start("sum over the GPUs", [&](Communicator&) { gpus->wait(); }).get();
  return seconds_since(start) / kTimedSums;
}

// Relative to the largest value; infinite if a value is not a number.
double largest_difference(std::span<const float> values, std::span<const float> expected) {
  double difference = 0, largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) return HUGE_VAL;
    difference = std::max(difference, std::abs(static_cast<double>(values[i]) - static_cast<double>(expected[i])));
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
  }
  return difference / largest;
}

}  // namespace

GpuSumFacts measure_gpu_sum(Workers& workers, Device& device) {
  GpuSumFacts facts;
  facts.workers = workers.size();
  facts.bytes = kValues * sizeof(float);
  std::vector<float> values = own_numbers(workers.rank());
  std::vector<float> expected = values;
  try {
    facts.seconds = sum_by_gpus(workers, device, values);
  } catch (const Error& error) {
    facts.trouble = error.what();
  }
  for (const std::string& trouble : workers.comm().gather(facts.trouble)) {
    if (facts.trouble.empty()) facts.trouble = trouble;
  }
  if (!facts.trouble.empty()) return facts;
  workers.start("a sum to compare", [&](Communicator& all) { sum_over_workers(all, expected, Wire::kFp32); }).get();
  facts.difference = workers.comm().max(std::min(largest_difference(values, expected), 1e9));
  facts.seconds = workers.comm().max(facts.seconds);
  return facts;
}

}  // namespace verbund
