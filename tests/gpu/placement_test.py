# SPDX-License-Identifier: Apache-2.0
"""One GPU for each worker, and a GPU for each: runs that cannot have that are refused before anything is written."""

import pathlib
import socket
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.gpu_training import DEVICE, EMULATED, GpuTrainingTest, on  # noqa: E402
from support.program import run_tests  # noqa: E402
from support.training import MPIRUN  # noqa: E402

HOST = socket.gethostname()


@unittest.skipUnless(DEVICE == "emulated", "of real GPUs nobody knows how many there are")
class PlacementTest(GpuTrainingTest):
    PAIRS = {"train": 600}

    def worker(self, device, **environment):
        """One that mpirun starts beside others."""
        variables = [word for name, value in environment.items() for word in ("-x", f"{name}={value}")]
        return ["-n", 1, *variables, *self.command(*self.arguments(self.run_folder, self.values(device)))]

    def values(self, device):
        return on(device, train__max_steps=2, workers__transport="mpi")

    def assert_refused(self, job, code, *parts):
        self.assertEqual(job.wait(), code, job.said())
        self.assert_says(" ".join(job.said().split()), *parts)
        self.assertFalse(self.run_folder.exists())

    def test_more_workers_than_gpus(self):
        job = self.start_workers(3, self.run_folder, self.values(DEVICE))
        self.assert_refused(job, 2, "2 GPUs", "worker 2")

    def test_different_requests(self):
        job = self.start([*MPIRUN, *self.worker(DEVICE), ":", *self.worker("cpu")])
        self.assert_refused(job, 1, "worker 1", "device", "cpu", "emulated")

    @unittest.skipIf(pathlib.Path("/proc/driver/nvidia").exists(), "there is NVIDIA's driver: both have a GPU")
    def test_a_gpu_for_some(self):
        """The same request of all, which only one of them can fulfil."""
        for own, other in (({"VERBUND_CUDA_PATH": EMULATED}, {}), ({}, {"VERBUND_CUDA_PATH": EMULATED})):
            with self.subTest(worker_0=own):
                job = self.start([*MPIRUN, *self.worker("auto", **own), ":", *self.worker("auto", **other)])
                self.assert_refused(job, 1, "device", f"worker 1 on {HOST}", "cuda", "CPU")

    def test_a_gpu_for_two(self):
        """Each sees one GPU, as Slurm may show it, but it is the same one."""
        job = self.start_workers(2, self.run_folder, self.values(DEVICE), VERBUND_EMULATED_GPUS="1",
                                 CUDA_VISIBLE_DEVICES="0")
        self.assert_refused(job, 2, "worker 0", f"worker 1 on {HOST}", "Emulated GPU", "UUID 656d756c-", f"-H {HOST}:1",
                            "CUDA_VISIBLE_DEVICES")

    def test_each_sees_its_own(self):
        job = self.start([*MPIRUN, *self.worker(DEVICE, CUDA_VISIBLE_DEVICES=1), ":",
                          *self.worker(DEVICE, CUDA_VISIBLE_DEVICES=0)])
        self.assertEqual(job.wait(), 0, job.said())
        self.assertEqual(self.last_step(self.run_folder), 2)


if __name__ == "__main__":
    run_tests()
