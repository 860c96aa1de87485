#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes transformer.json beside this file: losses and gradients of small Transformers from PyTorch's autograd.

Run by hand where Debian's python3-torch is installed:

    /usr/bin/python3 tests/golden/make_golden.py

The model is written here once more from its definition, in double precision and for one sentence at a time, so
that it has neither padding nor packing in common with what it judges. Weights come from a formula that
tests/unit/model/golden_test.cpp computes to the same bits, so that none need be kept.

n: tokens of a side, d: d_model, h: heads, v: target vocabulary.
"""
import itertools
import json
import math
from pathlib import Path

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)

END, START, FIRST_PIECE = 1, 2, 3
TOKENS, CHECKED, MIXTURE = 900, 901, 902  # streams of scatter(); parameter p takes stream p for its weights
# A ReLU's input nearer to 0 than this could fall on the other side in single precision, and with it a gradient.
KINK = 2e-6

BASE = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 16, "heads": 4, "d_ff": 24, "norm": "pre",
        "norm_epsilon": 1e-6, "share_embeddings": "all", "attention_bias": False, "ff_bias": True,
        "label_smoothing": 0.1, "dropout": 0, "attention_dropout": 0, "relu_dropout": 0}
CASES = {
    "pre_all": (BASE, (23, 23)),
    "post_none": ({**BASE, "norm": "post", "share_embeddings": "none", "d_model": 24, "heads": 2, "decoder_layers": 1,
                   "label_smoothing": 0}, (19, 31)),
    "pre_target_biases": ({**BASE, "share_embeddings": "target", "attention_bias": True, "encoder_layers": 1,
                           "d_model": 12, "heads": 3, "d_ff": 40}, (29, 17)),
    "post_all_large_epsilon": ({**BASE, "norm": "post", "norm_epsilon": 0.05, "ff_bias": False, "encoder_layers": 1,
                                "heads": 1, "label_smoothing": 0.3}, (13, 13)),
}
LENGTHS = [(5, 4), (1, 9), (11, 1), (8, 6)]  # of source and target, </s> not counted


def scatter(stream, i):
    """16 bits that look random."""
    x = (stream * 0x9E3779B1 + i * 0x85EBCA77 + 0x165667B1) & 0xFFFFFFFF
    x = ((x ^ x >> 15) * 0x2C1B3C6D) & 0xFFFFFFFF
    x = ((x ^ x >> 12) * 0x297A2D39) & 0xFFFFFFFF
    return (x ^ x >> 15) >> 16


def signed(stream, count):
    """Multiples of 2^-15 in [-1, 1): exact in single precision, also after what weights() does to them."""
    return torch.tensor([scatter(stream, i) / 32768 - 1 for i in range(count)])


def weights(stream, name, shape):
    values = signed(stream, math.prod(shape)).view(shape)
    if name.endswith(".scale"):
        return 1 + values / 4
    return values / (4 if "embedding" in name or len(shape) == 1 else 2)


def parameter_shapes(config, source_size, target_size):
    """Names and shapes in the model's order."""
    d, hidden, bias = config["d_model"], config["d_ff"], config["attention_bias"]

    def norm(name):
        return {f"{name}.scale": [d], f"{name}.bias": [d]}

    def linear(name, outputs, inputs, has_bias):
        return {f"{name}.weight": [outputs, inputs], **({f"{name}.bias": [outputs]} if has_bias else {})}

    def self_attention(layer):
        return norm(f"{layer}.self.norm") | linear(f"{layer}.self.qkv", 3 * d, d, bias) | linear(
            f"{layer}.self.out", d, d, bias)

    def cross_attention(layer):
        return norm(f"{layer}.cross.norm") | linear(f"{layer}.cross.q", d, d, bias) | linear(
            f"{layer}.cross.out", d, d, bias)

    def feed_forward(layer):
        return norm(f"{layer}.ff.norm") | linear(f"{layer}.ff.in", hidden, d, config["ff_bias"]) | linear(
            f"{layer}.ff.out", d, hidden, config["ff_bias"])

    shapes = {"source.embedding": [source_size, d]}
    if config["share_embeddings"] != "all":
        shapes["target.embedding"] = [target_size, d]
    for i in range(config["encoder_layers"]):
        shapes |= self_attention(f"encoder.{i}") | feed_forward(f"encoder.{i}")
    if config["norm"] == "pre":
        shapes |= norm("encoder.norm")
    shapes |= linear("decoder.cross.kv", config["decoder_layers"] * 2 * d, d, bias)
    for i in range(config["decoder_layers"]):
        shapes |= self_attention(f"decoder.{i}") | cross_attention(f"decoder.{i}") | feed_forward(f"decoder.{i}")
    if config["norm"] == "pre":
        shapes |= norm("decoder.norm")
    if config["share_embeddings"] == "none":
        shapes["output.weight"] = [target_size, d]
    return shapes


class Transformer:
    def __init__(self, config, parameters):
        self.config, self.parameters = config, parameters
        self.nearest_kink = math.inf
        sharing = config["share_embeddings"]
        self.target_embedding = parameters["source.embedding" if sharing == "all" else "target.embedding"]
        self.output = parameters["output.weight"] if sharing == "none" else self.target_embedding

    def linear(self, name, x):
        return F.linear(x, self.parameters[f"{name}.weight"], self.parameters.get(f"{name}.bias"))

    def norm(self, name, x):
        deviation = x - x.mean(dim=1, keepdim=True)
        variance = deviation.square().mean(dim=1, keepdim=True)
        normal = deviation / (variance + self.config["norm_epsilon"]).sqrt()
        return normal * self.parameters[f"{name}.scale"] + self.parameters[f"{name}.bias"]

    def embed(self, embedding, ids):
        d = self.config["d_model"]
        frequencies = torch.exp(-math.log(1e4) / (d // 2 - 1) * torch.arange(d // 2))
        angles = torch.arange(len(ids)).unsqueeze(1) * frequencies
        return embedding[ids] * math.sqrt(d) + torch.cat([angles.sin(), angles.cos()], dim=1)

    def attend(self, q, k, v, causal):
        heads = self.config["heads"]
        q, k, v = (x.view(len(x), heads, -1) for x in (q, k, v))  # [n, h, d/h]
        scores = torch.einsum("ihe,jhe->hij", q, k) / math.sqrt(q.shape[2])
        if causal:
            scores = scores + torch.full(scores.shape[1:], -math.inf).triu(1)
        return torch.einsum("hij,jhe->ihe", scores.softmax(dim=2), v).flatten(1)

    def sublayer(self, name, x, function):
        if self.config["norm"] == "pre":
            return x + function(self.norm(f"{name}.norm", x))
        return self.norm(f"{name}.norm", x + function(x))

    def self_attention(self, layer, x, causal):
        q, k, v = self.linear(f"{layer}.self.qkv", x).chunk(3, dim=1)
        return self.linear(f"{layer}.self.out", self.attend(q, k, v, causal))

    def cross_attention(self, layer, x, k, v):
        q = self.linear(f"{layer}.cross.q", x)
        return self.linear(f"{layer}.cross.out", self.attend(q, k, v, causal=False))

    def feed_forward(self, layer, x):
        hidden = self.linear(f"{layer}.ff.in", x)
        self.nearest_kink = min(self.nearest_kink, hidden.abs().min().item())
        return self.linear(f"{layer}.ff.out", F.relu(hidden))

    def log_probabilities(self, source, target_input):
        """[n, v]"""
        final_norm = self.norm if self.config["norm"] == "pre" else lambda name, x: x
        x = self.embed(self.parameters["source.embedding"], source)
        for i in range(self.config["encoder_layers"]):
            layer = f"encoder.{i}"
            x = self.sublayer(f"{layer}.self", x, lambda y: self.self_attention(layer, y, causal=False))
            x = self.sublayer(f"{layer}.ff", x, lambda y: self.feed_forward(layer, y))
        encoded = final_norm("encoder.norm", x)

        keys_and_values = self.linear("decoder.cross.kv", encoded).split(2 * self.config["d_model"], dim=1)
        x = self.embed(self.target_embedding, target_input)
        for i in range(self.config["decoder_layers"]):
            layer = f"decoder.{i}"
            k, v = keys_and_values[i].chunk(2, dim=1)
            x = self.sublayer(f"{layer}.self", x, lambda y: self.self_attention(layer, y, causal=True))
            x = self.sublayer(f"{layer}.cross", x, lambda y: self.cross_attention(layer, y, k, v))
            x = self.sublayer(f"{layer}.ff", x, lambda y: self.feed_forward(layer, y))
        return F.linear(final_norm("decoder.norm", x), self.output).log_softmax(dim=1)


def smoothed_loss(log_probabilities, target, smoothing):
    """The divergence from the smoothed target: its cross-entropy less its own entropy."""
    size = log_probabilities.shape[1]
    wanted = torch.full_like(log_probabilities, smoothing / (size - 1))
    wanted[range(len(target)), target] = 1 - smoothing
    return F.kl_div(log_probabilities, wanted, reduction="sum")


def make_sentences(source_size, target_size):
    sentences = []
    numbers = (scatter(TOKENS, i) for i in itertools.count())
    for lengths in LENGTHS:
        source, target = ([FIRST_PIECE + next(numbers) % (size - FIRST_PIECE) for _ in range(length)]
                          for length, size in zip(lengths, (source_size, target_size)))
        sentences.append({"source": source + [END], "target_input": [START] + target, "target_output": target + [END]})
    return sentences


def rounded(number):
    """Nine decimals: more than single precision needs, and a sum that is zero but for rounding is zero here."""
    return round(float(number), 9) + 0.0  # no -0.0


def describe(stream, name, gradient):
    """Of a parameter's gradient: its norm, its sum, its product with a random mixture (which any two elements that
    change places would change), and three elements."""
    flat = gradient.flatten()
    checked = sorted({0, scatter(CHECKED, stream) % len(flat), len(flat) - 1})
    return {"name": name, "shape": list(gradient.shape), "norm": rounded(flat.norm()), "sum": rounded(flat.sum()),
            "mixture": rounded(flat @ signed(MIXTURE, len(flat))),
            "elements": [[i, rounded(flat[i])] for i in checked]}


def make_case(name, config, source_size, target_size):
    shapes = parameter_shapes(config, source_size, target_size)
    parameters = {key: weights(stream, key, shape).requires_grad_()
                  for stream, (key, shape) in enumerate(shapes.items())}
    model = Transformer(config, parameters)
    sentences = make_sentences(source_size, target_size)
    smoothed = plain = 0
    for sentence in sentences:
        log_probabilities = model.log_probabilities(sentence["source"], sentence["target_input"])
        target = sentence["target_output"]
        smoothed = smoothed + smoothed_loss(log_probabilities, target, config["label_smoothing"])
        plain = plain + F.nll_loss(log_probabilities, torch.tensor(target), reduction="sum")
    smoothed.backward()
    assert model.nearest_kink > KINK, f"{name}: a ReLU's input is {model.nearest_kink}: choose another shape"
    return {"name": name, "model": config, "source_size": source_size, "target_size": target_size,
            "sentences": sentences, "smoothed": rounded(smoothed), "plain": rounded(plain),
            "gradients": [describe(stream, key, parameter.grad)
                          for stream, (key, parameter) in enumerate(parameters.items())]}


def pretty(case):
    """JSON with one line per field, and per item of a list."""
    lines = []
    for key, value in case.items():
        if isinstance(value, list):
            items = ",\n  ".join(json.dumps(item, separators=(",", ":")) for item in value)
            lines.append(f'"{key}": [\n  {items}]')
        else:
            lines.append(f'"{key}": {json.dumps(value)}')
    return "{" + ",\n ".join(lines) + "}"


def main():
    cases = [pretty(make_case(name, config, *sizes)) for name, (config, sizes) in CASES.items()]
    Path(__file__).with_name("transformer.json").write_text("[" + ",\n\n".join(cases) + "]\n")


if __name__ == "__main__":
    main()
