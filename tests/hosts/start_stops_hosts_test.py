# SPDX-License-Identifier: Apache-2.0
"""launch on two hosts, stopped or killed while it starts its daemons and workers there."""

import pathlib
import subprocess
import sys

from hosts import INTERFACE, SCRIPT, Hosts, leave_unless_possible

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import long_test, run_tests  # noqa: E402
from support.start_stops import LONG, TRIES, StartStopsTest  # noqa: E402


class StartStopsTwoHostsTest(StartStopsTest):
    longest_start = 2.5

    def setUp(self):
        super().setUp()
        self.hosts = Hosts(2)
        self.hosts.__enter__()
        self.addCleanup(self.hosts.__exit__)

    def launch(self, run, *options):
        return self.start([SCRIPT, "exec", "host-a", *self.command(
            "launch", "-H", "host-a:2,host-b:2", "--nic", INTERFACE, "--rsh", f"{SCRIPT} agent",
            "--mpirun-args=--mca pml ob1", *options, "--", *self.arguments(run, LONG))], **self.hosts.environment)

    def job_processes(self, run):
        found = set()
        for letter in "ab":
            listed = subprocess.run(["ip", "netns", "pids", f"{self.hosts.prefix}-{letter}"], capture_output=True,
                                    text=True, check=True)
            found.update(map(int, listed.stdout.split()))
        return found

    def test_a_few_stops(self):
        self.stop_at_random_moments(3)

    @long_test
    def test_stops_while_it_starts(self):
        self.stop_at_random_moments(TRIES)

    @long_test
    def test_stops_while_it_restarts(self):
        self.stop_at_random_moments_of_a_restart(TRIES)

    @long_test
    def test_kills_while_it_starts(self):
        self.kill_at_random_moments(TRIES)


if __name__ == "__main__":
    leave_unless_possible()
    run_tests()
