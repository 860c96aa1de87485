#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the programs that Verbund's results are compared with into .venv. They are for
# tests and benchmarks only; nothing a user needs comes from here.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(sacrebleu==2.6.0 safetensors==0.8.0 numpy ctranslate2==4.8.4 sentencepiece==0.2.2 tensorboard==2.21.0 pymarian==1.12.42
          playwright==1.65.0 libretranslatepy==2.1.4 prometheus-client==0.26.0 aiohttp==3.14.5 jsonschema==4.25.1 pyyaml==6.0.3
          nvidia-cuda-nvrtc-cu12==12.8.93 nvidia-cuda-cuobjdump==13.4.92 torch==2.15.0 transformers==5.23.0)
stamp=.venv/installed
if [[ ! -e $stamp || "$(cat "$stamp")" != "${packages[*]}" ]]; then
  python3 -c 'import ensurepip' 2> /dev/null ||
    { echo "the oracles need Python's venv: apt-get install python3-venv" >&2; exit 1; }
  python3 -m venv .venv
  .venv/bin/pip install --quiet "${packages[@]}"
  echo "${packages[*]}" > "$stamp"
fi
