# SPDX-License-Identifier: Apache-2.0
"""The README, the tutorial and the how-to pages read literally: every command of them, in order, in a fresh folder, as a
newcomer would type them.

The sizes are those of a test: VERBUND_README_PREPARE and VERBUND_README_TRAIN are added to what the README says
(put longer ones there, or nothing, to run it as it stands).
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import long_test, PROGRAM, ProgramTest, run_tests, SOURCE  # noqa: E402

SMALL_PREPARE = "--set corpus.generated_pairs=1000 --set subwords.vocabulary=400 --set subwords.character_coverage=1"
SMALL_TRAIN = ("--set model.d_model=32 --set model.d_ff=64 --set model.encoder_layers=1 --set model.decoder_layers=1 "
               "--set batch.tokens=500 --set train.max_steps=20 --set train.eval_every=10 --set train.log_every=10 "
               "--set checkpoint.save_every_steps=5 --set evaluate.sentences=20 --set threads=1 "
               "--set decode.max_extra=5 --set decode.max_ratio=1")

# Enough to learn something, on one core.
FINE_TUNE = ("--set model.d_model=64 --set model.d_ff=128 --set batch.tokens=1000 --set train.max_steps=300 "
             "--set train.eval_every=0 --set threads=1")

# Of the demo's whole corpus.
SMALL_VOCABULARY = "--set corpus.generated_pairs=10000"
MIX = ("--set model.d_model=32 --set model.d_ff=64 --set batch.tokens=2000 --set train.max_steps=120 "
       "--set train.eval_every=20 --set evaluate.sentences=20 --set threads=1")

# What cannot be typed here as it stands, and what is typed instead.
INSTEAD = {
    "make demo": "",  # what runs this test has built the program, and the commands of the demo are below
    "make test": "",  # this is one of them
    "verbund prepare --corpus wmt16-en-de --out data/wmt16": "verbund prepare --help",  # needs the internet
    "verbund doctor --set device=cuda": "verbund doctor",  # here is no GPU
    "verbund train --config demo --data data/demo --run runs/gpu --set device=cuda --set train.precision=fp16 "
    "--set loss_scale.type=backoff": "",
}
REWRITTEN = [
    (r"-H a:2,b:2", "-n 2"),  # hosts a and b: see tests/hosts
    (r"--bind-to none", "--bind-to none --oversubscribe" + (" --allow-run-as-root" if os.geteuid() == 0 else "")),
]


def commands(readme):
    """The lines of the indented blocks and of those in ```sh fences, continuations joined, comments left out."""
    tour = readme[readme.index("\n## "):].partition("\n## Map")[0]
    tour = re.sub(r"^```yaml\n.*?^```$", "", tour, flags=re.M | re.S)
    for fence in re.findall(r"^```sh\n(.*?)^```$", tour, re.M | re.S):
        tour = tour.replace(fence, "".join(f"    {line}\n" for line in fence.splitlines()))
    text = "\n".join(line[4:] for line in tour.splitlines() if line.startswith("    "))
    lines = text.replace("\\\n", " ").splitlines()
    return [" ".join(shlex.split(line, comments=True)) and re.sub(r"\s+#.*", "", line).strip()
            for line in lines if line.strip() and not line.lstrip().startswith("#")]


class ReadmeTest(ProgramTest):
    def shim(self):
        """`verbund` on the path, with small sizes."""
        folder = self.folder / "bin"
        folder.mkdir()
        shim = folder / "verbund"
        shim.write_text(f"""#!/bin/sh
case "$1" in
  prepare) case " $* " in *" --list-corpora "*|*" --help "*) ;; *) set -- "$@" $VERBUND_README_PREPARE ;; esac ;;
  train|launch) set -- "$@" $VERBUND_README_TRAIN ;;
esac
exec {shlex.quote(str(pathlib.Path(PROGRAM).resolve()))} "$@"
""")
        shim.chmod(0o755)
        return folder

    def type_commands(self, page, at_least, prepare=SMALL_PREPARE, train=SMALL_TRAIN, lines=None):
        """Returns what the commands printed, in their order; without `lines`, those of the page."""
        environment = {"VERBUND_README_PREPARE": prepare, "VERBUND_README_TRAIN": train, **os.environ,
                       "PATH": f"{self.shim()}:{os.environ['PATH']}", "HOME": str(self.folder)}
        place = self.folder / "fresh"
        place.mkdir(exist_ok=True)
        printed = []
        for line in lines or commands((SOURCE / page).read_text()):
            command = INSTEAD.get(line, line)
            for pattern, replacement in REWRITTEN:
                command = re.sub(pattern, replacement, command)
            if not command:
                continue
            with self.subTest(command):
                result = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=place, env=environment,
                                        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
                self.assertEqual(result.returncode, 0, f"{line}\n{result.stdout[-2000:]}\n{result.stderr[-2000:]}")
                printed.append(result.stdout)
        self.assertGreaterEqual(len(printed), at_least)  # the page was read
        return printed

    def test_every_command_of_the_readme_works_in_its_order(self):
        self.type_commands("README.md", 10)

    @long_test
    def test_every_command_of_the_tutorial_works_in_its_order(self):
        self.type_commands("docs/tutorial.md", 30)

    @long_test
    def test_every_command_of_fine_tuning_works_and_the_model_learns_the_new_text(self):
        printed = self.type_commands("docs/fine-tune.md", 12, "", FINE_TUNE)
        # On the new text and on the old one, before and after.
        new_before, old_before, new_after, old_after = [
            float(value) for text in printed for value in re.findall(r"(?m)^BLEU\S* = ([\d.]+)", text)]
        self.assertGreater(old_before, new_before + 5)
        self.assertGreater(new_after, new_before + 10)
        self.assertGreater(old_after, new_before)  # it has not unlearned the language

    @long_test
    def test_every_command_of_synthetic_data_works_in_its_order(self):
        printed = self.type_commands("docs/synthetic-data.md", 20, "--set corpus.generated_pairs=3000", SMALL_TRAIN)
        self.assertEqual(len(re.findall(r"(?m)^BLEU\S* = ([\d.]+)", "".join(printed))), 4)
        place = self.folder / "fresh"
        lines = {name: (place / name).read_text().splitlines() for name in
                 ("mono.de", "mono.en", "scores.txt", "synthetic.tsv", "distilled.tsv")}
        self.assertEqual(len({len(lines[name]) for name in ("mono.de", "mono.en", "scores.txt")}), 1)
        self.assertEqual(len(lines["synthetic.tsv"]), len(lines["mono.de"]) // 2)
        # The pairs that remain are the likelier ones.
        score = {f"{source}\t{target}": float(likelihood) / int(tokens) for source, target, (likelihood, tokens) in
                 zip(lines["mono.en"], lines["mono.de"], (line.split("\t") for line in lines["scores.txt"]))}
        kept = set(lines["synthetic.tsv"])
        self.assertGreaterEqual(min(value for pair, value in score.items() if pair in kept),
                                max(value for pair, value in score.items() if pair not in kept) - 1e-5)

    @long_test
    def test_every_command_of_many_languages_works_and_the_model_learns_both(self):
        printed = self.type_commands("docs/many-languages.md", 13, SMALL_VOCABULARY, FINE_TUNE)
        german, turned, by_flag = [text for text in printed if re.search(r"(?m)^BLEU\S* = ", text)][-3:]
        self.assertEqual(re.findall(r"(?m)^BLEU.*", german), re.findall(r"(?m)^BLEU.*", by_flag))
        for text in (german, turned):
            self.assertGreater(float(re.search(r"(?m)^BLEU\S* = ([\d.]+)", text)[1]), 15)
        (into_german, into_turned) = [text for text in printed if len(text.splitlines()) == 3][-2:]
        self.assertNotEqual(into_german, into_turned)

    @long_test
    def test_every_command_of_mixing_works_in_its_order(self):
        place = self.folder / "fresh"
        self.type_commands("docs/mix-corpora.md", 12, "", MIX)
        self.assertRegex((place / "runs/staged/log.txt").read_text(), r"stage before: general: 1\.0\d epochs")
        self.assertIn("UpperCase", (place / "mixture.yaml").read_text())

    @long_test
    def test_every_command_of_exporting_works(self):
        """Of a model that was trained before. What needs Python's packages is left to the oracle tests."""
        place, data = self.folder / "fresh", fixtures.dataset()
        for name in ("demo", "old"):
            fixtures.copy_of_model(place / "runs" / name)
        self.succeed(*fixtures.training(place / "runs" / "post", 20, model__norm="post", model__norm_epsilon=1e-5))
        shutil.copytree(data, place / "data" / "mine")
        for side, ending in (("source", "en"), ("target", "de")):
            shutil.copy(data / f"test.{side}.txt", place / f"test.{ending}")
        page = (SOURCE / "docs/export.md").read_text()
        lines = [line.partition(" #")[0].strip() for line in re.findall(r"(?m)^    (verbund .*)$", page)]
        printed = self.type_commands("docs/export.md", 5, lines=list(dict.fromkeys(lines)))  # one is there twice
        pairs = len((place / "test.en").read_text().splitlines())
        self.assertIn(pairs, [len(text.splitlines()) for text in printed])  # a number for each
        for path in ("demo-ct2/model.bin", "my-model/model.safetensors", "runs/export/checkpoints/last/weights.safetensors"):
            self.assertTrue((place / path).exists(), path)
        self.assertTrue(list((place / "tensorboard/old").rglob("events.*")))
        # As the page says, import reads the folder.
        self.succeed("import", place / "my-model", "--run", self.folder / "again")

    def test_what_is_typed_instead_is_on_a_page(self):
        lines = {line for page in ("README.md", "docs/tutorial.md") for line in commands((SOURCE / page).read_text())}
        self.assertLessEqual(set(INSTEAD), lines)


if __name__ == "__main__":
    run_tests()
