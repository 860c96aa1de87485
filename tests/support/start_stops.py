# SPDX-License-Identifier: Apache-2.0
"""Jobs of launch that are stopped or killed at random moments of their start: they end with the right exit code, and
leave neither a process nor shared memory.

VERBUND_TEST_TRIES sets the number of tries of each kind, VERBUND_TEST_SEED the moments."""

import collections
import ctypes
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

from support.training import TrainingTest

CLONE_NEWNS = 0x20000  # of unshare(2)
LONG = {"train.max_steps": 1_000_000, "train.log_every": 20, "checkpoint.save_every_steps": 100_000}
STOPPED = 128 + signal.SIGTERM
TRIES = int(os.environ.get("VERBUND_TEST_TRIES", "6"))


class StartStopsTest(TrainingTest):
    longest_start = 1.2  # seconds; moments of a signal are spread over it

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.take_own_shared_memory()

    @staticmethod
    def take_own_shared_memory():
        """/dev/shm belongs to this process and its children alone: what is found there is theirs."""
        if os.geteuid() != 0 or ctypes.CDLL(None).unshare(CLONE_NEWNS) != 0:
            raise unittest.SkipTest("a /dev/shm of one's own needs root")
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], check=True)

    def setUp(self):
        super().setUp()
        self.dice = random.Random(os.environ.get("VERBUND_TEST_SEED", "1"))
        self.seen = collections.Counter()

    def launch(self, run, *options):
        raise NotImplementedError

    def job_processes(self, run):
        """All of them: launch, mpirun, daemons, workers."""
        raise NotImplementedError

    def processes_with(self, text):
        found = set()
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and str(text).encode() in (entry / "cmdline").read_bytes():
                    found.add(int(entry.name))
            except OSError:
                continue  # it has just ended
        return found

    @staticmethod
    def shared_memory():
        return sorted(path.name for path in pathlib.Path("/dev/shm").iterdir())

    def assert_nothing_left(self, run, job, shared_memory=True):
        self.wait_for(lambda: not self.job_processes(run), seconds=20)
        if shared_memory:
            self.assertEqual(self.shared_memory(), [], job.said())

    def ended(self, job, since, seconds=40):
        code = job.wait(seconds)
        self.seen[code] += 1
        self.took.append(time.monotonic() - since)
        return code if code >= 0 else 128 - code  # ended by the signal itself, before it could say so

    def report(self, what):
        print(f"{what}: {sum(self.seen.values())} tries, exit codes {dict(self.seen)}, "
              f"ended after {max(self.took):.1f} s at most", flush=True)

    def stop_at_random_moments(self, tries):
        self.took = []
        for number in range(tries):
            run = self.folder / f"stopped-{number}"
            job = self.launch(run)
            self.wait_for(lambda: os.readlink(f"/proc/{job.process.pid}/exe").endswith("/verbund"), job)
            moment = self.dice.uniform(0, self.longest_start)
            time.sleep(moment)
            self.assertIsNone(job.process.poll(), job.said())
            job.process.send_signal(signal.SIGTERM)
            code = self.ended(job, time.monotonic())
            self.assertEqual(code, STOPPED, f"after {moment:.3f} s:\n{job.said()}")
            self.assert_nothing_left(run, job)
        self.report("stopped while it started")

    def stop_at_random_moments_of_a_restart(self, tries):
        self.took = []
        for number in range(tries):
            run = self.folder / f"restarted-{number}"
            job = self.launch(run, "--max-restarts", 5, "--start-timeout", 15)
            self.wait_for(lambda: self.processes(run), job)
            self.kill(next(iter(self.processes(run).values())), signal.SIGKILL)
            self.wait_for(lambda: "Restart 1 of 5" in job.said(), job)
            moment = self.dice.uniform(0, 1 + self.longest_start)
            time.sleep(moment)
            self.assertIsNone(job.process.poll(), job.said())
            job.process.send_signal(signal.SIGTERM)
            code = self.ended(job, time.monotonic())
            self.assertEqual(code, STOPPED, f"{moment:.3f} s after the loss:\n{job.said()}")
            self.assert_nothing_left(run, job)
        self.report("stopped while it restarted")

    def kill_at_random_moments(self, tries):
        """By turns all workers, one of them, and the whole job, which then leaves what the next start removes."""
        self.took = []
        whole = 0
        for number in range(tries):
            run = self.folder / f"killed-{number}"
            job = self.launch(run, "--start-timeout", 15)
            self.wait_for(lambda: self.processes(run), job)
            time.sleep(self.dice.uniform(0, self.longest_start / 2))
            kind = number % 3
            workers = sorted(self.processes(run).values())
            victims = [workers, workers[-1:], sorted({job.process.pid, *self.job_processes(run)})][kind]
            for victim in victims:
                self.kill(victim, signal.SIGSTOP)  # nobody sees another one die
            for victim in victims:
                self.kill(victim, signal.SIGKILL)
            whole += kind == 2
            code = self.ended(job, time.monotonic())
            self.assertEqual(code, 128 + signal.SIGKILL if kind == 2 else 3, job.said())
            self.assert_nothing_left(run, job, shared_memory=kind != 2)
        run = self.folder / "next"
        job = self.launch(run)
        self.wait_for(lambda: self.last_step(run) > 0, job)
        job.process.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(40), STOPPED, job.said())
        self.assert_nothing_left(run, job)
        self.report(f"killed while it started ({whole} times the whole job)")
