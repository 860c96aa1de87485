// SPDX-License-Identifier: Apache-2.0
// Facts about hosts that are to train together: collected and measured in other files of this folder, judged in yet
// others. They can be sent between workers and printed as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "core/json.h"
#include "model/parameters.h"

namespace verbund {

// A host that was probed before anything was started.
struct AskedHost {
  std::string name;
  int slots = 1;
  bool answers = true;
  std::string said;  // why not
};

// Result of starting the workers with mpirun.
enum class StartResult { kTogether, kNotTried, kBlocked, kNoProgram, kNoMpirun, kFailed };

struct NetworkAddress {
  std::string interface;
  std::string address;
};

struct DiskFacts {
  std::string path;  // "": not asked for
  uint64_t free_bytes = 0;
  bool writable = true;
};

// Needs of the model, without its batches; all 0 without a configuration or dataset.
struct ModelNeeds {
  int64_t parameters = 0;
  uint64_t gradient_bytes = 0;
  uint64_t worker_bytes = 0;      // of memory, for each worker
  uint64_t gpu_bytes = 0;         // of GPU memory, if it has a GPU
  uint64_t leader_bytes = 0;      // in addition for worker 0
  uint64_t checkpoint_bytes = 0;  // on disk
  int64_t checkpoints = 0;        // that exist at a time
  bool known() const { return parameters > 0; }
};

// One of NVIDIA's libraries.
struct LibraryFacts {
  std::string name, path, version;
  std::string why_not;  // "": usable
};

// Result of a small training step on one device.
struct StepFacts {
  double loss = 0;  // per token
  double gradient_norm = 0;
};

// GPUs of a worker's host, and the one that this worker uses.
struct GpuFacts {
  std::string requested = "auto";       // device of the configuration
  std::string precision = "fp32";       // train.precision
  std::string cpu_trouble;              // why the CPU does not support that precision; "": it does, or need not
  std::vector<LibraryFacts> libraries;  // driver, NVRTC, cuBLAS, NCCL
  std::string missing;                  // why GPUs are not usable, with advice; "": they are
  std::string nccl_missing;             // the same for NCCL
  bool driver = false;                  // the driver is usable: there is a GPU
  int count = 0;                        // usable GPUs
  int number = -1;                      // of this worker's GPU; -1: none, or the CPU is configured
  std::string name;                     // the rest describes that GPU
  int architecture = 0;
  uint64_t memory = 0, free_memory = 0;
  std::string trouble;  // why it could not compute a step
  StepFacts step, cpu_step;

  bool computes() const { return number >= 0 && trouble.empty(); }
  bool requires_gpu() const { return requested == "cuda" || requested == "emulated"; }  // the CPU is not an alternative
};

struct WorkerFacts {
  int rank = 0;
  std::string host;
  std::vector<int> cores = {0};  // ids of the cores it may use
  int machine_cores = 1;         // of its host
  double other_load = 0;         // cores of them that other programs use
  double load_average = -1;      // of its host; negative: not known
  int threads = 1;               // for training
  std::string program;           // version and commit
  std::string build;             // checksum of the executable
  std::string kernels;
  std::string config, config_error;    // checksum or error; both "": not asked for
  std::string dataset, dataset_error;  // the same
  uint64_t dataset_bytes = 0;
  ModelNeeds needs;
  uint64_t free_memory = 0;
  DiskFacts run;           // of the run folder, on worker 0
  std::string run_error;   // why it cannot be one; "": it can, or is not asked for
  DiskFacts dataset_disk;  // of the dataset
  DiskFacts temporary;     // of MPI's temporary files
  std::vector<NetworkAddress> addresses;
  std::vector<std::string> gpus;  // that the system lists, usable or not
  GpuFacts gpu;

  std::string name() const;  // "worker 1 on b"
};

// LinkFacts describe the link from one host to another, measured by the first.
struct LinkFacts {
  std::string from, to;
  double round_trip_seconds = 0;    // of 8 bytes
  double clock_offset_seconds = 0;  // how far the other's clock is ahead
  double bytes_per_second = 0;
};

// An all-reduce of a gradient over all workers.
struct AllReduceFacts {
  int workers = 1;
  uint64_t bytes = 0;           // of the whole gradient
  uint64_t measured_bytes = 0;  // part that was measured, if the whole would take too long
  double seconds = 0;           // of that part

  double seconds_of_all() const;
  double bus_bytes_per_second() const;  // as NCCL's tests count: 2 (n - 1) / n of the gradient
};

// An all-reduce by the GPUs, compared with the hosts' sum of the same numbers.
struct GpuSumFacts {
  int workers = 0;      // 0: not measured
  std::string trouble;  // why it failed
  uint64_t bytes = 0;
  double seconds = 0;
  double difference = 0;  // the largest, relative to the largest sum
};

struct Facts {
  std::vector<AskedHost> asked;  // empty if another launcher started the workers
  StartResult start = StartResult::kTogether;
  std::string start_message;
  std::vector<WorkerFacts> workers;  // by rank; empty if they did not connect
  std::vector<LinkFacts> links;
  AllReduceFacts all_reduce;
  std::string transport = "auto";  // workers.transport
  GpuSumFacts gpu_sum;
};

// The hosts in the order of their first workers, with their workers.
using WorkersByHost = std::vector<std::pair<std::string, std::vector<const WorkerFacts*>>>;
WorkersByHost by_host(const std::vector<WorkerFacts>& workers);
using HostWorkers = WorkersByHost::value_type;

void to_json(Json& json, const WorkerFacts& facts);
void from_json(const Json& json, WorkerFacts& facts);
void to_json(Json& json, const LinkFacts& facts);
void from_json(const Json& json, LinkFacts& facts);
void to_json(Json& json, const Facts& facts);
void from_json(const Json& json, Facts& facts);

constexpr double kRoomForBatches = 1.5;  // factor over the model's needs that leaves memory for batches

ModelNeeds needs_of_model(const Config& config, VocabularySizes vocabularies, int workers, int hosts = 1);

}  // namespace verbund
