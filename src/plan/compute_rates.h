// SPDX-License-Identifier: Apache-2.0
// ComputeRates is the speed of a worker, which gives the duration of the stages of a step. Rates are measured
// (measured_compute.h), come from a run's record (run_rates.h), from a throughput that the user gives, or from the data
// sheet of a GPU.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "config/device_config.h"
#include "plan/batch_facts.h"
#include "plan/work_stages.h"

namespace verbund {

inline constexpr double kHostMemory = 10e9;  // bytes per second that an update moves on a CPU

struct ComputeRates {
  double gemm = 0;       // operations per second
  double attention = 0;  // the same for attention
  // Bytes per second of everything else; infinite: included in the rate of GEMM.
  double bytes = std::numeric_limits<double>::infinity();
  double rest = 0;          // seconds per step for the rest: waiting for data, the record
  double update_bytes = 0;  // bytes per second of the optimiser's pass over weights, gradient and state
  bool half = false;        // GEMM operands have 16 bits
  bool gpu = false;
  int threads = 1;     // of a worker, shared with the exchange
  std::string source;  // where the rates come from
  std::string load;    // "other programs used 1.8 of 2 cores ..." while they were measured; "": nothing to notice
  bool named = false;  // given or from a data sheet, not measured
};

// On CPUs one rate covers everything: attention runs at about half the speed of GEMM, and the rest takes a share of
// the time that hardly depends on the model.
inline constexpr double kAttentionShareOnCpu = 0.5;

double seconds_of(const WorkStage& stage, const ComputeRates& rates);
double seconds_of(const std::vector<WorkStage>& stages, const ComputeRates& rates);

// Bytes that a step moves per weight after the exchange: the gradient is read for its norm, then read with the weight
// and both moments of Adam, which are written, and zeroed for the next step. Counted on the emulated GPU.
inline constexpr double kUpdateBytesPerWeight = 38;

// Rates of a CPU that takes `seconds` for these stages and `update_seconds` to update `weights` weights.
ComputeRates rates_of_cpu(const std::vector<WorkStage>& stages, double seconds, double weights, double update_seconds);

// GPUs whose data sheet is known. Their peaks, and the share of them that a training step reaches, are not measured
// here.
std::vector<std::string> known_gpus();  // "v100", ...

// Refuses an unknown GPU, and a precision that it does not support.
ComputeRates rates_of_gpu(const std::string& name, Precision precision);

// bf16, or fp16 on GPUs without bf16.
Precision fastest_precision(const std::string& gpu);

// Rates from a throughput: the target tokens per second of one worker that trains alone on its share of the batch. The
// share of the update is estimated from the memory bandwidth of usual hosts.
ComputeRates rates_of_throughput(double tokens_per_second, const Config& config, BatchSource& batches, int workers);

}  // namespace verbund
