# SPDX-License-Identifier: Apache-2.0
"""What NVRTC makes of the kernels for real GPUs, of every generation and for each compute dtype: it has nothing to
say against them, and they fit: no registers in memory, no more shared memory than any GPU has.

Skipped (exit code 77) where there is no NVRTC or no cuobjdump. VERBUND_RESOURCES=FILE keeps the table of all kernels;
scripts/kernel_resources.py makes the one of docs/benchmarks.md."""
import concurrent.futures
import os
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.nvrtc import COMPILERS, FACTORS, MISSING, WANTED, compile_kernels, known  # noqa: E402

TOOL = Path(os.environ["VERBUND"]).parent / "compile_kernels"
KERNELS = Path(os.environ["VERBUND_SOURCE"]) / "src/cuda/kernels/list.h"
SHARED_MEMORY = 48 << 10
RESERVED = 1 << 10  # of shared memory in each block, by newer GPUs for themselves
if MISSING:
    print("skipped: " + MISSING)
    sys.exit(77)


class NvrtcOracleTest(unittest.TestCase):
    def test_kernels_compile_for_every_gpu(self):
        names = re.findall(r"X\((\w+)\)", KERNELS.read_text().split("VERBUND_CUDA_KERNELS(X)")[1])
        self.assertGreater(len(names), 20)
        tasks = []
        for folder in COMPILERS:
            version, architectures = known(TOOL, folder)
            tasks += [(version, folder, architecture, factor) for architecture in WANTED
                      if architecture in architectures for factor in FACTORS]
        table = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda task: compile_kernels(TOOL, *task[1:]), tasks)
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
        # No compiler here may know one of them: then nothing was shown of it.
        compiled = {(gpu, factor) for _, gpu, factor, *_ in table}
        missing = [f"sm_{gpu} {factor}" for gpu in WANTED for factor in FACTORS.values()
                   if (f"sm_{gpu}", factor) not in compiled]
        versions = sorted({version for version, *_ in tasks})
        self.assertEqual(missing, [], f"compiled by none of {versions} in {list(map(str, COMPILERS))}; scripts/oracles.sh "
                         "installs NVRTC 12.8, which knows all of them")
        if os.environ.get("VERBUND_RESOURCES"):
            lines = ["\t".join(map(str, row)) for row in [("compiler", "gpu", "factors", "kernel", "registers", "shared"), *table]]
            Path(os.environ["VERBUND_RESOURCES"]).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    unittest.main()
