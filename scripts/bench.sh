#!/usr/bin/env bash
# Runs every benchmark; each prints ratios taken in one run and verifies its results.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --build --preset release --parallel "$(nproc)" --target benchmarks
for program in build/bench_*; do
  echo "== ${program#build/bench_}"
  "$program"
done
