#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verbund's training step beside the same step in stock PyTorch: tokens per second and memory, in turn in one run.

    /usr/bin/python3 bench/peers/step.py [tiny small base] [--threads 2]

Needs build/bench_step (ninja -C build bench_step) and Debian's python3-torch. PyTorch takes the batch twice: as it
is, padded; and with its tokens spread evenly over the sentences, the best that sorting by length could do. Fails if
a loss does not fall, or does not start near that of a model that knows nothing.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STEPS = {"tiny": 9, "small": 5, "base": 3}  # timed steps of a round, after one to warm up


def run(command, threads, lengths=None):
    done = subprocess.run([str(word) for word in command], input=json.dumps(lengths), stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": str(threads)})
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{' '.join(map(str, command))} ended with code {done.returncode} and printed no line of JSON, but: "
                 f"{done.stdout!r}")


def evenly(lengths):
    """As many tokens in as many sentences."""
    shortest, longer = divmod(sum(lengths), len(lengths))
    return [shortest + 1] * longer + [shortest] * (len(lengths) - longer)


def fault(result, uniform_loss):
    first, last = result["first_loss"], result["last_loss"]
    if not (math.isfinite(last) and last < first):
        return "DOES NOT TRAIN"
    # Random weights do not predict evenly: they start a little above.
    if not uniform_loss - 0.5 < first < uniform_loss + 1.5:
        return f"STARTS FAR FROM {uniform_loss:.3f}"
    return ""


def compare(name, options):
    """Prints the results of one shape; returns whether all is well."""
    threads, steps = options.threads, STEPS[name]
    results = {"Verbund": [], "PyTorch, padded": [], "PyTorch, even lengths": []}
    for _ in range(options.rounds):
        ours = run([options.program, "--json", name, threads, steps], threads)
        torch_step = ["/usr/bin/python3", HERE / "torch_step.py", name, threads, steps]
        padded, even = (run(torch_step, threads, lengths) for lengths in (ours["lengths"], evenly(ours["lengths"])))
        for found, result in zip(results.values(), (ours, padded, even)):
            found.append(result)

    lengths, tokens = ours["lengths"], ours["target_tokens"]
    padding = 1 - tokens / (len(lengths) * max(lengths))
    print(f"{name} on {threads} threads, {len(lengths)} sentences of {tokens} target tokens, "
          f"{padding:.0%} padding if padded; {padded['version']}")
    good = True
    for what, found in results.items():
        seconds = statistics.median(result["seconds_per_step"] for result in found)
        memory = max(result["peak_memory_bytes"] for result in found)
        if what == "Verbund":
            our_seconds, ratio = seconds, ""
        else:
            ratio = f"Verbund is {seconds / our_seconds:.2f} x as fast"
        problem = next(filter(None, (fault(result, padded["uniform_loss"]) for result in found)), "")
        good = good and not problem
        print(f"  {what:<22} {tokens / seconds:8.0f} tokens/s  {seconds:8.4f} s a step  "
              f"{memory / 2**20:6.0f} MiB  loss {found[0]['first_loss']:.3f} -> {found[0]['last_loss']:.3f}  "
              f"{ratio}{problem and '  ' + problem}".rstrip(), flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="tiny, small, base; default: all")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2, help="the median of this many is taken; default: 2")
    parser.add_argument("--program", type=Path, default=HERE.parents[1] / "build" / "bench_step")
    options = parser.parse_args()
    for name in options.names:
        if name not in STEPS:
            parser.error(f"{name} is none of the shapes: {', '.join(STEPS)}")
    if not options.program.exists():
        parser.error(f"there is no {options.program}: build it with ninja -C build bench_step")
    if subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True).returncode != 0:
        parser.error("/usr/bin/python3 has no torch: apt-get install python3-torch")
    return 0 if all([compare(name, options) for name in options.names or STEPS]) else 1


if __name__ == "__main__":
    sys.exit(main())
