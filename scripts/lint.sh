#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over every source, as .clang-tidy says. Precompiled headers and warnings that
# only GCC knows are taken out of the compile commands first. Left out are
# kernels, which are made of GCC's vectors, and the plain path: clang cannot read libtorch's headers as C++20.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build/lint
python3 - << 'PYTHON'
import json, re
commands = json.load(open("build/compile_commands.json"))
for command in commands:
    text = re.sub(r"-include \S*cmake_pch\S*|-Winvalid-pch|-fpch-preprocess|-Wno-restrict|-Wno-stringop-overflow", "", command["command"])
    command["command"] = re.sub(r"^.*ccache ", "", text)
commands = [c for c in commands if "/src/" in c["file"]]
json.dump(commands, open("build/lint/compile_commands.json", "w"))
PYTHON
git ls-files 'src/*.cpp' ':!src/kernels/simd/*' | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/lint
