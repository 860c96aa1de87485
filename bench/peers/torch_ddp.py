#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One worker of a data-parallel training in stock PyTorch (DistributedDataParallel with Gloo), timed.

    torch_ddp.py NAME RANK WORKERS ADDRESS PORT INTERFACE [--wire fp32|fp16] [--tokens 1792] [--steps 3]

The model, batch and step are those of torch_step.py, each worker with a batch of its own of as many tokens and one
thread. Steps of the first worker alone, on a copy of the model while the others wait, take turns with steps of all, so
that both are measured in the same minutes. The first worker prints one line of JSON.

What makes DistributedDataParallel faster is used: gradients that live in its buckets, and no broadcast of buffers,
which never change here.
"""
import argparse
import datetime
import json
import math
import os
import resource
import statistics
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

sys.path.insert(0, str(Path(__file__).resolve().parent))
from torch_step import PAD, SHAPES, Translator, blas_in_use, smoothed_entropy  # noqa: E402

LENGTH = 32  # of all sentences, so that nothing is padded
HOOKS = {"fp32": None, "fp16": default_hooks.fp16_compress_hook}  # that for bf16 wants NCCL


class Trainer:
    """Takes steps with one batch, again and again."""

    def __init__(self, model, batch):
        self._model, self._batch = model, batch
        self._optimizer = torch.optim.Adam(model.parameters(), lr=3e-4, betas=(0.9, 0.997), eps=1e-9)
        self.losses = []

    def step(self):
        self._optimizer.zero_grad(set_to_none=True)
        loss = self._model(*self._batch)
        loss.backward()
        nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
        self._optimizer.step()
        self.losses.append(loss.item())


def make_model(name):
    torch.manual_seed(1)
    return Translator(LENGTH, **SHAPES[name])


def make_batch(name, tokens, rank):
    torch.manual_seed(2 + rank)  # dropout goes on from here, and differs too
    return [torch.randint(PAD + 1, SHAPES[name]["vocabulary"], (tokens // LENGTH, LENGTH))
            for _ in ("source", "target_input", "target_output")]


def bytes_sent(interface):
    return int(Path(f"/sys/class/net/{interface}/statistics/tx_bytes").read_text())


def largest_difference(model):
    """Between the weights of any two workers."""
    weights = nn.utils.parameters_to_vector(model.parameters()).detach()
    largest, smallest = weights.clone(), weights.clone()
    dist.all_reduce(largest, dist.ReduceOp.MAX)
    dist.all_reduce(smallest, dist.ReduceOp.MIN)
    return (largest - smallest).max().item()


def timed(step):
    """How long it takes until the last of the workers is done."""
    dist.barrier()
    start = time.perf_counter()
    step()
    dist.barrier()
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=SHAPES)
    parser.add_argument("rank", type=int)
    parser.add_argument("workers", type=int)
    parser.add_argument("address")
    parser.add_argument("port", type=int)
    parser.add_argument("interface")
    parser.add_argument("--wire", choices=HOOKS, default="fp32")
    parser.add_argument("--tokens", type=int, default=1792, help=f"a multiple of {LENGTH}")
    parser.add_argument("--steps", type=int, default=3, help="timed, after one to warm up")
    options = parser.parse_args()

    torch.set_num_threads(1)
    os.environ["GLOO_SOCKET_IFNAME"] = options.interface
    dist.init_process_group("gloo", init_method=f"tcp://{options.address}:{options.port}", rank=options.rank,
                            world_size=options.workers, timeout=datetime.timedelta(minutes=10))
    shared = DistributedDataParallel(make_model(options.name), gradient_as_bucket_view=True, broadcast_buffers=False)
    if HOOKS[options.wire]:
        shared.register_comm_hook(None, HOOKS[options.wire])
    first = options.rank == 0
    alone = Trainer(make_model(options.name), make_batch(options.name, options.tokens, 0)) if first else None
    together = Trainer(shared, make_batch(options.name, options.tokens, options.rank))

    seconds_alone, seconds_together, sent = [], [], []
    for _ in range(1 + options.steps):
        seconds_alone.append(timed(alone.step if first else lambda: None))
        before = bytes_sent(options.interface)
        seconds_together.append(timed(together.step))
        sent.append(bytes_sent(options.interface) - before)

    difference = largest_difference(shared)
    if first:
        vocabulary = SHAPES[options.name]["vocabulary"]
        entropy = smoothed_entropy(vocabulary)
        print(json.dumps({
            "tokens": options.tokens, "workers": options.workers, "wire": options.wire,
            "seconds_alone": statistics.median(seconds_alone[1:]),
            "seconds_together": statistics.median(seconds_together[1:]),
            "bytes_per_step": statistics.median(sent[1:]),
            "gradient_bytes": 4 * sum(p.numel() for p in shared.parameters()),
            "largest_difference": difference,
            "alone_losses": [loss - entropy for loss in alone.losses],
            "losses": [loss - entropy for loss in together.losses],
            "uniform_loss": math.log(vocabulary) - entropy,  # of a model that knows nothing
            "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "version": f"PyTorch {torch.__version__} with {blas_in_use()}"}))
    dist.barrier()


if __name__ == "__main__":
    main()
