"""verbund plan: what would a training cost? The numbers themselves are tested in tests/unit/plan."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import ProgramTest  # noqa: E402

TINY = ["--set", "model.d_model=32", "--set", "model.d_ff=64", "--set", "model.encoder_layers=1",
        "--set", "model.decoder_layers=1", "--set", "model.heads=2", "--set", "batch.tokens=500", "--set", "threads=1"]
BASE = ["plan", "--config", "transformer-base"]


class PlanTest(ProgramTest):
    def prepare(self):
        data = self.folder / "data"
        self.succeed("prepare", "--config", "demo", "--out", data, "--set", "corpus.generated_pairs=1000",
                     "--set", "subwords.vocabulary=400")
        return data

    def plan(self, *arguments):
        return json.loads(self.succeed("plan", "--json", *arguments).stdout)

    def test_named_gpus_and_network(self):
        told = self.succeed(*BASE, "-H", "a:2,b:2", "--gpu", "v100", "--link", "10gbit", "--price", "3.06/h").stdout
        self.assert_says(told, "60.9 M parameters", "4 workers on a (2), b (2)", "25000 target", "V100 SXM2 in fp32",
                         "named, not measured", "10gbit", "effic.", "limited by", "300,000 steps (train.max_steps)",
                         "at 3.06 for a host and hour", "would help", "train.precision=fp16")

    def test_json_has_every_figure(self):
        plan = self.plan("--config", "transformer-base", "-H", "a:1,b:1", "--tokens-per-second", "500",
                         "--link", "200mbit", "--latency", "1ms")
        self.assertEqual([p["workers"] for p in plan["predictions"]], [1, 2])
        two = plan["predictions"][1]
        self.assertAlmostEqual(two["seconds_per_step"],
                               two["compute_seconds"] + two["exposed_seconds"] + two["update_seconds"])
        self.assertAlmostEqual(two["bytes_sent_per_host"] / (4 * plan["parameters"]), 1.06, delta=0.03)
        self.assertEqual(plan["network"]["round_trip_seconds"], 0.001)
        self.assertFalse(plan["compute"]["measured"])
        gains = [advice["gain"] for advice in plan["advice"]]
        self.assertEqual(gains, sorted(gains, reverse=True))

    def test_half_the_bytes_halve_a_step_that_waits_for_the_network(self):
        arguments = ["--config", "transformer-base", "-H", "a:1,b:1", "--tokens-per-second", "1e6", "--link", "50mbit"]
        fp32, bf16 = (self.plan(*arguments, "--set", f"workers.wire={wire}") for wire in ("fp32", "bf16"))
        self.assertEqual(fp32["limit"]["what"], "network rate")
        self.assertAlmostEqual(bf16["predictions"][1]["seconds_per_step"] / fp32["predictions"][1]["seconds_per_step"],
                               0.5, delta=0.02)
        self.assertIn("workers.wire=bf16", [advice["setting"] for advice in fp32["advice"]])

    def test_measured_here_on_a_dataset(self):
        data = self.prepare()
        told = self.plan("--config", "demo", *TINY, "--data", data, "--measure", "--set", "train.max_steps=0",
                         "--set", "train.epochs=2")
        self.assertTrue(told["compute"]["measured"])
        self.assertFalse(told["batches_assumed"])
        self.assertGreater(told["training"]["steps"], 2)
        self.assert_says(told["training"]["reason"], "2 epochs of")

    def test_a_run_is_compared_with_its_plan(self):
        data, run = self.prepare(), self.folder / "run"
        self.succeed("train", "--config", "demo", *TINY, "--data", data, "--run", run, "--set", "train.max_steps=30",
                     "--set", "train.eval_every=0", "--set", "evaluate.at_start=false")
        told = self.succeed("plan", "--run", run, "-H", "a:1,b:1", "--link", "1gbit").stdout
        self.assert_says(told, "record of run", "as it was: predicted", "measured", "limited by")
        report = (run / "report.md").read_text()  # as training leaves it
        self.assert_says(report, "What would more workers bring?", "Simulated from this run's own record")
        plan = self.plan("--run", run)
        self.assertLess(abs(plan["comparison"]["error"]), 0.5)
        self.assertEqual(plan["predictions"][-1]["workers"], 1)

    def test_wrong_calls(self):
        for message, *arguments in [
                (("--measure", "--run", "--gpu", "--tokens-per-second"),),
                (("more than one", "--gpu", "--tokens-per-second"), "--gpu", "v100", "--tokens-per-second", "5"),
                (("--gpu v10 is not known", "did you mean v100?"), "--gpu", "v10"),
                (("has no bf16", "train.precision=fp16"), "--gpu", "v100", "--set", "train.precision=bf16"),
                (("a (1), b (1) are joined by a network that nothing is known of", "--link 1gbit"),
                 "--gpu", "v100", "-H", "a,b"),
                (("--link fast cannot be read", "1gbit"), "--gpu", "v100", "-H", "a,b", "--link", "fast"),
                (("--latency 1ms", "--link"), "--gpu", "v100", "--latency", "1ms"),
                (("batch.tokens is auto", "--set batch.tokens=N"), "--gpu", "v100", "--set", "batch.tokens=auto"),
                (("--price free cannot be read", "3.06/h"), "--gpu", "v100", "--price", "free")]:
            with self.subTest(arguments):
                self.assert_says(self.refuse(2, *BASE, *arguments), *message)
        self.assert_says(self.refuse(2, "plan", "--gpu", "v100"), "--run", "--config")
        self.assert_says(self.refuse(2, "plan", "--config", "demo", "--gpu", "v100", "--price"), "--price")

    def test_epochs_without_a_dataset(self):
        told = self.succeed(*BASE, "--gpu", "a100", "--set", "train.max_steps=0", "--set", "train.epochs=3").stdout
        self.assert_says(told, "not known: how many steps an epoch has depends on the dataset: give --data")


if __name__ == "__main__":
    unittest.main(verbosity=2)
