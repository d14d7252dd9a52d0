#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Writes small files with the reference implementation of safetensors, and stores them in safetensors.txt.

    python3 make_safetensors.py

The tensors of the file are stored as well. One more file contains the bytes that amp must write for
the same tensors; it is built here, and the reference must read it as those tensors.
"""

import json
import struct
import tempfile

import blocks
import ml_dtypes
import numpy as np
import safetensors
from safetensors import deserialize, safe_open
from safetensors.numpy import save

INF = float("inf")
# By amp's names. All values are exact in their dtype, and as doubles.
EVERY_DTYPE = {
    "wide": ("float64", np.float64, [2, 2], [0.1, -INF, 5e-324, -0.0]),
    "model.layer.0.weight": ("float32", np.float32, [2, 3], [1.5, -2, INF, 2.0**-149, -0.0, 1e10]),
    "half": ("float16", np.float16, [3], [65504, -(2.0**-24), INF]),
    "brain": ("bfloat16", ml_dtypes.bfloat16, [1, 2], [-1.0078125, 2.0**127]),
    "e4m3": ("float8_e4m3fn", ml_dtypes.float8_e4m3fn, [3], [448, -(2.0**-9), 1.125]),
    "e5m2": ("float8_e5m2", ml_dtypes.float8_e5m2, [3, 1], [57344, -(2.0**-16), INF]),
    "long": ("int64", np.int64, [2], [-(2**63), 2**62]),
    "int": ("int32", np.int32, [2], [-(2**31), 2**31 - 1]),
    "byte": ("uint8", np.uint8, [5], [0, 1, 2, 128, 255]),
    "flags": ("bool", np.bool_, [3], [1, 0, 1]),
    "scalar": ("float32", np.float32, [], [-3]),
    "nothing": ("float16", np.float16, [2, 0, 3], []),
    "größe \"q\"\n日本 \\ 🙂": ("uint8", np.uint8, [1], [7]),
}
FORMAT_TYPES = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "int64": "I64",
    "int32": "I32",
    "uint8": "U8",
    "bool": "BOOL",
}
METADATA = {"format": "pt", "": "empty key", "größe": "a\n\"b\"\\🙂", "empty": ""}


def header(file):
    return json.loads(file[8 : 8 + struct.unpack("<Q", file[:8])[0]])


def written_by_reference(arrays):
    """The order of metadata, which the reference shuffles, is that of METADATA."""
    while True:
        file = save(arrays, METADATA)
        if list(header(file)["__metadata__"]) == list(METADATA):
            return file


def written_by_amp(arrays):
    """Larger elements first, then in the order of `arrays`; the header by name, as UTF-8 sorts."""
    entries, data = {}, b""
    for name, array in sorted(arrays.items(), key=lambda item: -item[1].itemsize):
        end = len(data) + array.nbytes
        dtype = FORMAT_TYPES[EVERY_DTYPE[name][0]]
        entries[name] = {"data_offsets": [len(data), end], "dtype": dtype}
        entries[name]["shape"] = list(array.shape)
        data += array.tobytes()

    def sort(items):
        return dict(sorted(items.items(), key=lambda item: item[0].encode()))

    entries = {"__metadata__": sort(METADATA)} | sort(entries)
    words = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    words = words.replace("\\n", "\\u000a").encode()
    words += b" " * (-len(words) % 8)
    return struct.pack("<Q", len(words)) + words + data


def check_read(file, arrays):
    """Checks that the reference reads `file` as `arrays` and METADATA, bit for bit."""
    loaded = dict(deserialize(file))
    assert loaded.keys() == arrays.keys()
    for name, array in arrays.items():
        assert loaded[name]["dtype"] == FORMAT_TYPES[EVERY_DTYPE[name][0]], name
        assert loaded[name]["shape"] == list(array.shape), name
        assert bytes(loaded[name]["data"]) == array.tobytes(), name
    with tempfile.NamedTemporaryFile() as path:
        path.write(file)
        path.flush()
        with safe_open(path.name, "numpy") as opened:
            assert opened.metadata() == METADATA


def quoted(value):
    return json.dumps(value, ensure_ascii=False)


def tensor(name, array):
    dtype, _, shape, values = EVERY_DTYPE[name]
    assert [float(x) for x in array.ravel()] == [float(x) for x in values], name
    shape = " ".join(map(str, shape))
    return quoted(name), [(f"dtype {dtype}", []), (f"values [{shape}]", values)]


def file(title, data, *lines):
    return title, [*lines, *blocks.codes("bytes", data, 2)]


ABOUT = """\
Tensors, whose names, in JSON, are the titles of their blocks; files that the reference
implementation of safetensors wrote, the first of these tensors and the metadata beside it; and the
bytes that amp must write for the same, which the reference reads as that."""

if __name__ == "__main__":
    arrays = {
        name: np.array(values, dtype=numpy_type).reshape(shape)
        for name, (_, numpy_type, shape, values) in EVERY_DTYPE.items()
    }
    of_amp = written_by_amp(arrays)
    check_read(of_amp, arrays)
    foreign = {"short": np.array([1, 2], dtype=np.int16)}
    metadata = (f"metadata {quoted(METADATA)}", [])
    blocks.write(
        __file__,
        ABOUT,
        f"safetensors {safetensors.__version__}, NumPy {np.__version__}, "
        f"ml_dtypes {ml_dtypes.__version__}",
        [
            *(tensor(*item) for item in arrays.items()),
            file("written by the reference", written_by_reference(arrays), metadata),
            file("written by amp", of_amp),
            file("no tensors", save({})),
            file("a dtype that amp does not have", save(foreign)),
        ],
    )
