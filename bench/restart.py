#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a job stands still after the loss of a worker or a host: from kill -9, or from the moment in which the host's
link is cut, to the end of the first new step, and where the time goes.

    bench/restart.py [--lost-host] [--rounds 3] [--data FOLDER] [--model demo] [--program build/verbund]
                     [--against OTHER]

With --lost-host, three hosts are made (network namespaces; as root). The link of the second one is cut while it trains,
and the third one, a spare host, takes its place. How long the loss goes unnoticed is shown apart from the rest.

With --against, another verbund is measured in turn with the first, and the ratio is printed. Figures are medians over
the rounds, in seconds. Fails if the losses of an interrupted run differ from those of an undisturbed one.
"""
import argparse
import contextlib
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
sys.path.insert(0, str(ROOT / "tests" / "hosts"))
from hosts import INTERFACE, SCRIPT, Hosts, leave_unless_possible  # noqa: E402

SAVE_EVERY = 20
STEPS, STEPS_WITH_HOSTS = 40, 200  # a link is cut less quickly than a worker is killed

# Each phase ends with a line of launch or of worker 0; one line may end several. A lost host may be noticed by the
# workers, or by mpirun, which ends then.
PHASES = [
    ("detect the loss", r"verbund: lost worker|warning: .*Restart 1 of"),
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


def train(options, program, data, run, hosts=None, hurt=None):
    """Trains, on these hosts if there are some, and returns the seconds of each phase after hurt(), which is called
    once there is a checkpoint."""
    places = [] if hosts is None else ["-H", ",".join(f"{name}:1" for name in hosts.names), "--nic", INTERFACE,
                                       "--rsh", f"{SCRIPT} agent"]
    command = [program, "launch", "-n", "2", *places, "--max-restarts", "1", "--log-level", "debug", "--", "train",
               "--config", options.model, "--data", data, "--run", run, "--set", f"train.max_steps={options.steps}",
               "--set", f"checkpoint.save_every_steps={SAVE_EVERY}", "--set", "threads=1", "--set", "train.log_every=1",
               "--set", "train.eval_every=0", "--set", "evaluate.at_start=false"]
    start = subprocess.Popen if hosts is None else lambda *call, **more: hosts.start(hosts.names[0], *call, **more)
    job = start(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
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
            at = hurt()
            continue
        # Steps of before may still be on their way.
        while at is not None and phase < len(PHASES) and re.match(PHASES[phase][1], line):
            seconds[PHASES[phase][0]] = now - at
            at, phase = now, phase + 1
    if job.wait() != 0 or (hurt and phase < len(PHASES)):
        sys.exit(f"the training failed, or phase {phase} was not seen:\n{''.join(said)}")
    return seconds


def lose(options, program, data, run):
    """Trains, with a loss, and returns the seconds of each phase after it."""
    with Hosts(3) if options.lost_host else contextlib.nullcontext() as hosts:
        def hurt():
            if options.lost_host:
                hosts.link("host-b", "down")
                return time.monotonic()
            worker = processes_of(run)[1]
            at = time.monotonic()
            os.kill(worker, signal.SIGKILL)
            return at

        return train(options, program, data, run, hosts, hurt)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="demo")
    parser.add_argument("--data", help="a dataset (the generated demo)")
    parser.add_argument("--lost-host", action="store_true", help="a host is cut off, instead of a worker killed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default=str(ROOT / "build" / "verbund"))
    parser.add_argument("--against", help="another verbund, measured in turn")
    options = parser.parse_args()
    options.steps = STEPS_WITH_HOSTS if options.lost_host else STEPS
    if options.lost_host:
        leave_unless_possible()
    programs = [options.program] + ([options.against] if options.against else [])
    measured = {program: [] for program in programs}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = pathlib.Path(options.data or folder / "data")
        if not options.data:
            subprocess.run([options.program, "prepare", "-q", "--config", "demo", "--out", data], check=True,
                           stdout=subprocess.DEVNULL)
        train(options, options.program, data, folder / "undisturbed")
        expected = losses(folder / "undisturbed")
        for round_number in range(options.rounds):
            for number, program in enumerate(programs):
                run = folder / f"run-{round_number}-{number}"
                measured[program].append(lose(options, program, data, run))
                if losses(run) != expected:
                    sys.exit(f"the losses of {run} differ from those of an undisturbed run")
    medians = {program: {phase: statistics.median(one[phase] for one in measured[program]) for phase, _ in PHASES}
               for program in programs}
    totals = {program: statistics.median(sum(one.values()) for one in measured[program]) for program in programs}
    print(f"seconds from {'the loss of a host' if options.lost_host else 'kill -9 of a worker'} to the end of the first "
          f"new step, medians of {options.rounds}")
    for phase, _ in PHASES:
        print(f"  {phase:30}" + "".join(f"{medians[program][phase]:10.2f}" for program in programs))
    if options.lost_host:
        noticed = {program: statistics.median(sum(one.values()) - one[PHASES[0][0]] for one in measured[program])
                   for program in programs}
        print(f"  {'all, once the loss is noticed':30}" + "".join(f"{noticed[program]:10.2f}" for program in programs))
    print(f"  {'all':30}" + "".join(f"{totals[program]:10.2f}" for program in programs))
    if options.against:
        if options.lost_host:
            ratio = noticed[options.program] / noticed[options.against]
            print(f"ratio to {options.against}, once the loss is noticed: {ratio:.2f}")
        print(f"ratio to {options.against}: {totals[options.program] / totals[options.against]:.2f}")
    print(f"losses of all {len(expected)} steps are those of an undisturbed run")


if __name__ == "__main__":
    main()
