# SPDX-License-Identifier: Apache-2.0
"""verbund score-pairs as a user meets it: the model's own numbers, in the order of the input, of any stream."""

import gzip
import json
import math
import pathlib
import re
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402


class ScorePairsTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.data, cls.trained = fixtures.dataset(), fixtures.model()
        cls.model = ["-m", cls.trained, "--checkpoint", "last", "--vocabulary", cls.data / "joint.model"]
        cls.source, cls.target = cls.data / "dev.source.txt", cls.data / "dev.target.txt"
        cls.pairs = list(zip(cls.source.read_text().splitlines(), cls.target.read_text().splitlines()))

    def score(self, *arguments, **options):
        return self.succeed("score-pairs", *self.model, *arguments, **options)

    def score_json(self, *arguments, **options):
        return [json.loads(line) for line in self.score("--json", *arguments, **options).stdout.splitlines()]

    def score_dev(self, *arguments):
        return self.score_json("--source", self.source, "--target", self.target, *arguments)

    def tsv(self, pairs):
        return self.write("pairs.tsv", "".join(f"{source}\t{target}\n" for source, target in pairs))

    def test_the_sum_is_the_loss_that_training_measured(self):
        metrics = [json.loads(line) for line in (self.trained / "metrics.jsonl").read_text().splitlines()]
        expected = [line["dev_cross_entropy"] for line in metrics if "dev_cross_entropy" in line][-1]
        scores = self.score_dev()
        self.assertEqual([score["line"] for score in scores], list(range(1, len(self.pairs) + 1)))
        tokens = sum(score["tokens"] for score in scores)
        total = sum(score["log_probability"] for score in scores)
        self.assertAlmostEqual(-total / tokens, expected, delta=1e-6 * expected)
        said = self.score("--source", self.source, "--target", self.target).stderr
        pairs, count, log_probability, cross_entropy, perplexity = map(float, re.search(
            r"(\d+) pairs, (\d+) tokens\D*(-[\d.]+)\D*([\d.]+)\D*([\d.]+)", said).groups())
        self.assertEqual((pairs, count), (len(self.pairs), tokens))
        self.assertAlmostEqual(log_probability, total, delta=1e-3)
        self.assertAlmostEqual(cross_entropy, expected, delta=1e-4)
        self.assertAlmostEqual(perplexity, math.exp(expected), delta=1e-3 * perplexity)

    def test_translations_score_as_the_search_found_them(self):
        sources = [source for source, _ in self.pairs[:60]]
        found = self.succeed("translate", *self.model, "--json", "--alignment", "--set", "decode.length_penalty=0",
                             "--set", "decode.beam=2", "--set", "decode.max_extra=50", input="\n".join(sources) + "\n").stdout.splitlines()
        translations = [json.loads(line)["translations"][0] for line in found]
        scores = self.score_json("--tsv", self.tsv(zip(sources, (t["text"] for t in translations))), "--per-token")
        compared = 0
        for translation, score in zip(translations, scores, strict=True):
            pieces = [token["piece"] for token in score["per_token"]]
            if not translation.get("finished", True) or pieces != translation["pieces"] + ["</s>"]:
                continue  # the search may spell a word in other pieces
            self.assertAlmostEqual(score["log_probability"], translation["score"], delta=1e-4)
            compared += 1
        self.assertGreater(compared, 20)

    def test_neither_order_nor_neighbours_matter(self):
        pairs = self.pairs[:100]
        expected = self.score_json("--tsv", self.tsv(pairs))
        for arguments in (["--window", "7"], ["--set", "decode.batch_tokens=1"], ["--set", "threads=1"]):
            for a, b in zip(self.score_json("--tsv", self.tsv(pairs), *arguments), expected, strict=True):
                self.assertEqual((a["line"], a["source"], a["tokens"]), (b["line"], b["source"], b["tokens"]))
                self.assertAlmostEqual(a["log_probability"], b["log_probability"], delta=1e-4)
        backwards = self.score_json("--tsv", self.tsv(reversed(pairs)))
        for a, b in zip(backwards, reversed(expected), strict=True):
            self.assertEqual((a["source"], a["target"]), (b["source"], b["target"]))
            self.assertAlmostEqual(a["log_probability"], b["log_probability"], delta=1e-4)

    def test_columns_and_json_agree(self):
        path = self.tsv(self.pairs[:5])
        exact = self.score_json("--tsv", path, "--per-token")
        for line, pair in zip(self.score("--tsv", path, "--per-token").stdout.splitlines(), exact, strict=True):
            log_probability, tokens, pieces = line.split("\t")
            self.assertAlmostEqual(float(log_probability), pair["log_probability"], delta=1e-4)
            self.assertEqual(int(tokens), pair["tokens"])
            own = [piece.rsplit("=", 1) for piece in pieces.split(" ")]
            self.assertEqual([piece for piece, _ in own], [token["piece"] for token in pair["per_token"]])
            self.assertEqual(own[-1][0], "</s>")
            for (_, value), token in zip(own, pair["per_token"], strict=True):
                self.assertAlmostEqual(float(value), token["log_probability"], delta=1e-4)
            total = sum(token["log_probability"] for token in pair["per_token"])
            self.assertAlmostEqual(total, pair["log_probability"], delta=1e-9)
        plain = [line.split("\t") for line in self.score("--tsv", path).stdout.splitlines()]
        self.assertEqual([len(columns) for columns in plain], [2] * 5)

    def test_a_right_translation_is_likelier_than_a_wrong_one(self):
        right = sum(score["log_probability"] for score in self.score_dev())
        sources, targets = zip(*self.pairs)
        wrong = self.score_json("--tsv", self.tsv(zip(sources, targets[1:] + targets[:1])))
        self.assertGreater(right, sum(score["log_probability"] for score in wrong))

    def test_empty_sides(self):
        source, target = self.pairs[0]
        scores = self.score_json("--tsv", self.tsv([(source, ""), ("", target), ("", "")]), "--per-token")
        self.assertEqual([token["piece"] for token in scores[0]["per_token"]], ["</s>"])
        self.assertEqual([score["tokens"] for score in scores], [1, scores[1]["tokens"], 1])
        self.assertGreater(scores[1]["tokens"], 1)
        for score in scores:
            self.assertLess(score["log_probability"], 0)

    def test_a_stream_is_answered_while_it_goes_on(self):
        process = subprocess.Popen(self.command("score-pairs", *self.model, "--tsv", "-", "--window", "3"),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        patience = threading.Timer(60, process.kill)  # if it waits for the end of its input, so would we
        patience.start()
        self.addCleanup(patience.cancel)
        for _ in range(3):
            process.stdin.write("".join(f"{source}\t{target}\n" for source, target in self.pairs[:3]))
            process.stdin.flush()
            answers = [process.stdout.readline() for _ in range(3)]
            self.assertTrue(all(re.fullmatch(r"-\d+\.\d{4}\t\d+\n", answer) for answer in answers), answers)
        rest, said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, rest), (0, ""))
        self.assertIn("9", said)

    def test_compressed_files_and_standard_input(self):
        expected = self.score("--source", self.source, "--target", self.target).stdout
        packed = self.write("dev.gz", gzip.compress(self.target.read_bytes()))
        self.assertEqual(self.score("--source", "-", "--target", packed, input=self.source.read_text()).stdout, expected)

    def test_wrong_input(self):
        def refused(code, *arguments, **options):
            return self.refuse(code, "score-pairs", *self.model, *arguments, **options)

        three, five = self.write("three", "a\nb\nc\n"), self.write("five", "a\nb\nc\nd\ne\n")
        self.assert_says(refused(1, "--source", three, "--target", five), three, 3, five, 5)
        self.assert_says(refused(1, "--source", five, "--target", three), three, 3, five, 5)
        self.assert_says(refused(1, "--source", "-", "--target", three, input="a\n" * 9), 4, 3)
        broken = self.write("broken", b"a\nb\xff\nc\n")
        self.assert_says(refused(1, "--source", broken, "--target", three), "source", "line 2", "UTF-8")
        self.assert_says(refused(1, "--source", three, "--target", broken), "target", "line 2", "UTF-8")
        empty = self.write("empty", "")
        self.assert_says(refused(1, "--source", empty, "--target", empty), empty)
        self.assert_says(refused(1, "--source", empty, "--target", three), empty, 0, three, 3)
        self.assert_says(refused(1, "--tsv", three), "line 1")
        self.assert_says(refused(1, "--tsv", self.write("wide", "a\tb\na\tb\tc\n")), "line 2", 3)
        long = self.write("long", "a\tb\nb\t" + "a b " * 2000 + "\n")
        self.assert_says(refused(1, "--tsv", long), "target", "line 2", 1024, "--max-tokens")
        for wrong in ([], ["--source", three], ["--tsv", three, "--target", five], ["--source", "-", "--target", "-"]):
            refused(2, *wrong)
        self.assert_says(refused(1, "--tsv", self.folder / "none"), self.folder / "none")

    def test_help(self):
        self.assert_says(self.succeed("score-pairs", "--help").stdout, "Examples:", "verbund score-pairs", "--per-token")


if __name__ == "__main__":
    run_tests()
