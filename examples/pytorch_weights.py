#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model that Verbund trained, in plain PyTorch: loads a checkpoint's weights and says how likely it finds given
translations, as `verbund score-pairs` does.

    python3 examples/pytorch_weights.py runs/demo --source test.en --target test.de

Prints for each pair the log-probability of the translation and its tokens, and at last the cross-entropy per token.
Needs torch (1.13 or newer) and sentencepiece. `Transformer` stands for itself: its parameters have the names of the
file, so that load_state_dict() takes them as they are and training can go on from here.

b: sentences, n: tokens of a side, with padding; d: d_model; h: heads; v: vocabulary.
"""
import argparse
import json
import math
import struct
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

PAD, END, START = 0, 1, 2  # the same in every vocabulary


def read_safetensors(path):
    """Name -> tensor. The format: length of the header, header in JSON, bytes of all tensors."""
    content = bytearray(Path(path).read_bytes())
    data = 8 + struct.unpack_from("<Q", content)[0]
    tensors = {}
    for name, about in json.loads(content[8:data]).items():
        if name == "__metadata__":
            continue
        assert about["dtype"] == "F32", f"{path}: {name} is {about['dtype']}, not F32"
        first, end = about["data_offsets"]
        flat = torch.frombuffer(content, dtype=torch.float32, count=(end - first) // 4, offset=data + first)
        tensors[name] = flat.reshape(about["shape"]).clone()
    return tensors


def read_model_config(path):
    """The section `model` of a config.yaml: lines of `key: value`."""
    config, section = {}, None
    for line in Path(path).read_text().splitlines():
        key, _, value = line.partition(":")
        if not line.startswith(" "):
            section = key
        elif section == "model":
            config[key.strip()] = value.strip()
    return config


class Norm(nn.Module):
    def __init__(self, d, epsilon):
        super().__init__()
        self.scale, self.bias, self.epsilon = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d)), epsilon

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.scale, self.bias, self.epsilon)


class Embedding(nn.Module):
    def __init__(self, size, d):
        super().__init__()
        self.embedding = nn.Parameter(torch.empty(size, d))


def position_codes(length, d):
    """[n, d]: sines in the first half, cosines in the second."""
    rates = torch.exp(torch.arange(d // 2, dtype=torch.float64) * (-math.log(1e4) / max(1, d // 2 - 1)))
    angles = torch.arange(length, dtype=torch.float64)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()


class Transformer(nn.Module):
    def __init__(self, config, source_size, target_size):
        super().__init__()
        self.d, self.heads = int(config["d_model"]), int(config["heads"])
        self.pre = config["norm"] == "pre"
        self.sharing = config["share_embeddings"]
        d, hidden, epsilon = self.d, int(config["d_ff"]), float(config["norm_epsilon"])
        bias, ff_bias = config["attention_bias"] == "true", config["ff_bias"] == "true"

        def self_attention():
            return nn.ModuleDict({"norm": Norm(d, epsilon), "qkv": nn.Linear(d, 3 * d, bias=bias),
                                  "out": nn.Linear(d, d, bias=bias)})

        def cross_attention():
            return nn.ModuleDict({"norm": Norm(d, epsilon), "q": nn.Linear(d, d, bias=bias),
                                  "out": nn.Linear(d, d, bias=bias)})

        def feed_forward():
            return nn.ModuleDict({"norm": Norm(d, epsilon), "in": nn.Linear(d, hidden, bias=ff_bias),
                                  "out": nn.Linear(hidden, d, bias=ff_bias)})

        self.encoder_layers, self.decoder_layers = int(config["encoder_layers"]), int(config["decoder_layers"])
        self.source = Embedding(source_size, d)
        if self.sharing != "all":
            self.target = Embedding(target_size, d)
        self.encoder = nn.ModuleDict({str(i): nn.ModuleDict({"self": self_attention(), "ff": feed_forward()})
                                      for i in range(self.encoder_layers)})
        self.decoder = nn.ModuleDict({str(i): nn.ModuleDict({"self": self_attention(), "cross": cross_attention(),
                                                             "ff": feed_forward()})
                                      for i in range(self.decoder_layers)})
        # Keys and values of all layers in one product: rows are [layer, {key, value}, d].
        self.decoder["cross"] = nn.ModuleDict({"kv": nn.Linear(d, self.decoder_layers * 2 * d, bias=bias)})
        if self.pre:
            self.encoder["norm"], self.decoder["norm"] = Norm(d, epsilon), Norm(d, epsilon)
        if self.sharing == "none":
            self.output = nn.Linear(d, target_size, bias=False)

    def embed(self, embedding, ids):
        return embedding[ids] * math.sqrt(self.d) + position_codes(ids.shape[1], self.d)

    def sublayer(self, part, x, function):
        return x + function(part["norm"](x)) if self.pre else part["norm"](x + function(x))

    def attend(self, q, k, v, hidden):
        """`hidden` says which keys a query must not see; [b, 1, n or 1, n]."""
        q, k, v = (x.view(*x.shape[:2], self.heads, -1).transpose(1, 2) for x in (q, k, v))  # [b, h, n, d/h]
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
        return (scores.masked_fill(hidden, -math.inf).softmax(dim=3) @ v).transpose(1, 2).flatten(2)

    def self_attention(self, part, x, hidden):
        return self.sublayer(part, x, lambda y: part["out"](self.attend(*part["qkv"](y).chunk(3, dim=2), hidden)))

    def feed_forward(self, part, x):
        return self.sublayer(part, x, lambda y: part["out"](F.relu(part["in"](y))))

    def forward(self, source, target_input):
        """Both [b, n], padded with PAD; the result, logits of each next token, is [b, n, v]."""
        padding = (source == PAD)[:, None, None, :]
        x = self.embed(self.source.embedding, source)
        for i in range(self.encoder_layers):
            layer = self.encoder[str(i)]
            x = self.feed_forward(layer["ff"], self.self_attention(layer["self"], x, padding))
        encoded = self.encoder["norm"](x) if self.pre else x

        n = target_input.shape[1]
        future = torch.ones(n, n, dtype=torch.bool).triu(1)[None, None]
        keys_and_values = self.decoder["cross"]["kv"](encoded).chunk(2 * self.decoder_layers, dim=2)
        embedding = self.source.embedding if self.sharing == "all" else self.target.embedding
        x = self.embed(embedding, target_input)
        for i in range(self.decoder_layers):
            layer = self.decoder[str(i)]
            k, v = keys_and_values[2 * i:2 * i + 2]
            x = self.self_attention(layer["self"], x, future)
            cross = layer["cross"]
            x = self.sublayer(cross, x, lambda y: cross["out"](self.attend(cross["q"](y), k, v, padding)))
            x = self.feed_forward(layer["ff"], x)
        decoded = self.decoder["norm"](x) if self.pre else x
        return F.linear(decoded, self.output.weight if self.sharing == "none" else embedding)


def load(checkpoint):
    """The model of a checkpoint folder; averaged weights are preferred, as `verbund translate` does."""
    average = checkpoint / "average.safetensors"
    weights = read_safetensors(average if average.exists() else checkpoint / "weights.safetensors")
    source_size = weights["source.embedding"].shape[0]
    target_size = weights["target.embedding"].shape[0] if "target.embedding" in weights else source_size
    model = Transformer(read_model_config(checkpoint / "config.yaml"), source_size, target_size)
    model.load_state_dict(weights)  # refuses a name or shape that is missing or too many
    return model.eval()


def padded(sentences):
    longest = max(map(len, sentences))
    return torch.tensor([sentence + [PAD] * (longest - len(sentence)) for sentence in sentences])


@torch.no_grad()
def log_probabilities(model, sources, targets):
    """Of token ids without START and END: the sum over each target's tokens and END."""
    outputs = padded([ids + [END] for ids in targets])
    logits = model(padded([ids + [END] for ids in sources]), padded([[START] + ids for ids in targets]))
    losses = F.cross_entropy(logits.transpose(1, 2), outputs, reduction="none", ignore_index=PAD)
    return (-losses.double().sum(dim=1)).tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("run", type=Path, help="the run's folder")
    parser.add_argument("--checkpoint", default="last", help="its name in the run's folder checkpoints; default: last")
    parser.add_argument("--source", type=Path, required=True, help="sentences, one a line")
    parser.add_argument("--target", type=Path, required=True, help="their translations")
    parser.add_argument("--source-vocabulary", type=Path, help="subword model; default: source.model in the run")
    parser.add_argument("--target-vocabulary", type=Path, help="subword model; default: target.model in the run")
    parser.add_argument("--batch", type=int, default=32, help="sentences at a time")
    options = parser.parse_args()

    import sentencepiece
    pieces = [sentencepiece.SentencePieceProcessor(model_file=str(path)) for path in
              (options.source_vocabulary or options.run / "source.model",
               options.target_vocabulary or options.run / "target.model")]
    sides = [vocabulary.encode(path.read_text(encoding="utf-8").rstrip("\n").split("\n"))
             for vocabulary, path in zip(pieces, (options.source, options.target))]
    if len(sides[0]) != len(sides[1]):
        sys.exit(f"{options.source} has {len(sides[0])} lines but {options.target} has {len(sides[1])}")
    model = load(options.run / "checkpoints" / options.checkpoint)

    total, tokens = 0, 0
    for first in range(0, len(sides[0]), options.batch):
        sources, targets = (side[first:first + options.batch] for side in sides)
        for log_probability, target in zip(log_probabilities(model, sources, targets), targets):
            print(f"{log_probability:.6f}\t{len(target) + 1}")
            total, tokens = total + log_probability, tokens + len(target) + 1
    print(f"cross-entropy {-total / tokens:.6f} per token, of {tokens} tokens", file=sys.stderr)


if __name__ == "__main__":
    main()
