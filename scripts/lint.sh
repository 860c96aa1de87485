#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over every source, as .clang-tidy says, in the groups that the build compiles together: their headers are
# read once. GCC's precompiled header becomes a plain one first, and warnings that only GCC knows go; files of a group see
# each other's names, so that shadowing means nothing. Left out are the SIMD kernels, which are made of GCC's vectors.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build/lint
python3 - << 'PYTHON'
import json, os, re
commands = []
for command in json.load(open("build/compile_commands.json")):
    if not re.search(r"-o CMakeFiles/verbund_?\w*\.dir/", command["command"] + command["file"]): continue
    if re.search(r"/src/kernels/simd/|cmake_pch|/verbund_precompiled_|/generated/builtin_", command["file"]): continue
    text = re.sub(r"-include \S*cmake_pch\S*|-Winvalid-pch|-fpch-preprocess|-Wshadow|--param=\S+", "", command["command"])
    header = os.path.abspath("cmake/precompiled.h")
    command["command"] = re.sub(r"^.*ccache ", "", text) + f" -Wno-unknown-warning-option -Wno-unknown-pragmas -include {header}"
    commands.append(command)
json.dump(commands, open("build/lint/compile_commands.json", "w"))
print(*(c["file"] for c in commands), sep="\n", file=open("build/lint/files", "w"))
PYTHON
xargs -P "$(nproc)" -n 1 clang-tidy --quiet --checks=-bugprone-suspicious-include -p build/lint < build/lint/files
