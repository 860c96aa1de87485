"""What NVRTC makes of the kernels for real GPUs, of every generation and for each type of factors: it has nothing to
say against them, and they fit: no registers in memory, no more shared memory than any GPU has.

NVRTC 12.8, the last that knows the V100, comes from .venv, NVRTC 13 from an installed toolkit; cuobjdump reads what they
make. Skipped (exit code 77) where there is neither NVRTC or no cuobjdump. VERBUND_RESOURCES=FILE keeps the table.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(os.environ["VERBUND"]).parent / "compile_kernels"
KERNELS = Path(os.environ["VERBUND_SOURCE"]) / "src/cuda/kernels/list.h"
WANTED = [70, 75, 80, 86, 90, 100, 120]
FACTORS = {0: "fp32", 1: "bf16", 2: "fp16"}
SHARED_MEMORY = 48 << 10
RESERVED = 1 << 10  # of shared memory in each block, by newer GPUs for themselves
# Nothing to be done about: CUDA 12.8 says that it is the last but one.
EXPECTED = "warning: Architectures prior to '<compute/sm>_75' are deprecated"

packages = list(Path(sys.prefix).glob("lib/python3*/site-packages/nvidia"))
folders = [folder for package in packages for folder in package.glob("*/lib")]
folders += [Path("/usr/local/cuda/lib64"), Path("/opt/cuda/lib64")]
COMPILERS = [folder for folder in folders if list(folder.glob("libnvrtc.so*"))]
tools = [str(tool) for package in packages for tool in package.glob("*/bin/cuobjdump")]
tools += [str(tool) for tool in map(Path, ["/usr/local/cuda/bin/cuobjdump", "/opt/cuda/bin/cuobjdump"]) if tool.exists()]
CUOBJDUMP = shutil.which("cuobjdump") or (tools[0] if tools else None)
if not COMPILERS or not CUOBJDUMP:
    print("skipped: there is no NVRTC or no cuobjdump; scripts/oracles.sh installs both")
    sys.exit(77)


def compile_kernels(folder, architecture, factor):
    """What NVRTC said, and per kernel its registers, stack and shared memory."""
    with tempfile.TemporaryDirectory(prefix="verbund-test-") as work:
        cubin = Path(work) / "kernels.cubin"
        done = subprocess.run([TOOL, folder, str(architecture), str(factor), cubin], capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr, {}
        usage = subprocess.run([CUOBJDUMP, "--dump-resource-usage", cubin], capture_output=True, text=True, check=True)
    found = {}
    for name, line in re.findall(r"Function (\w+):\s*\n\s*(.*)", usage.stdout):
        numbers = dict(re.findall(r"(\w+):(\d+)", line))
        found[name] = {key: int(numbers[key]) for key in ("REG", "STACK", "SHARED", "LOCAL")}
    said = [line for line in done.stdout.splitlines() if line.strip() and EXPECTED not in line]
    return "\n".join(said), found


class NvrtcOracleTest(unittest.TestCase):
    def test_kernels_compile_for_every_gpu(self):
        names = re.findall(r"X\((\w+)\)", KERNELS.read_text().split("VERBUND_CUDA_KERNELS(X)")[1])
        self.assertGreater(len(names), 20)
        tasks = []
        for folder in COMPILERS:
            version, known = subprocess.run([TOOL, folder], capture_output=True, text=True, check=True).stdout.split("\n")[:2]
            tasks += [(version, folder, architecture, factor) for architecture in WANTED
                      if str(architecture) in known.split() for factor in FACTORS]
        self.assertTrue(any(task[2] == 70 for task in tasks) or len(COMPILERS) == 1)
        table = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda task: compile_kernels(*task[1:]), tasks)
            for (version, _, architecture, factor), (said, found) in zip(tasks, results):
                with self.subTest(nvrtc=version, architecture=architecture, factor=FACTORS[factor]):
                    self.assertEqual(said, "")
                    self.assertEqual(sorted(found), sorted(names))
                    for name, used in found.items():
                        self.assertEqual(used["STACK"], 0, f"{name} keeps registers in memory: {used}")
                        self.assertEqual(used["LOCAL"], 0, name)
                        reserved = RESERVED if architecture >= 90 else 0
                        self.assertLessEqual(used["SHARED"] - reserved, SHARED_MEMORY, name)
                        table.append((version, f"sm_{architecture}", FACTORS[factor], name, used["REG"], used["SHARED"]))
        self.assertTrue(table)
        if os.environ.get("VERBUND_RESOURCES"):
            lines = ["\t".join(map(str, row)) for row in [("compiler", "gpu", "factors", "kernel", "registers", "shared"), *table]]
            Path(os.environ["VERBUND_RESOURCES"]).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    unittest.main()
