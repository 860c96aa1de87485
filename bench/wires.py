#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a smaller wire learn as well, and how much sooner? The demo's model on two hosts, 1 worker with 1 thread each.

    bench/wires.py                                                        the demo to its end, at 1 Gbit: is it as good?
    bench/wires.py --rate 50mbit --steps 300 --seeds 1 --wires fp32,bf16,int8    a slow link: how much sooner?

With fp32 several seeds are trained, which shows how far runs differ by chance; with the other wires the first of them.
"seconds to" is the time of training, without evaluations, until the dev loss has come down to the worst fp32 seed's last
one, to within half a per cent. Hosts are network namespaces (as root; see tests/hosts). Fails if a wire's dev loss is above the worst seed's by
more than the seeds differ.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "hosts"))
from hosts import Hosts  # noqa: E402

os.environ["VERBUND_HOSTS_BURST"] = "256kb"  # a wire that was idle is no faster than a busy one
VERBUND = ROOT / "build" / "verbund"
EVALUATIONS = 10  # in a run
NEAR = 1.005  # what counts as the same loss


def settings_of(wire, seed, steps):
    warm_up = max(60, steps // 10)
    return {"train.max_steps": steps, "schedule.warmup_steps": warm_up, "schedule.decay_steps": steps - warm_up,
            # A line of the log with each evaluation: it has the time.
            "train.eval_every": steps // EVALUATIONS, "train.log_every": steps // EVALUATIONS,
            "workers.wire": wire, "seed": seed, "threads": 1, "checkpoint.save_every_steps": steps}


def train(hosts, data, run, wire, seed, steps):
    words = [word for key, value in settings_of(wire, seed, steps).items() for word in ("--set", f"{key}={value}")]
    job = hosts.mpirun("-n", "2", VERBUND, "train", "--config", "demo", "--data", data, "--run", run, *words,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = job.communicate(timeout=7200)[1]
    if job.returncode != 0:
        sys.exit(f"training with {wire} failed:\n{said[-2000:]}")
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    seconds = {line["step"]: line["training_seconds"] for line in lines if "train_loss" in line}
    curve = [(seconds[line["step"]], line["dev_loss"], line["dev_bleu"]) for line in lines
             if "dev_loss" in line and line["step"] > 0]
    return {"wire": wire, "seed": seed, "curve": curve, "loss": curve[-1][1], "bleu": curve[-1][2],
            "step": curve[-1][0] / steps}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=3000, help="3000: the demo's own")
    parser.add_argument("--rate", default="1gbit")
    parser.add_argument("--wires", default="fp32,bf16,fp16,int8", help="fp32 among them, to compare with")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--data", help="the demo's dataset, if it is there already")
    options = parser.parse_args()
    wires, seeds = options.wires.split(","), [int(seed) for seed in options.seeds.split(",")]
    if "fp32" not in wires:
        parser.error("--wires must have fp32, which the others are compared with")
    with tempfile.TemporaryDirectory() as folder, Hosts(2, rate=options.rate) as hosts:
        data = Path(options.data) if options.data else Path(folder) / "data"
        if not options.data:
            subprocess.run([VERBUND, "prepare", "--config", "demo", "--out", data], check=True, capture_output=True)
        results = []
        for wire, seed in [(wire, seed) for wire in wires for seed in (seeds if wire == "fp32" else seeds[:1])]:
            results.append(train(hosts, data, Path(folder) / f"{wire}-{seed}", wire, seed, options.steps))
            print(f"{wire}, seed {seed}: dev loss {results[-1]['loss']:.4f}", file=sys.stderr, flush=True)

    losses = [result["loss"] for result in results if result["wire"] == "fp32"]
    goal, chance = NEAR * max(losses), max(losses) - min(losses)
    print(f"demo, {options.steps} steps, 2 hosts joined by {options.rate}; seconds until the dev loss is {goal:.4f}")
    print(f"{'wire':5} {'seed':>4} {'dev loss':>9} {'BLEU':>6} {'s/step':>7} {'seconds to':>11}")
    for result in results:
        reached = next((f"{seconds:.0f}" for seconds, loss, _ in result["curve"] if loss <= goal), "not reached")
        print(f"{result['wire']:5} {result['seed']:4} {result['loss']:9.4f} {result['bleu']:6.2f} {result['step']:7.3f} "
              f"{reached:>11}")
    worse = [result["wire"] for result in results if result["loss"] > goal + chance]
    sys.exit(f"does not learn as well: {', '.join(worse)}" if worse and len(seeds) > 1 else 0)


if __name__ == "__main__":
    main()
