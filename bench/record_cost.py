#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to have every step on record: a step with all observers on against one with train.record=false, in turn
in one run.

    bench/record_cost.py [--model transformer-small] [--workers 2] [--steps 20] [--rounds 6]

A step is long enough to meet all that happens once a second. What is compared are lower quartiles: whatever else the
machine does makes steps longer, never shorter.

Fails if a step takes more than 1 % longer, if the losses differ, or if a step is not on record.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER, RECORD = 16, 64


def train(options, data, run, record):
    command = [options.program, "train", "--config", options.model, "--data", data, "--run", run,
               "--set", f"train.max_steps={options.steps}", "--set", f"batch.tokens={options.tokens * options.workers}",
               "--set", "threads=1", "--set", "train.eval_every=0", "--set", "evaluate.at_start=false",
               "--set", "train.log_every=1", "--set", "workers.bucket_kb=4096",
               "--set", f"train.record={'true' if record else 'false'}"]
    if options.workers > 1:
        launcher = ["mpirun", "-n", str(options.workers), "--bind-to", "none", "--oversubscribe"]
        command = launcher + (["--allow-run-as-root"] if os.geteuid() == 0 else []) + command
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"training failed: see {run}/log.txt")
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    lines = [line for line in lines if "train_loss" in line]
    if record:
        for rank in range(options.workers):
            kept = ((run / "steps" / f"rank-{rank}.bin").stat().st_size - HEADER) // RECORD
            if kept != options.steps:
                sys.exit(f"{kept} of {options.steps} steps of worker {rank} are on record")
    return [line["train_loss"] for line in lines], [line["seconds_per_step"] for line in lines[2:]]


def lower_quartile(values):
    return statistics.quantiles(values, n=4)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="transformer-small")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=1500, help="of the batch, for each worker")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--program", default=str(ROOT / "build" / "verbund"))
    options = parser.parse_args()
    seconds = {True: [], False: []}
    same = None
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run([options.program, "prepare", "--config", "demo", "--out", folder / "data"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for turn in range(options.rounds):
            quartiles = {}
            for record in (turn % 2 == 0, turn % 2 != 0):  # who is first takes turns, too
                losses, times = train(options, folder / "data", folder / f"{turn}-{record}", record)
                same = same or losses
                if losses != same:
                    sys.exit("the losses differ")
                seconds[record] += times
                quartiles[record] = lower_quartile(times)
            print(f"round {turn + 1}: {quartiles[True]:.4f} s with the record, {quartiles[False]:.4f} s without: "
                  f"{100 * (quartiles[True] / quartiles[False] - 1):+.2f} %", flush=True)
    cost = lower_quartile(seconds[True]) / lower_quartile(seconds[False]) - 1
    medians = statistics.median(seconds[True]) / statistics.median(seconds[False]) - 1
    print(f"{options.model}, {options.workers} workers, {len(seconds[True])} steps each: a step with the record takes "
          f"{100 * cost:+.2f} % (medians {100 * medians:+.2f} %)")
    sys.exit(0 if cost <= 0.01 else 1)


if __name__ == "__main__":
    main()
