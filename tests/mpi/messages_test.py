"""What workers that are processes tell worker 0 over the control channel arrives, and they know its clock."""

import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.training import MPIRUN  # noqa: E402


class MessagesTest(unittest.TestCase):
    def test_of_three_workers(self):
        program = pathlib.Path(os.environ["VERBUND"]).with_name("comm_test")
        command = [*MPIRUN, "-n", "3", str(program), "--gtest_filter=WithWorkersOfTheProgram.*"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("clock of worker"), 2, done.stdout)


if __name__ == "__main__":
    unittest.main()
