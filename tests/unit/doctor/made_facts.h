// SPDX-License-Identifier: Apache-2.0
// Facts of healthy hosts, for tests to spoil.
#pragma once

#include "doctor/facts.h"
#include "doctor/judge.h"

namespace verbund {

constexpr uint64_t kGigabyte = 1000000000;

inline WorkerFacts made_worker(int rank, const std::string& host) {
  WorkerFacts worker;
  worker.rank = rank;
  worker.host = host;
  worker.cores = {0, 1, 2, 3, 4, 5, 6, 7};
  worker.machine_cores = 8;
  worker.threads = 4;
  worker.program = "verbund 1.0 (commit abc)";
  worker.build = "0123456789abcdef";
  worker.kernels = "avx2";
  worker.config = "c0ffee00c0ffee00";
  worker.dataset = "da7a5e7ada7a5e7a";
  worker.dataset_bytes = 3 * kGigabyte;
  worker.needs = {60000000, 240000000, kGigabyte, kGigabyte, kGigabyte / 2, 720000000, 9};
  worker.free_memory = 64 * kGigabyte;
  worker.dataset_disk = {"data", 100 * kGigabyte, true};
  worker.temporary = {"/tmp", 10 * kGigabyte, true};
  worker.addresses = {{"eth0", "10.0.0." + std::to_string(rank + 1)}};
  if (rank == 0) worker.run = {"runs/x", 100 * kGigabyte, true};
  return worker;
}

// Two workers on each of a and b, over gigabit.
inline Facts made_facts() {
  Facts facts;
  facts.asked = {{"a", 2, true, ""}, {"b", 2, true, ""}};
  facts.workers = {made_worker(0, "a"), made_worker(1, "a"), made_worker(2, "b"), made_worker(3, "b")};
  facts.links = {{"a", "b", 0.0002, 0.01, 117e6}, {"b", "a", 0.0002, -0.01, 116e6}};
  facts.all_reduce = {4, 240000000, 120000000, 1.5};
  return facts;
}

// The same with a GPU for each worker, all of them well.
inline Facts made_gpu_facts() {
  Facts facts = made_facts();
  for (WorkerFacts& worker : facts.workers) {
    GpuFacts& gpu = worker.gpu;
    gpu.libraries = {{"libcuda.so.1", "/lib/libcuda.so.1", "12.4", ""},
                     {"libnccl.so.2", "/lib/libnccl.so.2", "2.21.5", ""}};
    gpu.driver = true;
    gpu.count = 2;
    gpu.number = worker.rank % 2;
    gpu.name = "Tesla V100";
    gpu.architecture = 70;
    gpu.memory = 16 * kGigabyte;
    gpu.free_memory = 15 * kGigabyte;
    gpu.step = {5.000001, 0.500001};
    gpu.cpu_step = {5, 0.5};
    worker.gpus = {"Tesla V100", "Tesla V100"};
  }
  facts.gpu_sum = {4, "", 16000000, 0.002, 1e-7};
  return facts;
}

// The rows about one thing.
inline Findings about(const std::string& check, const Findings& all) {
  Findings some;
  for (const Finding& finding : all) {
    if (finding.check == check) some.push_back(finding);
  }
  return some;
}

}  // namespace verbund
