# SPDX-License-Identifier: Apache-2.0
"""Mistakes that people make, and what they are told. mistakes.txt beside this file is the one place where the wording of
messages is asserted: each call, its exit code, and the whole message. After a change of words, write it again and read
the difference:

    VERBUND_UPDATE_MISTAKES=1 python3 tests/end_to_end/mistakes_test.py MessagesTest
"""

import os
import pathlib
import re
import shlex
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402
from support.training import SMALL, settings  # noqa: E402

MESSAGES = pathlib.Path(__file__).with_name("mistakes.txt")

# Files that the calls of mistakes.txt use, in {folder}.
FILES = {
    "another_name.yaml": "train:\n  eval_steps: 4000\n",
    "no_section.yaml": "save_every: 1\n",
    "wrong_section.yaml": "train:\n  save_every_steps: 1\n",
    "openseq2seq.yaml": "batch_size_per_gpu: 64\n",
    "marian.yaml": "mini-batch-words: 9000\n",
    "logdir.yaml": "logdir: runs\n",
    "not_whole.yaml": "train:\n  max_steps: 1e-3\n",
    "too_large.yaml": "train:\n  max_steps: 1e30\n",
    "itself.yaml": "a: &x [*x]\n",
    "deep.yaml": "a: " + "[" * 100000,
    "aliases.yaml": "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"b{i}: &b{i} [{', '.join(['*' + (f'b{i - 1}' if i else 'a')] * 10)}]\n" for i in range(9)),
    "documents.yaml": "seed: 1\n---\nseed: 2\n",
    "file": "x\n",
    "broken.tmx": "<?xml version='1.0'?>\n<tmx><body>\n<tu></tuv></tu></body></tmx>\n",
    "bomb.tmx": "<!DOCTYPE tmx [\n<!ENTITY a 'aaaa'>]>\n<tmx/>\n",
    "cut.tmx": "<tmx><body><tu>\n<tuv",
    "keys.jsonl": '{"source": "a", "target": "b"}\n',
    "array.json": '[{"en": "a", "de": "b"}]\n',
    "columns.yaml": "corpus:\n  train: [{pairs: keys.jsonl, columns: [source]}]\n",
    "sources.yaml": "corpus:\n  sources:\n    - name: a\n      train: [{tsv: pairs.tsv}]\n      clean: {max_word: 9}\n",
    "pairs.tsv": "a\tb\n",
    "one-name.tsv": "de\tscore\tfr\nHallo\t1\tsalut\n",
    "short.txt": "a\n",
    "long.txt": "a\nb\nc\n",
}


def messages():
    """The blocks of mistakes.txt: [call, exit code, message]."""
    found = []
    for line in MESSAGES.read_text().splitlines():
        if line.startswith("$ "):
            found.append([line[2:], 0, ""])
        elif line.startswith("= "):
            found[-1][1] = int(line[2:])
        elif line.startswith("    "):
            found[-1][2] += line[4:] + "\n"
    return found


class MessagesTest(ProgramTest):
    def setUp(self):
        super().setUp()
        for name, text in FILES.items():
            self.write(name, text)
        self.places = {"folder": self.folder, "data": fixtures.dataset(), "model": fixtures.model()}

    def answer(self, call):
        """Exit code and message, with the names of places for places."""
        arguments = [word.format(**self.places) for word in shlex.split(call)]
        done = self.run_program(*arguments, input="", cwd=self.folder)
        said = done.stderr[done.stderr.find("verbund: "):] if "verbund: " in done.stderr else done.stderr
        for name, place in self.places.items():
            said = said.replace(str(place), f"{{{name}}}")
        return done.returncode, "".join(line.rstrip() + "\n" for line in said.splitlines() if line.strip())

    def test_every_message(self):
        if os.environ.get("VERBUND_UPDATE_MISTAKES"):
            blocks = [(call, *self.answer(call)) for call, _, _ in messages()]
            MESSAGES.write_text("\n".join(f"$ {call}\n= {code}\n" + "".join(f"    {line}\n" for line in said.splitlines())
                                          for call, code, said in blocks))
        self.assertGreater(len(messages()), 40)
        for call, code, said in messages():
            with self.subTest(call=call):
                self.assertEqual(self.answer(call), (code, said))
                self.assertIn(code, (1, 2))


ENGLISH = "It is not the first of the days that we have been here for"
GERMAN = "Das ist nicht der erste von den Tagen, die wir hier sind"


def lines(text, count=1000):
    return "".join(f"{text} {i}\n" for i in range(count))


class MistakesTest(ProgramTest):
    def test_numbers_as_people_write_them(self):
        shown = self.succeed("config", "--set", "train.max_steps=25k", "--set", "batch.tokens=1.5k",
                             "--set", "seed=1e6", "--set", "schedule.max_lr=2e-3").stdout
        self.assert_says(shown, "max_steps: 25000\n", "tokens: 1500\n", "seed: 1000000\n", "max_lr: 0.002\n")

    def test_presets_from_anywhere(self):
        listed = self.succeed("config", "--list", cwd=self.folder).stdout
        self.assertRegex(listed, r"(?m)^transformer-base +\S.*OpenSeq2Seq")
        shown = self.succeed("config", "--show", "transformer-big", cwd=self.folder)
        self.assert_says(shown.stdout, "d_model: 1024")
        self.assert_says(shown.stderr, "transformer-big")
        self.write("transformer-big.yaml", "seed: 7\n")
        shown = self.succeed("config", "--show", "transformer-big", cwd=self.folder)
        self.assert_says(shown.stdout, "seed: 7\n", "d_model: 512")
        self.assert_says(shown.stderr, "transformer-big.yaml")

    # prepare

    def prepare(self, source, target, *more):
        return self.succeed("prepare", "--source", self.write("a.en", source), "--target", self.write("a.de", target),
                            "--out", self.folder / "data", "--set", "subwords.vocabulary=60", *more)

    def test_sides_of_a_text(self):
        en, de, copies = lines(ENGLISH), lines(GERMAN), lines("The same here", 500)
        for source, target, *said in [
            (en, de),
            (de, en, "a.en", "German", "a.de", "English", "source_language=de"),
            (de, de.replace("Das", "Dies"), "a.en", "German", "English", "--set corpus."),
            (en, en, "1,000 pairs"),
            (en + copies, de + copies, "500", "1,500 pairs", "--set clean.drop_identical=true"),
        ]:
            with self.subTest(said=said):
                told = self.prepare(source, target).stderr
                self.assert_says(told, *said)
                self.assertEqual(told.count("warning: "), 1 if said else 0, told)
        path = self.write("both", en)
        told = self.succeed("prepare", "--source", path, "--target", path, "--out", self.folder / "same", "--set",
                            "subwords.vocabulary=60").stderr
        self.assert_says(told, "1,000 pairs")
        self.assertEqual(told.count("warning: "), 1, told)

    def test_texts_that_no_model_learns_from(self):
        self.assertNotIn("warning: ", self.prepare(lines(ENGLISH), lines(GERMAN)).stderr)
        told = self.prepare(lines(ENGLISH, 999), lines(GERMAN, 999)).stderr
        self.assertEqual(told.count("warning: "), 1, told)
        self.assert_says(told, "999 ")
        self.assertLess(told.index("999 "), told.index("subwords"), "before the work")
        model = self.folder / "data" / "joint.model"
        self.assertNotIn("warning: ", self.prepare(lines(ENGLISH, 9), lines(GERMAN, 9), "--subwords", model).stderr)

    def test_files_that_are_no_plain_text(self):
        pairs = "".join(f"{ENGLISH} {i}\t{GERMAN} {i}\n" for i in range(1000))
        said = self.succeed("prepare", "--tsv", self.write("a.tsv", "en\tde\n" + pairs), "--out", self.folder / "tsv", "--set",
                            "subwords.vocabulary=60").stderr
        self.assertEqual(said.count("warning: "), 1, said)
        self.assert_says(said, "a.tsv", "tail -n +2")
        tmx = '<?xml version="1.0"?>\n<tmx version="1.4">\n' + "<tu><tuv><seg>one</seg></tuv></tu>\n" * 1000
        said = self.prepare(tmx, tmx).stderr
        self.assertEqual(said.count("warning: "), 1, said)
        self.assert_says(said, "a.en", "TMX")

    def test_advice_about_the_vocabulary_works(self):
        call = ["prepare", "--source", self.write("a", "ab\nba\n"), "--target", self.write("b", "ab\nb\n"), "--out",
                self.folder / "data"]
        advice = re.search(r"--set (subwords\.vocabulary=\d+)", self.refuse(1, *call))
        self.succeed(*call, "--set", advice[1])
        self.write("a", "a\n")
        self.write("b", "a\n")
        self.assert_says(self.refuse(1, *call), "7")


class MistakesWithADatasetTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.data = fixtures.dataset()

    def train(self, *more):
        return ["train", "--data", self.data, "--run", self.folder / "run",
                *settings({**SMALL, "train.max_steps": 1}), *more]

    def test_patterns_of_parameters_to_freeze(self):
        for pattern, said in [("(" * 20000 + ")" * 20000, "40000"), ("(([a-z.]*)*)*#", "train.freeze"),
                              ("x{1000}", "x{1000}")]:
            with self.subTest(pattern=pattern[:20]):
                self.assert_says(self.refuse(2, *self.train("--set", f"train.freeze={pattern}")), said)

    @unittest.skipUnless(os.cpu_count() > 1, "there is only one core")
    def test_threads_bound_to_one_core(self):
        core = min(os.sched_getaffinity(0))
        bind = {"preexec_fn": lambda: os.sched_setaffinity(0, {core})}
        said = self.succeed(*self.train("--set", "threads=2"), **bind).stderr
        self.assert_says(said, "warning: ", "worker 0", "2 threads",
                         "--bind-to none")
        said = " ".join(self.succeed("doctor", "--set", "threads=2", **bind).stdout.split())
        self.assert_says(said, "worker 0", "2 threads", "--bind-to none")
        said = " ".join(self.succeed("doctor", **bind).stdout.split())
        self.assert_says(said, "1 worker", "1 thread", "--bind-to none")


if __name__ == "__main__":
    run_tests()
