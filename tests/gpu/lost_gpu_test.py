# SPDX-License-Identifier: Apache-2.0
"""A worker with a GPU that is killed or freezes while NCCL sums: the other's GPU waits for it in vain, but the worker ends
soon by itself, its exchange aborted, and says who was lost."""

import os
import pathlib
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.gpu_training import DEVICE, WORKERS, GpuTrainingTest, on  # noqa: E402
from support.lost_workers import SOON, LostWorkersTest  # noqa: E402
from support.program import long_test, run_tests  # noqa: E402


@long_test
@unittest.skipIf(WORKERS < 2, "there is one GPU")
class LostGpuTest(LostWorkersTest, GpuTrainingTest):
    PAIRS = {"train": 600}

    def lose(self, rank, signal_number, **limits):
        """Seconds until the other has ended, with mpirun kept from ending it."""
        job = self.start_noted(2, on(DEVICE, train__max_steps=100000, workers__transport="nccl", **limits), NCCL_DEBUG="INFO")
        workers = self.workers_at_step(job, 2, self.run_folder, 3)
        os.kill(workers[rank], signal_number)
        began = time.monotonic()
        code = self.folder / f"code.{1 - rank}"
        self.wait_for(lambda: code.exists() and code.read_text().strip(), job, seconds=limits.get("workers__deadline_seconds", 0) + SOON)
        took = time.monotonic() - began
        self.kill(workers[rank], signal.SIGKILL)  # a frozen one is still there
        self.assertNotEqual(job.wait(SOON), 0)
        self.assertEqual(self.codes(2), [137 if r == rank else 3 for r in range(2)], job.said())
        self.assert_lost(job, rank)
        self.assert_none_left(self.run_folder)
        if DEVICE == "emulated":
            self.assert_says(job.said(), f"rank {1 - rank} - Abort COMPLETE")  # the emulated NCCL's own words
        return took

    def test_a_killed_worker_is_missed(self):
        for rank in (1, 0):
            with self.subTest(rank=rank):
                self.setUp()
                took = self.lose(rank, signal.SIGKILL)
                print(f"killed worker {rank}: the other ended after {took:.2f} s", flush=True)

    def test_a_frozen_worker_is_given_up(self):
        took = self.lose(1, signal.SIGSTOP, workers__stall_warning_seconds=1, workers__deadline_seconds=4)
        self.assertGreater(took, 3.5)
        print(f"frozen worker 1: the other ended after {took:.1f} s", flush=True)


if __name__ == "__main__":
    run_tests()
