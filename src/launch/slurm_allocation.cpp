// SPDX-License-Identifier: Apache-2.0
#include "launch/slurm_allocation.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "core/child_process.h"
#include "core/error.h"
#include "launch/job_settings.h"

namespace verbund {
namespace {

constexpr std::chrono::seconds kPatience{20};

// Removes a positive number from the front.
std::optional<int> take_count(std::string_view& text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count < 1 || count > kMaxSlots) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return count;
}

bool take(std::string_view& text, std::string_view words) {
  if (!text.starts_with(words)) return false;
  text.remove_prefix(words.size());
  return true;
}

// SLURM_GPUS_ON_NODE is a number; SLURM_GPUS_PER_NODE is what the user asked for: "2", "a100:2".
int gpus_of(const Variable& variable) {
  const std::string asked = variable("SLURM_GPUS_PER_NODE");
  for (const std::string& text : {variable("SLURM_GPUS_ON_NODE"), asked.substr(asked.find(':') + 1)}) {
    std::string_view rest = text;
    if (const std::optional<int> count = take_count(rest)) return *count;
  }
  return 0;
}

std::vector<std::string> expand_with_scontrol(const std::string& list) {
  const CommandEnd end = run_command({"scontrol", "show", "hostnames", list}, kPatience);
  if (end.exit_code != 0) fail("scontrol show hostnames {} ended with code {}: {}", list, end.exit_code, end.output);
  return split_words(end.output);
}

}  // namespace

std::vector<int> parse_tasks_per_node(const std::string& text) {
  std::vector<int> counts;
  std::string_view rest = text;
  do {
    const std::optional<int> count = take_count(rest);
    const bool repeated = take(rest, "(x");
    const std::optional<int> times = repeated ? take_count(rest) : 1;
    const bool closed = !repeated || take(rest, ")");
    if (!count || !times || !closed) fail("cannot read SLURM_TASKS_PER_NODE={}", text);
    counts.insert(counts.end(), static_cast<size_t>(*times), *count);
  } while (take(rest, ","));
  if (!rest.empty()) fail("cannot read SLURM_TASKS_PER_NODE={}", text);
  return counts;
}

SlurmAllocation read_allocation(const Variable& variable, const ExpandHosts& expand) {
  SlurmAllocation allocation;
  allocation.job = variable("SLURM_JOB_ID");
  const std::string list = variable("SLURM_JOB_NODELIST");
  if (allocation.job.empty() || list.empty()) {
    fail_usage(
        "--slurm works inside an allocation of Slurm: SLURM_JOB_ID and SLURM_JOB_NODELIST are not set.\n"
        "Put the command into a script for sbatch, or run it in the shell that salloc opens");
  }
  allocation.cores = variable("SLURM_CPUS_PER_TASK");
  allocation.gpus = gpus_of(variable);
  const std::vector<std::string> names = expand(list);
  std::vector<int> slots(names.size(), std::max(1, allocation.gpus));
  if (!variable("SLURM_NTASKS").empty()) slots = parse_tasks_per_node(variable("SLURM_TASKS_PER_NODE"));
  if (names.empty() || names.size() != slots.size()) {
    fail("Slurm names {} hosts (SLURM_JOB_NODELIST={}), but tasks for {} (SLURM_TASKS_PER_NODE={})", names.size(), list,
         slots.size(), variable("SLURM_TASKS_PER_NODE"));
  }
  for (size_t i = 0; i < names.size(); ++i) allocation.hosts.push_back({names[i], slots[i]});
  return allocation;
}

SlurmAllocation current_allocation() { return read_allocation(environment_variable, expand_with_scontrol); }

void refuse_tasks_without_pmix(const Variable& variable) {
  const std::string tasks = variable("SLURM_STEP_NUM_TASKS");
  const bool by_mpi = !variable("PMIX_RANK").empty() || !variable("OMPI_COMM_WORLD_SIZE").empty();
  if (tasks.empty() || tasks == "1" || by_mpi) return;
  fail_usage(
      "srun has started {} tasks that do not know of each other: each would do the whole work.\n"
      "Use srun --mpi=pmix, or `verbund launch --slurm` without srun. `srun --mpi=list` shows what your Slurm has",
      tasks);
}

std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace verbund
