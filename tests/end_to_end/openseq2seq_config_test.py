# SPDX-License-Identifier: Apache-2.0
"""verbund config --from-openseq2seq: a Python configuration is read, never executed, and becomes ours."""

import json
import os
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402


class ConfigTest(ProgramTest):
    BASE = """
import os
import tensorflow as tf
root = "/data"
base_params = {
  "batch_size_per_gpu": 64, "num_gpus": 2, "max_steps": 300000, "lr_policy": transformer_policy,
  "lr_policy_params": {"learning_rate": 2.0, "warmup_steps": 8000, "d_model": 512},
  "encoder": TransformerEncoder, "encoder_params": {"hidden_size": 512, "encoder_layers": 6},
  "use_xla_jit": %s,
}
"""

    def convert(self, text, *more):
        return self.succeed("config", "--from-openseq2seq", self.write("their.py", text), *more).stdout

    def test_the_result_is_a_configuration(self):
        ours = self.write("ours.yaml", self.convert(self.BASE % "False"))
        shown = self.succeed("config", "--show", ours).stdout
        self.assert_says(shown, "learning_rate: 2\n", "warmup_steps: 8000\n", "d_model: 512\n", "max_steps: 300000\n",
                         "tokens: 3840\n")
        self.assert_says(ours.read_text(), "9.88e-04", "8000", "use_xla_jit: False")

    def test_tokens_by_the_average_of_a_dataset(self):
        data = fixtures.dataset()
        train = json.loads((data / "statistics.json").read_text())["splits"]["train"]
        average = 1 + max(train[side]["average_length"] for side in ("source", "target"))
        ours = self.convert(self.BASE % "False", "--data", data, "--workers", 4)
        self.assert_says(ours, f"tokens: {round(64 * 4 * average)}", "64 x 4", f"{average:.1f}")

    def test_nothing_in_it_is_executed(self):
        owned = self.folder / "owned"
        call = f"os.system('touch {owned}')"
        ours = self.convert(self.BASE % call + f"{call}\n__import__('os').system('touch {owned}')\n")
        self.assertFalse(owned.exists())
        self.assert_says(ours, f"use_xla_jit: os.system('touch", "line 11: os.system",
                         "line 12: __import__")
        self.succeed("config", "--show", self.write("ours.yaml", ours))

    def test_a_mistake_is_refused_with_its_line(self):
        file = self.write("their.py", self.BASE.replace('"num_gpus": 2,', '"num_gpus": 2') % "False")
        message = self.refuse(2, "config", "--from-openseq2seq", file)
        self.assert_says(message, f"{file}:6: ", '"num_gpus": 2 "max_steps"', "^")


class HostileFileTest(ProgramTest):
    """Whatever the file holds: it has no effect, and the message names it."""

    def refused(self, content, *parts, code=2, **options):
        file = self.write("their.py", content)
        message = self.refuse(code, "config", "--from-openseq2seq", file, timeout=60, **options)
        self.assert_says(message, file, *parts)
        self.assertLess(len(message), 1000)

    def test_deep_nesting(self):
        for depth in (150, 1000, 100_000):
            self.refused(f"base_params = {'[' * depth}1{']' * depth}\n", "nested")
            self.refused(f"base_params = {'-' * depth}1\n", "nested")
        self.refused(f"base_params = {'f(' * 100_000}1{')' * 100_000}\n", "nested")

    def test_a_stack_that_is_too_small(self):
        _, most = resource.getrlimit(resource.RLIMIT_STACK)

        def limit_stack():
            resource.setrlimit(resource.RLIMIT_STACK, (512 << 10, most))

        self.refused(f"base_params = {'-' * 5000}1\n", "nested", preexec_fn=limit_stack)

    def test_size(self):
        self.refused("base_params = {}\n" + "#" * (10 << 20) + "\n", 1 << 20)
        self.refused("base_params = [" + "1," * 30000 + "]\n", 20000)

    def test_much_out_of_little(self):
        self.refused("a = ['ha', 'ha']\n" + "a = [a, a]\n" * 60 + "base_params = a\n", 20000)
        ours = self.succeed("config", "--from-openseq2seq", self.write("their.py", "base_params = {'x': 9**9**9**9}\n"))
        self.assert_says(ours.stdout, "x: 9**9**9**9")

    def test_bytes_that_are_not_python(self):
        self.refused(b"base_params = {}\nx = '\0'\n", ":2: ", "NUL")
        self.refused(b"base_params = {'x': '\xff'}\n", "UTF-8")
        self.refused("\ufeffx = 1\n\ufeffbase_params = {}\n".encode(), ":2: ")

    def test_a_byte_order_mark(self):
        file = self.write("their.py", "\ufeffbase_params = {'random_seed': 7}\n".encode())
        self.assert_says(self.succeed("config", "--from-openseq2seq", file).stdout, "seed: 7 ")

    def test_without_python(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.refused("base_params = {}\n", "python3", code=1, env={"PATH": str(empty)})

    def test_no_file_of_the_working_folder_is_loaded(self):
        file = self.write("their.py", "base_params = {'random_seed': 7}\n")
        for module in ("ast", "json", "sitecustomize", "usercustomize"):
            self.write(f"{module}.py", "raise SystemExit('loaded')\n")
        program = pathlib.Path(self.command()[0]).resolve()
        done = subprocess.run([program, "config", "--from-openseq2seq", file], cwd=self.folder, capture_output=True,
                              text=True, env={**os.environ, "PYTHONPATH": str(self.folder)}, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_says(done.stdout, "seed: 7 ")


if __name__ == "__main__":
    run_tests()
