# SPDX-License-Identifier: Apache-2.0
"""What leaves Verbund means the same elsewhere: exported models in CTranslate2 itself, and checkpoints in PyTorch by
way of examples/pytorch_weights.py. Small models of every shape that changes the names or places of parameters are
trained by the program on the demo corpus; not for long, so that searches are hard and close calls are many.

Skipped (exit code 77) where the modules ctranslate2 and sentencepiece are not installed; the comparison with PyTorch
is skipped where /usr/bin/python3 has no torch.
"""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

try:
    import ctranslate2
    import sentencepiece
except ImportError as error:
    print(f"skipped: {error}; install ctranslate2 and sentencepiece to run this test")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.fixtures import settings  # noqa: E402
from support.program import SOURCE, ProgramTest  # noqa: E402

SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's, which has PyTorch
SENTENCES, BEAM, LONGEST = 300, 4, 40
TOLERANCE = 1e-3  # of a log-probability

TRAINING = {"batch.tokens": 1500, "schedule.learning_rate": 1, "schedule.warmup_steps": 100, "train.max_steps": 200,
            "train.eval_every": 0, "train.log_every": 100, "checkpoint.save_every_steps": 200, "model.d_model": 64,
            "model.d_ff": 128, "model.heads": 4}
SHAPES = {
    "pre norm, all shared": {"subwords.joint": "true", "model.norm": "pre", "model.share_embeddings": "all",
                             "model.encoder_layers": 2, "model.decoder_layers": 2},
    "post norm, none shared, biases, large epsilon": {
        "subwords.joint": "false", "model.norm": "post", "model.share_embeddings": "none",
        "model.attention_bias": "true", "model.norm_epsilon": 0.05, "model.encoder_layers": 1,
        "model.decoder_layers": 2},
    "pre norm, target shared, averaged, no biases": {
        "subwords.joint": "false", "model.norm": "pre", "model.share_embeddings": "target", "model.ff_bias": "false",
        "average.decay": 0.9, "model.encoder_layers": 2, "model.decoder_layers": 1},
}


class Exported:
    """A run, its model as CTranslate2 loads it, and sentences to try it on."""

    def __init__(self, shape, program):
        folder = program.folder / shape.split(",")[0] / shape.split(",")[1].strip()
        self.run, self.folder = folder / "run", folder / "exported"
        choice = SHAPES[shape]
        joint = {"subwords.joint": choice["subwords.joint"]}
        train = {key: value for key, value in choice.items() if key not in joint}
        program.succeed("prepare", "--corpus", "demo", "--out", folder / "data",
                        *settings({**joint, "corpus.generated_pairs": 4000, "subwords.vocabulary": 400,
                                   "subwords.character_coverage": 1}))
        program.succeed("train", "--data", folder / "data", "--run", self.run, *settings({**TRAINING, **train}))
        program.succeed("export", "--model", self.run, "--format", "ctranslate2", "--out", self.folder)
        self.sources, self.references = ((folder / "data" / f"test.{side}.txt").read_text().splitlines()[:SENTENCES]
                                         for side in ("source", "target"))
        self.source_pieces, self.target_pieces = (
            sentencepiece.SentencePieceProcessor(model_file=str(self.folder / f"{side}.model"))
            for side in ("source", "target"))
        assert len(self.sources) == len(self.references) == SENTENCES
        self.translator = ctranslate2.Translator(str(self.folder), device="cpu", compute_type="float32",
                                                 inter_threads=1, intra_threads=1)

    def sources_in_pieces(self):
        return self.source_pieces.encode(self.sources, out_type=str)


class ExportOracle(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.models = {shape: Exported(shape, cls.shared) for shape in SHAPES}

    def pair_scores(self, model):
        source = self.write("source", "\n".join(model.sources) + "\n")
        target = self.write("target", "\n".join(model.references) + "\n")
        output = self.succeed("score-pairs", "-m", model.run, "--source", source, "--target", target, "--json").stdout
        return source, target, [json.loads(line) for line in output.splitlines()]

    def test_given_translations_are_as_likely_in_ctranslate2(self):
        for shape, model in self.models.items():
            _, _, ours = self.pair_scores(model)
            theirs = model.translator.score_batch(model.sources_in_pieces(),
                                                  model.target_pieces.encode(model.references, out_type=str))
            worst = 0
            for our, their in zip(ours, theirs, strict=True):
                self.assertEqual(our["tokens"], len(their.log_probs))
                worst = max(worst, abs(our["log_probability"] - sum(their.log_probs)))
            print(f"{shape}: log-probabilities of {SENTENCES} given translations differ by at most {worst:.1e}",
                  file=sys.stderr)
            self.assertLess(worst, TOLERANCE, shape)

    def test_beam_search_finds_the_same_in_ctranslate2(self):
        for shape, model in self.models.items():
            output = self.succeed("translate", "-m", model.run, "--json",
                                  *settings({"decode.beam": BEAM, "decode.length_penalty": 0, "decode.max_ratio": 0,
                                             "decode.max_extra": LONGEST}),
                                  input="\n".join(model.sources) + "\n").stdout
            ours = [json.loads(line)["translations"][0] for line in output.splitlines()]
            # Without min_decoding_length=0, CTranslate2 takes </s> away from the probabilities of the first token.
            theirs = model.translator.translate_batch(model.sources_in_pieces(), beam_size=BEAM, length_penalty=0,
                                                      min_decoding_length=0, max_decoding_length=LONGEST,
                                                      max_batch_size=32, return_scores=True)
            worst, others, texts = 0, 0, set()
            for our, their in zip(ours, theirs, strict=True):
                texts.add(our["text"])
                others += our["text"] != model.target_pieces.decode(their.hypotheses[0])
                worst = max(worst, abs(our["score"] - their.scores[0]))
            print(f"{shape}: {SENTENCES} translations, {len(texts)} different texts; {others} are others in "
                  f"CTranslate2; scores differ by at most {worst:.1e}", file=sys.stderr)
            self.assertGreater(len(texts), SENTENCES // 10, shape)  # the model looks at its source
            self.assertLessEqual(others, SENTENCES // 100, shape)
            # What is another translation is a tie but for rounding.
            self.assertLess(worst, TOLERANCE, shape)

    def test_given_translations_are_as_likely_in_pytorch(self):
        if subprocess.run([SYSTEM_PYTHON, "-c", "import torch"], capture_output=True).returncode != 0:
            self.skipTest(f"{SYSTEM_PYTHON} has no torch; install python3-torch to run this test")
        # The module alone: other modules of this environment may be too new for the system's PyTorch.
        (self.folder / "modules").mkdir()
        (self.folder / "modules" / "sentencepiece").symlink_to(Path(sentencepiece.__file__).parent)
        for shape, model in self.models.items():
            source, target, ours = self.pair_scores(model)
            example = subprocess.run(
                [SYSTEM_PYTHON, SOURCE / "examples" / "pytorch_weights.py", model.run, "--source", source,
                 "--target", target],
                capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(self.folder / "modules")})
            self.assertEqual(example.returncode, 0, example.stderr)
            worst = 0
            for our, line in zip(ours, example.stdout.splitlines(), strict=True):
                log_probability, tokens = line.split("\t")
                self.assertEqual(our["tokens"], int(tokens))
                worst = max(worst, abs(our["log_probability"] - float(log_probability)))
            print(f"{shape}: log-probabilities of {SENTENCES} given translations differ by at most {worst:.1e}; "
                  f"{example.stderr.strip()}", file=sys.stderr)
            self.assertLess(worst, TOLERANCE, shape)


if __name__ == "__main__":
    unittest.main(verbosity=2)
