#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to have every step on record: a step with all observers on against one with train.record=false, in turn
in one run.

    bench/record_cost.py [--model transformer-small] [--workers 2] [--steps 20] [--rounds 6]

A step is long enough to meet all that happens once a second.

Fails if a step takes more than 1 % longer, if the losses differ, or if a step is not on record.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from alternate import cost_in_turn, losses_and_seconds

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
    if record:
        for rank in range(options.workers):
            kept = ((run / "steps" / f"rank-{rank}.bin").stat().st_size - HEADER) // RECORD
            if kept != options.steps:
                sys.exit(f"{kept} of {options.steps} steps of worker {rank} are on record")
    return losses_and_seconds(run)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="transformer-small")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=1500, help="of the batch, for each worker")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--program", default=str(ROOT / "build" / "verbund"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run([options.program, "prepare", "--config", "demo", "--out", folder / "data"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cost, result = cost_in_turn(
            options.rounds, lambda turn, record: train(options, folder / "data", folder / f"{turn}-{record}", record),
            lambda: "with the record")
    print(f"{options.model}, {options.workers} workers, {options.rounds * options.steps} steps each: a step with the "
          f"record {result}")
    sys.exit(0 if cost <= 0.01 else 1)


if __name__ == "__main__":
    main()
