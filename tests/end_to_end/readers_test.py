# SPDX-License-Identifier: Apache-2.0
"""Commands that read a run while it trains: checkpoints are saved and deleted all the time, and nobody fails."""

import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import long_test, run_tests  # noqa: E402
from support.training import TrainingTest  # noqa: E402

OFTEN = {"train.max_steps": 10**6, "checkpoint.save_every_steps": 1}


class ReadersTest(TrainingTest):
    def train(self, **values):
        """A single worker in the background that saves every step."""
        command = self.command(*self.arguments(self.run_folder, {**OFTEN, **values}))
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for(lambda: (self.run_folder / "checkpoints" / "last").exists() and
                      self.last_step(self.run_folder) >= 5)
        return process

    def read(self, times, keep_last, *call, **options):
        process = self.train(**{"checkpoint.keep_last": keep_last})
        before = self.last_step(self.run_folder)
        for _ in range(times):
            self.succeed(*call, **options)
        self.assertIsNone(process.poll())
        self.assertGreater(self.last_step(self.run_folder), before)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 128 + signal.SIGTERM)

    def test_the_last_checkpoint_is_translated_with(self):
        self.read(8, 1, "translate", "-m", self.run_folder, "--checkpoint", "last", input="The dog sleeps.\n")

    def test_a_run_is_inspected(self):
        self.read(8, 1, "inspect", self.run_folder)

    @long_test
    def test_the_last_checkpoint_is_inspected(self):
        self.read(30, 1, "inspect", self.run_folder / "checkpoints" / "last")

    @long_test
    def test_the_last_checkpoints_are_averaged(self):
        self.read(30, 3, "average", "--run", self.run_folder, "--last", 2)

    @long_test
    def test_the_newest_is_exported(self):
        self.read(30, 1, "translate", "-m", self.run_folder, input="The dog sleeps.\n")


if __name__ == "__main__":
    run_tests()
