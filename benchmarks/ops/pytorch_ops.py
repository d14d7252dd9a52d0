#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""The ops of main.cpp in PyTorch, with the same names, inputs and line protocol. To measure 20 samples by
hand:

    OMP_NUM_THREADS=1 pytorch_ops.py norm:3:-1/2048x1024 bf16 20 fb
"""
import functools
import os
import re
import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pytorch_worker import DTYPES, Workload, classes, main, numbers, some  # noqa: E402

# All others are functions of torch.nn.functional or torch with this name, of the inputs and then the numbers.
OPS = {
    "batch_norm": lambda x, _: F.batch_norm(x[0], x[1], x[2], x[3], x[4], training=True),
    "cat": lambda x, n: torch.cat(x, n[0]),
    "conv_transpose2d": lambda x, n: F.conv_transpose2d(*x, stride=n[0], padding=n[1]),
    "cdist": lambda x, n: torch.cdist(x[0], x[1], p=float(n[0])),
    "cummax": lambda x, n: torch.cummax(x[0], n[0]).values,
    "contiguous": lambda x, n: x[0].permute(n).contiguous(),
    "conv2d": lambda x, n: F.conv2d(*x, stride=n[0], padding=n[1], groups=n[2]),
    "fill": lambda x, n: x[0].fill_(n[0]),
    "flip": lambda x, n: torch.flip(x[0], (n[0],)),
    "gather": lambda x, n: torch.gather(x[0], n[0], x[1]),
    "gelu_tanh": lambda x, _: F.gelu(x[0], approximate="tanh"),
    "group_norm": lambda x, n: F.group_norm(x[0], n[0], x[1], x[2]),
    "grid_sample": lambda x, _: F.grid_sample(x[0], x[1], align_corners=False),
    "index_add": lambda x, n: torch.index_add(x[0], n[0], x[1], x[2]),
    "interpolate_bicubic": lambda x, _: F.interpolate(x[0], scale_factor=2, mode="bicubic"),
    "interpolate_bilinear": lambda x, _: F.interpolate(x[0], scale_factor=2, mode="bilinear"),
    "interpolate_nearest": lambda x, _: F.interpolate(x[0], scale_factor=2),
    "index_select": lambda x, n: torch.index_select(x[0], n[0], x[1]),
    "layer_norm": lambda x, _: F.layer_norm(x[0], x[1].shape, x[1], x[2]),
    "lstm": lambda x, _: lstm(x),
    "masked_fill": lambda x, n: torch.masked_fill(x[0], x[1], n[0]),
    "mul_number": lambda x, n: x[0] * n[0],
    "norm": lambda x, n: torch.linalg.vector_norm(x[0], n[0], n[1:] or None),
    "pad": lambda x, n: F.pad(x[0], (n[0],) * 4),
    "rms_norm": lambda x, _: F.rms_norm(x[0], x[1].shape, x[1]),
    "scaled_dot_product_attention": lambda x, n: F.scaled_dot_product_attention(*x, is_causal=bool(n)),
    "scatter_add": lambda x, n: torch.scatter_add(x[0], n[0], x[1], x[2]),
    "sort": lambda x, n: torch.sort(x[0], dim=n[0], stable=True).values,  # as amp sorts
    "stack": lambda x, n: torch.stack(x, n[0]),
    "topk": lambda x, n: torch.topk(x[0], n[0], n[1]).values,
    "type_as": lambda x, _: x[0].to(x[1].dtype),
}


def lstm(x):
    """The inputs after the first are the weights and biases of the layers, four of each."""
    layers = len(x) // 4
    state = torch.zeros(layers, x[0].shape[1], x[2].shape[1], dtype=x[0].dtype)
    training = x[0].requires_grad
    return torch.lstm(x[0], (state, state), x[1:], True, layers, 0.0, training, False, False)[0]


def op_of(name):
    if name in OPS:
        return OPS[name]
    function = getattr(F, name, None) or getattr(torch, name)
    return lambda x, n: function(*x, *n)


@functools.lru_cache(maxsize=32)
def numbers_between(shape, seed, low, high):
    return numbers(shape, seed, (high - low) / 2) + (high + low) / 2


def make_input(text, seed, dtype):
    """Returns an input, described in main.cpp, and whether it is to have a gradient."""
    marks, shape, low, high, limit = re.fullmatch(
        r"([~=^?]*)([0-9x]+)(?:@([-0-9.]+?)\.\.([-0-9.]+)|<([0-9]+))?", text).groups()
    shape = tuple(map(int, shape.split("x")))
    if limit:
        return classes(shape, seed, int(limit)), False
    x = numbers_between(shape, seed, float(low or -2), float(high or 2))
    if "?" in marks:
        return x > 0, False
    x = x.to(torch.float32 if "^" in marks else dtype, copy=True)
    return x.contiguous(memory_format=torch.channels_last) if "~" in marks else x, "=" not in marks


def call_of(op, x, n, gradient):
    """Returns the forward pass, and with a gradient of the result the backward pass too."""
    if gradient is None:
        return lambda: op(x, n)
    leaves = [tensor for tensor in x if tensor.requires_grad]

    def call():
        for leaf in leaves:
            leaf.grad = None
        y = op(x, n)
        y.backward(gradient)
        return y

    return call


def widened(tensor):
    """Returns the same numbers in a dtype that rounds less, so that what it computes can be expected."""
    if tensor is None or not tensor.is_floating_point():
        return tensor
    wide = torch.float64 if tensor.dtype == torch.float32 else torch.float32
    return tensor.detach().to(wide).requires_grad_(tensor.requires_grad)


def load(name, precision, variant):
    call, *inputs = name.split("/")
    word, *n = call.split(":")
    op, n = op_of(word), [float(number) if "." in number else int(number) for number in n]
    x, gradient = [], None
    for seed, text in enumerate(inputs, 1):
        tensor, is_leaf = make_input(text, seed, DTYPES[precision])
        x.append(tensor.requires_grad_(is_leaf and variant == "fb"))
    y = op(x, n)
    if y.requires_grad:
        gradient = numbers_between(tuple(y.shape), 0, -1, 1).to(y.dtype)
    wide = [widened(tensor) for tensor in x]
    expected = call_of(op, wide, n, widened(gradient))()
    gradients = [tensor.grad for tensor in wide if tensor.requires_grad]
    return Workload(call_of(op, x, n, gradient), sum(map(some, (expected, *gradients)), []))


if __name__ == "__main__":
    main(load)
