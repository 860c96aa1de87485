# SPDX-License-Identifier: Apache-2.0
"""One training step of several systems: Verbund's, the table that compares them, and the check that each of them trains."""
import json
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path


def has_bf16():
    return "avx512_bf16" in Path("/proc/cpuinfo").read_text()


def run_step(command, threads, lengths=None, **environment):
    """The line of JSON that a program prints about its step; it may read the sentences' lengths."""
    done = subprocess.run([str(word) for word in command], input=json.dumps(lengths), stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": str(threads), **environment})
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{' '.join(map(str, command))} ended with code {done.returncode} and printed no line of JSON, but: "
                 f"{done.stdout!r}")


def run_verbund(program, name, threads, steps, precision):
    return run_step([program, "--json", name, threads, steps, precision], threads)


def median_seconds(results):
    return statistics.median(result["seconds_per_step"] for result in results)


def fault(result, uniform_loss):
    """What is wrong with a training of random tokens, or nothing."""
    first, last = result["first_loss"], result["last_loss"]
    if not (math.isfinite(last) and last < first):
        return "DOES NOT TRAIN"
    # Random weights do not predict evenly: they start a little above, Marian's a little below.
    if not uniform_loss - 1.5 < first < uniform_loss + 1.5:
        return f"STARTS FAR FROM {uniform_loss:.3f}"
    return ""


def print_steps(results, target_tokens, uniform_loss):
    """One line per system, in tokens per second; each peer with the ratio to every line of Verbund's.

    results: {name: [{seconds_per_step, peak_memory_bytes, first_loss, last_loss}, one per round]}.
    Returns whether all of them train.
    """
    ours = {name: median_seconds(found) for name, found in results.items() if name.startswith("Verbund")}
    good = True
    for name, found in results.items():
        seconds = median_seconds(found)
        memory = max(result["peak_memory_bytes"] for result in found)
        ratios = "" if name in ours else ", ".join(f"{our} is {seconds / our_seconds:.2f} x as fast"
                                                  for our, our_seconds in ours.items())
        problem = next(filter(None, (fault(result, uniform_loss) for result in found)), "")
        good = good and not problem
        print(f"  {name:<37} {target_tokens / seconds:8.0f} tokens/s  {seconds:8.4f} s a step  "
              f"{memory / 2**20:6.0f} MiB  loss {found[0]['first_loss']:.3f} -> {found[0]['last_loss']:.3f}  "
              f"{ratios}{problem and '  ' + problem}".rstrip(), flush=True)
    return good
