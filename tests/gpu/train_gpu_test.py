# SPDX-License-Identifier: Apache-2.0
"""Training on GPUs, one for each worker: the same curve as the CPU's, the same bits when killed and resumed, checkpoints
that go on on another device, the same translations. On the emulated GPU of the build folder, or, where
VERBUND_TEST_DEVICE=cuda, on real ones."""

import json
import math
import os
import pathlib
import signal
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.gpu_training import DEVICE, WORKERS, GpuTrainingTest, on  # noqa: E402
from support.program import long_test, run_tests  # noqa: E402

STEPS = int(os.environ.get("VERBUND_TEST_STEPS", "60"))
PRECISIONS = os.environ.get("VERBUND_TEST_PRECISIONS", "tf32 bf16 fp16").split()


def numbers_of(path):
    """All weights of a safetensors file: its header's length, the header, and floats."""
    content = path.read_bytes()
    begin = 8 + struct.unpack("<Q", content[:8])[0]
    return struct.unpack(f"<{(len(content) - begin) // 4}f", content[begin:])


class TrainGpuTest(GpuTrainingTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls("test_two_gpus_follow_the_curve_of_the_cpu")
        cls.on_cpu = cls.shared.folder / "cpu"
        cls.shared.succeed(*case.arguments(cls.on_cpu, on("cpu", train__max_steps=STEPS)))
        cls.expected = case.losses(cls.on_cpu)

    def begin(self, steps):
        return {step: self.expected[step] for step in range(1, steps + 1)}

    def run_on(self, device, run, steps=STEPS, **more):
        return self.train(WORKERS, run, on(device, train__max_steps=steps, **more))

    def test_two_gpus_follow_the_curve_of_the_cpu(self):
        self.assertLess(self.expected[STEPS], 0.9 * self.expected[1])
        self.follow("nccl", STEPS // 3)

    @long_test
    def test_the_whole_curve_and_that_over_mpi(self):
        self.follow("nccl", STEPS)
        self.follow("mpi", STEPS // 4)

    def follow(self, transport, steps):
        run = self.folder / transport
        self.assert_says(self.run_on(DEVICE, run, steps=steps, workers__transport=transport), "GPU")
        self.assert_same_curve(run, self.begin(steps), 1e-3)

    @long_test
    def test_the_same_run_has_the_same_bits(self):
        for transport in ("nccl", "mpi"):
            first, second = self.folder / f"{transport}-1", self.folder / f"{transport}-2"
            for run in (first, second):
                self.run_on(DEVICE, run, steps=5, workers__transport=transport)
            self.assertEqual(self.weights(first), self.weights(second))

    @long_test
    def test_rounds_of_local_steps_follow_those_of_the_cpu_and_resume_in_the_same_bits(self):
        rounds = {"workers__sync_every": 3, "workers__sync_delay": 1, "checkpoint__save_every_steps": 6}
        cpu, gpu, resumed = self.folder / "rounds-cpu", self.folder / "rounds", self.folder / "rounds-resumed"
        self.run_on("cpu", cpu, steps=9, **rounds)
        self.run_on(DEVICE, gpu, steps=9, **rounds)
        self.assert_same_curve(gpu, self.losses(cpu), 1e-3)
        for steps in (6, 9):
            self.run_on(DEVICE, resumed, steps=steps, **rounds)
        self.assertEqual(self.weights(resumed), self.weights(gpu))

    @long_test
    def test_sharded_and_wired(self):
        for name, more in (("sharded", {"workers__shard_optimizer": "true"}),
                           ("sharded-mpi", {"workers__shard_optimizer": "true", "workers__transport": "mpi"}),
                           ("bf16 wire", {"workers__wire": "bf16"})):
            with self.subTest(name):
                run = self.folder / name.replace(" ", "-")
                self.run_on(DEVICE, run, steps=8, **more)
                self.assert_same_curve(run, self.begin(8), 1e-3 if "wire" not in name else 2e-2)

    @long_test
    def test_precisions_follow_within_noise(self):
        os.environ["VERBUND_EMULATED_ARCH"] = "80"  # which has them all
        self.addCleanup(os.environ.pop, "VERBUND_EMULATED_ARCH")
        for precision, steps, more in (("tf32", STEPS // 4, {}), ("bf16", STEPS // 4, {}),
                                       ("fp16", STEPS, {"loss_scale__type": "backoff"})):
            if precision not in PRECISIONS:
                continue
            with self.subTest(precision):
                run = self.folder / precision
                self.run_on(DEVICE, run, steps=steps, train__precision=precision, **more)
                self.assert_same_curve(run, self.begin(steps), 2e-2)

    @long_test
    def test_a_loss_scale_that_is_too_high_backs_off(self):
        """Gradients overflow in 16 bits, steps are left out, and the scale is halved each time until they fit."""
        if "fp16" not in PRECISIONS:
            self.skipTest("fp16 is not tested")
        highest = 2**28
        self.run_on(DEVICE, self.run_folder, steps=40, train__precision="fp16", loss_scale__type="backoff",
                    loss_scale__scale_max=highest)
        lines = [line for line in self.metrics(self.run_folder) if "train_loss" in line]
        left_out = [line["step"] for line in lines if line["gradient_norm"] is None]
        state = json.loads((self.run_folder / "checkpoints" / "last" / "state.json").read_text())
        scale = state["loss_scale"]["backoff.scale"]
        print(f"{len(left_out)} of {len(lines)} steps were left out, the last is {left_out[-1:]}; the scale fell to {scale}")
        self.assertGreaterEqual(len(left_out), 5)
        self.assertEqual(left_out[:5], [1, 2, 3, 4, 5])  # nothing is learned before the scale has come down
        self.assertEqual(scale, highest / 2 ** len(left_out))
        losses = [line["train_loss"] for line in lines]
        self.assertTrue(all(math.isfinite(loss) for loss in losses))
        self.assertLess(losses[-1], 0.95 * losses[0])

    @long_test
    def test_killed_and_resumed_has_the_same_bits(self):
        whole, broken = self.folder / "whole", self.folder / "broken"
        often = {"checkpoint__save_every_steps": 4}
        self.run_on(DEVICE, whole, steps=14, **often)
        job = self.start_workers(WORKERS, broken, on(DEVICE, train__max_steps=14, **often))
        self.kill(self.workers_at_step(job, WORKERS, broken, 6)[WORKERS - 1], signal.SIGKILL)
        self.assertNotEqual(job.wait(), 0)
        self.run_on(DEVICE, broken, steps=14, **often)
        self.assertGreater(self.resumed_at(broken), 0)
        self.assertEqual(self.weights(whole), self.weights(broken))

    @long_test
    def test_checkpoints_go_on_on_another_device(self):
        run = self.folder / "moving"
        for device, steps in ((DEVICE, 10), ("cpu", 20), (DEVICE, 30)):
            self.run_on(device, run, steps=steps)
        self.assert_same_curve(run, self.begin(30), 1e-3)

    def test_translations_are_the_same(self):
        lines = (self.data / "test.source.txt").read_text().splitlines(True)
        sources = self.write("source.txt", "".join(lines[:20]))
        said = {device: self.succeed("translate", "-m", self.on_cpu, "--device", device, sources).stdout
                for device in ("cpu", DEVICE)}
        self.assertEqual(said["cpu"], said[DEVICE])
        loss = {device: self.succeed("evaluate", "-m", self.on_cpu, "--device", device, "--data", self.data).stdout
                for device in ("cpu", DEVICE)}
        self.assertEqual(loss["cpu"].splitlines()[1:4], loss[DEVICE].splitlines()[1:4])

    @long_test
    def test_given_translations_are_scored_the_same(self):
        files = ["--source", self.data / "test.source.txt", "--target", self.data / "test.target.txt"]
        scores = {device: [json.loads(line)["log_probability"] for line in self.succeed(
            "score-pairs", "-m", self.on_cpu, "--device", device, "--json", *files).stdout.splitlines()]
            for device in ("cpu", DEVICE)}
        self.assertEqual(len(scores["cpu"]), 12)
        for expected, found in zip(scores["cpu"], scores[DEVICE], strict=True):
            self.assertAlmostEqual(found / expected, 1, delta=1e-5)

    @long_test
    def test_an_ensemble_and_an_average_of_weights(self):
        """Of a run whose averaged weights are kept on the device, and of the CPU's."""
        steps, decay = 12, {"average__decay": 0.8}
        runs = {device: self.folder / device for device in ("cpu", DEVICE)}
        for device, run in runs.items():
            self.train(1, run, on(device, train__max_steps=steps, **decay))
        self.assert_same_curve(runs[DEVICE], self.losses(runs["cpu"]), 1e-3)
        average = [(run / "checkpoints" / "last" / "average.safetensors") for run in runs.values()]
        expected, found = (numbers_of(path) for path in average)
        self.assertEqual(len(expected), len(found))
        for a, b in zip(expected, found):
            self.assertAlmostEqual(a, b, delta=1e-3)
        self.assertNotEqual(found, numbers_of(runs[DEVICE] / "checkpoints" / "last" / "weights.safetensors"))
        said = [self.succeed("translate", "-m", self.on_cpu, "-m", runs["cpu"], "--device", device, "--scores",
                             self.data / "test.source.txt").stdout.splitlines() for device in ("cpu", DEVICE)]
        for one, other in zip(*said, strict=True):
            (score, text), (other_score, other_text) = one.split("\t"), other.split("\t")
            self.assertEqual(text, other_text)
            self.assertAlmostEqual(float(score), float(other_score), delta=1e-3)

    @long_test
    def test_batches_that_fit_are_found_by_trial(self):
        if DEVICE != "emulated":
            self.skipTest("a real GPU has more memory than this test has time")
        os.environ["VERBUND_EMULATED_MEMORY"] = "100000000"
        self.addCleanup(os.environ.pop, "VERBUND_EMULATED_MEMORY")
        # Sentences that are long take much memory in little time. The limit is beyond what there is: a trial fails.
        shape = {"model__heads": 8, "model__encoder_layers": 1, "model__decoder_layers": 1, "batch__max_length": 400,
                 "evaluate__sentences": 1}
        said = self.train(1, self.run_folder, on(DEVICE, train__max_steps=1, batch__memory_limit="1GB", **shape)
                          | {"batch.tokens": "auto"})
        self.assertRegex(said, r"batch\.tokens.*\b(400|800)\b")


if __name__ == "__main__":
    run_tests()
