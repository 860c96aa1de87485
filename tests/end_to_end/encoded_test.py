# SPDX-License-Identifier: Apache-2.0
"""Text that is encoded already, as users of OpenSeq2Seq bring it."""

import array
import gzip
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import DATA, ProgramTest, long_test, run_tests  # noqa: E402
from support.training import CORPUS, SMALL, settings  # noqa: E402

ARRAYS = [f"{split}.{part}" for split in ("train", "dev", "test") for part in ("ids", "offsets", "lengths")]
TINY = settings({**SMALL, "model.encoder_layers": 1, "model.decoder_layers": 1, "model.d_model": 16, "model.heads": 2,
                 "model.d_ff": 16, "train.max_steps": 3})
QUICK = settings({"evaluate.sentences": 20, "decode.beam": 1, "decode.max_extra": 0})


class EncodedTest(ProgramTest):
    def checksum(self, dataset):
        return json.loads((dataset / "dataset.json").read_text())["checksum"]

    def evaluated(self, run, dataset):
        done = json.loads(self.succeed("evaluate", "-m", run, "--data", dataset, *QUICK, "--json").stdout)
        return {key: value for key, value in done.items() if "seconds" not in key}

    def prepare_encoded(self, out, vocabulary, **files):
        flags = [word for name, file in files.items() for word in ("--" + name.replace("_", "-"), file)]
        self.succeed("prepare", "--encoded", "--subwords", vocabulary, *flags, "--out", out)
        return out

    def test_exported_text_comes_back_as_the_same_dataset(self):
        raw = self.folder / "raw"
        self.succeed("prepare", *CORPUS, "--export-text", "--out", raw)
        text = {f"{prefix}{side}": raw / "export" / f"{name}.{suffix}.BPE_common.400.tok"
                for prefix, name, suffixes in (("", "train.clean", ("en.shuffled", "de.shuffled")),
                                               ("dev_", "dev", ("src", "ref")), ("test_", "test", ("src", "ref")))
                for side, suffix in zip(("source", "target"), suffixes)}
        by_model = self.prepare_encoded(self.folder / "by-model", raw / "joint.model", **text)
        self.assertEqual(self.checksum(by_model), self.checksum(raw))

        # The vocabulary file alone: the same ids, and a model that goes on encoding in the same way.
        by_vocabulary = self.prepare_encoded(self.folder / "by-vocabulary", raw / "export" / "m_common.vocab", **text)
        for name in ARRAYS:
            self.assertEqual((by_vocabulary / name).read_bytes(), (raw / name).read_bytes(), name)
        self.succeed("inspect", by_vocabulary)
        results = []
        for dataset in (raw, by_vocabulary):
            run = self.folder / f"run-{dataset.name}"
            self.succeed("train", "--data", dataset, "--run", run, *TINY)
            evaluated = self.evaluated(run, dataset)
            translated = self.succeed("translate", "-m", run, *QUICK[2:], input="the old man sees a dog .\n").stdout
            results.append((evaluated["loss"], evaluated["bleu"], translated))
        self.assertEqual(results[0], results[1])

    @long_test
    @unittest.skipUnless((DATA / "course").is_dir(), f"no data folder at {DATA}")
    def test_newstest_as_encoded_by_others(self):
        model, vocabulary = DATA / "course" / "m_common.model", DATA / "course" / "m_common.vocab"
        english, german = (DATA / "newstest" / f"newstest2014-2737.{side}.gz" for side in ("en", "de"))
        encoded = DATA / "course" / "wmt14-en-de.src.BPE_common.32K.tok.gz"
        raw = self.folder / "raw"
        self.succeed("prepare", "--subwords", model, "--source", english, "--target", german, "--test-source", english,
                     "--test-target", german, "--export-text", "--out", raw)
        reference = raw / "export" / "test.ref.BPE_common.32K.tok"
        text = {"source": encoded, "target": reference, "test_source": encoded, "test_target": reference}
        dataset = self.prepare_encoded(self.folder / "encoded", model, **text)

        # Line by line the pieces of the file.
        pieces = [line.split("\t")[0] for line in vocabulary.read_text().split("\n")]
        known = set(pieces[4:])
        ids = array.array("H", (dataset / "test.ids").read_bytes()[16:])
        lengths = array.array("I", (dataset / "test.lengths").read_bytes()[16:])
        lines = gzip.decompress(encoded.read_bytes()).decode().rstrip("\n").split("\n")
        self.assertEqual(len(lengths), 2 * len(lines))
        begin = 0
        for number, line in enumerate(lines):
            own = [pieces[i] for i in ids[begin:begin + lengths[2 * number]]]
            expected = [piece if piece in known else "<unk>" for piece in line.split(" ") if piece]
            self.assertEqual(own, expected, f"line {number + 1}")
            begin += lengths[2 * number] + lengths[2 * number + 1]
        for part in ("ids", "offsets", "lengths"):
            self.assertEqual((dataset / f"test.{part}").read_bytes(), (raw / f"test.{part}").read_bytes())

        # A model of this vocabulary is judged the same on both.
        run = self.folder / "run"
        self.succeed("train", "--data", dataset, "--run", run, *TINY)
        self.assertEqual(self.evaluated(run, dataset), self.evaluated(run, raw))

    def test_raw_text_is_not_taken_for_encoded(self):
        raw = self.folder / "raw"
        self.succeed("prepare", *CORPUS, "--export-text", "--out", raw)
        text = self.write("a.en", "the old man sees a dog .\n" * 5)
        out = self.folder / "out"
        message = self.refuse(1, "prepare", "--encoded", "--subwords", raw / "joint.model", "--source", text, "--target",
                              text, "--out", out)
        self.assert_says(message, "25", "35", "71.4 %", f"{text}:1", "--encoded")
        self.assertFalse((out / "dataset.json").exists())
        self.assert_says(self.refuse(2, "prepare", "--encoded", "--source", text, "--target", text, "--out", out),
                         "--subwords")


if __name__ == "__main__":
    run_tests()
