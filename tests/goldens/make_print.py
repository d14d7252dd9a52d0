#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Prints tensors with PyTorch; writes print.hpp beside itself.

    python3 make_print.py

The text differs from PyTorch's on the CPU in two points, which are changed before lines are wrapped,
so that they are wrapped at the same columns as amp's: dtypes are named without `torch.`, and some
tensors are marked as being on a CUDA device. Every number in a case is exact in its dtype, so that
C++ makes the same tensor without rounding.
"""

import math
import pathlib
import platform

import torch
from torch import _tensor_str

F64, F32, F16, BF16 = torch.float64, torch.float32, torch.float16, torch.bfloat16
E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2
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
            "grad": grad,
            "cuda": cuda,
            "text": text_of(tensor, cuda),
        }
    )
    return cases[-1]["text"]


def case(name, dtype, values, shape=None, grad=False, cuda=False):
    """Adds a tensor of listed values; without `shape`, it is a vector."""
    tensor = torch.tensor(values, dtype=F64 if dtype in (E4M3, E5M2) else dtype).to(dtype)
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
    for value in (3.5, 3, 0.0, -0.0, -1.25, NAN, INF, -INF, 1e10, 1e-5, 0.1):
        case(f"number {value}", F32, value)
    case("number, int64", I64, -7)
    case("number, bool", BOOL, True)
    case("number, uint8", U8, 200)
    case("number that requires grad", F32, 0.75, grad=True)
    case("one element in 2 dimensions", F32, [[2.5]])
    case("one element in 8 dimensions", F32, [2.5], shape=(1,) * 8)


def notations():
    case("integers", F32, [1, -20, 300])
    case("integers with zeros of both signs", F32, [0.0, -0.0, 12])
    case("integers with infinities and NaN", F32, [1, INF, -INF, NAN])
    case("zeros", F32, [0, 0, 0])
    case("no finite number", F32, [NAN, INF, -INF, 0.0, -0.0])
    case("fractions", F32, [1, -2.5, 33.125])
    case("fractions with zeros of both signs", F32, [0.0, -0.0, 1.5])
    case("fractions with infinities and NaN", F32, [0.5, INF, -INF, NAN])
    case("fractions, rounded to even", F32, [0.03125, 0.09375, 0.15625, -0.21875])
    case("fractions, rounded up to more digits", F32, [9.99999, 1])
    case("fractions, rounded to zero", F32, [0.3, -0.0003])
    case("integers 1000 times apart", F32, [1, 1000])
    case("integers more than 1000 times apart", F32, [1, -1001, 0])
    case("fractions 1000 times apart", F32, [0.5, 500])
    case("fractions more than 1000 times apart", F32, [0.5, 500.5])
    case("integer of 1e8", F32, [1e8])
    case("integer above 1e8", F32, [1e8 + 8])
    case("fraction above 1e8", F64, [1e8 + 0.5])
    case("fraction below 1e8", F64, [1e8 - 0.5])
    case("fraction of 1e-4", F64, [1e-4])
    case("fraction of 1e-4 in float32, which is less", F32, [1e-4])
    case("fraction below 1e-4", F64, [9.9e-5])
    case("scientific with zeros, infinities and NaN", F32, [1e-6, 0.0, -0.0, INF, -INF, NAN])
    case("scientific, negative", F32, [-1e-6, 1e6])
    case("scientific, rounded to even", F32, [2.0**-15, 1024, 1 + 2.0**-5, 100.03125])
    case("scientific, as far apart as it gets", F64, [5e-324, -1.7976931348623157e308])
    case("scientific, float32's ends", F32, [1e-45, 3.4028234663852886e38])


def dtypes():
    case("float64", F64, [0.1, 0.2])
    case("float16", F16, [0.1, 65504])
    case("float16, subnormal", F16, [6e-8])
    case("float16, 2 x 2", F16, [[1, 2.5], [3, 4]], grad=True)
    case("bfloat16", BF16, [3.14159, 1e3])
    case("bfloat16, wide", BF16, [1e38, 1e-38])
    case("float8_e4m3fn", E4M3, [448, -0.5, 0.001953125, NAN])
    case("float8_e4m3fn, integers", E4M3, [448, -1, 0])
    case("float8_e5m2", E5M2, [57344, INF, -INF, NAN])
    case("float8_e5m2, fractions", E5M2, [1.25, -0.5])
    case("int64", I64, [1, -20, 300])
    case("int64, its ends", I64, [-(1 << 63), (1 << 63) - 1, (1 << 53) + 1])
    case("int32", I32, [[1, -20], [300, 4]])
    case("int32, its ends", I32, [-(1 << 31), (1 << 31) - 1])
    case("uint8", U8, [0, 255])
    case("bool", BOOL, [True, False])
    case("bool, true only", BOOL, [[True], [True]])


def layouts():
    sequence("3 dimensions", F32, (2, 2, 3), first=-1, step=0.25)
    sequence("4 dimensions", I64, (2, 1, 2, 2))
    sequence("5 dimensions", U8, (2, 1, 2, 1, 2))
    sequence("a column", F32, (3, 1), step=0.5, grad=True)
    # 73 and 72 columns, of a vector's and of a matrix' rows, hold 24 digits; 71 and 70 hold 23.
    for n in (24, 25, 48, 49):
        sequence(f"a line of {n} digits", I64, (n,), modulus=10)
    sequence("rows of 24 digits", I64, (2, 24), modulus=10)
    sequence("rows of 25 digits", I64, (2, 25), modulus=10)
    sequence("rows of 24 digits in 3 dimensions", I64, (1, 2, 24), modulus=10)
    sequence("rows of 24 digits in 4 dimensions", I64, (1, 1, 2, 24), modulus=10)
    sequence("lines of fractions", F32, (3, 17), first=-4, step=0.125, factor=37, modulus=101)
    sequence("lines of integers", F32, (40,), first=-4, factor=37, modulus=101)
    sequence("lines in scientific notation", F32, (30,), step=2.0**-20, factor=37, modulus=101)
    sequence("lines of zeros", F32, (60,), step=0)
    case("lines of bools", BOOL, [i % 3 == 0 for i in range(30)])
    case("lines with NaN wider than the columns", F32, [1, NAN, INF, -INF] * 9)
    case("lines of 20 digits", I64, [-(1 << 63) + i for i in range(7)])


def suffixes():
    """Lines of a length for which a suffix just fits, and of one column more, for which it does not."""

    def line(columns, dtype, grad=False):
        point = 1 if dtype.is_floating_point else 0
        for dim in (1, 2, 3):
            for digits in range(1, 8):
                count, rest = divmod(columns - (5 + 2 * dim), digits + point + 2)
                if rest == 0:
                    name = f"{str(dtype)[6:]}, suffixes from column {columns}"
                    values = [10 ** (digits - 1)] * count
                    return case(name, dtype, values, shape=(1,) * (dim - 1) + (count,), grad=grad)
        raise AssertionError(columns)

    def moves(columns, lines, *options):
        assert line(columns, *options).count("\n") == lines
        assert line(columns + 1, *options).count("\n") == lines + 1

    moves(65, 0, I32)
    moves(58, 0, F32, True)
    moves(43, 0, F64, True)
    assert line(63, F64, True).splitlines()[1].strip() == "requires_grad=True)"
    assert line(64, F64, True).splitlines()[1].strip() == "dtype=float64, requires_grad=True)"


def summaries():
    sequence("1000 elements", I64, (1000,), modulus=10)
    sequence("1001 elements", I64, (1001,))
    sequence("1001 elements, float32", F32, (1001,))
    sequence("1002 elements, float32", F32, (1002,))
    sequence("7 x 143", I64, (7, 143))
    sequence("6 x 200", F32, (6, 200), first=-8, step=0.25, factor=37, modulus=101)
    sequence("200 x 6", F16, (200, 6), first=-8, step=0.25, factor=37, modulus=101, grad=True)
    sequence("1 x 1001", BOOL, (1, 1001), modulus=2)
    sequence("1001 x 1", U8, (1001, 1), modulus=256)
    sequence("8 x 7 x 30", I32, (8, 7, 30))
    sequence("2 x 7 x 3 x 30", BF16, (2, 7, 3, 30), first=-1, step=0.5, factor=37, modulus=101)
    sequence("7 x 1 x 8 x 2 x 10", E5M2, (7, 1, 8, 2, 10), step=0.25, modulus=4)
    sequence("20 x 100 in scientific notation", F64, (20, 100), step=2.0**40)


def nothing():
    for dtype in (F32, I64, BOOL, F16):
        name = str(dtype).replace("torch.", "")
        case(f"nothing, {name}", dtype, [])
        case(f"nothing in 2 dimensions, {name}", dtype, [], shape=(0, 3))
    case("nothing that requires grad", F16, [], shape=(2, 0, 100000, 1000000), grad=True)


def devices():
    case("on a device", F32, [1, 2.5], cuda=True)
    case("on a device, number", I64, 5, cuda=True)
    case("on a device, with every suffix", F16, [], shape=(2, 0, 5), grad=True, cuda=True)
    case("on a device, wrapped", E4M3, [1.5] * 8, grad=True, cuda=True)
    sequence("on a device, 1001 elements", BF16, (1001,), modulus=100, cuda=True)
    sequence("on a device, 8 x 7 x 30", I32, (8, 7, 30), cuda=True)


def literal(value):
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return "INT64_MIN" if value == -(1 << 63) else str(value)
    if math.isnan(value):
        return "kNan"
    if math.isinf(value):
        return "kInf" if value > 0 else "-kInf"
    text = repr(value)
    return text[:-2] if text.endswith(".0") and text != "-0.0" else text


def array(type_, name, values):
    """A declaration, wrapped at 100 columns."""
    lines, line = [], f"inline constexpr {type_} {name}[] = {{"
    for i, value in enumerate(values):
        item = literal(value) + ("};" if i + 1 == len(values) else ",")
        if len(line) + 1 + len(item) > 100:
            lines, line = lines + [line], " "
        line += item if line.endswith("{") else " " + item
    return "\n".join(lines + [line]) + "\n"


def emit():
    data, table = "", ""
    for n, c in enumerate(cases):
        tensor = c["tensor"].detach()
        fields = [f'.name = "{c["name"]}"', f'.dtype = "{str(tensor.dtype)[6:]}"']
        if tensor.dim() != 0:
            data += array("std::int64_t", f"shape{n}", list(tensor.shape))
            fields.append(f".shape = data::shape{n}")
        if c["sequence"]:
            fields.append(f".sequence = {{{', '.join(literal(x) for x in c['sequence'])}}}")
        elif tensor.numel() != 0:
            floating = tensor.dtype.is_floating_point
            values = (tensor.double() if floating else tensor).flatten().tolist()
            kind, type_ = ("numbers", "double") if floating else ("integers", "std::int64_t")
            data += array(type_, f"{kind}{n}", values)
            fields.append(f".{kind} = data::{kind}{n}")
        if c["grad"]:
            fields.append(".requires_grad = true")
        if c["cuda"]:
            fields.append(".on_cuda = true")
        table += "  {" + ",\n   ".join(fields) + ',\n   .text = R"(' + c["text"] + ')"},\n'
    script = pathlib.Path(__file__)
    head = HEAD.format(
        script=script.name,
        torch=torch.__version__.split("+")[0],
        python=platform.python_version(),
        count=len(cases),
    )
    text = f"{head}namespace data {{\n{data}}}  // namespace data\n\n"
    text += f"inline constexpr PrintCase kPrintCases[] = {{\n{table}}};\n\n"
    text += "}  // namespace goldens\n// clang-format on\n"
    script.with_name("print.hpp").write_text(text)
    print(f"{len(cases)} cases, {len(text)} bytes")


HEAD = """\
// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT

/// @file
/// Generated by tests/goldens/{script}; do not edit. Tensors as print shows them: {count} cases.
///
/// Command: python3 {script}. PyTorch {torch} on the CPU, default print options, Python {python}.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace goldens {{

/// Element i is first + step * (factor * i mod modulus).
struct Sequence {{
  double first = 0, step = 0;
  std::int64_t factor = 0, modulus = 0;  // 0: no sequence
}};

/// A tensor and its text. Its elements are `numbers` (of a floating dtype), `integers` (of another)
/// or a sequence.
struct PrintCase {{
  std::string_view name;
  std::string_view dtype;
  std::span<const std::int64_t> shape = {{}};
  std::span<const double> numbers = {{}};
  std::span<const std::int64_t> integers = {{}};
  Sequence sequence = {{}};
  bool requires_grad = false;
  bool on_cuda = false;
  std::string_view text;
}};

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// clang-format off
"""

if __name__ == "__main__":
    torch.set_num_threads(1)
    for group in (
        numbers,
        notations,
        dtypes,
        layouts,
        suffixes,
        summaries,
        nothing,
        devices,
    ):
        group()
    emit()
