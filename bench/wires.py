#!/usr/bin/env python3
"""Does a smaller wire learn as well, and how much sooner? The demo's model on two hosts, 1 worker with 1 thread each.

    bench/wires.py [--steps 300] [--rate 50mbit] [--wires fp32,bf16,fp16,int8] [--seeds 1,2,3] [--data FOLDER]

With fp32 several seeds are trained, which shows how far runs differ by chance; with the other wires the first of them.
"seconds to" is the time until the dev loss has come down to the worst seed's last one, evaluations left out. Hosts are
network namespaces (as root; see tests/hosts).
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "hosts"))
from hosts import Hosts  # noqa: E402

VERBUND = ROOT / "build" / "verbund"
EVALUATIONS = 10  # in a run


def train(hosts, data, run, wire, seed, steps):
    settings = {"train.max_steps": steps, "train.eval_every": steps // EVALUATIONS, "schedule.warmup_steps": steps // 5,
                "schedule.decay_steps": steps - steps // 5, "workers.wire": wire, "seed": seed, "threads": 1,
                "checkpoint.save_every_steps": steps}
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    job = hosts.mpirun("-n", "2", VERBUND, "train", "--config", "demo", "--data", data, "--run", run, *words,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = job.communicate(timeout=3600)[1]
    if job.returncode != 0:
        sys.exit(f"training with {wire} failed:\n{said[-2000:]}")
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    seconds, curve = 0.0, []
    for line in lines:
        if "train_loss" in line:
            seconds = line["training_seconds"]
        if "dev_loss" in line:
            curve.append((line["step"], seconds, line["dev_loss"]))
    return {"wire": wire, "seed": seed, "curve": curve, "loss": curve[-1][2], "seconds": seconds,
            "bleu": next((line["dev_bleu"] for line in reversed(lines) if "dev_bleu" in line), float("nan"))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rate", default="50mbit")
    parser.add_argument("--wires", default="fp32,bf16,fp16,int8")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--data")
    options = parser.parse_args()
    seeds = [int(seed) for seed in options.seeds.split(",")]
    with tempfile.TemporaryDirectory() as folder, Hosts(2, rate=options.rate) as hosts:
        data = Path(options.data) if options.data else Path(folder) / "data"
        if not options.data:
            subprocess.run([VERBUND, "prepare", "--config", "demo", "--out", data], check=True, capture_output=True)
        print(f"demo, {options.steps} steps, 2 hosts joined by {options.rate}", flush=True)
        print(f"{'wire':5} {'seed':>4} {'dev loss':>9} {'BLEU':>6} {'s/step':>7} {'seconds to the worst fp32 seed':>31}")
        results = []
        for wire in options.wires.split(","):
            for seed in seeds if wire == "fp32" else seeds[:1]:
                run = Path(folder) / f"{wire}-{seed}"
                results.append(train(hosts, data, run, wire, seed, options.steps))
                goal = max(result["loss"] for result in results if result["wire"] == options.wires.split(",")[0])
                reached = next((f"{at:.0f}" for _, at, loss in results[-1]["curve"] if loss <= goal), "not reached")
                result = results[-1]
                print(f"{wire:5} {seed:4} {result['loss']:9.4f} {result['bleu']:6.2f} "
                      f"{result['seconds'] / options.steps:7.3f} {reached:>31}", flush=True)


if __name__ == "__main__":
    main()
