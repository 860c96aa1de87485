#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run costs beside its computing as its workers grow: 2, 8, 32, 128 of them as processes on this machine.

    bench/many_workers.py [--layouts 1x2,1x8,2x4,4x8,1x32,16x8,128x1] [--steps 5] [--sums 30] [--program PROGRAM]
    bench/many_workers.py --simulate [--hosts 1,2,8,16,64,256,1024]

16x8 are 16 hosts with 8 workers each. Hosts here are names alone (UTS namespaces, as root), which is what the program
goes by: workers of one host share memory, the others exchange messages. There is no network between them, so times are
of the program's own work, of which a machine with few cores does one worker's after the other's. What is counted does
not depend on that: messages of a sum of six numbers, of gathering a text, of the all-reduce of one chunk; worker 0's
sockets, threads and memory. Every sum is verified. Fails if a worker sends more messages in a sum than 7 per round in
log8(hosts) rounds, or more than twice as many (lengths, then texts) in gathering texts.

--simulate prints what `verbund plan` predicts for Transformer-base on up to 1,024 hosts of 8 workers: the sum of a step's
numbers, to which it adds what the program's own work in a sum took in a run of 2x4 before it; the exchange of gradients and
the part of it that computing does not hide; what a host sends. The work of a worker stays the same (weak scaling).
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


SLOTS_OF_A_HOST = 8
TOKENS_OF_A_WORKER, TOKENS_A_SECOND = 2000, 250  # of Transformer-base on one core


def simulate(options):
    """Prints a row for each number of hosts, from one call of plan each."""
    own = run(options, 2, 4)["sum_seconds"]
    print(f"the program's own work in a sum of six numbers, 2 x 4 workers: {1e6 * own:.0f} us")
    print(f"{'hosts x 8':>10} {'sum ms':>8} {'s/step':>8} {'exchange':>9} {'exposed':>8} {'MB sent':>8} {'efficiency':>10}")
    for hosts in options.hosts:
        names = ",".join(f"h{i}:{SLOTS_OF_A_HOST}" for i in range(hosts))
        tokens = TOKENS_OF_A_WORKER * SLOTS_OF_A_HOST * hosts
        command = [options.verbund, "plan", "--json", "--config", "transformer-base", "-H", names, "--link", options.link,
                   "--latency", options.latency, "--tokens-per-second", TOKENS_A_SECOND, "--set", f"batch.tokens={tokens}",
                   "--set", "threads=1"]
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True)
        found = json.loads(done.stdout)["predictions"][-1]
        if found["workers"] != SLOTS_OF_A_HOST * hosts:
            sys.exit(f"{hosts} hosts: the plan ends with {found['workers']} workers")
        print(f"{hosts:>10} {1e3 * (found['sum_seconds'] + own):8.2f} {found['seconds_per_step']:8.2f} "
              f"{found['exchange_seconds']:9.3f} {found['exposed_seconds']:8.3f} {found['bytes_sent_per_host'] / 1e6:8.0f} "
              f"{TOKENS_OF_A_WORKER / TOKENS_A_SECOND / found['seconds_per_step']:10.1%}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layouts", default="1x2,1x8,2x4,4x8,1x32,16x8,128x1")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--sums", type=int, default=30)
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "bench_many_workers")
    parser.add_argument("--simulate", action="store_true", help="what plan predicts of more hosts than this machine can play")
    parser.add_argument("--hosts", default="1,2,8,16,64,256,1024", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--link", default="10gbit")
    parser.add_argument("--latency", default="0.2ms")
    parser.add_argument("--verbund", type=Path, default=ROOT / "build" / "verbund")
    options = parser.parse_args()
    if options.simulate:
        return simulate(options)
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
