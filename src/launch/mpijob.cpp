// SPDX-License-Identifier: Apache-2.0
#include "launch/mpijob.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/error.h"
#include "core/utf8.h"
#include "core/yaml_text.h"

namespace verbund {
namespace {

constexpr size_t kLongestLabel = 63;  // of a DNS name

// Settings that launcher and workers have in common.
constexpr std::string_view kPodSecurity = R"(
            runAsNonRoot: true
            runAsUser: 1000
            runAsGroup: 1000
            fsGroup: 1000
            fsGroupChangePolicy: OnRootMismatch
            seccompProfile:
              type: RuntimeDefault)";
constexpr std::string_view kContainerSecurity = R"(
                allowPrivilegeEscalation: false
                capabilities:
                  drop:
                    - ALL)";
constexpr std::string_view kNodeKey = R"(
                - name: NODE_KEY_FILE
                  value: /etc/verbund-ssh/id_rsa)";

constexpr std::string_view kMpiJobYaml =
    R"(# {pods} x {slots} workers. The launcher pod runs verbund launch, which restarts lost workers by itself.
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
{metadata}
spec:
  slotsPerWorker: {slots}
  mpiImplementation: OpenMPI
  sshAuthMountPath: /etc/verbund-ssh # entrypoint.sh copies the key: ssh accepts only one that nobody else can read
  runPolicy:
    cleanPodPolicy: Running
    backoffLimit: 3 # a new launcher pod resumes the run, if launch gave up or its node was lost
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      restartPolicy: Never # a new pod instead, so that the log of the old one stays
      template:
        spec:
          terminationGracePeriodSeconds: 120
          securityContext:{pod_security}
          containers:
            - name: launcher
              image: {image}
              command:
                - /usr/local/bin/entrypoint.sh
              args:
{args}              env:{node_key}
              securityContext:{container_security}
              resources:
                requests:
                  cpu: 100m
                  memory: 256Mi
                limits:
                  memory: 512Mi
    Worker:
      replicas: {pods}
      restartPolicy: OnFailure # a container that ran out of memory comes back under the same name
      template:
        spec:
          terminationGracePeriodSeconds: 120 # for the workers to save
          securityContext:{pod_security}
          containers:
            - name: worker
              image: {image}
              command: # without one, the operator would run sshd as root does
                - /usr/local/bin/entrypoint.sh
              env:{node_key}
              ports:
                - name: ssh
                  containerPort: 2222
              readinessProbe:
                tcpSocket:
                  port: 2222
                periodSeconds: 2
              securityContext:{container_security}
              resources:
                requests:
                  cpu: {cpu}
                  memory: {memory}
                limits:
                  cpu: {cpu}
                  memory: {memory}{gpus}
              volumeMounts:
                - name: work
                  mountPath: /home/trainer/verbund # with data/ and runs/
                - name: shm
                  mountPath: /dev/shm
          volumes:
            - name: work
              persistentVolumeClaim:
                claimName: {claim}
            - name: shm # has MPI's segments of the workers of a pod; the default of 64 MB is too small for many
              emptyDir:
                medium: Memory
                sizeLimit: 1Gi
)";

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// A label as RFC 1123 defines it: a-z, 0-9 and -, not at the ends.
bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= kLongestLabel && is_lower_or_digit(text.front()) &&
         is_lower_or_digit(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

// Labels with dots between them.
bool is_subdomain(std::string_view text) {
  for (size_t dot; (dot = text.find('.')) != std::string_view::npos; text.remove_prefix(dot + 1)) {
    if (!is_label(text.substr(0, dot))) return false;
  }
  return is_label(text);
}

// 2, 0.5, 500m, 4Gi: more than nothing.
bool is_quantity(std::string_view text) {
  constexpr std::array<std::string_view, 14> kSuffixes = {"",  "m",  "k",  "M",  "G",  "T",  "P",
                                                          "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, digits);
  return digits > 0 && number.front() != '.' && number.back() != '.' &&
         std::count(number.begin(), number.end(), '.') <= 1 &&
         number.find_first_of("123456789") != std::string_view::npos &&
         std::find(kSuffixes.begin(), kSuffixes.end(), text.substr(digits)) != kSuffixes.end();
}

// Kubernetes replaces $(NAME) in arguments; $$ stands for a $.
std::string without_expansion(std::string text) {
  for (size_t at = 0; (at = text.find('$', at)) != std::string::npos; at += 2) text.insert(at, 1, '$');
  return text;
}

// Threads of a worker: a pod may use all cores of its node in turn, but no more time than its limit, and training would
// start a thread for each core. At least 1.
int threads_of_worker(const MpiJob& job) {
  const double cores = std::stod(job.cpu) / (job.cpu.back() == 'm' ? 1000 : 1);
  return std::max(1, static_cast<int>(cores / job.slots));
}

bool sets(const std::vector<std::string>& arguments, const std::string& key) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& word) {
    return word.starts_with(key + "=") || word.starts_with("--set=" + key + "=");
  });
}

std::string scalar(const std::string& text) {
  if (!is_utf8(text)) fail_usage("\"{}\" is not UTF-8, and YAML cannot hold it", text);
  return yaml_quoted(text);
}

std::string list(const std::vector<std::string>& words, const std::string& indent) {
  std::string text;
  for (const std::string& word : words) text += fmt::format("{}- {}\n", indent, scalar(without_expansion(word)));
  return text;
}

// What the launcher's pod runs.
std::vector<std::string> launch_command(const MpiJob& job) {
  std::vector<std::string> launch = {"verbund", "launch", "--hostfile", "/etc/mpi/hostfile"};
  launch.insert(launch.end(), job.launch.begin(), job.launch.end());
  launch.emplace_back("--");
  launch.insert(launch.end(), job.arguments.begin(), job.arguments.end());
  if (job.arguments.front() == "train" && !sets(job.arguments, "threads")) {
    launch.insert(launch.end(), {"--set", fmt::format("threads={}", threads_of_worker(job))});
  }
  if (job.gpus > 0 && !sets(job.arguments, "device")) launch.insert(launch.end(), {"--set", "device=cuda"});
  return launch;
}

}  // namespace

void check_mpijob(const MpiJob& job) {
  const int pods = job.workers / job.slots;
  if (job.workers % job.slots != 0) {
    fail_usage("-n {} workers do not fill pods of {}: give a multiple of --slots", job.workers, job.slots);
  }
  // The operator makes a service with the job's name, which must begin with a letter, and numbers the pods.
  if (!is_label(job.name) || (job.name.front() >= '0' && job.name.front() <= '9')) {
    fail_usage(
        "--print-mpijob \"{}\": a name in Kubernetes has lower-case letters, digits and -, at most {} characters, "
        "begins with a letter and does not end with -",
        job.name, kLongestLabel);
  }
  if (const std::string pod = fmt::format("{}-worker-{}", job.name, pods - 1); pod.size() > kLongestLabel) {
    fail_usage("--print-mpijob \"{}\": the name of its last pod, {}, has {} characters, and Kubernetes allows {}",
               job.name, pod, pod.size(), kLongestLabel);
  }
  if (!job.space.empty() && !is_label(job.space)) {
    fail_usage("--namespace \"{}\": a namespace has lower-case letters, digits and -, at most {} characters", job.space,
               kLongestLabel);
  }
  if (job.claim.size() > 253 || !is_subdomain(job.claim)) {
    fail_usage("--claim \"{}\": a PersistentVolumeClaim's name has lower-case letters, digits, - and .", job.claim);
  }
  if (job.image.empty() || std::any_of(job.image.begin(), job.image.end(), [](unsigned char c) { return c <= ' '; })) {
    fail_usage("--image \"{}\" is not the name of an image, as in registry.example.org/verbund:1", job.image);
  }
  const auto check_quantity = [](const char* flag, const std::string& value, const char* example) {
    if (!is_quantity(value)) fail_usage("{} \"{}\" is not a quantity of Kubernetes, as in {}", flag, value, example);
  };
  check_quantity("--cpu", job.cpu, "4 or 500m");
  if (std::isdigit(static_cast<unsigned char>(job.cpu.back())) == 0 && job.cpu.back() != 'm') {
    fail_usage("--cpu \"{}\" is not a number of cores, as in 4 or 500m", job.cpu);
  }
  check_quantity("--memory", job.memory, "8Gi");
  if (job.gpus > 0 && job.gpus < job.slots) {
    fail_usage("--gpus {} is fewer than the --slots {} workers of a pod, and each needs a GPU of its own", job.gpus,
               job.slots);
  }
}

std::string mpijob_yaml(const MpiJob& job) {
  const std::string metadata =
      "  name: " + scalar(job.name) + (job.space.empty() ? "" : "\n  namespace: " + scalar(job.space));
  const std::string gpus = job.gpus == 0 ? "" : fmt::format("\n                  nvidia.com/gpu: {}", job.gpus);
  return fmt::format(kMpiJobYaml, fmt::arg("metadata", metadata), fmt::arg("pods", job.workers / job.slots),
                     fmt::arg("slots", job.slots), fmt::arg("image", scalar(job.image)),
                     fmt::arg("args", list(launch_command(job), "                ")), fmt::arg("cpu", scalar(job.cpu)),
                     fmt::arg("memory", scalar(job.memory)), fmt::arg("gpus", gpus),
                     fmt::arg("claim", scalar(job.claim)), fmt::arg("pod_security", kPodSecurity),
                     fmt::arg("container_security", kContainerSecurity), fmt::arg("node_key", kNodeKey));
}

}  // namespace verbund
