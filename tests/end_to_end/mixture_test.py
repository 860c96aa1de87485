# SPDX-License-Identifier: Apache-2.0
"""Training on a mixture of corpora in stages: killed or not, and on any number of workers, it sees the same pairs and
ends with the same bits; log, metrics and checkpoints say what was seen. readme_test.py types what docs/mix-corpora.md
says."""

import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.fixtures import MODEL, settings  # noqa: E402
from support.program import ProgramTest, long_test, run_tests  # noqa: E402

STAGES = """
mixture:
  stages:
    - {name: broad, weights: {general: 0.7, domain: 0.3}, steps: 25}
    - {name: even, temperature: 100, epochs: 1, of: domain}
    - {weights: {domain: 1}, until: loss, patience: 1}
"""
# No stage ends it early.
LONG = {"train__max_steps": 3000, "train__eval_every": 500, "evaluate__min_change": 0}
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n"]


class MixtureTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        folder = cls.shared.folder
        cls.general, cls.domain = folder / "general", folder / "domain"
        demo = ["prepare", "--corpus", "demo"]
        cls.shared.succeed(*demo, "--set", "corpus.generated_pairs=600", "--set", "subwords.vocabulary=400", "--out",
                           cls.general)
        model = next(cls.general.glob("*.model"))
        cls.shared.succeed(*demo, "--set", "corpus.generated_pairs=150", "--set", "seed=2", "--set",
                           f"subwords.model={model}", "--out", cls.domain)
        cls.config = cls.shared.write("stages.yaml", STAGES)
        cls.straight = folder / "straight"
        cls.shared.succeed(*cls.arguments(cls.straight))

    @classmethod
    def arguments(cls, run, *more, config=None, **keys):
        values = {**MODEL, "train.max_steps": 120, "train.eval_every": 10, "checkpoint.save_every_steps": 7,
                  "evaluate.min_change": 0.3, "schedule.learning_rate": 0.3,
                  **{key.replace("__", "."): value for key, value in keys.items()}}
        return ["train", "--data", cls.general, "--data", cls.domain, "--run", run, "--config", config or cls.config,
                *settings(values), *more]

    @staticmethod
    def bits(run):
        last = run / "checkpoints" / "last"
        return [hashlib.sha256((last / name).read_bytes()).hexdigest()
                for name in ("weights.safetensors", "optimizer.safetensors")]

    @staticmethod
    def lines(run, name="metrics.jsonl"):
        return [json.loads(line) for line in (run / name).read_text().splitlines()]

    def test_every_stage_draws_its_shares(self):
        state = json.loads((self.straight / "checkpoints" / "last" / "state.json").read_text())["mixture"]
        first, second, third = state["seen"]
        self.assertAlmostEqual(first["general"] / sum(first.values()), 0.7, delta=0.06)
        self.assertGreaterEqual(second["domain"], 150)
        self.assertLess(second["domain"], 180)
        self.assertAlmostEqual(second["general"] / sum(second.values()), 0.5, delta=0.06)
        self.assertEqual(third["general"], 0)
        self.assertGreater(third["domain"], 0)
        self.assertEqual(state["stage"], 2)

    def test_log_metrics_history_and_record_say_what_was_seen(self):
        training = [line for line in self.lines(self.straight) if "train_loss" in line]
        self.assertEqual([line["stage"] for line in training], sorted(line["stage"] for line in training))
        self.assertEqual({line["stage"] for line in training}, {1, 2, 3})
        last = training[-1]
        self.assertAlmostEqual(last["epochs_seen.domain"], last["pairs_seen.domain"] / 150)
        stages = [line for line in self.lines(self.straight, "history.jsonl") if line["event"] == "stage"]
        self.assertEqual([line["stage"] for line in stages], [2, 3])
        self.assertEqual(stages[0]["step"], 25)
        dataset = json.loads((self.straight / "run.json").read_text())["dataset"]
        self.assertEqual([(corpus["name"], corpus["pairs"]) for corpus in dataset["corpora"]],
                         [("general", 600), ("domain", 150)])
        self.assertIn("stage even", (self.straight / "log.txt").read_text())

    def test_a_stage_ends_when_the_loss_no_longer_falls(self):
        evaluations = [line for line in self.lines(self.straight) if "dev_cross_entropy" in line]
        began = [line for line in self.lines(self.straight, "history.jsonl") if line["event"] == "stage"][-1]["step"]
        values = [line["dev_cross_entropy"] for line in evaluations if line["step"] > began]
        best, steps = values[0], 0
        for value in values[1:]:
            steps += 1
            if not value < best - 0.3:
                break
            best = value
        self.assertEqual(steps, len(values) - 1, "the training ends with the first evaluation without improvement")

    def kill_once(self, run, after):
        """Starts or resumes the run and kills it after a while. True: it had ended by itself."""
        process = subprocess.Popen(self.command(*self.arguments(run, **LONG)), stderr=subprocess.DEVNULL,
                                   env={**os.environ, "HOME": str(self.folder)})
        try:
            return process.wait(timeout=after) == 0
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return False

    def test_killed_and_resumed_it_ends_with_the_same_bits(self):
        run = self.folder / "killed"
        process = subprocess.Popen(self.command(*self.arguments(run)), stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not list(run.glob("checkpoints/step-0000002[0-9]")) and time.monotonic() < end:
            time.sleep(0.005)
        process.kill()
        process.wait()
        self.succeed(*self.arguments(run))
        self.assertEqual(self.bits(run), self.bits(self.straight))

    @long_test
    def test_killed_twenty_times_at_random_moments(self):
        straight = self.folder / "straight"
        began = time.monotonic()
        self.succeed(*self.arguments(straight, **LONG))
        latest = max(0.1, 0.06 * (time.monotonic() - began))  # so that twenty times end before the training does
        for seed in range(1, 4):
            moments = random.Random(seed)
            run = self.folder / f"killed-{seed}"
            kills = 0
            while kills < 20 and not self.kill_once(run, moments.uniform(0.05, latest)):
                kills += 1
            self.succeed(*self.arguments(run, **LONG))
            self.assertEqual(kills, 20)
            self.assertEqual(self.bits(run), self.bits(straight))

    def train_on(self, workers):
        run = self.folder / f"workers-{workers}"
        done = subprocess.run([*MPIRUN, str(workers), *self.command(*self.arguments(run))], capture_output=True,
                              text=True, env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr)
        return run

    def assert_same_curve(self, run):
        keys = ("step", "stage", "pairs_seen.general", "pairs_seen.domain", "epoch")
        for own, other in zip(self.lines(run), self.lines(self.straight), strict=True):
            for key in keys:
                self.assertEqual(own.get(key), other.get(key))
            for key in ("train_cross_entropy", "dev_cross_entropy"):
                if key in own:
                    self.assertLess(abs(own[key] / other[key] - 1), 1e-4)

    def test_two_workers_see_the_same(self):
        self.assert_same_curve(self.train_on(2))

    @long_test
    def test_three_and_four_workers_see_the_same(self):
        for workers in (3, 4):
            self.assert_same_curve(self.train_on(workers))

    def test_another_mixture_is_named_and_goes_on_where_the_corpora_were(self):
        run = self.folder / "changed"
        self.succeed(*self.arguments(run, train__max_steps=20))
        other = self.write("other.yaml", STAGES.replace("0.7", "0.2"))
        before = self.files_below(run)
        message = self.refuse(1, *self.arguments(run, config=other))
        self.assert_says(message, "general 70 %", "general 40 %")
        self.assertEqual(self.files_below(run), before)
        self.succeed(*self.arguments(run, "--resume", "force", config=other, train__max_steps=24))
        state = json.loads((run / "checkpoints" / "last" / "state.json").read_text())
        self.assertEqual(state["step"], 24)
        self.assertGreater(state["mixture"]["before"]["general"], 0)

    def test_a_forced_stage_that_is_over_says_so(self):
        run = self.folder / "over"
        self.succeed(*self.arguments(run, train__max_steps=20))
        done = self.succeed(*self.arguments(run, "--resume", "force", "--set",
                                            "mixture.stages=[{name: short, weights: {domain: 1}, steps: 10}]"))
        self.assertRegex(done.stderr, "short, began at step 0 and is over")
        self.assertEqual(json.loads((run / "run.json").read_text())["starts"][-1]["step"], 20)

    def test_one_folder_is_a_mixture_of_one(self):
        run = self.folder / "one"
        self.succeed("train", "--data", self.general, "--run", run, *settings({**MODEL, "train.max_steps": 10}))
        last = [line for line in self.lines(run) if "train_loss" in line][-1]
        self.assertNotIn("stage", last)
        self.assertGreater(last["pairs_seen.demo"], 0)

    def test_epochs_count_what_stages_have_drawn(self):
        stages = "mixture.stages=[{steps: 2}, {steps: 4}, {}]"
        values = settings({**MODEL, "train.epochs": 3, "train.log_every": 1})
        plain, staged = self.folder / "plain", self.folder / "staged"
        epochs = {}
        for run, more in ((plain, []), (staged, ["--set", stages])):
            call = ["train", "--data", self.general, "--run", run, *values, "--set"]
            self.succeed(*call, "train.max_steps=5", *more)  # in the middle of the second stage
            self.succeed(*call, "train.max_steps=0", *more)
            epochs[run] = [line["epoch"] for line in self.lines(run) if "train_loss" in line]
        for run in (plain, staged):
            self.assertAlmostEqual(epochs[run][-1], 3, delta=0.2)
            advances = [after - before for before, after in zip([0, *epochs[run]], epochs[run])]
            self.assertLess(max(advances), 2 * min(advances))  # no jump
        self.assertGreater(len(epochs[plain]), 20)
        self.assertLessEqual(abs(len(epochs[staged]) - len(epochs[plain])), 4)  # epochs differ by a batch

    def test_a_benchmark_goes_on_after_the_last_stage(self):
        done = self.succeed("train", "--data", self.general, "--run", self.folder / "run", *settings(MODEL), "--set",
                            "mixture.stages=[{steps: 3}, {steps: 2}]", "--benchmark", 12)
        self.assertIn("stage 2", done.stderr)
        self.assertNotIn("stage 3", done.stderr)

    def test_folders_with_other_subword_models_are_refused(self):
        other = self.folder / "other"
        self.succeed("prepare", "--corpus", "demo", "--set", "corpus.generated_pairs=150", "--set",
                     "subwords.vocabulary=300", "--out", other)
        message = self.refuse(1, "train", "--data", self.general, "--data", other, "--run", self.folder / "run",
                              *settings({**MODEL, "train.max_steps": 2}))
        self.assert_says(message, "subwords.model=", self.general)

    def test_inspect_shows_the_first_batches(self):
        command = ["inspect", self.general, "--data", self.domain, "--mixture", "--config", self.config, "--batches", 2,
                   *settings({"batch.tokens": 600})]
        contents = json.loads(self.succeed(*command, "--json").stdout)
        self.assertEqual([(corpus["name"], corpus["pairs"], corpus["epoch_pairs"]) for corpus in contents["corpora"]],
                         [("general", 600, 525), ("domain", 150, 225)])
        self.assertEqual(len(contents["batches"]), 2)
        for batch in contents["batches"]:
            self.assertEqual(len(batch["shown"]), 3)
            self.assertIn(batch["shown"][0]["corpus"], batch["pairs"])
        shown = contents["batches"][0]["shown"][0]
        text = self.succeed(*command).stdout
        self.assertIn(shown["source"], text)
        self.assertIn(shown["target"], text)

    def test_wrong_mixtures_are_refused(self):
        for mixture in ("weights={domian: 1}", "weights={domain: -1}", "weights={domain: 0}", "stages=[{}, {steps: 3}]",
                        "stages=[{steps: 3, epochs: 1}]", "stages=[{epochs: 1, of: nobody}]", "temperature=-1"):
            run = self.folder / "refused"
            self.refuse(2, "train", "--data", self.general, "--data", self.domain, "--run", run,
                        *settings({**MODEL, "train.max_steps": 2}), "--set", "mixture." + mixture)
            self.assertFalse(list(run.glob("checkpoints/step*")), mixture)


if __name__ == "__main__":
    run_tests()
