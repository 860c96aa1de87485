# SPDX-License-Identifier: Apache-2.0
"""verbund train with the real mpirun: any number of workers trains the same model, they stop together, and who does
not belong to the others is named before the first step."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import PROGRAM, long_test, run_tests  # noqa: E402
from support.training import MPIRUN, TrainingTest  # noqa: E402

STEPS = 50
HOST = socket.gethostname()


class TrainMpiTest(TrainingTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # What one worker alone does, without mpirun.
        cls.alone = cls.shared.folder / "alone"
        case = cls("test_any_number_of_workers_trains_the_same_model")
        cls.shared.succeed(*case.arguments(cls.alone, {"train.max_steps": STEPS}))
        cls.expected = case.losses(cls.alone)

    # One model

    def test_any_number_of_workers_trains_the_same_model(self):
        self.assertEqual(len(self.expected), STEPS)
        self.assertLess(self.expected[STEPS], 0.9 * self.expected[1])
        self.train_twice(2)

    @long_test
    def test_one_three_and_four_workers_train_the_same_model(self):
        for count in (1, 3, 4):
            self.train_twice(count)

    def train_twice(self, count):
        dev = self.metrics(self.alone)[-1]
        first, second = self.folder / f"{count}-first", self.folder / f"{count}-second"
        self.train(count, first, {"train.max_steps": STEPS})
        self.assert_same_curve(first, self.expected, 1e-4)
        self.train(count, second, {"train.max_steps": STEPS})
        self.assertEqual(self.weights(first), self.weights(second))
        self.assertEqual(self.losses(first), self.losses(second))
        self.assertAlmostEqual(self.metrics(first)[-1]["dev_loss"] / dev["dev_loss"], 1, delta=1e-4)
        if count == 1:
            self.assertEqual(self.weights(first), self.weights(self.alone))

    def test_report_and_plan_are_about_the_workers_that_did_most(self):
        self.train(2, self.run_folder, {"train.max_steps": 30})
        self.train(1, self.run_folder, {"train.max_steps": 32})
        report = json.loads(self.succeed("report", self.run_folder, "--json").stdout)
        verdicts = {verdict["id"]: verdict for verdict in report["verdicts"]}
        figures = {figure["name"]: figure["value"] for figure in verdicts["step_time"]["figures"]}
        self.assertEqual(figures["steps looked at"], 30)
        self.assertTrue(verdicts["network"]["figures"], "two workers exchange gradients")
        environment = next(section for section in report["sections"] if section["id"] == "environment")
        starts = next(table for table in environment["tables"] if table["id"] == "starts")
        self.assertEqual(len(starts["rows"]), 2)
        plan = json.loads(self.succeed("plan", "--run", self.run_folder, "--json").stdout)
        self.assertEqual([prediction["workers"] for prediction in plan["predictions"]], [1, 2])

    @long_test
    def test_a_run_goes_on_with_another_number_of_workers(self):
        for step, count in ((15, 2), (35, 3), (STEPS, 1)):
            self.train(count, self.run_folder, {"train.max_steps": step})
        self.assertEqual(self.resumed_at(self.run_folder), 35)
        self.assert_same_curve(self.run_folder, self.expected, 1e-4)

    @long_test
    def test_batches_may_have_fewer_sentences_than_workers(self):
        few = {"batch.tokens": 40, "train.max_steps": STEPS}  # two or three sentences
        self.train(1, self.folder / "one", few)
        self.train(4, self.folder / "four", few)
        self.assert_same_curve(self.folder / "four", self.losses(self.folder / "one"), 1e-4)

    @long_test
    def test_shared_optimisers_stay_near_and_within_a_host_nothing_is_rounded_or_sent(self):
        for name, values, relative in (("sharded", {"workers.shard_optimizer": "true"}, 1e-4),
                                       ("bf16", {"workers.wire": "bf16"}, 1e-4),
                                       ("both", {"workers.wire": "bf16", "workers.shard_optimizer": "true"}, 1e-4)):
            with self.subTest(name):
                run = self.folder / name
                self.train(3, run, {"train.max_steps": STEPS, **values})
                self.assert_same_curve(run, self.expected, relative)
                dev = self.metrics(run)[-1]["dev_loss"] / self.metrics(self.alone)[-1]["dev_loss"]
                self.assertAlmostEqual(dev, 1, delta=relative)
                for line in self.metrics(run):
                    self.assertEqual(line.get("exchange_bytes_sent_per_step", 0), 0)

    # Rounds of local steps

    def test_rounds_are_finished_after_a_signal_and_end_in_the_same_bits(self):
        rounds = {"workers.sync_every": 4, "workers.sync_delay": 1, "workers.outer_momentum": 0.9,
                  "checkpoint.save_every_steps": 8}
        run, whole = self.run_folder, self.folder / "whole"
        job = self.start_workers(2, run, {"train.max_steps": 10**6, **rounds})
        workers = self.workers_at_step(job, 2, run, 5)
        os.kill(workers[1], signal.SIGTERM)
        self.assertEqual(job.wait(30), 128 + signal.SIGTERM, job.said())
        last = self.last_step(run)
        self.assertEqual(last % 4, 0)
        end = {"train.max_steps": last + 8, **rounds}
        self.train(2, run, end)
        self.train(2, whole, end)
        self.assertEqual(self.resumed_at(run), last)
        self.assertEqual(self.weights(run), self.weights(whole))
        self.assertEqual(self.losses(run), self.losses(whole))
        verdicts = {verdict["id"]: verdict
                    for verdict in json.loads(self.succeed("report", run, "--json").stdout)["verdicts"]}
        self.assertEqual(verdicts["network"]["finding"], "good")

    # Together

    def test_a_signal_to_one_worker_has_all_save_and_leave(self):
        self.stop_one_of_three(1, signal.SIGTERM)

    @long_test
    def test_another_signal_to_another_worker(self):
        self.stop_one_of_three(0, signal.SIGTERM)
        self.stop_one_of_three(2, signal.SIGINT)

    def stop_one_of_three(self, rank, number):
        run = self.folder / f"{rank}-{number}"
        job = self.start_workers(3, run, {"train.max_steps": 10**6})
        workers = self.workers_at_step(job, 3, run, 5)
        os.kill(workers[rank], number)
        self.assertEqual(job.wait(30), 128 + number, job.said())
        self.assert_none_left(run)
        last = self.last_step(run)
        self.assertEqual(self.checkpoints(run), [last])
        self.assertRegex(job.said(), rf"step {last}\b")
        self.assertNotIn("lost worker", job.said())
        # It loses nothing: what follows is what would have followed.
        self.train(3, run, {"train.max_steps": last + 3})
        self.assertEqual(self.resumed_at(run), last)
        steps = {step: loss for step, loss in self.expected.items() if step <= last + 3}
        losses = {step: loss for step, loss in self.losses(run).items() if step <= STEPS}
        self.assertEqual(sorted(losses), sorted(steps))
        for step, loss in steps.items():
            self.assertAlmostEqual(losses[step] / loss, 1, delta=1e-4)

    def test_divergence_ends_all_with_one_message(self):
        job = self.start_workers(3, self.run_folder, {"train.max_steps": STEPS, "schedule.learning_rate": 1e6,
                                                      "schedule.warmup_steps": 1, "train.on_divergence": "stop",
                                                      "optimizer.clip_norm": 0})
        self.assertEqual(job.wait(), 1, job.said())
        self.assertEqual(job.said().count("verbund: "), 1, job.said())
        self.assert_says(job.said(), "schedule.learning_rate")
        self.assert_none_left(self.run_folder)

    # Before the first step

    def train_command(self, **options):
        return self.command(*self.arguments(self.run_folder, {"train.max_steps": 2}, **options))

    def refuse_together(self, first, last, code=1):
        """Two workers that do as the first, and one as the last, are refused; returns the message."""
        job = self.start([*MPIRUN, "-n", 2, *first, ":", "-n", 1, *last])
        self.assertEqual(job.wait(60), code, job.said())
        self.assertFalse(self.run_folder.exists(), "nothing is to be written")
        self.assert_none_left(self.run_folder)
        self.assertEqual(job.said().count("verbund: "), 1, job.said())  # one speaks for all
        return job.said()

    def test_a_worker_with_another_configuration_is_named(self):
        own = self.train_command()
        said = self.refuse_together(own, [*own, "--set", "schedule.warmup_steps=31"])
        self.assert_says(said, f"worker 2 on {HOST}", "schedule.warmup_steps", 31, 30)

    @long_test
    def test_a_worker_with_a_wrong_configuration_is_named(self):
        own = self.train_command()
        said = self.refuse_together(own, [*own, "--set", "model.heds=2"], code=2)
        self.assert_says(said, f"worker 2 on {HOST}", "model.heds", "model.heads?")

    @long_test
    def test_a_worker_with_another_dataset_is_named(self):
        other = self.prepared(self.folder / "other", "--set", "seed=2")
        said = self.refuse_together(self.train_command(), self.train_command(data=other))
        self.assert_says(said, f"worker 2 on {HOST}", "checksum")

    @long_test
    def test_a_worker_without_the_dataset_is_named(self):
        said = self.refuse_together(self.train_command(), self.train_command(data=self.folder / "none"))
        self.assert_says(said, f"worker 2 on {HOST}", self.folder / "none")

    @long_test
    def test_a_worker_with_a_damaged_dataset_is_named(self):
        other = shutil.copytree(self.data, self.folder / "other")
        largest = max(other.iterdir(), key=lambda path: path.stat().st_size)
        os.truncate(largest, largest.stat().st_size // 2)
        said = self.refuse_together(self.train_command(), self.train_command(data=other))
        self.assert_says(said, f"worker 2 on {HOST}", largest.name)

    def test_a_flipped_bit_in_the_dataset_ends_all(self):
        damaged = shutil.copytree(self.data, self.folder / "damaged")
        ids = bytearray((damaged / "train.ids").read_bytes())
        ids[len(ids) // 2] ^= 1
        (damaged / "train.ids").write_bytes(ids)
        # All have this one, or the last worker alone.
        for first in (self.train_command(data=damaged), self.train_command()):
            said = self.refuse_together(first, self.train_command(data=damaged))
            self.assert_says(said, HOST, damaged / "train.ids", "checksum")

    @long_test
    def test_a_file_that_is_cut_short_ends_all(self):
        data = shutil.copytree(self.data, self.folder / "data")
        job = self.start([*MPIRUN, "-n", 2, *self.command(*self.arguments(self.run_folder, {"train.max_steps": 10**6},
                                                                          data))])
        self.workers_at_step(job, 2, self.run_folder, 3)
        os.truncate(data / "train.ids", 0)
        self.assertNotEqual(job.wait(), 0, job.said())
        self.assert_says(job.said(), f"verbund: {data / 'train.ids'}")
        self.assert_none_left(self.run_folder)

    def another_program(self, text, other):
        """A copy of the program in which one text is another."""
        content = pathlib.Path(PROGRAM).read_bytes()
        self.assertEqual(len(text), len(other))
        self.assertIn(text, content)
        program = self.write("verbund", content.replace(text, other))
        program.chmod(0o755)
        return program

    def test_a_worker_with_another_program_is_named(self):
        commit = re.search(r"\(commit ([\w-]+)\)", self.succeed("--version").stdout)[1]
        program = self.another_program(commit.encode(), b"0" * len(commit))
        arguments = self.train_command()
        said = self.refuse_together(arguments, [program, *arguments[1:]])
        self.assert_says(said, f"worker 2 on {HOST}", f"commit {'0' * len(commit)}", f"commit {commit}")

    @long_test
    def test_a_worker_with_another_build_of_the_program_is_named_in_a_warning(self):
        program = self.another_program(b"Usage: verbund COMMAND", b"Usage: verbund CoMMAND")
        arguments = self.train_command()
        job = self.start([*MPIRUN, "-n", 2, *arguments, ":", "-n", 1, program, *arguments[1:]])
        self.assertEqual(job.wait(60), 0, job.said())
        self.assertRegex(job.said(), rf"warning: .*worker 2 on {HOST}")

    @long_test
    @unittest.skipUnless(len(os.sched_getaffinity(0)) == os.cpu_count(), "not all cores may be used here")
    def test_more_workers_than_cores_are_warned_of(self):
        cores = os.cpu_count()
        said = self.train(cores + 1, self.run_folder, {"train.max_steps": 1})
        self.assertRegex(said, rf"warning: {HOST}: {cores + 1} workers .*\b{cores} cores?")
        self.assertNotIn("warning: ", self.train(cores, self.folder / "fits", {"train.max_steps": 1}))


if __name__ == "__main__":
    run_tests()
