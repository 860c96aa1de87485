#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run costs beside its computing as its workers grow: 2, 8, 32, 128 of them as processes on this machine.

    bench/many_workers.py [--layouts 1x2,1x8,2x4,4x8,1x32,16x8,128x1] [--steps 5] [--sums 30] [--program PROGRAM]

16x8 are 16 hosts with 8 workers each. Hosts here are names alone (UTS namespaces, as root), which is what the program
goes by: workers of one host share memory, the others exchange messages. There is no network between them, so times are
of the program's own work, of which a machine with few cores does one worker's after the other's. What is counted does
not depend on that: messages of a sum of six numbers, of gathering a text, of the all-reduce of one chunk; worker 0's
sockets, threads and memory. Every sum is verified. Fails if a worker sends more messages in a sum than 7 per round in
log8(hosts) rounds, or more than twice as many (lengths, then texts) in gathering texts.
"""
import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Workers of one host are neighbours by rank.
ON_ITS_HOST = 'hostname "host-$((OMPI_COMM_WORLD_RANK / SLOTS))" && exec "$@"'


def run(options, hosts, slots):
    mpirun = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1",
              "--mca", "pml", "ob1"]
    mpirun += ["--allow-run-as-root"] if os.geteuid() == 0 else []
    place = [] if hosts == 1 else ["unshare", "--uts", "sh", "-c", ON_ITS_HOST, "sh"]
    program = [options.program, time.time(), options.steps, options.sums]
    environment = ["-x", f"SLOTS={slots}", "-x", "VERBUND_START_SECONDS=300"]
    command = [*mpirun, "-n", hosts * slots, *environment, *place, *program]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, timeout=1800)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        sys.exit(f"{hosts}x{slots}: exit code {done.returncode}, {done.stdout!r}")
    return json.loads(lines[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layouts", default="1x2,1x8,2x4,4x8,1x32,16x8,128x1")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--sums", type=int, default=30)
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "bench_many_workers")
    options = parser.parse_args()
    print(f"{'':8} {'sum of 6 numbers':>29} {'messages of a worker, at most':>37} {'':8} {'ms per step':>19} "
          f"{'worker 0':>35}")
    print(f"{'hosts x':8} {'Verbund':>9} {'MPI':>9} {'ratio':>9} {'sum':>9} {'gather':>9} {'chunk':>9} {'start':>7} "
          f"{'start s':>8} {'all':>9} {'computing':>9} {'sockets':>8} {'threads':>8} {'own MB':>8} {'shared':>8}")
    too_many = []
    for layout in options.layouts.split(","):
        hosts, slots = map(int, layout.split("x"))
        result = run(options, hosts, slots)
        ours, mpi = result["sum_seconds"], result["mpi_sum_seconds"]
        most = {key: result[f"messages_of_a_{key}"]["most"] for key in ("sum", "gather", "chunk")}
        print(f"{layout:8} {1e6 * ours:6.0f} us {1e6 * mpi:6.0f} us {ours / mpi:9.2f} {most['sum']:9.0f} "
              f"{most['gather']:9.0f} {most['chunk']:9.0f} {result['messages_of_the_start']:7.0f} "
              f"{result['start_seconds']:8.2f} {1e3 * result['step_seconds']:9.1f} "
              f"{1e3 * result['computing_seconds']:9.1f} {result['sockets']:8} {result['threads']:8} "
              f"{result['private_bytes'] / 1e6:8.1f} {result['shared_bytes'] / 1e6:8.1f}", flush=True)
        bound, known = 0, 1
        while known < hosts:
            bound, known = bound + min(7, (hosts - 1) // known), 8 * known
        if most["sum"] > bound or most["gather"] > 2 * bound:
            too_many.append(f"{layout} ({most['sum']:.0f} and {most['gather']:.0f}, the bound is {bound})")
    sys.exit(f"more messages than grow with the logarithm of the hosts: {', '.join(too_many)}" if too_many else 0)


if __name__ == "__main__":
    main()
