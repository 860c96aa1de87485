// SPDX-License-Identifier: Apache-2.0
// GPU checks: enough GPUs with their libraries, the same results as the CPU, memory for the model, and correct sums by
// NCCL. If training runs on the CPU, GPUs are only listed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/human.h"
#include "doctor/facts.h"
#include "doctor/judge.h"

namespace verbund {
namespace {

using Some = std::vector<const WorkerFacts*>;

constexpr double kSumTolerance = 1e-5;  // rounding, because the order of additions differs

// Relative tolerances of the loss and gradient norm of one step, by the compute dtype.
struct Tolerance {
  double loss, norm;
};
Tolerance tolerance_of(const std::string& precision) {
  if (precision == "fp32") return {1e-5, 1e-4};
  if (precision == "bf16") return {5e-3, 3e-2};
  return {1e-3, 5e-3};  // tf32, fp16: 10 bits of mantissa
}

double off_by(double value, double expected) {
  const double share = std::abs(value - expected) / std::abs(expected);
  return std::isfinite(share) ? share : HUGE_VAL;
}

std::string list_libraries(const GpuFacts& gpu) {
  std::vector<std::string> list;
  for (const LibraryFacts& library : gpu.libraries) {
    list.push_back(library.why_not.empty() ? fmt::format("{} {} ({})", library.name, library.version, library.path)
                                           : fmt::format("no {}", library.name));
  }
  return fmt::format("{}", fmt::join(list, ", "));
}

// GPUs that workers have opened.
std::string list_models(const HostWorkers& host) {
  std::vector<std::string> list;
  for (const WorkerFacts* worker : host.second) {
    const GpuFacts& gpu = worker->gpu;
    if (gpu.name.empty()) continue;
    list.push_back(fmt::format("{} {} (sm_{}, {})", gpu.number, gpu.name, gpu.architecture, human_bytes(gpu.memory)));
  }
  return list.empty() ? "" : fmt::format(": {}", fmt::join(list, ", "));
}

// GPUs that exist, but are not used.
Finding judge_unused(const HostWorkers& host) {
  const WorkerFacts& first = *host.second.front();
  const bool there = first.gpu.driver || !first.gpus.empty();
  std::string list = fmt::format("{}", fmt::join(first.gpus, ", "));
  if (list.empty() && first.gpu.count > 0) list = fmt::format("{} that can be used", first.gpu.count);
  if (first.gpu.requested == "cpu" || !there) {
    return {Health::kOk, "GPUs",
            fmt::format("{}: {}; training runs on the CPU", host.first, list.empty() ? "none" : list)};
  }
  return {Health::kWarning, "GPUs",
          fmt::format("{}: {} cannot be used, training runs on the CPU. {}", host.first,
                      list.empty() ? "a GPU exists, but" : list, first.gpu.missing),
          "docs/gpu.md lists what to install; --set device=cuda requires GPUs, device=cpu ignores them"};
}

Finding judge_gpus_of(const HostWorkers& host) {
  const WorkerFacts& first = *host.second.front();
  const GpuFacts& gpu = first.gpu;
  if (gpu.requires_gpu() && !gpu.missing.empty()) {
    return {Health::kProblem, "GPUs", fmt::format("{}: {}", host.first, gpu.missing),
            "docs/gpu.md lists what to install; without a GPU: --set device=cpu"};
  }
  if (gpu.requested == "cpu" || gpu.count == 0) return judge_unused(host);
  const bool enough = std::all_of(host.second.begin(), host.second.end(),
                                  [](const WorkerFacts* worker) { return worker->gpu.number >= 0; });
  const std::string has = fmt::format("{}: {} GPU{}", host.first, gpu.count, gpu.count == 1 ? "" : "s");
  if (!enough) {
    return {Health::kProblem, "GPUs", fmt::format("{}, but {} workers", has, host.second.size()),
            fmt::format("one worker per GPU: -H {}:{}; on the CPU: --set device=cpu", host.first, gpu.count)};
  }
  return {Health::kOk, "GPUs", fmt::format("{}{}; {}", has, list_models(host), list_libraries(gpu))};
}

Findings judge_hosts(const Facts& facts) {
  const bool none = std::all_of(facts.workers.begin(), facts.workers.end(), [](const WorkerFacts& worker) {
    return !worker.gpu.requires_gpu() && !worker.gpu.driver && worker.gpus.empty();
  });
  if (none) return {{Health::kOk, "GPUs", "none; training runs on the CPU"}};
  Findings findings;
  for (const HostWorkers& host : by_host(facts.workers)) findings.push_back(judge_gpus_of(host));
  return findings;
}

Findings judge_precision(const Facts& facts) {
  std::map<std::string, Some> troubles;
  for (const WorkerFacts& worker : facts.workers) troubles[worker.gpu.cpu_trouble].push_back(&worker);
  troubles.erase("");
  Findings findings;
  for (const auto& [trouble, who] : troubles) {
    findings.push_back({Health::kProblem, "precision", fmt::format("{}: {}", describe(who), trouble),
                        "change train.precision, or train on a GPU: docs/gpu.md"});
  }
  return findings;
}

// Training is refused if some compute on GPUs and some do not.
Findings judge_mixture(const Facts& facts) {
  Some with, without;
  for (const WorkerFacts& worker : facts.workers) {
    const bool gpu = worker.gpu.requested != "cpu" && worker.gpu.count > 0;
    (gpu ? with : without).push_back(&worker);
    if (worker.gpu.requires_gpu()) return {};  // missing GPUs have been reported
  }
  if (with.empty() || without.empty()) return {};
  return {
      {Health::kProblem, "GPUs",
       fmt::format("{} would compute on GPUs, {} on CPUs: training refuses that", describe(with), describe(without)),
       "remove the hosts without a usable GPU, or --set device=cpu"}};
}

Findings judge_steps(const Facts& facts) {
  Findings findings;
  double loss = 0, norm = 0;
  int fine = 0;
  for (const WorkerFacts& worker : facts.workers) {
    const GpuFacts& gpu = worker.gpu;
    if (gpu.number < 0) continue;
    if (!gpu.trouble.empty()) {
      findings.push_back({Health::kProblem, "GPU step", fmt::format("{}: {}", worker.name(), gpu.trouble),
                          "docs/gpu.md lists the GPUs, drivers and libraries that are needed"});
      continue;
    }
    const double loss_off = off_by(gpu.step.loss, gpu.cpu_step.loss);
    const double norm_off = off_by(gpu.step.gradient_norm, gpu.cpu_step.gradient_norm);
    const Tolerance tolerance = tolerance_of(gpu.precision);
    if (loss_off > tolerance.loss || norm_off > tolerance.norm) {
      findings.push_back(
          {Health::kProblem, "GPU step",
           fmt::format("{}: in {}, the GPU computes a loss of {:.6g} and a gradient norm of {:.6g}, the CPU {:.6g} "
                       "and {:.6g}",
                       worker.name(), gpu.precision, gpu.step.loss, gpu.step.gradient_norm, gpu.cpu_step.loss,
                       gpu.cpu_step.gradient_norm),
           "do not train on this GPU; report it with the output of make test-gpu"});
      continue;
    }
    ++fine;
    loss = std::max(loss, loss_off);
    norm = std::max(norm, norm_off);
  }
  if (fine > 0) {
    findings.insert(
        findings.begin(),
        {Health::kOk, "GPU step",
         fmt::format("{} GPU{} the CPU's step in {}: the loss is off by {:.1e}, the gradient norm by {:.1e}", fine,
                     fine == 1 ? " computes" : "s compute", facts.workers.front().gpu.precision, loss, norm)});
  }
  return findings;
}

Findings judge_gpu_memory(const Facts& facts) {
  Findings findings;
  uint64_t least = 0;
  ModelNeeds needs;
  for (const WorkerFacts& worker : facts.workers) {
    const GpuFacts& gpu = worker.gpu;
    if (!gpu.computes()) continue;
    if (worker.needs.known()) needs = worker.needs;
    const auto free = static_cast<double>(gpu.free_memory);
    const auto needed = static_cast<double>(worker.needs.gpu_bytes);
    if (free >= kRoomForBatches * needed) {
      least = least == 0 ? gpu.free_memory : std::min(least, gpu.free_memory);
      continue;
    }
    findings.push_back(
        {free < needed ? Health::kProblem : Health::kWarning, "GPU memory",
         fmt::format("{}: {} of {} free; weights, gradients and optimiser take {}, batches take more", worker.name(),
                     human_bytes(gpu.free_memory), human_bytes(gpu.memory), human_bytes(worker.needs.gpu_bytes)),
         "nvidia-smi shows other users; workers.shard_optimizer, a smaller model or smaller "
         "train.micro_batch_tokens need less"});
  }
  if (least > 0) {
    findings.insert(
        findings.begin(),
        {Health::kOk, "GPU memory",
         fmt::format("at least {} free; {}", human_bytes(least),
                     needs.known() ? fmt::format("weights, gradients and optimiser take {}, batches take more",
                                                 human_bytes(needs.gpu_bytes))
                                   : "--config and --data show what the model needs")});
  }
  return findings;
}

Findings judge_gpu_sum(const Facts& facts) {
  const GpuSumFacts& sum = facts.gpu_sum;
  if (sum.workers == 0) {
    if (facts.workers.size() < 2 || facts.transport == "mpi") return {};
    const auto lacking = std::find_if(facts.workers.begin(), facts.workers.end(),
                                      [](const WorkerFacts& worker) { return !worker.gpu.nccl_missing.empty(); });
    const bool all_compute = std::all_of(facts.workers.begin(), facts.workers.end(),
                                         [](const WorkerFacts& worker) { return worker.gpu.computes(); });
    const bool requested = facts.transport == "nccl";
    if (requested && !all_compute) {
      return {{Health::kProblem, "NCCL", "workers.transport is nccl, which is for GPUs, but not all workers have one",
               "use workers.transport=auto or mpi"}};
    }
    if (!all_compute || lacking == facts.workers.end()) return {};
    return {{requested ? Health::kProblem : Health::kWarning, "NCCL",
             fmt::format("{}: {}", lacking->name(), lacking->gpu.nccl_missing),
             "without NCCL, gradients go through the hosts' memory, which is slower"}};
  }
  if (!sum.trouble.empty()) {
    return {{Health::kProblem, "NCCL", sum.trouble,
             "NCCL_DEBUG=INFO shows more, NCCL_SOCKET_IFNAME chooses the network; workers.transport=mpi works without "
             "NCCL"}};
  }
  const std::string text = fmt::format(
      "{} GPUs sum {} in {:.1f} ms, {}/s; the sums differ from the hosts' by {:.1e} of the largest", sum.workers,
      human_bytes(sum.bytes), sum.seconds * 1e3,
      human_bytes(static_cast<uint64_t>(static_cast<double>(sum.bytes) / std::max(sum.seconds, 1e-9))), sum.difference);
  if (sum.difference <= kSumTolerance) return {{Health::kOk, "NCCL", text}};
  return {{Health::kProblem, "NCCL", text + ", which is not rounding",
           "do not train with it: workers.transport=mpi; NCCL_P2P_DISABLE=1 shows whether the link between GPUs is at "
           "fault"}};
}

}  // namespace

Findings judge_gpus(const Facts& facts) {
  if (facts.workers.empty()) return {};
  Findings findings;
  for (const auto& part : {judge_hosts, judge_precision, judge_mixture, judge_steps, judge_gpu_memory, judge_gpu_sum}) {
    add_findings(findings, part(facts));
  }
  return findings;
}

}  // namespace verbund
