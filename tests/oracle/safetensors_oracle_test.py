# SPDX-License-Identifier: Apache-2.0
"""Verbund's safetensors files against Python's safetensors package, in both directions.

Files made by Python are read by Verbund, written again, and read by Python. What Python
refuses, Verbund must refuse. Verbund's part runs in the unit tests' program.

Skipped (exit code 77) where the modules safetensors and numpy are not installed.
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy
    from safetensors import SafetensorError, deserialize, safe_open
    from safetensors.numpy import load, load_file, save_file
except ImportError as error:
    print(f"skipped: {error}; install safetensors and numpy to run this test")
    sys.exit(77)

TEST_PROGRAM = Path(os.environ["VERBUND"]).parent / "compute_test"
NUMPY_TYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
               "uint64", "bool"]
SIZES = {"BOOL": 1, "U8": 1, "I8": 1, "F8_E5M2": 1, "F8_E4M3": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2,
         "I32": 4, "U32": 4, "F32": 4, "F64": 8, "I64": 8, "U64": 8}
PIECES = [*"abcXYZ019._-/ :\"\\{}[],", "weight", "layers.", "ä", "ß", "漢", "😀", "\n", "\t", "\u0001", "\u2028"]


def file_of(header, data, spaces=0):
    text = json.dumps(header).encode() + b" " * spaces
    return struct.pack("<Q", len(text)) + text + data


def python_accepts(content):
    try:
        deserialize(content)
        return True
    except (SafetensorError, OverflowError):
        return False


class SafetensorsCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "in").mkdir()
        (self.folder / "out").mkdir()
        self.random = random.Random(20240229)

    def rewrite(self):
        """Verbund reads every file in `in` and writes it to `out`, or NAME.refused with its reason."""
        environment = {**os.environ, "VERBUND_SAFETENSORS_EXCHANGE": str(self.folder)}
        done = subprocess.run([TEST_PROGRAM, "--gtest_filter=SafetensorsExchange.*"], env=environment,
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("[  PASSED  ] 1 test", done.stdout)

    def text(self):
        return "".join(self.random.choices(PIECES, k=self.random.randrange(1, 12)))

    def metadata(self):
        return {self.text(): self.text() for _ in range(self.random.randrange(4))} or None

    def shape(self):
        return tuple(self.random.choices([0, 1, 2, 3, 5, 8], [1, 4, 4, 4, 2, 2], k=self.random.randrange(5)))


class BothDirections(SafetensorsCase):
    def test_numpy_arrays(self):
        made = {}
        for number in range(200):
            tensors = {}
            for _ in range(self.random.randrange(8)):
                kind = self.random.choice(NUMPY_TYPES)
                shape = self.shape()
                size = int(numpy.prod(shape)) * numpy.dtype(kind).itemsize
                content = bytes(size) if kind == "bool" else self.random.randbytes(size)
                tensors[self.text()] = numpy.frombuffer(content, kind).reshape(shape)
            name = f"{number}.safetensors"
            metadata = self.metadata()
            save_file(tensors, self.folder / "in" / name, metadata)
            made[name] = tensors, metadata
        self.rewrite()
        for name, (tensors, metadata) in made.items():
            path = self.folder / "out" / name
            with safe_open(path, framework="numpy") as file:
                self.assertEqual(file.metadata(), metadata)
            found = load_file(path)
            self.assertEqual(found.keys(), tensors.keys())
            for key, tensor in tensors.items():
                self.assertEqual((found[key].dtype, found[key].shape), (tensor.dtype, tensor.shape))
                self.assertEqual(found[key].tobytes(), tensor.tobytes())

    def test_every_dtype(self):
        offset, header = 0, {"__metadata__": {"format": "pt"}}
        for name, size in SIZES.items():
            header[name] = {"dtype": name, "shape": [3, 2], "data_offsets": [offset, offset + 6 * size]}
            offset += 6 * size
        original = file_of(header, self.random.randbytes(offset))
        (self.folder / "in" / "all").write_bytes(original)
        self.rewrite()
        self.assertFalse((self.folder / "out" / "all.refused").exists())
        found = dict(deserialize((self.folder / "out" / "all").read_bytes()))
        expected = dict(deserialize(original))
        self.assertEqual(len(expected), len(SIZES))
        for name, tensor in expected.items():
            for part in ["dtype", "shape", "data"]:
                self.assertEqual(found[name][part], tensor[part], name)

    def test_the_data_is_aligned(self):
        save_file({"a": numpy.arange(7, dtype="float32")}, self.folder / "in" / "a")
        self.rewrite()
        content = (self.folder / "out" / "a").read_bytes()
        self.assertEqual((8 + struct.unpack("<Q", content[:8])[0]) % 64, 0)
        self.assertEqual(load(content)["a"].tolist(), list(range(7)))


class WhatPythonRefuses(SafetensorsCase):
    def damage(self, header, data):
        """Changes one thing that a header says, or the bytes of the file."""
        change = self.random.randrange(6)
        if change < 3:
            tensor = header[self.random.choice([name for name in header if name != "__metadata__"])]
            number = self.random.choice([0, 1, 2, 3, 4, 7, 2**31, 2**32, 2**62, 2**63, 2**64 - 1, 2**64, -1, 1.0, "1"])
            key = self.random.choice(["shape", "data_offsets", "dtype"])
            if key == "dtype":
                tensor[key] = self.random.choice([*SIZES, "F31", "", 3, None])
            elif tensor[key]:
                tensor[key][self.random.randrange(len(tensor[key]))] = number
        elif change == 3:
            data = data[:self.random.randrange(len(data) + 1)] + bytes(self.random.randrange(3))
        content = bytearray(file_of(header, data, self.random.randrange(9)))
        if change == 4:
            del content[self.random.randrange(len(content)):]
        if change == 5:
            for _ in range(self.random.randrange(1, 4)):
                content[self.random.randrange(len(content) - len(data))] = self.random.choice(b'0129"{}[],:. \x00\xff')
        return bytes(content)

    def test_damaged_files(self):
        accepted = {}
        for number in range(3000):
            offset, header, data = 0, {"__metadata__": {"k": "v"}}, b""
            for name in "abc"[:self.random.randrange(1, 4)]:
                dtype = self.random.choice(list(SIZES))
                shape = [self.random.choice([0, 1, 2, 3]) for _ in range(self.random.randrange(4))]
                size = SIZES[dtype] * int(numpy.prod(shape))
                header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + size]}
                data += self.random.randbytes(size)
                offset += size
            content = self.damage(header, data)
            (self.folder / "in" / str(number)).write_bytes(content)
            accepted[number] = python_accepts(content)
        self.rewrite()
        both = {(ours, theirs): 0 for ours in (False, True) for theirs in (False, True)}
        for number, theirs in accepted.items():
            ours = (self.folder / "out" / str(number)).exists()
            both[ours, theirs] += 1
            content = (self.folder / "in" / str(number)).read_bytes()
            self.assertFalse(ours and not theirs, f"Python refuses, Verbund accepts {content!r}")
            if theirs and not ours:
                reason = (self.folder / "out" / f"{number}.refused").read_text()
                # Where Verbund is stricter: keys that stand twice, empty tensors with huge sides.
                self.assertRegex(reason, "twice|whole number|64 bits", content)
        print(f"accepted by both: {both[True, True]}, refused by both: {both[False, False]}, "
              f"refused by Verbund alone: {both[False, True]}", file=sys.stderr)
        self.assertGreater(both[True, True], 100)
        self.assertGreater(both[False, False], 1000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
