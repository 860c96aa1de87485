#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verbund's training step beside Marian's, on the CPU: tokens per second and memory, in turn in one run.

    .venv/bin/python bench/peers/marian.py [small base] [--threads 2]

Needs build/bench_step (ninja -C build bench_step) and pymarian (scripts/oracles.sh installs it). Both train the same
Transformer on sentences of the same lengths with the same vocabulary size. Marian gets them as text of made words and
trains as its command line would; the seconds of an update are its own log's, without the first ones. Verbund runs in
fp32 and, if the processor has AVX512-BF16, in bf16. Fails if a loss does not fall, or does not start near that of a
model that knows nothing.
"""
import argparse
import importlib.metadata
import math
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from steps import has_bf16, print_steps, run_verbund

HERE = Path(__file__).resolve().parent
SHAPES = {
    "tiny": {"vocabulary": 10000, "d_model": 128, "d_ff": 256, "heads": 4, "layers": 4, "steps": 12},
    "small": {"vocabulary": 16384, "d_model": 256, "d_ff": 1024, "heads": 4, "layers": 4, "steps": 8},
    "base": {"vocabulary": 32768, "d_model": 512, "d_ff": 2048, "heads": 8, "layers": 6, "steps": 5},
}
WARM_UP = 2  # updates of Marian that are not timed
UPDATE = re.compile(r"Up\. (\d+) : .*?Cost ([\d.]+) .*?Time ([\d.]+)s")


def write_corpus(folder, lengths, vocabulary, batches):
    """Lines of made words: with the end of sentence that Marian adds, they have these lengths."""
    numbers = random.Random(1)
    words = ["</s>", "<unk>", *(f"w{i}" for i in range(2, vocabulary))]
    (folder / "vocabulary.yml").write_text("".join(f"{word}: {i}\n" for i, word in enumerate(words)))
    for side in ("source", "target"):
        lines = [" ".join(f"w{numbers.randrange(2, vocabulary)}" for _ in range(length - 1))
                 for _ in range(batches) for length in lengths]
        (folder / side).write_text("\n".join(lines) + "\n")


def train_marian(shape, lengths, threads, folder):
    """The updates that Marian logs: (cost per token, seconds)."""
    updates = WARM_UP + shape["steps"]
    write_corpus(folder, lengths, shape["vocabulary"], updates)
    options = {
        "type": "transformer", "dim-emb": shape["d_model"], "transformer-dim-ffn": shape["d_ff"],
        "transformer-heads": shape["heads"], "enc-depth": shape["layers"], "dec-depth": shape["layers"],
        "transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n",
        "transformer-dropout": 0.1, "label-smoothing": 0.1, "tied-embeddings-all": "true", "optimizer": "adam",
        "clip-norm": 1, "learn-rate": 0.0005, "cost-type": "ce-mean-words", "cpu-threads": threads,
        "sync-sgd": "true", "mini-batch": len(lengths), "maxi-batch": 1, "max-length": 100, "shuffle": "none",
        "after-batches": updates, "disp-freq": 1, "disp-first": updates, "save-freq": "1000u", "overwrite": "true",
        "workspace": 2048, "seed": 1, "model": folder / "model.npz", "log": folder / "log",
    }
    words = [f"--{name} {value}" for name, value in options.items()]
    words.append(f"--train-sets {folder}/source {folder}/target --vocabs {folder}/vocabulary.yml {folder}/vocabulary.yml")
    done = subprocess.run([sys.executable, "-c", "import sys, _pymarian; _pymarian.Trainer(sys.argv[1]).train()",
                           " ".join(words)], capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    text = (folder / "log").read_text() if (folder / "log").exists() else ""
    found = [(float(cost), float(seconds)) for _, cost, seconds in UPDATE.findall(text)]
    if len(found) < updates:
        sys.exit(f"Marian ended with code {done.returncode} after {len(found)} of {updates} updates:\n"
                 f"{(done.stdout + done.stderr)[-2000:]}")
    return found


def run_marian(shape, lengths, threads):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        updates = train_marian(shape, lengths, threads, Path(folder))
    timed = [seconds for _, seconds in updates[WARM_UP:]]
    return {"seconds_per_step": statistics.median(timed), "first_loss": updates[0][0], "last_loss": updates[-1][0],
            "peak_memory_bytes": max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) * 1024}


def compare(name, options):
    """Prints the results of one shape; returns whether all is well."""
    shape, threads = SHAPES[name], options.threads
    results = {"Verbund": [], **({"Verbund, bf16": []} if has_bf16() else {}), "Marian": []}
    for _ in range(options.rounds):
        for what, found in results.items():
            if what == "Marian":
                found.append(run_marian(shape, results["Verbund"][0]["lengths"], threads))
            else:
                found.append(run_verbund(options.program, name, threads, shape["steps"],
                                         "bf16" if "bf16" in what else "fp32"))
    tokens, uniform = results["Verbund"][0]["target_tokens"], math.log(shape["vocabulary"])
    print(f"{name} on {threads} threads, {tokens} target tokens an update; Marian {importlib.metadata.version('pymarian')}")
    return print_steps(results, tokens, uniform)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="tiny, small, base; default: small and base")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2, help="the median of this many is taken; default: 2")
    parser.add_argument("--program", type=Path, default=HERE.parents[1] / "build" / "bench_step")
    options = parser.parse_args()
    for name in options.names:
        if name not in SHAPES:
            parser.error(f"{name} is none of the shapes: {', '.join(SHAPES)}")
    if not options.program.exists():
        parser.error(f"there is no {options.program}: build it with ninja -C build bench_step")
    return 0 if all([compare(name, options) for name in options.names or ("small", "base")]) else 1


if __name__ == "__main__":
    sys.exit(main())
