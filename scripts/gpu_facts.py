#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `verbund doctor --json` has found of the first worker's GPU, for scripts/test-gpu.sh:

    gpu_facts.py FILE count      how many GPUs can be used (also: architecture)
    gpu_facts.py FILE missing    why not
    gpu_facts.py FILE block      names and versions, for an issue
    gpu_facts.py FILE step       what came of the small step; exit code 1 if it went wrong
"""

import json
import sys


def main(file, what):
    with open(file, encoding="utf-8") as opened:
        report = json.load(opened)
    gpu = report["facts"]["workers"][0]["gpu"]
    if what in ("count", "missing", "architecture"):
        print(gpu[what])
    elif what == "block":
        print(f"device {gpu['requested']}: {gpu['count']} x {gpu['name']} (sm_{gpu['architecture']}, "
              f"{gpu['memory'] / 1e9:.1f} GB)")
        for library in gpu["libraries"]:
            print(f"{library['name']}: " + (library["why_not"] or f"{library['version']}, {library['path']}"))
    else:
        rows = [row for row in report["findings"] if row["check"] == "GPU step"]
        said = "; ".join(row["finding"] for row in rows)
        print(said)
        # A GPU that is too old for a precision says so, which is not a failure.
        return 0 if rows and all(row["verdict"] == "ok" for row in rows) or "needs a GPU of" in said else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
