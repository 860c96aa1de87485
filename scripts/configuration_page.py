#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints docs/configuration.md, made from what the program says of its keys.

    scripts/configuration_page.py [build/verbund] > docs/configuration.md
"""

import re
import subprocess
import sys

HEAD = """# Configuration keys

This page lists every key of the configuration with its default, its meaning and its range. `verbund config --explain`
prints the same as a YAML file.

    verbund config --explain > my.yaml            # a file to start from
    verbund config --list                         # the built-in configurations
    verbund config --show my.yaml                 # the whole configuration as it would be used
    verbund train --config my.yaml --set train.max_steps=5000 ...

A key is written as `section: {key: value}` in the file, and as `--set section.key=value` on the command line. Numbers
may be written as `25k` or `1e6`. A key that does not exist is refused with its line and the nearest known key.

`scripts/configuration_page.py` makes this page; `tests/source` checks that it is up to date.
"""
# "  beam: 4      # unfinished translations kept per sentence; 1: greedy [1 .. 1000]"
KEY = re.compile(r"(?P<key> *\w+): (?P<value>\S.*?) +# (?P<meaning>.*?)(?: \[(?P<range>[^\[\]{}]*)\])?")
COLUMNS = "\n| key | default | range | meaning |\n|---|---|---|---|"


def cell(text):
    return re.sub(r"([|<*])", r"\\\1", text or "")


def page(explained):
    lines = [HEAD, "## Keys without a section", COLUMNS]
    section = ""
    for line in explained.splitlines():
        row = KEY.fullmatch(line)
        if line.startswith("# "):
            lines += ["", f"## {line[2:].rstrip('.')}"]
        elif row:
            key = row["key"].replace("  ", section + ".")
            lines.append(f"| `{key}` | `{row['value']}` | {cell(row['range'])} | {cell(row['meaning'])} |")
        elif line:
            section = line.removesuffix(":")
            lines.append(COLUMNS)
    return "\n".join(lines) + "\n"


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/verbund"
    explained = subprocess.run([program, "config", "--explain"], capture_output=True, text=True, check=True).stdout
    sys.stdout.write(page(explained))


if __name__ == "__main__":
    main()
