# SPDX-License-Identifier: Apache-2.0
"""Models exported with --format huggingface translate the same in transformers, in CTranslate2 by way of its converter for
transformers, and here again after `verbund import`. Small models are trained by the program on the demo corpus.

Skipped (exit code 77) where torch, transformers, ctranslate2 or sentencepiece are not installed.
"""
import json
import sys
import unittest
from pathlib import Path

try:
    import ctranslate2
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
except ImportError as error:
    print(f"skipped: {error}; scripts/oracles.sh installs what this test needs")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.fixtures import settings  # noqa: E402
from support.program import ProgramTest  # noqa: E402

SENTENCES, BEAM, LONGEST = 500, 4, 60
MOST_DIFFERENT = SENTENCES // 100  # close calls; without a length penalty, since searches stop by different rules
torch.set_num_threads(1)

SEARCH = {"decode.beam": BEAM, "decode.length_penalty": 0, "decode.length_offset": 0, "decode.max_ratio": 0,
          "decode.max_extra": LONGEST}
TRAINING = {"batch.tokens": 1500, "schedule.learning_rate": 1, "schedule.warmup_steps": 100, "train.max_steps": 1000,
            "train.eval_every": 1000, "train.log_every": 100, "checkpoint.save_every_steps": 1000, "model.d_model": 64,
            "model.d_ff": 128, "model.heads": 4, "model.encoder_layers": 2, "model.decoder_layers": 2, "model.norm": "post",
            "model.norm_epsilon": 1e-5}


class HuggingFaceExport(ProgramTest):
    def prepare(self, out, values):
        self.succeed("prepare", "--corpus", "demo", "--out", out, *settings(
            {"corpus.generated_pairs": 8000, "subwords.character_coverage": 1, **values}))

    def vocabulary(self, side, size):
        self.prepare(self.folder / side, {"subwords.vocabulary": size, "subwords.joint": "false"})
        return self.folder / side / f"{side}.model"

    def export(self, joint, **model):
        data, run, out = self.folder / "data", self.folder / "run", self.folder / "exported"
        if joint:
            self.prepare(data, {"subwords.vocabulary": 400})
        else:
            self.prepare(data, {"subwords.model": self.vocabulary("source", 400),
                                "subwords.target_model": self.vocabulary("target", 300)})
        self.succeed("train", "--data", data, "--run", run, *settings({**TRAINING, **SEARCH, **model}))
        self.succeed("export", "--model", run, "--format", "huggingface", "--out", out)
        sources = (data / "test.source.txt").read_text().splitlines()[:SENTENCES]
        return run, out, sources

    def translate(self, run, sources, *flags):
        output = self.succeed("translate", "-m", run, "--json", *flags, *settings(SEARCH), input="\n".join(sources) + "\n").stdout
        return [json.loads(line)["translations"][0]["text"] for line in output.splitlines()]

    def compare(self, name, ours, theirs, most):
        different = [pair for pair in zip(ours, theirs, strict=True) if pair[0].strip() != pair[1].strip()]
        print(f"{name}: {len(different)} of {len(ours)} translations differ ({len(set(ours))} different texts)",
              *different[:3], sep="\n  ", file=sys.stderr)
        self.assertGreater(len(set(ours)), SENTENCES // 8)
        self.assertLessEqual(len(different), most)

    def translate_by_transformers(self, folder, sources):
        model, tokenizer = AutoModelForSeq2SeqLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
        texts = []
        for begin in range(0, len(sources), 50):
            with torch.no_grad():
                found = model.generate(**tokenizer(sources[begin:begin + 50], return_tensors="pt", padding=True),
                                       num_beams=BEAM, length_penalty=0.0, max_new_tokens=LONGEST)
            texts += tokenizer.batch_decode(found, skip_special_tokens=True)
        return texts

    def test_post_norm(self):
        self.check_everywhere("Marian")

    def test_pre_norm(self):
        self.check_everywhere("Pegasus", **{"model.norm": "pre"})

    def check_everywhere(self, name, **model):
        run, out, sources = self.export(True, **model)
        self.assertIn(name, json.loads((out / "config.json").read_text())["architectures"][0])
        ours = self.translate(run, sources)
        by_transformers = self.translate_by_transformers(out, sources)
        self.compare("transformers", ours, by_transformers, MOST_DIFFERENT)

        converted = self.folder / "converted"
        ctranslate2.converters.TransformersConverter(str(out)).convert(str(converted))
        translator = ctranslate2.Translator(str(converted), compute_type="float32", inter_threads=1, intra_threads=1)
        tokenizer = AutoTokenizer.from_pretrained(out)
        pieces = [tokenizer.convert_ids_to_tokens(tokenizer.encode(source)) for source in sources]
        results = translator.translate_batch(pieces, beam_size=BEAM, length_penalty=0, min_decoding_length=0,
                                             max_decoding_length=LONGEST)
        theirs = [tokenizer.decode(tokenizer.convert_tokens_to_ids(result.hypotheses[0])) for result in results]
        self.compare("CTranslate2's converter", ours, theirs, MOST_DIFFERENT)

        again = self.folder / "again"
        self.succeed("import", out, "--run", again)
        # Like transformers, the imported model has no probability for <s> and <pad>, which the trained one has.
        self.compare("imported again, and transformers", by_transformers, self.translate(again, sources), 1)

        card = (out / "README.md").read_text()
        for word in ("license:", "| BLEU |", "nrefs:1\\|case:mixed", "norm: p", "prepare"):
            self.assertIn(word, card)

    def test_tags_select_the_language(self):
        """Two target languages in one model, the second one the German words in reverse order."""
        plain, data, run, out = (self.folder / name for name in ("plain", "data", "run", "exported"))
        self.prepare(plain, {"subwords.vocabulary": 400})
        words = ["--set", "subwords.vocabulary=400", "--set", "subwords.character_coverage=1", "--out", data]
        pairs = {"add": (plain / "work" / "train.clean.tsv").read_text().splitlines()}
        for name in ("dev", "test"):
            source, target = ((plain / f"{name}.{side}.txt").read_text().splitlines() for side in ("source", "target"))
            pairs[f"add-{name}"] = [f"{one}\t{other}" for one, other in zip(source, target, strict=True)]
        tags = {"de": "<2de>", "ed": ">>ed<<"}  # a symbol, and a code that the tokenizer of transformers cuts off itself
        for corpus, tag in tags.items():
            words += ["--tag", f"{corpus}={tag}"]
            for flag, lines in pairs.items():
                if corpus == "ed":
                    sides = [line.split("\t") for line in lines]
                    lines = [source + "\t" + " ".join(reversed(target.split(" "))) for source, target in sides]
                words += [f"--{flag}", f"{corpus}={self.write(f'{corpus}-{flag}.tsv', chr(10).join(lines) + chr(10))}"]
        self.succeed("prepare", *words)
        self.succeed("train", "--data", data, "--run", run, *settings({**TRAINING, **SEARCH}))
        self.succeed("export", "--model", run, "--format", "huggingface", "--out", out)

        self.assertIn("`<2de>`, `>>ed<<`", (out / "README.md").read_text())
        tokenizer, texts = AutoTokenizer.from_pretrained(out), {}
        sources = (plain / "test.source.txt").read_text().splitlines()[:SENTENCES]
        for tag in tags.values():
            tagged = [f"{tag} {source}" for source in sources]
            self.assertIn({tokenizer.tokenize(text)[0] for text in tagged}, ({tag}, {"\u2581" + tag}))
            texts[tag] = self.translate_by_transformers(out, tagged)
            self.compare(tag, self.translate(run, sources, "--tag", tag), texts[tag], MOST_DIFFERENT)
        self.assertGreater(sum(one != other for one, other in zip(*texts.values())), SENTENCES // 8)  # little trained

    def test_separate_vocabularies_without_sharing(self):
        run, out, sources = self.export(False, **{
            "model.share_embeddings": "none", "model.attention_bias": "true", "model.output_bias": "true",
            "model.activation": "gelu", "model.positions": "interleaved", "model.scale_embeddings": "false"})
        ours = self.translate(run, sources)
        self.compare("transformers, separate", ours, self.translate_by_transformers(out, sources), MOST_DIFFERENT)


if __name__ == "__main__":
    unittest.main()
