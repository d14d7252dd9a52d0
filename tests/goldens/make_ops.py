#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Computes values and gradients of the ops in float64 with PyTorch; writes ops.hpp beside itself.

    python3 make_ops.py

Every input and every incoming gradient is exactly representable in bfloat16, float16 and wider, so
one golden serves every dtype: what a 16-bit op may lose is its own rounding, nothing before it.
Inputs are multiples of 1/16 in [-2, 2], distinct among any 65 consecutive elements (see `values`),
so that no maximum is tied; products of two are exact in float32, and so are the sums of them here.
"""

import pathlib
import platform

import torch
import torch.nn.functional as F

cases = []


def values(shape, seed):
    """Multiples of 1/16 in [-2, 2] in an order that `seed` rotates; 37 is prime to 65."""
    count = torch.Size(shape).numel()
    flat = [((37 * i + 11 * seed) % 65 - 32) / 16 for i in range(count)]
    return torch.tensor(flat, dtype=torch.float64).reshape(shape)


def nonzero(shape, seed):
    """Multiples of 1/16 in [-2.5, -0.5] and [0.5, 2.5]."""
    x = values(shape, seed)
    return torch.where(x < 0, x - 0.5, x + 0.5)


def positive(shape, seed):
    """Multiples of 1/16 in [1/16, 65/16]."""
    return values(shape, seed) + 33 / 16


def incoming(shape):
    """The gradient that arrives: multiples of 1/8 in [-1, 1]; 3/4 for a scalar."""
    count = torch.Size(shape).numel()
    flat = [((5 * i + 3) % 17 - 8) / 8 for i in range(count)] if len(shape) else [0.75]
    return torch.tensor(flat, dtype=torch.float64).reshape(shape)


def case(op, detail, function, *inputs, attributes=(), indices=()):
    """Runs `function` on inputs. Attributes and indices are what C++ needs to call the same op."""
    inputs = [x.clone().requires_grad_() for x in inputs]
    output = function(*inputs)
    for tensor in (*inputs, incoming(output.shape)):
        assert torch.equal(tensor.bfloat16().double(), tensor) and torch.equal(
            tensor.half().double(), tensor
        )
    output.backward(incoming(output.shape))
    assert all(x.numel() <= 120 for x in (*inputs, output))
    cases.append((op, f"{op} {detail}".strip(), inputs, attributes, indices, output.detach()))


def products():
    def matmul(a, b):
        case("matmul", f"{list(a)} x {list(b)}", torch.matmul, values(a, 1), values(b, 2))

    matmul((3, 4), (4, 5))
    matmul((7, 13), (13, 9))
    matmul((2, 3, 4), (4, 5))
    matmul((2, 3, 4), (2, 4, 5))
    matmul((3, 4), (2, 4, 5))
    matmul((1, 3, 4), (2, 4, 2))
    matmul((4,), (4, 5))
    matmul((3, 4), (4,))
    matmul((2, 3, 4), (4,))
    matmul((6,), (6,))
    case("linear", "with bias", F.linear, values((3, 4), 3), values((5, 4), 4), values((5,), 5))
    case("linear", "without bias", F.linear, values((3, 4), 3), values((5, 4), 4))
    case(
        "linear",
        "of 3 dimensions",
        F.linear,
        values((2, 2, 3), 6),
        values((4, 3), 7),
        values((4,), 8),
    )


def convolutions():
    def conv(detail, x, w, bias=True, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
        inputs = [values(x, 1), values(w, 2)] + ([values((w[0],), 3)] if bias else [])
        case(
            "conv2d",
            detail,
            lambda *t: F.conv2d(
                *t, stride=stride, padding=padding, dilation=dilation, groups=groups
            ),
            *inputs,
            attributes=(*stride, *padding, *dilation, groups),
        )

    conv("3x3", (1, 2, 4, 4), (2, 2, 3, 3))
    conv("3x3 padding 1", (2, 2, 4, 4), (3, 2, 3, 3), padding=(1, 1))
    conv("1x1 without bias", (2, 3, 2, 3), (4, 3, 1, 1), bias=False)
    conv("stride 2 padding 1", (2, 2, 5, 5), (2, 2, 3, 3), stride=(2, 2), padding=(1, 1))
    conv("stride 2, last row and column unused", (1, 2, 6, 6), (2, 2, 3, 3), stride=(2, 2))
    conv("dilation 2 without bias", (1, 1, 7, 6), (2, 1, 3, 2), bias=False, dilation=(2, 2))
    conv("groups 2", (2, 4, 3, 3), (4, 2, 2, 2), groups=2)
    conv("depthwise, padding 1", (1, 4, 4, 4), (4, 1, 3, 3), padding=(1, 1), groups=4)
    conv(
        "kernel 1x3 stride 1x2 padding 0x1",
        (1, 2, 3, 6),
        (3, 2, 1, 3),
        stride=(1, 2),
        padding=(0, 1),
    )
    conv(
        "kernel 3x2 stride 2x1 padding 2x1 dilation 1x2",
        (1, 2, 4, 5),
        (2, 2, 3, 2),
        stride=(2, 1),
        padding=(2, 1),
        dilation=(1, 2),
    )
    conv(
        "groups 2 stride 2 padding 1 dilation 2",
        (1, 4, 5, 6),
        (4, 2, 3, 2),
        stride=(2, 2),
        padding=(1, 1),
        dilation=(2, 2),
        groups=2,
    )
    conv(
        "groups 2 without bias, padding larger than the kernel",
        (1, 2, 2, 2),
        (2, 1, 2, 2),
        bias=False,
        padding=(3, 2),
        groups=2,
    )


def pooling():
    def pool(detail, x, kernel, stride=None):
        case(
            "max_pool2d",
            detail,
            lambda t: F.max_pool2d(t, kernel, stride),
            values(x, 4),
            attributes=(*kernel, *(stride or kernel)),
        )

    pool("kernel 2", (2, 2, 4, 4), (2, 2))
    pool("kernel 2, odd size", (1, 2, 5, 7), (2, 2))
    pool("kernel 3 stride 2", (1, 1, 7, 9), (3, 3), (2, 2))
    pool("kernel 3 stride 1", (1, 1, 5, 5), (3, 3), (1, 1))
    pool("kernel 2x3", (1, 2, 4, 6), (2, 3))
    pool("kernel 3x2 stride 1x3", (1, 1, 5, 8), (3, 2), (1, 3))


def arithmetic():
    functions = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div}
    for op, function in functions.items():
        divisor = nonzero if op == "div" else values
        for a, b in (((2, 3), (2, 3)), ((2, 1, 3), (4, 1)), ((), (2, 3)), ((3,), ())):
            case(op, f"{list(a)} and {list(b)}", function, values(a, 5), divisor(b, 6))
        case(
            f"{op}_scalar",
            "x with 1.5",
            lambda x: function(x, 1.5),
            values((2, 3), 7),
            attributes=(1.5,),
        )
    case("rsub_scalar", "1.5 - x", lambda x: 1.5 - x, values((2, 3), 7), attributes=(1.5,))
    case("rdiv_scalar", "1.5 / x", lambda x: 1.5 / x, nonzero((2, 3), 7), attributes=(1.5,))


def pointwise():
    for op, function, domain in (
        ("relu", F.relu, values),
        ("abs", torch.abs, values),
        ("neg", torch.neg, values),
        ("exp", torch.exp, values),
        ("tanh", torch.tanh, values),
        ("sigmoid", torch.sigmoid, values),
        ("log", torch.log, positive),
        ("sqrt", torch.sqrt, positive),
    ):
        x = domain((3, 5), 8)
        if domain is values:
            x[1, 1] = 0
        case(op, "", function, x)
    for exponent, domain in (
        (2.0, values),
        (3.0, values),
        (0.5, positive),
        (-1.0, nonzero),
        (1.75, positive),
    ):
        case(
            "pow",
            f"{exponent}",
            lambda x: torch.pow(x, exponent),
            domain((2, 5), 9),
            attributes=(exponent,),
        )


def reductions():
    x = values((2, 3, 4), 1)
    case("sum", "", torch.sum, x)
    case("mean", "", torch.mean, x)
    for dim in (0, 1, -1):
        for keepdim in (False, True):
            case(
                "sum_dim",
                f"{dim}{' keepdim' * keepdim}",
                lambda t: t.sum(dim, keepdim),
                x,
                attributes=(dim, keepdim),
            )
    for op, function in (("softmax", F.softmax), ("log_softmax", F.log_softmax)):
        for dim in (0, 1, -1):
            case(op, f"dim {dim}", lambda t: function(t, dim), x, attributes=(dim,))
        large = torch.tensor([[60.0, -60.0, 59.0], [-88.0, -87.0, -120.0]], dtype=torch.float64)
        case(op, "of large inputs", lambda t: function(t, 1), large, attributes=(1,))


def losses():
    reductions = ("none", "mean", "sum")  # numbered 0, 1, 2 in the attributes

    small = values((4, 5), 3)

    def cross_entropy(
        detail, targets, reduction="mean", ignore_index=-100, label_smoothing=0.0, logits=small
    ):
        case(
            "cross_entropy",
            detail,
            lambda x: F.cross_entropy(
                x,
                torch.tensor(targets),
                reduction=reduction,
                ignore_index=ignore_index,
                label_smoothing=label_smoothing,
            ),
            logits,
            attributes=(reductions.index(reduction), ignore_index, label_smoothing),
            indices=targets,
        )

    cross_entropy("mean", (1, 0, 4, 2))
    cross_entropy("sum", (1, 0, 4, 2), reduction="sum")
    cross_entropy("none", (1, 0, 4, 2), reduction="none")
    cross_entropy("mean, one ignored", (1, -100, 4, 2))
    cross_entropy("none, class 2 ignored", (1, 2, 4, 2), reduction="none", ignore_index=2)
    cross_entropy("mean, smoothing 0.1", (1, 0, 4, 2), label_smoothing=0.1)
    cross_entropy("mean, smoothing 0.1, one ignored", (1, -100, 4, 2), label_smoothing=0.1)
    cross_entropy("sum, smoothing 0.1", (1, 0, 4, 2), reduction="sum", label_smoothing=0.1)
    cross_entropy(
        "none, smoothing 0.1, one ignored", (1, 0, -100, 2), reduction="none", label_smoothing=0.1
    )
    large = [[60.0, -60.0, 59.0, 58.0, -60.0], [-88.0, -87.0, -90.0, -120.0, -88.0]]
    large = torch.tensor(large, dtype=torch.float64)
    cross_entropy("none, of large logits", (0, 1), reduction="none", logits=large)


def views():
    x = values((2, 3, 4), 2)
    for dims in ((0, 1), (0, 2), (-1, -2)):
        case("transpose", f"{dims}", lambda t: t.transpose(*dims), x, attributes=dims)
    for dim, start, length in ((0, 1, 1), (1, 0, 2), (-1, 1, 3)):
        case(
            "narrow",
            f"dim {dim} from {start}, {length} long",
            lambda t: t.narrow(dim, start, length),
            x,
            attributes=(dim, start, length),
        )
    case("reshape", "to [4, 6]", lambda t: t.reshape(4, 6), x, attributes=(4, 6))
    for dim, picked in ((0, (1, 0, 1, 1)), (1, (2, 2)), (-1, (3, 0, 3, 1, 3))):
        case(
            "index_select",
            f"dim {dim}, repeated",
            lambda t: t.index_select(dim, torch.tensor(picked)),
            x,
            attributes=(dim,),
            indices=picked,
        )


def number(v):
    return f"{int(v)}" if v == int(v) and abs(v) < 1e15 else repr(float(v))


def array(kind, name, items):
    words = [number(v) for v in items]
    text, line = f"inline constexpr {kind} {name}[] = {{", ""
    for word in words:
        word = word + ", "
        if len(line) + len(word) > (96 if "\n" in text else 96 - len(text)):
            text, line = text + line.rstrip() + "\n  ", ""
        line += word
    return text + line.rstrip(", ") + "};\n"


def emit():
    data, table = "", ""
    for n, (op, name, inputs, attributes, indices, output) in enumerate(cases):

        def put(kind, label, items):  # empty arrays do not exist in C++
            nonlocal data
            if len(items) == 0:
                return "{}"
            data += array(kind, f"c{n}_{label}", items)
            return f"data::c{n}_{label}"

        data += f"// {name}\n"
        operands = []
        for k, x in enumerate(inputs):
            shape = put("std::int64_t", f"shape{k}", x.shape)
            operands.append(
                f"{{{shape}, {put('double', f'x{k}', x.detach().flatten().tolist())}, "
                f"{put('double', f'grad{k}', x.grad.flatten().tolist())}}}"
            )
        rows = ",\n  ".join(operands).replace("data::", "")
        data += f"inline constexpr Operand c{n}_inputs[] = {{\n  {rows}}};\n"
        fields = [
            f"data::c{n}_inputs",
            put("double", "attributes", attributes),
            put("std::int64_t", "indices", indices),
            put("std::int64_t", "out_shape", output.shape),
            put("double", "out", output.flatten().tolist()),
            put("double", "grad_out", incoming(output.shape).flatten().tolist()),
        ]
        table += (
            f'  {{"{op}", "{name}",\n   {", ".join(fields[:3])},\n   {", ".join(fields[3:])}}},\n'
        )
    script = pathlib.Path(__file__)
    head = HEAD.format(
        script=script.name,
        torch=torch.__version__.split("+")[0],
        python=platform.python_version(),
        count=len(cases),
    )
    text = f"{head}namespace data {{\n{data}}}  // namespace data\n\n"
    text += f"inline constexpr OpCase kOpCases[] = {{\n{table}}};\n\n"
    text += "}  // namespace goldens\n// clang-format on\n"
    script.with_name("ops.hpp").write_text(text)
    print(f"{len(cases)} cases, {len(text)} bytes")


HEAD = """\
// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT

/// @file
/// Generated by tests/goldens/{script}; do not edit. Values and gradients of ops: {count} cases.
///
/// Command: python3 {script}. PyTorch {torch} on the CPU, float64, 1 thread, Python {python}.
/// Inputs and incoming gradients are exact in bfloat16 and float16: inputs are multiples of 1/16,
/// incoming gradients multiples of 1/8 in [-1, 1].
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace goldens {{

/// A floating input and the gradient it receives. An empty shape is a 0-dim tensor.
struct Operand {{
  std::span<const std::int64_t> shape;
  std::span<const double> values;
  std::span<const double> grad;
}};

/// One call. What `attributes` and `indices` hold depends on the op; ops not named here have none:
///
///   add_scalar sub_scalar mul_scalar div_scalar   the right operand, a number
///   rsub_scalar rdiv_scalar                       the left operand, a number
///   pow             the exponent
///   conv2d          stride h, w, padding h, w, dilation h, w, groups
///   max_pool2d      kernel h, w, stride h, w
///   softmax log_softmax    dim
///   cross_entropy   reduction (0 none, 1 mean, 2 sum), ignore_index, label_smoothing;
///                   indices: targets
///   sum_dim         dim, keepdim
///   transpose       the two dims
///   narrow          dim, start, length
///   reshape         the new shape
///   index_select    dim; indices: what is selected
struct OpCase {{
  std::string_view op;
  std::string_view name;
  std::span<const Operand> inputs;
  std::span<const double> attributes;
  std::span<const std::int64_t> indices;
  std::span<const std::int64_t> output_shape;
  std::span<const double> output;
  std::span<const double> grad_output;
}};

// clang-format off
"""

if __name__ == "__main__":
    torch.set_num_threads(1)
    for group in (
        products,
        convolutions,
        pooling,
        arithmetic,
        pointwise,
        reductions,
        losses,
        views,
    ):
        group()
    emit()
