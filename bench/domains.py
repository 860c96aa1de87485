#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good is a model on general text and on text of one domain, by what it was trained on?

    bench/domains.py                                     900 steps of each
    bench/domains.py --steps 30 --pairs 3000 --test 20 --vocabulary 2000 --tokens 300   tried out

Real text (../shared/data): Europarl is the general text, Multi30k (captions of pictures) the domain. Equal steps of one
small model: (a) Europarl only, (b) Multi30k only, (c) both mixed, (d) in stages: Europarl, then both, (e) Europarl, then
fine-tuned on Multi30k for the last third of the steps, without and with replay. BLEU on Multi30k's test2016 and on
newstest2014, and what the reports of the fine-tuned runs say was gained and forgotten. Fails unless every run has done
its steps and each BLEU is that of as many sentences as its test set has.
"""
import argparse
import gzip
import json
import lzma
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERBUND = ROOT / "build" / "verbund"
SHARED = ROOT / ".." / "shared" / "data"
EVALUATIONS = 6  # in a run
REPLAY = 0.2
MODEL = {"model.encoder_layers": 3, "model.decoder_layers": 3, "model.d_model": 128, "model.heads": 4, "model.d_ff": 512,
         "model.dropout": 0.1, "model.attention_dropout": 0, "model.relu_dropout": 0,
         "optimizer.beta2": 0.98, "schedule.learning_rate": 1, "evaluate.sentences": 200, "evaluate.at_start": "false",
         "decode.max_extra": 20}


def verbund(*words):
    done = subprocess.run([str(VERBUND), *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"verbund {' '.join(map(str, words))} failed:\n{done.stderr[-3000:]}")
    return done.stdout


def lines_of(file):
    opened = lzma.open if file.suffix == ".xz" else gzip.open
    with opened(file, "rt", encoding="utf-8") as text:
        for line in text:
            yield line.rstrip("\n")


def first_lines(place, name, source, limit):
    """The first lines of both sides, as files; returns their flags, for a dataset's `kind` of pairs."""
    for side, file in zip(("en", "de"), source):
        with open(place / f"{name}.{side}", "w", encoding="utf-8") as out:
            for number, line in enumerate(lines_of(file)):
                if limit and number == limit:
                    break
                out.write(line + "\n")
    return place / f"{name}.en", place / f"{name}.de"


def prepare(place, options):
    """Two datasets with one subword model, which was learned on both."""
    sides = lambda folder, name, ending: [SHARED / folder / f"{name}.{side}.{ending}" for side in ("en", "de")]  # noqa: E731
    text = {
        "europarl": (first_lines(place, "europarl", sides("europarl", "europarl-500k", "xz"), options.pairs),
                     first_lines(place, "newstest2013", sides("newstest", "newstest2013", "gz"), options.test),
                     first_lines(place, "newstest2014", sides("newstest", "newstest2014", "gz"), options.test)),
        "multi30k": (first_lines(place, "multi30k", sides("multi30k", "train", "gz"), options.pairs),
                     first_lines(place, "val", sides("multi30k", "val", "gz"), options.test),
                     first_lines(place, "test2016", sides("multi30k", "test_2016_flickr", "gz"), options.test)),
    }
    both = [word for train, _, _ in text.values() for word in ("--source", train[0], "--target", train[1])]
    verbund("prepare", *both, "--set", f"subwords.vocabulary={options.vocabulary}", "--out", place / "both")
    for name, (train, dev, test) in text.items():
        verbund("prepare", "--source", train[0], "--target", train[1], "--dev-source", dev[0], "--dev-target", dev[1],
                "--test-source", test[0], "--test-target", test[1], "--subwords", place / "both" / "joint.model",
                "--out", place / name)
    return {name: sum(1 for _ in open(files[2][0], encoding="utf-8")) for name, files in text.items()}


def flags(settings):
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


class Domains:
    def __init__(self, place, options, sentences):
        self.place, self.options, self.sentences = place, options, sentences
        self.seconds, self.steps = 0.0, 0

    def train(self, name, data, steps, *more, finetune=None, **settings):
        """Trains it up to this step; the time of all steps is added up."""
        options = self.options
        values = {"train.max_steps": steps, "train.eval_every": max(1, options.steps // EVALUATIONS),
                  "train.log_every": max(1, options.steps // 30), "checkpoint.save_every_steps": 0}
        if not finetune:
            values.update(MODEL, **{"batch.tokens": options.tokens, "schedule.warmup_steps": max(10, options.steps // 8)})
            values["train.precision"] = options.precision
        if options.threads:
            values["threads"] = options.threads
        values.update({key.replace("__", "."): value for key, value in settings.items()})
        run = self.place / "runs" / name
        before, began = self.last_step(run), time.time()
        verbund("train", *(["--finetune", finetune] if finetune else []),
                *[word for folder in data for word in ("--data", self.place / folder)], "--run", run, *flags(values), *more)
        if self.last_step(run) != steps:
            sys.exit(f"{name} was to do {steps} steps, but has done {self.last_step(run)}")
        self.seconds += time.time() - began
        self.steps += steps - before
        return run

    @staticmethod
    def last_step(run):
        file = run / "checkpoints" / "last"
        return int(file.resolve().name.removeprefix("step-")) if file.exists() else 0

    def bleu(self, run, data):
        judged = json.loads(verbund("evaluate", "-m", run, "--checkpoint", "last", "--data", self.place / data, "--json"))
        if judged["sentences"] != self.sentences[data]:
            sys.exit(f"{data} has {self.sentences[data]} test sentences, but {judged['sentences']} were translated")
        return judged["bleu"]["score"]

    def row(self, name, run):
        print(f"| {name} | {self.bleu(run, 'multi30k'):.2f} | {self.bleu(run, 'europarl'):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=900, help="of each row of the table")
    parser.add_argument("--pairs", type=int, default=0, help="training pairs of each corpus at most; 0: all")
    parser.add_argument("--test", type=int, default=0, help="sentences of each dev and test set at most; 0: all")
    parser.add_argument("--tokens", type=int, default=3000, help="of a batch")
    parser.add_argument("--vocabulary", type=int, default=4000)
    parser.add_argument("--precision", default="fp32", help="bf16 is faster where the processor has AVX512-BF16")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--folder", help="keep datasets and runs there")
    parser.add_argument("--without-mixture", action="store_true", help="leave (c), (d) and replay out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(options.folder or temporary)
        place.mkdir(parents=True, exist_ok=True)
        domains = Domains(place, options, prepare(place, options))
        general_steps = options.steps * 2 // 3
        rest = options.steps - general_steps
        print(f"{options.steps} steps of each, {options.steps - general_steps} of them fine-tuning in (e)\n")
        print("| trained on | test2016 (domain) | newstest2014 (general) |\n|---|---|---|", flush=True)
        general = domains.train("europarl", ["europarl"], general_steps)
        tuned = [("(e) Europarl, then fine-tuned on Multi30k",
                  domains.train("tuned", ["multi30k"], rest, finetune=general))]
        if not options.without_mixture:
            tuned.append((f"(e) the same with --replay {REPLAY}",
                          domains.train("replay", ["multi30k"], rest, "--replay", REPLAY, finetune=general)))
        domains.row("(a) Europarl", domains.train("europarl", ["europarl"], options.steps))
        domains.row("(b) Multi30k", domains.train("multi30k", ["multi30k"], options.steps))
        if not options.without_mixture:
            half = "{europarl: 0.5, multi30k: 0.5}"
            domains.row("(c) both, half of the pairs of each",
                        domains.train("mixed", ["europarl", "multi30k"], options.steps, mixture__weights=half))
            stages = f"[{{weights: {{europarl: 1}}, steps: {general_steps}}}, {{weights: {half}}}]"
            domains.row("(d) Europarl, then both",
                        domains.train("staged", ["europarl", "multi30k"], options.steps, mixture__stages=stages))
        for name, run in tuned:
            domains.row(name, run)
        for name, run in tuned:
            verdicts = json.loads(verbund("report", run, "--json"))["verdicts"]
            (verdict,) = [one for one in verdicts if one["id"] == "fine_tuning"]
            print(f"\nReport of {name}: {verdict['sentence']}")
        print(f"\n{100 * domains.seconds / domains.steps:.1f} s for 100 steps of training, evaluations included")


if __name__ == "__main__":
    main()
