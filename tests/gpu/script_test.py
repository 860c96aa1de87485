# SPDX-License-Identifier: Apache-2.0
"""scripts/test-gpu.sh, which people with a GPU run: without one it says so, and on the emulated one it passes and fails as
its checks do."""

import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import HAS_EMULATED_GPU, PROGRAM, SOURCE, long_test, run_tests  # noqa: E402

BUILD = pathlib.Path(PROGRAM).resolve().parent


def test_gpu(**environment):
    return subprocess.run([SOURCE / "scripts" / "test-gpu.sh"], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "VERBUND_BUILD": str(BUILD), **environment})


class ScriptTest(unittest.TestCase):
    def test_without_a_gpu(self):
        if pathlib.Path("/proc/driver/nvidia").exists():
            self.skipTest("there is NVIDIA's driver")
        done = test_gpu(VERBUND_TEST_DEVICE="cuda")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for part in ("libcuda.so.1", "VERBUND_TEST_DEVICE=emulated make test-gpu"):
            self.assertIn(part, done.stderr)

    @long_test
    @unittest.skipUnless(HAS_EMULATED_GPU and (BUILD / "gpu_test").exists(),
                         "the emulated GPU is not built")
    def test_on_the_emulated_gpu(self):
        few = {"VERBUND_TEST_DEVICE": "emulated", "VERBUND_TEST_STEPS": "8", "VERBUND_TEST_FILTER": "*Products*:*Gemm*",
               "VERBUND_TEST_TRAINING": "TrainGpuTest.test_translations_are_the_same"}
        done = test_gpu(**few)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        block = done.stdout[done.stdout.index("==== paste this into an issue ===="):]
        for part in ("verbund ", "2 x Emulated GPU", "libnccl.so.2: ", "kernels   ok", "one GPU   ok", "all GPUs  ok",
                     "GPUs sum", "speed     ok", "training  ok", "all is well"):
            self.assertIn(part, block)

        # A test that is not there fails, and so does the whole.
        done = test_gpu(**{**few, "VERBUND_TEST_TRAINING": "TrainGpuTest.test_nothing"})
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for part in ("kernels   ok", "training  FAILED", "something FAILED"):
            self.assertIn(part, done.stdout)


if __name__ == "__main__":
    run_tests()
