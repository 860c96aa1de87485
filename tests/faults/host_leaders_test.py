# SPDX-License-Identifier: Apache-2.0
"""Two hosts with two workers each, of which one is killed or frozen: a leader, through which the other worker of its
host hears worker 0, that worker, or worker 0 itself. All others end with code 3, and the right one is named."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.lost_workers import NOTED, SOON, LostWorkersTest  # noqa: E402
from support.program import long_test, run_tests  # noqa: E402
from support.training import MPIRUN  # noqa: E402

COUNT = 4
VALUES = {"train.max_steps": 100_000, "checkpoint.save_every_steps": 100_000}
# Hosts here are names alone, which is what the program goes by: each worker in a namespace with a name.
ON_ITS_HOST = 'hostname "host-$((OMPI_COMM_WORLD_RANK / 2))" && exec "$@"'
UNSHARE = ["unshare", "--uts"]


def may_name_hosts():
    return os.geteuid() == 0 and subprocess.run([*UNSHARE, "true"], capture_output=True).returncode == 0


@unittest.skipUnless(may_name_hosts(), "hosts with names of their own need root")
class HostLeadersTest(LostWorkersTest):
    def start_on_hosts(self, values=None):
        noted = self.write("noted", NOTED)
        noted.chmod(0o755)
        program = self.command(*self.arguments(self.run_folder, {**VALUES, **(values or {})}))
        on_hosts = [*UNSHARE, "sh", "-c", ON_ITS_HOST, "sh"]
        job = self.start([*MPIRUN, "--mca", "pml", "ob1", "-n", COUNT, noted, self.folder, *on_hosts, *program])
        return job, self.workers_at_step(job, COUNT, self.run_folder, 10)

    def assert_named(self, job, rank):
        """This one first, and no other at all."""
        named = re.findall(r"^verbund: lost worker (\d) on (\S+):", job.said(), re.MULTILINE)
        self.assertEqual(set(named), {(str(rank), f"host-{rank // 2}")}, job.said())

    def lose(self, rank, number, values=None):
        self.setUp()
        job, workers = self.start_on_hosts(values)
        os.kill(workers[rank], number)
        began = time.monotonic()
        if number == signal.SIGSTOP:  # when it goes on, it learns of the end
            self.wait_for(lambda: set(self.processes(self.run_folder)) == {rank}, seconds=4 + 3 + SOON)
            self.kill(workers[rank], signal.SIGCONT)
        self.assertNotEqual(job.wait(SOON), 0)
        self.assert_named(job, rank)
        killed = {rank} if number == signal.SIGKILL else {}
        self.assertEqual(self.codes(COUNT), [137 if r in killed else 3 for r in range(COUNT)], job.said())
        print(f"worker {rank}, signal {number}: {time.monotonic() - began:.1f} s to the end", flush=True)
        return job

    def test_a_killed_child_or_leader_is_named(self):
        for rank in (3, 2):
            with self.subTest(rank=rank):
                self.lose(rank, signal.SIGKILL)

    @long_test
    def test_a_killed_worker_0_is_named(self):
        self.lose(0, signal.SIGKILL)

    @long_test
    def test_a_frozen_leader_is_named_and_not_its_child(self):
        limits = {"workers.stall_warning_seconds": 1, "workers.deadline_seconds": 4}
        for rank in (2, 3, 0):
            with self.subTest(rank=rank):
                job = self.lose(rank, signal.SIGSTOP, limits)
                warned = set(re.findall(r"warning: no heartbeat from worker (\d)", job.said()))
                self.assertEqual(warned, {str(rank)}, job.said())

    @long_test
    def test_a_leader_that_thaws_in_time_is_all_that_was_missed(self):
        job, workers = self.start_on_hosts({"workers.stall_warning_seconds": 1, "workers.deadline_seconds": 60})
        for _ in range(3):
            seen = job.said().count("no heartbeat from worker 2")
            os.kill(workers[2], signal.SIGSTOP)
            self.wait_for(lambda: job.said().count("no heartbeat from worker 2") > seen + 2, job)
            os.kill(workers[2], signal.SIGCONT)
            step = self.last_step(self.run_folder)
            self.wait_for(lambda: self.last_step(self.run_folder) > step + 20, job)
        named = set(re.findall(r"(?:no heartbeat from|lost) worker (\d)", job.said()))
        self.assertEqual(named, {"2"}, job.said())


if __name__ == "__main__":
    run_tests()
