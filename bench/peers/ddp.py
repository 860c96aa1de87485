#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Data-parallel training in stock PyTorch: tokens per second of 2 workers with one thread each against 1 such worker.

    /usr/bin/python3 bench/peers/ddp.py [--model base] [--steps 3] [--rounds 1] [--rate 1gbit] [--wire fp32 fp16]

On one host, and over the link of two hosts that tests/hosts makes on this machine (as root; else that is left out).
One worker's steps take turns with those of two. Needs Debian's python3-torch. Fails if the workers' weights differ
after the steps, or a loss does not fall or start near that of a model that knows nothing.
"""
import argparse
import contextlib
import json
import math
import socket
import statistics
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "hosts"))
from hosts import INTERFACE, Hosts  # noqa: E402

WORKERS = 2
PORT = 29500  # on hosts of our own nobody else has it


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def train(options, wire, hosts):
    """One round; the result is that of the first worker."""
    address, port, interface = ("host-a", PORT, INTERFACE) if hosts else ("127.0.0.1", free_port(), "lo")
    workers = []
    try:
        for rank in range(WORKERS):
            words = [options.model, rank, WORKERS, address, port, interface, "--wire", wire,
                     "--tokens", options.tokens, "--steps", options.steps]
            command = ["env", "OMP_NUM_THREADS=1", "/usr/bin/python3", str(HERE / "torch_ddp.py"), *map(str, words)]
            workers.append(hosts.start(hosts.names[rank], command, stdout=subprocess.PIPE, text=True) if hosts
                           else subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        outputs = [worker.communicate(timeout=options.time_limit)[0] for worker in workers]
    finally:
        for worker in workers:
            if worker.poll() is None:
                worker.kill()
    codes = [worker.returncode for worker in workers]
    if any(codes):
        sys.exit(f"the workers ended with the codes {codes}: see their messages above")
    return json.loads(outputs[0])


def fault(result):
    if result["largest_difference"] != 0:
        return f"WEIGHTS DIFFER BY {result['largest_difference']}"
    for losses in (result["alone_losses"], result["losses"]):
        if not (math.isfinite(losses[-1]) and losses[-1] < losses[0]):
            return "DOES NOT TRAIN"
        # Random weights do not predict evenly: they start a little above.
        if not -0.5 < losses[0] - result["uniform_loss"] < 1.5:
            return f"STARTS FAR FROM {result['uniform_loss']:.3f}"
    return ""


def report(where, wire, results, over_link):
    """Prints one row; returns whether all is well."""
    tokens = results[0]["tokens"]
    alone, together = (statistics.median(result[key] for result in results)
                       for key in ("seconds_alone", "seconds_together"))
    # The median of the rounds' ratios: what the machine does in between slows one round's both sides.
    ratio = statistics.median(WORKERS * result["seconds_alone"] / result["seconds_together"] for result in results)
    sent = results[0]["bytes_per_step"] / results[0]["gradient_bytes"]
    problem = next(filter(None, map(fault, results)), "")
    print(f"  {where:<22} {wire:<5} {tokens / alone:9.0f} {WORKERS * tokens / together:10.0f} {ratio:7.2f} x "
          f"{max(result['peak_memory_bytes'] for result in results) / 2**20:8.0f} MiB"
          f"{f'   sends {sent:.2f} x the gradient in fp32' if over_link else ''}{problem and '   ' + problem}",
          flush=True)
    return not problem


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=("tiny", "small", "base"), default="base")
    parser.add_argument("--tokens", type=int, default=1792, help="target tokens per worker, a multiple of 32")
    parser.add_argument("--steps", type=int, default=3, help="timed, after one to warm up; default: 3")
    parser.add_argument("--rounds", type=int, default=1, help="the median of this many is taken; default: 1")
    parser.add_argument("--rate", default="1gbit", help="of the link between the hosts; default: 1gbit")
    parser.add_argument("--wire", nargs="+", choices=("fp32", "fp16"), default=["fp32", "fp16"])
    parser.add_argument("--time-limit", type=float, default=1800, help="seconds for a row of a round; default: 1800")
    options = parser.parse_args()
    if options.tokens < 32 or options.tokens % 32 != 0:
        parser.error(f"--tokens is a multiple of 32, not {options.tokens}")
    if subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True).returncode != 0:
        parser.error("/usr/bin/python3 has no torch: apt-get install python3-torch")

    with contextlib.ExitStack() as stack:
        places = [("one host", None)]
        try:
            places.append((f"two hosts, {options.rate}", stack.enter_context(Hosts(WORKERS, options.rate))))
        except unittest.SkipTest as reason:
            print(f"two hosts are left out: {reason}")
        rows = [(where, hosts, wire) for where, hosts in places for wire in options.wire]
        results = {row: [] for row in rows}
        for _ in range(options.rounds):
            for row in rows:
                where, hosts, wire = row
                results[row].append(train(options, wire, hosts))

    version = results[rows[0]][0]["version"]
    print(f"{options.model}, {options.tokens} target tokens per worker and step, 1 thread each; {version}")
    print(f"  {'':<22} {'wire':<5} {'1 worker':>9} {'2 workers':>10}  tokens/s")
    return 0 if all([report(where, wire, results[where, hosts, wire], hosts) for where, hosts, wire in rows]) else 1


if __name__ == "__main__":
    sys.exit(main())
