# SPDX-License-Identifier: Apache-2.0
"""Training on GPUs, one for each worker, for the tests of whole jobs: on the emulated GPU of the build folder, or, where
VERBUND_TEST_DEVICE=cuda, on real ones."""

import os
import random as numbers
import unittest

from support.program import EMULATED, HAS_EMULATED_GPU
from support.training import TrainingTest

DEVICE = os.environ.get("VERBUND_TEST_DEVICE", "emulated")
# What a real GPU has: scripts/test-gpu.sh knows. The emulated ones are two.
WORKERS = int(os.environ.get("VERBUND_TEST_WORKERS", "2"))
EMULATED_CHECKED = EMULATED.with_name("emulated-checked")  # finds races


def on(device, **more):
    """Settings; batches small enough for the emulated GPU."""
    return {"device": device, "batch.tokens": 160, **{key.replace("__", "."): value for key, value in more.items()}}


@unittest.skipUnless(DEVICE == "cuda" or HAS_EMULATED_GPU, "the emulated GPU is not built")
class GpuTrainingTest(TrainingTest):
    # Few pairs to validate on: the emulated GPU is patient, its user is not. Without any, nothing is evaluated.
    PAIRS = {"train": 600, "dev": 12, "test": 12}

    @classmethod
    def dataset(cls):
        folder = cls.shared.folder / "data"
        random = numbers.Random(1)
        words = "one two three four five six seven eight nine ten eleven twelve".split()
        files = {}
        for split, pairs in cls.PAIRS.items():
            lines = [random.choices(words, k=random.randint(2, 9)) for _ in range(pairs)]
            for side, direction in (("source", 1), ("target", -1)):
                text = "".join(" ".join(line[::direction]) + ".\n" for line in lines)
                files[split, side] = cls.shared.write(f"{split}.{side}", text)
        flags = {"train": "--", "dev": "--dev-", "test": "--test-"}
        corpus = [word for (split, side), file in files.items() for word in (flags[split] + side, file)]
        cls.shared.succeed("prepare", *corpus, "--set", "subwords.vocabulary=80", "--out", folder)
        return folder
