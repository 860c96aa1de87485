# SPDX-License-Identifier: Apache-2.0
"""Models from elsewhere compute here what they compute there: MarianMT models with random weights as transformers makes
them, and a model that Marian itself (pymarian) trains for some minutes on the demo corpus.

Skipped (exit code 77) where torch, transformers, sentencepiece or pymarian are not installed.
"""
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

try:
    import _pymarian  # noqa: F401
    import sentencepiece
    import torch
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer
except ImportError as error:
    print(f"skipped: {error}; scripts/oracles.sh installs what this test needs")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.fixtures import settings  # noqa: E402
from support.program import ProgramTest  # noqa: E402

BEAM, LONGEST, SENTENCES = 4, 15, 200
torch.set_num_threads(1)
TOLERANCE = 1e-4  # of a token's log-probability
MARIAN_UPDATES, MARIAN_SENTENCES = int(os.environ.get("VERBUND_MARIAN_UPDATES", 600)), 500


def pieces_of(model):
    return [model.id_to_piece(i) for i in range(model.get_piece_size()) if not model.is_control(i) and not model.is_unknown(i)]


def learn(lines, folder, name, size, **special):
    text = folder / f"{name}.txt"
    text.write_text("\n".join(lines) + "\n")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / name), vocab_size=size, hard_vocab_limit=False, minloglevel=2,
        character_coverage=1, **special)
    (folder / f"{name}.model").rename(folder / f"{name}.spm")
    text.unlink()
    return sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.spm"))


def make_marian_mt(folder, sources, targets, activation, separate=False, as_bin=False, scale=True):
    """A MarianMTModel with random weights and a tokenizer. Some pieces of its SentencePiece model are missing in its
    vocabulary, as it happens, and its pieces have other ids than there."""
    folder.mkdir()
    source, target = learn(sources, folder, "source", 300), learn(targets, folder, "target", 350)

    def vocabulary(*models):
        missing = pieces_of(source)[40:43]
        pieces = dict.fromkeys(piece for model in models for piece in pieces_of(model) if piece not in missing)
        return {piece: i for i, piece in enumerate(["</s>", "<unk>", *pieces, "<pad>"])}

    encoder = vocabulary(source) if separate else vocabulary(source, target)
    decoder = vocabulary(target) if separate else encoder
    (folder / "vocab.json").write_text(json.dumps(encoder))
    if separate:
        (folder / "target_vocab.json").write_text(json.dumps(decoder))
    (folder / "tokenizer_config.json").write_text(json.dumps(
        {"source_lang": "en", "target_lang": "de", "separate_vocabs": separate, "model_max_length": 512}))
    torch.manual_seed(7)
    model = MarianMTModel(MarianConfig(
        vocab_size=len(encoder), decoder_vocab_size=len(decoder), d_model=32, encoder_layers=2, decoder_layers=3,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64,
        pad_token_id=len(encoder) - 1, eos_token_id=0, decoder_start_token_id=len(decoder) - 1, forced_eos_token_id=None,
        max_position_embeddings=128, activation_function=activation, scale_embedding=scale,
        share_encoder_decoder_embeddings=not separate)).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "embed_positions" in name:
                continue
            if "layer_norm" in name:
                weight.add_(0.1 * torch.randn_like(weight))
                if name.startswith("model.decoder"):  # else tied embeddings repeat the last token for ever
                    weight.mul_(torch.randint(0, 2, weight.shape) * 2 - 1)
            else:
                gain = (1.2 if scale else 5) if "embed" in name or "shared" in name else 2
                weight.copy_(torch.randn_like(weight) * (gain / weight.shape[-1] ** 0.5 if weight.dim() == 2 else 0.2))
        model.final_logits_bias.copy_(0.5 * torch.randn_like(model.final_logits_bias))
        # Random models end at once or never. These never do: all translations have the same length, and the rules by
        # which a search stops, which differ, are left to models that were trained.
        model.final_logits_bias[0, 0] = -50
    model.generation_config.update(num_beams=BEAM, bad_words_ids=[[len(decoder) - 1]], forced_eos_token_id=None)
    model.save_pretrained(folder)
    if as_bin:
        (folder / "model.safetensors").unlink()
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
    return model, MarianTokenizer.from_pretrained(folder)


class ImportOracle(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.data = cls.shared.folder / "data"
        cls.shared.succeed("prepare", "--corpus", "demo", "--out", cls.data, *settings(
            {"corpus.generated_pairs": 20000, "subwords.vocabulary": 400, "subwords.character_coverage": 1}))
        pairs = [line.split("\t") for line in (cls.data / "work" / "train.clean.tsv").read_text().splitlines()]
        cls.sources, cls.targets = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        cls.test_sources, cls.test_targets = ((cls.data / f"test.{side}.txt").read_text().splitlines()
                                              for side in ("source", "target"))

    def translate(self, run, sources, **search):
        output = self.succeed("translate", "-m", run, "--json", *settings(search), input="\n".join(sources) + "\n").stdout
        return [json.loads(line)["translations"][0] for line in output.splitlines()]

    def check_marian_mt(self, name, activation, **options):
        folder, run = self.folder / name, self.folder / f"{name}-run"
        model, tokenizer = make_marian_mt(folder, self.sources[:5000], self.targets[:5000], activation, **options)
        self.succeed("import", folder, "--run", run)
        sources, targets = self.test_sources[:SENTENCES], self.test_targets[:SENTENCES]

        scored = self.succeed("score-pairs", "-m", run, "--source", self.write("s", "\n".join(sources) + "\n"), "--target",
                              self.write("t", "\n".join(targets) + "\n"), "--json").stdout
        ours = [json.loads(line) for line in scored.splitlines()]
        worst = 0
        for our, source, target in zip(ours, sources, targets, strict=True):
            inputs = tokenizer(source, text_target=target, return_tensors="pt")
            with torch.no_grad():
                logits = model(**inputs).logits[0]
            wanted = inputs["labels"][0]
            theirs = torch.log_softmax(logits, -1)[torch.arange(len(wanted)), wanted].sum().item()
            self.assertEqual(our["tokens"], len(wanted))
            worst = max(worst, abs(our["log_probability"] - theirs) / len(wanted))
        self.assertLess(worst, TOLERANCE)

        found = self.translate(run, sources, **{"decode.beam": BEAM, "decode.max_ratio": 0, "decode.max_extra": LONGEST})
        with torch.no_grad():
            best = model.generate(**tokenizer(sources, return_tensors="pt", padding=True), num_beams=BEAM,
                                  max_new_tokens=LONGEST)
        theirs = tokenizer.batch_decode(best[:, 1:], skip_special_tokens=True)
        texts = set(theirs)
        different = [(source, our["text"], their) for source, our, their in zip(sources, found, theirs, strict=True)
                     if our["text"].strip() != their.strip()]  # a piece of a space alone
        print(f"{name}: log-probabilities of a token differ by at most {worst:.1e}; {len(different)} of {SENTENCES} "
              f"translations differ ({len(texts)} different texts)", *different[:3], sep="\n  ", file=sys.stderr)
        self.assertGreater(len(texts), 10)
        self.assertLessEqual(len(different), SENTENCES // 50)

    def test_swish_safetensors(self):
        self.check_marian_mt("swish", "swish")

    def test_gelu_bin(self):
        self.check_marian_mt("gelu", "gelu", as_bin=True)

    def test_relu_separate_vocabularies_unscaled(self):
        self.check_marian_mt("relu", "relu", separate=True, scale=False)


class MarianOracle(ImportOracle):
    test_swish_safetensors = test_gelu_bin = test_relu_separate_vocabularies_unscaled = None

    def train(self, folder, options, vocabularies):
        """Trains it; returns the loss of a token of the first test sentences, as Marian computes it after its last update."""
        files = {}
        for side, lines in (("source", self.test_sources), ("target", self.test_targets)):
            files[f"valid {side}"] = folder / f"valid.{side}"
            files[f"valid {side}"].write_text("\n".join(lines[:MARIAN_SENTENCES]) + "\n")
        for side, lines in (("source", self.sources), ("target", self.targets)):
            files[side] = folder / f"train.{side}"
            files[side].write_text("\n".join(lines) + "\n")
        options = {"type": "transformer", "dim-emb": 64, "transformer-dim-ffn": 128, "transformer-heads": 4, "enc-depth": 2,
                   "dec-depth": 2, "optimizer": "adam", "clip-norm": 1, "learn-rate": 0.003, "lr-warmup": 100,
                   "label-smoothing": 0.1, "cost-type": "ce-mean-words", "cpu-threads": 1, "sync-sgd": "true",
                   "mini-batch": 64, "maxi-batch": 10, "max-length": 100, "after-batches": MARIAN_UPDATES,
                   "disp-freq": 100, "save-freq": "100000u", "overwrite": "true", "workspace": 512, "seed": 1,
                   "beam-size": BEAM, "normalize": 1, "model": folder / "model.npz", "valid-metrics": "ce-mean-words",
                   "valid-freq": f"{MARIAN_UPDATES}u", "valid-log": folder / "valid.log", **options}
        words = [f"--{name} {value}" for name, value in options.items()]
        words += ["--train-sets", str(files["source"]), str(files["target"]), "--vocabs", *map(str, vocabularies)]
        words += ["--valid-sets", str(files["valid source"]), str(files["valid target"])]
        done = subprocess.run([sys.executable, "-c", "import sys, _pymarian; _pymarian.Trainer(sys.argv[1]).train()",
                               " ".join(words)], capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.assertTrue((folder / "model.npz").exists(), done.stdout[-1000:] + done.stderr[-1000:])
        return float(re.findall(r"ce-mean-words : ([0-9.]+)", (folder / "valid.log").read_text())[-1])

    def translate_by_marian(self, folder, vocabularies, sources):
        code = ("import sys, _pymarian\n"
                "print(_pymarian.Translator(sys.argv[1]).translate(sys.stdin.read().rstrip('\\n')))")
        words = (f"--models {folder}/model.npz --vocabs {vocabularies[0]} {vocabularies[1]} --beam-size {BEAM} --normalize 1 "
                 f"--mini-batch 16 --maxi-batch 10 --maxi-batch-sort src --cpu-threads 1 --max-length-factor 3 --quiet")
        done = subprocess.run([sys.executable, "-c", code, words], capture_output=True, text=True,
                              input="\n".join(sources) + "\n", env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.assertEqual(done.returncode, 0, done.stderr[-1000:])
        return done.stdout.rstrip("\n").split("\n")

    def check(self, name, options, joint, max_different):
        folder, run = self.folder / name, self.folder / f"{name}-run"
        folder.mkdir()
        special = {"bos_id": -1, "eos_id": 0, "unk_id": 1, "pad_id": -1}
        if joint:
            learn(self.sources + self.targets, folder, "joint", 1000, **special)
            vocabularies = [folder / "joint.spm"] * 2
        else:
            learn(self.sources, folder, "source", 600, **special)
            learn(self.targets, folder, "target", 700, **special)
            vocabularies = [folder / "source.spm", folder / "target.spm"]
        marians_loss = self.train(folder, options, vocabularies)
        self.succeed("import", folder, "--run", run)
        sources = self.test_sources[:MARIAN_SENTENCES]
        loss = self.loss_of_pairs(run, sources, self.test_targets[:MARIAN_SENTENCES])
        print(f"{name}: loss of a token {loss:.5f} here, {marians_loss:.5f} by Marian", file=sys.stderr)
        self.assertAlmostEqual(loss, marians_loss, delta=TOLERANCE)
        theirs = self.translate_by_marian(folder, vocabularies, sources)
        ours = self.translate(run, sources, **{"decode.max_ratio": 3, "decode.max_extra": 0})
        different = [(source, our["text"], their) for source, our, their in zip(sources, ours, theirs, strict=True)
                     if our["text"] != their]
        print(f"{name}: {len(different)} of {len(sources)} translations differ from Marian's", *different[:5], sep="\n  ",
              file=sys.stderr)
        right = [sum(text == target for text, target in zip(texts, self.test_targets))
                 for texts in ([our["text"] for our in ours], theirs)]
        print(f"{name}: exactly the reference: {right[0]} here, {right[1]} by Marian", file=sys.stderr)
        self.assertLessEqual(len(different), max_different)
        self.assertGreaterEqual(right[0], right[1] - MARIAN_SENTENCES // 50)
        return run

    def test_post_norm_tied_and_fine_tuned(self):
        run = self.check("post", {"tied-embeddings-all": "true", "transformer-postprocess": "dan",
                                  "transformer-ffn-activation": "swish"}, True, MARIAN_SENTENCES // 50)
        more, tuned = self.folder / "more", self.folder / "tuned"
        self.succeed("prepare", "--corpus", "demo", "--like", run, "--out", more,
                     *settings({"corpus.generated_pairs": 5000, "seed": 5}))
        model = {key: value for key, value in self.config_of(run, "model").items()}
        self.succeed("train", "--data", more, "--run", tuned, *settings(
            {**{f"model.{key}": value for key, value in model.items()}, "train.start_from": run, "train.max_steps": 50,
             "batch.tokens": 1500, "schedule.policy": "fixed", "schedule.learning_rate": 1e-4, "train.eval_every": 25,
             "checkpoint.save_every_steps": 50}))
        before, after = (self.loss_of(model, more) for model in (run, tuned))
        print(f"fine-tuned 50 steps: dev loss {before:.4f} -> {after:.4f}", file=sys.stderr)
        self.assertLess(after, before)

    def test_pre_norm_separate_vocabularies(self):
        """The loss is that of Marian, the translations are not: while it decodes, Marian attends to keys and values that it
        does not normalise, because it recognises self-attention by keys that are the query's own input, which they are no
        more once the keys of earlier positions are in front of them. So only the quality is compared."""
        self.check("pre", {"tied-embeddings": "true", "transformer-preprocess": "n", "transformer-postprocess": "da",
                           "transformer-postprocess-top": "n", "transformer-ffn-activation": "relu"}, False,
                   MARIAN_SENTENCES)

    def loss_of_pairs(self, run, sources, targets):
        scored = self.succeed("score-pairs", "-m", run, "--source", self.write("s", "\n".join(sources) + "\n"), "--target",
                              self.write("t", "\n".join(targets) + "\n"), "--json").stdout
        pairs = [json.loads(line) for line in scored.splitlines()]
        return -sum(pair["log_probability"] for pair in pairs) / sum(pair["tokens"] for pair in pairs)

    def config_of(self, run, section):
        import yaml
        return {key: str(value).lower() if isinstance(value, bool) else value
                for key, value in yaml.safe_load((run / "config.yaml").read_text())[section].items()}

    def loss_of(self, run, data):
        output = self.succeed("evaluate", "-m", run, "--data", data, "--split", "dev", "--json").stdout
        return json.loads(output)["loss"]


if __name__ == "__main__":
    unittest.main()
