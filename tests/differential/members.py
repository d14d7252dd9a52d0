# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Random chains of Tensor's members, and the same in torch. As ops.py, of which it is a part."""

import math

import torch

from draw import BY_NAME, NAME, round_to, sizes, tensor
from ops import Call, op

DTYPES = [BY_NAME[n] for n in ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn",
                               "float8_e5m2", "int64", "int32", "uint8", "bool")]  # amp::DType


def reshaped(rng, shape):
    """Extents of as many elements."""
    left, result = math.prod(shape), []
    while left > 1 and len(result) < 3:
        factor = rng.choice([n for n in range(1, left + 1) if left % n == 0])
        result.append(factor)
        left //= factor
    return result + [left]


def within(x, dtype):
    """Whether an integer dtype has all values of x, but for their fractions."""
    if dtype == torch.bool:
        return True
    info, x = torch.iinfo(dtype), x.to(torch.float64)
    return bool((x.isfinite() & (x > info.min - 1.0) & (x < info.max)).all())


def chosen_member(rng, x):
    """The number of a member of evaluate.cpp's list, its arguments, and x after it."""
    member, dims = rng.randrange(20), x.dim()
    d = rng.randrange(-dims, dims) if dims else 0
    if member == 0 and dims:
        n = [d, rng.randrange(-dims, dims)]
        return member, n, x.transpose(*n)
    if member == 1 and dims:
        n = rng.sample(range(dims), dims)
        return member, n, x.permute(n)
    if member == 2 and dims:
        start = rng.randint(0, x.size(d))
        n = [d, start, rng.randint(0, x.size(d) - start)]
        return member, n, x.narrow(*n)
    if member == 3 and dims and x.size(d):
        n = [d, rng.randrange(x.size(d))]
        return member, n, x.select(*n)
    if member == 4 and dims:
        return member, [d], x.squeeze(d)
    if member == 5 and dims < 5:
        n = rng.randint(-dims - 1, dims)
        return member, [n], x.unsqueeze(n)
    if member == 6 and dims:
        n = sorted(rng.randrange(dims) for _ in range(2))
        return member, n, x.flatten(*n)
    if member == 7 and 0 < x.numel() < 300 and dims < 5:
        n = [rng.randint(1, 3)] + [rng.randint(1, 3) if e == 1 else e for e in x.shape]
        return member, n, x.expand(n)
    if member in (8, 9):
        n = reshaped(rng, x.shape)
        try:
            return member, n, x.reshape(n) if member == 8 else x.view(n)
        except RuntimeError:
            return member, n, None
    if member == 12:
        dtype = rng.choice(list(NAME))
        if x.dtype.is_floating_point and not dtype.is_floating_point and not within(x, dtype):
            dtype = torch.float32  # that conversion is undefined in torch
        return member, [DTYPES.index(dtype)], x.to(dtype)
    if member == 14 and dims:
        n = [d, rng.randint(-4, 4), rng.randint(-4, 9), rng.randint(1, 3)]
        return member, n, torch.ops.aten.slice(x, *n)
    if member == 15 and dims > 1:
        n = [rng.randint(-2, 3), *rng.sample(range(dims), 2)]
        return member, n, x.diagonal(*n)
    if member == 16 and dims:
        n = [d, rng.randrange(-dims, dims)]
        return member, n, x.movedim(*n)
    if member == 17 and 0 < dims < 5 and x.size(d):
        n = [d, rng.choice([k for k in range(1, x.size(d) + 1) if x.size(d) % k == 0]), -1]
        return member, n, x.unflatten(d, n[1:])
    if member == 18 and dims:
        chunks = rng.randint(1, 4)
        n = [chunks, d, rng.randrange(len(x.chunk(chunks, d)))]
        return member, n, x.chunk(chunks, d)[n[2]]
    if member == 19 and dims and x.dtype in (torch.float32, torch.float64, torch.int64):
        n = [rng.choice([k for k in range(1, 9) if x.size(d) % k == 0]), d]
        return member, n, MEMBERS[19](x, *n)
    return (10, [], x.contiguous()) if member % 2 else (11, [], x.clone())


def converted(x, dtype):
    y = x.to(dtype)
    if y is not x:
        y.detach().copy_(round_to(x.detach(), dtype))
    return y


MEMBERS = (
    lambda x, *n: x.transpose(*n), lambda x, *n: x.permute(n), lambda x, *n: x.narrow(*n),
    lambda x, *n: x.select(*n), lambda x, *n: x.squeeze(*n), lambda x, *n: x.unsqueeze(*n),
    lambda x, *n: x.flatten(*n), lambda x, *n: x.expand(n), lambda x, *n: x.reshape(n),
    lambda x, *n: x.view(n), lambda x: x.contiguous(), lambda x: x.clone(),
    lambda x, n: converted(x, DTYPES[n]), lambda x: x.squeeze(),
    lambda x, *n: torch.ops.aten.slice(x, *n), lambda x, *n: x.diagonal(*n),
    lambda x, *n: x.movedim(*n), lambda x, d, *n: x.unflatten(d, n),
    lambda x, n, d, i: x.chunk(n, d)[i],
    lambda x, n, d: x.tensor_split(n, d)[0] + x.tensor_split(n, d)[-1])


@op("Tensor")
def members(name, rng, dtype):
    """Members of Tensor, one after the other."""
    drawn = tensor(rng, sizes(rng), dtype)
    x, calls, numbers = drawn.view(), [], []
    for _ in range(rng.randint(1, 5)):
        member, arguments, x = chosen_member(rng, x)
        calls.append((member, arguments))
        numbers += [member, len(arguments), *arguments]
        if x is None:
            break

    def run(x):
        for member, arguments in calls:
            x = MEMBERS[member](x, *arguments)
        return x
    return Call(name, [drawn], numbers, run, smooth=False, copies=True)
