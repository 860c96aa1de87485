# SPDX-License-Identifier: Apache-2.0
"""verbund import: runs of other programs as run folders, each figure compared with what a few lines of Python find."""

import csv
import gzip
import io
import json
import math
import pathlib
import re
import sys
import tarfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import DATA, ProgramTest, run_tests  # noqa: E402

RUNS = DATA / "runs"
LOG = RUNS / "openseq2seq-19k-steps.log.gz"
SCALARS = RUNS / "openseq2seq-diverged-scalars.tar.gz"
KEYS = {"train_loss": "train_loss", "eval_loss": "dev_loss", "learning_rate": "learning_rate",
        "Loss_Optimization_global_gradient_norm": "gradient_norm", "global_step_sec": "seconds_per_step",
        "Eval_BLEU_Score": "dev_teacher_forced_piece_bleu"}


def number(value):
    return float(value)  # "NaN" too


class ImportTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "run"

    def imported(self, source, *more):
        done = self.succeed("import", source, "--run", self.run_folder, *more)
        self.record = json.loads((self.run_folder / "run.json").read_text())
        lines = (self.run_folder / "metrics.jsonl").read_text().splitlines()
        self.curves = {}  # key -> [(step, value, time)]
        for line in map(json.loads, lines):
            for key, value in line.items():
                if key not in ("step", "time"):
                    self.curves.setdefault(key, []).append((line["step"], number(value), line.get("time")))
        return done.stderr

    def assert_same(self, key, expected):
        found = self.curves[key]
        self.assertEqual([step for step, *_ in found], [step for step, _ in expected], key)
        for (step, value, _), (_, other) in zip(found, expected):
            same = math.isnan(value) and math.isnan(other) or math.isclose(value, other, rel_tol=1e-12)
            self.assertTrue(same, f"{key} at step {step}: {value}, but {other} in the source")

    @unittest.skipUnless(LOG.exists(), f"there is no {LOG.name}")
    def test_a_log_of_19000_steps(self):
        self.assert_says(self.imported(LOG), "190", "5", "openseq2seq-log", "learning rate")
        text = gzip.open(LOG, "rt", errors="replace").read()
        steps = re.findall(r"Global step (\d+): \*\*\* +Train loss: (\S+)", text)
        self.assert_same("train_loss", [(int(step), float(loss)) for step, loss in steps])
        times = re.findall(r"time per step = (\d+):(\d+):([\d.]+)", text)
        self.assert_same("seconds_per_step", [(int(step), 3600 * int(h) + 60 * int(m) + float(s))
                                              for (step, _), (h, m, s) in zip(steps, times)])
        every = int(re.search(r"'eval_steps': (\d+)", text)[1])
        losses = re.findall(r"Validation loss: (\S+)", text)
        self.assert_same("dev_loss", [(i * every, float(loss)) for i, loss in enumerate(losses)])
        scores = re.findall(r"Eval BLUE score: (\S+)", text)
        self.assert_same("dev_teacher_forced_piece_bleu", [(i * every, 100 * float(s)) for i, s in enumerate(scores)])
        self.assertEqual(set(self.curves), {"train_loss", "seconds_per_step", "dev_loss", "dev_teacher_forced_piece_bleu"})

        imported = self.record["imported"]
        self.assertEqual(imported["workers"], int(re.search(r"nranks (\d+)", text)[1]))
        self.assertEqual(imported["parameters"], int(re.search(r"trainable parameters: (\d+)", text)[1]))
        ranks = set(re.findall(r"^(\w+):.*NCCL INFO rank (\d+) nranks", text, re.M))
        self.assertEqual({(host["host"], str(rank)) for host in self.record["starts"][0]["hosts"]
                          for rank in host["workers"]}, ranks)
        self.assertNotIn("time", self.record["starts"][0])

        samples = [json.loads(line) for line in (self.run_folder / "samples.jsonl").read_text().splitlines()]
        train = [sample for sample in samples if sample["split"] == "train"]
        plain = [re.sub(r"</s>.*|<s>| ", "", source).replace("\u2581", " ").strip()
                 for source in re.findall(r"Train Source\[0\]:(.*)", text)]
        self.assertEqual([(sample["step"], sample["source"]) for sample in train],
                         [(int(step), source) for (step, _), source in zip(steps, plain)])
        targets = dict(zip(re.findall(r"EVAL Source\[0\]: +(.*)\n.*EVAL Target", text),
                           re.findall(r"EVAL Source\[0\]: +.*\n.*EVAL Target\[0\]: +(.*)", text)))
        dev = [sample for sample in samples if sample["split"] == "dev"]
        self.assertGreater(len(dev), 0.9 * text.count("EVAL Source"))
        self.assertEqual({sample["step"] for sample in dev}, {i * every for i in range(len(losses))})
        # The same source has the same reference each time, or lines of two workers were mixed up.
        references = {}
        for sample in dev:
            self.assertEqual(references.setdefault(sample["source"], sample["reference"]), sample["reference"])
        self.assertGreater(len(targets), 0)

        shown = self.succeed("config", "--show", self.run_folder / "config.yaml").stdout
        self.assert_says(shown, "warmup_steps: 8000", "d_model: 512", "eval_every: 4001")
        self.assert_says((self.run_folder / "original-config.txt").read_text(), "'lr_policy': <function transformer_policy")

    @unittest.skipUnless(SCALARS.exists(), f"there is no {SCALARS.name}")
    def test_scalars_of_a_run_that_diverged(self):
        self.imported(SCALARS)
        archive = tarfile.open(SCALARS)
        truth = {pathlib.Path(name).stem: list(csv.reader(io.TextIOWrapper(archive.extractfile(name))))[1:]
                 for name in archive.getnames() if name.endswith(".csv")}
        self.assertEqual(set(self.curves), set(KEYS.values()))
        change = {"global_step_sec": lambda v: 1 / v, "Eval_BLEU_Score": lambda v: 100 * v}
        for name, key in KEYS.items():
            self.assert_same(key, [(int(step), change.get(name, lambda v: v)(float(value)))
                                   for _, step, value in truth[name]])
        # What the verdict on a run that diverged needs: the first step without a loss, when that was, and when it ended.
        seconds = lambda time: __import__("datetime").datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()
        first = next(row for row in truth["train_loss"] if row[2] == "nan")
        found = next(point for point in self.curves["train_loss"] if math.isnan(point[1]))
        self.assertEqual(found[0], int(first[1]))
        self.assertAlmostEqual(seconds(found[2]), float(first[0]), delta=2e-6)
        self.assertAlmostEqual(seconds(self.record["starts"][0]["stop"]["time"]),
                               max(float(row[0]) for rows in truth.values() for row in rows), delta=2e-6)

    def test_a_small_folder_of_scalars(self):
        scalars = self.folder / "scalars"
        scalars.mkdir()
        (scalars / "train_loss.csv").write_text("Wall time,Step,Value\n1593383767.5,1,9.5\n1593383966.5,101,nan\n")
        self.assert_says(self.imported(scalars), "2", "scalar-csv")
        self.assertEqual(self.curves["train_loss"][0], (1, 9.5, "2020-06-28T22:36:07.500000Z"))
        self.assert_says(self.refuse(1, "import", scalars, "--run", self.run_folder), self.run_folder)

    def test_the_report_says_in_one_line_what_it_cannot_tell(self):
        source = self.folder / "train_loss.csv"
        source.write_text("Wall time,Step,Value\n" + "".join(f"{1e9 + i},{i},{5 - i / 100}\n" for i in range(1, 50)))
        self.succeed("import", source, "--run", self.run_folder)
        printed = self.succeed("report", self.run_folder).stdout
        verdicts = json.loads(self.succeed("report", self.run_folder, "--json").stdout)["verdicts"]
        unknown = [verdict for verdict in verdicts if verdict["finding"] == "cannot tell"]
        self.assertEqual(len(verdicts), 12)
        self.assertGreater(len(unknown), 5)
        self.assertEqual(printed.count("cannot tell"), 1)
        page = (self.run_folder / "report.html").read_text()
        self.assertEqual(page.count('<section id="cannot_tell"'), 1)
        self.assertEqual(page.count('class="verdict"'), 12 - len(unknown) + 1)

    def test_what_is_no_run(self):
        path = self.write("other.log", "Epoch 1/10: loss 3.2\n")
        self.assert_says(self.refuse(1, "import", path, "--run", self.run_folder), path, "Epoch 1/10")
        self.assertFalse(self.run_folder.exists())
        self.assert_says(self.refuse(1, "import", self.folder / "none", "--run", self.run_folder), self.folder / "none")
        self.refuse(2, "import", path, "--run", self.run_folder, "--kind", "tensorbord")


if __name__ == "__main__":
    run_tests()
