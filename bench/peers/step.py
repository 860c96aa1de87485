#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verbund's training step beside the same step in stock PyTorch: tokens per second and memory, in turn in one run.

    /usr/bin/python3 bench/peers/step.py [tiny small base] [--threads 2] [--python .venv/bin/python]

Needs build/bench_step (ninja -C build bench_step), PyTorch (Debian's python3-torch, or --python with another one) and
libtcmalloc-minimal4. PyTorch takes the batch three times: as it is, padded; with its tokens spread evenly over the
sentences, the best that sorting by length could do; and the same with tcmalloc as the allocator, its best setting. If the
processor has AVX512-BF16, both train in bf16 as well, PyTorch by autocast in its best setting. Fails if a loss does not
fall, or does not start near that of a model that knows nothing.
"""
import argparse
import subprocess
import sys
from pathlib import Path

from steps import has_bf16, print_steps, run_step, run_verbund

HERE = Path(__file__).resolve().parent
STEPS = {"tiny": 9, "small": 5, "base": 3}  # timed steps of a round, after one to warm up
TCMALLOC = "libtcmalloc_minimal.so.4"


def evenly(lengths):
    """As many tokens in as many sentences."""
    shortest, longer = divmod(sum(lengths), len(lengths))
    return [shortest + 1] * longer + [shortest] * (len(lengths) - longer)


def compare(name, options):
    """Prints the results of one shape; returns whether all is well."""
    threads, steps = options.threads, STEPS[name]
    results = {}
    add = lambda what, result: results.setdefault(what, []).append(result) or result  # noqa: E731
    torch_step = [options.python, HERE / "torch_step.py", name, threads, steps]
    for _ in range(options.rounds):
        ours = add("Verbund", run_verbund(options.program, name, threads, steps, "fp32"))
        lengths, tokens = ours["lengths"], ours["target_tokens"]
        if has_bf16():
            add("Verbund, bf16", run_verbund(options.program, name, threads, steps, "bf16"))
        padded = add("PyTorch, padded", run_step(torch_step, threads, lengths))
        add("PyTorch, even lengths", run_step(torch_step, threads, evenly(lengths)))
        best = "PyTorch, even lengths, tcmalloc"
        add(best, run_step(torch_step, threads, evenly(lengths), LD_PRELOAD=TCMALLOC))
        if has_bf16():
            add(f"{best}, bf16", run_step([*torch_step, "bf16"], threads, evenly(lengths), LD_PRELOAD=TCMALLOC))

    padding = 1 - tokens / (len(lengths) * max(lengths))
    print(f"{name} on {threads} threads, {len(lengths)} sentences of {tokens} target tokens, "
          f"{padding:.0%} padding if padded; {padded['version']}")
    return print_steps(results, tokens, padded["uniform_loss"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="tiny, small, base; default: all")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2, help="the median of this many is taken; default: 2")
    parser.add_argument("--program", type=Path, default=HERE.parents[1] / "build" / "bench_step")
    parser.add_argument("--python", default="/usr/bin/python3", help="an interpreter that has torch")
    options = parser.parse_args()
    for name in options.names:
        if name not in STEPS:
            parser.error(f"{name} is none of the shapes: {', '.join(STEPS)}")
    if not options.program.exists():
        parser.error(f"there is no {options.program}: build it with ninja -C build bench_step")
    if subprocess.run([options.python, "-c", "import torch"], capture_output=True).returncode != 0:
        parser.error(f"{options.python} has no torch: apt-get install python3-torch")
    loaded = subprocess.run(["true"], env={"LD_PRELOAD": TCMALLOC}, capture_output=True, text=True)
    if loaded.stderr:
        parser.error(f"{TCMALLOC} is not there: apt-get install libtcmalloc-minimal4")
    return 0 if all([compare(name, options) for name in options.names or STEPS]) else 1


if __name__ == "__main__":
    sys.exit(main())
