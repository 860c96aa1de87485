# SPDX-License-Identifier: Apache-2.0
"""verbund train and what reaches it from outside: signals, a terminal that is closed, descriptors that are missing, a
limit of file size. It saves, says so once, ends with the right exit code, and goes on to the same bits."""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import long_test, run_tests  # noqa: E402
from support.terminal import Terminal  # noqa: E402
from support.training import TrainingTest  # noqa: E402

FOREVER = 10**6


class TrainSignalsTest(TrainingTest):
    def train_until_told(self, **options):
        """A single worker in the background that has done some steps."""
        process = subprocess.Popen(self.command(*self.arguments(self.run_folder, {"train.max_steps": FOREVER})),
                                   stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(lambda: process.stderr.closed or process.communicate())
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.last_step(self.run_folder) >= 3)
        return process

    def end(self, process):
        """The exit code, and what it said."""
        said = process.communicate(timeout=60)[1]
        return process.returncode, said

    def assert_saved_and_the_same_bits(self):
        """The run was stopped, saved what it had, and goes on as if nothing had happened."""
        (saved,) = self.checkpoints(self.run_folder)
        self.assertGreaterEqual(saved, 3)
        steps = {"train.max_steps": saved + 3}
        done = self.succeed(*self.arguments(self.run_folder, steps))
        self.assertRegex(done.stderr, rf"step {saved}\b")
        straight = self.folder / "straight"
        self.succeed(*self.arguments(straight, steps))
        self.assertEqual(self.weights(self.run_folder), self.weights(straight))

    def test_a_closed_terminal_loses_nothing(self):
        train = Terminal(self.command(*self.arguments(self.run_folder, {"train.max_steps": FOREVER})))
        self.addCleanup(train.kill)
        self.wait_for(lambda: self.last_step(self.run_folder) >= 3)
        train.close()
        self.assertEqual(train.wait(), 128 + signal.SIGHUP)
        self.assert_saved_and_the_same_bits()

    def test_a_stop_is_told_once(self):
        for number, name in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM"), (signal.SIGHUP, "SIGHUP")):
            with self.subTest(name):
                self.run_folder = self.folder / f"signal-{int(number)}"
                process = self.train_until_told()
                process.send_signal(number)
                if number == signal.SIGHUP:
                    process.send_signal(number)  # from the kernel and from the shell
                code, said = self.end(process)
                self.assertEqual(code, 128 + number, said)
                self.assertEqual(said.count(name), 1, said)
                self.assertIn(f"{self.run_folder}/report.html", said.splitlines()[-1])
                self.assertNotIn("verbund: ", said)  # main has nothing to add
                self.assertEqual(len(self.checkpoints(self.run_folder)), 1)

    def test_a_stopped_run_has_a_report_of_its_translations(self):
        run = fixtures.copy_of_model(self.run_folder)
        (run / "report.html").unlink()
        process = subprocess.Popen(self.command(*fixtures.training(run, FOREVER, train__eval_every=0)),
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.last_step(run) >= fixtures.STEPS + 3)
        process.send_signal(signal.SIGINT)
        code, said = self.end(process)
        self.assertEqual(code, 128 + signal.SIGINT, said)
        self.assertNotIn("warning", said)
        self.assertTrue((run / "report.html").exists())

    def test_a_round_that_is_finished_first_says_how_long_it_is(self):
        every = 2000
        process = subprocess.Popen(
            self.command(*self.arguments(self.run_folder, {"train.max_steps": FOREVER, "workers.sync_every": every})),
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.wait_for(lambda: (self.run_folder / "config.yaml").exists())
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        code, said = self.end(process)
        self.assertEqual(code, 128 + signal.SIGINT, said)
        (left,) = re.findall(r"round: ([\d,]+) steps", said)
        self.assertLess(0, int(left.replace(",", "")))
        self.assertLess(int(left.replace(",", "")), every)
        (saved,) = self.checkpoints(self.run_folder)
        self.assertEqual(saved % every, 0)

    def test_a_worker_that_launch_and_its_container_ask_to_stop_saves(self):
        process = self.train_until_told()
        for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR1):
            process.send_signal(number)
        code, said = self.end(process)
        self.assertIn(code, (128 + signal.SIGHUP, 128 + signal.SIGTERM), said)
        self.assertEqual(len(self.checkpoints(self.run_folder)), 1)

    def test_a_run_folder_that_is_moved_or_removed_ends_the_run(self):
        for name, take_away in (("moved", lambda run: run.rename(self.folder / "elsewhere")), ("removed", shutil.rmtree)):
            with self.subTest(name):
                self.run_folder = self.folder / f"run-{name}"
                process = self.train_until_told()
                take_away(self.run_folder)
                code, said = self.end(process)
                self.assertEqual(code, 1, said)
                self.assert_says(said, "verbund: ", self.run_folder, name)
                self.assertFalse(self.run_folder.exists())
        self.assertIn(f"--run {self.folder / 'elsewhere'}", (self.folder / "elsewhere" / "log.txt").read_text())

    @long_test
    def test_under_nohup_a_closed_terminal_is_not_heard(self):
        process = self.train_until_told(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        before = self.last_step(self.run_folder)
        self.wait_for(lambda: self.last_step(self.run_folder) > before + 3)
        process.send_signal(signal.SIGTERM)
        code, said = self.end(process)
        self.assertEqual(code, 128 + signal.SIGTERM, said)
        self.assertNotIn("SIGHUP", said)

    @long_test
    def test_an_evaluation_that_is_repeated_stands_once_in_the_metrics(self):
        arguments = self.arguments(self.run_folder, {"train.max_steps": 6, "train.eval_every": 3, "evaluate.sentences": 50})

        def seen(key, start=None):
            lines = [line for line in self.metrics(self.run_folder) if key in line]
            return [line["step"] for line in lines if start in (None, line["start"])]

        def start():
            process = subprocess.Popen(self.command(*arguments), stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            return process

        process = start()
        self.wait_for(lambda: 3 in seen("train_loss"))
        process.send_signal(signal.SIGTERM)  # in the evaluation
        self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
        self.assertEqual(seen("dev_loss"), [])
        for number in (1, 2):
            process = start()
            self.wait_for(lambda: 6 in seen("train_loss", number))
            process.kill()  # in the next one, before a save
            process.wait()
            self.assertEqual(seen("dev_loss"), [3])
        self.succeed(*arguments)
        self.assertEqual(seen("dev_loss"), [3, 6])

    def test_what_is_said_without_standard_descriptors_lands_nowhere_else(self):
        process = subprocess.Popen(self.command(*self.arguments(self.run_folder, {"train.max_steps": 5})),
                                   preexec_fn=lambda: os.closerange(0, 3))
        self.assertEqual(process.wait(60), 0)
        self.assertEqual([line["step"] for line in self.metrics(self.run_folder) if "train_loss" in line],
                         [1, 2, 3, 4, 5])
        for line in (self.run_folder / "metrics.jsonl").read_text().splitlines():
            self.assertEqual((line[0], line[-1]), ("{", "}"))

    def test_a_limit_of_file_size_is_an_error_like_a_full_disk(self):
        limit = 500_000  # a subword model fits, a checkpoint of this one does not
        done = self.run_program(*self.arguments(self.run_folder, {"train.max_steps": 5, "model.d_ff": 1000}),
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_says(done.stderr, "verbund: ", "step 5", "File too large")


if __name__ == "__main__":
    run_tests()
