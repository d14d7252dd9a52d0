#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Writes formats.txt: the values of the codes of the formats, from PyTorch, ml_dtypes and NumPy.

    python3 make_formats.py

The libraries must agree on all values, or the script fails. They differ in the sign and payload of
NaNs, so no NaN is encoded, and a decoded NaN counts as 0x7fc00000; and in what becomes of values
beyond the range of float8_e4m3fn, so both results are stored. Long tables are stored as checksums;
formats_golden_test.cpp computes the same from the library.
"""

import blocks
import ml_dtypes
import numpy as np
import torch

# torch's dtype, NumPy's or ml_dtypes's, the bits of a code.
FORMATS = [
    (torch.float16, np.float16, np.uint16),
    (torch.bfloat16, ml_dtypes.bfloat16, np.uint16),
    (torch.float8_e4m3fn, ml_dtypes.float8_e4m3fn, np.uint8),
    (torch.float8_e5m2, ml_dtypes.float8_e5m2, np.uint8),
]
# All patterns of the upper 20 bits of a float.
UPPER = np.arange(1 << 20, dtype=np.uint32) << 12
# The lower 12 bits of the floats that are encoded, beside all patterns of the upper 20: every value
# and, for normal codes, every tie of every format is among the first, and its neighbours are among
# the others.
LOW = [0x000, 0x001, 0xFFF]
CODES_PER_SUM = 1024


def checksum(numbers):
    """Returns the sum of (number + 1) * odd(i) modulo 2^64. It changes if any one number changes."""
    i = np.arange(numbers.size, dtype=np.uint64)
    odd = (i * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)
    with np.errstate(over="ignore"):
        return int(((numbers.astype(np.uint64) + np.uint64(1)) * odd).sum(dtype=np.uint64))


def agreed(by_torch, by_numpy, what):
    assert np.array_equal(by_torch, by_numpy), what
    return by_numpy


def decode(torch_type, numpy_type, bits_type):
    """Returns the float of every code, as bits."""
    codes = np.arange(1 << 8 * np.dtype(bits_type).itemsize, dtype=np.uint32).astype(bits_type)
    signed = codes.view(np.int16 if codes.itemsize == 2 else np.uint8)
    by_torch = torch.from_numpy(signed).view(torch_type).float().numpy()
    by_numpy = codes.view(numpy_type).astype(np.float32)

    def bits(values):
        return np.where(np.isnan(values), np.uint32(0x7FC00000), values.view(np.uint32))

    return agreed(bits(by_torch), bits(by_numpy), f"decoding {numpy_type}")


def encode(values, torch_type, numpy_type, bits_type):
    """Returns the codes, and where values overflow to NaN, those of PyTorch, which saturates."""
    signed = torch.int16 if bits_type is np.uint16 else torch.uint8
    by_torch = torch.from_numpy(values).to(torch_type).view(signed).numpy().view(bits_type)
    with np.errstate(over="ignore"):
        by_numpy = values.astype(numpy_type)
    in_range = ~np.isnan(by_numpy)
    by_numpy = by_numpy.view(bits_type)
    agreed(by_torch[in_range], by_numpy[in_range], f"encoding {numpy_type}")
    return by_numpy, None if in_range.all() else by_torch


def limits(torch_type, numpy_type):
    ours = ml_dtypes.finfo(numpy_type)
    theirs = torch.finfo(torch_type)
    found = [float(x) for x in (ours.max, ours.smallest_normal, ours.smallest_subnormal, ours.eps)]
    assert found[:2] + found[3:] == [theirs.max, theirs.smallest_normal, theirs.eps]
    return list(zip(("max", "min", "denorm_min", "epsilon"), ([x] for x in found)))


def format_block(torch_type, numpy_type, bits_type):
    lines = limits(torch_type, numpy_type)
    codes, saturated = [], []
    for low in LOW:
        values = (UPPER | np.uint32(low)).view(np.float32)
        values = values[~np.isnan(values)]
        plain, of_torch = encode(values, torch_type, numpy_type, bits_type)
        codes.append(checksum(plain))
        if of_torch is not None:
            saturated.append(checksum(of_torch))
    lines += blocks.codes("codes", codes, 16) + blocks.codes("saturated", saturated, 16)
    table = decode(torch_type, numpy_type, bits_type)
    if bits_type is np.uint8:
        lines += blocks.codes("floats", table, 8)
    else:
        sums = [checksum(part) for part in table.reshape(-1, CODES_PER_SUM)]
        lines += blocks.codes("sums", sums, 16)
    return str(torch_type).removeprefix("torch."), lines


def half_of_double():
    """NumPy rounds double to half once; torch and ml_dtypes go through float, which is twice."""
    values = UPPER.view(np.float32)
    values = values[np.isfinite(values) & (values != 0)].astype(np.float64)
    sums = []
    for step in (-1, 0, 1):
        moved = (values.view(np.int64) + step).view(np.float64)
        with np.errstate(over="ignore", under="ignore"):
            sums.append(checksum(moved.astype(np.float16).view(np.uint16)))
    return "float16 of float64", blocks.codes("codes", sums, 16)


ABOUT = f"""\
What the codes of the formats mean. PyTorch and ml_dtypes (for float16, NumPy) agree on all of it,
but for values beyond the range of float8_e4m3fn: they are NaN in ml_dtypes (codes), the largest
finite value in PyTorch (saturated).
A checksum is the sum of (number[i] + 1) * (i * 0x9e3779b97f4a7c15 | 1) modulo 2^64.
Inputs: the lower 12 bits of the floats that are encoded; the upper 20 are all there are, ascending,
less the NaNs. Formats: limits; checksums of the codes of those floats; the float of every code, as
bits, of which NaNs are 7fc00000 (floats), or checksums of those of {CODES_PER_SUM} codes each (sums).
float16 of float64: checksums of the codes of the doubles one below, at and one above the finite
floats, but zeros, whose lower 12 bits are 0, by NumPy."""

if __name__ == "__main__":
    torch_version = torch.__version__.split("+")[0]
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch_version}, ml_dtypes {ml_dtypes.__version__}, NumPy {np.__version__}",
        [
            ("inputs", blocks.codes("low_bits", LOW, 3)),
            *(format_block(*types) for types in FORMATS),
            half_of_double(),
        ],
    )
