# SPDX-License-Identifier: Apache-2.0
"""Models of Marian that are imported: which vocabularies belong to them, and what is refused. The models are small and
have weights of no meaning; that a model computes here what it computes there is shown by the oracle tests."""

import json
import pathlib
import shutil
import struct
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402

D, FFN = 8, 16
SETTINGS = {"type": "transformer", "dim-emb": D, "transformer-dim-ffn": FFN, "transformer-heads": 2, "enc-depth": 1,
            "dec-depth": 1, "transformer-ffn-activation": "relu", "tied-embeddings-all": "true"}
LINEARS = {"q": (D, D), "k": (D, D), "v": (D, D), "o": (D, D)}


def npy(kind, shape, content):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


def shapes_of(rows, norm_ending):
    """Name -> shape of the tensors of a model with one embedding."""
    shapes = {"Wemb": (rows, D), "decoder_ff_logit_out_b": (1, rows)}
    for side, parts in (("encoder", ["self"]), ("decoder", ["self", "context"])):
        sublayers = [(part, LINEARS, "Wo") for part in parts]
        for part, linears, norm in [*sublayers, ("ffn", {"1": (D, FFN), "2": (FFN, D)}, "ffn")]:
            prefix = f"{side}_l1_{part}_"
            for letter, (size_in, size_out) in linears.items():
                shapes[f"{prefix}W{letter}"], shapes[f"{prefix}b{letter}"] = (size_in, size_out), (1, size_out)
            shapes.update({f"{prefix}{norm}_ln_{what}{norm_ending}": (1, D) for what in ("scale", "bias")})
        if norm_ending:
            shapes.update({f"{side}_top_ln_{what}": (1, D) for what in ("scale", "bias")})
    return shapes


def pieces_of(path):
    """The pieces of a SentencePiece model, its first fields: tag, length, and of each its text, again tag and length."""
    model, pieces, at = path.read_bytes(), [], 0
    while model[at] == 0x0A:
        pieces.append(model[at + 4:at + 4 + model[at + 3]].decode())
        at += 2 + model[at + 1]
    return pieces


def write_model(path, rows, norm_ending="", **settings):
    words = {**SETTINGS, **{key.replace("_", "-"): value for key, value in settings.items()}}
    text = "".join(f"{key}: {value}\n" for key, value in words.items()).encode() + b"\0"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("special:model.yml.npy", npy("|i1", f"({len(text)},)", text))
        for name, shape in shapes_of(rows, norm_ending).items():
            archive.writestr(name + ".npy", npy("<f4", shape, struct.pack("<f", 0.5) * (shape[0] * shape[1])))


class ImportMarianTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.place, self.run_folder = self.folder / "marian", self.folder / "run"
        self.place.mkdir()
        self.model, self.pieces = self.place / "model.npz", fixtures.VOCABULARY

    def add(self, *names, data=None):
        """Subword models beside the model."""
        for name in names:
            shutil.copy(data or fixtures.dataset() / "joint.model", self.place / name)

    def other_subwords(self):
        data = self.folder / "other"
        self.succeed("prepare", "--corpus", "demo", "--out", data, *fixtures.settings(
            {"corpus.generated_pairs": 1000, "subwords.vocabulary": 300, "subwords.character_coverage": 1}))
        return data / "joint.model"

    def names_read(self):
        state = json.loads((self.run_folder / "checkpoints" / "last" / "state.json").read_text())
        return sorted(state["origin"]["imported"]["files"])

    def refused(self):
        message = self.refuse(1, "import", self.place, "--run", self.run_folder)
        self.assertFalse(self.run_folder.exists())
        return message

    def test_a_model_is_named_without_its_folder(self):
        write_model(self.model, self.pieces)
        self.add("joint.spm")
        program = pathlib.Path(self.command()[0]).resolve()
        self.command = lambda *arguments: [str(program), *map(str, arguments)]
        self.succeed("import", "model.npz", "--run", self.run_folder, cwd=self.place)
        self.succeed("inspect", self.run_folder)

    def test_vocabularies_without_a_decoder_yml(self):
        write_model(self.model, self.pieces)
        self.add("joint.spm")
        self.succeed("import", self.place, "--run", self.run_folder)
        self.assertEqual(self.names_read(), ["joint.spm", "model.npz"])
        shutil.rmtree(self.run_folder)
        self.add("z.spm")
        self.assert_says(self.refused(), "joint.spm", "z.spm")
        self.add("source.spm", "target.spm")
        self.succeed("import", self.place, "--run", self.run_folder)
        self.assertEqual(self.names_read(), ["model.npz", "source.spm", "target.spm"])

    def test_a_decoder_yml_counts_before_what_marian_has_written(self):
        write_model(self.model, self.pieces)
        self.add("joint.spm")
        written = self.place / "model.npz.yml"
        written.write_text("vocabs: [/elsewhere/a.spm]\nbeam-size: 3\n")
        self.assert_says(self.refused(), written, "a.spm")
        written.write_text("vocabs: [/elsewhere/a.spm, /elsewhere/b.spm]\n")
        self.assert_says(self.refused(), written, "a.spm")
        (self.place / "decoder.yml").write_text("vocabs: [joint.spm, joint.spm]\nbeam-size: 7\n")
        self.succeed("import", self.place, "--run", self.run_folder)
        self.assertIn("beam: 7\n", (self.run_folder / "config.yaml").read_text())

    def test_one_embedding_needs_one_vocabulary(self):
        write_model(self.model, self.pieces)
        self.add("source.spm")
        self.add("target.spm", data=self.other_subwords())
        self.assert_says(self.refused(), "source.spm", "target.spm", "tied-embeddings-all")

    def test_a_vocabulary_of_60000_pieces_in_yaml(self):
        rows = 60000
        write_model(self.model, rows)
        self.add("source.spm", "target.spm")
        (self.place / "decoder.yml").write_text("vocabs: [joint.yml, joint.yml]\n")

        def write_vocabulary(*pieces):
            names = dict.fromkeys(["</s>", "<unk>", *pieces, *(f"piece{i}" for i in range(rows))])
            (self.place / "joint.yml").write_text("".join(
                f"{json.dumps(piece, ensure_ascii=False)}: {i}\n" for i, piece in enumerate(list(names)[:rows])))
        write_vocabulary()
        self.assert_says(self.refused(), "source.spm", "396 of its 396")
        write_vocabulary(*pieces_of(self.place / "source.spm"))
        self.succeed("import", self.place, "--run", self.run_folder, timeout=30)
        self.assertEqual(self.names_read(), ["joint.yml", "model.npz", "source.spm", "target.spm"])

    def test_the_order_around_a_sublayer(self):
        self.add("joint.spm")
        pre = {"transformer_preprocess": "n", "transformer_postprocess_top": "n", "norm_ending": "_pre"}
        for after, before, accepted in (("dan", {}, True), ("an", {}, True), ("adn", {}, True), ("dna", {}, False),
                                        ("nda", {}, False), ("dann", {}, False), ("da", pre, True), ("a", pre, True),
                                        ("dan", pre, False), ("daa", pre, False)):
            with self.subTest(after, **before):
                write_model(self.model, self.pieces, transformer_postprocess=after, **before)
                shutil.rmtree(self.run_folder, ignore_errors=True)
                if accepted:
                    self.succeed("import", self.place, "--run", self.run_folder)
                else:
                    self.assert_says(self.refused(), "transformer-postprocess", after)


if __name__ == "__main__":
    run_tests()
