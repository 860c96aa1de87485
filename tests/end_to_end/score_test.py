# SPDX-License-Identifier: Apache-2.0
"""verbund score as a user calls it: published scores, formats, and what it says when the call is wrong."""

import gzip
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import DATA, long_test, run_tests  # noqa: E402

VERBUND = os.environ["VERBUND"]
WMT17 = DATA / "bleu" / "wmt17-en-de"

# "the cat sat on the mat" against "the cat is on the mat": 5 of 6 words, 3 of 5 pairs,
# 1 of 4 triples, and 0 of 3 four-grams, which smoothing makes half a one.
HYPOTHESIS = "the cat sat on the mat\n"
REFERENCE = "the cat is on the mat\n"
BLEU = 100 * (5 / 6 * 3 / 5 * 1 / 4 * 0.5 / 3) ** 0.25
BLEU_LINE = ("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.5.1 = 38.0 83.3/60.0/25.0/16.7 "
             "(BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)\n")


class ScoreCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.hypothesis = self.write("hypothesis.de", HYPOTHESIS)
        self.reference = self.write("reference.de", REFERENCE)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def run_verbund(self, *arguments, stdin=""):
        return subprocess.run([VERBUND, "score", *map(str, arguments)], input=stdin, capture_output=True,
                              encoding="utf-8", timeout=60)

    def score(self, *arguments, stdin=""):
        result = self.run_verbund(*arguments, stdin=stdin)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def json(self, *arguments, stdin=""):
        return json.loads(self.score("--json", *arguments, stdin=stdin))

    def assert_fails(self, exit_code, *messages, arguments, stdin=""):
        result = self.run_verbund(*arguments, stdin=stdin)
        self.assertEqual(result.returncode, exit_code, result.stderr)
        self.assertEqual(result.stdout, "")
        for message in messages:
            self.assertIn(str(message), result.stderr)


class Output(ScoreCase):
    def test_line(self):
        self.assertEqual(self.score("-r", self.reference, self.hypothesis), BLEU_LINE)

    def test_hypothesis_from_standard_input(self):
        self.assertEqual(self.score("-r", self.reference, stdin=HYPOTHESIS), BLEU_LINE)
        self.assertEqual(self.score("-r", self.reference, "-", stdin=HYPOTHESIS), BLEU_LINE)
        self.assertEqual(self.score("-r", "-", self.hypothesis, stdin=REFERENCE), BLEU_LINE)

    def test_last_line_without_its_end_and_windows_ends_of_line(self):
        self.assertEqual(self.score("-r", self.reference, stdin=HYPOTHESIS.rstrip()), BLEU_LINE)
        self.assertEqual(self.score("-r", self.reference, stdin=HYPOTHESIS.replace("\n", "\r\n")), BLEU_LINE)

    def test_several_metrics_in_the_order_asked_for(self):
        lines = self.score("-r", self.reference, "-m", "chrf++,bleu,chrf", self.hypothesis).splitlines()
        self.assertEqual([line.split("|")[0] for line in lines], ["chrF2++", "BLEU", "chrF2"])

    def test_score_only_and_width(self):
        self.assertEqual(self.score("-r", self.reference, self.hypothesis, "--score-only", "-w", "6"), f"{BLEU:.6f}\n")
        self.assertEqual(self.score("-r", self.reference, self.hypothesis, "-b", "--width", "0"), f"{BLEU:.0f}\n")

    def test_json_of_bleu(self):
        found = self.json("-r", self.reference, self.hypothesis)
        self.assertAlmostEqual(found.pop("score"), BLEU, delta=1e-12)
        precisions = found.pop("precisions")
        for precision, expected in zip(precisions, [500 / 6, 300 / 5, 100 / 4, 50 / 3], strict=True):
            self.assertAlmostEqual(precision, expected, delta=1e-12)
        signature, rest = BLEU_LINE.removeprefix("BLEU|").split(" = ", 1)
        self.assertEqual(found, {
            "name": "BLEU", "signature": signature, "verbose_score": rest.removeprefix("38.0 ").rstrip(),
            "nrefs": "1", "case": "mixed", "eff": "no", "tok": "13a", "smooth": "exp", "version": "2.5.1",
            "counts": [5, 3, 1, 0], "totals": [6, 5, 4, 3], "bp": 1.0, "sys_len": 6, "ref_len": 6})

    def test_json_of_several_metrics_is_a_list(self):
        found = self.json("-r", self.reference, "-m", "bleu,chrf", self.hypothesis)
        self.assertEqual([score["name"] for score in found], ["BLEU", "chrF2"])
        self.assertEqual((found[1]["nc"], found[1]["nw"], found[1]["space"]), ("6", "0", "no"))

    def test_sentences(self):
        hypothesis = self.write("two.de", "a b\nc d e f\n")
        reference = self.write("two-reference.de", "a b\nc d e f g\n")
        penalty = math.exp(-0.25)
        scores = self.score("-r", reference, "--sentence", "-b", "-w", "4", hypothesis).split()
        self.assertEqual(scores, ["100.0000", f"{100 * penalty:.4f}"])
        found = self.json("-r", reference, "--sentence", hypothesis)
        self.assertEqual([score["eff"] for score in found], ["yes", "yes"])
        self.assertAlmostEqual(found[1]["bp"], penalty, delta=1e-12)
        self.assertEqual(len(self.json("-r", self.reference, "--sentence", self.hypothesis)), 1)

    def test_several_references(self):
        other = self.write("other.de", "the cat sat there\n")
        found = self.json("-r", self.reference, "-r", other, self.hypothesis)
        self.assertEqual((found["nrefs"], found["counts"], found["ref_len"]), ("2", [6, 4, 2, 0], 6))

    def test_options_reach_the_metric(self):
        hypothesis = self.write("case.de", "The Cat, it sat.\n")
        cases = {"--lowercase": ("case", "lc"), "--tokenize=intl": ("tok", "intl"), "--tokenize=char": ("tok", "char"),
                 "--tokenize=none": ("tok", "none"), "--smooth=none": ("smooth", "none"),
                 "--smooth=floor": ("smooth", "floor[0.10]"), "--effective-order": ("eff", "yes")}
        for flag, (key, value) in cases.items():
            with self.subTest(flag=flag):
                self.assertEqual(self.json("-r", self.reference, flag, hypothesis)[key], value)
        found = self.json("-r", self.reference, "--smooth", "add-k", "--smooth-value", "0.5", hypothesis)
        self.assertEqual(found["smooth"], "add-k[0.50]")
        found = self.json("-r", self.reference, "-m", "chrf", "--chrf-char-order", "3", "--chrf-word-order", "1",
                          "--chrf-beta", "1", "--chrf-whitespace", "--chrf-eps-smoothing", "--lowercase", hypothesis)
        self.assertEqual(found["name"], "chrF1+")
        self.assertEqual(found["signature"], "nrefs:1|case:lc|eff:no|nc:3|nw:1|space:yes|version:2.5.1")

    def test_warns_of_tokenised_text(self):
        result = self.run_verbund("-r", self.write("r", "a .\n" * 100), self.write("h", "a .\n" * 100))
        self.assertEqual(result.returncode, 0)
        self.assertIn("100", result.stderr)
        result = self.run_verbund("-r", self.write("r", "a .\n" * 99), self.write("h", "a .\n" * 99))
        self.assertEqual(result.stderr, "")

    def test_help(self):
        text = self.score("--help")
        self.assertIn("--reference", text)
        self.assertIn("verbund score -r reference.de hypothesis.de", text)


class SeveralSystems(ScoreCase):
    def setUp(self):
        super().setUp()
        lines = [f"{i} the cat number {i * i} sat on mat {i % 7} again" for i in range(60)]
        worse = [line.replace("the cat", "cat the") if i % 2 else line for i, line in enumerate(lines)]
        self.texts = {"right": lines, "good": [line.replace("sat", "is") for line in lines],
                      "bad": [line.replace("sat", "is") for line in worse]}
        for name, text in self.texts.items():
            self.write(name, "\n".join(text) + "\n")

    def compare(self, *arguments):
        # Names are shown as they are given.
        result = subprocess.run([VERBUND, "score", "-r", "right", "good", "bad", *arguments], cwd=self.folder,
                                capture_output=True, encoding="utf-8", timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_table(self):
        # One of ten words is wrong; every second line of the other needs a shift as well.
        self.assertEqual(self.compare("-m", "ter"), """\
╒══════════╤═══════╕
│   System │  TER  │
╞══════════╪═══════╡
│     good │ 10.0  │
├──────────┼───────┤
│      bad │ 15.0  │
╘══════════╧═══════╛

-----------------
Metric signatures
-----------------
 - TER        nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.5.1
""")
        self.assertEqual(json.loads(self.compare("-m", "ter", "--json")),
                         [{"system": "good", "TER": "10.0"}, {"system": "bad", "TER": "15.0"}])

    def test_paired_tests(self):
        text = self.compare("-m", "ter", "--paired-ar", "--paired-ar-n", "99")
        self.assertIn("│ Baseline: good │     10.0      │", text)
        self.assertIn("│                │ (p = 0.0100)* │", text)
        self.assertIn("nrefs:1|ar:99|seed:12345|case:lc", text)
        baseline, other = json.loads(self.compare("-m", "bleu,ter", "--paired-ar", "--paired-ar-n", "99", "--json"))
        self.assertEqual(baseline["TER"], {"score": 10, "p_value": None, "mean": None, "ci": None})
        self.assertEqual((other["TER"]["p_value"], other["BLEU"]["p_value"]), (0.01, 0.01))

    def test_intervals(self):
        text = self.compare("-m", "ter", "--paired-bs", "--paired-bs-n", "200")
        self.assertIn("TER (μ ± 95% CI)", text)
        self.assertIn("10.0 (10.0 ± 0.0)", text)
        self.assertIn("nrefs:1|bs:200|seed:12345", text)
        self.assertIn("nrefs:1|bs:1000|ar:50|seed:7", self.compare("--paired-ar", "--paired-ar-n", "50", "--confidence",
                                                                  "--seed", "7"))

    def test_confidence_of_one_system(self):
        right, good = self.folder / "right", self.folder / "good"
        self.assertEqual(self.score("-r", right, good, "-m", "ter", "--confidence"),
                         "TER|nrefs:1|bs:1000|seed:12345|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.5.1 "
                         "= 10.0 (μ = 10.0 ± 0.0)\n")
        found = self.json("-r", right, self.folder / "bad", "--confidence", "--confidence-n", "50")
        self.assertEqual(found["bs"], "50")
        self.assertGreater(found["confidence_var"], 0)
        self.assertAlmostEqual(found["confidence_mean"], found["score"], delta=5)
        os.environ["SACREBLEU_SEED"] = "99"
        self.addCleanup(os.environ.pop, "SACREBLEU_SEED")
        self.assertEqual(self.json("-r", right, good, "--confidence")["seed"], "99")
        drawn = self.json("-r", right, good, "--confidence", "--seed", "none")
        self.assertEqual(drawn["seed"], "none")


class Errors(ScoreCase):
    def test_different_numbers_of_lines(self):
        longer = self.write("longer.de", HYPOTHESIS * 3)
        self.assert_fails(1, longer, 3, self.reference, 1,
                          arguments=["-r", self.reference, longer])
        self.assert_fails(1, 2, arguments=["-r", self.reference], stdin="a\nb\n")
        self.assert_fails(1, longer, 3, arguments=["-r", self.reference, "-r", longer, self.hypothesis])

    def test_invalid_utf8(self):
        broken = self.write("broken.de", b"gut\nf\xfcr\n")
        self.assert_fails(1, f"line 2 of {broken}", "UTF-8", arguments=["-r", self.reference, broken])
        self.assert_fails(1, f"line 2 of {broken}", "UTF-8", arguments=["-r", broken], stdin="a\nb\n")

    def test_missing_file(self):
        missing = self.folder / "missing.de"
        self.assert_fails(1, missing, "No such file", arguments=["-r", self.reference, missing])
        self.assert_fails(1, missing, "No such file", arguments=["-r", missing, self.hypothesis])

    def test_empty_file(self):
        empty = self.write("empty.de", "")
        self.assert_fails(1, empty, arguments=["-r", self.reference, empty])
        self.assert_fails(1, empty, arguments=["-r", empty, self.hypothesis])
        self.assert_fails(1, arguments=["-r", self.reference])

    def test_wrong_calls(self):
        files = ["-r", self.reference, self.hypothesis]
        self.assert_fails(2, "--reference", arguments=[self.hypothesis])
        self.assert_fails(2, "meteor", "chrf++", arguments=["-m", "bleu,meteor", *files])
        self.assert_fails(2, "zh", "13a", arguments=["--tokenize", "zh", *files])
        self.assert_fails(2, "linear", "add-k", arguments=["--smooth", "linear", *files])
        self.assert_fails(2, "--smooth-value 0.5", "exp", arguments=["--smooth-value", "0.5", *files])
        self.assert_fails(2, "-1", arguments=["--smooth", "floor", "--smooth-value", "-1", *files])
        self.assert_fails(2, "--sentence", arguments=["--sentence", "-m", "bleu,chrf", *files])
        self.assert_fails(2, "--json", "--score-only", arguments=["--json", "--score-only", *files])
        self.assert_fails(2, arguments=["-r", "-"])
        self.assert_fails(2, 0, arguments=["-m", "chrf", "--chrf-char-order", "0", *files])
        self.assert_fails(2, "--lowercase", arguments=["--lowercas", *files])

    def test_wrong_calls_for_several_systems(self):
        one, two = ["-r", self.reference, self.hypothesis], ["-r", self.reference, self.hypothesis, self.reference]
        self.assert_fails(2, "--paired-ar", arguments=["--paired-ar", *one])
        self.assert_fails(2, "--paired-ar", "--paired-bs", arguments=["--paired-ar", "--paired-bs", *two])
        self.assert_fails(2, 2, "--paired-ar", arguments=["--confidence", *two])
        self.assert_fails(2, "--sentence", arguments=["--sentence", *two])
        self.assert_fails(2, "--sentence", arguments=["--sentence", "--confidence", *one])
        self.assert_fails(2, "--score-only", 2, arguments=["--score-only", *two])
        self.assert_fails(2, self.hypothesis, arguments=[*one, self.hypothesis])
        self.assert_fails(2, "--seed five", arguments=["--seed", "five", "--confidence", *one])
        self.assert_fails(2, "--paired-ar-n", arguments=["--paired-ar", "--paired-ar-n", "0", *two])
        longer = self.write("longer.de", HYPOTHESIS * 3)
        self.assert_fails(1, longer, 3, arguments=[*one, longer])


@long_test
@unittest.skipUnless(WMT17.is_dir(), "no data/bleu/wmt17-en-de beside the project")
class PublishedScores(ScoreCase):
    """Every column of expected.tsv, for six systems of WMT17."""

    CALLS = {"bleu_13a": [], "bleu_none": ["--tokenize", "none"], "bleu_intl": ["--tokenize", "intl"],
             "bleu_13a_lc": ["--lowercase"], "chrF2": ["-m", "chrf"], "chrF2++": ["-m", "chrf++"]}

    def test_wmt17(self):
        unpack = lambda name: gzip.decompress((WMT17 / f"{name}.de.gz").read_bytes())
        reference = self.write("reference", unpack("reference"))
        header, *rows = [line.split("\t") for line in (WMT17 / "expected.tsv").read_text().splitlines()]
        self.assertEqual(len(rows), 6)
        for row in rows:
            expected = dict(zip(header, row, strict=True))
            system = expected.pop("system")
            hypothesis = self.write(system, unpack(system))
            found = {column: self.json("-r", reference, *flags, hypothesis) for column, flags in self.CALLS.items()}
            for column in self.CALLS:
                with self.subTest(system=system, column=column):
                    self.assertAlmostEqual(found[column]["score"], float(expected.pop(column)), delta=0.0001)
            with self.subTest(system=system):
                bleu = found["bleu_13a"]
                self.assertEqual(bleu["counts"], [int(n) for n in expected.pop("counts_13a").split()])
                self.assertEqual(bleu["totals"], [int(n) for n in expected.pop("totals_13a").split()])
                self.assertEqual(bleu["sys_len"], int(expected.pop("sys_len")))
                self.assertEqual(bleu["ref_len"], int(expected.pop("ref_len")))
                self.assertAlmostEqual(bleu["bp"], float(expected.pop("bp")), delta=0.0001)
                self.assertEqual(expected, {}, "columns that were not compared")


if __name__ == "__main__":
    run_tests()
