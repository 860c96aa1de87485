#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds to sum 64 MiB over all workers, and the latency of a sum of 6 numbers, on hosts joined by a shaped link.

    bench/exchange.py [--rate 1gbit] [--layouts 2x1,2x2,2x4,4x1,1x2,1x4] [--megabytes 64] [--rounds 3] [--python PYTHON]

2x4 are 2 hosts with 4 workers each; 1x4 share the memory of one. Verbund's exchange takes turns with MPI_Allreduce in
one program, for each algorithm that Open MPI has, of which the fastest counts; and with Gloo (PyTorch's, if PYTHON has
it), one after the other. "wire" is what the link needs for the bytes that must cross it: 2 (h-1)/h of the buffer. Every
sum is verified. Hosts are network namespaces (as root; see tests/hosts). Fails if a sum is wrong, takes more than 1.1
times what the wire needs, or longer than another's by more than 2 %, which is as much as single runs differ.
"""
import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "hosts"))
from hosts import Hosts, INTERFACE  # noqa: E402

# What Open MPI decides by itself, and its algorithms by number. (Its component for hosts with many workers, HAN, ends in a
# segmentation fault in Debian 12's version.)
ALGORITHMS = {"default": [],
              **{name: ["--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_allreduce_algorithm", str(i)]
                 for i, name in ((3, "recursive doubling"), (4, "ring"), (5, "segmented ring"), (6, "Rabenseifner"))}}
HEADERS = 1500 / 1448  # of TCP over Ethernet
MOST_OF_WIRE, AS_FAST = 1.1, 0.98
os.environ["VERBUND_HOSTS_BURST"] = "256kb"  # a wire that was idle is no faster than a busy one


def last_json(output, command):
    lines = [line for line in output.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(f"{' '.join(map(str, command))} printed no line of JSON, but: {output!r}")
    return json.loads(lines[-1])


class Place:
    """Where workers run: on namespaces as hosts, or on this machine alone."""

    def __init__(self, hosts, workers, network):
        self.hosts, self.workers, self.network = hosts, workers, network

    def run(self, *words):
        arguments = ["-n", str(self.hosts * self.workers), "--mca", "mpi_yield_when_idle", "1", *map(str, words)]
        if self.network:
            job = self.network.mpirun(*arguments, slots=self.workers, stdout=subprocess.PIPE, text=True)
        else:
            root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
            job = subprocess.Popen(["mpirun", *root, "--oversubscribe", "--bind-to", "none", *arguments],
                                   stdout=subprocess.PIPE, text=True)
        return last_json(job.communicate(timeout=600)[0], words)


def bits_per_second(rate):
    number, unit = re.fullmatch(r"(\d+)([gmk])bit", rate).groups()
    return int(number) * {"g": 1e9, "m": 1e6, "k": 1e3}[unit]


def measure(place, options):
    program = [ROOT / "build" / "bench_exchange", options.megabytes, options.rounds]
    results = {name: place.run(*flags, *program) for name, flags in ALGORITHMS.items()}
    best = min(results, key=lambda name: results[name]["mpi_seconds"])
    gloo = None
    if options.python:
        interface = INTERFACE if place.network else "lo"
        gloo = place.run("-x", f"GLOO_SOCKET_IFNAME={interface}", options.python, ROOT / "bench" / "peers" / "gloo.py",
                         options.megabytes, options.rounds)
        results["gloo"] = gloo
    if not all(result["right"] for result in results.values()):
        sys.exit("A SUM IS WRONG")
    ours = sorted(results[name]["seconds"] for name in ALGORITHMS)[len(ALGORITHMS) // 2]
    crossing = 2 * (place.hosts - 1) / place.hosts * results[best]["bytes"]
    wire = crossing * 8 * HEADERS / bits_per_second(options.rate) if place.network else None
    return ours, wire, best, results[best], gloo


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", default="1gbit")
    parser.add_argument("--layouts", default="2x1,2x2,2x4,4x1,1x2,1x4")
    parser.add_argument("--megabytes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", help="one that has torch, for Gloo")
    options = parser.parse_args()
    slow = []
    print(f"sum of {options.megabytes} MiB, {options.rate}; seconds")
    print(f"{'hosts x workers':16} {'Verbund':>8} {'wire':>7} {'of wire':>8} {'MPI_Allreduce':>30} {'x':>6} "
          f"{'Gloo':>7} {'x':>6} {'6 numbers':>11} {'MPI':>9}")
    for layout in options.layouts.split(","):
        hosts, workers = map(int, layout.split("x"))
        with contextlib.ExitStack() as stack:
            try:
                network = stack.enter_context(Hosts(hosts, rate=options.rate)) if hosts > 1 else None
            except unittest.SkipTest as reason:
                print(f"{layout}: left out: {reason}")
                continue
            ours, wire, best, result, gloo = measure(Place(hosts, workers, network), options)
        print(f"{layout:16} {ours:8.3f} {f'{wire:7.3f} {ours / wire:8.3f}' if wire else ' ' * 16} "
              f"{best:>22} {result['mpi_seconds']:7.3f} {result['mpi_seconds'] / ours:6.2f} "
              f"{'%7.3f %6.2f' % (gloo['seconds'], gloo['seconds'] / ours) if gloo else ' ' * 14} "
              f"{1e6 * result['latency']:8.0f} us {1e6 * result['mpi_latency']:6.0f} us", flush=True)
        peers = [result["mpi_seconds"]] + ([gloo["seconds"]] if gloo else [])
        if (wire and ours > MOST_OF_WIRE * wire) or min(peers) < AS_FAST * ours:
            slow.append(layout)
    sys.exit(f"not as fast as the wire or another: {', '.join(slow)}" if slow else 0)


if __name__ == "__main__":
    main()
