#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the network what-if of the report tell the truth? Trains over two hosts at one rate, predicts the step time at
others from that run's own records, then trains at these rates and measures it, all in one run.

    bench/what_if.py [--slots 1] [--steps 60] [--rates 500mbit,2gbit] [--rounds 2]

The hosts are those that tests/hosts makes on this machine (as root). Fails if a prediction is off by more than 10 %, or
if a run at another rate does not have the same losses.
"""
import argparse
import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "hosts"))
from hosts import Hosts  # noqa: E402

os.environ["VERBUND_HOSTS_BURST"] = "256kb"  # a wire that was idle is no faster than a busy one
BASE = "1gbit"
TUNING = 1
SETTINGS = ["model.d_model=256", "model.heads=4", "model.d_ff=1024", "model.encoder_layers=3", "model.decoder_layers=3",
            "workers.bucket_kb=2048", "train.eval_every=0", "evaluate.at_start=false", "threads=1",
            "checkpoint.save_every_steps=0", "train.log_every=20"]


def bits(rate):
    return float(rate.removesuffix("gbit")) * 1e9 if rate.endswith("gbit") else float(rate.removesuffix("mbit")) * 1e6


def records(run, rank):
    """Of steps/rank-N.bin: (step, seconds, flags) of each."""
    data = (run / "steps" / f"rank-{rank}.bin").read_bytes()
    step = struct.Struct("<qd6fQIfII")
    fields = [step.unpack_from(data, at) for at in range(16, len(data) - step.size + 1, step.size)]
    return [(field[0], field[2], field[12]) for field in fields]


def step_seconds(run):
    found = [seconds for step, seconds, flags in records(run, 0) if step > 5 and not flags & TUNING]
    return statistics.median(found)


def losses(run):
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [line["train_loss"] for line in lines if "train_loss" in line]


def train(options, rate, data, run):
    with Hosts(2, rate=rate) as hosts:
        command = [options.program, "train", "--config", "demo", "--data", data, "--run", run,
                   "--set", f"train.max_steps={options.steps}", "--set", f"batch.tokens={options.tokens * options.slots * 2}"]
        for setting in SETTINGS:
            command += ["--set", setting]
        job = hosts.mpirun("-n", str(2 * options.slots), *map(str, command), slots=options.slots,
                           stdout=subprocess.DEVNULL)
        if job.wait(timeout=1800) != 0:
            sys.exit(f"training at {rate} failed: see {run}/log.txt")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slots", type=int, default=1, help="workers on each host")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--tokens", type=int, default=700, help="of the batch, for each worker")
    parser.add_argument("--rates", default="500mbit,2gbit")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--program", default=str(ROOT / "build" / "verbund"))
    parser.add_argument("--predictor", default=str(ROOT / "build" / "bench_what_if"))
    options = parser.parse_args()
    for program in (options.program, options.predictor):
        if not os.path.exists(program):
            sys.exit(f"there is no {program}: build it with  ninja -C build verbund bench_what_if")
    rates = options.rates.split(",")
    factors = {rate: f"{bits(rate) / bits(BASE):g}" for rate in rates}
    predicted = {rate: [] for rate in rates}
    measured = {rate: [] for rate in [BASE, *rates]}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run([options.program, "prepare", "--config", "demo", "--out", folder / "data",
                        "--set", "corpus.generated_pairs=8000"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        same = None
        for turn in range(options.rounds):
            for rate in [BASE, *rates]:
                run = folder / f"{rate}-{turn}"
                train(options, rate, folder / "data", run)
                same = same or losses(run)
                if losses(run) != same:
                    sys.exit(f"the losses at {rate} are not those at {BASE}")
                measured[rate].append(step_seconds(run))
                if rate != BASE:
                    continue
                told = json.loads(subprocess.run([options.predictor, run, *factors.values()], check=True,
                                                 stdout=subprocess.PIPE, text=True).stdout)
                print(f"round {turn + 1}, {BASE}: {measured[BASE][-1]:.3f} s a step; the replay of {told['steps']} "
                      f"steps is off by {100 * told['error']:.1f} %")
                for other in rates:
                    predicted[other].append(told["predicted"][factors[other]])
    well = True
    for rate in rates:
        truth, guess = statistics.median(measured[rate]), statistics.median(predicted[rate])
        error = guess / truth - 1
        well = well and abs(error) <= 0.1
        print(f"{rate}: predicted {guess:.3f} s, measured {truth:.3f} s a step ({100 * error:+.1f} %), at {BASE} it was "
              f"{statistics.median(measured[BASE]):.3f} s")
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
