#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the report of a long run takes: of a folder that tests/support makes, of 300,000 steps by 8 workers.

    bench/report.py [--steps 300000] [--ranks 8] [--evaluations 300] [--rounds 3]

Fails if a round takes 3 seconds or 500 MB, if a question is not answered, or if the report does not count the steps that
were made.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from support.made_run import made_run  # noqa: E402

SECONDS, MEGABYTES = 3, 500


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=300000)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--evaluations", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default=str(ROOT / "build" / "verbund"))
    options = parser.parse_args()
    well = True
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        made_run(run, steps=options.steps, ranks=options.ranks, evaluations=options.evaluations)
        size = sum(path.stat().st_size for path in run.rglob("*") if path.is_file())
        for turn in range(options.rounds):
            began = time.monotonic()
            process = subprocess.Popen([options.program, "report", run], stdout=subprocess.DEVNULL)
            _, code, usage = os.wait4(process.pid, 0)
            seconds, megabytes = time.monotonic() - began, usage.ru_maxrss * 1024 / 1e6
            well = well and code == 0 and seconds < SECONDS and megabytes < MEGABYTES
            print(f"round {turn + 1}: the report of {options.steps:,} steps by {options.ranks} workers ({size / 1e6:.0f} MB) took "
                  f"{seconds:.2f} s ({usage.ru_utime + usage.ru_stime:.2f} s of CPU) and {megabytes:.0f} MB", flush=True)
        told = json.loads(subprocess.run([options.program, "report", run, "--json"], check=True, stdout=subprocess.PIPE,
                                         text=True).stdout)
    steps = next(figure["value"] for figure in told["verdicts"][0]["figures"] if figure["name"] == "steps")
    if steps != options.steps or len(told["verdicts"]) != 11:
        sys.exit(f"the report tells of {steps} steps in {len(told['verdicts'])} answers")
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
