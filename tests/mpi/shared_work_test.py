# SPDX-License-Identifier: Apache-2.0
"""verbund translate and evaluate with the real mpirun: the work is shared, each line is done once, the order is kept."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import run_tests  # noqa: E402
from support.training import MPIRUN, TrainingTest  # noqa: E402


class SharedWorkTest(TrainingTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.model = fixtures.model()

    def together(self, workers, *arguments, **options):
        command = [*MPIRUN, "-n", workers, *self.command(*arguments)]
        return subprocess.run(list(map(str, command)), capture_output=True, timeout=120, **options)

    def test_translations_are_those_of_one(self):
        text = "".join((self.data / "test.source.txt").read_text().splitlines(keepends=True)[:61])
        text = "\n" + text + "\n"  # with empty lines
        arguments = ["translate", "-m", self.model, "--window", 40, "--nbest", 2, "--scores", "--alignment"]
        alone = self.succeed(*arguments, input=text).stdout
        self.assertEqual(len(alone.splitlines()), 2 * 61 + 2)
        for workers in (2, 3):
            done = self.together(workers, *arguments, input=text.encode())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.decode(), alone)

    def test_bad_lines_are_named_once(self):
        done = self.together(2, "translate", "-m", self.model, input=b"well\nwell\nwell\n\xff\n")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count(b"line 4"), 1, done.stderr)

    def test_evaluations_are_those_of_one(self):
        output = self.folder / "out.txt"
        arguments = ["evaluate", "-m", self.model, "--data", self.data, "--set", "evaluate.sentences=100", "--json",
                     "--output", output]
        alone = json.loads(self.succeed(*arguments).stdout)
        translations = output.read_bytes()
        output.unlink()
        shared = json.loads(self.together(3, *arguments).stdout)
        self.assertEqual(output.read_bytes(), translations)
        self.assertEqual(translations.count(b"\n"), alone["sentences"])
        for key in ("loss", "cross_entropy", "bleu", "chrf", "exact_sentences", "sentences", "translated_tokens"):
            self.assertEqual(shared[key], alone[key], key)


if __name__ == "__main__":
    run_tests()
