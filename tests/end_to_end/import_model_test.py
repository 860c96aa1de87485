# SPDX-License-Identifier: Apache-2.0
"""Models that leave by `export --format huggingface` and come back by `import`: the same model; what cannot be imported
is refused by the name of its field, and leaves nothing. docs/import-models.md is read literally. That the format is that of
transformers, and models of others, are shown by the oracle tests."""

import json
import math
import os
import pathlib
import pickle
import re
import shutil
import struct
import subprocess
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import PROGRAM, SOURCE, ProgramTest, run_tests  # noqa: E402

POST = {"model__norm": "post", "model__norm_epsilon": 1e-5, "model__activation": "swish", "model__output_bias": "true",
        "train__eval_every": 0}
POSITIONS = "model.decoder.embed_positions.weight"


def edit_json(path, key, value):
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))


def read_weights(path):
    """Name -> bytes, of a safetensors file."""
    whole = path.read_bytes()
    data = 8 + struct.unpack_from("<Q", whole)[0]
    return {name: whole[data + about["data_offsets"][0]:data + about["data_offsets"][1]]
            for name, about in json.loads(whole[8:data]).items() if name != "__metadata__"}


def replace_positions(path, shape, content, dtype="F32", encoder=False):
    """Puts other positions of the decoder into a safetensors file, and takes those of the encoder away or leaves them."""
    whole = path.read_bytes()
    data = 8 + struct.unpack_from("<Q", whole)[0]
    header, new, contents = json.loads(whole[8:data]), {}, b""
    for name, about in header.items():
        if name == "__metadata__" or (name == POSITIONS.replace("decoder", "encoder") and not encoder):
            continue
        begin, end = about["data_offsets"]
        part = content if name == POSITIONS else whole[data + begin:data + end]
        new[name] = {"dtype": dtype if name == POSITIONS else "F32", "shape": shape if name == POSITIONS else about["shape"],
                     "data_offsets": [len(contents), len(contents) + len(part)]}
        contents += part
    text = json.dumps(new).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + contents)


def bfloats(content):
    """Floats, rounded to the nearest bfloat16."""
    numbers = struct.unpack(f"<{len(content) // 4}I", content)
    return b"".join(struct.pack("<H", number + 0x7fff + (number >> 16 & 1) >> 16) for number in numbers)


class ImportModelTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.run_folder, cls.exported = cls.shared.folder / "run", cls.shared.folder / "exported"
        cls.shared.succeed(*fixtures.training(cls.run_folder, 100, **POST))
        cls.shared.succeed("export", "-m", cls.run_folder, "--format", "huggingface", "--out", cls.exported)
        cls.sources, cls.targets = ((fixtures.dataset() / f"test.{side}.txt").read_text().splitlines()[:20]
                                    for side in ("source", "target"))

    def outputs(self, run):
        """What a model makes of the test set: log-probabilities of the references, and translations."""
        source = self.write("source", "\n".join(self.sources) + "\n")
        target = self.write("target", "\n".join(self.targets) + "\n")
        scored = self.succeed("score-pairs", "-m", run, "--source", source, "--target", target, "--json").stdout
        return ([json.loads(line)["log_probability"] for line in scored.splitlines()],
                self.succeed("translate", "-m", run, "--set", "decode.length_offset=0", source).stdout)

    def test_a_model_comes_back_as_it_was(self):
        again = self.folder / "again"
        again.mkdir()  # an empty folder is as good as none
        self.succeed("import", self.exported, "--run", again)
        (scores, translations), (scores_again, translations_again) = self.outputs(self.run_folder), self.outputs(again)
        for one, other in zip(scores, scores_again, strict=True):
            self.assertLess(abs(one - other), 0.1)  # <s> and <pad>, little trained, have no probability any more
        self.assertEqual(translations, translations_again)
        self.succeed("inspect", again)
        self.succeed("export", "-m", again, "--format", "ctranslate2", "--out", self.folder / "ct2")
        # A second round changes nothing.
        self.succeed("export", "-m", again, "--format", "huggingface", "--out", self.folder / "second")
        self.assertEqual(json.loads((self.folder / "second" / "vocab.json").read_text()),
                         json.loads((self.exported / "vocab.json").read_text()))

    def test_workers_train_an_imported_model_together(self):
        """One worker and two follow the same curve up to rounding, and end with a model that has learned."""
        again, data, losses = self.folder / "again", self.folder / "data", []
        self.succeed("import", self.exported, "--run", again)
        self.succeed("prepare", "--corpus", "demo", "--set", "corpus.generated_pairs=1000", "--like", again, "--out", data)
        for workers in (1, 2):
            run = self.folder / f"run{workers}"
            training = ["train", "--finetune", again, "--data", data, "--run", run, *fixtures.settings(
                {"threads": 1, "batch.tokens": 600, "train.max_steps": 40, "train.eval_every": 20, "train.log_every": 1,
                 "schedule.learning_rate": 1e-3, "schedule.warmup_steps": 5, "evaluate.sentences": 8})]
            self.succeed("launch", "-n", workers, "--", *training)
            lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
            losses.append([line["train_loss"] for line in lines if "train_loss" in line])
        self.assertEqual(len(losses[0]), 40)
        for one, two in zip(*losses, strict=True):
            self.assertLess(abs(one - two), 1e-4 * one)
        self.assertLess(sum(losses[0][-10:]), sum(losses[0][:10]))

    def test_each_part_of_a_layer_has_its_own_name(self):
        """Import and export share one table of names, so that a mistake in it would not show in a model that comes back."""
        run, out = self.folder / "two", self.folder / "out"
        self.succeed(*fixtures.training(run, 1, **POST, model__decoder_layers=2, model__attention_bias="true"))
        self.succeed("export", "-m", run, "--format", "huggingface", "--out", out)
        ours, theirs = read_weights(run / "checkpoints" / "last" / "weights.safetensors"), read_weights(out / "model.safetensors")
        for i in range(2):
            layer = f"model.decoder.layers.{i}."
            for kind in ("weight", "bias"):
                def stacked(*parts):
                    return b"".join(theirs[f"{layer}{part}.{kind}"] for part in parts)
                own = {part: ours[f"decoder.{i}.{part}.{kind}"]
                       for part in ("self.qkv", "self.out", "cross.q", "cross.out", "ff.in", "ff.out")}
                self.assertEqual(own, {
                    "self.qkv": stacked("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
                    "self.out": stacked("self_attn.out_proj"), "cross.q": stacked("encoder_attn.q_proj"),
                    "cross.out": stacked("encoder_attn.out_proj"), "ff.in": stacked("fc1"), "ff.out": stacked("fc2")})
                keys_and_values = ours[f"decoder.cross.kv.{kind}"]
                half = len(keys_and_values) // 2
                self.assertEqual(keys_and_values[i * half:(i + 1) * half], stacked("encoder_attn.k_proj", "encoder_attn.v_proj"))
            for part, name in (("self", "self_attn_layer_norm"), ("cross", "encoder_attn_layer_norm"), ("ff", "final_layer_norm")):
                self.assertEqual(ours[f"decoder.{i}.{part}.norm.scale"], theirs[f"{layer}{name}.weight"])
                self.assertEqual(ours[f"decoder.{i}.{part}.norm.bias"], theirs[f"{layer}{name}.bias"])

    def test_norms_that_the_class_has_not_are_refused(self):
        run = self.folder / "pre"
        self.succeed(*fixtures.training(run, 1, train__eval_every=0))
        self.assertIn("model.norm_epsilon", self.refuse(1, "export", "-m", run, "--format", "huggingface", "--out", self.folder / "x"))
        self.assertFalse((self.folder / "x").exists())
        # As the message says, some steps with the norms of the class make it one that can be exported.
        tuned = self.folder / "tuned"
        self.succeed("train", "--finetune", run, "--data", fixtures.dataset(), "--run", tuned, "--set", "train.max_steps=2",
                     "--set", "train.eval_every=0", "--set", "model.norm_epsilon=1e-5")
        self.succeed("export", "-m", tuned, "--format", "huggingface", "--out", self.folder / "x")
        self.assertIn("Hugging Face Pegasus", self.succeed("import", self.folder / "x", "--run", self.folder / "back").stderr)

    def card(self, model, *more, **options):
        out = self.folder / f"card-{len(list(self.folder.iterdir()))}"
        self.succeed("export", "-m", model, "--format", "huggingface", "--out", out, *more, **options)
        return (out / "README.md").read_text()

    def test_a_model_card_tells_of_its_own_weights(self):
        run = self.folder / "run"
        self.succeed(*fixtures.training(run, 100, **{**POST, "train__eval_every": 50}))
        self.assert_says(self.card(run, "--checkpoint", "last"), "step 100 of its run", "| BLEU |", "training pairs")
        self.succeed("average", "--run", run, "--last", 2)
        self.assertIn('\nlanguage:\n- "en"\n- "de"\n', self.card(run))
        mean = self.card(run, "--checkpoint", "average")
        self.assert_says(mean, "the mean of the steps 50, 100 of its run", "training pairs")
        self.assertNotIn("BLEU", mean)
        # A mean that was moved away knows nothing of its run, nor of what stands two folders above it.
        self.succeed("average", "--run", run, "--checkpoints", "step-00000050,step-00000100", "--out", run / "models" / "base")
        moved = self.card(run / "models" / "base")
        self.assertIn("the mean of the steps 50, 100", moved)
        self.assertNotIn("training pairs", moved)

    def test_a_model_card_of_an_imported_model(self):
        self.succeed("import", self.exported, "--run", self.folder / "imported")
        card = self.card(self.folder / "imported")
        self.assertIn("Imported from Hugging Face Marian", card)
        for word in ("Trained", "BLEU", "learning_rate"):
            self.assertNotIn(word, card)

    def refused(self, change):
        folder, run = self.folder / "changed", self.folder / "never"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.exported, folder)
        change(folder)
        message = self.refuse(1, "import", folder, "--run", run)
        self.assertFalse(run.exists())
        return message

    def test_fields_that_cannot_be_represented_are_named(self):
        for key, value in {"model_type": "mbart", "activation_function": "gelu_new", "normalize_before": True,
                           "static_position_embeddings": False, "decoder_ffn_dim": 128, "d_model": 33, "eos_token_id": 10**9,
                           "encoder_layers": 0, "vocab_size": -5}.items():
            with self.subTest(key):
                self.assertIn(key, self.refused(lambda folder: edit_json(folder / "config.json", key, value)))

    def test_settings_that_no_run_may_have_are_named(self):
        for key, value, ours in (("dropout", 0.95, "model.dropout"), ("max_position_embeddings", 2000000, "decode.max_tokens")):
            with self.subTest(key):
                self.assertIn(ours, self.refused(lambda folder: edit_json(folder / "config.json", key, value)))

    def searched(self, **settings):
        """What becomes of settings of the search, and what is said of them."""
        folder, run = self.folder / "searched", self.folder / "searched-run"
        for place in (folder, run):
            shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.exported, folder)
        generation = json.loads((folder / "generation_config.json").read_text())
        for key in ("num_beams", "length_penalty"):
            generation.pop(key)
        (folder / "generation_config.json").write_text(json.dumps({**generation, **settings}))
        said = self.succeed("import", folder, "--run", run).stderr
        config = (run / "config.yaml").read_text()
        return *(float(re.search(rf"(?m)^  {key}: (\S+)", config)[1]) for key in ("beam", "length_penalty")), said

    def test_settings_of_the_search(self):
        usual = {"do_sample": False, "no_repeat_ngram_size": 0, "repetition_penalty": 1.0, "min_length": 0,
                 "forced_bos_token_id": None}
        for settings, beam, penalty, named in (
                ({}, 1, 1, ()), ({"num_beams": 6, "length_penalty": 0.6, **usual}, 6, 0.6, ()),
                ({"num_beams": 5000, "length_penalty": -1}, 1000, 0, ("num_beams", "5000", "length_penalty", "-1")),
                ({"no_repeat_ngram_size": 3, "do_sample": True, "min_length": 5, "repetition_penalty": 1.2}, 1, 1,
                 ("no_repeat_ngram_size (3)", "do_sample (true)", "min_length (5)", "repetition_penalty (1.2)"))):
            with self.subTest(settings):
                *taken, said = self.searched(**settings)
                self.assertEqual(taken, [beam, penalty])
                self.assert_says(said, *named)
                self.assertEqual("warning: " in said, bool(named), said)

    def test_position_tables_must_be_as_wide_as_the_model(self):
        for shape in ([1, 1000000], [2, 1000000], [1, 32], [1000000], [0, 32], []):
            def change(folder):
                count = math.prod(shape)
                replace_positions(folder / "model.safetensors", shape, struct.pack("<f", 1) * count)
            with self.subTest(shape):
                self.assertIn(POSITIONS, self.refused(change))

    def test_positions_must_be_numbers(self):
        def change(folder):
            replace_positions(folder / "model.safetensors", [8, 32], struct.pack("<f", float("nan")) * 8 * 32)
        self.assertIn(POSITIONS, self.refused(change))

    def test_positions_may_be_rounded_to_the_type_that_stores_them(self):
        stored = read_weights(self.exported / "model.safetensors")[POSITIONS]
        shape = [len(stored) // 4 // 32, 32]
        numbers = struct.unpack(f"<{len(stored) // 4}f", stored)
        shifted = struct.pack(f"<{len(numbers)}f", *(number + 0.003 for number in numbers))

        def store(content, dtype):
            return lambda folder: replace_positions(folder / "model.safetensors", shape, content, dtype, encoder=True)
        self.assertIn(POSITIONS, self.refused(store(shifted, "F32")))
        folder, run = self.folder / "rounded", self.folder / "rounded-run"
        shutil.copytree(self.exported, folder)
        store(bfloats(stored), "BF16")(folder)
        self.succeed("import", folder, "--run", run)
        self.succeed("import", self.exported, "--run", self.folder / "exact")
        exact, rounded = (read_weights(place / "checkpoints" / "last" / "weights.safetensors")
                          for place in (self.folder / "exact", run))
        self.assertEqual(len(exact), len(rounded))
        different = [name for name, values in exact.items() if values != rounded[name]]
        self.assertLessEqual(len(different), 1)  # the embedding with <s>, which the first position holds

    def test_the_number_of_parameters(self):
        done = self.succeed("import", self.exported, "--run", self.folder / "counted")
        weights = read_weights(self.folder / "counted" / "checkpoints" / "last" / "weights.safetensors")
        count = sum(len(values) for values in weights.values()) // 4
        self.assert_says(done.stderr, f"{count:,} parameters", "Hugging Face Marian")

    def test_damaged_folders_are_refused(self):
        for name in ("model.safetensors", "vocab.json", "source.spm", "config.json"):
            with self.subTest(name):
                self.refused(lambda folder: (folder / name).unlink())
                self.refused(lambda folder: os.truncate(folder / name, (folder / name).stat().st_size // 2))

    def test_subword_models_must_be_models_and_of_this_model(self):
        for name in ("source.spm", "target.spm"):
            for content in (b"", b"A line of text.\n", (self.exported / "vocab.json").read_bytes()):
                with self.subTest(name, content=content[:10]):
                    said = self.refused(lambda folder: (folder / name).write_bytes(content))
                    self.assertIn(f"changed/{name}", said)
        other = self.folder / "other"
        self.succeed("prepare", "--corpus", "reversal", "--out", other, *fixtures.settings(
            {"corpus.generated_pairs": 1000, "subwords.vocabulary": 150, "subwords.character_coverage": 1}))
        said = self.refused(lambda folder: shutil.copy(other / "joint.model", folder / "source.spm"))
        self.assertRegex(said, r"source.spm: \d+ of its \d+ pieces")

    def test_pieces_that_the_vocabulary_lacks(self):
        """A few are usual, many make one suspicious, and most mean that the file belongs to another model."""
        vocabulary = json.loads((self.exported / "vocab.json").read_text())
        learned = [piece for piece in vocabulary if not re.fullmatch(r"<.*>", piece)]

        def drop(share):
            """Gives names to a share of the pieces that no SentencePiece model knows."""
            dropped = set(learned[:round(share * len(learned))])
            return json.dumps({f"another {i}" if piece in dropped else piece: i for piece, i in vocabulary.items()})
        self.assertIn("source.spm", self.refused(lambda folder: (folder / "vocab.json").write_text(drop(0.7))))
        for share, warned in ((0.02, 0), (0.3, 2)):  # for source.spm and target.spm
            folder = self.folder / f"lacks-{share}"
            shutil.copytree(self.exported, folder)
            (folder / "vocab.json").write_text(drop(share))
            told = self.succeed("import", folder, "--run", self.folder / f"run-{share}").stderr
            self.assertEqual(told.count("warning: "), warned, told)

    def test_folders_of_models_that_lack_files(self):
        """Half a model is taken for a model, and what is missing is named."""
        def only(*names):
            def change(folder):
                for path in folder.iterdir():
                    if path.name not in names:
                        path.unlink()
            return change
        self.assertIn("config.json", self.refused(only("model.safetensors", "source.spm", "target.spm", "vocab.json")))
        self.assertIn("config.json", self.refused(only("model.safetensors")))
        said = self.refused(lambda folder: (folder / "model.safetensors").unlink())
        self.assert_says(said, "model.safetensors", "pytorch_model.bin")

        def shard(folder):
            (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
            (folder / "model.safetensors.index.json").write_text("{}")
        self.assert_says(self.refused(shard), "model.safetensors.index.json", "max_shard_size")

    def test_a_pickle_with_code_is_not_executed(self):
        trace = self.folder / "trace"

        class Code:
            def __reduce__(self):
                return os.system, (f"touch {trace}",)

        def change(folder):
            (folder / "model.safetensors").unlink()
            with zipfile.ZipFile(folder / "pytorch_model.bin", "w") as archive:
                archive.writestr("m/data.pkl", pickle.dumps({"model.shared.weight": Code()}, 2))
        self.assertIn("system", self.refused(change))
        self.assertFalse(trace.exists())

    def test_the_page(self):
        place = self.folder / "fresh"
        shutil.copytree(self.exported, place / "opus-mt-en-de")
        data = fixtures.dataset()
        for name, split in (("train", "dev"), ("dev", "test")):
            for side, ending in (("source", "en"), ("target", "de")):
                shutil.copy(data / f"{split}.{side}.txt", place / f"{name}.{ending}")
        shutil.copy(place / "dev.en", place / "text.en")
        page = (SOURCE / "docs" / "import-models.md").read_text().replace("\\\n", " ")
        lines = re.findall(r"(?m)^    (verbund .*)$", page)
        self.assertGreaterEqual(len(lines), 6)
        for line in lines:
            if line.startswith("verbund train"):
                line += " --set threads=1 --set batch.tokens=500 --set evaluate.sentences=8"
                line = line.replace("max_steps=2000", "max_steps=20")
            command = re.sub(r"^verbund", str(pathlib.Path(PROGRAM).resolve()), line.partition(" #")[0])
            done = subprocess.run(["bash", "-c", command], cwd=place, capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout[-1000:]}{done.stderr[-2000:]}")


if __name__ == "__main__":
    run_tests()
