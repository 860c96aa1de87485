# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's compiler without a GPU: what it makes of the program's kernels, and what each of them takes.

NVRTC 12.8, the last that knows the V100, comes from .venv, NVRTC 13 from an installed toolkit; cuobjdump reads what they
make (scripts/oracles.sh installs both)."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# What a GPU is compiled for: V100, T4, A100, RTX 3090, H100, B200, RTX 5090.
WANTED = [70, 75, 80, 86, 90, 100, 120]
FACTORS = {0: "fp32", 1: "bf16", 2: "fp16"}
# Nothing to be done about: CUDA 12.8 says that it is the last but one.
EXPECTED = "warning: Architectures prior to '<compute/sm>_75' are deprecated"

_packages = list(Path(sys.prefix).glob("lib/python3*/site-packages/nvidia"))
_folders = [folder for package in _packages for folder in package.glob("*/lib")]
_folders += [Path("/usr/local/cuda/lib64"), Path("/opt/cuda/lib64")]
COMPILERS = [folder for folder in _folders if list(folder.glob("libnvrtc.so*"))]
_tools = [str(tool) for package in _packages for tool in package.glob("*/bin/cuobjdump")]
_tools += [str(tool) for tool in map(Path, ["/usr/local/cuda/bin/cuobjdump", "/opt/cuda/bin/cuobjdump"]) if tool.exists()]
CUOBJDUMP = shutil.which("cuobjdump") or (_tools[0] if _tools else None)
MISSING = "" if COMPILERS and CUOBJDUMP else "there is no NVRTC or no cuobjdump; scripts/oracles.sh installs both"


def known(tool, folder):
    """Its version, and the architectures that it knows."""
    said = subprocess.run([tool, folder], capture_output=True, text=True, check=True).stdout
    version, architectures = said.split("\n")[:2]
    return version, [int(word) for word in architectures.split()]


def compile_kernels(tool, folder, architecture, factor):
    """What NVRTC said, and per kernel its registers, stack and shared memory. `tool` is build/compile_kernels."""
    with tempfile.TemporaryDirectory(prefix="verbund-test-") as work:
        cubin = Path(work) / "kernels.cubin"
        done = subprocess.run([tool, folder, str(architecture), str(factor), cubin], capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr, {}
        usage = subprocess.run([CUOBJDUMP, "--dump-resource-usage", cubin], capture_output=True, text=True, check=True)
    found = {}
    for name, line in re.findall(r"Function (\w+):\s*\n\s*(.*)", usage.stdout):
        numbers = dict(re.findall(r"(\w+):(\d+)", line))
        found[name] = {key: int(numbers[key]) for key in ("REG", "STACK", "SHARED", "LOCAL")}
    said = [line for line in done.stdout.splitlines() if line.strip() and EXPECTED not in line]
    return "\n".join(said), found
