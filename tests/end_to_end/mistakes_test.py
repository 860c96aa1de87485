"""Mistakes that people make, and what they are told: each row is a call and what must be printed."""

import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import ProgramTest, run_tests  # noqa: E402
from support.training import CORPUS, SMALL, settings  # noqa: E402

# A configuration file, and what is said of it.
FILES = [
    ("train:\n  eval_steps: 4000\n", "wrong.yaml:2: unknown key train.eval_steps: did you mean train.eval_every?"),
    ("save_every: 1\n", "did you mean checkpoint.save_every_steps?"),
    ("train:\n  save_every_steps: 1\n", "did you mean checkpoint.save_every_steps?"),
    ("batch_size_per_gpu: 64\n", "did you mean batch.tokens?", "sentences x workers x the average length",
     "verbund inspect"),
    ("mini-batch-words: 9000\n", "did you mean batch.tokens?"),
    ("logdir: runs\n", "verbund train --run FOLDER"),
    ("train:\n  max_steps: 1e-3\n", "wrong.yaml:2", '"1e-3", which is not a whole number', "a whole number"),
    ("train:\n  max_steps: 1e30\n", '"1e30", which is too large'),
    ("a: &x [*x]\n", "wrong.yaml:1", "refers to itself"),
    ("a: " + "[" * 100000, "wrong.yaml:1"),
    ("a: &a [x, x, x, x, x, x, x, x, x, x]\n" +
     "".join(f"b{i}: &b{i} [{', '.join(['*' + (f'b{i - 1}' if i else 'a')] * 10)}]\n" for i in range(9)),
     "with its aliases (*) expanded, this has more than"),
    ("seed: 1\n---\nseed: 2\n", "wrong.yaml:3", "a second document begins here"),
]

# A call, and what is said of it.
CALLS = [
    (["config", "--set", "eval_steps=4000"], "--set eval_steps=4000: unknown key", "did you mean train.eval_every?"),
    (["config", "--set", "corpus.train=&x [*x]"], "refers to itself"),
    (["train", "--batch-size", "64"], "unknown option --batch-size: did you mean --set batch.tokens=...?"),
    (["config", "--show", "transformer-bas"], "did you mean --config transformer-base?", "Presets: demo, "),
    (["train", "--config", "x/transformer-big.yaml", "--data", "d", "--run", "r"],
     "there is no configuration x/transformer-big.yaml", "did you mean --config transformer-big?"),
    (["launch", "--rsh", "   ", "-H", "a:1", "--", "train"], '--rsh "   " is blank'),
    (["launch", "--rsh", "   ", "-n", "1", "--dry-run", "--", "train"], '--rsh "   " is blank'),
]

ENGLISH = "It is not the first of the days that we have been here for"
GERMAN = "Das ist nicht der erste von den Tagen, die wir hier sind"


def lines(text, count=150):
    return "".join(f"{text} {i}\n" for i in range(count))


class MistakesTest(ProgramTest):
    def test_configuration_files(self):
        for text, *said in FILES:
            with self.subTest(text=text[:60]):
                path = self.write("wrong.yaml", text)
                self.assert_says(self.refuse(2, "config", "--show", path), *said)

    def test_calls(self):
        for call, *said in CALLS:
            with self.subTest(call=call):
                self.assert_says(self.refuse(2, *call), *said)

    def test_numbers_as_people_write_them(self):
        shown = self.succeed("config", "--set", "train.max_steps=25k", "--set", "batch.tokens=1.5k",
                             "--set", "seed=1e6", "--set", "schedule.max_lr=2e-3").stdout
        self.assert_says(shown, "max_steps: 25000\n", "tokens: 1500\n", "seed: 1000000\n", "max_lr: 0.002\n")

    def test_presets_from_anywhere(self):
        listed = self.succeed("config", "--list", cwd=self.folder).stdout
        self.assertRegex(listed, r"(?m)^transformer-base +\S.*OpenSeq2Seq")
        shown = self.succeed("config", "--show", "transformer-big", cwd=self.folder)
        self.assert_says(shown.stdout, "d_model: 1024")
        self.assert_says(shown.stderr, "configuration: the preset transformer-big")
        self.write("transformer-big.yaml", "seed: 7\n")
        shown = self.succeed("config", "--show", "transformer-big", cwd=self.folder)
        self.assert_says(shown.stdout, "seed: 7\n", "d_model: 512")
        self.assert_says(shown.stderr, "the file transformer-big.yaml here, not the preset")

    # prepare

    def prepare(self, source, target, *more):
        return self.succeed("prepare", "--source", self.write("a.en", source), "--target", self.write("a.de", target),
                            "--out", self.folder / "data", "--set", "subwords.vocabulary=60", *more)

    def test_sides_of_a_text(self):
        en, de, copies = lines(ENGLISH), lines(GERMAN), lines("The same here", 100)
        for source, target, *said in [
            (en, de),
            (de, en, "the sides look swapped: ", "a.en looks like German, ", "a.de like English", "source_language=de"),
            (de, de.replace("Das", "Dies"), "a.en looks like German, not English. If it is, give --set corpus."),
            (en, en, "all of the first 150 pairs of ", "have the same text on both sides"),
            (en + copies, de + copies, "100 of the first 250 pairs of ", "--set clean.drop_identical=true"),
        ]:
            with self.subTest(said=said):
                told = self.prepare(source, target).stderr
                self.assert_says(told, *said)
                self.assertEqual(told.count("warning: "), 1 if said else 0, told)
        path = self.write("both", en)
        told = self.succeed("prepare", "--source", path, "--target", path, "--out", self.folder / "same", "--set",
                            "subwords.vocabulary=60").stderr
        self.assert_says(told, "are the same file, 150 pairs of the same text")
        self.assertEqual(told.count("warning: "), 1, told)

    def test_advice_about_the_vocabulary_works(self):
        call = ["prepare", "--source", self.write("a", "ab\nba\n"), "--target", self.write("b", "ab\nb\n"), "--out",
                self.folder / "data"]
        advice = re.search(r"--set (subwords\.vocabulary=\d+)", self.refuse(1, *call))
        self.succeed(*call, "--set", advice[1])
        self.write("a", "a\n")
        self.write("b", "a\n")
        self.assert_says(self.refuse(1, *call), "this text allows 7 pieces", "more text is needed")


class MistakesWithADatasetTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        shared = ProgramTest("run")
        shared.setUp()
        cls.addClassCleanup(shared.doCleanups)
        cls.data = shared.folder / "data"
        shared.succeed("prepare", *CORPUS, "--set", "corpus.generated_pairs=100", "--set", "subwords.vocabulary=150",
                       "--out", cls.data)

    def train(self, *more):
        return ["train", "--data", self.data, "--run", self.folder / "run",
                *settings({**SMALL, "train.max_steps": 1}), *more]

    def test_a_file_for_a_folder_and_a_folder_for_a_file(self):
        path = self.write("file", "x\n")
        for code, call, said in [
            (1, ["train", "--data", path, "--run", self.folder / "r", "--set", "train.max_steps=1"],
             f"{path} is a file, but a dataset is a folder"),
            (1, ["inspect", path], f"{path} is a file, but a dataset, a run or a checkpoint is a folder"),
            (1, ["train", "--data", self.data, "--run", path, "--set", "train.max_steps=1"],
             f"{path} is a file, but a run is a folder"),
            (1, ["average", "--run", path, "--last", "2"], f"{path} is a file, but a run is a folder"),
            (1, ["translate", "-m", path], f"{path} is a file, but a run or a checkpoint is a folder"),
            (1, ["config", "--show", self.folder], f"{self.folder} is a folder, but a file is wanted"),
            (1, ["prepare", "--source", self.folder, "--target", path, "--out", self.folder / "d"],
             f"cannot read {self.folder}: it is a folder, not a file"),
        ]:
            with self.subTest(call=call[:2]):
                self.assert_says(self.refuse(code, *call), said)

    def test_patterns_of_parameters_to_freeze(self):
        for pattern, said in [("(" * 20000 + ")" * 20000, "40000 characters"), ("(([a-z.]*)*)*#", "matches no parameter"),
                              ("x{1000}", "counts in braces")]:
            with self.subTest(pattern=pattern[:20]):
                self.assert_says(self.refuse(2, *self.train("--set", f"train.freeze={pattern}")), said)

    @unittest.skipUnless(os.cpu_count() > 1, "there is only one core")
    def test_threads_bound_to_one_core(self):
        core = min(os.sched_getaffinity(0))
        bind = {"preexec_fn": lambda: os.sched_setaffinity(0, {core})}
        said = self.succeed(*self.train("--set", "threads=2"), **bind).stderr
        self.assert_says(said, "warning: ", "of which worker 0 may use 1 for its 2 threads: they will take turns",
                         "--bind-to none")
        said = " ".join(self.succeed("doctor", "--set", "threads=2", **bind).stdout.split())
        self.assert_says(said, "of which worker 0 may use 1 for its 2 threads", "--bind-to none")
        said = " ".join(self.succeed("doctor", **bind).stdout.split())
        self.assert_says(said, "1 worker with 1 thread together", "of which they may use 1", "--bind-to none")


if __name__ == "__main__":
    run_tests()
