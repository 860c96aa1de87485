#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every benchmark; each prints ratios taken in one run and verifies its results.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --build --preset release --parallel "$(nproc)" --target benchmarks
for program in build/bench_encode build/bench_mixture build/bench_step; do
  echo "== ${program#build/bench_}"
  "$program"
done
for script in exchange workers what_if record_cost report gpu_forecast; do
  echo "== $script"
  "bench/$script.py"
done
if /usr/bin/python3 -c "import torch" 2> /dev/null; then
  echo "== step against PyTorch"
  /usr/bin/python3 bench/peers/step.py
  echo "== workers of PyTorch"
  /usr/bin/python3 bench/peers/ddp.py
else
  echo "no python3-torch: the comparison with PyTorch is left out (apt-get install python3-torch)"
fi
