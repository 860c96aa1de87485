# SPDX-License-Identifier: Apache-2.0
"""Workers that are killed or freeze while they train: the others end soon and say who was lost, and the same command
goes on to the very weights that an undisturbed run has."""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.lost_workers import HOST, SOON, LostWorkersTest  # noqa: E402
from support.program import long_test, run_tests  # noqa: E402
from support.training import MPIRUN  # noqa: E402

STEPS = 120
VALUES = {"train.max_steps": STEPS, "checkpoint.save_every_steps": 10, "checkpoint.keep_last": 3}

FREEZE_AT_THE_END = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int MPI_Finalize(void) {
  if (atoi(getenv("OMPI_COMM_WORLD_RANK")) == 1) {
    fprintf(stderr, "frozen\\n");
    raise(SIGSTOP);
  }
  return PMPI_Finalize();
}
"""


class TrainFaultsMpiTest(LostWorkersTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.weights_of = {}  # undisturbed runs, by number of workers

    def straight(self, count):
        """The weights of an undisturbed run of so many workers."""
        if count not in self.weights_of:
            run = self.folder / f"straight-{count}"
            self.train(count, run, VALUES)
            self.weights_of[count] = self.weights(run)
        return self.weights_of[count]

    def start_noted(self, count, values=None):
        return super().start_noted(count, {**VALUES, **(values or {})})

    def workers_at_step(self, job, count, run, step):
        """The processes, once there is a checkpoint as well: worker 0 may be frozen next, which writes it."""
        self.wait_for(lambda: self.checkpoints(run), job)
        return super().workers_at_step(job, count, run, step)

    def assert_goes_on(self, count):
        """The same command ends with the weights of an undisturbed run."""
        saved = self.checkpoints(self.run_folder)[-1]
        self.train(count, self.run_folder, VALUES)
        self.assertEqual(self.resumed_at(self.run_folder), saved)
        self.assertEqual(self.weights(self.run_folder), self.straight(count))
        self.assertEqual(self.checkpoints(self.run_folder)[-1], STEPS)
        self.assertEqual(list(self.losses(self.run_folder)), list(range(1, STEPS + 1)))

    @staticmethod
    def warning_of(job, rank):
        """That this worker has not been heard of for a while."""
        return re.search(rf"warning: .*\bworker {rank} on {HOST}\b", job.said())

    # Killed

    def test_a_killed_worker_is_missed(self):
        """Somewhere in a step, which is forward and backward for the most part."""
        self.kill_one(2, 1)

    @long_test
    def test_worker_0_of_three_is_missed(self):
        self.kill_one(3, 0)

    def kill_one(self, count, rank):
        job = self.start_noted(count)
        workers = self.workers_at_step(job, count, self.run_folder, 22)
        os.kill(workers[rank], signal.SIGKILL)
        killed = time.monotonic()
        self.wait_for(lambda: not self.processes(self.run_folder), seconds=SOON)
        self.assertNotEqual(job.wait(SOON), 0)
        took = time.monotonic() - killed
        step = self.assert_lost(job, rank)
        self.assertTrue(1 <= step <= self.last_step(self.run_folder) + 2, job.said())  # as it was last heard of
        self.assertEqual(self.codes(count), [137 if r == rank else 3 for r in range(count)], job.said())
        self.assertGreaterEqual(self.checkpoints(self.run_folder)[-1], 10)
        self.assert_goes_on(count)
        print(f"{count} workers without {rank}: {took:.1f} s to the end", flush=True)

    def test_on_alert_tells_a_lost_worker_after_the_job_has_ended(self):
        """Whoever is lost, also worker 0, which tells; and launch leaves the command alone."""
        for rank in (0, 1):
            with self.subTest(rank=rank):
                self.setUp()
                told = self.folder / "told"
                command = f'sleep 3; echo "$VERBUND_ALERT_KIND $VERBUND_ALERT_STEP $VERBUND_ALERT_TEXT" >> {told}'
                job = self.start(self.command("launch", "-n", 2, "--max-restarts", 0, "--",
                                              *self.arguments(self.run_folder, {**VALUES, "train.max_steps": 100_000}),
                                              "--on-alert", command))
                self.wait_for(lambda: self.last_step(self.run_folder) >= 15, job)
                workers = subprocess.run(["pgrep", "-f", "--", f"train.*{self.run_folder}"], capture_output=True, text=True)
                os.kill(self.worker(workers.stdout.split(), rank), signal.SIGKILL)
                self.assertEqual(job.wait(SOON), 3)
                self.wait_for(told.exists, seconds=30)
                kind, step, *text = told.read_text().split()
                self.assertEqual(kind, "lost")
                self.assertGreaterEqual(int(step), 10)
                if rank == 1:
                    self.assertIn(f"worker 1 on {HOST}", " ".join(text))

    @staticmethod
    def worker(processes, rank):
        """The one of this rank among these, and not the process that runs the command of --on-alert."""
        for process in map(pathlib.Path, ("/proc/" + number for number in processes)):
            if f"OMPI_COMM_WORLD_RANK={rank}\0".encode() in (process / "environ").read_bytes() + b"\0":
                if (process / "comm").read_text().strip() == "verbund":
                    return int(process.name)
        raise AssertionError(processes)

    @long_test
    def test_a_killed_worker_under_mpirun_alone(self):
        """mpirun ends the others by itself; who was lost is said nevertheless."""
        for rank in (0, 1):
            with self.subTest(rank=rank):
                self.setUp()
                job = self.start_workers(2, self.run_folder, VALUES)
                os.kill(self.workers_at_step(job, 2, self.run_folder, 15)[rank], signal.SIGKILL)
                self.assertNotEqual(job.wait(SOON), 0)
                self.assert_none_left(self.run_folder)
                self.assert_lost(job, rank)
                self.assert_goes_on(2)

    @long_test
    def test_killed_while_all_wait_in_an_exchange(self):
        """One worker is frozen, so that the others wait for its gradients; then one that waits is killed, or it."""
        limits = {"workers.stall_warning_seconds": 1, "workers.deadline_seconds": 100}
        for frozen, killed in ((2, 2), (0, 1)):
            with self.subTest(frozen=frozen, killed=killed):
                self.setUp()
                job = self.start_noted(3, limits)
                workers = self.workers_at_step(job, 3, self.run_folder, 12)
                os.kill(workers[frozen], signal.SIGSTOP)
                self.wait_for(lambda: self.warning_of(job, frozen), job)
                os.kill(workers[killed], signal.SIGKILL)
                time.sleep(0.2)
                self.kill(workers[frozen], signal.SIGCONT)
                self.assertNotEqual(job.wait(SOON), 0)
                self.assertEqual(self.codes(3), [137 if r == killed else 3 for r in range(3)], job.said())
                step = self.assert_lost(job, killed)
                if killed != frozen:  # it was heard of to the end
                    self.assertAlmostEqual(step, self.last_step(self.run_folder), delta=3)
                self.assert_goes_on(3)

    @long_test
    def test_killed_in_a_save(self):
        for rank in (0, 1):
            with self.subTest(rank=rank):
                self.setUp()
                job = self.start_noted(2, {"checkpoint.save_every_steps": 1})
                workers = self.workers_at_step(job, 2, self.run_folder, 5)
                partial = lambda: list((self.run_folder / "checkpoints").glob("*.partial"))  # noqa: E731
                while True:  # a save that is frozen is not over
                    self.wait_for(partial, job)
                    os.kill(workers[0], signal.SIGSTOP)
                    if partial():
                        break
                    os.kill(workers[0], signal.SIGCONT)
                os.kill(workers[rank], signal.SIGKILL)
                self.kill(workers[0], signal.SIGCONT)
                self.assertNotEqual(job.wait(SOON), 0)
                self.assertEqual(self.codes(2), [137 if r == rank else 3 for r in range(2)], job.said())
                self.assert_lost(job, rank)
                self.assert_goes_on(2)
                self.assertEqual(partial(), [])

    # Frozen

    @long_test
    def test_a_worker_that_is_frozen_too_long_is_given_up(self):
        limits = {"workers.stall_warning_seconds": 1, "workers.deadline_seconds": 4}
        for frozen in (1, 0):
            with self.subTest(frozen=frozen):
                self.setUp()
                job = self.start_workers(2, self.run_folder, {**VALUES, **limits})
                workers = self.workers_at_step(job, 2, self.run_folder, 12)
                os.kill(workers[frozen], signal.SIGSTOP)
                began = time.monotonic()
                self.assertEqual(job.wait(4 + SOON), 3, job.said())
                self.assertGreater(time.monotonic() - began, 3.5)
                self.assert_none_left(self.run_folder)
                self.assert_lost(job, frozen)
                self.assertNotIn(f"lost worker {1 - frozen}", job.said())  # when it wakes up for a moment
                warned = self.warning_of(job, frozen)
                self.assertLess(warned.start(), job.said().index("verbund: lost worker"))
                self.assert_says(job.said(), "workers.deadline_seconds")
                self.assert_goes_on(2)

    @long_test
    def test_a_worker_that_thaws_in_time_goes_on(self):
        limits = {"workers.stall_warning_seconds": 1, "workers.deadline_seconds": 60}
        job = self.start_workers(2, self.run_folder, {**VALUES, **limits})
        workers = self.workers_at_step(job, 2, self.run_folder, 12)
        os.kill(workers[1], signal.SIGSTOP)
        self.wait_for(lambda: self.warning_of(job, 1), job)
        time.sleep(1)
        os.kill(workers[1], signal.SIGCONT)
        self.assertEqual(job.wait(), 0, job.said())
        self.assertEqual(self.weights(self.run_folder), self.straight(2))

    @long_test
    @unittest.skipUnless(shutil.which("mpicc"), "there is no mpicc")
    def test_a_worker_that_is_frozen_at_the_very_end_is_given_up(self):
        """Even MPI's own last operation is not waited for in silence."""
        source, library = self.write("freeze.c", FREEZE_AT_THE_END), self.folder / "freeze.so"
        subprocess.run(["mpicc", "-shared", "-fPIC", "-o", library, source], check=True)
        limits = {"workers.stall_warning_seconds": 1, "workers.deadline_seconds": 4}
        command = self.command(*self.arguments(self.run_folder, {**VALUES, "train.max_steps": 3, **limits}))
        job = self.start([*MPIRUN, "-n", 2, "-x", f"LD_PRELOAD={library}", *command])
        self.wait_for(lambda: "frozen\n" in job.said(), job)
        self.assertEqual(job.wait(4 + SOON), 3, job.said())
        self.assert_says(job.said(), f"verbund: lost worker 1 on {HOST}")
        self.assert_none_left(self.run_folder)
        self.assertEqual(self.checkpoints(self.run_folder), [3])  # all was saved before

    def test_a_dataset_that_changes_while_it_is_used_is_verified_again_at_a_restart(self):
        """An unchanged one is not. Size and time of change of the file are as before."""
        self.data = self.folder / "data"
        shutil.copytree(type(self).data, self.data)
        values = {**VALUES, "train.max_steps": 100000}
        job = self.start(self.command("launch", "-n", 2, "--max-restarts", 2, "--",
                                      *self.arguments(self.run_folder, values)))
        self.wait_for(lambda: self.last_step(self.run_folder) >= 3, job)
        self.kill(self.processes(self.run_folder)[1], signal.SIGKILL)
        self.wait_for(lambda: "Restart 1 of 2" in job.said(), job)
        self.wait_for(lambda: len(self.processes(self.run_folder)) == 2, job)
        worker = self.processes(self.run_folder)[1]
        self.assertRegex(pathlib.Path(f"/proc/{worker}/environ").read_text(), r"\bVERBUND_VERIFIED=[0-9a-f]{16}\0")
        step = self.last_step(self.run_folder)
        self.wait_for(lambda: self.last_step(self.run_folder) > step + 3, job)

        changed = self.data / "test.ids"
        before = changed.stat()
        content = bytearray(changed.read_bytes())
        content[-1] ^= 1
        changed.write_bytes(content)
        os.utime(changed, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.kill(self.processes(self.run_folder)[1], signal.SIGKILL)
        self.assertEqual(job.wait(), 1, job.said())
        self.assert_says(job.said(), changed)

    # Again and again

    @long_test
    def test_killed_ten_times_at_random_moments(self):
        """By turns while they start, and some steps further on than the time before."""
        dice = random.Random(os.environ.get("VERBUND_TEST_SEED", "5"))
        values = {**VALUES, "train.max_steps": 5 * STEPS, "checkpoint.save_every_steps": 5}
        straight = self.folder / "straight"
        self.train(2, straight, values)
        job = self.start(self.command("launch", "-n", 2, "--max-restarts", 20,
                                      "--mpirun-args=--mca odls_base_sigkill_timeout 0", "--",
                                      *self.arguments(self.run_folder, values)))
        killed, steps = 0, []
        while killed < 10:
            self.wait_for(lambda: len(self.processes(self.run_folder)) == 2, job)
            if killed % 2 == 0:
                time.sleep(dice.uniform(0, 0.3) if killed > 0 else 0)
            else:
                goal = max(steps) + dice.randint(1, 20)
                self.wait_for(lambda: self.last_step(self.run_folder) >= goal, job)
            workers = self.processes(self.run_folder)
            self.assertIsNone(job.process.poll(), f"it ended after {killed} kills:\n{job.said()}")
            victims = dice.choice([list(workers.values()), [dice.choice(sorted(workers.values()))]])
            steps.append(self.last_step(self.run_folder))
            for victim in victims:
                self.kill(victim, signal.SIGKILL)
            killed += 1
            self.wait_for(lambda: f"Restart {killed} of 20" in job.said(), job)
        self.assertEqual(job.wait(), 0, job.said())
        self.assertEqual(job.said().count("Restart "), 10, job.said())
        self.assertEqual(steps[0], 0, "the first time they were killed too late")
        self.assertEqual(self.weights(self.run_folder), self.weights(straight))
        self.assertEqual(self.losses(self.run_folder), self.losses(straight))
        self.assert_none_left(self.run_folder)
        print(f"killed at steps {steps} of {values['train.max_steps']}", flush=True)


if __name__ == "__main__":
    run_tests()
