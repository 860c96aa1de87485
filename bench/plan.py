#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is `verbund plan` right? Predicts the step of two hosts joined by a shaped link from what a lone worker does, then
measures it, all in one run.

    bench/plan.py [--models base,small] [--rates 1gbit,200mbit,50mbit] [--wires fp32,bf16] [--slots 1,2] [--steps 3]

The hosts are those that tests/hosts makes on this machine (as root); each worker has one thread. Where there are more
workers than cores, they are predicted to compute as much slower. Fails if a prediction is off by more than 10 %, if an
exchanged gradient is not the sum of the workers' own, or if a loss does not fall.
"""
import argparse
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "hosts"), str(ROOT / "bench")]
from hosts import Hosts  # noqa: E402
from workers import fault, read  # noqa: E402

os.environ["VERBUND_HOSTS_BURST"] = "256kb"  # a wire that was idle is no faster than a busy one
ALLOWED = 0.1
# As bench/shapes.h has them.
LENGTH = 42  # of the sentence that a token is in, on average: 2 to 62
SMALL = ["model.encoder_layers=4", "model.decoder_layers=4", "model.heads=4"]
MODELS = {
    "base": ["subwords.vocabulary=32768"],
    "small": [*SMALL, "model.d_model=256", "model.d_ff=1024", "subwords.vocabulary=16384"],
    "tiny": [*SMALL, "model.d_model=128", "model.d_ff=256", "subwords.vocabulary=10000"],
}
BUCKET = "workers.bucket_kb=8192"  # as bench_workers has it
ROUND_TRIP = "0.3ms"  # the namespaces' own, and how long the thread of communication sleeps between two looks


def alone(options, model):
    program = [options.workers, model, str(options.steps), "1"]
    return read(subprocess.run(program, stdout=subprocess.PIPE, text=True).stdout, program)


def predict(options, model, rate, wire, slots, lone):
    workers = 2 * slots
    shared = min(1, len(os.sched_getaffinity(0)) / workers)  # of a core, for each worker
    vocabulary = int(MODELS[model][-1].removeprefix("subwords.vocabulary="))
    distinct = round(vocabulary * (1 - (1 - 1 / vocabulary) ** lone["target_tokens"]))  # all tokens are equally likely
    command = [options.program, "plan", "--json", "--distinct", str(distinct), "--config", "transformer-base", "-H", f"host-a:{slots},host-b:{slots}",
               "--link", rate, "--latency", ROUND_TRIP, "--length", str(LENGTH),
               "--tokens-per-second", f"{lone['tokens_per_second'] * shared:.4f}"]
    for setting in [*MODELS[model], BUCKET, f"workers.wire={wire}", "train.micro_batch_tokens=0", "threads=1",
                    f"batch.tokens={round(lone['target_tokens'] * workers)}"]:
        command += ["--set", setting]
    told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return told["predictions"][-1]


def measure(options, model, wire, slots, hosts):
    program = [options.workers, model, str(options.steps), "1", wire]
    job = hosts.mpirun("-n", str(2 * slots), *program, slots=slots, stdout=subprocess.PIPE, text=True)
    output, _ = job.communicate(timeout=3600)
    return read(output, program)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="base,small")
    parser.add_argument("--rates", default="1gbit,200mbit,50mbit")
    parser.add_argument("--wires", default="fp32,bf16")
    parser.add_argument("--slots", default="1,2", help="workers on each host")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--program", default=str(ROOT / "build" / "verbund"))
    parser.add_argument("--workers", default=str(ROOT / "build" / "bench_workers"))
    options = parser.parse_args()
    for program in (options.program, options.workers):
        if not os.path.exists(program):
            sys.exit(f"there is no {program}: build it with  ninja -C build verbund bench_workers")
    print(f"{'model':6} {'workers':8} {'rate':8} {'wire':5} {'predicted':>10} {'measured':>10} {'error':>8}   "
          f"{'waited, predicted':>18} {'measured':>9}")
    well = True
    for model in options.models.split(","):
        for rate in options.rates.split(","):
            for slots in map(int, options.slots.split(",")):
                lone = alone(options, model)  # measured each time: the machine may have other work by now
                try:
                    with Hosts(2, rate=rate) as hosts:
                        for wire in options.wires.split(","):
                            told = predict(options, model, rate, wire, slots, lone)
                            found = measure(options, model, wire, slots, hosts)
                            error = told["seconds_per_step"] / found["seconds_per_step"] - 1
                            wrong = fault(found, wire)
                            well = well and not wrong and abs(error) <= ALLOWED
                            print(f"{model:6} {f'2 x {slots}':8} {rate:8} {wire:5} {told['seconds_per_step']:8.3f} s "
                                  f"{found['seconds_per_step']:8.3f} s {100 * error:+6.1f} %   "
                                  f"{told['exposed_seconds']:16.3f} s {found['exposed_seconds']:7.3f} s {wrong}",
                                  flush=True)
                except unittest.SkipTest as reason:
                    sys.exit(f"nothing to measure on: {reason}")
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
