# SPDX-License-Identifier: Apache-2.0
"""Judging a model: while it trains, which checkpoint is kept as the best, and afterwards."""

import json
import pathlib
import random
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, long_test, run_tests  # noqa: E402

OFTEN = ["--set", "train.eval_every=10", "--set", "checkpoint.save_every_steps=7"]
TIMES = ("time", "seconds", "second", "start")


class EvaluateTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.data, cls.run_folder = fixtures.dataset(), fixtures.model()

    @staticmethod
    def arguments(run, steps, *more):
        return [*fixtures.training(run, steps), *more]

    def metrics(self, run):
        """What was logged, but for when, by which start and how long it took."""
        lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        return [{key: value for key, value in line.items() if not any(word in key for word in TIMES)} for line in lines]

    def state(self, run):
        state = json.loads((run / "checkpoints" / "last" / "state.json").read_text())
        return {key: value for key, value in state.items() if "seconds" not in key and key != "origin"}

    def test_evaluations_are_logged_with_their_signature(self):
        evaluations = [line for line in self.metrics(self.run_folder) if "dev_loss" in line]
        self.assertEqual([line["step"] for line in evaluations], [0, 50, 100, 150])
        self.assertLess(evaluations[-1]["dev_loss"], evaluations[0]["dev_loss"])
        self.assertIn("tok:13a", evaluations[-1]["dev_bleu_signature"])
        self.assertIn("nc:6", evaluations[-1]["dev_chrf_signature"])

    def test_the_best_is_kept_by_each_metric(self):
        evaluations = [line for line in self.metrics(self.run_folder) if line.get("step") and "dev_loss" in line]
        best = min(evaluations, key=lambda line: line["dev_loss"])["step"]
        link = self.run_folder / "checkpoints" / "best-loss"
        self.assertEqual(link.resolve().name, f"step-{best:08d}")

    @long_test
    def test_killed_between_evaluation_and_save_the_curve_is_the_same(self):
        killed = self.folder / "killed"
        settings = [*OFTEN, "--set", "evaluate.stop_on=loss", "--set", "train.log_every=1"]  # a mean of one step, wherever it resumes
        dice = random.Random(3)
        for _ in range(6):
            process = subprocess.Popen(self.command(*self.arguments(killed, 60, *settings)),
                                       stderr=subprocess.PIPE, text=True)
            evaluations = 0
            for line in process.stderr:  # right after an evaluation, before its save has ended
                evaluations += "dev loss" in line
                if evaluations > dice.randrange(3):
                    break
            time.sleep(dice.uniform(0, 0.01))
            process.kill()
            process.communicate()
        self.succeed(*self.arguments(killed, 60, *settings))
        straight = self.folder / "straight"
        self.succeed(*self.arguments(straight, 60, *settings))
        self.assertEqual(self.metrics(killed), self.metrics(straight))
        self.assertEqual(self.state(killed), self.state(straight))
        for link in ("best-loss", "last"):
            self.assertEqual((killed / "checkpoints" / link).resolve().name,
                             (straight / "checkpoints" / link).resolve().name)
        weights = [(run / "checkpoints" / "last" / "weights.safetensors").read_bytes() for run in (killed, straight)]
        self.assertEqual(*weights)

    def test_early_stop_and_its_state(self):
        run = self.folder / "run"
        stop = ["--set", "evaluate.stop_on=bleu", "--set", "evaluate.patience=2", "--set", "schedule.learning_rate=0", *OFTEN]
        self.succeed(*self.arguments(run, 1000, *stop))
        steps = self.state(run)["step"]
        self.assertEqual(steps, 30, "best at the first evaluation, then two without improvement")
        self.succeed(*self.arguments(run, 1000, *stop))
        self.assertEqual(self.state(run)["step"], steps)

    def test_evaluate_agrees_with_the_training_log(self):
        done = self.succeed("evaluate", "-m", self.run_folder, "--checkpoint", "last", "--data", self.data, "--split",
                            "dev", "--set", "evaluate.sentences=8", "--json")
        result = json.loads(done.stdout)
        logged = [line for line in self.metrics(self.run_folder) if "dev_loss" in line][-1]
        self.assertAlmostEqual(result["loss"], logged["dev_loss"], places=6)
        self.assertAlmostEqual(result["bleu"]["score"], logged["dev_bleu"], places=6)
        self.assertEqual(result["sentences"], 8)

    def test_what_was_enough_while_training_is_no_test(self):
        done = self.succeed("evaluate", "-m", self.run_folder, "--data", self.data, "--json")
        lines = len((self.data / "test.source.txt").read_text().splitlines())
        self.assertEqual(json.loads(done.stdout)["sentences"], lines)

    def test_evaluate_on_files(self):
        output = self.folder / "out.txt"
        texts = [self.data / "test.source.txt", self.data / "test.target.txt"]
        done = self.succeed("evaluate", "-m", self.run_folder, "--source", texts[0], "--reference", texts[1],
                            "--set", "evaluate.sentences=10", "--output", output)
        self.assert_says(done.stdout, "BLEU|nrefs:1", "chrF2|")
        self.assertEqual(len(output.read_text().splitlines()), 10)

    def test_the_output_may_be_a_link_or_a_device(self):
        evaluate = ["evaluate", "-m", self.run_folder, "--data", self.data, "--set", "evaluate.sentences=3", "--output"]
        link = self.folder / "link.txt"
        link.symlink_to("real.txt")
        self.succeed(*evaluate, link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(len((self.folder / "real.txt").read_text().splitlines()), 3)
        self.succeed(*evaluate, "/dev/null")
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())
        done = self.refuse(1, *evaluate, self.folder / "no" / "such" / "file")
        self.assert_says(done, "such")

    def test_back_to_the_best(self):
        run = fixtures.copy_of_model(self.folder / "run")
        (run / "checkpoints" / "best").unlink()
        (run / "checkpoints" / "best").symlink_to("step-00000100")
        done = self.succeed(*self.arguments(run, 110, "--resume", "best", "--set", "schedule.learning_rate=0.5"))
        self.assert_says(done.stderr, "step 100", "schedule.learning_rate", "0.5")
        steps = [line["step"] for line in self.metrics(run) if "dev_loss" in line]
        self.assertEqual(steps, [0, 50, 100, 110])
        shutil.rmtree(run)
        self.succeed(*self.arguments(run, 5, "--set", "train.eval_every=0", "--set", "evaluate.at_start=false"))
        for link in ("best", "best-bleu", "best-loss", "best-chrf"):
            (run / "checkpoints" / link).unlink(missing_ok=True)
        self.refuse(1, *self.arguments(run, 9, "--resume", "best"))

    def test_stopping_needs_evaluations(self):
        never = self.refuse(2, *self.arguments(self.folder / "run", 5, "--set", "evaluate.stop_on=bleu", "--set",
                                               "train.eval_every=0"))
        self.assert_says(never, "evaluate.stop_on", "train.eval_every")

    def test_settings_that_no_longer_matter(self):
        evaluate = ["evaluate", "-m", self.run_folder, "--data", self.data, "--set"]
        self.assert_says(self.refuse(2, *evaluate, "model.d_model=64"), "model.d_model")
        self.assert_says(self.refuse(2, *evaluate, "evaluate.tokenize=foo"), "foo")
        self.assert_says(self.refuse(2, *evaluate, "decode.sample_top=5"), "decode.beam=1")

    def test_a_best_checkpoint_that_is_gone(self):
        run = fixtures.copy_of_model(self.folder / "run")
        gone = (run / "checkpoints" / "best").resolve()
        shutil.rmtree(gone)
        self.assert_says(self.refuse(1, "translate", "-m", run, input="x\n"), gone.name, "--checkpoint")

    def test_wrong_calls(self):
        self.assert_says(self.refuse(2, "evaluate", "-m", self.run_folder), "--data", "--source")
        self.assert_says(self.refuse(1, "evaluate", "-m", self.run_folder, "--checkpoint", "best-of-all", "--data",
                                     self.data), "best-of-all", "best-loss", "step-")
        self.assert_says(self.refuse(1, "evaluate", "-m", self.folder / "nowhere", "--data", self.data), "nowhere")
        self.assert_says(self.refuse(1, "evaluate", "-m", self.run_folder, "--data", self.data, "--split", "news"), "news")
        short = self.write("short.txt", "Only one line.\n")
        self.assert_says(self.refuse(1, "evaluate", "-m", self.run_folder, "--source", short, "--reference",
                                     self.data / "test.target.txt"), "1000", short)
        self.assert_says(self.refuse(2, *self.arguments(self.folder / "x", 10, "--set", "evaluate.best=rouge")), "rouge",
                         "bleu")

    def test_a_vocabulary_of_another_model(self):
        other, run = self.folder / "other", fixtures.copy_of_model(self.folder / "run")
        self.succeed("prepare", *fixtures.CORPUS, "--set", "subwords.vocabulary=300", "--out", other)
        message = self.refuse(1, "translate", "-m", run, "--vocabulary", other / "joint.model", input="x\n")
        self.assert_says(message, other / "joint.model", "source.model")
        (run / "source.model").unlink()
        message = self.refuse(1, "translate", "-m", run, "--vocabulary", other / "joint.model",
                              "--target-vocabulary", run / "target.model", input="x\n")
        self.assert_says(message, "300", fixtures.VOCABULARY)

    def test_a_checkpoint_that_stands_alone_knows_its_vocabulary(self):
        """By its checksum: another one of the same size does not do."""
        other, alone, average = self.folder / "other", self.folder / "alone", self.folder / "average"
        self.succeed("prepare", *fixtures.CORPUS, "--set", "seed=2", "--out", other)
        self.succeed("average", "--run", self.run_folder, "--last", "2", "--out", average)
        shutil.copytree(self.run_folder / "checkpoints" / "last", alone)
        for name in ("source.model", "target.model"):
            (average / name).unlink()
        for model in (alone, average):
            self.succeed("translate", "-m", model, "--vocabulary", self.data / "joint.model", input="x\n")
            message = self.refuse(1, "translate", "-m", model, "--vocabulary", other / "joint.model", input="x\n")
            self.assert_says(message, other / "joint.model", model)
        # A run that goes on with another vocabulary has checkpoints of both.
        run = fixtures.copy_of_model(self.folder / "run")
        self.succeed(*fixtures.training(run, 160, data=other, checkpoint__keep_last=9), "--resume", "force")
        old = ["translate", "-m", run, "--checkpoint", "step-00000150"]
        self.assert_says(self.refuse(1, *old, input="x\n"), run / "source.model")
        self.succeed(*old, "--vocabulary", self.data / "joint.model", input="x\n")
        self.refuse(1, "average", "--run", run, "--last", "3")


if __name__ == "__main__":
    run_tests()
