# SPDX-License-Identifier: Apache-2.0
"""The real TensorBoard, with each of its two loaders, shows what metrics.jsonl holds, point by point: for a straight
run, for one that was killed and resumed twice, for the moment after a resume, and for what `export` makes of run
folders. Its pages of texts, hyper-parameters and custom charts have their data, and hostile text stays text.

Skipped (exit code 77) where the module tensorboard is not installed.
"""
import html.parser
import json
import pathlib
import shutil
import struct
import sys
import unittest

try:
    import tensorboard
except ImportError as error:
    print(f"skipped: {error}; install tensorboard to run this test")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.tensorboard import TensorBoard  # noqa: E402
from support.training import TrainingTest  # noqa: E402

# Checkpoints at 100 and 200 (the best ones are not kept, they would be saved at once), evaluations at 0, 30, ..., 240:
# a run that is killed after 150 loses two of them.
SETTINGS = {"train.eval_every": 30, "checkpoint.save_every_steps": 100, "evaluate.at_start": "true",
            "evaluate.best": "", "train.max_steps": 240, "evaluate.teacher_forced": "true"}
HOSTILE = ["<script>alert(1)</script> <img src=x onerror=alert(1)>", "# no *heading*, `no` code", "1. a | b \\ c",
           "[link](javascript:alert(1)) &lt; ![x](y)", "</td></tr></table> <b>out</b>", "    four blanks ~~ ** __"]


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def same(key, value):
    """Tags and values of a key of metrics.jsonl, written down here once more: docs/tensorboard.md."""
    groups = {"exchange": "exchange", "train": "train", "dev": "dev"}
    known = {"train_loss": "train_loss", "dev_loss": "eval_loss", "learning_rate": "learning_rate",
             "gradient_norm": "Loss_Optimization/global_gradient_norm", "epoch": "train/epoch", "dev_chrf": "dev/chrF",
             "target_tokens": "train/target_tokens", "workers": "exchange/workers",
             "dev_teacher_forced_piece_bleu": "dev/teacher_forced_piece_BLEU",
             "probe_loss": "train/probe_loss", "probe_smoothed_loss": "train/probe_smoothed_loss", "probe_cross_entropy": "train/probe_cross_entropy"}
    if key == "dev_bleu":
        return {"Eval_BLEU_Score": value / 100, "dev/BLEU": value}
    if key == "seconds_per_step":
        return {"global_step/sec": 1 / value, "time/seconds_per_step": value}
    if key in ("target_tokens_per_second", "data_wait_seconds", "training_seconds", "evaluation_seconds"):
        return {f"time/{key}": value}
    if key in known:
        return {known[key]: value}
    group, _, rest = key.partition("_")
    return {f"{groups[group]}/{rest}" if group in groups else key: value}


def expected_curves(lines):
    """{tag: [(step, value)]}, in single precision, with the best values so far."""
    curves, best = {}, {}
    for line in lines:
        values = {}
        for key, value in line.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool) and key not in ("step", "at", "start"):
                values.update(same(key, value))
        for tag, better in (("eval_loss", min), ("dev/cross_entropy", min), ("dev/BLEU", max), ("dev/chrF", max)):
            if tag not in values:
                continue
            if tag not in best or better(values[tag], best[tag][0]) != best[tag][0]:
                best[tag] = (values[tag], line["step"])
            name = f"best/{tag.rpartition('/')[2]}"
            values[name], values[name + "_step"] = best[tag]
        for tag, value in values.items():
            curves.setdefault(tag, []).append((line["step"], single(value)))
    return curves


class Cells(html.parser.HTMLParser):
    """The text of a table's cells, and the elements that there are."""

    def __init__(self, text):
        super().__init__()
        self.cells, self.elements = [], set()
        self.feed(text)

    def handle_starttag(self, tag, _):
        self.elements.add(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data.strip("\n")


def records(path):
    """(offset, step) of each event of a file; Event.step is field 2, a varint."""
    content, at = path.read_bytes(), 0
    while at < len(content):
        length, = struct.unpack_from("<Q", content, at)
        event, position, step = content[at + 12:at + 12 + length], 9, 0
        if event[position] == 0x10:
            shift = 0
            while True:
                position += 1
                step |= (event[position] & 127) << shift
                shift += 7
                if event[position] < 128:
                    break
        yield at, step
        at += 16 + length


class TensorBoardOracle(TrainingTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls("make_runs")
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        case.make_runs()

    def make_runs(self):
        cls = type(self)
        cls.runs, cls.expected = self.folder / "runs", {}
        straight, resumed = cls.runs / "straight", cls.runs / "resumed"
        self.run_to(straight, None)
        cls.writes_events = any(straight.glob("events.out.tfevents.*"))
        if cls.writes_events:
            cls.expected["straight"] = self.metrics(straight)
            for _ in range(2):
                self.run_to(resumed, 155)
            self.run_to(resumed, None)
            cls.starts = [start["step"] for start in json.loads((resumed / "run.json").read_text())["starts"]]
            cls.expected["resumed"] = self.metrics(resumed)
            self.make_moment_after_resume(resumed, cls.runs / "after_resume")
        exported = self.folder / "exported"
        for name in ("straight", "resumed"):
            if (cls.runs / name).exists():
                self.succeed("export", "--format", "tensorboard", "--run", cls.runs / name, "--out", exported / name)
                cls.expected[f"exported_{name}"] = self.metrics(cls.runs / name)
                shutil.move(exported / name, cls.runs / f"exported_{name}")
        self.make_hostile(self.folder / "hostile")
        self.succeed("export", "--format", "tensorboard", "--run", self.folder / "hostile", "--out", cls.runs / "hostile")

    def run_to(self, run, killed_at):
        job = self.start(self.command(*self.arguments(run, SETTINGS)))
        if killed_at is None:
            self.assertEqual(job.wait(), 0, job.said())
            return
        begun = len(list(run.glob("events.*"))) + 1  # from then on metrics.jsonl has no step that will be made again
        self.wait_for(lambda: len(list(run.glob("events.*"))) == begun and self.last_step(run) >= killed_at, job)
        job.process.kill()
        job.process.wait()

    def make_moment_after_resume(self, run, copy):
        """As it was when the last start had told nothing new yet."""
        shutil.copytree(run, copy, ignore=shutil.ignore_patterns("checkpoints"))
        last = sorted(copy.glob("events.out.tfevents.*"))[-1]
        went_on = self.starts[-1]
        with open(last, "r+b") as file:
            file.truncate(next(at for at, step in list(records(last))[2:] if step > went_on))  # after version and START
        self.expected["after_resume"] = [line for line in self.expected["resumed"] if line["step"] <= went_on]

    @staticmethod
    def make_hostile(run):
        evaluations = run / "evaluations"
        evaluations.mkdir(parents=True)
        (run / "metrics.jsonl").write_text('{"step": 10, "dev_loss": 2.5, "time": "2026-02-03T04:05:06Z"}\n')
        (evaluations / "dev.jsonl").write_text(
            "".join(json.dumps({"source": text, "reference": text}) + "\n" for text in HOSTILE))
        (evaluations / "step-00000010.jsonl").write_text(
            "".join(json.dumps({"translation": text, "cross_entropy": 1.5, "tokens": 3, "bleu": [0] * 10,
                                "chrf": [0] * 18}) + "\n" for text in HOSTILE))

    def both_loaders(self):
        for fast in (True, False):
            with self.subTest(loader="Rust" if fast else "Python"), TensorBoard(self.runs, fast) as board:
                for run, lines in self.expected.items():  # all has been read
                    board.wait_for(lambda: self.is_read(board, run, expected_curves(lines)))
                board.wait_for(lambda: "hostile" in board.get("plugin/text/tags"))
                yield board

    @staticmethod
    def is_read(board, run, curves):
        return all(curve[-1][0] == (board.curve(run, tag) or [(-1, 0)])[-1][0] for tag, curve in curves.items())

    def test_everything(self):
        for board in self.both_loaders():
            for run, lines in self.expected.items():
                curves = expected_curves(lines)
                self.assertEqual(board.tags(run), sorted(curves), run)
                points = 0
                for tag, curve in curves.items():
                    self.assertEqual(board.curve(run, tag), curve, f"{run}: {tag}")
                    points += len(curve)
                print(f"{run}: {points} points of {len(curves)} tags are those of metrics.jsonl", file=sys.stderr)
            self.check_texts(board)
            self.check_custom_charts(board)
            self.check_hyper_parameters(board)

    def check_texts(self, board):
        cells = Cells(board.get("plugin/text/text", run="hostile", tag="samples")[-1]["text"])
        self.assertEqual(cells.cells, ["source", "reference", "translation"] +
                         [text.strip() for text in HOSTILE for _ in range(3)])
        self.assertLessEqual(cells.elements, {"table", "tbody", "tr", "td", "p", "strong"})
        for run in {"straight", "resumed"} & set(self.expected):
            steps = [sample["step"] for sample in board.get("plugin/text/text", run=run, tag="samples")]
            self.assertEqual(steps, [line["step"] for line in self.expected[run] if "dev_bleu" in line])

    def check_custom_charts(self, board):
        _, smoothed = board.get("plugin/custom_scalars/layout")["category"][0]["chart"]
        for run, lines in self.expected.items():
            for tag in ("train_loss", "eval_loss"):
                self.assertIn(f"^{tag}$", smoothed["multiline"]["tag"])
                found = board.get("plugin/custom_scalars/scalars", run=run, tag=f"^{tag}$")["tag_to_events"]
                self.assertEqual([(step, value) for _, step, value in found[tag]], expected_curves(lines)[tag])

    def check_hyper_parameters(self, board):
        about = board.post("plugin/hparams/experiment", {})
        names = [info["name"] for info in about["hparamInfos"]]
        body = {"startIndex": 0, "sliceSize": 100,
                "allowedStatuses": ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"],
                "colParams": [{"hparam": name} for name in names] + [{"metric": m["name"]} for m in about["metricInfos"]]}
        groups = {group["name"]: group for group in board.post("plugin/hparams/session_groups", body)["sessionGroups"]}
        for run, lines in self.expected.items():
            settings = groups[run]["hparams"]
            self.assertEqual(settings["model.d_model"], 32)
            self.assertEqual(settings["schedule.policy"], "transformer_policy")
            values = {metric["name"]["tag"]: metric["value"] for metric in groups[run]["metricValues"]}
            for tag, curve in expected_curves(lines).items():
                self.assertEqual(values[tag], curve[-1][1], f"{run}: {tag}")
            if run != "after_resume":
                self.assertEqual(groups[run]["sessions"][0]["status"], "STATUS_SUCCESS", run)

    def test_the_run_lost_evaluations_when_it_was_killed(self):
        if not self.writes_events:
            self.skipTest("train writes no events yet")
        self.assertEqual(self.starts, [0, 100, 100])
        told = [step for path in sorted((self.runs / "resumed").glob("events.out.tfevents.*"))[:2]
                for _, step in records(path)]
        self.assertGreater(sum(step >= 150 for step in told), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
