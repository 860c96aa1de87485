// SPDX-License-Identifier: Apache-2.0
#include "doctor/collect.h"

#include <unistd.h>

#include <optional>
#include <sstream>

#include "config/show.h"
#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/ip_address.h"
#include "core/pipeline.h"
#include "core/process.h"
#include "data/dataset.h"
#include "doctor/facts.h"
#include "kernels/kernels.h"
#include "resources/other_load.h"
#include "train/request_checks.h"

namespace verbund {
namespace {

// The folder need not exist yet.
DiskFacts disk_of(const fs::path& folder) {
  std::error_code error;
  fs::path there = fs::absolute(folder);
  while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  const fs::space_info space = fs::space(there, error);
  return {folder.string(), error ? 0 : static_cast<uint64_t>(space.available),
          fs::is_directory(there, error) && ::access(there.c_str(), W_OK) == 0};
}

std::vector<NetworkAddress> network_addresses() {
  std::vector<NetworkAddress> found;
  for (const OwnAddress& own : own_addresses()) {
    if (own.is_for_others() && own.address.family() == AF_INET) {  // as MPI does
      found.push_back({own.interface, own.address.text()});
    }
  }
  return found;
}

// GPUs listed by NVIDIA's driver.
std::vector<std::string> list_gpus() {
  std::vector<std::string> gpus;
  std::error_code error;
  for (const auto& gpu : fs::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    std::istringstream lines(read_file(gpu.path() / "information"));
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("Model:", 0) == 0) gpus.push_back(line.substr(line.find_first_not_of(" \t", 6)));
    }
  }
  return gpus;
}

fs::path temporary_folder() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  return error ? fs::path("/tmp") : folder;
}

}  // namespace

Collected collect_worker_facts(const Worker& self, int workers, const Training& training) {
  Collected collected;
  WorkerFacts& facts = collected.facts;
  facts.rank = self.rank;
  facts.host = self.host;
  facts.cores = self.cores;
  facts.machine_cores = self.machine_cores;
  facts.load_average = load_average();
  facts.threads = self.fair_threads();
  facts.program = training.program;
  facts.build = file_checksum("/proc/self/exe");
  facts.kernels = choose_kernels().name;
  facts.free_memory = free_memory();
  facts.temporary = disk_of(temporary_folder());
  facts.addresses = network_addresses();
  facts.gpus = list_gpus();
  if (self.rank == 0 && !training.run.empty()) {
    facts.run = disk_of(training.run);
    try {
      check_run_folder(training.run);
    } catch (const std::exception& error) {
      facts.run_error = error.what();
    }
  }

  std::optional<Config> config;
  if (!training.config_file.empty() || !training.overrides.empty()) {
    try {
      config = load_config(training.config_file, training.overrides);
      if (config->threads > 0) facts.threads = thread_count(config->threads);
      check_settings(*config);
      check_precision(*config);
      if (!training.config_file.empty()) check_length(*config);  // --set alone need not be the whole of it
      Config shared = *config;
      shared.threads = 0;  // the only setting in which hosts may differ
      facts.config = checksum_of(show(shared));
    } catch (const Error& error) {
      facts.config_error = error.what();
    }
  }
  CollectedGpu gpu = collect_gpu_facts(self, config.value_or(Config()));
  facts.gpu = std::move(gpu.facts);
  collected.gpu = std::move(gpu.device);
  if (!training.data.empty()) {
    facts.dataset_disk = disk_of(training.data);
    try {
      const DatasetManifest manifest = Dataset(training.data).manifest();
      facts.dataset = manifest.checksum();
      for (const auto& [name, record] : manifest.files) facts.dataset_bytes += record.size;
      if (config && facts.config_error.empty()) {
        facts.needs = needs_of_model(
            *config,
            {static_cast<int64_t>(manifest.source_vocabulary), static_cast<int64_t>(manifest.target_vocabulary)},
            workers, (workers + self.local_size - 1) / self.local_size);
      }
    } catch (const std::exception& error) {
      facts.dataset_error = error.what();
    }
  }
  return collected;
}

}  // namespace verbund
