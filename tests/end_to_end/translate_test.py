# SPDX-License-Identifier: Apache-2.0
"""verbund translate: what goes in comes out translated, line by line, whatever it is."""

import gzip
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402


class TranslateTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.data, cls.model = fixtures.dataset(), fixtures.model()

    def translate(self, text, *more):
        return self.succeed("translate", "-m", self.model, *more, input=text).stdout

    def test_lines_keep_their_order_and_number(self):
        lines = (self.data / "test.source.txt").read_text().splitlines()[:60]
        together = self.translate("\n".join(lines) + "\n").splitlines()
        self.assertEqual(len(together), 60)
        alone = [self.translate(line + "\n").rstrip("\n") for line in lines[:5]]
        self.assertEqual(together[:5], alone)
        small_window = self.translate("\n".join(lines) + "\n", "--window", "7").splitlines()
        self.assertEqual(together, small_window)
        path = self.write("text.en", "\n".join(lines) + "\n")
        self.assertEqual(self.translate("", path).splitlines(), together)

    def test_empty_lines_and_files(self):
        self.assertEqual(self.translate(""), "")
        self.assertEqual(self.translate("\n   \n"), "\n\n")
        lines = self.translate("The dog sleeps.\n\nThe cat sleeps.").split("\n")
        self.assertEqual([bool(line) for line in lines], [True, False, True, False])

    def test_a_closed_standard_input_is_an_error(self):
        done = self.run_program("translate", "-m", self.model, preexec_fn=lambda: os.close(0))
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assert_says(done.stderr, "verbund: ", "standard input")

    def test_a_link_that_leads_to_itself(self):
        run = self.folder / "run"
        shutil.copytree(self.model, run, symlinks=True)
        best = run / "checkpoints" / "best"
        best.unlink(missing_ok=True)
        best.symlink_to("best")
        self.assert_says(self.refuse(1, "translate", "-m", run, input="a\n"), best, "--checkpoint last")
        self.assert_says(self.refuse(1, "translate", "-m", run, "--checkpoint", "best", input="a\n"), "best", "last")
        self.assert_says(self.refuse(1, "translate", "-m", best, input="a\n"), best)
        self.assert_says(self.refuse(1, "inspect", best), best)
        self.succeed("inspect", run)
        self.succeed("translate", "-m", run, "--checkpoint", "last", input="a\n")

    def test_any_utf8(self):
        self.assertEqual(len(self.translate("日本語 🙂 Ω\n\u200b\nx\ty\n").split("\n")), 4)
        message = self.refuse(1, "translate", "-m", self.model, self.write("bad.txt", b"good\nb\xffd\n"))
        self.assert_says(message, "bad.txt: line 2", "UTF-8")

    def test_what_comes_before_a_bad_line_is_translated(self):
        for bad, flags in ((b"b\xffd\n", []), (b"one column\n", ["--tsv", "2"]),
                           (b"long " * 300 + b"\n", ["--long-lines", "refuse"])):
            good = b"The dog sleeps.\n" if "--tsv" not in flags else b"1\tThe dog sleeps.\n"
            with self.subTest(bad=bad[:10]):
                done = self.run_program("translate", "-m", self.model, *flags, input=good * 5 + bad + good)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stdout.count("\n"), 5)
                self.assert_says(done.stderr, "line 6")
        done = self.run_program("translate", "-m", self.model, "--interactive", input=b"A\n\xff\nB\n")
        self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 2))
        self.assert_says(done.stderr, "line 2")

    def test_a_stream_that_pauses_is_answered(self):
        with subprocess.Popen(self.command("translate", "-m", self.model), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as stream:
            for _ in range(3):
                stream.stdin.write(b"The dog sleeps.\nThe cat runs.\n")
                stream.stdin.flush()
                self.assertTrue(stream.stdout.readline().endswith(b"\n"))
                self.assertTrue(stream.stdout.readline().endswith(b"\n"))
            stream.stdin.close()
        self.assertEqual(stream.returncode, 0)

    def test_pipes_and_compressed_streams(self):
        text = "".join(f"The dog sleeps {i}.\n" for i in range(300))
        expected = self.translate(text)
        self.assertEqual(self.succeed("translate", "-m", self.model, input=gzip.compress(text.encode())).stdout, expected)
        path = self.write("text.en", text)
        command = " ".join(str(word) for word in self.command("translate", "-m", self.model))
        done = subprocess.run(["bash", "-c", f"{command} <(cat {path})"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, expected)

    def test_a_reader_that_leaves_is_no_error(self):
        command = " ".join(str(word) for word in self.command("translate", "-m", self.model))
        for both in ("", "2>&1"):
            done = subprocess.run(["bash", "-c", f"yes The dog sleeps. | head -5000 | {command} {both} | head -1; "
                                   "echo ${PIPESTATUS[2]}"], capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout.splitlines()[-1], "141")
            self.assertEqual(done.stderr, "")

    def test_very_long_lines(self):
        text = "the dog sees the cat , " * 2500 + "\n"
        done = self.succeed("translate", "-m", self.model, "--set", "decode.beam=1", input=text)
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assert_says(done.stderr, "warning: ", "line 1")
        done = self.succeed("translate", "-m", self.model, "--set", "decode.beam=1", "--set", "decode.max_tokens=15",
                            input="The dog sleeps.\n" + ("The dog sleeps. " * 8 + "\n") * 3)
        self.assert_says(done.stderr, "3 lines", "line 2")
        self.assertEqual(done.stderr.count("line 2"), 1)
        sentences = ["The dog sleeps.", "The cat runs.", "A man reads a book."] * 20
        apart = self.translate("".join(sentence + "\n" for sentence in sentences)).split("\n")
        together = self.translate(" ".join(sentences) + "\n")
        self.assertEqual(together, " ".join(apart).rstrip() + "\n")
        self.assert_says(self.refuse(1, "translate", "-m", self.model, "--long-lines", "refuse", input=text), "line 1",
                         "--max-tokens")

    def test_nbest_scores_and_alignment(self):
        lines = [line.split("\t") for line in
                 self.translate("The dog sleeps.\nThe cat runs.\n", "--nbest", "3", "--scores", "--alignment").splitlines()]
        self.assertEqual([line[0] for line in lines], ["1", "1", "1", "2", "2", "2"])
        scores = [float(line[1]) for line in lines]
        self.assertEqual(scores[:3], sorted(scores[:3], reverse=True))
        self.assertTrue(all("-" in pair for pair in lines[0][3].split()))
        result = json.loads(self.translate("The dog sleeps.\n", "--json", "--nbest", "2"))
        self.assertEqual(len(result["translations"]), 2)

    def test_tsv_and_prefix(self):
        out = self.translate("7\tThe dog sleeps.\tDie\n", "--tsv", "2", "--prefix-column", "3")
        columns = out.rstrip("\n").split("\t")
        self.assertEqual(columns[:3], ["7", "The dog sleeps.", "Die"])
        as_json = subprocess.run(list(map(str, self.command("translate", "-m", self.model, "--tsv", "2", "--json"))),
                                 input=b"\xff\tThe dog sleeps.\tx\n", capture_output=True, check=True).stdout
        self.assertEqual(json.loads(as_json)["columns"], ["\ufffd", "The dog sleeps.", "x"])
        self.assertTrue(columns[3].startswith("Die"))
        self.assert_says(self.refuse(1, "translate", "-m", self.model, "--tsv", "2", input="one\n"), "line 1", "column")
        self.assertTrue(self.translate("The dog sleeps.\n", "--prefix", "Das ist").startswith("Das ist"))
        self.assert_says(self.refuse(1, "translate", "-m", self.model, "--prefix", "漢", input="x\n"), "prefix", "漢")
        self.assert_says(self.refuse(2, "translate", "-m", self.model, "--prefix", "x", "--prefix-column", "1", "--tsv",
                                     "1", input="x\n"), "--prefix")

    def test_what_was_cut_is_said(self):
        short = ["--set", "decode.max_ratio=0", "--set", "decode.max_extra=2"]
        done = self.succeed("translate", "-m", self.model, *short, "--json", input="The dog sleeps in the house.\n")
        self.assertIs(json.loads(done.stdout)["translations"][0]["finished"], False)
        self.assert_says(done.stderr, "1", "decode.max_extra")

    def test_sampling_repeats_with_its_seed(self):
        sample = ["--set", "decode.beam=1", "--set", "decode.sample_top=20", "--set", "decode.temperature=2"]
        text = "The dog sleeps.\n" * 5
        first = self.translate(text, *sample, "--seed", "1")
        self.assertEqual(first, self.translate(text, *sample, "--seed", "1"))
        self.assertNotEqual(first, self.translate(text, *sample, "--seed", "2"))
        self.assertGreater(len(set(first.splitlines())), 1, "equal sentences are drawn each for itself")

    def test_an_ensemble_of_one_model_is_the_model(self):
        text = "The dog sleeps.\nThe cat runs.\n"
        self.assertEqual(self.translate(text), self.translate(text, "-m", self.model))

    def test_endless_streams_are_read_only_as_far_as_needed(self):
        line, lines, written = b"A dog runs and a cat sleeps .\n", 100, 0
        # One that wanted it all would run out of memory, and not take the machine's.
        limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))  # noqa: E731
        process = subprocess.Popen(self.command("translate", "-m", self.model, "--window", 20, "--set",
                                                "decode.beam=1"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   preexec_fn=limit)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)

        def feed():
            nonlocal written
            try:
                while True:
                    written += os.write(process.stdin.fileno(), line * 100)
            except BrokenPipeError:
                pass

        feeder = threading.Thread(target=feed)
        feeder.start()
        for _ in range(lines):
            self.assertTrue(process.stdout.readline().strip(), "it ended")
        ahead = written - lines * len(line)
        process.kill()
        process.wait()
        feeder.join()
        self.assertLess(ahead, 1 << 20, "bytes: what pipes and buffers hold, and some windows")

    def test_interactive_answers_line_by_line(self):
        process = subprocess.Popen(self.command("translate", "-m", self.model, "--interactive"), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        for _ in range(3):
            process.stdin.write("The dog sleeps.\n")
            process.stdin.flush()
            self.assertTrue(process.stdout.readline().strip())
        process.communicate()
        self.assertEqual(process.returncode, 0)

    def test_wrong_calls(self):
        self.assert_says(self.refuse(2, "translate"), "--model")
        self.assert_says(self.refuse(1, "translate", "-m", self.folder / "nowhere"), "nowhere")
        self.assert_says(self.refuse(1, "translate", "-m", self.data), self.data)
        self.assert_says(self.refuse(1, "translate", "-m", self.model, "--checkpoint", "best-bleu-ever"), "best-bleu-ever", "last")
        self.assert_says(self.refuse(2, "translate", "-m", self.model, "--nbest", "9"), "beam")
        self.assert_says(self.refuse(1, "translate", "-m", self.model, self.folder / "no.txt"), "no.txt")


if __name__ == "__main__":
    run_tests()
