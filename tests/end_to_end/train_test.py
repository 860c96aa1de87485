# SPDX-License-Identifier: Apache-2.0
"""verbund train as a user meets it: it learns, it goes on after anything, it refuses what is wrong."""

import hashlib
import json
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import ProgramTest, long_test, run_tests  # noqa: E402

TINY = ["--set", "model.d_model=32", "--set", "model.heads=2", "--set", "model.d_ff=64",
        "--set", "model.encoder_layers=1", "--set", "model.decoder_layers=1", "--set", "batch.tokens=600",
        "--set", "schedule.learning_rate=1", "--set", "schedule.warmup_steps=100", "--set", "train.eval_every=0",
        "--set", "evaluate.at_start=false", "--set", "evaluate.sentences=20"]


class TrainTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.data = cls.shared.folder / "data"
        cls.shared.succeed("prepare", "--corpus", "reversal", "--set", "corpus.generated_pairs=4000", "--out", cls.data)

    @classmethod
    def tearDownClass(cls):
        cls.shared.doCleanups()

    def arguments(self, run, steps, *more):
        return ["train", "--data", self.data, "--run", run, *TINY, "--set", f"train.max_steps={steps}",
                "--set", "checkpoint.save_every_steps=20", *more]

    def weights(self, run, step):
        folder = run / "checkpoints" / f"step-{step:08d}"
        return [hashlib.sha256((folder / name).read_bytes()).hexdigest()
                for name in ("weights.safetensors", "optimizer.safetensors")]

    def assert_resumed(self, run, step):
        """The last start of the run began at this step."""
        self.assertEqual(json.loads((run / "run.json").read_text())["starts"][-1]["step"], step)

    def metrics(self, run):
        return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]

    def test_it_learns_and_leaves_a_run_folder(self):
        run = self.folder / "run"
        self.succeed(*self.arguments(run, 200, "--set", "train.log_every=50", "--set", "train.sample_every=100"))
        losses = [m["train_loss"] for m in self.metrics(run) if "train_loss" in m]
        self.assertEqual(len(losses), 4)
        self.assertLess(losses[-1], losses[0] - 0.5)
        self.assertIn("dev_loss", self.metrics(run)[-1])
        # The log has one loss, the cross-entropy: its exponential is the perplexity beside it.
        logged = re.findall(r"loss ([0-9.]+)  perplexity ([0-9.]+)", (run / "log.txt").read_text())
        self.assertEqual(len(logged), 5)
        for loss, perplexity in logged:
            self.assertAlmostEqual(math.log(float(perplexity)), float(loss), delta=0.01)
        self.assertAlmostEqual(float(logged[-1][0]), self.metrics(run)[-1]["dev_cross_entropy"], places=4)
        self.assertNotAlmostEqual(float(logged[-1][0]), self.metrics(run)[-1]["dev_smoothed_loss"], places=4)
        (start,) = json.loads((run / "run.json").read_text())["starts"]
        self.assertEqual(start["step"], 0)
        self.assertIn("200", start["stop"]["reason"])
        self.assertTrue((run / "config.yaml").exists())

    @long_test
    def test_killed_at_random_moments_it_ends_with_the_same_bits(self):
        straight, killed = self.folder / "straight", self.folder / "killed"
        patient = {"OMP_WAIT_POLICY": "passive"}  # on a busy machine, threads that spin would make this slow
        began = time.monotonic()
        self.succeed(*self.arguments(self.folder / "timed", 50), env=patient)
        fifty_steps = time.monotonic() - began
        dice = random.Random(1)
        for _ in range(10):
            process = subprocess.Popen(self.command(*self.arguments(killed, 100000)), stderr=subprocess.PIPE, text=True,
                                       env={**os.environ, **patient})
            while not (killed / "metrics.jsonl").exists():
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            time.sleep(dice.uniform(0, 1) * fifty_steps)
            process.kill()
            process.communicate()
            self.assertEqual(process.returncode, -signal.SIGKILL)
        end = max([200, *(int(f.name[5:]) for f in killed.glob("checkpoints/step-????????"))])
        self.succeed(*self.arguments(killed, end), env=patient)
        self.succeed(*self.arguments(straight, end), env=patient)
        self.assertEqual(self.weights(killed, end), self.weights(straight, end))

    def test_a_loss_scale_of_a_power_of_two_changes_no_bit(self):
        plain, scaled = self.folder / "plain", self.folder / "scaled"
        self.succeed(*self.arguments(plain, 20))
        self.succeed(*self.arguments(scaled, 20, "--set", "loss_scale.type=backoff", "--set", "loss_scale.scale_max=4096"))
        self.assertEqual(self.weights(plain, 20), self.weights(scaled, 20))

    def test_the_batch_fits_itself_to_memory(self):
        run = self.folder / "run"
        fit = ["--set", "batch.tokens=auto", "--set", "batch.memory_limit=300MB"]
        self.succeed(*self.arguments(run, 2, *fit))
        config = (run / "config.yaml").read_text()
        self.assertNotIn("tokens: auto", config)
        self.succeed(*self.arguments(run, 4, "--set", "batch.tokens=auto"))
        self.assert_resumed(run, 2)
        self.assertEqual(config.replace("max_steps: 2", "max_steps: 4").replace("300MB", '""'),
                         (run / "config.yaml").read_text())
        self.assert_says(self.refuse(2, *self.arguments(self.folder / "x", 2, *fit[:2], "--set",
                                                        "batch.memory_limit=much")), "much", "8GB")

    def test_sixteen_bits_need_a_device(self):
        self.assert_says(self.refuse(2, *self.arguments(self.folder / "x", 2, "--set", "train.precision=fp16")), "GPU")
        flags = pathlib.Path("/proc/cpuinfo").read_text()
        half = [*self.arguments(self.folder / "half", 60), "--set", "train.precision=bf16"]
        if "avx512_bf16" not in flags:
            self.assert_says(self.refuse(2, *half), "AVX512-BF16")
            return
        self.assertIn("bf16", self.succeed(*half).stderr)
        self.succeed(*self.arguments(self.folder / "whole", 60))
        losses = [self.metrics(self.folder / run)[-1]["dev_loss"] for run in ("half", "whole")]
        self.assertNotEqual(*losses)
        self.assertAlmostEqual(*losses, delta=0.05)

    def test_sigterm_saves_and_the_run_goes_on(self):
        run = self.folder / "run"
        process = subprocess.Popen(self.command(*self.arguments(run, 100000)), stderr=subprocess.PIPE, text=True)
        while not list(run.glob("checkpoints/step-*20")):
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        newest = max(int(f.name[5:]) for f in run.glob("checkpoints/step-*"))
        self.succeed(*self.arguments(run, newest + 5))
        self.assert_resumed(run, newest)

    @long_test
    def test_sigterm_in_an_evaluation_loses_no_step(self):
        run = self.folder / "run"
        slow = ["--set", "train.eval_every=30", "--set", "evaluate.sentences=0", "--set", "decode.beam=40",
                "--set", "checkpoint.save_every_steps=1000", "--set", "train.log_every=30"]
        process = subprocess.Popen(self.command(*self.arguments(run, 60, *slow)), stderr=subprocess.PIPE, text=True)
        while "step      30" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.communicate()
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertTrue((run / "checkpoints" / "step-00000030").exists())
        quick = [*slow[:2], "--set", "evaluate.sentences=5", *slow[6:]]
        self.succeed(*self.arguments(run, 40, *quick))
        evaluated = [m["step"] for m in self.metrics(run) if "dev_loss" in m]
        self.assertEqual(evaluated, [30, 40], "what was interrupted is made up for")

    def test_benchmarks_of_many_steps_end(self):
        run = self.folder / "run"
        done = self.succeed(*self.arguments(run, 5, "--benchmark", "12", "--set", "train.log_every=5"), timeout=60)
        self.assertIn("12", done.stderr)
        self.assertEqual(list(run.glob("checkpoints/step-*")), [])

    def test_a_failed_start_can_be_corrected(self):
        run = self.folder / "run"
        self.refuse(2, *self.arguments(run, 20, "--set", "train.freeze=["))
        self.succeed(*self.arguments(run, 20))

    def test_divergence_is_noticed(self):
        message = self.refuse(1, *self.arguments(self.folder / "run", 500, "--set", "schedule.policy=fixed",
                                                 "--set", "schedule.warmup_steps=0", "--set", "schedule.learning_rate=1000"))
        self.assert_says(message, "schedule.learning_rate")

    def test_another_configuration_is_refused_with_what_differs(self):
        run = self.folder / "run"
        self.succeed(*self.arguments(run, 20))
        report = (run / "report.html").stat()
        done = self.run_program(*self.arguments(run, 40, "--set", "model.dropout=0.3"))
        self.assertEqual(done.returncode, 1)
        self.assert_says(done.stderr, "verbund: ", "model.dropout", "0.1", "0.3", "--resume force")
        self.assertNotIn("report", done.stderr)  # it has nothing new to tell
        self.assertEqual((run / "report.html").stat().st_mtime_ns, report.st_mtime_ns)
        self.refuse(1, *self.arguments(run, 40, "--resume", "never"))
        self.succeed(*self.arguments(run, 40, "--set", "model.dropout=0.3", "--resume", "force"))

    def test_a_damaged_checkpoint_is_named_and_the_one_before_used(self):
        run = self.folder / "run"
        self.succeed(*self.arguments(run, 60))
        newest = run / "checkpoints" / "step-00000060" / "weights.safetensors"
        damaged = bytearray(newest.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        newest.write_bytes(damaged)
        done = self.succeed(*self.arguments(run, 60))
        self.assert_says(done.stderr, "step-00000060", "weights.safetensors")
        self.assert_resumed(run, 40)

    def test_a_restart_without_the_run_of_before_is_refused(self):
        run = self.folder / "run"
        restart = {"VERBUND_CONTINUE": "1"}
        self.assert_says(self.refuse(1, *self.arguments(run, 60), env=restart), run)
        self.assertFalse(run.exists())
        self.succeed(*self.arguments(run, 40))
        self.succeed(*self.arguments(run, 60), "--resume", "never", env=restart)
        self.assert_resumed(run, 40)

    def test_wrong_calls(self):
        self.assert_says(self.refuse(2, "train", "--data", self.data, "--run", self.folder / "r"), "train.max_steps")
        self.assert_says(self.refuse(1, *self.arguments(self.folder / "r", 5)[:1], "--data", self.folder, "--run",
                                     self.folder / "r", "--set", "train.max_steps=5"), self.folder)
        self.assert_says(self.refuse(2, *self.arguments(self.folder / "r", 5, "--set", "model.heads=3")), "model.heads")
        other = self.folder / "other"
        other.mkdir()
        (other / "letter").write_text("dear")
        self.assert_says(self.refuse(1, *self.arguments(other, 5)), other)


if __name__ == "__main__":
    run_tests()
