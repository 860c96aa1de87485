#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts, and does not measure, how long a training step takes on real GPUs, from what the emulated GPU counts.

    bench/gpu_forecast.py [--models base,big] [--tokens 4096,25000] [--counts FOLDER]

The checked emulated GPU (build/emulated-checked) runs a step of base with 1 and 2 layers, a small vocabulary, and 4 and 8
sentences, in 16 bits. What each kernel moves and computes there is a + b tokens + c layers + d tokens layers, exactly;
what changes all weights grows with their number, the loss with tokens times vocabulary. big has base's layers at twice
the width with twice the heads, so that kernels on rows and attention have twice the work (to run it takes more memory
than a desktop has). Products are known from the model's shapes. All this is extended to the model's own size, and
for each kernel

    time = max(bytes / (EM bandwidth), operations / (EC peak)) + GAP for each launch

and a step takes their sum, or the time in which the host launches them if that is longer. Sentences have 9, 24, 40 and 55
tokens, 32 on average, about as WMT's.

Fails if the products that were counted are not those of the model's shapes, to the byte, or if Adam moves other than 30
bytes per weight.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

EM = 0.85      # share of the bandwidth that streaming kernels reach: 0.8 to 0.92 is what copies get on these GPUs
EC = 0.7       # share of the tensor cores' peak that large products of cuBLAS reach, before the last wave of tiles
ECORE = 0.35   # share of the fp32 peak that attention reaches: its tiles come from shared memory, which gives the operands
               # of about half the operations that the cores could do; the rest are barriers, exponentials and masks
GAP = 1.5e-6   # seconds that pass on the GPU between two kernels
HOST = 4e-6    # seconds that the host takes to launch one
TILE = 128     # a product's result is computed in tiles of 128 x 128, by all multiprocessors at a time
LONG_SUM = 4096
RUNS = [(1, 4), (1, 8), (2, 4), (2, 8)]  # layers and sentences that are counted
VOCABULARY, COUNTED_VOCABULARY, LAYERS = 32768, 2048, 6
WIDTHS = {"base": 1, "big": 2}  # times base's
LOGIT_BYTES = 256 << 20  # of logits at a time, as in model/fused_transformer.cpp


@dataclass
class Gpu:
    """From NVIDIA's data sheets and architecture white papers; dense, without sparsity."""
    name: str
    bandwidth: float  # bytes/s
    cores: float      # FLOP/s in fp32, ordinary cores
    tensor: float     # FLOP/s of 16-bit factors with fp32 sums
    processors: int


GPUS = [
    Gpu("V100 SXM2, fp16", 900e9, 15.7e12, 125e12, 80),         # "Tesla V100" data sheet
    Gpu("A100 SXM 80 GB, bf16", 2039e9, 19.5e12, 312e12, 108),  # "A100 80GB" data sheet
    Gpu("H100 SXM, bf16", 3350e9, 67e12, 989e12, 132),          # "H100" data sheet
    Gpu("RTX 4090, bf16", 1008e9, 82.6e12, 165.2e12, 128),      # "Ada GPU architecture" white paper
]

PARTS = [("products", "cublasGemmEx"), ("attention", "attention_"), ("norms and residuals", "norm_"), ("ReLU", "relu_"),
         ("loss", "loss"), ("Adam, clipping, zeroing", "adam measure_parts add_measured cuMemset round_operands"),
         ("embeddings", "embed_"), ("sums over rows", "column_sums add_partials")]


@dataclass
class Work:
    launches: float = 0
    bytes: float = 0
    operations: float = 0


@dataclass
class Product:
    part: str
    m: int
    n: int
    k: int
    result: int       # bytes of a number of the result
    add: bool = False
    times: int = 1

    def operations(self):
        return self.times * 2 * self.m * self.n * self.k

    def bytes(self):
        return self.times * (2 * self.k * (self.m + self.n) + self.m * self.n * self.result * (2 if self.add else 1))

    def seconds(self, gpu):
        tiles = -(-self.m // TILE) * -(-self.n // TILE)
        # Long sums are divided among processors (split-k); else the last wave of tiles leaves some idle.
        waves = 1 if self.k >= LONG_SUM else tiles / gpu.processors / -(-tiles // gpu.processors)
        compute = self.operations() / (gpu.tensor * EC * waves)
        return max(compute, self.bytes() / (gpu.bandwidth * EM)) + self.times * GAP


def products_of(d, ff, layers, vocabulary, source, target, float_logits=False, logit_rows=None):
    """All products of a step. Results that only products read are in 16 bits, gradients of weights are added to in fp32."""
    all_products = []

    def linear(part, n, out, inner, input_gradient, times):
        all_products.append(Product(part, n, out, inner, 2, times=times))
        all_products.append(Product(part, out, inner, n, 4, add=True, times=times))
        all_products.append(Product(part, n, inner, out, input_gradient, times=times))

    for n in (source, target):
        linear("layers", n, 3 * d, d, 4, layers)  # queries, keys, values
        linear("layers", n, d, d, 2, layers)      # out
        linear("layers", n, ff, d, 4, layers)
        linear("layers", n, d, ff, 2, layers)
    linear("layers", target, d, d, 4, layers)  # queries of cross-attention, and out
    linear("layers", target, d, d, 2, layers)
    linear("layers", source, 2 * layers * d, d, 4, 1)  # its keys and values, of all layers
    rows = min(logit_rows or max(512, LOGIT_BYTES // (2 * vocabulary)), target)
    for first in range(0, target, rows):
        n = min(rows, target - first)
        all_products.append(Product("logits", n, vocabulary, d, 4 if float_logits else 2))
        all_products.append(Product("logits", vocabulary, d, n, 4, add=True))
        all_products.append(Product("logits", n, d, vocabulary, 4))
    return all_products


def count(options, model, layers, sentences, path):
    environment = {**os.environ, "VERBUND_CUDA_PATH": options.emulated, "VERBUND_EMULATED_ARCH": "80", "OMP_NUM_THREADS": "1"}
    subprocess.run([options.program, "--device", "cuda", "--precision", "bf16", "--steps", "0", "--layers", str(layers),
                    "--sentences", str(sentences), "--vocabulary", str(COUNTED_VOCABULARY), "--counters", path, model],
                   check=True, env=environment, stdout=sys.stderr)


def counted_runs(options, model, folder):
    runs = {}
    for layers, sentences in RUNS:
        path = Path(folder) / f"{model}-{layers}-{sentences}.json"
        if not path.exists():
            count(options, model, layers, sentences, path)
        runs[layers, sentences] = json.loads(path.read_text())
        verify(runs[layers, sentences], options)
    return runs


def verify(run, options):
    if not run["checked"]:
        sys.exit("the emulated GPU that is not checked does not count bytes of kernels: take build/emulated-checked")
    work = run["work"]
    products = products_of(run["d_model"], run["d_ff"], run["encoder_layers"], run["vocabulary"], run["source_tokens"],
                           run["target_tokens"], options.float_logits, options.logit_rows)
    counted = [entry for name, entry in work.items() if name.startswith("cublasGemmEx")]
    for what, expected, found in [
            ("launches of products", sum(p.times for p in products), sum(w["launches"] for w in counted)),
            ("operations of products", sum(p.operations() for p in products), sum(w["operations"] for w in counted)),
            ("bytes of products", sum(p.bytes() for p in products),
             sum(w["distinct_read"] + w["distinct_written"] for w in counted)),
            ("weights", weights_of(run["d_model"], run["d_ff"], run["vocabulary"], run["encoder_layers"]), run["weights"]),
            ("bytes of Adam", 30 * run["weights"], work["adam"]["distinct_read"] + work["adam"]["distinct_written"])]:
        if expected != found:
            sys.exit(f"{run['model']} with {run['encoder_layers']} layers, {run['target_tokens']} tokens: {what}: the model's "
                     f"shapes say {expected}, {found} were counted")


def extend(runs, name, quantity, layers, tokens):
    """What a kernel does in a step of so many layers and tokens, from the four runs."""
    def at(key):
        entry = runs[key]["work"].get(name, {})
        return sum(entry.get(part, 0) for part in quantity)
    few, many = runs[1, 4]["target_tokens"], runs[1, 8]["target_tokens"]

    def line(of_layers):
        slope = (at((of_layers, 8)) - at((of_layers, 4))) / (many - few)
        return slope, at((of_layers, 4)) - slope * few
    (slope1, start1), (slope2, start2) = line(1), line(2)
    return start1 + (layers - 1) * (start2 - start1), (slope1 + (layers - 1) * (slope2 - slope1)) * tokens


def kernels_of(runs, width, weights, tokens, logit_passes):
    """Work of each kernel but products, in a step of the model's own size."""
    one = runs[1, 4]
    flat = next(names for part, names in PARTS if part.startswith("Adam")).split()
    result = {}
    for name in {name for run in runs.values() for name in run["work"] if not name.startswith("cublasGemmEx")}:
        work = {}
        for kind, quantity in [("launches", ["launches"]), ("bytes", ["distinct_read", "distinct_written"]),
                               ("operations", ["operations"])]:
            fixed, varying = extend(runs, name, quantity, LAYERS, tokens)
            is_flat = any(name.startswith(start) for start in flat)
            if kind != "launches" and is_flat:
                fixed = extend(runs, name, quantity, 1, 0)[0] * weights / one["weights"]
            if name.startswith("loss"):
                fixed, varying = (fixed * logit_passes, 0) if kind == "launches" else (
                    0, varying * VOCABULARY / COUNTED_VOCABULARY)
            elif kind != "launches" and not is_flat:
                fixed, varying = fixed * width, varying * width
            work[kind] = fixed + varying
        result[name] = Work(**work)
    # The one step that is counted also takes memory, which is zeroed then; others zero gradients and two residuals'.
    result["cuMemsetD8Async"] = Work(3, 4 * weights + 2 * 4 * tokens * width * one["d_model"])
    return result


def part_of(name):
    for part, starts in PARTS:
        if any(name.startswith(start) for start in starts.split()):
            return part
    return "copies and rest"


def weights_of(d, ff, vocabulary, layers):
    """As model/parameters.cpp has them: no biases in attention, a norm before each sublayer and after the last."""
    feed_forward, norm = 2 * d * ff + ff + d, 2 * d
    encoder = 4 * d * d + feed_forward + 2 * norm
    decoder = 8 * d * d + feed_forward + 3 * norm
    return vocabulary * d + layers * (encoder + decoder) + 2 * norm


def forecast(runs, width, tokens, options):
    d, ff = width * runs[1, 4]["d_model"], width * runs[1, 4]["d_ff"]
    weights = weights_of(d, ff, VOCABULARY, LAYERS)
    products = products_of(d, ff, LAYERS, VOCABULARY, tokens, tokens, options.float_logits, options.logit_rows)
    kernels = kernels_of(runs, width, weights, tokens, sum(p.part == "logits" for p in products) / 3)
    launches = sum(p.times for p in products) + sum(w.launches for w in kernels.values())
    moved = sum(p.bytes() for p in products) + sum(w.bytes for w in kernels.values())
    operations = sum(p.operations() for p in products) + sum(w.operations for w in kernels.values())
    table = []
    for gpu in GPUS:
        parts = {part: 0.0 for part, _ in PARTS}
        parts["products"] = sum(p.seconds(gpu) for p in products)
        for name, work in kernels.items():
            seconds = max(work.bytes / (gpu.bandwidth * EM), work.operations / (gpu.cores * ECORE)) + work.launches * GAP
            parts[part_of(name)] = parts.get(part_of(name), 0) + seconds
        table.append((gpu, max(sum(parts.values()), launches * HOST), parts))
    bytes_of_parts = {"products": sum(p.bytes() for p in products)}
    for name, work in kernels.items():
        bytes_of_parts[part_of(name)] = bytes_of_parts.get(part_of(name), 0) + work.bytes
    return weights, launches, moved, operations, table, bytes_of_parts


def show(model, tokens, result):
    weights, launches, moved, operations, table, bytes_of_parts = result
    print(f"\n**{model}** ({weights / 1e6:.1f} M weights), {tokens:,} target tokens a step: {launches:.0f} launches, "
          f"{moved / 1e9:.1f} GB moved, {operations / 1e12:.2f} TFLOP. Predicted, not measured:\n")
    parts = [part for part in table[0][2] if any(seconds[part] > 5e-5 for _, _, seconds in table)]
    print("| GPU | step | tokens/s | " + " | ".join(parts) + " |")
    print("|---|---|---|" + "---|" * len(parts))
    print("| GB | | | " + " | ".join(f"{bytes_of_parts.get(part, 0) / 1e9:.2f}" for part in parts) + " |")
    for gpu, step, seconds in table:
        print(f"| {gpu.name} | {1e3 * step:.1f} ms | {tokens / step:,.0f} | "
              + " | ".join(f"{1e3 * seconds[part]:.1f}" for part in parts) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="base,big")
    parser.add_argument("--tokens", default="4096,25000")
    parser.add_argument("--counts", help="a folder to keep what was counted in, and take it from")
    parser.add_argument("--program", default=str(ROOT / "build" / "bench_step"))
    parser.add_argument("--emulated", default=str(ROOT / "build" / "emulated-checked"))
    parser.add_argument("--float-logits", action="store_true", help="logits in fp32: what that would cost")
    parser.add_argument("--logit-rows", type=int, help="rows of logits at a time: what others would cost")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.counts or temporary
        Path(folder).mkdir(parents=True, exist_ok=True)
        runs = counted_runs(options, "base", folder)
        for model in options.models.split(","):
            for tokens in options.tokens.split(","):
                show(model, int(tokens), forecast(runs, WIDTHS[model], int(tokens), options))


if __name__ == "__main__":
    main()
