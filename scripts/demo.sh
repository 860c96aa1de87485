#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job on a corpus that the program makes itself: what a run looks like, in minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n\033[1m%s\033[0m\n' "$*" >&2; }

say "Preparing the demo corpus: English-German sentences from a grammar"
build/verbund prepare --config configs/demo.yaml --out data/demo
say "A few of its pairs, as text and as pieces"
build/verbund inspect data/demo --split dev --count 5 | sed -n '/^pair/,$p'
# bf16 where the processor has it: GEMM is then nearly twice as fast.
precision=fp32
grep -qs avx512_bf16 /proc/cpuinfo && precision=bf16
say "Training a small Transformer on it with two workers (up to three minutes; Ctrl-C saves, the same command resumes)"
build/verbund launch -n 2 -- train --config configs/demo.yaml --data data/demo --run runs/demo \
  --set train.precision=$precision
say "How good it is on sentences it has never seen"
build/verbund evaluate -m runs/demo --data data/demo
say "A few translations"
sources=$(head -5 data/demo/test.source.txt)
translations=$(build/verbund translate -m runs/demo <<< "$sources")
paste -d '\n' <(sed 's/^/  /' <<< "$sources") <(sed 's/^/  -> /' <<< "$translations")
say "What the run tells of itself"
build/verbund report runs/demo
say "The run is in runs/demo: report.html, log.txt, metrics.jsonl, checkpoints/. Try it: build/verbund translate -m runs/demo --interactive"
