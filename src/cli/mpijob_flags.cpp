// SPDX-License-Identifier: Apache-2.0
#include "cli/mpijob_flags.h"

#include "core/error.h"

namespace verbund {

void MpiJobFlags::declare(Options& options) {
  const auto text = [&](const std::string& name, std::string& value, const std::string& type,
                        const std::string& about) { return options.add_option(name, value, about)->type_name(type); };
  options
      .add_call(
          "--print-mpijob",
          [this](const std::string& name) {
            given_ = true;
            job_.name = name;
          },
          "Only print an MPIJob of this name, for kubectl apply (docs/kubernetes.md); the flags below are for it")
      ->type_name("NAME");
  text("--image", job_.image, "IMAGE", "Image of its pods")->capture_default_str();
  text("--namespace", job_.space, "NAME", "Its namespace (the current one of kubectl)");
  options.add_option("--slots", job_.slots, "Workers in a pod")
      ->type_name("N")
      ->check(between(1, kMaxSlots))
      ->capture_default_str();
  text("--claim", job_.claim, "NAME", "PersistentVolumeClaim with data/ and runs/")->capture_default_str();
  text("--cpu", job_.cpu, "N", "Cores of a pod")->capture_default_str();
  text("--memory", job_.memory, "SIZE", "Memory of a pod")->capture_default_str();
  options.add_option("--gpus", job_.gpus, "GPUs of a pod")
      ->type_name("N")
      ->check(between(0, kMaxSlots))
      ->capture_default_str();
}

bool MpiJobFlags::given() const {
  if (!given_ && job_ != MpiJob()) {
    fail_usage(
        "--image, --namespace, --slots, --claim, --cpu, --memory and --gpus describe a job for Kubernetes, which "
        "--print-mpijob NAME prints");
  }
  return given_;
}

std::string MpiJobFlags::print(const HostFlags& hosts, std::vector<std::string> launch,
                               const Arguments& command) const {
  if (!hosts.list.empty() || !hosts.file.empty() || !hosts.from.empty() || !hosts.mpirun.rsh_agent.empty() ||
      hosts.slurm || hosts.starter_name != "auto") {
    fail_usage(
        "--print-mpijob cannot be combined with -H, --hostfile, --hosts-from, --rsh, --slurm or --starter: the "
        "operator creates the hosts. Give -n and --slots");
  }
  if (hosts.workers == 0) fail_usage("the number of workers is missing: -n 4 --slots 2 makes two pods of two workers");
  MpiJob job = job_;
  job.workers = hosts.workers;
  check_mpijob(job);
  if (!hosts.job.interface.empty()) launch.insert(launch.end(), {"--nic", hosts.job.interface});
  job.launch = std::move(launch);
  job.arguments = command;
  return mpijob_yaml(job);
}

}  // namespace verbund
