# SPDX-License-Identifier: Apache-2.0
"""Seconds and peak memory of reading parallel text from TMX, JSON lines and TSV beside plain text: the stage `clean` of
`verbund prepare`, which reads, cleans and writes every pair. Every format must give the same dataset.

    python3 bench/formats.py [--pairs 500000] [--rounds 3] [--folder FOLDER]
"""

import argparse
import gzip
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
from xml.sax.saxutils import escape

PROGRAM = os.environ.get("VERBUND", "build/verbund")
FORMATS = ["plain text", "TSV", "TSV with named columns", "JSON lines", "TMX", "TMX, gzip"]


def make_files(folder, pairs):
    """Sentences of the demo; {format: flags}."""
    demo = folder / "demo"
    subprocess.run([PROGRAM, "prepare", "--corpus", "demo", "--set", f"corpus.generated_pairs={pairs}", "--set",
                    "subwords.vocabulary=1200", "--set", "subwords.sample_pairs=10000", "--out", demo], check=True,
                   capture_output=True)
    names = {key: folder / name for key, name in {"en": "a.en", "de": "a.de", "tsv": "a.tsv", "named": "b.tsv",
                                                  "json": "a.jsonl", "tmx": "a.tmx", "gz": "a.tmx.gz"}.items()}
    files = {key: open(path, "w") for key, path in names.items() if key != "gz"}
    files["named"].write("id\tde\ten\n")
    files["tmx"].write('<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header/><body>\n')
    with open(demo / "work" / "train.clean.tsv") as lines:
        for number, line in enumerate(lines):
            source, target = line.rstrip("\n").split("\t")
            files["en"].write(source + "\n")
            files["de"].write(target + "\n")
            files["tsv"].write(line)
            files["named"].write(f"{number}\t{target}\t{source}\n")
            files["json"].write(json.dumps({"translation": {"en": source, "de": target}}) + "\n")
            files["tmx"].write(f'<tu><tuv xml:lang="en"><seg>{escape(source)}</seg></tuv>\n'
                               f'<tuv xml:lang="de"><seg>{escape(target)}</seg></tuv></tu>\n')
    files["tmx"].write("</body></tmx>\n")
    for file in files.values():
        file.close()
    with open(names["tmx"], "rb") as plain, gzip.open(names["gz"], "wb", 1) as packed:
        shutil.copyfileobj(plain, packed)
    model = ["--subwords", demo / "joint.model"]
    inputs = [["--source", names["en"], "--target", names["de"]], *(["--pairs", names[key]] for key in
                                                                    ("tsv", "named", "json", "tmx", "gz"))]
    sizes = [sum(os.path.getsize(path) for path in flags[1::2]) for flags in inputs]
    return {name: ([*flags, *model], size) for name, flags, size in zip(FORMATS, inputs, sizes)}


def prepare(flags, out):
    """(seconds, bytes of memory, checksum of the dataset), of a folder that is made again."""
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([PROGRAM, "prepare", *map(str, flags), "--out", out], check=True, capture_output=True)
    clean = json.loads((out / "work" / "stages.json").read_text())["clean"]
    return clean["seconds"], clean["peak_memory_bytes"], json.loads((out / "dataset.json").read_text())["checksum"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=500000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="verbund-formats-", dir=options.folder))
    try:
        inputs = make_files(folder, options.pairs)
        measured = {name: [] for name in FORMATS}
        for _ in range(options.rounds):  # in turn
            for name, (flags, _) in inputs.items():
                measured[name].append(prepare(flags, folder / "out"))
        checksums = {checksum for rounds in measured.values() for _, _, checksum in rounds}
        assert len(checksums) == 1, "the formats gave different datasets"
        plain = statistics.median(seconds for seconds, _, _ in measured["plain text"])
        print(f"{options.pairs:,} pairs, median of {options.rounds} rounds, all datasets the same ({checksums.pop()})\n")
        print("| format | file | clean | beside plain text | peak memory |\n|---|---:|---:|---:|---:|")
        for name, rounds in measured.items():
            seconds = statistics.median(seconds for seconds, _, _ in rounds)
            memory = max(memory for _, memory, _ in rounds)
            print(f"| {name} | {inputs[name][1] / 1e6:.0f} MB | {seconds:.2f} s | {seconds / plain:.2f} | "
                  f"{memory / 2**20:.0f} MiB |")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
