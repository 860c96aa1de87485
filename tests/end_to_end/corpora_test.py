# SPDX-License-Identifier: Apache-2.0
"""verbund prepare with other formats than plain text, with several corpora, and with tags, as a user meets them."""

import array
import gzip
import json
import lzma
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.fixtures import training  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402
from xml.sax.saxutils import escape  # noqa: E402

TMX = '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header/><body>\n{}</body></tmx>\n'
SMALL = ["--set", "subwords.vocabulary=400", "--set", "subwords.character_coverage=1"]


def tmx(pairs):
    return TMX.format("".join(f'<tu><tuv xml:lang="en-GB"><seg>{escape(s)}</seg></tuv>'
                              f'<tuv xml:lang="DE"><seg>{escape(t)}</seg></tuv></tu>\n' for s, t in pairs))


def json_lines(pairs, wrap):
    return "".join(json.dumps(wrap({"en": s, "de": t})) + "\n" for s, t in pairs)


def demo_pairs():
    text = (fixtures.dataset() / "work" / "train.clean.tsv").read_text()
    return [line.split("\t") for line in text.splitlines()]


class CorporaTest(ProgramTest):
    def checksum(self, folder):
        return json.loads((folder / "dataset.json").read_text())["checksum"]

    def test_every_format_gives_the_same_dataset(self):
        pairs = demo_pairs()[:600]
        plain = [self.write("a.en", "".join(s + "\n" for s, _ in pairs)),
                 self.write("a.de", "".join(t + "\n" for _, t in pairs))]
        inputs = {
            "plain": ["--source", plain[0], "--target", plain[1]],
            "tsv": ["--pairs", self.write("a.tsv", "".join(f"{s}\t{t}\n" for s, t in pairs))],
            "named": ["--pairs", self.write("b.gz", gzip.compress(
                ("de\tid\ten\n" + "".join(f"{t}\t7\t{s}\n" for s, t in pairs)).encode()))],
            "nested": ["--pairs", self.write("c", json_lines(pairs, lambda sides: {"id": 1, "translation": sides}))],
            "flat": ["--pairs", self.write("d.xz", lzma.compress(json_lines(pairs, dict).encode()))],
            "tmx": ["--pairs", self.write("e.tmx", tmx(pairs))],
            "tmx.gz": ["--pairs", self.write("f", gzip.compress(tmx(pairs).encode()))],
        }
        checksums = {}
        for name, flags in inputs.items():
            self.succeed("prepare", *flags, *SMALL, "--out", self.folder / name)
            checksums[name] = self.checksum(self.folder / name)
        self.assertEqual(len(set(checksums.values())), 1, checksums)

    def test_a_broken_file_is_an_error_and_the_old_dataset_stays(self):
        pairs = demo_pairs()[:600]
        out = self.folder / "out"
        call = ["prepare", "--pairs", self.folder / "file", *SMALL, "--out", out]
        good = tmx(pairs)
        bomb = '<!DOCTYPE tmx [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<tmx><body><tu><tuv xml:lang="en"><seg>&b;'
        broken = {
            "not closed": good.replace("</seg>", "", 1),
            "truncated": good[:len(good) // 2],
            "entities": bomb,
            "encoding": good.encode().replace(b"<seg>", b"<seg>\xe4", 1),
            "declared": good.encode().replace(b"UTF-8", b"UTF-9", 1),
            "truncated gzip": gzip.compress(good.encode())[:-20],
            "other languages": good.replace('"DE"', '"fr"'),
            "xliff": "<?xml version='1.0'?>\n<xliff/>\n",
            "json cut": json_lines(pairs, dict)[:-9],
            "json keys": json_lines(pairs, lambda sides: {"source": sides["en"]}),
            "short line": "en\tx\tde\n" + "a\tb\tc\n" * 50 + "a\tb\n",
            "no format": "a sentence\n" * 50,
            "nothing": "",
        }
        self.write("file", good)
        self.succeed(*call)
        before, files = self.checksum(out), self.files_below(out)
        for name, content in broken.items():
            with self.subTest(name):
                self.write("file", content)
                self.assert_says(self.refuse(1, *call), self.folder / "file")
                self.assertEqual(self.checksum(out), before)
                self.assertEqual(self.files_below(out), files)
                fresh = self.folder / f"fresh {name}"
                self.refuse(1, *call[:-1], fresh)
                left = self.files_below(fresh)
                self.assertNotIn("dataset.json", left)
                self.assertEqual([file for file in left if "partial" in file], [])
        self.write("file", broken["encoding"])  # the rule of cleaning holds for it
        self.succeed(*call, "--set", "clean.invalid_utf8=drop")
        statistics = json.loads((out / "statistics.json").read_text())
        self.assertEqual(statistics["clean"]["dropped"]["invalid_utf8"], 1)

    def evaluation(self, run, *where):
        """The scores of a model, without how long it took."""
        scores = json.loads(self.succeed("evaluate", "-m", run, "--json", *where).stdout)
        return {key: value for key, value in scores.items() if not key.endswith("_seconds")}

    def test_two_corpora_with_tags(self):
        pairs = demo_pairs()
        (there, back) = (self.write("there.tsv", "".join(f"{s}\t{t}\n" for s, t in pairs)),
                         self.write("back.tsv", "".join(f"{t}\t{s}\n" for s, t in pairs)))
        dev = self.write("dev.tsv", "".join(f"{s}\t{t}\n" for s, t in pairs[:20]))
        data, run = self.folder / "data", self.folder / "run"
        self.succeed("prepare", "--add", f"there={there}", "--add", f"back={back}", "--tag", "there=<2de>", "--tag",
                     "back=<2en>", "--weight", "back=0.5", "--add-dev", f"there={dev}", *SMALL, "--set",
                     "subwords.symbols=[<formal>]", "--out", data)
        shown = json.loads(self.succeed("inspect", data, "--split", "train-back", "--json").stdout)
        self.assertEqual(shown["manifest"]["sources"], [{"name": "there", "weight": 1.0, "tag": "<2de>"},
                                                        {"name": "back", "weight": 0.5, "tag": "<2en>"}])
        self.assertEqual(set(shown["manifest"]["splits"]), {"train-there", "train-back", "dev", "dev-there"})
        for pair in shown["pairs"]:
            self.assertEqual(pair["source_pieces"].split()[0], "▁<2en>")
        self.assertTrue((data / "dev-there.source.txt").read_text().startswith(f"<2de> {pairs[0][0]}\n"))
        # The ids follow those of the four special pieces: <formal> has 4 and 5, then the tags.
        for name, tag in (("there", 6), ("back", 8)):
            ids = array.array("H", (data / f"train-{name}.ids").read_bytes()[16:])
            offsets = array.array("Q", (data / f"train-{name}.offsets").read_bytes()[16:])
            self.assertEqual({ids[start] for start in offsets[:-1]}, {tag})
            self.assertEqual(ids.count(tag), len(pairs))

        self.assert_says(self.succeed(*training(run, 30, data)).stderr, f"{run} --tag '<2de>'")
        line = pairs[0][0]
        translate = ["translate", "-m", run, "--json", "--alignment"]
        # A translation without a tag is warned of once, and by the first line that has none.
        warned = lambda *more, text: "warning" in self.succeed(*translate, *more, input=text).stderr  # noqa: E731
        self.assertEqual(self.succeed(*translate, input=f"<2en> x\n{line}\n{line}\n").stderr.count("warning"), 1)
        self.assertFalse(warned(text=f"<2en> x\n\n<2de> {line}\n"))
        self.assertFalse(warned("--tag", "<2de>", text=f"{line}\n"))
        self.assertEqual([corpus["tag"] for corpus in json.loads((run / "run.json").read_text())["dataset"]["corpora"]],
                         ["<2de>", "<2en>"])
        tagged = json.loads(self.succeed(*translate, input=f"<2de> {line}\n").stdout)
        by_flag = json.loads(self.succeed(*translate, "--tag", "<2de>", input=f"{line}\n").stdout)
        self.assertEqual(by_flag["translations"][0]["text"], tagged["translations"][0]["text"])
        self.assertEqual(tagged["source_pieces"], ["▁<2de>", *by_flag["source_pieces"]])
        for source, _ in by_flag["translations"][0]["alignment"]:
            self.assertLess(source, len(by_flag["source_pieces"]))
        self.assert_says(self.refuse(2, *translate, "--tag", "<2fr>", input="x\n"), "<2fr>")

        # A test set without tags, tagged by the flag, by hand, and by prepare.
        plain, references = (self.write(name, "".join(pair[side] + "\n" for pair in pairs[:20]))
                             for side, name in enumerate(("plain", "references")))
        by_hand = self.write("by-hand", "".join(f"<2de> {source}\n" for source, _ in pairs[:20]))
        files = ["--reference", references, "--source"]
        one = self.evaluation(run, *files, plain, "--tag", "<2de>")
        other = self.evaluation(run, *files, by_hand)
        prepared = self.evaluation(run, "--data", data, "--split", "dev-there")
        untagged = self.evaluation(run, *files, plain)
        self.assertEqual(one, other)
        self.assertEqual(one, prepared)
        self.assertNotEqual(one["cross_entropy"], untagged["cross_entropy"])
        evaluate = ["evaluate", "-m", run]
        self.assert_says(self.refuse(2, *evaluate, *files, plain, "--tag", "<2fr>"), "<2fr>")
        self.assert_says(self.refuse(2, *evaluate, "--data", data, "--split", "dev", "--tag", "<2de>"), "--source")

        # More text for the same model: its vocabulary has these tags and no others.
        like = ["prepare", "--like", run, "--add", f"more={there}", "--tag"]
        self.succeed(*like, "more=<formal>", "--out", self.folder / "more")
        self.assertEqual((self.folder / "more" / "joint.model").read_bytes(), (data / "joint.model").read_bytes())
        self.assert_says(self.refuse(2, *like, "more=<2fr>", "--out", self.folder / "french"), "<2fr>")
        self.assertFalse((self.folder / "french" / "dataset.json").exists())
        # A model without these tags: its vocabulary cannot be used, and no command is advised that would fail.
        said = self.refuse(1, *training(self.folder / "other", 1, data, train__start_from=fixtures.model()))
        self.assert_says(said, "<2de>, <2en>", "train.start_from_vocabulary=map")
        self.assertNotIn("--like", said)


if __name__ == "__main__":
    run_tests()
