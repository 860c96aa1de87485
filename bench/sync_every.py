#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What do fewer exchanges (workers.sync_every) cost in quality, and how much sooner is the same dev loss reached?

    bench/sync_every.py                                            the demo to its end: H = 1, 8, 32, 128 x fp32, int8
    bench/sync_every.py --every 1,32 --wires fp32 --rates 50mbit --steps 320      a part of it
    bench/sync_every.py --config multi30k.yaml --data data/multi30k --steps 6400  another training
    bench/sync_every.py --runs FOLDER --rates none                 only what is learned; FOLDER keeps it for another call

4 workers with 1 thread each on 2 hosts, which are network namespaces (as root; see tests/hosts). The speed of the network
does not change what is learned, so every setting is trained to its end once, at full speed, and some steps of it at each
rate: the losses must be the same numbers (the program fails if they differ), and the time of these steps counts. The time to the end and
"seconds to" are steps x measured seconds of a step, without evaluations. "seconds to" ends when the dev loss has come
down to the last one of H = 1 with the first wire, to within half a per cent (of the worst seed, if there are several).
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

VERBUND = Path(os.environ.get("VERBUND", ROOT / "build" / "verbund"))
EVALUATIONS = 20  # in a run
NEAR = 1.005  # what counts as the same loss
HOSTS, SLOTS = 2, 2
FULL_SPEED = "20gbit"


def settings_of(options, every, wire, seed, steps):
    warm_up = min(max(60, options.steps // 10), options.steps // 2)
    delay = min(options.delay, every - 1)
    settings = {"train.max_steps": steps, "schedule.warmup_steps": warm_up,
                "schedule.decay_steps": options.steps - warm_up,
                "train.eval_every": max(1, options.steps // EVALUATIONS), "train.log_every": 1, "train.record": "false",
                "workers.wire": wire, "workers.sync_every": every, "workers.sync_delay": delay, "seed": seed,
                "threads": 1, "checkpoint.save_every_steps": 0, "evaluate.at_start": "false"}
    if steps < options.steps:
        settings["train.eval_every"] = 0  # only the time of its steps counts
        settings["evaluate.sentences"] = 1
    return settings


def words_of(options, run, *setting):
    words = [word for key, value in settings_of(options, *setting).items() for word in ("--set", f"{key}={value}")]
    words += [word for value in options.set for word in ("--set", value)]
    return [VERBUND, "train", "--config", options.config, "--data", options.data, "--run", run, *words]


def read(run, steps):
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    logged = {line["step"]: line for line in lines if "train_loss" in line}
    devs = [(line["step"], line["dev_loss"], line.get("dev_bleu")) for line in lines if "dev_loss" in line]
    return {"losses": {step: line["train_loss"] for step, line in logged.items()},
            "step_seconds": logged[steps]["training_seconds"] / steps,
            "sent": sum(line["exchange_bytes_sent_per_step"] for line in logged.values()) * SLOTS / steps,
            "devs": devs}


def train(hosts, options, run, *setting):
    """A finished run folder of an earlier call is not trained again."""
    done = run / "finished"
    if not done.exists():
        job = hosts.mpirun("-n", str(HOSTS * SLOTS), *words_of(options, run, *setting), slots=SLOTS,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = job.communicate(timeout=24 * 3600)[1]
        if job.returncode != 0:
            sys.exit(f"training {run.name} failed:\n{said[-2000:]}")
        done.touch()
    return read(run, setting[-1])


def rounded_up(steps, every):
    return -(-steps // every) * every


def expect_same_losses(whole, part, what):
    for step, loss in part["losses"].items():
        if whole["losses"][step] != loss:
            sys.exit(f"{what}: the loss of step {step} is {loss}, but it was {whole['losses'][step]} at full speed")


def learn(options):
    """(every, wire, seed) -> what its whole training gave."""
    results = {}
    with Hosts(HOSTS, rate=FULL_SPEED) as hosts:
        for every, wire, seed in [(e, w, s) for e in options.every for w in options.wires for s in options.seeds]:
            run = options.runs / f"{every}-{wire}-{seed}"
            results[every, wire, seed] = result = train(hosts, options, run, every, wire, seed, options.steps)
            print(f"H = {every}, {wire}, seed {seed}: dev loss {result['devs'][-1][1]:.4f}, "
                  f"BLEU {result['devs'][-1][2]:.2f}", file=sys.stderr, flush=True)
    return results


def time_steps(options, learned, folder):
    """(rate, every, wire) -> what some steps of it gave."""
    results = {}
    for rate in options.rates:
        # A slow wire that was idle is no faster than a busy one; a fast one needs room, or it loses packets.
        os.environ["VERBUND_HOSTS_BURST"] = "2mb" if "gbit" in rate else "256kb"
        with Hosts(HOSTS, rate=rate) as hosts:
            for every, wire in [(every, wire) for every in options.every for wire in options.wires]:
                steps = min(options.steps, rounded_up(options.timed_steps, every))
                seed, what = options.seeds[0], f"{rate}, H = {every}, {wire}"
                result = train(hosts, options, folder / f"{rate}-{every}-{wire}", every, wire, seed, steps)
                expect_same_losses(learned[every, wire, seed], result, what)
                results[rate, every, wire] = result
                print(f"{what}: {result['step_seconds']:.3f} s per step", file=sys.stderr, flush=True)
    return results


def row(options, whole, timed, goal, rate, every, wire, seed):
    at = next((step for step, loss, _ in whole["devs"] if loss <= goal), None)
    reached = "not reached" if at is None else f"{at * timed['step_seconds']:.0f}"
    _, loss, bleu = whole["devs"][-1]
    return (f"| {rate} | {every} | {wire} | {seed} | {options.steps} | {timed['step_seconds']:.3f} "
            f"| {timed['sent'] / 1e6:.3f} | {options.steps * timed['step_seconds']:.0f} | {loss:.4f} "
            f"| {'-' if bleu is None else f'{bleu:.2f}'} | {reached} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", default="demo")
    parser.add_argument("--data", help="its dataset; without it the demo's is made")
    parser.add_argument("--steps", type=int, default=640, help="640: nearly the demo's own, and whole rounds of 128")
    parser.add_argument("--timed-steps", type=int, default=32, help="at each rate; whole rounds at least")
    parser.add_argument("--every", default="1,8,32,128", help="workers.sync_every; 1 among them, or --goal")
    parser.add_argument("--delay", type=int, default=0, help="workers.sync_delay, at most H - 1")
    parser.add_argument("--wires", default="fp32,int8")
    parser.add_argument("--rates", default="1gbit,50mbit,10mbit")
    parser.add_argument("--goal", type=float, help="the dev loss of \"seconds to\", if it is not that of H = 1 here")
    parser.add_argument("--seeds", default="1", help="of each setting")
    parser.add_argument("--runs", type=Path, help="keeps the whole trainings; those that are in it are not repeated")
    parser.add_argument("--set", action="append", default=[], help="a further setting of all trainings")
    options = parser.parse_args()
    for key in ("every", "wires", "rates", "seeds"):
        convert = int if key in ("every", "seeds") else str
        setattr(options, key, [convert(value) for value in getattr(options, key).split(",")])
    if 1 not in options.every and options.goal is None:
        parser.error("--every must have 1, which the others are compared with, or --goal says what to reach")
    if options.rates == ["none"]:
        options.rates = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options.runs = options.runs or folder / "runs"
        options.runs.mkdir(parents=True, exist_ok=True)
        if not options.data:
            options.data = folder / "data"
            subprocess.run([VERBUND, "prepare", "--config", options.config, "--out", options.data], check=True,
                           capture_output=True)
        learned = learn(options)
        timed = time_steps(options, learned, folder)
    reached = options.goal or max(learned[1, options.wires[0], seed]["devs"][-1][1] for seed in options.seeds)
    goal = NEAR * reached
    print(f"{options.config}, {options.steps} steps, {HOSTS} hosts with {SLOTS} workers each; seconds until the dev loss "
          f"is {goal:.4f}\n")
    print("| rate | H | wire | seed | steps | s/step | MB per step and host | training s | dev loss | BLEU | seconds to |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for rate, every, wire in timed:
        for seed in options.seeds:
            print(row(options, learned[every, wire, seed], timed[rate, every, wire], goal, rate, every, wire, seed))


if __name__ == "__main__":
    main()
