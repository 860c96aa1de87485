# SPDX-License-Identifier: Apache-2.0
"""verbund plan: what would a training cost? The numbers themselves are tested in tests/unit/plan."""

import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, long_test, run_tests  # noqa: E402

TINY = ["--set", "model.d_model=32", "--set", "model.d_ff=64", "--set", "model.encoder_layers=1",
        "--set", "model.decoder_layers=1", "--set", "model.heads=2", "--set", "batch.tokens=500", "--set", "threads=1"]
BASE = ["plan", "--config", "transformer-base"]


class PlanTest(ProgramTest):
    def plan(self, *arguments):
        return json.loads(self.succeed("plan", "--json", *arguments).stdout)

    def test_named_gpus_and_network(self):
        told = self.succeed(*BASE, "-H", "a:2,b:2", "--gpu", "v100", "--link", "10gbit", "--price", "3.06/h").stdout
        self.assert_says(told, "60.9 M", "a (2), b (2)", "25000", "V100 SXM2", "10gbit", "300,000", "train.max_steps",
                         "3.06", "train.precision=fp16")

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

    @long_test
    def test_measured_here_on_a_dataset(self):
        told = self.plan("--config", "demo", *TINY, "--data", fixtures.dataset(), "--measure", "--set", "train.max_steps=0",
                         "--set", "train.epochs=2")
        self.assertTrue(told["compute"]["measured"])
        self.assertFalse(told["batches_assumed"])
        self.assertGreater(told["training"]["steps"], 2)
        self.assert_says(told["training"]["reason"], "2 epochs")

    def test_a_run_is_compared_with_its_plan(self):
        run = fixtures.model()
        self.succeed("plan", "--run", run, "-H", "a:1,b:1", "--link", "1gbit")
        plan = self.plan("--run", run)
        self.assertLess(abs(plan["comparison"]["error"]), 0.5)
        self.assertEqual(plan["predictions"][-1]["workers"], 1)

    def test_wrong_calls(self):
        for message, *arguments in [
                (("--measure", "--gpu"),),
                (("--gpu", "--tokens-per-second"), "--gpu", "v100", "--tokens-per-second", "5"),
                (("v10", "v100?"), "--gpu", "v10"),
                (("bf16", "train.precision=fp16"), "--gpu", "v100", "--set", "train.precision=bf16"),
                (("a (1), b (1)", "--link 1gbit"), "--gpu", "v100", "-H", "a,b"),
                (("fast", "1gbit"), "--gpu", "v100", "-H", "a,b", "--link", "fast"),
                (("--latency 1ms", "--link"), "--gpu", "v100", "--latency", "1ms"),
                (("batch.tokens", "auto"), "--gpu", "v100", "--set", "batch.tokens=auto"),
                (("free", "3.06/h"), "--gpu", "v100", "--price", "free")]:
            with self.subTest(arguments):
                self.assert_says(self.refuse(2, *BASE, *arguments), *message)
        self.assert_says(self.refuse(2, "plan", "--gpu", "v100"), "--config")
        self.assert_says(self.refuse(2, "plan", "--config", "demo", "--gpu", "v100", "--price"), "--price")

    def test_every_number_has_a_range(self):
        gpu, hosts = ["--gpu", "v100"], ["-H", "a:1,b:1"]
        for arguments in [
                gpu + ["-n", "2147483647"], gpu + ["-n", "100001"], gpu + ["-H", "a:100001"],
                gpu + hosts + ["--link", "1gbit", "--latency", "1e300s"], gpu + hosts + ["--link", "infgbit"],
                gpu + hosts + ["--link", "1e-300kbit"], ["--tokens-per-second", "0"], ["--tokens-per-second", "nan"],
                ["--tokens-per-second", "inf"], ["--tokens-per-second", "1e300"], gpu + ["--price", "inf"],
                gpu + ["--length", "9223372036854775807"], gpu + ["--distinct", "9223372036854775807"],
                gpu + ["--set", "train.max_steps=9223372036854775807"],
                gpu + ["--set", "train.max_steps=0", "--set", "train.epochs=9223372036854775807"]]:
            with self.subTest(arguments):
                self.refuse(2, *BASE, *arguments)

    def test_the_ends_of_the_ranges_give_numbers(self):
        arguments = ["--config", "transformer-base", "-H", "a:100000,b:100000", "--length", "1000000", "--set",
                     "train.max_steps=1000000000000", "--set", "batch.tokens=100000000"]
        for rates in [("--tokens-per-second", "0.001", "--link", "1kbit", "--latency", "60s", "--price", "1000000"),
                      ("--tokens-per-second", "1e12", "--link", "1000000gbit", "--latency", "0.001us")]:
            with self.subTest(rates):
                plan = self.plan(*arguments, *rates)
                for prediction in plan["predictions"]:
                    for key, value in prediction.items():
                        rounding = 1e-9 * prediction["seconds_per_step"]
                        self.assertTrue(math.isfinite(value) and value >= -rounding, (key, value))
                    self.assertGreater(prediction["seconds_per_step"], 0)
                self.assertGreater(plan["training"]["seconds"], 0)
                self.succeed("plan", *arguments, *rates)

    def test_epochs_without_a_dataset(self):
        told = self.succeed(*BASE, "--gpu", "a100", "--set", "train.max_steps=0", "--set", "train.epochs=3").stdout
        self.assert_says(told, "--data")


if __name__ == "__main__":
    run_tests()
