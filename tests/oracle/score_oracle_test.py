# SPDX-License-Identifier: Apache-2.0
"""verbund score against sacreBLEU itself: real translations, and lines made to be awkward.

Skipped (exit code 77) where the sacrebleu module is not installed.
"""
import gzip
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unicodedata
import unittest
from pathlib import Path

try:
    import regex
    from sacrebleu.significance import PairedTest
    from sacrebleu.metrics import BLEU, CHRF, TER
except ImportError as error:
    print(f"skipped: {error}; install sacrebleu to run this test")
    sys.exit(77)

VERBUND = os.environ["VERBUND"]
WMT17 = Path(os.environ["VERBUND_SOURCE"]) / ".." / "shared" / "data" / "bleu" / "wmt17-en-de"
TOLERANCE = 1e-9

TOKENIZERS = ["13a", "intl", "none", "char"]
SMOOTHINGS = [("exp", None), ("floor", None), ("floor", 0.37), ("add-k", None), ("add-k", 2.5), ("none", None)]


def without_version(text):
    return re.sub(r"version:[0-9.]+", "version:*", text)


class ScoreCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, lines):
        path = self.folder / name
        path.write_bytes("".join(line + "\n" for line in lines).encode())
        return str(path)

    def write_references(self, references):
        flags = []
        for i, reference in enumerate(references):
            flags += ["-r", self.write(f"reference{i}", reference)]
        return flags

    def verbund(self, *arguments):
        return subprocess.run([VERBUND, "score", *arguments], check=True, capture_output=True, encoding="utf-8").stdout

    def assert_same(self, found, score, signature, what):
        """`found` is verbund's JSON; `score` and `signature` are sacreBLEU's objects."""
        self.assertAlmostEqual(found["score"], score.score, delta=TOLERANCE, msg=what)
        self.assertEqual(found["name"], score.name, what)
        self.assertEqual(without_version(found["signature"]), without_version(signature.format()), what)
        theirs = json.loads(score.format(signature=signature.format(), is_json=True))
        for key in theirs.keys() - {"score", "signature", "version"}:
            self.assertEqual(found[key], theirs[key], f"{what}: {key}")
        if score.name == "TER":
            self.assertEqual((found["num_edits"], found["ref_length"]), (score.num_edits, score.ref_length), what)
        if score.name != "BLEU":
            return
        # sacreBLEU shows counts after smoothing; verbund shows what was counted.
        k = 0.0
        if found["smooth"].startswith("add-k") and any(found["counts"]):
            k = float(found["smooth"].removeprefix("add-k[").removesuffix("]"))
        added = [0.0, k, k, k]
        self.assertEqual([n + k for n, k in zip(found["counts"], added)], score.counts, what)
        self.assertEqual([n + k for n, k in zip(found["totals"], added)], score.totals, what)
        self.assertEqual((found["sys_len"], found["ref_len"]), (score.sys_len, score.ref_len), what)
        self.assertAlmostEqual(found["bp"], score.bp, delta=TOLERANCE, msg=what)
        for ours, other in zip(found["precisions"], score.precisions):
            self.assertAlmostEqual(ours, other, delta=TOLERANCE, msg=what)

    def compare_sentences(self, hypotheses, references, metric, flags):
        found = json.loads(self.verbund(*self.write_references(references), self.write("hypothesis", hypotheses),
                                        "--sentence", "--json", *flags))
        self.assertEqual(len(found), len(hypotheses))
        for i, hypothesis in enumerate(hypotheses):
            # sacreBLEU's own command removes whitespace at the ends of lines, so verbund does.
            lines = [reference[i].rstrip() for reference in references]
            score = metric.sentence_score(hypothesis.rstrip(), lines)
            self.assert_same(found[i], score, metric.get_signature(), f"{flags} on {hypothesis!r} / {lines!r}")

    def compare_all_tokenizers(self, hypotheses, references):
        for tokenizer, lowercase in itertools.product(TOKENIZERS, [False, True]):
            metric = BLEU(tokenize=tokenizer, lowercase=lowercase, effective_order=True)
            flags = ["--tokenize", tokenizer] + ["--lowercase"] * lowercase
            self.compare_sentences(hypotheses, references, metric, flags)

    def compare_all_ter(self, hypotheses, references):
        for normalized, no_punct, asian, case in itertools.product([False, True], repeat=4):
            metric = TER(normalized=normalized, no_punct=no_punct, asian_support=asian, case_sensitive=case)
            flags = ["-m", "ter"] + ["--ter-normalized"] * normalized + ["--ter-no-punct"] * no_punct
            flags += ["--ter-asian-support"] * asian + ["--ter-case-sensitive"] * case
            self.compare_sentences(hypotheses, references, metric, flags)

    def compare_all_chrf(self, hypotheses, references):
        for word_order, lowercase, whitespace, eps in itertools.product([0, 2], *[[False, True]] * 3):
            metric = CHRF(word_order=word_order, lowercase=lowercase, whitespace=whitespace, eps_smoothing=eps)
            flags = ["-m", "chrf++" if word_order else "chrf"] + ["--lowercase"] * lowercase
            flags += ["--chrf-whitespace"] * whitespace + ["--chrf-eps-smoothing"] * eps
            self.compare_sentences(hypotheses, references, metric, flags)


@unittest.skipUnless(WMT17.is_dir(), "no data/bleu/wmt17-en-de beside the project")
class RealTranslations(ScoreCase):
    @classmethod
    def setUpClass(cls):
        cls.systems = {}
        for path in sorted(WMT17.glob("*.gz")):
            text = gzip.decompress(path.read_bytes()).decode()
            cls.systems[path.name.removesuffix(".de.gz")] = text.removesuffix("\n").split("\n")
        cls.reference = cls.systems.pop("reference")

    def compare_corpus_bleu(self, hypotheses, references, what):
        files = [*self.write_references(references), self.write("hypothesis", hypotheses)]
        for tokenizer, lowercase in itertools.product(TOKENIZERS, [False, True]):
            metric = BLEU(tokenize=tokenizer, lowercase=lowercase, references=references)
            statistics = metric._extract_corpus_statistics(hypotheses, None)  # the slow part, once
            for (smoothing, value), effective in itertools.product(SMOOTHINGS, [False, True]):
                metric.smooth_method, metric.smooth_value = smoothing, value
                metric.effective_order = effective
                score, signature = metric._aggregate_and_compute(statistics), metric.get_signature()
                flags = ["--tokenize", tokenizer, "--smooth", smoothing] + ["--lowercase"] * lowercase
                flags += ["--effective-order"] * effective
                flags += [] if value is None else ["--smooth-value", str(value)]
                with self.subTest(what=what, flags=flags):
                    self.assert_same(json.loads(self.verbund(*files, "--json", *flags)), score, signature, what)
                    if smoothing == "exp":
                        line = score.format(width=4, signature=signature.format())
                        found = self.verbund(*files, "-w", "4", *flags)
                        self.assertEqual(without_version(found), without_version(line) + "\n")

    def compare_corpus_chrf(self, hypotheses, references, what, **options):
        files = [*self.write_references(references), self.write("hypothesis", hypotheses)]
        metric = CHRF(**options)
        flags = ["-m", "chrf"]
        for name, value in options.items():
            flag = "--lowercase" if name == "lowercase" else "--chrf-" + name.replace("_", "-")
            flags += [flag] * value if isinstance(value, bool) else [flag, str(value)]
        with self.subTest(what=what, flags=flags):
            score = metric.corpus_score(hypotheses, references)
            signature = metric.get_signature()
            self.assert_same(json.loads(self.verbund(*files, "--json", *flags)), score, signature, what)
            line = score.format(width=1, signature=signature.format())
            self.assertEqual(without_version(self.verbund(*files, *flags)), without_version(line) + "\n")

    def test_bleu_of_each_system(self):
        for name, hypotheses in self.systems.items():
            self.compare_corpus_bleu(hypotheses, [self.reference], name)

    def test_chrf_of_each_system(self):
        for name, hypotheses in self.systems.items():
            for word_order in [0, 2]:
                self.compare_corpus_chrf(hypotheses, [self.reference], name, word_order=word_order)

    def test_chrf_with_each_option(self):
        hypotheses, reference = self.systems["uedin-nmt.4722"][:500], self.reference[:500]
        for word_order, lowercase, whitespace, eps in itertools.product([0, 2], *[[False, True]] * 3):
            self.compare_corpus_chrf(hypotheses, [reference], "options", word_order=word_order, lowercase=lowercase,
                                     whitespace=whitespace, eps_smoothing=eps)
        for char_order, word_order, beta in [(4, 1, 1), (0, 3, 2), (10, 0, 3), (1, 1, 0)]:
            self.compare_corpus_chrf(hypotheses, [reference], "orders", char_order=char_order, word_order=word_order,
                                     beta=beta)

    def test_ter_of_each_system(self):
        for name, hypotheses in self.systems.items():
            hypotheses, reference = hypotheses[:1000], self.reference[:1000]
            files = ["-r", self.write("reference", reference), self.write("hypothesis", hypotheses)]
            metric = TER()
            with self.subTest(system=name):
                score = metric.corpus_score(hypotheses, [reference])
                found = json.loads(self.verbund(*files, "-m", "ter", "--json"))
                self.assert_same(found, score, metric.get_signature(), name)

    def test_ter_of_sentences(self):
        self.compare_all_ter(self.systems["KIT.4950"][:60], [self.reference[:60]])
        references = [lines[:100] for lines in (self.reference, self.systems["SYSTRAN.4847"])]
        self.compare_sentences(self.systems["KIT.4950"][:100], references, TER(), ["-m", "ter"])

    def test_several_references(self):
        references = [self.reference, self.systems["KIT.4950"], self.systems["online-F.0"]]
        references = [lines[:500] for lines in references]
        hypotheses = self.systems["SYSTRAN.4847"][:500]
        self.compare_corpus_bleu(hypotheses, references, "three references")
        for word_order, eps in itertools.product([0, 2], [False, True]):
            self.compare_corpus_chrf(hypotheses, references, "three references", word_order=word_order,
                                     eps_smoothing=eps)
        self.compare_all_tokenizers(hypotheses, references)

    def test_sentences(self):
        self.compare_all_tokenizers(self.systems["uedin-nmt.4722"][:1000], [self.reference[:1000]])
        self.compare_all_chrf(self.systems["uedin-nmt.4722"][:300], [self.reference[:300]])


@unittest.skipUnless(WMT17.is_dir(), "no data/bleu/wmt17-en-de beside the project")
class Tests(ScoreCase):
    """Intervals, p-values and tables as sacreBLEU's own command prints them."""
    SYSTEMS = ["KIT.4950", "LIUM-NMT.4900", "SYSTRAN.4847"]

    def setUp(self):
        super().setUp()
        for name in ["reference", *self.SYSTEMS]:
            (self.folder / name).write_bytes(gzip.decompress((WMT17 / f"{name}.de.gz").read_bytes()))

    def run_in_folder(self, *command, **environment):
        environment = {**os.environ, "NO_COLOR": "1", "PYTHONWARNINGS": "ignore", **environment}
        return subprocess.run(command, cwd=self.folder, env=environment, check=True, capture_output=True,
                              encoding="utf-8").stdout

    def both(self, systems, metrics, *flags, json=False, **environment):
        ours = self.run_in_folder(VERBUND, "score", "-r", "reference", *systems, "-m", ",".join(metrics), *flags,
                                  *["--json"] * json, **environment)
        theirs = self.run_in_folder(sys.executable, "-m", "sacrebleu", "reference", "-i", *systems, "-m", *metrics,
                                    *flags, "-q", "--format", "json" if json else "text", **environment)
        return without_version(ours), without_version(theirs)

    @staticmethod
    def without_prose(text):
        """All but the explanation, which each program has in its own words."""
        return [line for line in text.splitlines() if re.match(r"[╒│╞├╘]|---|Paired|Metric| - (BLEU|chrF|TER)", line)]

    def assert_same_table(self, *arguments, **environment):
        ours, theirs = self.both(*arguments, **environment)
        self.assertEqual(self.without_prose(ours), self.without_prose(theirs))
        self.assertIn("╞═", ours)

    def assert_same_json(self, *arguments, **environment):
        ours, theirs = self.both(*arguments, json=True, **environment)
        self.assertEqual(json.loads(ours), json.loads(theirs))

    def test_table_of_several_systems(self):
        self.assert_same_table(self.SYSTEMS[:2], ["bleu", "chrf", "ter"])
        self.assert_same_table(self.SYSTEMS, ["bleu", "chrf"], "-w", "3")
        self.assert_same_json(self.SYSTEMS, ["bleu", "chrf"])

    def test_paired_approximate_randomization(self):
        self.assert_same_table(self.SYSTEMS[:2], ["bleu", "chrf", "ter"], "--paired-ar")
        self.assert_same_json(self.SYSTEMS, ["bleu", "chrf"], "--paired-ar", "--paired-ar-n", "2000")
        self.assert_same_json(self.SYSTEMS[:2], ["bleu"], "--paired-ar", "--paired-ar-n", "500", SACREBLEU_SEED="77")

    def test_paired_bootstrap(self):
        self.assert_same_table(self.SYSTEMS[:2], ["bleu", "chrf", "ter"], "--paired-bs", "-w", "4")
        # Its JSON fails for other metrics: their numbers are of single precision.
        self.assert_same_json(self.SYSTEMS, ["bleu"], "--paired-bs")
        self.assert_same_json(self.SYSTEMS[:2], ["bleu"], "--paired-bs", "--paired-bs-n", "321", SACREBLEU_SEED="4294967296")

    def test_confidence(self):
        for flags in [], ["-w", "4"], ["--confidence-n", "333"]:
            for metric in ["bleu", "chrf"] + ["ter"] * ("-w" in flags):  # its TER takes long
                ours, theirs = self.both(self.SYSTEMS[:1], [metric], "--confidence", *flags)
                self.assertEqual(ours, theirs)
                self.assertIn("±", ours)

    def test_randomization_with_intervals(self):
        lines = {name: (self.folder / name).read_text().splitlines() for name in ["reference", *self.SYSTEMS]}
        metrics = {"BLEU": BLEU(), "CHRF": CHRF()}
        test = PairedTest([(name, lines[name]) for name in self.SYSTEMS], metrics, [lines["reference"]],
                          test_type="ar", n_samples=300, n_ar_confidence=400)
        signatures, theirs = test()
        ours = json.loads(self.run_in_folder(VERBUND, "score", "-r", "reference", *self.SYSTEMS, "-m", "bleu,chrf",
                                             "--paired-ar", "--paired-ar-n", "300", "--confidence", "--confidence-n",
                                             "400", "--json"))
        for metric in "BLEU", "chrF2":
            for our, their in zip(ours, theirs[metric], strict=True):
                self.assertEqual(our[metric]["p_value"], their.p_value)
                self.assertEqual(our[metric]["score"], their.score)
                self.assertEqual((our[metric]["mean"], our[metric]["ci"]), (float(their.mean), float(their.ci)))


class AwkwardLines(ScoreCase):
    PIECES = [
        *"abcxyzABCXYZäöüßÄÖÜéèñøåłŻ", *"0123456789" * 3, *".,;:!?-'\"()[]{}/\\@#$%&*+<=>^_`|~" * 2, *" " * 30,
        *"\t\v\f\r\x1c\x1f\x85\u00a0\u1680\u2003\u2009\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\x00\x7f",
        *"„“”‘’«»‹›…–—‐¿¡§¶·、。，！？（）「」『』・؟،۔।", *"€£¥¢©®™°±×÷≈≠→←∑√♥☃№½¾²³¹ⅣⅫ①㊿٣٤५६௧߁",
        *"漢字日本語中文ひらがなカタカナ한국어العربيةעבריתไทยहिन्दीქართული", *"ΑΒΓΔΣσςΟΔΟΣЖДЙжд", *"İıIiǅǈẞﬁﬀŉǰΐ",
        *"\u0301\u0308\u0323\u200d\u00ad\u2060", *"😀👍🏽🇩🇪👨👩𝔘𝟘𐐀𐐨",
        "&quot;", "&amp;", "&lt;", "&gt;", "&apos;", "&amp;lt;", "<skipped>", "<SKIPPED>", "&", "...", "1.5", "3,000",
        "1990.", " .", "- ", "10-20", "well-known", "ΟΔΟΣ", "Wort", "the", "und ", " der ", "can't",
    ]

    @classmethod
    def setUpClass(cls):
        cls.random = random.Random(20170917)

    def line(self):
        return "".join(self.random.choices(self.PIECES, k=self.random.choice([0, 1, 2, 3, 5, 8, 13, 21, 34, 55])))

    def like(self, line):
        """A line that shares much with the given one."""
        result = list(line)
        for _ in range(self.random.randrange(4)):
            at = self.random.randrange(len(result) + 1)
            result[at:at + self.random.randrange(4)] = self.random.choices(self.PIECES, k=self.random.randrange(3))
        result = "".join(result)
        return self.random.choice([result, result, result, result.upper(), result.lower(), self.line(), line + " "])

    def test_bleu_of_sentences(self):
        hypotheses = [self.line() for _ in range(4000)]
        self.compare_all_tokenizers(hypotheses, [[self.like(line) for line in hypotheses]])

    def test_bleu_of_sentences_with_several_references(self):
        hypotheses = [self.line() for _ in range(500)]
        self.compare_all_tokenizers(hypotheses, [[self.like(line) for line in hypotheses] for _ in range(3)])

    def test_smoothing_of_sentences(self):
        hypotheses = [self.line() for _ in range(1000)]
        references = [[self.like(line) for line in hypotheses]]
        for smoothing, value in SMOOTHINGS:
            metric = BLEU(smooth_method=smoothing, smooth_value=value, effective_order=True)
            flags = ["--smooth", smoothing] + ([] if value is None else ["--smooth-value", str(value)])
            self.compare_sentences(hypotheses, references, metric, flags)

    def test_ter_of_sentences(self):
        hypotheses = [self.line() for _ in range(400)]
        self.compare_all_ter(hypotheses, [[self.like(line) for line in hypotheses]])

    def test_ter_of_shuffled_words(self):
        """Many shifts, few different words, lengths from nothing to more than beam and limits of shifts allow."""
        hypotheses, references = [], []
        for length in [0, 1, 3, 8, 15, 30] * 25 + [80, 130] * 4:
            words = self.random.choices("abcdefghijklmnopqrst"[:self.random.choice([2, 5, 20])], k=length)
            moved = list(words)
            for _ in range(self.random.randrange(5)):
                start, end, to = (self.random.randrange(len(moved) + 1) for _ in range(3))
                part = moved[start:end]
                del moved[start:end]
                moved[to:to] = part
            if self.random.random() < 0.3:
                moved = moved[:self.random.randrange(len(moved) + 1)]
            hypotheses.append(" ".join(moved))
            references.append(" ".join(words))
        self.compare_sentences(hypotheses, [references], TER(), ["-m", "ter"])
        self.compare_sentences(hypotheses, [references, references[1:] + references[:1]], TER(), ["-m", "ter"])

    def test_chrf_of_sentences(self):
        hypotheses = [self.line() for _ in range(1000)]
        self.compare_all_chrf(hypotheses, [[self.like(line) for line in hypotheses]])

    def test_chrf_of_sentences_with_several_references(self):
        hypotheses = [self.line() for _ in range(300)]
        self.compare_all_chrf(hypotheses, [[self.like(line) for line in hypotheses] for _ in range(3)])


class EveryCharacter(ScoreCase):
    """All characters but ideographs and the like, between letters and between digits."""

    @classmethod
    def setUpClass(cls):
        # What is punctuation depends on the version of Unicode. Left out are the characters
        # on which the versions of Python and of the regex module disagree.
        cls.characters, disputed = [], 0
        for code in range(0x20, 0x110000):
            character = chr(code)
            category = unicodedata.category(character)
            if category in ("Cn", "Cs", "Co") or unicodedata.name(character, "").startswith(("CJK UNI", "HANGUL SYL")):
                continue
            if regex.match(rf"\p{{{category}}}", character):
                cls.characters.append(character)
            else:
                disputed += 1
        print(f"{len(cls.characters)} characters; {disputed} left out", file=sys.stderr)

    def test_tokenizers(self):
        hypotheses = [f"{c} a{c}b 1{c}2 1{c} {c}b" for c in self.characters]
        references = [["a b 1 2 1 b"] * len(hypotheses)]
        for tokenizer in ["13a", "intl"]:
            metric = BLEU(tokenize=tokenizer, effective_order=True)
            self.compare_sentences(hypotheses, references, metric, ["--tokenize", tokenizer])

    def test_lower_case(self):
        hypotheses = [f"x{c}x {c}" for c in self.characters]
        references = [[line.lower() for line in hypotheses]]
        metric = BLEU(tokenize="none", lowercase=True, effective_order=True)
        self.compare_sentences(hypotheses, references, metric, ["--tokenize", "none", "--lowercase"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
