#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Files of Python's safetensors in amp, and the reverse:

    exchange.py PROGRAM

Python writes files with NumPy and with torch, whichever there is; PROGRAM (exchange.cpp) reads
them, prints what it read, and writes files of it, which Python reads. Everywhere are the same bits.
Exits with 77 if Python has no safetensors, or neither torch nor NumPy with ml_dtypes.
"""

import pathlib
import random
import struct
import subprocess
import sys
import tempfile

try:
    import safetensors
except ImportError:
    print("skipped: python3 has no safetensors")
    sys.exit(77)

# By amp's names: the format's name, and the bytes of an element.
DTYPES = {
    "float64": ("F64", 8),
    "float32": ("F32", 4),
    "float16": ("F16", 2),
    "bfloat16": ("BF16", 2),
    "float8_e4m3fn": ("F8_E4M3", 1),
    "float8_e5m2": ("F8_E5M2", 1),
    "int64": ("I64", 8),
    "int32": ("I32", 4),
    "uint8": ("U8", 1),
    "bool": ("BOOL", 1),
}
FOREIGN = {"int8": "I8", "int16": "I16", "complex64": "C64"}
SHAPES = [(), (0,), (3,), (2, 0, 3), (2, 3), (1, 2, 1, 2, 1, 2, 1, 2)]
NAMES = ["", "größe", "日本語", "🙂", 'a "quoted"\\\n\t\x01 name', "\u2028", "{}[]:,", "x" * 3000]
METADATA = {name: name[::-1] for name in NAMES} | {"__metadata__": "1", "format": "pt"}


def codes(dtype, count):
    """The bytes of `count` elements: all codes of small dtypes, hard and random ones of others."""
    size = DTYPES[dtype][1]
    hard = {4: (0x7F800001, 0xFFC12345, 0x80000000, 0x00000001, 0x7F7FFFFF, 0xFF800000)}
    hard[8] = [0x7FF0000000000001, 0xFFF8DEADBEEF0001, 1 << 63, 1, (1 << 64) - 1]
    drawn = random.Random(f"{dtype} {count}")
    every = count == 1 << 8 * size
    numbers = [i if every else drawn.getrandbits(8 * size) for i in range(count)]
    numbers[: len(hard.get(size, ()))] = hard.get(size, ())[:count]
    if dtype == "bool":
        numbers = [n & 1 for n in numbers]
    return b"".join(n.to_bytes(size, "little") for n in numbers)


def contents():
    """name -> (dtype, shape, bytes)"""
    tensors = {}
    for dtype, (_, size) in DTYPES.items():
        for shape in SHAPES + [(1 << 8 * min(size, 2),)]:
            count = 1
            for extent in shape:
                count *= extent
            tensors[f"{dtype} {shape}"] = (dtype, shape, codes(dtype, count))
    for i, name in enumerate(NAMES):
        tensors[name] = ("uint8", (1,), bytes([i]))
    return tensors


class Torch:
    def __init__(self):
        import torch
        from safetensors.torch import save_file

        self.torch, self.save_file = torch, save_file

    def make(self, dtype, shape, data):
        kind = getattr(self.torch, dtype)
        if not data:
            return self.torch.empty(shape, dtype=kind)
        return self.torch.frombuffer(bytearray(data), dtype=kind).reshape(shape)

    def foreign(self, dtype):
        return self.torch.ones(3, dtype=getattr(self.torch, dtype))

    def load(self, path):
        loaded = {}
        with safetensors.safe_open(path, "pt") as file:
            for name in file.keys():
                tensor = file.get_tensor(name)
                data = tensor.contiguous().reshape(-1).view(self.torch.uint8).numpy().tobytes()
                loaded[name] = (str(tensor.dtype).split(".")[1], tuple(tensor.shape), data)
            return loaded, file.metadata()


class NumPy:
    def __init__(self):
        import ml_dtypes
        import numpy
        from safetensors.numpy import save_file

        self.numpy, self.ml_dtypes, self.save_file = numpy, ml_dtypes, save_file

    def make(self, dtype, shape, data):
        kind = getattr(self.ml_dtypes, dtype, None) or self.numpy.dtype(dtype)
        return self.numpy.frombuffer(data, dtype=kind).reshape(shape)

    def foreign(self, dtype):
        return self.numpy.ones(3, dtype=dtype)

    def load(self, path):
        """Not as arrays: the reference does not make NumPy arrays of all dtypes that it writes."""
        names = {in_file: dtype for dtype, (in_file, _) in DTYPES.items()}
        loaded = {}
        for name, entry in safetensors.deserialize(pathlib.Path(path).read_bytes()):
            loaded[name] = (names[entry["dtype"]], tuple(entry["shape"]), bytes(entry["data"]))
        with safetensors.safe_open(path, "numpy") as file:
            return loaded, file.metadata()


def parse(printed):
    tensors, notes, unsupported = {}, {}, {}

    def unhex(word):
        assert word[0] == "x"
        return bytes.fromhex(word[1:])

    for line in printed.splitlines():
        kind, name, *rest = line.split(" ")
        name = unhex(name).decode()
        if kind == "tensor":
            shape = tuple(int(n) for n in rest[1][1:-1].split(",") if n)
            tensors[name] = (rest[0], shape, unhex(rest[2]))
        elif kind == "note":
            notes[name] = unhex(rest[0]).decode()
        else:
            unsupported[name] = rest[0]
    return tensors, notes, unsupported


def check(what, found, expected):
    """Ends the program, naming what differs."""
    for name in found.keys() | expected.keys():
        if found.get(name) != expected.get(name):
            values = f"{found.get(name)!s:.200}, expected {expected.get(name)!s:.200}"
            sys.exit(f"{what}: {name[:40]!r}: {values}")


def shift(path):
    """Puts the data at an odd offset, as no writer but only the format does it."""
    file = path.read_bytes()
    (length,) = struct.unpack("<Q", file[:8])
    header, data = file[8 : 8 + length] + b" ", file[8 + length :]
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)


def exchange(library, program, folder):
    tensors = contents()
    theirs, ours = folder / "theirs", folder / "ours"
    arrays = {name: library.make(*tensor) for name, tensor in tensors.items()}
    others = {f"other {dtype}": library.foreign(dtype) for dtype in FOREIGN}
    for how in ("read", "map"):
        for shifted in (False, True):
            library.save_file(arrays | others, theirs, metadata=METADATA)
            if shifted:
                shift(theirs)
            command = [program, theirs, ours, how]
            printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()
            read, notes, unsupported = parse(printed)
            check(f"amp, {how}", read, tensors)
            check(f"amp, {how}, metadata", notes, METADATA)
            check(f"amp, {how}", unsupported, {f"other {d}": t for d, t in FOREIGN.items()})
            loaded, notes = library.load(ours)
            check("Python", loaded, tensors)
            check("Python, metadata", notes, METADATA)
    return len(tensors)


def main():
    done = 0
    for library in (Torch, NumPy):
        try:
            found = library()
        except ImportError as missing:
            print(f"without {library.__name__}: {missing}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            count = exchange(found, sys.argv[1], pathlib.Path(folder))
        print(f"{library.__name__}: {count} tensors of safetensors {safetensors.__version__}")
        done += 1
    if done == 0:
        print("skipped: python3 has neither torch nor NumPy with ml_dtypes")
        sys.exit(77)


if __name__ == "__main__":
    main()
