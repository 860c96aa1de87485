# SPDX-License-Identifier: Apache-2.0
"""`launch --print-mpijob`, and that the files of deploy/kubernetes agree with it and with each other. The operators'
schemas are in tests/oracle, their containers in tests/hosts."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import SOURCE, ProgramTest, run_tests  # noqa: E402

try:
    import yaml
except ModuleNotFoundError:
    print("skipped: apt-get install python3-yaml")
    sys.exit(77)
from support import kubernetes  # noqa: E402

DEPLOY = SOURCE / "deploy" / "kubernetes"
TRAIN = ["train", "--config", "demo", "--data", "data/demo", "--run", "runs/demo"]


class KubernetesFilesTest(ProgramTest):
    def printed(self, *arguments):
        return yaml.safe_load(self.succeed("launch", "--print-mpijob", "demo", *arguments).stdout)

    def test_hostile_arguments_arrive(self):
        """YAML, Kubernetes' own $(NAME) and no shell are between the call and the container."""
        hostile = ["a b", "'single' \"double\"", "$HOME $(HOME) $$ $$(HOME) `id`", "line\nbreak\r\n\ttab", "\\n\\", "",
                   "- item", "key: value # comment", "{a: [b]}", "&anchor *alias !tag", "%TAG", "no", "null", "1e3", "~",
                   "\u00e4\u4e16\U0001f600", "\u0085\u2028\u2029\ufeff\u007f\u0080\u009f\u00a0", "\x01\x1b[31m", " space "]
        job = self.printed("-n", 2, "--", "train", *hostile)
        launcher, _ = kubernetes.pods_of_mpijob(job)
        launcher.environment["HOME"] = "expanded"
        words = launcher.command()[1]
        self.assertEqual(words[words.index("train") + 1:][:len(hostile)], hostile)

    def test_flags_are_in_the_job(self):
        job = self.printed("-n", 6, "--slots", 3, "--image", "example.org:5000/verbund:0.2", "--namespace", "nmt", "--claim",
                           "corpora", "--cpu", 12, "--memory", "24Gi", "--gpus", 3, "--max-restarts", 4, "--min-workers", 3,
                           "--min-hosts", 2, "--nic", "eth0", "--mpirun-args=--mca pml ob1", "--", *TRAIN)
        self.assertEqual(job["metadata"], {"name": "demo", "namespace": "nmt"})
        self.assertEqual(job["spec"]["slotsPerWorker"], 3)
        self.assertEqual(job["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"], 2)
        launcher, workers = kubernetes.pods_of_mpijob(job)
        self.assertEqual(launcher.config["hostfile"], "demo-worker-0.demo.nmt.svc slots=3\ndemo-worker-1.demo.nmt.svc slots=3\n")
        words = launcher.command()[1]
        for pair in (["--hostfile", "/etc/mpi/hostfile"], ["--max-restarts", "4"], ["--min-workers", "3"], ["--min-hosts", "2"],
                     ["--nic", "eth0"]):
            self.assertEqual(words[words.index(pair[0]):][:2], pair)
        self.assertLess(words.index("--mpirun-args=--mca pml ob1"), words.index("--"))
        self.assertEqual(words[words.index("--") + 1:], [*TRAIN, "--set", "threads=4", "--set", "device=cuda"])
        worker = workers[0]
        self.assertEqual({pod.container["image"] for pod in (launcher, worker)}, {"example.org:5000/verbund:0.2"})
        self.assertEqual(worker.container["resources"]["limits"], {"cpu": "12", "memory": "24Gi", "nvidia.com/gpu": 3})
        self.assertNotIn("nvidia.com/gpu", launcher.container["resources"]["limits"])
        self.assertEqual(worker.spec["volumes"][0]["persistentVolumeClaim"]["claimName"], "corpora")

    def test_a_name_may_be_a_word_of_yaml(self):
        for name in ("no", "on", "true", "null"):
            printed = self.succeed("launch", "--print-mpijob", name, "-n", 2, "--", *TRAIN).stdout
            self.assertEqual(yaml.safe_load(printed)["metadata"], {"name": name})

    def test_the_given_job_is_what_is_printed(self):
        printed = self.succeed("launch", "--print-mpijob", "demo", "-n", 4, "--slots", 2, "--", *TRAIN).stdout
        self.assertEqual((DEPLOY / "mpijob" / "mpijob.yaml").read_text(), printed)

    def test_the_trainjob_is_the_same_job(self):
        launcher, workers = kubernetes.pods_of_mpijob(*kubernetes.kustomized(DEPLOY / "mpijob"))
        other, others = kubernetes.pods_of_trainjob(*kubernetes.kustomized(DEPLOY / "trainjob"))
        self.assertEqual(len(others), len(workers))
        for pod, twin in ((launcher, other), (workers[0], others[0])):
            twin.container["name"] = pod.container["name"]
            twin.spec.pop("restartPolicy")  # the operator sets it from beside the template
            self.assertEqual({**twin.spec, "containers": [{**twin.container, "args": 0}]},
                             {**pod.spec, "containers": [{**pod.container, "args": 0}]})
        self.assertEqual(set(other.command()[1]) - set(launcher.command()[1]), set())

    def test_gpus_are_an_overlay(self):
        launcher, workers = kubernetes.pods_of_mpijob(*kubernetes.kustomized(DEPLOY / "mpijob-gpu"))
        other, others = kubernetes.pods_of_trainjob(*kubernetes.kustomized(DEPLOY / "trainjob-gpu"))
        for leader, worker in ((launcher, workers[0]), (other, others[0])):
            self.assertEqual(worker.container["resources"]["limits"]["nvidia.com/gpu"], worker.slots)
            self.assertEqual(leader.command()[1][-1], "device=cuda")


if __name__ == "__main__":
    run_tests()
