#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens per second of 2 workers with one thread each against 1 such worker, same tokens per worker, in one run.

    bench/workers.py [--model base] [--steps 3] [--rounds 2] [--rate 1gbit] [--only "network fp32"]

Over shared memory, and over the link of two hosts that tests/hosts makes on this machine (as root; else that is left
out), with fp32, bf16, fp16 and int8 on the wire, and with a sharded optimiser. The cases take turns with a lone worker.
Fails if an exchanged gradient is not the sum of the workers' own, if their weights differ, or if a loss does not fall.
"""
import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "hosts"))
from hosts import Hosts  # noqa: E402

TOLERANCE = {"fp32": 1e-5, "bf16": 1e-2, "fp16": 2e-3, "int8": 2e-2}  # of the largest value of a gradient
CASES = [("shared memory", "fp32", False), ("shared memory", "fp32", True),
         ("network", "fp32", False), ("network", "bf16", False), ("network", "fp16", False),
         ("network", "int8", False), ("network", "fp32", True)]


def read(output, command):
    try:
        return json.loads(output)
    except ValueError:
        sys.exit(f"{' '.join(map(str, command))} printed no line of JSON, but: {output!r}")


def measure(options, place, wire, sharded, hosts):
    program = [options.program, options.model, str(options.steps), "1", wire] + (["sharded"] if sharded else [])
    if place == "network":
        job = hosts.mpirun("-n", "2", *program, stdout=subprocess.PIPE, text=True)
        output, _ = job.communicate(timeout=1800)
        return read(output, program)
    launcher = []
    if place == "shared memory":
        launcher = ["mpirun", "-n", "2", "--bind-to", "none", "--oversubscribe"]
        launcher += ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return read(subprocess.run(launcher + program, stdout=subprocess.PIPE, text=True).stdout, program)


def fault(result, wire):
    if not result["last_loss"] < result["first_loss"]:
        return "DOES NOT TRAIN"
    if result["exchange_error"] > TOLERANCE[wire]:
        return f"THE SUM IS WRONG BY {result['exchange_error']:.2g}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="base", choices=["tiny", "small", "base"])
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--rate", default="1gbit")
    parser.add_argument("--only", default="", help="one case, such as 'network fp32' or 'network fp32 sharded'")
    parser.add_argument("--program", default=str(ROOT / "build" / "bench_workers"))
    options = parser.parse_args()
    if not os.path.exists(options.program):
        sys.exit(f"there is no {options.program}: build it with  ninja -C build bench_workers")

    with contextlib.ExitStack() as stack:
        try:
            hosts = stack.enter_context(Hosts(2, rate=options.rate))
        except unittest.SkipTest as reason:
            print(f"without the network: {reason}")
            hosts = None
        cases = [case for case in CASES if (hosts or case[0] != "network")
                 and options.only in ("", " ".join([*case[:2], *(["sharded"] if case[2] else [])]))]
        found = {case: [] for case in cases}
        ratios = {case: [] for case in cases}
        for _ in range(options.rounds):
            for case in cases:
                alone = measure(options, "alone", "fp32", False, None)
                result = measure(options, *case, hosts)
                found[case].append(result)
                ratios[case].append(result["tokens_per_second"] / alone["tokens_per_second"])

    print(f"{options.model}, {alone['target_tokens']:.0f} target tokens per worker, 1 thread each; the network has "
          f"{options.rate}; medians of {options.rounds} rounds")
    print(f"{'2 workers over':16} {'wire':5} {'':8} {'tokens/s':>9} {'x 1 worker':>11} {'sent/gradient':>14} "
          f"{'exchange':>9} {'exposed':>8} {'hidden':>7} {'memory':>8}")
    well = True
    for (place, wire, sharded), results in found.items():
        middle = {key: statistics.median(result[key] for result in results) for key in results[0]}
        wrong = next((fault(result, wire) for result in results if fault(result, wire)), "")
        well = well and not wrong
        print(f"{place:16} {wire:5} {'sharded' if sharded else '':8} {middle['tokens_per_second']:9.0f} "
              f"{statistics.median(ratios[(place, wire, sharded)]):11.3f} "
              f"{middle['bytes_sent'] / middle['gradient_bytes']:14.3f} {middle['exchange_seconds']:7.2f} s "
              f"{middle['exposed_seconds']:6.2f} s {100 * middle['hidden_share']:5.0f} % "
              f"{middle['memory'] / 2 ** 20:5.0f} MB {wrong}")
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
