#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Prints tensors with PyTorch; writes print.txt beside itself.

    python3 make_print.py

The text differs from PyTorch's on the CPU in two points, which are changed before lines are wrapped,
so that they are wrapped at the same columns as amp's: dtypes are named without `torch.`, and some
tensors are marked as being on a CUDA device. Every number in a case is exact in its dtype, so that
C++ makes the same tensor without rounding.
"""

import math

import blocks
import torch
from torch import _tensor_str

F64, F32, F16, BF16 = torch.float64, torch.float32, torch.float16, torch.bfloat16
E4M3 = torch.float8_e4m3fn
I64, I32, U8, BOOL = torch.int64, torch.int32, torch.uint8, torch.bool
INF, NAN = math.inf, math.nan

cases = []
wrap_suffixes = _tensor_str._add_suffixes


def text_of(tensor, cuda):
    def add_suffixes(text, suffixes, *rest, **options):
        suffixes = [suffix.replace("torch.", "") for suffix in suffixes]
        suffixes = ["device='cuda:0'"] * cuda + suffixes
        return wrap_suffixes(text, suffixes, *rest, **options)

    _tensor_str._add_suffixes = add_suffixes
    try:
        return str(tensor)
    finally:
        _tensor_str._add_suffixes = wrap_suffixes


def add(name, tensor, sequence, grad, cuda):
    tensor.requires_grad_(grad)
    assert name not in [c["name"] for c in cases], name
    cases.append(
        {
            "name": name,
            "tensor": tensor,
            "sequence": sequence,
            "requires_grad": grad,
            "on_cuda": cuda,
            "text": text_of(tensor, cuda),
        }
    )
    return cases[-1]["text"]


def case(name, dtype, values, shape=None, grad=False, cuda=False):
    """Adds a tensor of listed values; without `shape`, it is a vector."""
    tensor = torch.tensor(values, dtype=F64 if dtype == E4M3 else dtype).to(dtype)
    return add(name, tensor if shape is None else tensor.reshape(shape), None, grad, cuda)


def sequence(
    name, dtype, shape, first=0, step=1, factor=1, modulus=1 << 20, grad=False, cuda=False
):
    """Element i is first + step * (factor * i mod modulus)."""
    count = torch.Size(shape).numel()
    exact = [first + step * (factor * i % modulus) for i in range(count)]
    tensor = torch.tensor(exact, dtype=F64).to(dtype)
    assert tensor.double().tolist() == exact
    return add(name, tensor.reshape(shape), (first, step, factor, modulus), grad, cuda)


def numbers():
    case("number that requires grad", F32, -1.25, grad=True)
    case("number, NaN", F32, NAN)
    case("number, bool", BOOL, True)


def notations():
    case("integers with zeros of both signs, infinities and NaN", F32, [0.0, -0.0, 12, INF, -INF, NAN])
    case("no finite number but zeros", F32, [NAN, INF, -INF, 0.0, -0.0])
    case("fractions, rounded to even", F32, [0.03125, 0.09375, 0.15625, -0.21875, -0.0, NAN, 0])
    case("integers more than 1000 times apart", F32, [1, -1001, 0])
    case("fractions 1000 times apart", F32, [0.5, 500])
    case("fractions more than 1000 times apart", F32, [0.5, 500.5])
    case("integer above 1e8", F32, [1e8 + 8])
    case("fraction below 1e8", F64, [1e8 - 0.5])
    case("fraction of 1e-4 in float32, which is less", F32, [1e-4])
    case("scientific, as far apart as it gets", F64, [5e-324, -1.7976931348623157e308, INF])


def dtypes():
    case("float16, 2 x 2", F16, [[1, 2.5], [3, 4]], grad=True)
    case("float8_e4m3fn", E4M3, [448, -0.5, 0.001953125, NAN])
    case("int32, its ends", I32, [-(1 << 31), (1 << 31) - 1])


def lines():
    # 72 columns of a matrix' rows hold 24 digits.
    sequence("rows of 24 digits", I64, (2, 24), modulus=10)
    sequence("rows of 25 digits", I64, (2, 25), modulus=10)
    sequence("lines of fractions", F32, (3, 17), first=-4, step=0.125, factor=37, modulus=101)
    case("lines with NaN wider than the columns", F32, [1, NAN, INF, -INF] * 9)
    assert "\n" not in case("a suffix that just fits", F32, [[1000] * 7], grad=True)
    assert "\n" in case("a suffix one column too long", F32, [1] * 13, grad=True)
    sequence("4 dimensions", U8, (2, 1, 2, 2))


def summaries():
    sequence("1000 elements", I64, (1000,), modulus=10)
    sequence("1001 elements, float32", F32, (1001,))
    sequence("7 x 143", I64, (7, 143))
    sequence("2 x 7 x 3 x 30", BF16, (2, 7, 3, 30), first=-1, step=0.5, factor=37, modulus=101)


def nothing():
    case("nothing", F32, [])
    case("nothing in 2 dimensions", I64, [], shape=(0, 3))


def devices():
    case("on a device, with every suffix", F16, [], shape=(2, 0, 5), grad=True, cuda=True)
    case("on a device, wrapped", E4M3, [1.5] * 8, grad=True, cuda=True)
    sequence("on a device, 8 x 7 x 30", I32, (8, 7, 30), cuda=True)


def block(c):
    tensor = c["tensor"].detach()
    shape = " ".join(map(str, tensor.shape))
    lines = [(f"dtype {str(tensor.dtype)[6:]}", [])]
    if c["sequence"]:
        lines.append((f"sequence [{shape}]", c["sequence"]))
    else:
        lines.append(blocks.tensor("values", tensor.double()))
    lines += [(flag, []) for flag in ("requires_grad", "on_cuda") if c[flag]]
    return c["name"], lines + blocks.texts("text", c["text"])


ABOUT = """\
Tensors as print shows them: their elements are values, or a sequence, whose element i is
first + step * (factor * i mod modulus)."""

if __name__ == "__main__":
    torch.set_num_threads(1)
    for group in (numbers, notations, dtypes, lines, summaries, nothing, devices):
        group()
    torch_version = torch.__version__.split("+")[0]
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch_version} on the CPU, default print options",
        [block(c) for c in cases],
    )
