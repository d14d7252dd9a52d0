# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Random convolutions of one and three dimensions, transposed ones, pools, unfold and fold, and
instance_norm. As ops.py, of which it is a part."""

import torch
import torch.nn.functional as F

from draw import LOW, sizes, tensor
from ops import Call, maybe, op


def each(rng, dims, choices):
    return [rng.choice(choices) for _ in range(dims)]


def batch(rng):
    return [rng.randint(1, 3)] if rng.random() < 0.85 else []


@op("conv1d", "conv3d")
def conv(name, rng, dtype):
    n = int(name[4])
    groups = rng.choice([1, 1, 2, 3])
    channels, out = groups * rng.choice([1, 2, 4]), groups * rng.choice([1, 2, 3])
    kernel, stride, padding, dilation = (
        each(rng, n, c) for c in ([1, 2, 3], [1, 1, 2], [0, 1, 2], [1, 1, 2]))
    extent = [rng.randint(d * (k - 1) + 1, 17 if n == 1 else 7) for k, d in zip(kernel, dilation)]
    if rng.random() < 0.2:
        stride, padding = [1] * n, [-1] * n
    x = tensor(rng, batch(rng) + [channels] + extent, dtype)
    w = tensor(rng, [out, channels // groups] + kernel, dtype)
    pad = "same" if padding[0] == -1 else padding
    after, sides = [], []
    if pad != "same" and rng.random() < 0.3:  # padding of each side's own
        after, pad = each(rng, n, [0, 1, 3]), 0
        sides = [size for both in reversed(list(zip(padding, after))) for size in both]
    return Call(name, [x, w, maybe(rng, [out], dtype)], [*stride, *padding, *dilation, groups, *after],
                lambda x, w, b: getattr(F, name)(F.pad(x, sides), w, b, stride, pad, dilation, groups))


@op("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def conv_transpose(name, rng, dtype):
    n = int(name[-2])
    groups = rng.choice([1, 1, 2, 3])
    channels, out = groups * rng.choice([1, 2, 4]), rng.choice([1, 2, 3])
    kernel, stride, padding, dilation = (
        each(rng, n, c) for c in ([1, 2, 3, 4], [1, 2, 2, 3], [0, 0, 1, 2], [1, 1, 2]))
    more = [rng.randint(0, max(s, d) - 1) for s, d in zip(stride, dilation)]
    extent = [rng.randint(1, 9 if n == 1 else 4) for _ in kernel]
    x = tensor(rng, batch(rng) + [channels] + extent, dtype)
    w = tensor(rng, [channels, out] + kernel, dtype)
    return Call(name, [x, w, maybe(rng, [out * groups], dtype)],
                [*stride, *padding, *more, groups, *dilation],
                lambda x, w, b: getattr(F, name)(x, w, b, stride, padding, more, groups, dilation))


@op("conv_tbc")
def conv_tbc(name, rng, dtype):
    channels, out, kernel, pad = (rng.choice(c) for c in ([1, 2, 5], [1, 3], [1, 2, 3], [0, 1, 2]))
    x = tensor(rng, [rng.randint(kernel, 9), rng.randint(1, 3), channels], dtype)
    w, b = tensor(rng, [kernel, channels, out], dtype), tensor(rng, [out], dtype)
    return Call(name, [x, w, b], [pad], lambda x, w, b: torch.conv_tbc(x, w, b, pad))


def planes(rng, dtype, n, kernel):
    extent = [rng.randint(k, 13 if n == 1 else 7 if n == 2 else 5) for k in kernel]
    return tensor(rng, batch(rng) + [rng.randint(1, 3)] + extent, dtype)


@op("max_pool1d", "max_pool3d", "max_pool1d_with_indices", "max_pool2d_with_indices",
    "max_pool3d_with_indices")
def max_pool(name, rng, dtype):
    n = int(name[8])
    kernel, stride, dilation = (each(rng, n, c) for c in ([1, 2, 3], [1, 2, 3], [1, 1, 2]))
    padding = [rng.randint(0, k // 2) if d == 1 else 0 for k, d in zip(kernel, dilation)]
    x = planes(rng, dtype, n, [d * (k - 1) + 1 for k, d in zip(kernel, dilation)])
    ceil = rng.random() < 0.4
    return Call(name, [x], [*kernel, *stride, *padding, *dilation, ceil],
                lambda x: getattr(F, name)(x, kernel, stride, padding, dilation, ceil),
                smooth=False)


@op("avg_pool1d", "avg_pool3d")
def avg_pool(name, rng, dtype):
    n = int(name[8])
    kernel, stride = each(rng, n, [1, 2, 3]), each(rng, n, [1, 2, 3])
    padding = [rng.randint(0, k // 2) for k in kernel]
    ceil, include = rng.random() < 0.4, rng.random() < 0.6
    divisor = rng.choice([0, 0, 3, -2]) if n > 1 else 0
    more = [divisor or None] if n > 1 else []
    return Call(name, [planes(rng, dtype, n, kernel)],
                [*kernel, *stride, *padding, ceil, include, divisor],
                lambda x: getattr(F, name)(x, kernel, stride, padding, ceil, include, *more))


@op("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "adaptive_max_pool3d", "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d_with_indices")
def adaptive(name, rng, dtype):
    n = int(name[17])
    size = each(rng, n, [1, 1, 2, 3, 5, 8] + ([-1] if n > 1 else []))
    asked = [None if s < 0 else s for s in size]
    return Call(name, [planes(rng, dtype, n, [1] * n)], size,
                lambda x: getattr(F, name)(x, asked if n > 1 else asked[0]),
                smooth="avg" in name)


@op("unfold", "fold")
def unfold(name, rng, dtype):
    kernel, dilation, padding, stride = (
        each(rng, 2, c) for c in ([1, 2, 3], [1, 1, 2], [0, 0, 1, 2], [1, 1, 2]))
    extent = [rng.randint(d * (k - 1) + 1, 7) for k, d in zip(kernel, dilation)]
    channels = rng.randint(1, 3)
    numbers = [*kernel, *dilation, *padding, *stride]
    if name == "unfold":
        return Call(name, [tensor(rng, batch(rng) + [channels] + extent, dtype)], numbers,
                    lambda x: F.unfold(x, kernel, dilation, padding, stride))
    windows = 1
    for e, k, d, p, s in zip(extent, kernel, dilation, padding, stride):
        windows *= (e + 2 * p - d * (k - 1) - 1) // s + 1
    x = tensor(rng, batch(rng) + [channels * kernel[0] * kernel[1], windows], dtype)
    return Call(name, [x], extent + numbers,
                lambda x: F.fold(x, extent, kernel, dilation, padding, stride))


@op("instance_norm")
def instance_norm(name, rng, dtype):
    channels, own = rng.choice([1, 2, 5]), rng.random() < 0.7
    shape = [rng.randint(1, 4), channels, rng.randint(2, 6)] + sizes(rng, most=2, empty=0)
    wide = torch.float32 if dtype in LOW and rng.random() < 0.6 else dtype
    running = [tensor(rng, [channels], wide, "positive", requires_grad=False) for _ in range(2)]
    if own and rng.random() < 0.5:
        running = [None, None]

    def run(x, mean, variance, w, b):
        y = F.instance_norm(x, mean, variance, w, b, own, 0.25, 1e-5)
        return (y,) if mean is None else (y, mean, variance)
    return Call(name, [tensor(rng, shape, dtype)] + running +
                [maybe(rng, [channels], wide), maybe(rng, [channels], wide)],
                [own, 0.25, 1e-5], run)
