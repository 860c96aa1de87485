#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a board beside it costs a training: a step with `verbund board` and one reader of the run's page on the same
machine against a step without them, in turn in one run.

    bench/board_beside_training.py [--model transformer-small] [--steps 50] [--rounds 6] [--threads 0]

The reader asks for what the browser asks for: the run with its charts every 2 seconds, the report's answers every 10. It
computes nothing itself, as if the browser were elsewhere. The training takes all cores (--threads 0), so that the board
has none of its own. What is compared are means of the step over 10 seconds, which meet all that the board does.

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

from alternate import cost_in_turn, losses_and_seconds  # noqa: E402
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
    """Losses of the steps, and their times over 10 seconds."""
    command = [PROGRAM, "train", "--config", options.model, "--data", data, "--run", run,
               "--set", f"train.max_steps={options.steps}", "--set", f"batch.tokens={options.tokens}",
               "--set", f"threads={options.threads}", "--set", "train.eval_every=0",
               "--set", "evaluate.at_start=false", "--set", "train.log_every=1"]
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"training failed: see {run}/log.txt")
    losses, seconds = losses_and_seconds(run)
    return losses, windows(seconds)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="transformer-small")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--tokens", type=int, default=3000, help="of the batch")
    parser.add_argument("--threads", type=int, default=0, help="of the training; 0: one per core")
    parser.add_argument("--rounds", type=int, default=6)
    options = parser.parse_args()
    shares = []  # of a core, for the board
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run([PROGRAM, "prepare", "--config", "demo", "--out", folder / "data"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def train_in_turn(turn, beside):
            run = folder / f"{'beside' if beside else 'alone'}-{turn}" / "run"
            run.parent.mkdir()
            if not beside:
                return train(options, folder / "data", run)
            losses, times, share = train_beside_board(options, folder / "data", run)
            shares.append(share)
            return losses, times

        cost, result = cost_in_turn(options.rounds, train_in_turn,
                                    lambda: f"beside the board, which took {100 * shares[-1]:.1f} % of a core")
    print(f"{options.model}, {options.rounds * options.steps} steps each: a step beside the board {result}; the board "
          f"took {100 * statistics.mean(shares):.1f} % of a core")
    sys.exit(0 if cost <= 0.01 else 1)


if __name__ == "__main__":
    main()
