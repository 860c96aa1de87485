"""verbund average as a user meets it: the mean of checkpoints is a model like any other, and no step of the run."""

import array
import hashlib
import json
import pathlib
import shutil
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import ProgramTest  # noqa: E402

TINY = ["--set", "model.d_model=32", "--set", "model.heads=2", "--set", "model.d_ff=64",
        "--set", "model.encoder_layers=1", "--set", "model.decoder_layers=1", "--set", "batch.tokens=600",
        "--set", "schedule.learning_rate=1", "--set", "schedule.warmup_steps=100", "--set", "train.eval_every=0",
        "--set", "checkpoint.save_every_steps=20"]


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


class AverageTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.data = cls.shared.folder / "data"
        cls.shared.succeed("prepare", "--corpus", "reversal", "--set", "corpus.generated_pairs=3000", "--out", cls.data)
        cls.trained = cls.shared.folder / "run"
        cls.shared.succeed(*cls.train(cls.trained, 60))

    @classmethod
    def tearDownClass(cls):
        cls.shared.doCleanups()

    @classmethod
    def train(cls, run, steps, *more):
        return ["train", "--data", cls.data, "--run", run, *TINY, "--set", f"train.max_steps={steps}", *more]

    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "run"
        shutil.copytree(self.trained, self.run_folder, symlinks=True)
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
        self.assert_says(self.average("--last", "3"), "checkpoints/average", "the mean of the weights of 3 checkpoints",
                         "steps 20, 40, 60", "--checkpoint average")
        folder = self.checkpoints / "average"
        self.assert_is_mean(folder, *(self.checkpoints / f"step-000000{step}" / "weights.safetensors"
                                      for step in (20, 40, 60)))
        self.assertEqual(self.files_below(folder),
                         ["config.yaml", "manifest.json", "state.json", "weights.safetensors"])
        self.assertEqual(json.loads((folder / "state.json").read_text())["mean_of"], [20, 40, 60])

    def test_named_ones_and_another_place(self):
        self.average("--checkpoints", "last", "step-00000020", "--name", "two")
        expected = [self.checkpoints / name / "weights.safetensors" for name in ("step-00000020", "step-00000060")]
        self.assert_is_mean(self.checkpoints / "two", *expected)
        self.average("--checkpoints", "step-00000060,step-00000020", "--out", self.folder / "new" / "model")
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
        self.average("--last", "3")
        before = digest(self.checkpoints / "average")
        done = self.succeed(*self.train(self.run_folder, 120, "--set", "checkpoint.keep_last=1"))
        self.assert_says(done.stderr, "resume at step 60")
        self.assertFalse((self.checkpoints / "step-00000020").exists())
        self.assertEqual(digest(self.checkpoints / "average"), before)
        self.succeed(*self.train(self.folder / "straight", 120))
        name = pathlib.Path("checkpoints", "step-00000120", "weights.safetensors")
        self.assertEqual((self.run_folder / name).read_bytes(), (self.folder / "straight" / name).read_bytes())

    def test_exponential_averages_are_taken(self):
        self.run_folder = self.folder / "averaged"
        self.succeed(*self.train(self.run_folder, 40, "--set", "average.decay=0.9"))
        self.assert_says(self.average("--last", "2"), "exponentially averaged weights of 2 checkpoints")
        checkpoints = self.run_folder / "checkpoints"
        self.assert_is_mean(checkpoints / "average", *(checkpoints / f"step-000000{step}" / "average.safetensors"
                                                       for step in (20, 40)))

    def test_wrong_calls(self):
        def refused(code, *arguments):
            return self.refuse(code, "average", "--run", self.run_folder, *arguments)

        before = self.files_below(self.run_folder)
        self.assert_says(refused(1, "--last", "9"), "last 9", "step-00000020, step-00000040, step-00000060")
        self.assert_says(refused(2, "--last", "1"), "--last")
        self.assert_says(refused(1, "--checkpoints", "step-00000020"), "two checkpoints or more, not 1")
        self.assert_says(refused(1, "--checkpoints", "last", "step-00000060"), "named twice")
        self.assert_says(refused(1, "--checkpoints", "step-00000020", "step-00000030"), '"step-00000030"',
                         "There are: ", "step-00000020, step-00000040, step-00000060")
        self.assert_says(refused(2, "--last", "2", "--checkpoints", "last"), "--last", "--checkpoints")
        for name in ("step-00000080", "step-00000020", "last", "best", "a/b", "", "x.partial"):
            refused(2, "--last", "2", "--name", name)
        self.assert_says(refused(1, "--last", "2", "--out", self.data), "will not be replaced")
        self.assert_says(self.refuse(1, "average", "--run", self.data), "not the folder of a run")
        weights = self.checkpoints / "step-00000040" / "weights.safetensors"
        weights.write_bytes(weights.read_bytes()[:-4])
        self.assert_says(refused(1, "--last", "2"), "step-00000040/weights.safetensors is damaged", "--checkpoints")
        self.assertEqual(self.files_below(self.run_folder), before)

    def test_help(self):
        self.assert_says(self.succeed("average", "--help").stdout, "Examples:", "verbund average --run", "--last")


if __name__ == "__main__":
    unittest.main(verbosity=2)
