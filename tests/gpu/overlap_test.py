# SPDX-License-Identifier: Apache-2.0
"""Gradients that leave while backward goes on, on the stream of NCCL or through the host's memory: the emulated GPU that
checks for races sees none between the streams, and whatever order the streams, blocks and threads run in, two workers
learn the same bits."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.gpu_training import DEVICE, EMULATED, EMULATED_CHECKED, GpuTrainingTest, on  # noqa: E402
from support.program import long_test, run_tests  # noqa: E402

STEPS = 3
# The smallest buckets (of 128 KiB) and a model of four: three leave while backward goes on.
MANY_BUCKETS = {"workers.bucket_kb": 128, "model.d_ff": 256}
WAYS = {f"{transport}{' sharded' if sharded else ''}":
        {"workers.transport": transport, "workers.shard_optimizer": str(sharded).lower(), **MANY_BUCKETS}
        for transport in ("nccl", "mpi") for sharded in (False, True)}


@long_test
@unittest.skipUnless(DEVICE == "emulated", "a real GPU runs in an order of its own")
class OverlapTest(GpuTrainingTest):
    PAIRS = {"train": 600}

    def learn(self, way, name, library, order="forward"):
        """The weights after some steps; what races fails."""
        run = self.folder / f"{way} {name}".replace(" ", "-")
        values = {**on("cuda", train__max_steps=STEPS), **WAYS[way]}
        job = self.start_workers(2, run, values, VERBUND_CUDA_PATH=str(library), VERBUND_EMULATED_ORDER=order)
        self.assertEqual(job.wait(), 0, job.said())
        self.assertNotIn("emulated GPU:", job.said())
        self.assert_says(job.said(), "Emulated GPU")
        self.assertEqual("NCCL" in job.said(), "nccl" in way, job.said())
        return self.weights(run)

    def test_no_race_and_the_same_bits_in_any_order(self):
        self.assertTrue((EMULATED_CHECKED / "libcuda.so.1").exists(), "make build-checked")
        for way in WAYS:
            expected = self.learn(way, "forward", EMULATED)
            for name, library, order in (("checked", EMULATED_CHECKED, "forward"),
                                         ("backward", EMULATED, "backward"), ("random", EMULATED, "random:7")):
                with self.subTest(way=way, order=name):
                    self.assertEqual(self.learn(way, name, library, order), expected)


if __name__ == "__main__":
    run_tests()
