# SPDX-License-Identifier: Apache-2.0
"""launch on one host, stopped or killed while it starts."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import long_test, run_tests  # noqa: E402
from support.start_stops import LONG, TRIES, StartStopsTest  # noqa: E402


class StartStopsOneHostTest(StartStopsTest):
    def launch(self, run, *options):
        return self.start(self.command("launch", "-n", 2, *options, "--", *self.arguments(run, LONG)))

    def job_processes(self, run):
        return self.processes_with(run)

    def test_a_few_stops(self):
        self.stop_at_random_moments(4)

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
    run_tests()
