"""verbund config --from-openseq2seq: a Python configuration is read, never executed, and becomes ours."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import ProgramTest  # noqa: E402
from support.training import CORPUS  # noqa: E402


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
        self.assert_says(ours.read_text(), "peak is 9.88e-04, at step 8000", "use_xla_jit: False")

    def test_tokens_by_the_average_of_a_dataset(self):
        data = self.folder / "data"
        self.succeed("prepare", *CORPUS, "--out", data)
        train = json.loads((data / "statistics.json").read_text())["splits"]["train"]
        average = 1 + max(train[side]["average_length"] for side in ("source", "target"))
        ours = self.convert(self.BASE % "False", "--data", data, "--workers", 4)
        self.assert_says(ours, f"tokens: {round(64 * 4 * average)}", "64 x 4 GPUs", f"{average:.1f} tokens, the average")

    def test_nothing_in_it_is_executed(self):
        owned = self.folder / "owned"
        call = f"os.system('touch {owned}')"
        ours = self.convert(self.BASE % call + f"{call}\n__import__('os').system('touch {owned}')\n")
        self.assertFalse(owned.exists())
        self.assert_says(ours, f"#   use_xla_jit: os.system('touch", "would have to be executed", "line 11: os.system",
                         "line 12: __import__")
        self.succeed("config", "--show", self.write("ours.yaml", ours))

    def test_a_mistake_is_refused_with_its_line(self):
        file = self.write("their.py", self.BASE.replace('"num_gpus": 2,', '"num_gpus": 2') % "False")
        message = self.refuse(2, "config", "--from-openseq2seq", file)
        self.assert_says(message, f"{file}:6: ", '"max_steps" is not expected here', "comma")


if __name__ == "__main__":
    unittest.main()
