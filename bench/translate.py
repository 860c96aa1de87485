#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`verbund translate` beside CTranslate2: target tokens per second of the same model on the same text, in turn in one
run, with the same threads, batches and beam, in fp32.

    .venv/bin/python bench/translate.py runs/multi30k test.en

The model is exported to CTranslate2's format. Lines are sorted by their tokens first, so that both translate the same
batches. Times are from text to text, without loading. Fails if more than 1 % of the translations are not the same, or
if Verbund is slower than `--at-least` times CTranslate2. Needs scripts/oracles.sh; run it on a machine that does
nothing else.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LONGEST = 256  # tokens of a translation, in both
IDLE = 0.5  # load average; threads that wait for a busy core make any ratio


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with code {done.returncode}:\n{done.stderr}")
    return done


def model_arguments(options):
    arguments = ["--model", options.run]
    for name in ("checkpoint", "vocabulary", "target_vocabulary"):
        if getattr(options, name):
            arguments += [f"--{name.replace('_', '-')}", getattr(options, name)]
    return arguments


def run_verbund(options, text):
    # The lines come sorted, so that a window of one batch is a batch.
    settings = {"threads": options.threads, "decode.beam": options.beam, "decode.length_penalty": 0,
                "decode.max_ratio": 0, "decode.max_extra": LONGEST, "decode.batch_tokens": 10000000}
    done = run([options.program, "translate", *model_arguments(options), "--benchmark", "--window", options.batch,
                *(word for key, value in settings.items() for word in ("--set", f"{key}={value}"))], input=text)
    last = done.stderr.strip().splitlines()[-1]
    found = re.fullmatch(r"benchmark: (\d+) target tokens, ([\d.e+-]+) seconds, .*", last)
    if not found:
        sys.exit(f"verbund translate --benchmark ended with this line, which is none of a benchmark: {last}")
    return {"tokens": int(found[1]), "seconds": float(found[2]), "translations": done.stdout.split("\n")[:-1]}


def run_ctranslate2(options, folder, text):
    command = [sys.executable, HERE / "peers" / "ctranslate2_translate.py", folder, options.threads, options.batch,
               options.beam, LONGEST]
    return json.loads(run(command, input=text, env={**os.environ, "OMP_NUM_THREADS": str(options.threads)}).stdout)


def sorted_lines(options, folder):
    import sentencepiece
    pieces = sentencepiece.SentencePieceProcessor(model_file=f"{folder}/source.model")
    lines = [line for line in options.text.read_text(encoding="utf-8").split("\n") if line.strip()]
    lines.sort(key=lambda line: -len(pieces.encode(line)))
    return lines


def compare(options, folder):
    """Prints the results; returns whether all is well."""
    lines = sorted_lines(options, folder)
    if not lines:
        sys.exit(f"{options.text} has no line to translate")
    text = "\n".join(lines) + "\n"
    load = os.getloadavg()[0]
    if load > IDLE:
        print(f"THE MACHINE IS BUSY (load average {load:.1f}): these times say nothing, only the translations do")
    ours, theirs = [], []
    for number in range(options.rounds):
        ours.append(run_verbund(options, text))
        theirs.append(run_ctranslate2(options, folder, text))
        print(f"round {number + 1}: " + ", ".join(
            f"{name} {result['tokens'] / result['seconds']:.0f} tokens/s" for name, result in
            (("Verbund", ours[-1]), ("CTranslate2", theirs[-1]))), flush=True)

    print(f"{len(lines)} sentences, {options.threads} threads, batches of {options.batch}, beam {options.beam}, fp32; "
          f"{theirs[0]['version']}; medians of {options.rounds} rounds")
    speeds = {}
    for name, results in (("Verbund", ours), ("CTranslate2", theirs)):
        seconds = statistics.median(result["seconds"] for result in results)
        speeds[name] = results[0]["tokens"] / seconds
        print(f"  {name:<12} {speeds[name]:8.0f} target tokens/s  {seconds:8.3f} s  {results[0]['tokens']} tokens")
    ratio = speeds["Verbund"] / speeds["CTranslate2"]
    print(f"  Verbund is {ratio:.2f} x as fast")

    pairs = list(zip(lines, ours[0]["translations"], theirs[0]["translations"], strict=True))
    others = [pair for pair in pairs if pair[1] != pair[2]]
    print(f"  {len(others)} of {len(pairs)} translations are not the same")
    for source, our, their in others[:5]:
        print(f"    {source}\n      Verbund:     {our}\n      CTranslate2: {their}")
    return len(others) <= len(pairs) // 100 and ratio >= options.at_least


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("run", type=Path, help="a run or checkpoint folder")
    parser.add_argument("text", type=Path, help="sentences to translate, one a line")
    parser.add_argument("--checkpoint", help="of the run; default: best, else newest")
    parser.add_argument("--vocabulary", type=Path, help="subword model, if the run has none")
    parser.add_argument("--target-vocabulary", type=Path, help="of the target side, if it is another")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=32, help="sentences; default: 32")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5, help="the median of this many is taken; default: 5")
    parser.add_argument("--at-least", type=float, default=1.0, help="the ratio that is asked for; default: 1.0")
    parser.add_argument("--program", type=Path, default=HERE.parent / "build" / "verbund")
    options = parser.parse_args()
    if not options.program.exists():
        parser.error(f"there is no {options.program}: build it, or name another with --program")
    try:
        import ctranslate2  # noqa: F401
        import sentencepiece  # noqa: F401
    except ImportError as error:
        parser.error(f"{error}: run scripts/oracles.sh, and this by .venv/bin/python")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "exported"
        run([options.program, "export", *model_arguments(options), "--format", "ctranslate2", "--out", folder])
        return 0 if compare(options, folder) else 1


if __name__ == "__main__":
    sys.exit(main())
