# SPDX-License-Identifier: Apache-2.0
"""What a user sees on a terminal: one status line that never breaks, plain lines where nothing can be drawn."""

import pathlib
import re
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import ProgramTest, long_test, run_tests  # noqa: E402
from support.screen import TerminalRun, width  # noqa: E402

from commands_test import COMMANDS  # noqa: E402

CORPUS = ["--corpus", "demo", "--set", "corpus.generated_pairs=3000", "--set", "subwords.vocabulary=500"]
TINY = ["--set", "model.d_model=32", "--set", "model.heads=2", "--set", "model.d_ff=64",
        "--set", "model.encoder_layers=1", "--set", "model.decoder_layers=1", "--set", "batch.tokens=600",
        "--set", "schedule.learning_rate=1", "--set", "schedule.warmup_steps=50", "--set", "threads=1",
        "--set", "train.eval_every=20", "--set", "train.log_every=10", "--set", "evaluate.sentences=300", "--set", "decode.beam=8",
        "--set", "checkpoint.save_every_steps=20", "--set", "train.max_steps=40"]


class TerminalTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.data, cls.trained = cls.shared.folder / "data", cls.shared.folder / "run"
        cls.prepared = TerminalRun(cls.shared.command("prepare", *CORPUS, "--out", cls.data))
        cls.training = TerminalRun(cls.shared.command(*cls.train(cls.trained)))

    @classmethod
    def train(cls, run, *more):
        return ["train", "--data", cls.data, "--run", run, *TINY, *more]

    def assert_clean(self, run, code=0):
        """No status line was wider than the terminal, none is left over, the cursor stands on a fresh line."""
        self.assertEqual(run.code, code, run.raw)
        self.assertEqual(run.screen.unknown, [], run.raw)
        for line, columns in run.screen.drawn:
            self.assertLess(width(line), columns, line)
        self.assertEqual(run.screen.line, "", "something is left on the last line")
        self.assertEqual([line for line in run.lines if "█" in line or "·" in line], [], "a status became a line")

    def test_prepare(self):
        self.assert_clean(self.prepared)
        self.assertTrue(self.prepared.statuses("generate "))
        self.assertTrue(self.prepared.statuses("subwords"))
        self.assertTrue(any(str(self.data) in line for line in self.prepared.lines))

    def test_train_with_evaluations(self):
        run = self.training
        self.assert_clean(run)
        self.assertTrue(run.statuses("evaluating "), run.raw)
        self.assertTrue(run.statuses(" of 300 sentences"), run.raw)
        self.assertTrue(run.statuses("step "), run.raw)
        self.assertIn("\x1b[32m", run.raw, "the best result is green")

    def test_the_lines_of_a_run_fit_into_100_columns_and_into_the_terminal(self):
        log = (self.trained / "log.txt").read_text()
        self.assertNotIn("\x1b", log, "no colour in the file")
        logged = [line[len("2026-01-02T03:04:05Z  "):] for line in log.splitlines()]
        for lines, columns in (logged, 100), (self.training.lines, self.training.screen.columns):
            for line in lines:
                if str(self.shared.folder) not in line:  # a path may be as long as it likes
                    self.assertLessEqual(width(line), columns, line)

    def test_a_second_row_only_when_asked_for(self):
        run = self.folder / "run"
        said = self.succeed(*self.train(run, "--set", "train.max_steps=10", "--set", "train.log_details=true")).stderr
        self.assert_says(said, "gradient", "s/step")
        self.assertNotIn("gradient", "\n".join(self.training.lines))

    def test_the_last_lines_say_what_it_was_and_what_to_do(self):
        lines = self.training.lines
        first = next(i for i, line in enumerate(lines) if line.startswith("finished"))
        summary = "\n".join(lines[first:])
        self.assert_says(summary, "40 steps", "BLEU", "loss", "(step 40)", f"{self.trained}/checkpoints/best",
                         f"verbund translate -m {self.trained} < text.en > text.de")

    def test_the_first_evaluation_is_of_the_loss_alone(self):
        first = next(line for line in self.training.lines if "dev loss" in line)
        self.assertIn("step       0", first)
        self.assertNotIn("BLEU", first)

    def test_evaluate(self):
        run = TerminalRun(self.command("evaluate", "-m", self.trained, "--data", self.data, "--split", "dev"))
        self.assert_clean(run)
        self.assertTrue(run.statuses("evaluating "), run.raw)
        self.assertTrue(any(line.startswith("BLEU") for line in run.lines), run.raw)

    def test_translating_a_file_to_the_same_terminal(self):
        text = self.data / "test.source.txt"
        run = TerminalRun(self.command("translate", "-m", self.trained, "--window", 100, text))
        self.assert_clean(run)
        self.assertTrue(run.statuses("translating "), run.raw)
        self.assertEqual(len(run.lines), len(text.read_text().splitlines()), "each translation has a line for itself")

    @long_test
    def test_it_becomes_narrow_and_wide_again(self):
        def drawn(columns):  # as it is drawn at this width alone
            return lambda run: any(at == columns and columns - 5 < width(line) < columns for line, at in run.screen.drawn)

        # It goes on until it has noticed both.
        run = TerminalRun(self.command(*self.train(self.folder / "run", "--set", "train.max_steps=1000000",
                                                   "--set", "train.eval_every=0")),
                          on={"step      10 ": 30, drawn(30): 66, drawn(66): signal.SIGINT})
        self.assertEqual(run.code, 128 + signal.SIGINT, run.raw[-2000:])
        self.assertEqual(run.screen.line, "")

    def test_rows_are_wrapped_between_words(self):
        """At every width a row fits, and has the words that it has in a file."""
        for call in [["--help"], *([command, "--help"] for command in COMMANDS), ["config", "--list"], ["prepare", "--list-corpora"]]:
            written = self.succeed(*call).stdout
            for columns in 60, 80, 100:
                with self.subTest(call=call, columns=columns):
                    run = TerminalRun(self.command(*call), columns=columns)
                    self.assertEqual(run.code, 0)
                    self.assertEqual([line for line in run.lines if width(line) > columns], [])
                    shown = [word for line in run.lines for word in line.removesuffix(" \\").split()]
                    self.assertEqual(shown, [word for line in written.splitlines() for word in line.removesuffix(" \\").split()])

    def test_tables_fit_into_the_terminal(self):
        plan = ["plan", "--config", "transformer-base", "-H", "a:4,b:4", "--gpu", "v100", "--link", "10gbit", "--price", "12.24/h"]
        for call, first in (plan, "workers"), (["doctor"], "verdict"):
            for columns in 60, 80, 100:
                with self.subTest(call=call, columns=columns):
                    run = TerminalRun(self.command(*call), columns=columns)
                    self.assertEqual(run.code, 0, run.raw)
                    self.assertEqual([line for line in run.lines if width(line) > columns], [])
                    self.assertTrue([line for line in run.lines if line.split()[:1] == [first]])
        shown = TerminalRun(self.command(*plan), columns=80).lines
        heads = [line.split() for line in shown if line.split()[:2] in (["workers", "hosts"], ["workers", "host"])]
        self.assertEqual(heads, [["workers", "hosts", "s/step", "tokens/s", "effic.", "compute", "exchange", "waited", "update"],
                                 ["workers", "host", "sends", "memory"]])

    def test_a_sample_takes_two_lines(self):
        self.assertTrue([line for line in self.training.lines if line.startswith("  prediction  ")], self.training.raw)
        rows = 0
        for line in self.training.lines:
            rows = rows + 1 if line.startswith(" " * 14) else 1
            self.assertLessEqual(rows, 2, self.training.raw)

    def test_an_interruption_leaves_a_fresh_line(self):
        run = TerminalRun(self.command(*self.train(self.folder / "run", "--set", "train.max_steps=1000000",
                                                   "--set", "train.eval_every=0")),
                          on={"step      10 ": signal.SIGINT})
        self.assert_clean(run, code=128 + signal.SIGINT)
        self.assertTrue(any("Ctrl-C" in line for line in run.lines), run.raw)

    def test_an_error_stands_on_a_line_of_its_own(self):
        run = TerminalRun(self.command(*self.train(self.folder / "run", "--set", "schedule.policy=fixed",
                                                   "--set", "schedule.warmup_steps=0", "--set", "train.eval_every=0",
                                                   "--set", "schedule.learning_rate=1000",
                                                   "--set", "train.max_steps=500")))
        self.assert_clean(run, code=1)
        self.assertTrue([line for line in run.lines if line.startswith("verbund: ")], run.raw)

    @long_test
    def test_a_dumb_terminal_gets_plain_lines(self):
        for term in ("dumb", None):
            run = TerminalRun(self.command("evaluate", "-m", self.trained, "--data", self.data), TERM=term)
            self.assertEqual(run.code, 0, run.raw)
            self.assertNotIn("\x1b", run.raw)
            self.assertNotIn("\r", run.raw)

    @long_test
    def test_no_color(self):
        run = TerminalRun(self.command(*self.train(self.folder / "run", "--set", "train.max_steps=20")), NO_COLOR="1")
        self.assert_clean(run)
        self.assertTrue(run.screen.drawn)
        self.assertIsNone(re.search(r"\x1b\[\d*m", run.raw))

    def test_quiet_is_quiet(self):
        run = TerminalRun(self.command("evaluate", "-q", "-m", self.trained, "--data", self.data))
        self.assert_clean(run)
        self.assertEqual(run.screen.drawn, [])


if __name__ == "__main__":
    run_tests()
