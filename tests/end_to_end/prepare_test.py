# SPDX-License-Identifier: Apache-2.0
"""verbund prepare and inspect as a user meets them: good input, bad input, interruption."""

import gzip
import json
import lzma
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import ProgramTest, long_test, run_tests  # noqa: E402


def sentences(count, seed=1):
    """Parallel lines over a few hundred invented words."""
    dice = random.Random(seed)
    syllables = ["ba", "do", "ku", "li", "me", "nü", "ra", "so", "ti", "we"]
    words = ["".join(dice.choices(syllables, k=dice.randint(1, 4))) for _ in range(400)]
    source = [" ".join(dice.choices(words, k=dice.randint(1, 12))) for _ in range(count)]
    target = [line[::-1] for line in source]
    return "\n".join(source) + "\n", "\n".join(target) + "\n"


class PrepareTest(ProgramTest):
    def setUp(self):
        super().setUp()
        source, target = sentences(2000)
        self.source = self.write("a.en", source)
        self.target = self.write("a.de", target)
        self.out = self.folder / "out"
        self.small = ["--set", "subwords.vocabulary=300", "--out", self.out]
        self.good = ["prepare", "--source", self.source, "--target", self.target, *self.small]

    def assert_no_dataset(self):
        self.assertFalse((self.out / "dataset.json").exists())
        if self.out.exists():
            self.assertEqual([f for f in self.files_below(self.out) if ".partial" in f], [])

    # Good input

    def test_plain_gz_xz_and_tsv_give_the_same_dataset(self):
        source, target = self.source.read_text(), self.target.read_text()
        tsv = "".join(f"{s}\t{t}\n" for s, t in zip(source.splitlines(), target.splitlines()))
        self.write("a.en.gz", gzip.compress(source.encode()))
        self.write("a.de.xz", lzma.compress(target.encode()))
        self.write("a.tsv", tsv)
        checksums = set()
        for i, inputs in enumerate([["--source", self.source, "--target", self.target],
                                    ["--source", self.folder / "a.en.gz", "--target", self.folder / "a.de.xz"],
                                    ["--tsv", self.folder / "a.tsv"]]):
            out = self.folder / f"out{i}"
            self.succeed("prepare", *inputs, "--set", "subwords.vocabulary=300", "--out", out)
            checksums.add(json.loads(self.succeed("inspect", out, "--json").stdout)["manifest"]["checksum"])
        self.assertEqual(len(checksums), 1)

    def test_json_and_table_agree(self):
        statistics = json.loads(self.succeed(*self.good, "--json").stdout)
        self.assertEqual(statistics["clean"]["pairs_after"], 2000)
        shown = self.succeed("inspect", self.out, "--count", 1).stdout
        self.assert_says(shown, "2,000", "300", "pair 0")

    def test_unigram_and_one_model_per_side(self):
        self.succeed(*self.good, "--set", "subwords.type=unigram", "--set", "subwords.joint=false")
        self.assert_says(self.succeed("inspect", self.out).stdout, "unigram")
        self.assertFalse((self.out / "joint.model").exists())

    def test_an_existing_model_is_used(self):
        self.succeed(*self.good)
        model = self.out / "joint.model"
        other = self.folder / "other"
        self.succeed("prepare", "--source", self.source, "--target", self.target, "--out", other,
                     "--set", f"subwords.model={model}")
        self.assertEqual((other / "joint.model").read_bytes(), model.read_bytes())

    def test_generated_corpora(self):
        for name in ["demo", "reversal"]:
            out = self.folder / name
            self.succeed("prepare", "--corpus", name, "--set", "corpus.generated_pairs=3000",
                         "--set", f"subwords.vocabulary={1000 if name == 'demo' else 150}", "--out", out)
            splits = json.loads(self.succeed("inspect", out, "--json").stdout)["manifest"]["splits"]
            self.assertEqual(splits, {"train": 3000, "dev": 1000, "test": 1000})

    # Bad input: a clear message, an exit code, nothing half-written

    def test_sides_of_different_length(self):
        self.target.write_text("".join(self.target.read_text().splitlines(True)[:-1]))
        message = self.refuse(1, *self.good)
        self.assert_says(message, self.source, 2000, self.target, 1999)
        self.assert_no_dataset()

    def test_missing_file(self):
        message = self.refuse(1, "prepare", "--source", self.folder / "none.en", "--target", self.target, *self.small)
        self.assert_says(message, "none.en", "No such file")
        self.assert_no_dataset()

    def test_not_utf8(self):
        lines = self.target.read_bytes().splitlines(True)
        lines[16] = "Fünfzehn Bücher\n".encode("latin-1")
        self.target.write_bytes(b"".join(lines))
        message = self.refuse(1, *self.good)
        self.assert_says(message, f"{self.target}:17", "UTF-8", "clean.invalid_utf8=drop")
        self.assert_no_dataset()
        done = self.succeed(*self.good, "--set", "clean.invalid_utf8=drop", "--json")
        self.assert_says(done.stderr, f"{self.target}:17")
        self.assertEqual(json.loads(done.stdout)["clean"]["dropped"]["invalid_utf8"], 1)

    def test_not_utf8_in_the_dev_set(self):
        bad = self.write("dev.en", b"fine\nb\xfcro\n")
        message = self.refuse(1, *self.good, "--dev-source", bad, "--dev-target", bad)
        self.assert_says(message, "2", "dev.en", "UTF-8")
        self.assert_no_dataset()

    def test_empty_after_cleaning(self):
        message = self.refuse(1, *self.good, "--set", "clean.min_words=100", "--set", "clean.max_words=200")
        self.assert_says(message, "2000", "too_short")
        self.assert_no_dataset()
        self.write("a.en", "")
        self.write("a.de", "")
        self.assert_says(self.refuse(1, *self.good), "a.en")

    def test_truncated_files(self):
        for name, packed in [("t.gz", gzip.compress(self.source.read_bytes())),
                             ("t.xz", lzma.compress(self.source.read_bytes()))]:
            path = self.write(name, packed[:-20])
            message = self.refuse(1, "prepare", "--source", path, "--target", self.target, *self.small)
            self.assert_says(message, name)
            self.assert_no_dataset()

    def test_vocabulary_larger_than_the_text_allows(self):
        message = self.refuse(1, *self.good, "--set", "subwords.vocabulary=1000000")
        self.assert_says(message, "1000000", "--set subwords.vocabulary=")
        self.assert_no_dataset()
        possible = message.split("subwords.vocabulary=")[1].split()[0]
        self.succeed(*self.good, "--set", f"subwords.vocabulary={possible}")  # what is named does work

    def test_a_model_with_other_special_ids(self):
        subprocess.run(["spm_train", f"--input={self.source}", f"--model_prefix={self.folder}/plain",
                        "--vocab_size=200", "--minloglevel=2"], check=True, capture_output=True)
        message = self.refuse(1, *self.good, "--set", f"subwords.model={self.folder}/plain.model")
        self.assert_says(message, "plain.model", "0, 1, 2, 3", "--pad_id=0")

    def test_wrong_calls(self):
        self.refuse(2, "prepare", "--out", self.out)
        self.assert_says(self.refuse(2, "prepare", "--source", self.source, *self.small), "--target")
        self.assert_says(self.refuse(2, "prepare", "--sauce", "x"), "--sauce", "--source?")
        self.assert_says(self.refuse(2, "prepare", "--source", self.source, "--target", self.target), "--out")
        self.assert_says(self.refuse(2, *self.good, "--corpus", "wmt16-ende"), "wmt16-en-de?")

    def test_unknown_key(self):
        config = self.write("c.yaml", "seed: 3\nclean:\n  max_wrods: 9\n")
        message = self.refuse(2, *self.good, "--config", config)
        self.assert_says(message, "c.yaml:3", "clean.max_wrods", "clean.max_words?")

    def test_damaged_dataset(self):
        self.succeed(*self.good)
        ids = self.out / "train.ids"
        whole = ids.read_bytes()
        ids.write_bytes(whole[:-3])
        self.assert_says(self.refuse(1, "inspect", self.out), "train.ids", "prepare")
        ids.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        self.assert_says(self.refuse(1, "inspect", self.out), "train.ids", "checksum")
        self.succeed(*self.good)  # makes it whole again
        self.succeed("inspect", self.out)
        self.assertEqual(ids.read_bytes(), whole)

    @unittest.skipUnless(os.geteuid() == 0, "mounting a small disk needs root")
    def test_disk_full(self):
        disk = self.folder / "disk"
        disk.mkdir()
        for size in ["64k", "300k", "600k"]:  # full at different stages
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)],
                                     capture_output=True)
            if mounted.returncode != 0:
                self.skipTest("tmpfs cannot be mounted here")
            try:
                message = self.refuse(1, "prepare", "--source", self.source, "--target", self.target,
                                      "--set", "subwords.vocabulary=300", "--out", disk / "out")
                self.assert_says(message, "No space left on device", "disk")
                self.assertFalse((disk / "out" / "dataset.json").exists())
                self.assertEqual([f for f in self.files_below(disk) if ".partial" in f], [])
            finally:
                subprocess.run(["umount", str(disk)], check=True)

    @long_test
    def test_two_at_once_in_one_folder(self):
        source, target = sentences(60000, seed=2)
        self.source.write_text(source)
        self.target.write_text(target)
        first = subprocess.Popen(self.command(*self.good), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        while not (self.out / "work" / "train.clean.tsv").exists():
            time.sleep(0.01)
        self.assert_says(self.refuse(1, *self.good), self.out)
        first.communicate()
        self.assertEqual(first.returncode, 0)


@long_test
class InterruptionTest(ProgramTest):
    """Ctrl-C at each stage, then a second run: as if nothing had happened."""

    def setUp(self):
        super().setUp()
        source, target = sentences(240000, seed=3)
        self.source = self.write("a.en", source)
        self.target = self.write("a.de", target)

    def arguments(self, out):
        return ["prepare", "--source", self.source, "--target", self.target, "--set", "subwords.vocabulary=1200",
                "--set", "subwords.sample_pairs=30000", "--out", out]

    def wait_for(self, condition, process):
        deadline = time.time() + 120
        while not condition():
            self.assertIsNone(process.poll(), "finished before it could be interrupted")
            self.assertLess(time.time(), deadline)
            time.sleep(0.001)

    @staticmethod
    def times(path):
        return path.stat().st_mtime_ns if path.exists() else None

    def test_each_stage(self):
        whole = self.folder / "whole"
        self.succeed(*self.arguments(whole))
        expected = json.loads((whole / "dataset.json").read_text())["checksum"]
        work = {
            "clean": lambda out: any((out / "work").glob("train.clean.tsv*")),
            "shuffle": lambda out: (out / "work/train.clean.tsv").exists(),
            "subwords": lambda out: (out / "work/train.shuffled.tsv").exists(),
            "encode": lambda out: (out / "work/dataset/train.ids.partial").exists(),
        }
        others = {"clean": signal.SIGTERM, "shuffle": signal.SIGHUP, "subwords": signal.SIGHUP, "encode": signal.SIGTERM}
        for numbers in (dict.fromkeys(work, signal.SIGINT), others):
            for stage, reached in work.items():
                number = numbers[stage]
                with self.subTest(stage=stage, signal=number.name):
                    out = self.folder / f"{stage}-{number.name}"
                    process = subprocess.Popen(self.command(*self.arguments(out)), stderr=subprocess.PIPE,
                                               stdout=subprocess.DEVNULL, text=True)
                    self.wait_for(lambda: reached(out), process)
                    process.send_signal(number)
                    _, message = process.communicate(timeout=60)
                    self.assertEqual(process.returncode, 128 + number, message)
                    self.assertFalse((out / "dataset.json").exists())
                    self.assertEqual([f for f in self.files_below(out) if ".partial" in f or "bucket" in f], [])
                    before = self.times(out / "work" / "train.clean.tsv")
                    self.succeed(*self.arguments(out))
                    if stage in ("subwords", "encode"):
                        self.assertEqual(self.times(out / "work" / "train.clean.tsv"), before, "it was cleaned again")
                    self.assertEqual(json.loads((out / "dataset.json").read_text())["checksum"], expected)

    def test_kill_9(self):
        out = self.folder / "killed"
        process = subprocess.Popen(self.command(*self.arguments(out)), stderr=subprocess.DEVNULL)
        self.wait_for(lambda: (out / "work/dataset/train.ids.partial").exists(), process)
        process.kill()
        process.wait()
        self.assert_says(self.refuse(1, "inspect", out), out)
        self.succeed(*self.arguments(out))
        self.succeed("inspect", out)
        self.assertEqual([f for f in self.files_below(out) if ".partial" in f], [])


if __name__ == "__main__":
    run_tests()
