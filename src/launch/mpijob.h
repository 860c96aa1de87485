// SPDX-License-Identifier: Apache-2.0
// MpiJob describes a job for Kubernetes: an MPIJob (v2beta1) of Kubeflow's mpi-operator, whose launcher pod runs
// `verbund launch` and whose worker pods run sshd in the image of docker/.
#pragma once

#include <string>
#include <vector>

namespace verbund {

struct MpiJob {
  std::string name;
  std::string image = "verbund";
  std::string space;              // namespace; "": the one of whoever applies the file
  int workers = 1;                // processes, over all pods
  int slots = 1;                  // workers of a pod
  std::string claim = "verbund";  // PersistentVolumeClaim with data/ and runs/
  std::string cpu = "2", memory = "4Gi";
  int gpus = 0;                        // of a pod
  std::vector<std::string> launch;     // arguments of `verbund launch` before --, besides the host file
  std::vector<std::string> arguments;  // of the workers: train --data ...

  bool operator==(const MpiJob&) const = default;
};

// Refuses what Kubernetes or the operator would refuse, or would leave pending for ever.
void check_mpijob(const MpiJob& job);

// The YAML document, for kubectl apply. Refuses text that is not UTF-8.
std::string mpijob_yaml(const MpiJob& job);

}  // namespace verbund
