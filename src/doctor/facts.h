// What is known of the hosts that are to train together: collected and measured in other files of this
// folder, judged in yet others. All of it can be sent between workers, and printed, as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace verbund {

// A host that was asked whether it answers, before anything was started.
struct AskedHost {
  std::string name;
  int slots = 1;
  bool answers = true;
  std::string said;  // why not
};

// What came of mpirun.
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

// What the model takes, as far as it does not depend on the batch; all 0 if there is no configuration or dataset.
struct ModelNeeds {
  int64_t parameters = 0;
  uint64_t gradient_bytes = 0;
  uint64_t worker_bytes = 0;      // of memory, for each worker
  uint64_t gpu_bytes = 0;         // of its GPU's memory, if it computes on one
  uint64_t leader_bytes = 0;      // and so much more for worker 0
  uint64_t checkpoint_bytes = 0;  // on disk
  int64_t checkpoints = 0;        // that are there at a time
  bool known() const { return parameters > 0; }
};

// One of NVIDIA's libraries.
struct LibraryFacts {
  std::string name, path, version;
  std::string why_not;  // "": it can be used
};

// A small step, computed on one device.
struct StepFacts {
  double loss = 0;  // of a token
  double gradient_norm = 0;
};

// What a worker's host has of GPUs, and the one that is this worker's.
struct GpuFacts {
  std::string wish = "auto";            // device of the configuration
  std::string precision = "fp32";       // train.precision
  std::string cpu_trouble;              // why the CPU cannot compute in that precision; "": it can, or need not
  std::vector<LibraryFacts> libraries;  // driver, NVRTC, cuBLAS, NCCL
  std::string missing;                  // why GPUs cannot be used, with what to do; "": they can
  std::string nccl_missing;             // the same for several together
  bool driver = false;                  // the driver can be used: there is a GPU
  int count = 0;                        // GPUs that can be used
  int number = -1;                      // of this worker's; -1: none, or the CPU is wished for
  std::string name;                     // the rest is of that one
  int architecture = 0;
  uint64_t memory = 0, free_memory = 0;
  std::string trouble;  // what kept it from a step
  StepFacts step, cpu_step;

  bool computes() const { return number >= 0 && trouble.empty(); }
  bool insists() const { return wish == "cuda" || wish == "emulated"; }  // the CPU will not do
};

struct WorkerFacts {
  int rank = 0;
  std::string host;
  std::vector<int> cores = {0};  // the numbers of those it may use
  int machine_cores = 1;         // that its host has
  int threads = 1;               // that it would train with
  std::string program;           // version and commit
  std::string build;             // checksum of the executable
  std::string kernels;
  std::string config, config_error;    // checksum, or what is wrong with it; both "": not asked for
  std::string dataset, dataset_error;  // the same
  uint64_t dataset_bytes = 0;
  ModelNeeds needs;
  uint64_t free_memory = 0;
  DiskFacts run;           // where the run folder is or would be; worker 0's
  DiskFacts dataset_disk;  // where the dataset is or would be
  DiskFacts temporary;     // where MPI keeps its files
  std::vector<NetworkAddress> addresses;
  std::vector<std::string> gpus;  // that the system lists, whether or not they can be used
  GpuFacts gpu;

  std::string name() const;  // "worker 1 on b"
};

// From one host to another, measured by the one.
struct LinkFacts {
  std::string from, to;
  double round_trip_seconds = 0;    // of 8 bytes
  double clock_offset_seconds = 0;  // how far the other's clock is ahead
  double bytes_per_second = 0;
};

// The sum of a gradient over all workers.
struct AllReduceFacts {
  int workers = 1;
  uint64_t bytes = 0;           // of the whole gradient
  uint64_t measured_bytes = 0;  // of a part of it, if the whole would take long
  double seconds = 0;           // of that part

  double seconds_of_all() const;
  double bus_bytes_per_second() const;  // as NCCL's tests count: 2 (n - 1) / n of the gradient
};

// The same by the GPUs among themselves, beside the hosts' sum of the same numbers.
struct GpuSumFacts {
  int workers = 0;      // 0: not measured
  std::string trouble;  // what kept it from a sum
  uint64_t bytes = 0;
  double seconds = 0;
  double difference = 0;  // the largest, as a share of the largest sum
};

struct Facts {
  std::vector<AskedHost> asked;  // nobody, if another launcher started the workers
  StartResult start = StartResult::kTogether;
  std::string start_message;
  std::vector<WorkerFacts> workers;  // by rank; none if they did not come together
  std::vector<LinkFacts> links;
  AllReduceFacts all_reduce;
  std::string transport = "auto";  // workers.transport
  GpuSumFacts gpu_sum;
};

// The hosts in the order of their first workers, with their workers.
using WorkersByHost = std::vector<std::pair<std::string, std::vector<const WorkerFacts*>>>;
WorkersByHost by_host(const std::vector<WorkerFacts>& workers);
using HostWorkers = WorkersByHost::value_type;

void to_json(nlohmann::json& json, const WorkerFacts& facts);
void from_json(const nlohmann::json& json, WorkerFacts& facts);
void to_json(nlohmann::json& json, const LinkFacts& facts);
void from_json(const nlohmann::json& json, LinkFacts& facts);
void to_json(nlohmann::json& json, const Facts& facts);
void from_json(const nlohmann::json& json, Facts& facts);

}  // namespace verbund
