#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a job stands still after the loss of a worker: from kill -9 to the end of the first new step, and where the
time goes.

    bench/restart.py [--rounds 3] [--data FOLDER] [--model demo] [--program build/verbund] [--against OTHER]

With --against, another verbund is measured in turn with the first, and the ratio is printed. Figures are medians over
the rounds, in seconds. Fails if the losses of an interrupted run differ from those of an undisturbed one.
"""
import argparse
import json
import os
import pathlib
import queue
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SAVE_EVERY, STEPS = 20, 40

# Each phase ends with a line of launch or of worker 0.
PHASES = [
    ("detect the loss", r"verbund: lost worker"),
    ("end mpirun", r"warning: .*Restart 1 of"),
    ("choose hosts", r"debug: starting: "),
    ("start mpirun, connect", r"debug: worker 0: on "),
    ("open and verify the dataset", r"debug: dataset .*(bytes verified in|unchanged since)"),
    ("load the checkpoint", r"debug: run: resumes after step"),
    ("rest of the start", r"workers: 2 "),
    ("first step", r"step +\d+ .*loss"),
]


def processes_of(run):
    """The workers' process ids by rank."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if str(run) not in (folder / "cmdline").read_text():
                continue
            variables = dict(item.split(b"=", 1) for item in (folder / "environ").read_bytes().split(b"\0") if b"=" in item)
            found[int(variables[b"OMPI_COMM_WORLD_RANK"])] = int(folder.name)
        except (OSError, KeyError):
            continue
    return found


def losses(run):
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return {line["step"]: line["train_loss"] for line in lines if "train_loss" in line}


def train(options, program, data, run, hurt):
    """Trains, and returns the seconds of each phase after a worker was killed."""
    command = [program, "launch", "-n", "2", "--max-restarts", "1", "--log-level", "debug", "--", "train", "--config",
               options.model, "--data", data, "--run", run, "--set", f"train.max_steps={STEPS}",
               "--set", f"checkpoint.save_every_steps={SAVE_EVERY}", "--set", "threads=1", "--set", "train.log_every=1",
               "--set", "train.eval_every=0", "--set", "evaluate.at_start=false"]
    job = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    lines = queue.Queue()
    threading.Thread(target=lambda: [lines.put((time.monotonic(), line)) for line in job.stderr] and lines.put(None),
                     daemon=True).start()
    said, at, phase, seconds = [], None, 0, {}
    while (item := lines.get()) is not None:
        now, line = item
        said.append(line)
        if hurt and at is None and re.match(rf"step +{SAVE_EVERY + 5} ", line):
            while not (run / "checkpoints" / f"step-{SAVE_EVERY:08d}" / "manifest.json").exists():
                time.sleep(0.01)
            worker = processes_of(run)[1]
            at = time.monotonic()
            os.kill(worker, signal.SIGKILL)
        # Steps of before the kill may still be on their way.
        elif at is not None and phase < len(PHASES) and re.match(PHASES[phase][1], line):
            seconds[PHASES[phase][0]] = now - at
            at, phase = now, phase + 1
    if job.wait() != 0 or (hurt and phase < len(PHASES)):
        sys.exit(f"the training failed, or phase {phase} was not seen:\n{''.join(said)}")
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="demo")
    parser.add_argument("--data", help="a dataset (the generated demo)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default=str(ROOT / "build" / "verbund"))
    parser.add_argument("--against", help="another verbund, measured in turn")
    options = parser.parse_args()
    programs = [options.program] + ([options.against] if options.against else [])
    measured = {program: [] for program in programs}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = pathlib.Path(options.data or folder / "data")
        if not options.data:
            subprocess.run([options.program, "prepare", "-q", "--config", "demo", "--out", data], check=True,
                           stdout=subprocess.DEVNULL)
        train(options, options.program, data, folder / "undisturbed", hurt=False)
        expected = losses(folder / "undisturbed")
        for round_number in range(options.rounds):
            for number, program in enumerate(programs):
                run = folder / f"run-{round_number}-{number}"
                measured[program].append(train(options, program, data, run, hurt=True))
                if losses(run) != expected:
                    sys.exit(f"the losses of {run} differ from those of an undisturbed run")
    medians = {program: {phase: statistics.median(one[phase] for one in measured[program]) for phase, _ in PHASES}
               for program in programs}
    totals = {program: statistics.median(sum(one.values()) for one in measured[program]) for program in programs}
    print(f"seconds from kill -9 of a worker to the end of the first new step, medians of {options.rounds}")
    for phase, _ in PHASES:
        print(f"  {phase:30}" + "".join(f"{medians[program][phase]:10.2f}" for program in programs))
    print(f"  {'all':30}" + "".join(f"{totals[program]:10.2f}" for program in programs))
    if options.against:
        print(f"ratio to {options.against}: {totals[options.program] / totals[options.against]:.2f}")
    print(f"losses of all {len(expected)} steps are those of an undisturbed run")


if __name__ == "__main__":
    main()
