#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Registers and shared memory of the kernels that a training step spends its time in, as NVRTC compiles them for real GPUs:
the table of docs/benchmarks.md. No GPU is needed.

    scripts/oracles.sh && make build-tests
    .venv/bin/python scripts/kernel_resources.py [build/compile_kernels]
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from support.nvrtc import COMPILERS, FACTORS, MISSING, compile_kernels, known  # noqa: E402

# In the compute dtype that each is used with.
GPUS = {70: "fp16", 80: "bf16", 90: "bf16", 120: "bf16"}
HOT = ["attention_forward_64", "attention_backward_64", "attention_forward_128", "attention_backward_128", "norm_forward",
       "norm_backward", "relu_forward", "relu_backward", "loss", "embed_backward", "column_sums", "adam", "step_attention",
       "best_tokens"]


def compiler(tool):
    """One that knows all of them."""
    for folder in COMPILERS:
        version, architectures = known(tool, folder)
        if set(GPUS) <= set(architectures):
            return version, folder
    sys.exit(f"no NVRTC of {', '.join(map(str, COMPILERS))} knows all of sm_{', sm_'.join(map(str, GPUS))}; "
             "scripts/oracles.sh installs 12.8, which does")


def threads_of(kernel):
    """By its launch bounds: KERNEL_OF(128, 2, name), or KERNEL(name), which has 256."""
    source = "".join(path.read_text() for path in sorted((ROOT / "src/cuda/kernels").glob("*.*h")))
    bounds = re.search(rf"KERNEL_OF\((\w+), \d+, {kernel}\)", source)
    if not bounds:
        return 256
    constant = re.search(rf"{bounds[1]} = (\d+)", source)
    return int(constant[1] if constant else bounds[1])


def main():
    if MISSING:
        sys.exit(MISSING)
    tool = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/compile_kernels"
    version, folder = compiler(tool)
    used = {}
    for gpu, factor in GPUS.items():
        number = next(key for key, name in FACTORS.items() if name == factor)
        said, used[gpu] = compile_kernels(tool, folder, gpu, number)
        if said:
            sys.exit(f"sm_{gpu}: {said}")
    print(f"{version}; registers of a thread and bytes of shared memory of a block:\n")
    print("| kernel | threads | " + " | ".join(f"sm_{gpu}, {factor}" for gpu, factor in GPUS.items()) + " |")
    print("|---" * (len(GPUS) + 2) + "|")
    for kernel in HOT:
        cells = [f"{used[gpu][kernel]['REG']}, {used[gpu][kernel]['SHARED']:,}" for gpu in GPUS]
        print(f"| `{kernel}` | {threads_of(kernel)} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
