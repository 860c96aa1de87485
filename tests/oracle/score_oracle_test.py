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
    from sacrebleu.metrics import BLEU, CHRF
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
