# SPDX-License-Identifier: Apache-2.0
"""Workers that are processes: what they tell worker 0 over the control channel arrives, they know its clock, and what they
do together passes the tests that workers as threads pass."""

import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import long_test, run_tests  # noqa: E402
from support.training import MPIRUN  # noqa: E402


class WorkersOfTheProgramTest(unittest.TestCase):
    def run_test(self, name, workers):
        program = pathlib.Path(os.environ["VERBUND"]).with_name("compute_test")
        command = [*MPIRUN, "-n", str(workers), str(program), "--gtest_color=no",
                   f"--gtest_filter=WithWorkersOfTheProgram.{name}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("[  PASSED  ] 1 test."), workers, done.stdout)
        return done.stdout

    def test_messages_of_three_workers(self):
        said = self.run_test("MessagesArriveAndClocksAgree", 3)
        self.assertEqual(said.count("clock of worker"), 2, said)

    def test_the_communicator(self):
        self.check_communicator(2)

    @long_test
    def test_the_communicator_of_more(self):
        self.check_communicator(3)
        self.check_communicator(4)

    def check_communicator(self, workers):
        self.assertIn(f"checked {workers} workers on 1 hosts",
                      self.run_test("HaveACommunicatorThatPassesItsTests", workers))


if __name__ == "__main__":
    run_tests()
