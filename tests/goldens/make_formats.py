#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Writes formats.hpp: the values of the codes of the formats, from PyTorch, ml_dtypes and NumPy.

    python3 make_formats.py

The libraries must agree on all values, or the script fails. They differ only in the sign and payload
of NaNs, so no NaN is encoded, and a decoded NaN counts as 0x7fc00000. Long tables are stored as
checksums; formats_golden_test.cpp computes the same from the library.
"""

import pathlib
import platform

import ml_dtypes
import numpy as np
import torch

# Name, torch's dtype, NumPy's or ml_dtypes's, the bits of a code.
FORMATS = [
    ("half", torch.float16, np.float16, np.uint16),
    ("bfloat16", torch.bfloat16, ml_dtypes.bfloat16, np.uint16),
    ("float8_e4m3fn", torch.float8_e4m3fn, ml_dtypes.float8_e4m3fn, np.uint8),
    ("float8_e5m2", torch.float8_e5m2, ml_dtypes.float8_e5m2, np.uint8),
]
# The lower 12 bits of the floats that are encoded, beside all patterns of the upper 20: every value
# and, for normal codes, every tie of every format is among the first, and its neighbours are among
# the others.
LOW = [0x000, 0x001, 0xFFF]
DECODE_BLOCK = 1024


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
    by_torch = torch.from_numpy(values).to(torch_type)
    by_torch = by_torch.view(torch.int16 if bits_type is np.uint16 else torch.uint8).numpy()
    with np.errstate(over="ignore"):
        by_numpy = values.astype(numpy_type).view(bits_type)
    return agreed(by_torch.view(bits_type), by_numpy, f"encoding {numpy_type}")


def limits(torch_type, numpy_type):
    """max, min (the smallest normal), denorm_min, epsilon."""
    ours = ml_dtypes.finfo(numpy_type)
    theirs = torch.finfo(torch_type)
    found = [float(x) for x in (ours.max, ours.smallest_normal, ours.smallest_subnormal, ours.eps)]
    assert found[:2] + found[3:] == [theirs.max, theirs.smallest_normal, theirs.eps]
    return found


def rows(numbers, digits, per_line):
    text = [f"0x{int(x):0{digits}x}u" for x in numbers]
    lines = [", ".join(text[i : i + per_line]) for i in range(0, len(text), per_line)]
    return "    " + ",\n    ".join(lines) + ","


def main():
    upper = np.arange(1 << 20, dtype=np.uint32) << 12
    out = []
    for name, torch_type, numpy_type, bits_type in FORMATS:
        table = decode(torch_type, numpy_type, bits_type)
        out.append(f"inline constexpr FormatGolden k_{name}{{")
        numbers = [float(x).hex() for x in limits(torch_type, numpy_type)]
        out.append("    " + ", ".join(numbers) + ",")
        out.append("    {")
        sums = []
        for low in LOW:
            values = (upper | np.uint32(low)).view(np.float32)
            values = values[~np.isnan(values)]
            sums.append(checksum(encode(values, torch_type, numpy_type, bits_type)))
        out.append(rows(sums, 16, 4).replace("    0x", "        0x"))
        out.append("    },")
        out.append("};\n")
        if bits_type is np.uint8:
            out.append(f"/// The float of every code of {name}, as bits.")
            out.append(f"inline constexpr std::uint32_t k_{name}_floats[256] = {{")
            out.append(rows(table, 8, 7))
        else:
            blocks = [checksum(block) for block in table.reshape(-1, DECODE_BLOCK)]
            out.append(f"/// Checksums of the floats of {name}, {DECODE_BLOCK} codes each.")
            out.append(f"inline constexpr std::uint64_t k_{name}_floats[{len(blocks)}] = {{")
            out.append(rows(blocks, 16, 4))
        out.append("};\n")

    # NumPy rounds double to half once; torch and ml_dtypes go through float, which is twice.
    values = upper.view(np.float32)
    values = values[np.isfinite(values) & (values != 0)].astype(np.float64)
    sums = []
    for step in (-1, 0, 1):
        moved = (values.view(np.int64) + step).view(np.float64)
        with np.errstate(over="ignore", under="ignore"):
            sums.append(checksum(moved.astype(np.float16).view(np.uint16)))
    out.append("/// Checksums of the halves of the doubles one below, at and one above the finite floats, but")
    out.append("/// zeros, whose lower 12 bits are 0, by NumPy.")
    out.append("inline constexpr std::uint64_t k_half_of_double[3] = {")
    out.append(rows(sums, 16, 4))
    out.append("};\n")

    header = f"""// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT

/// @file
/// Generated by tests/goldens/make_formats.py; do not edit. What the codes of the formats mean.
///
/// Command: python3 make_formats.py. PyTorch {torch.__version__.split("+")[0]}, ml_dtypes {ml_dtypes.__version__}, NumPy {np.__version__}, Python {platform.python_version()}; PyTorch and
/// ml_dtypes (for half, NumPy) agree on all of it. NaNs count as 0x7fc00000. A checksum is the sum
/// of (number[i] + 1) * (i * 0x9e3779b97f4a7c15 | 1) modulo 2^64.
#pragma once

#include <cstdint>

namespace goldens {{

/// The lower 12 bits of the floats that are encoded; the upper 20 are all there are, ascending, less
/// the NaNs.
inline constexpr std::uint32_t k_low_bits[{len(LOW)}] = {{
{rows(LOW, 3, 8)}
}};

struct FormatGolden {{
  double max, min, denorm_min, epsilon;
  /// Checksums of the codes of the floats with each of k_low_bits.
  std::uint64_t codes[{len(LOW)}];
}};

"""
    path = pathlib.Path(__file__).with_name("formats.hpp")
    path.write_text(header + "\n".join(out) + "\n}  // namespace goldens\n")


main()
