#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a board beside it costs a training: a step with `verbund board` and one reader of the run's page on the same
machine against a step without them, in turn in one run.

    bench/board_beside_training.py [--model transformer-small] [--steps 50] [--rounds 6] [--threads 0]

The reader asks for what the browser asks for: the run with its charts every 2 seconds, the report's answers every 10. It
computes nothing itself, as if the browser were elsewhere. The training takes all cores (--threads 0), so that the board
has none of its own. What is compared are lower quartiles of the mean step over 10 seconds, which meet all that the board
does: whatever else the machine does makes steps longer, never shorter.

Fails if a step takes more than 1 % longer, if the losses differ, or if the board did not show the run as it was.
"""
import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
os.environ.setdefault("VERBUND", str(ROOT / "build" / "verbund"))
from support.board_server import BoardServer  # noqa: E402
from support.program import PROGRAM  # noqa: E402

from board_load import cpu_seconds, run_page_requests  # noqa: E402

WINDOW = 10  # seconds


class Reader(threading.Thread):
    """One browser with the page of a run, from its first step to its end."""

    def __init__(self, board, name):
        super().__init__()
        self.board, self.name = board, name
        self.ended = threading.Event()
        self.pages, self.steps_seen = 0, set()

    def ask(self, connection, what, parameters):
        connection.request("GET", f"/api/{what}?{urllib.parse.urlencode(parameters)}")
        answer = connection.getresponse()
        return answer.status, answer.read()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.board.port, timeout=30)
        asked_answers = 0.0
        while not self.ended.wait(2):
            requests = run_page_requests(self.name)
            if time.monotonic() - asked_answers > 10:
                asked_answers = time.monotonic()
                requests.append(("page", [("run", self.name)]))
            for what, parameters in requests:
                status, body = self.ask(connection, what, parameters)
                if status != 200:  # the folder is not there yet
                    break
                if what == "run":
                    self.steps_seen.add(json.loads(body)["step"])
            else:
                self.pages += 1


def windows(times):
    """The mean time of a step in each 10 seconds."""
    means, window = [], []
    for seconds in times:
        window.append(seconds)
        if sum(window) >= WINDOW:
            means.append(statistics.mean(window))
            window = []
    if len(means) < 2:
        sys.exit(f"the training took {sum(times):.0f} s, too short to measure: use more --steps")
    return means


def train(options, data, run):
    """Losses of the steps, and their times over 10 seconds; without the first steps, which meet empty caches."""
    command = [PROGRAM, "train", "--config", options.model, "--data", data, "--run", run,
               "--set", f"train.max_steps={options.steps}", "--set", f"batch.tokens={options.tokens}",
               "--set", f"threads={options.threads}", "--set", "train.eval_every=0",
               "--set", "evaluate.at_start=false", "--set", "train.log_every=1"]
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"training failed: see {run}/log.txt")
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    lines = [line for line in lines if "train_loss" in line]
    return [line["train_loss"] for line in lines], windows([line["seconds_per_step"] for line in lines[2:]])


def train_beside_board(options, data, run):
    """The same, and the share of a core that the board took."""
    with BoardServer(run.parent) as board:
        reader = Reader(board, run.name)
        reader.start()
        began, spent = time.monotonic(), cpu_seconds(board.process.pid)
        try:
            losses, times = train(options, data, run)
            share = (cpu_seconds(board.process.pid) - spent) / (time.monotonic() - began)
        finally:
            reader.ended.set()
            reader.join()
        if reader.pages == 0 or len(reader.steps_seen) < 2:
            sys.exit("the reader has not seen the run grow: use more steps")
        expected, patience = (options.steps, "finished"), time.monotonic() + 5  # files are looked at now and then
        while True:
            last = board.ask("run", run=run.name)
            if (last["step"], last["state"]) == expected or time.monotonic() > patience:
                break
            time.sleep(0.2)
        if (last["step"], last["state"]) != expected:
            sys.exit(f"the board shows step {last['step']}, {last['state']}, after {options.steps} steps")
    return losses, times, share


def lower_quartile(values):
    return statistics.quantiles(values, n=4)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="transformer-small")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--tokens", type=int, default=3000, help="of the batch")
    parser.add_argument("--threads", type=int, default=0, help="of the training; 0: one per core")
    parser.add_argument("--rounds", type=int, default=6)
    options = parser.parse_args()
    seconds, shares, same = {True: [], False: []}, [], None
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run([PROGRAM, "prepare", "--config", "demo", "--out", folder / "data"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for turn in range(options.rounds):
            quartiles = {}
            for beside in (turn % 2 == 0, turn % 2 != 0):  # who is first takes turns, too
                run = folder / f"{'beside' if beside else 'alone'}-{turn}" / "run"
                run.parent.mkdir()
                if beside:
                    losses, times, share = train_beside_board(options, folder / "data", run)
                    shares.append(share)
                else:
                    losses, times = train(options, folder / "data", run)
                same = same or losses
                if losses != same:
                    sys.exit("the losses differ")
                seconds[beside] += times
                quartiles[beside] = lower_quartile(times)
            print(f"round {turn + 1}: {quartiles[True]:.4f} s beside the board, which took {100 * shares[-1]:.1f} % of a "
                  f"core, {quartiles[False]:.4f} s alone: {100 * (quartiles[True] / quartiles[False] - 1):+.2f} %",
                  flush=True)
    cost = lower_quartile(seconds[True]) / lower_quartile(seconds[False]) - 1
    medians = statistics.median(seconds[True]) / statistics.median(seconds[False]) - 1
    print(f"{options.model}, {options.rounds * options.steps} steps each: a step beside the board takes {100 * cost:+.2f} % (medians "
          f"{100 * medians:+.2f} %); the board took {100 * statistics.mean(shares):.1f} % of a core")
    sys.exit(0 if cost <= 0.01 else 1)


if __name__ == "__main__":
    main()
