# SPDX-License-Identifier: Apache-2.0
"""Seconds that Gloo, by torch.distributed, takes to sum a buffer: one rank of several that mpirun has started.

    mpirun -n 4 python3 bench/peers/gloo.py MEGABYTES ROUNDS
"""
import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist

rank, size = int(os.environ["OMPI_COMM_WORLD_RANK"]), int(os.environ["OMPI_COMM_WORLD_SIZE"])
megabytes, rounds = int(sys.argv[1]), int(sys.argv[2])
interface = os.environ.get("GLOO_SOCKET_IFNAME", "lo")
torch.set_num_threads(1)
meeting = "tcp://127.0.0.1:29517" if interface == "lo" else "tcp://host-a:29517"
dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=size)
count = megabytes * 2 ** 20 // 4
places = torch.arange(count, dtype=torch.int64) * 7
expected = sum((places + 13 * other) % 16 for other in range(size)).float()
seconds, right = [], True
for i in range(rounds + 1):
    buffer = ((places + 13 * rank) % 16).float()
    dist.barrier()
    start = time.perf_counter()
    dist.all_reduce(buffer)
    taken = torch.tensor([time.perf_counter() - start], dtype=torch.float64)
    dist.all_reduce(taken, op=dist.ReduceOp.MAX)
    right = right and bool((buffer == expected).all())
    if i > 0:
        seconds.append(taken.item())
wrong = torch.tensor([0.0 if right else 1.0])
dist.all_reduce(wrong)
if rank == 0:
    print(json.dumps({"workers": size, "seconds": statistics.median(seconds), "right": wrong.item() == 0,
                      "torch": torch.__version__}), flush=True)
