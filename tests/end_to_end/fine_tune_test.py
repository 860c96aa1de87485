# SPDX-License-Identifier: Apache-2.0
"""Fine-tuning as a user meets it: train.start_from in all its forms, and prepare --like. readme_test.py types what
docs/fine-tune.md says."""

import json
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.fixtures import CORPUS, STEPS, training  # noqa: E402
from support.program import PROGRAM, ProgramTest, run_tests  # noqa: E402

FROZEN = {"train__freeze": ".*", "train__eval_every": 0, "evaluate__at_start": "true"}  # a step that changes nothing


def tensors(checkpoint):
    """{name: bytes} of its weights."""
    content = (checkpoint / "weights.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])
    return {name: content[8 + length + entry["data_offsets"][0]:8 + length + entry["data_offsets"][1]]
            for name, entry in header.items() if name != "__metadata__"}


class FineTuneTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.data, cls.model = fixtures.dataset(), fixtures.model()
        # Other text of the same kind: as many pieces, but others.
        cls.other = cls.shared.folder / "other"
        cls.shared.succeed("prepare", *CORPUS, "--set", "seed=2", "--out", cls.other)

    def start_from(self, name, data, start, **more):
        """The run, begun with these weights and frozen."""
        run = self.folder / name
        self.succeed(*training(run, 1, data, train__start_from=start, **FROZEN, **more))
        return run

    @staticmethod
    def first_dev_loss(run):
        metrics = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        return next(line["dev_loss"] for line in metrics if line["step"] == 0 and "dev_loss" in line)

    def weights(self, run):
        return tensors(run / "checkpoints" / "last")

    def test_a_run_a_checkpoint_and_every_name_of_one(self):
        model = fixtures.copy_of_model(self.folder / "model")
        self.succeed("average", "--run", model, "--last", 2)
        places = model / "checkpoints"
        for name, start, checkpoint, expected in [
                ("run", model, "", places / "best"), ("best", model, "best", places / "best"),
                ("average", model, "average", places / "average"),
                ("folder", places / "average", "", places / "average"),
                ("step", model, "step-00000050", places / "step-00000050")]:
            with self.subTest(name):
                run = self.start_from(name, self.data, start, train__start_from_checkpoint=checkpoint)
                self.assertEqual(self.weights(run), tensors(expected))

    def test_another_subword_model_is_refused_with_the_command_that_helps(self):
        run = self.folder / "run"
        call = training(run, 1, self.other, train__start_from=self.model, **FROZEN)
        said = self.refuse(1, *call)
        self.assert_says(said, self.other, self.model, "train.start_from_vocabulary=map")
        (command,) = [shlex.split(line) for line in said.splitlines() if "--like" in line]
        command[-1] = self.folder / "like"  # a folder of this test
        done = subprocess.run([PROGRAM, *command[1:]], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "like" / "joint.model").read_bytes(),
                         (self.model / "source.model").read_bytes())
        self.succeed(*training(run, 1, self.folder / "like", train__start_from=self.model, **FROZEN))
        self.assertEqual(self.weights(run), tensors(self.model / "checkpoints" / "best"))
        # The model knows text of this kind, and now it can read it.
        untrained = self.folder / "untrained"
        self.succeed(*training(untrained, 1, self.folder / "like", **FROZEN))
        self.assertLess(self.first_dev_loss(run), self.first_dev_loss(untrained) - 1)

    def test_pieces_that_both_have_keep_their_rows(self):
        run = self.folder / "run"
        done = self.succeed(*training(run, 1, self.other, train__start_from=self.model, **FROZEN,
                                      train__start_from_vocabulary="map"))
        known, pieces, initialised = map(int, re.search(r"(\d+) of (\d+) pieces .* (\d+) are", done.stderr).groups())
        self.assertEqual((pieces, known + initialised), (fixtures.VOCABULARY, pieces))
        self.assertGreater(known, pieces / 2)
        self.assertGreater(initialised, 0)
        model, now = tensors(self.model / "checkpoints" / "best"), self.weights(run)
        width = len(model["source.embedding"]) // pieces
        rows = {model["source.embedding"][i * width:(i + 1) * width] for i in range(pieces)}
        kept = [now["source.embedding"][i * width:(i + 1) * width] in rows for i in range(pieces)]
        self.assertEqual(sum(kept), known)
        self.assertTrue(all(kept[:4]))  # the special ones
        for name in set(now) - {"source.embedding"}:
            self.assertEqual(now[name], model[name], name)
        # Better than none of it.
        untrained = self.folder / "untrained"
        self.succeed(*training(untrained, 1, self.other, **FROZEN))
        self.assertLess(self.first_dev_loss(run), self.first_dev_loss(untrained) - 0.5)

    def test_it_is_a_new_run_that_resumes_without_the_old_one(self):
        run, old = self.folder / "run", fixtures.copy_of_model(self.folder / "old")
        self.succeed(*training(run, 10, self.data, train__start_from=old))
        self.assertNotEqual(self.weights(run), tensors(old / "checkpoints" / "best"))
        shutil.rmtree(old)
        self.succeed(*training(run, 20, self.data, train__start_from=old))
        self.assertEqual(json.loads((run / "run.json").read_text())["starts"][-1]["step"], 10)
        self.assertLess(20, STEPS)  # the steps are those of the new run

    # prepare --like

    def prepared(self, name, *more):
        self.succeed("prepare", "--corpus", "demo", "--set", "corpus.generated_pairs=300", *more, "--out",
                     self.folder / name)
        return (self.folder / name / "prepare.yaml").read_text()

    def test_like_takes_over_how_the_dataset_was_made(self):
        self.prepared("data", "--set", "subwords.vocabulary=200", "--set", "clean.max_words=7", "--set",
                      "subwords.joint=false", "--set", "subwords.dropout=0.1", "--set", "subwords.copies=2")
        run = self.folder / "run"
        self.succeed(*training(run, 1, self.folder / "data", model__share_embeddings="none"))
        settings = self.prepared("like", "--like", run, "--set", "seed=3", "--set", "clean.min_words=2")
        for line in ("max_words: 7", "min_words: 2", "dropout: 0.1", "copies: 2"):
            self.assertRegex(settings, rf"(?m)^ *{line}$")
        for side in ("source", "target"):
            self.assertEqual((self.folder / "like" / f"{side}.model").read_bytes(),
                             (run / f"{side}.model").read_bytes())
        shutil.rmtree(self.folder / "data")  # the subword model is the run's own
        settings = self.prepared("without", "--like", run / "checkpoints" / "last")
        self.assertRegex(settings, r"(?m)^ *max_words: 80$")
        for side in ("source", "target"):
            self.assertEqual((self.folder / "without" / f"{side}.model").read_bytes(),
                             (run / f"{side}.model").read_bytes())


if __name__ == "__main__":
    run_tests()
