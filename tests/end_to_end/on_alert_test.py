# SPDX-License-Identifier: Apache-2.0
"""verbund train --on-alert: real trainings tell a command of their troubles, and no command troubles a training."""

import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402

TELL = 'echo "$VERBUND_ALERT_KIND $VERBUND_ALERT_STEP $VERBUND_ALERT_RUN" >> %s'


class OnAlertTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "run"
        self.told = self.folder / "told"

    def arguments(self, command, steps=150, **more):
        return [*fixtures.training(self.run_folder, steps, **more), "--on-alert", command]

    def start(self, *arguments):
        process = subprocess.Popen(self.command(*arguments), stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, holds, seconds=60):
        end = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def wait_for_alerts(self, count=1):
        """The lines of the command TELL, as lists of words."""
        lines = lambda: self.told.read_text().splitlines() if self.told.exists() else []  # noqa: E731
        self.wait_until(lambda: len(lines()) >= count)
        return [line.split() for line in lines()]

    def test_a_training_that_diverges_tells_so_and_fails_as_without_it(self):
        self.refuse(1, *self.arguments(TELL % self.told, schedule__policy="fixed", schedule__warmup_steps=0,
                                       schedule__learning_rate=1000, train__eval_every=0, evaluate__at_start="false"))
        alerts = self.wait_for_alerts()
        self.assertEqual(alerts[-1][0], "diverged")
        self.assertEqual(alerts[-1][2], str(self.run_folder))
        self.assertGreaterEqual(int(alerts[-1][1]), 0)
        self.wait_until(lambda: "ended with 0" in (self.run_folder / "log.txt").read_text())

    def test_a_killed_training_is_told_to_be_lost(self):
        training = self.start(*self.arguments(TELL % self.told, 1_000_000, train__log_every=1, train__eval_every=0))
        self.wait_until(lambda: (self.run_folder / "metrics.jsonl").exists())
        training.send_signal(signal.SIGKILL)
        ((kind, _, run),) = self.wait_for_alerts()
        self.assertEqual((kind, run), ("lost", str(self.run_folder)))

    # A model that learns nothing: its BLEU stays where it is.
    STALE = {"train__eval_every": 1, "schedule__policy": "fixed", "schedule__warmup_steps": 0,
             "schedule__learning_rate": 1e-12, "evaluate__sentences": 1, "decode__max_extra": 1,
             "checkpoint__save_every_steps": 1_000_000}

    def test_bleu_without_improvement_is_told_once_while_it_trains(self):
        training = self.start(*self.arguments(TELL % self.told, 1_000_000, **self.STALE))
        ((kind, step, _),) = self.wait_for_alerts()
        self.assertEqual(kind, "no_improvement")
        self.assertGreaterEqual(int(step), 10)
        training.send_signal(signal.SIGTERM)
        self.assertEqual(training.wait(60), 128 + signal.SIGTERM)
        self.assertEqual(len(self.wait_for_alerts()), 1)

    def test_a_good_end_is_not_told(self):
        self.succeed(*self.arguments(TELL % self.told, 10))
        time.sleep(0.5)
        self.assertFalse(self.told.exists())

    def test_a_bad_command_costs_nothing_but_lines_in_the_log(self):
        for number, (command, sign) in enumerate([("no-such-command", "ended with 127"), ("exit 5", "ended with 5"),
                                                  ("sleep 600", "alert (no_improvement)")]):
            self.run_folder = self.folder / f"run-{number}"
            self.succeed(*self.arguments(command, 14, **self.STALE), timeout=50)  # a command may take 60 s
            log = self.run_folder / "log.txt"
            self.wait_until(lambda: sign in log.read_text())
            self.assertTrue((self.run_folder / "checkpoints" / "last").exists())


if __name__ == "__main__":
    run_tests()
