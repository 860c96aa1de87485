# SPDX-License-Identifier: Apache-2.0
"""verbund export as a user meets it: the folder holds the checkpoint's weights bit by bit, is whole or absent, and
wrong calls are refused. That CTranslate2 understands it is shown by the oracle tests."""

import json
import pathlib
import resource
import signal
import struct
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402

D, LAYERS = 16, 2
TINY = {"model.d_model": D, "model.heads": 2, "model.d_ff": 32, "model.encoder_layers": LAYERS,
        "model.decoder_layers": LAYERS, "batch.tokens": 400, "train.max_steps": 20, "train.eval_every": 0,
        "evaluate.sentences": 8, "evaluate.at_start": "false", "checkpoint.save_every_steps": 10, "threads": 1,
        "model.attention_bias": "true"}
FILES = ["config.json", "model.bin", "provenance.json", "source.model", "source_vocabulary.json", "target.model", "target_vocabulary.json"]
ELEMENT_SIZES = [4, 1, 2, 4]  # of CTranslate2's types: float32, int8, int16, int32


def read_model(path):
    """Variables (name -> shape, type, bytes) and aliases of a model.bin, which must be used up to the last byte."""
    content, at = path.read_bytes(), 0

    def take(count):
        nonlocal at
        at += count
        return content[at - count:at]

    def number(form):
        return struct.unpack("<" + form, take(struct.calcsize(form)))[0]

    def text():
        taken = take(number("H"))
        assert taken.endswith(b"\0") and b"\0" not in taken[:-1], taken
        return taken[:-1].decode()

    version, spec, revision = number("I"), text(), number("I")
    assert (version, spec, revision) == (6, "TransformerSpec", 7)
    variables = {}
    for _ in range(number("I")):
        name = text()
        shape = [number("I") for _ in range(number("B"))]
        kind = number("B")
        variables[name] = (shape, kind, take(number("I")))
    aliases = dict((text(), text()) for _ in range(number("I")))
    assert at == len(content)
    return variables, aliases


def read_weights(path):
    """Name -> shape, bytes, of a safetensors file."""
    content = path.read_bytes()
    data = 8 + struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8:data])
    return {name: (about["shape"], content[data + about["data_offsets"][0]:data + about["data_offsets"][1]])
            for name, about in header.items() if name != "__metadata__"}


class ExportTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.data, cls.model = fixtures.dataset(), cls.shared.folder / "run"
        cls.shared.succeed("train", "--data", cls.data, "--run", cls.model, *fixtures.settings(TINY))

    def call(self, out, *more, model=None):
        return ["export", "--model", model or self.model, "--format", "ctranslate2", "--out", out, *more]

    def test_the_folder_holds_the_weights_of_the_checkpoint(self):
        for step in (10, 20):
            out = self.folder / f"of-{step}"
            name = f"step-{step:08d}"
            self.assert_says(self.succeed(*self.call(out, "--checkpoint", name)).stderr, out)
            self.assertEqual(self.files_below(out), FILES)
            variables, aliases = read_model(out / "model.bin")
            weights = read_weights(self.model / "checkpoints" / name / "weights.safetensors")
            for about in variables.values():
                size = ELEMENT_SIZES[about[1]]
                for extent in about[0]:
                    size *= extent
                self.assertEqual(len(about[2]), size)

            self.assertEqual(variables["decoder/layer_1/ffn/linear_0/weight"][::2],
                             weights["decoder.1.ff.in.weight"])
            self.assertEqual(variables["encoder/layer_0/self_attention/linear_0/bias"][::2],
                             weights["encoder.0.self.qkv.bias"])
            whole = weights["decoder.cross.kv.weight"][1]
            for layer in range(LAYERS):
                shape, _, part = variables[f"decoder/layer_{layer}/attention/linear_1/weight"]
                self.assertEqual(shape, [2 * D, D])
                self.assertEqual(part, whole[layer * 8 * D * D:(layer + 1) * 8 * D * D])
            # Everything that was trained is there, once.
            trained = sum(len(data) for _, data in weights.values())
            positions = len(variables["decoder/position_encodings/encodings"][2])
            self.assertEqual(sum(len(data) for _, kind, data in variables.values() if kind == 0), trained + positions)
            self.assertEqual(aliases, {"decoder/projection/weight": "decoder/embeddings/weight",
                                       "encoder/embeddings_0/weight": "decoder/embeddings/weight",
                                       "encoder/position_encodings/encodings": "decoder/position_encodings/encodings"})

    def test_the_vocabulary_is_that_of_the_run(self):
        out = self.folder / "out"
        self.succeed(*self.call(f"{out}/"))
        self.assertEqual((out / "source.model").read_bytes(), (self.model / "source.model").read_bytes())
        pieces = json.loads((out / "target_vocabulary.json").read_text())
        self.assertEqual(pieces[:4], ["<pad>", "</s>", "<s>", "<unk>"])
        self.assertEqual(len(pieces), read_model(out / "model.bin")[0]["decoder/embeddings/weight"][0][0])
        config = json.loads((out / "config.json").read_text())
        self.assertEqual((config["add_source_bos"], config["add_source_eos"], config["decoder_start_token"],
                          config["layer_norm_epsilon"]), (False, True, "<s>", 1e-6))

    def test_a_folder_that_exists_is_left_alone(self):
        out = self.folder / "out"
        out.mkdir()
        (out / "mine").write_text("kept")
        self.assert_says(self.refuse(1, *self.call(out)), out, "--out")
        self.assertEqual(self.files_below(self.folder), ["out/mine"])
        dangling = self.folder / "link"
        dangling.symlink_to(self.folder / "nowhere")
        self.assert_says(self.refuse(1, *self.call(dangling)), dangling)

    def card(self, run):
        out = self.folder / f"card-of-{run.name}"
        self.succeed("export", "--model", run, "--format", "huggingface", "--out", out)
        return (out / "README.md").read_text()

    def test_a_model_card_has_the_data_as_it_was_made_and_what_the_model_came_from(self):
        self.folder = self.folder.resolve()
        names = ("base", "imported", "tuned", "again", "data", "more")
        base, imported, tuned, again, data, more = (self.folder / name for name in names)
        settings = {"model.norm": "post", "model.norm_epsilon": 1e-5, "evaluate.sentences": 4, "train.max_steps": 4,
                    "train.eval_every": 2}
        self.succeed("train", "--data", self.data, "--run", base, *fixtures.settings({**TINY, **settings}))
        card = self.card(base)
        self.assertIn("1,000 training pairs.", card)
        self.assertRegex(card, r"\| BLEU \| [0-9.]+ \| 4 of [\d,]+ \|")
        self.assertEqual(card.count("\ncorpus:"), 1)  # that of the dataset, not of the training
        self.assertIn(f"  vocabulary: {fixtures.VOCABULARY}\n", card)
        self.assertNotIn("Fine-tuned", card)

        self.succeed("import", self.folder / "card-of-base", "--run", imported)
        for folder, pairs, words in ((data, 100, 31), (more, 200, 32)):
            self.succeed("prepare", "--corpus", "demo", "--set", f"corpus.generated_pairs={pairs}", "--like", imported,
                         "--set", f"clean.max_words={words}", "--out", folder)
        few = ["--set", "train.max_steps=2", "--set", "evaluate.sentences=4"]
        self.succeed("train", "--finetune", imported, "--data", data, "--data", more, "--run", tuned, *few)
        card = self.card(tuned)
        self.assert_says(card, "300 training pairs in 2 corpora", f"--out {data}", f"--out {more}", "max_words: 31",
                         "max_words: 32", "Fine-tuned from imported (imported from Hugging Face Marian: card-of-base)")
        self.succeed("train", "--finetune", tuned, "--data", data, "--run", again, *few)
        self.assertRegex(self.card(again),
                         r"Fine-tuned from tuned, step-\d+, which was fine-tuned from imported \(imported")

    def test_a_full_disk_leaves_nothing(self):
        def no_large_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        out = self.folder / "new" / "out"
        message = self.refuse(1, *self.call(out), preexec_fn=no_large_files, restore_signals=False)
        self.assert_says(message, "model.bin", "File too large")
        self.assertEqual(list((self.folder / "new").iterdir()), [])

    def test_what_a_killed_export_left_is_taken_over(self):
        left = self.folder / "out.partial"
        (left / "content").mkdir(parents=True)
        (left / "content" / "model.bin.partial").write_bytes(b"half")
        (left / ".verbund-partial").touch()
        self.succeed(*self.call(self.folder / "out"))
        self.assertFalse(left.exists())
        self.assertNotIn("model.bin.partial", self.files_below(self.folder / "out"))
        self.assertTrue((self.folder / "out" / "model.bin").exists())

    def test_exports_killed_at_any_moment_leave_nothing_in_the_way(self):
        for milliseconds in range(20, 140, 12):
            out = self.folder / f"out-{milliseconds}"
            process = subprocess.Popen(self.command(*self.call(out)), stderr=subprocess.DEVNULL)
            time.sleep(milliseconds / 1000)
            process.kill()
            process.wait()
            shutil.rmtree(out, ignore_errors=True)  # if it was published before the kill
            self.succeed(*self.call(out))
            self.assertEqual([str(p) for p in self.folder.glob("*.partial")], [])

    def test_a_folder_of_somebody_else_is_left_alone(self):
        other = self.folder / "out.partial"
        other.mkdir()
        (other / "letter.txt").write_text("dear")
        self.assert_says(self.refuse(1, *self.call(self.folder / "out")), other)
        self.assertEqual(self.files_below(self.folder), ["out.partial/letter.txt"])

    def test_wrong_calls(self):
        out = self.folder / "out"
        self.assert_says(self.refuse(1, *self.call(out, model=self.folder / "none")), self.folder / "none")
        self.assert_says(self.refuse(1, *self.call(out, model=self.data)), self.data)
        self.assert_says(self.refuse(1, *self.call(out, "--checkpoint", "step-7")), "step-7", "step-00000010")
        self.assert_says(self.refuse(1, *self.call(self.write("file", "") / "out")), "file")
        self.assert_says(self.refuse(2, "export", "--model", self.model, "--format", "onnx", "--out", out), "onnx",
                         "ctranslate2")
        self.assert_says(self.refuse(2, "export", "--model", self.model, "--format", "ctranslate2"), "--out")
        self.assert_says(self.refuse(2, "export", "--format", "ctranslate2", "--out", out), "--model")
        self.assert_says(self.refuse(2, *self.call(out, "--run", self.model)), "--model", "--run")
        self.assertFalse(out.exists())

    def test_a_run_for_tensorboard(self):
        out = self.folder / "out"
        call = ["export", "--format", "tensorboard", "--run", self.model, "--out", out]
        self.assert_says(self.succeed(*call).stderr, f"tensorboard --logdir {out}")
        events, = out.iterdir()
        self.assertRegex(events.name, r"^events\.out\.tfevents\.\d{10}\..+\.\d+\.0$")
        self.assertIn(b"brain.Event:2", events.read_bytes()[:64])
        self.assert_says(self.refuse(1, *call), out)

    def test_wrong_calls_for_tensorboard(self):
        out = self.folder / "out"
        self.assert_says(self.refuse(2, "export", "--format", "tensorboard", "--out", out), "--run")
        self.assert_says(self.refuse(2, "export", "--format", "tensorboard", "--model", self.model, "--out", out),
                         "--run", "--model")
        self.assert_says(self.refuse(1, "export", "--format", "tensorboard", "--run", self.data, "--out", out),
                         "metrics.jsonl")
        self.assertFalse(out.exists())


if __name__ == "__main__":
    run_tests()
