# SPDX-License-Identifier: Apache-2.0
"""verbund average as a user meets it: the mean of checkpoints is a model like any other, and no step of the run."""

import array
import hashlib
import json
import pathlib
import shutil
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402

NAMES = ["step-00000050", "step-00000100", "step-00000150"]  # of the checkpoints


def read_tensors(path):
    """A safetensors file as {name: (shape, array of floats)}."""
    content = path.read_bytes()
    size, = struct.unpack("<Q", content[:8])
    tensors = {}
    for name, entry in json.loads(content[8:8 + size]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            tensors[name] = (entry["shape"], array.array("f", content[8 + size + begin:8 + size + end]))
    return tensors


def digest(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


class MovingAverageTest(ProgramTest):
    def test_it_starts_as_the_weights_of_its_start_step(self):
        run = self.folder / "run"
        self.succeed(*fixtures.training(run, 4, checkpoint__save_every_steps=1, average__decay=0.9,
                                        average__start_step=3, average__warmup="false"))
        files = {step: run / "checkpoints" / f"step-{step:08d}" for step in (2, 3, 4)}
        self.assertFalse((files[2] / "average.safetensors").exists())
        self.assertEqual(read_tensors(files[3] / "average.safetensors"), read_tensors(files[3] / "weights.safetensors"))
        self.assertNotEqual(read_tensors(files[4] / "average.safetensors"), read_tensors(files[4] / "weights.safetensors"))


class AverageTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = fixtures.dataset()
        self.run_folder = fixtures.copy_of_model(self.folder / "run")
        self.checkpoints = self.run_folder / "checkpoints"

    def average(self, *arguments):
        return self.succeed("average", "--run", self.run_folder, *arguments).stderr

    def assert_is_mean(self, folder, *files):
        found = read_tensors(folder / "weights.safetensors")
        parts = [read_tensors(file) for file in files]
        self.assertEqual(list(found), list(parts[0]))
        for name, (shape, values) in found.items():
            self.assertEqual(shape, parts[0][name][0])
            mean = array.array("f", (sum(each) / len(parts) for each in zip(*(part[name][1] for part in parts))))
            self.assertEqual(values, mean, name)

    def test_last(self):
        self.assert_says(self.average("--last", "3"), "checkpoints/average", "50, 100, 150", "--checkpoint average")
        folder = self.checkpoints / "average"
        self.assert_is_mean(folder, *(self.checkpoints / name / "weights.safetensors" for name in NAMES))
        self.assertEqual(self.files_below(folder),
                         ["config.yaml", "manifest.json", "state.json", "weights.safetensors"])
        self.assertEqual(json.loads((folder / "state.json").read_text())["mean_of"], [50, 100, 150])

    def test_named_ones_and_another_place(self):
        self.average("--checkpoints", "last", NAMES[0], "--name", "two")
        expected = [self.checkpoints / name / "weights.safetensors" for name in (NAMES[0], NAMES[2])]
        self.assert_is_mean(self.checkpoints / "two", *expected)
        self.average("--checkpoints", f"{NAMES[2]},{NAMES[0]}", "--out", self.folder / "new" / "model")
        alone = digest(self.folder / "new" / "model")
        for name in ("source.model", "target.model"):  # so that it can be used without the run
            self.assertIsNotNone(alone.pop(name))
        self.assertEqual(alone, digest(self.checkpoints / "two"))

    def test_it_translates(self):
        self.average("--last", "2")
        self.average("--last", "2", "--out", self.folder / "model")
        vocabulary = ["--vocabulary", self.data / "joint.model"]
        inside = self.succeed("translate", "-m", self.run_folder, "--checkpoint", "average", "--scores", *vocabulary,
                              input="a b c\nd e\n").stdout
        outside = self.succeed("translate", "-m", self.folder / "model", "--scores", input="a b c\nd e\n").stdout
        last = self.succeed("translate", "-m", self.run_folder, "--checkpoint", "last", "--scores", *vocabulary,
                            input="a b c\nd e\n").stdout
        self.assertEqual(len(inside.splitlines()), 2)
        self.assertEqual(inside, outside)
        self.assertNotEqual(inside, last)

    def test_a_run_goes_on_beside_it(self):
        expected = digest(self.checkpoints / NAMES[2])["weights.safetensors"]
        shutil.rmtree(self.checkpoints / NAMES[2])  # as if it had been killed before
        for link in self.checkpoints.iterdir():
            if link.is_symlink():
                link.unlink()
                link.symlink_to(NAMES[1])
        self.average("--last", "2")
        before = digest(self.checkpoints / "average")
        self.succeed(*fixtures.training(self.run_folder, checkpoint__keep_last=1))
        self.assertFalse((self.checkpoints / NAMES[0]).exists())
        self.assertEqual(digest(self.checkpoints / "average"), before)
        self.assertEqual(digest(self.checkpoints / NAMES[2])["weights.safetensors"], expected)

    def test_exponential_averages_are_taken(self):
        self.run_folder = self.folder / "averaged"
        self.succeed(*fixtures.training(self.run_folder, 40, average__decay=0.9, checkpoint__save_every_steps=20,
                                        train__eval_every=0))
        self.average("--last", "2")
        checkpoints = self.run_folder / "checkpoints"
        self.assert_is_mean(checkpoints / "average", *(checkpoints / f"step-000000{step}" / "average.safetensors"
                                                       for step in (20, 40)))

    def test_wrong_calls(self):
        def refused(code, *arguments):
            return self.refuse(code, "average", "--run", self.run_folder, *arguments)

        before = self.files_below(self.run_folder)
        self.assert_says(refused(1, "--last", "9"), "9", *NAMES)
        self.assert_says(refused(2, "--last", "1"), "--last")
        refused(1, "--checkpoints", NAMES[0])
        self.assert_says(refused(1, "--checkpoints", "last", NAMES[2]), NAMES[2])
        self.assert_says(refused(1, "--checkpoints", NAMES[0], "step-00000030"), "step-00000030", *NAMES)
        self.assert_says(refused(2, "--last", "2", "--checkpoints", "last"), "--last", "--checkpoints")
        for name in ("step-00000080", NAMES[0], "last", "best", "a/b", "", "x.partial"):
            refused(2, "--last", "2", "--name", name)
        self.assert_says(refused(1, "--last", "2", "--out", self.data), self.data)
        self.assert_says(self.refuse(1, "average", "--run", self.data), self.data)
        weights = self.checkpoints / NAMES[1] / "weights.safetensors"
        weights.write_bytes(weights.read_bytes()[:-4])
        self.assert_says(refused(1, "--last", "2"), f"{NAMES[1]}/weights.safetensors", "--checkpoints")
        self.assertEqual(self.files_below(self.run_folder), before)

    def test_help(self):
        self.assert_says(self.succeed("average", "--help").stdout, "Examples:", "verbund average --run", "--last")


if __name__ == "__main__":
    run_tests()
