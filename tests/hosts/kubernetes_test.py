# SPDX-License-Identifier: Apache-2.0
"""The jobs of deploy/kubernetes and of `launch --print-mpijob`, run as Kubeflow's operators would run them: a launcher and
two workers in containers on three hosts, an sshd of an ordinary user in each worker, a host file, names in DNS."""

import os
import pathlib
import shutil
import signal
import sys
import time

from hosts import CANNOT, Hosts, leave_unless_possible

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import SOURCE, long_test, run_tests  # noqa: E402
from support.training import SMALL, TrainingTest, settings  # noqa: E402

try:
    import yaml
    from support import kubernetes
except ModuleNotFoundError:
    yaml = None
SSHD = "/usr/sbin/sshd"


class KubernetesTest(TrainingTest):
    def setUp(self):
        self.addCleanup(os.umask, os.umask(0o022))  # the user of the pods must get into all folders
        super().setUp()
        self.folder.chmod(0o755)
        hosts = Hosts(3)
        hosts.__enter__()
        self.addCleanup(hosts.__exit__)
        self.cluster = kubernetes.Cluster(hosts, self.folder)
        shutil.copytree(self.data, self.cluster.claim / "data" / "demo")
        self.run_folder = self.cluster.claim / "runs" / "demo"

    def printed(self, *flags, steps=10, **values):
        """The pods of a job with two workers, as the program prints it."""
        train = ["train", "--data", "data/demo", "--run", "runs/demo",
                 *settings({**SMALL, "train.max_steps": steps, "workers.deadline_seconds": 5, **values})]
        printed = self.succeed("launch", "--print-mpijob", "demo", "-n", 2, *flags, "--", *train).stdout
        return kubernetes.pods_of_mpijob(yaml.safe_load(printed))

    def run_pod(self, pod):
        container = self.cluster.start(pod)
        self.addCleanup(self.kill_pod, container)
        return container

    def kill_pod(self, container):
        if container.poll() is None:
            self.cluster.signal(container, signal.SIGKILL)
            container.kill()  # if it has not begun
            container.wait()

    def end_of(self, launcher, container, seconds=60):
        try:
            return container.wait(seconds)
        except Exception:
            raise AssertionError(f"still at work after {seconds} s:\n{self.cluster.log(launcher)}") from None

    def train_to_the_end(self, launcher, workers, late=0.0):
        """One worker is there before the launcher, the others come `late` seconds after it."""
        self.run_pod(workers[0])
        container = self.run_pod(launcher)
        time.sleep(late)
        for worker in workers[1:]:
            self.run_pod(worker)
        self.assertEqual(self.end_of(launcher, container, 90), 0, self.cluster.log(launcher))

    def test_a_job_waits_for_a_late_worker_and_trains(self):
        begin = time.monotonic()
        self.train_to_the_end(*self.printed("--wait-at-start", 60), late=2)
        self.assertGreater(time.monotonic() - begin, 2)
        self.assertEqual(self.checkpoints(self.run_folder), [10])
        self.assertEqual(self.run_folder.stat().st_uid, 1000)

    @long_test
    def test_a_worker_that_is_20_seconds_late(self):
        begin = time.monotonic()
        self.train_to_the_end(*self.printed(), late=20)  # with the usual patience
        self.assertGreater(time.monotonic() - begin, 20)
        self.assertEqual(self.checkpoints(self.run_folder), [10])

    @long_test
    def test_a_worker_that_never_comes(self):
        launcher, workers = self.printed("--wait-at-start", 6)
        self.run_pod(workers[0])
        begin = time.monotonic()
        container = self.run_pod(launcher)
        self.assertEqual(self.end_of(launcher, container), 1)
        self.assertTrue(5 < time.monotonic() - begin < 30)
        message = self.cluster.log(launcher).partition("verbund: ")[2]
        self.assertIn(workers[1].address, message)
        self.assertNotIn(workers[0].address, message)
        self.assertFalse(self.run_folder.exists())

    @long_test
    def test_a_container_that_dies_comes_back_and_the_run_goes_on(self):
        """To the bits of a run that was not disturbed."""
        saving = {"checkpoint.save_every_steps": 20}
        launcher, workers = self.printed(steps=400, **saving)
        pods = [self.run_pod(worker) for worker in workers]
        container = self.run_pod(launcher)
        self.wait_for(lambda: self.last_step(self.run_folder) >= 30)
        self.kill_pod(pods[1])
        self.run_pod(workers[1])
        self.assertEqual(self.end_of(launcher, container, 120), 0, self.cluster.log(launcher))
        self.assertEqual(self.checkpoints(self.run_folder)[-1], 400)
        self.train(2, self.folder / "undisturbed", {**saving, "train.max_steps": 400})
        self.assertEqual(self.weights(self.run_folder), self.weights(self.folder / "undisturbed"))

    @long_test
    def test_a_new_launcher_resumes_the_run(self):
        launcher, workers = self.printed(steps=400, **{"checkpoint.save_every_steps": 20})
        for worker in workers:
            self.run_pod(worker)
        container = self.run_pod(launcher)
        self.wait_for(lambda: self.last_step(self.run_folder) >= 30)
        self.kill_pod(container)
        time.sleep(10)  # as Kubernetes does before it tries again
        container = self.run_pod(launcher)
        self.assertEqual(self.end_of(launcher, container, 120), 0, self.cluster.log(launcher))
        self.assertEqual(self.checkpoints(self.run_folder)[-1], 400)
        self.assertGreaterEqual(self.resumed_at(self.run_folder), 20)

    @long_test
    def test_a_worker_that_is_moved_saves_first(self):
        launcher, workers = self.printed(steps=400)  # which would save at its end alone
        pods = [self.run_pod(worker) for worker in workers]
        container = self.run_pod(launcher)
        self.wait_for(lambda: self.last_step(self.run_folder) >= 30)
        self.cluster.signal(pods[1], signal.SIGTERM)
        self.assertEqual(pods[1].wait(30), 0, self.cluster.log(workers[1]))
        saved = self.checkpoints(self.run_folder)
        self.assertTrue(saved and 30 <= saved[-1] < 400, saved)
        self.assertIsNone(container.poll(), self.cluster.log(launcher))
        self.run_pod(workers[1])
        self.assertEqual(self.end_of(launcher, container, 120), 0, self.cluster.log(launcher))
        self.assertEqual(self.checkpoints(self.run_folder)[-1], 400)

    @long_test
    def test_a_deleted_job_saves(self):
        launcher, workers = self.printed(steps=100000)
        pods = [self.run_pod(worker) for worker in workers]
        container = self.run_pod(launcher)
        self.wait_for(lambda: self.last_step(self.run_folder) >= 30)
        for pod in [container, *pods]:
            self.cluster.signal(pod, signal.SIGTERM)
        self.assertEqual(self.end_of(launcher, container, 60), 143, self.cluster.log(launcher))
        self.assertEqual([pod.wait(30) for pod in pods], [0, 0])
        self.assertGreaterEqual(self.checkpoints(self.run_folder)[-1], 30)

    @long_test
    def test_a_trainjob_trains(self):
        runtime, job = kubernetes.kustomized(SOURCE / "deploy" / "kubernetes" / "trainjob")
        job["spec"]["trainer"]["args"] += settings({**SMALL, "train.max_steps": 10})
        self.train_to_the_end(*kubernetes.pods_of_trainjob(runtime, job), late=1)
        self.assertEqual(self.checkpoints(self.run_folder), [10])


if __name__ == "__main__":
    leave_unless_possible()
    for present, package in ((os.path.exists(SSHD), "openssh-server"), (yaml, "python3-yaml")):
        if not present:
            print(f"skipped: apt-get install {package}")
            sys.exit(CANNOT)
    run_tests()
