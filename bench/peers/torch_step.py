#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the training step of bench/step.cpp in stock PyTorch, and prints the result as one line of JSON.

    echo '[12, 7, 31]' | torch_step.py NAME THREADS STEPS [fp32|bf16]      (NAME: tiny, small or base; bf16: autocast)

What is read are the sentences' lengths, the same for source and target. Dropout is on; the gradient is clipped and
Adam takes the step, as there.

Of the ways that PyTorch offers, this is the fastest, or as fast as any: torch.nn.Transformer takes the time of a
model of nn.Linear, nn.LayerNorm and matmul with one product for Q, K and V; Adam's foreach makes no difference on
a CPU; and padding is left out of the product with the vocabulary, which a plain CrossEntropyLoss(ignore_index)
would compute. Its attention has biases, which this version of nn.Transformer cannot leave out.

n: sentences, m: the longest, d: d_model, v: vocabulary.
"""
import json
import math
import resource
import statistics
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

SHAPES = {
    "tiny": {"vocabulary": 10000, "d_model": 128, "d_ff": 256, "heads": 4, "layers": 4},
    "small": {"vocabulary": 16384, "d_model": 256, "d_ff": 1024, "heads": 4, "layers": 4},
    "base": {"vocabulary": 32768, "d_model": 512, "d_ff": 2048, "heads": 8, "layers": 6},
}
PAD = 0
DROPOUT = SMOOTHING = 0.1


class Translator(nn.Module):
    """Pre-norm, with one embedding for source, target and output."""

    def __init__(self, longest, vocabulary, d_model, d_ff, heads, layers):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.transformer = nn.Transformer(d_model, heads, layers, layers, d_ff, DROPOUT, layer_norm_eps=1e-6,
                                          batch_first=True, norm_first=True)
        nn.init.normal_(self.embedding.weight, std=d_model ** -0.5)
        angles = torch.arange(longest).unsqueeze(1) * torch.logspace(0, -4, d_model // 2)
        self.register_buffer("positions", torch.cat([angles.sin(), angles.cos()], dim=1))  # [m, d]
        self.register_buffer("future", nn.Transformer.generate_square_subsequent_mask(longest))  # [m, m]

    def embed(self, ids):
        scaled = self.embedding(ids) * math.sqrt(self.embedding.embedding_dim)
        return F.dropout(scaled + self.positions, DROPOUT, self.training)

    def forward(self, source, target_input, target_output):
        """The loss per token; all arguments are [n, m]."""
        padding = source == PAD
        # On the target's side the mask of the future hides padding too: it comes last.
        decoded = self.transformer(self.embed(source), self.embed(target_input), tgt_mask=self.future,
                                   src_key_padding_mask=padding, memory_key_padding_mask=padding)
        tokens = target_output != PAD
        logits = F.linear(decoded[tokens], self.embedding.weight)  # [tokens, v]
        return F.cross_entropy(logits, target_output[tokens], label_smoothing=SMOOTHING)


def smoothed_entropy(vocabulary):
    """What a perfect model's loss would be; Verbund's loss is counted from there."""
    others = SMOOTHING / vocabulary
    right = 1 - SMOOTHING + others
    return -right * math.log(right) - (vocabulary - 1) * others * math.log(others)


def blas_in_use():
    """The folder that it was loaded from names Debian's alternative: openblas-openmp, ..."""
    mapped = Path("/proc/self/maps").read_text().split()
    found = sorted({Path(word).parent.name for word in mapped if "/libblas" in word})
    return ", ".join(found) or ("MKL" if torch.backends.mkl.is_available() else "an unknown BLAS")


def main():
    name, threads, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    in_bf16 = sys.argv[4:] == ["bf16"]
    lengths, shape = json.load(sys.stdin), SHAPES[name]
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    vocabulary = shape["vocabulary"]
    batch = [nn.utils.rnn.pad_sequence([torch.randint(PAD + 1, vocabulary, (length,)) for length in lengths],
                                       batch_first=True, padding_value=PAD)
             for _ in ("source", "target_input", "target_output")]
    model = Translator(max(lengths), **shape)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4, betas=(0.9, 0.997), eps=1e-9)
    entropy = smoothed_entropy(vocabulary)
    losses, seconds = [], []
    for _ in range(1 + steps):  # the first is to warm up
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=in_bf16):
            loss = model(*batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seconds.append(time.perf_counter() - start)
        losses.append(loss.item() - entropy)
    print(json.dumps({
        "name": name, "threads": torch.get_num_threads(), "target_tokens": sum(lengths),
        "source_tokens": sum(lengths), "lengths": lengths, "seconds_per_step": statistics.median(seconds[1:]),
        "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "first_loss": losses[0], "last_loss": losses[-1],
        "uniform_loss": math.log(vocabulary) - entropy,  # of a model that knows nothing
        "version": f"PyTorch {torch.__version__} with {blas_in_use()}"}))


if __name__ == "__main__":
    main()
