# SPDX-License-Identifier: Apache-2.0
"""What users meet who ask for a device or a precision that is not here: one message with what is missing and what there is,
exit code 2, and nothing written. On a machine without a GPU."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import HAS_EMULATED_GPU, PROGRAM, ProgramTest, run_tests  # noqa: E402
from support.training import SMALL, settings  # noqa: E402

CPU_HAS_BF16 = "avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text()


@unittest.skipIf(pathlib.Path("/proc/driver/nvidia").exists(), "there is NVIDIA's driver")
class DeviceTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.data, cls.run_folder = fixtures.dataset(), fixtures.model()
        cls.sentences = cls.shared.write("sentences.txt", "the dog sees the cat .\n")

    def train_refused(self, values, **options):
        """The message; nothing may have been written."""
        run = self.folder / "none"
        said = self.refuse(2, "train", "--data", self.data, "--run", run,
                           *settings({**SMALL, "train.max_steps": 2, **values}), **options)
        self.assertFalse(run.exists())
        return said

    def translate(self, *flags, program=PROGRAM, **options):
        return subprocess.run([program, "translate", "-m", str(self.run_folder), *flags, str(self.sentences)],
                              capture_output=True, text=True, **options)

    def test_without_a_driver_a_gpu_is_refused_by_its_name(self):
        said = self.train_refused({"device": "cuda"})
        self.assert_says(said, "libcuda.so.1", "--set device=cpu")

    def test_a_toolkit_without_a_driver_does_not_do(self):
        toolkit = self.folder / "cuda" / "lib64"
        toolkit.mkdir(parents=True)
        for name in ("libnvrtc.so.12", "libcublas.so.12"):
            (toolkit / name).write_bytes(b"")
        for path in (toolkit, toolkit.parent):
            said = self.train_refused({"device": "cuda"}, env={"VERBUND_CUDA_PATH": str(path)})
            self.assert_says(said, "libcuda.so.1", path)

    def test_a_driver_that_is_none(self):
        for content in (b"not a library", None):
            folder = self.folder / ("text" if content else "other")
            folder.mkdir()
            if content:
                (folder / "libcuda.so.1").write_bytes(content)
            else:  # a library of another kind
                (folder / "libcuda.so.1").symlink_to(self.a_library())
            message = self.train_refused({"device": "cuda"}, env={"VERBUND_CUDA_PATH": str(folder)})
            self.assert_says(message, "libcuda.so.1", folder, "nvidia-smi")

    def a_library(self):
        for line in subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout.splitlines():
            if "libfmt" in line:
                return line.split()[2]
        self.skipTest("libfmt is linked statically")

    def test_precisions_that_the_cpu_does_not_have(self):
        for precision in ("tf32", "fp16"):
            with self.subTest(precision):
                said = self.train_refused({"device": "cpu", "train.precision": precision})
                self.assert_says(said, precision, "fp32")
                said = self.train_refused({"train.precision": precision, "loss_scale.type": "backoff"})
                self.assert_says(said, precision)
                done = self.translate("--precision", precision)
                self.assertEqual(done.returncode, 2)
                self.assert_says(done.stderr, precision, "fp32")

    def test_bf16_where_the_cpu_has_it(self):
        done = self.translate("--device", "cpu", "--precision", "bf16")
        self.assertEqual(done.returncode, 0 if CPU_HAS_BF16 else 2, done.stderr)
        if not CPU_HAS_BF16:
            self.assert_says(done.stderr, "AVX512-BF16")

    def test_words_that_are_no_device_or_precision(self):
        for flags, *parts in ((["--device", "gpu"], "gpu", "cpu", "cuda"),
                              (["--precision", "half"], "half", "fp32", "tf32", "bf16", "fp16"),
                              (["--device", "cuda"], "libcuda.so.1")):
            with self.subTest(flags):
                done = self.translate(*flags)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assert_says(done.stderr, *parts)
        self.assert_says(self.train_refused({"device": "gpu"}), "gpu", "auto", "cpu", "cuda")
        self.assert_says(self.train_refused({"use_gpu": "true"}), "device?")
        self.assert_says(self.train_refused({"train.fp16": "true"}), "train.precision?")

    def test_auto_takes_the_cpu(self):
        for flags in ([], ["--device", "auto"], ["--device", "cpu"]):
            done = self.translate(*flags)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_emulated_gpu_belongs_to_the_build_folder(self):
        elsewhere = self.folder / "verbund"
        shutil.copy(PROGRAM, elsewhere)
        done = self.translate("--device", "emulated", program=elsewhere)
        self.assertEqual(done.returncode, 2)
        self.assert_says(done.stderr, self.folder / "emulated")

    @unittest.skipUnless(HAS_EMULATED_GPU, "the emulated GPU is not built")
    def test_translations_of_the_emulated_gpu(self):
        expected = self.translate("--device", "cpu").stdout
        for flags in (["--device", "emulated"], ["--device", "emulated", "--precision", "fp16"]):
            done = self.translate(*flags)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(done.stdout.splitlines()), 1)
            if "fp16" not in flags:
                self.assertEqual(done.stdout, expected)
        done = self.translate("--device", "emulated", "--precision", "bf16",
                              env={**os.environ, "VERBUND_EMULATED_ARCH": "70"})
        self.assertEqual(done.returncode, 2)
        self.assert_says(done.stderr, "bf16", "sm_80", "sm_70", "fp16")

    def test_commands_say_what_computes_and_in_which_precision(self):
        pairs = self.write("pairs.tsv", "the dog sleeps .\tder Hund schläft .\n")
        sides = ["--source", self.sentences, "--reference", self.sentences]
        calls = {"evaluate": sides, "score-pairs": ["--tsv", pairs]}
        for command, arguments in calls.items():
            with self.subTest(command):
                done = self.succeed(command, "-m", self.run_folder, "--device", "cpu", *arguments)
                self.assertIn("fp32", done.stderr)
                self.assertNotIn("fp32", done.stdout)
                if HAS_EMULATED_GPU:
                    said = self.succeed(command, "-m", self.run_folder, "--device", "emulated", "--precision", "fp16",
                                        *arguments).stderr
                    self.assertRegex(said, r"Emulated GPU .*\bfp16\b")
        # Who translates wants translations: the usual case goes without saying.
        self.assertNotIn("fp32", self.translate("--device", "cpu").stderr)
        if HAS_EMULATED_GPU:
            self.assertRegex(self.translate("--device", "emulated").stderr, r"Emulated GPU .*\bfp32\b")
        if CPU_HAS_BF16:
            self.assertIn("bf16", self.translate("--device", "cpu", "--precision", "bf16").stderr)

    def test_the_program_is_not_linked_with_cuda(self):
        linked = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        for name in ("libcuda", "libnvrtc", "libcublas", "libnccl", "nvidia"):
            self.assertNotIn(name, linked)

    def test_help_and_explanations_name_them(self):
        for command in ("translate", "evaluate", "score-pairs"):
            self.assert_says(self.succeed(command, "--help").stdout, "--device", "--precision")
        said = self.succeed("config", "--explain").stdout
        self.assertRegex(said, r"(?m)^device: +\w+ +# .*GPU")
        self.assertRegex(said, r"(?m)^ +precision: +\w+ +# .*fp16")

    def test_doctor_tells_what_is_missing(self):
        found = {row["check"]: row for row in json.loads(self.succeed("doctor", "--json").stdout)["findings"]}
        self.assertNotEqual(found["GPUs"]["verdict"], "problem")
        done = self.run_program("doctor", "--set", "device=cuda", "--json")
        self.assertEqual(done.returncode, 1)
        found = {row["check"]: row for row in json.loads(done.stdout)["findings"]}
        self.assertEqual(found["GPUs"]["verdict"], "problem")
        self.assert_says(found["GPUs"]["finding"], "libcuda.so.1")


if __name__ == "__main__":
    run_tests()
