# SPDX-License-Identifier: Apache-2.0
"""What something costs a training: trainings with it and without it take turns, so that whatever else the machine does
meets both. It makes steps longer, never shorter: lower quartiles are compared."""
import json
import statistics
import sys


def losses_and_seconds(run):
    """Losses of the steps of a run, and their times, without the first ones, which meet empty caches."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    lines = [line for line in lines if "train_loss" in line]
    return [line["train_loss"] for line in lines], [line["seconds_per_step"] for line in lines[2:]]


def lower_quartile(values):
    return statistics.quantiles(values, n=4)[0]


def cost_in_turn(rounds, train, with_it):
    """train(turn, True or False) -> losses, which must always be the same, and times. `with_it()` says what one has that
    the other lacks. Returns the additional share of time, and a sentence about it."""
    seconds, same = {True: [], False: []}, None
    for turn in range(rounds):
        quartiles = {}
        for has_it in (turn % 2 == 0, turn % 2 != 0):  # who is first takes turns, too
            losses, times = train(turn, has_it)
            same = same or losses
            if losses != same:
                sys.exit("the losses differ")
            seconds[has_it] += times
            quartiles[has_it] = lower_quartile(times)
        print(f"round {turn + 1}: {quartiles[True]:.4f} s {with_it()}, {quartiles[False]:.4f} s without: "
              f"{100 * (quartiles[True] / quartiles[False] - 1):+.2f} %", flush=True)
    cost = lower_quartile(seconds[True]) / lower_quartile(seconds[False]) - 1
    medians = statistics.median(seconds[True]) / statistics.median(seconds[False]) - 1
    return cost, f"takes {100 * cost:+.2f} % (medians {100 * medians:+.2f} %)"
