# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Ops that move elements by indices and masks. As ops.py, of which it is a part."""

import math

import torch

from draw import BY_NAME, FLOAT8, sizes, tensor
from ops import Call, indices, op

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def smaller(rng, shape, dim, most=6):
    """A shape of an index: no larger than `shape`, of any length along `dim`."""
    result = [n if rng.random() < 0.6 else rng.randint(min(n, 1), n) for n in shape]
    result[dim] = rng.randint(0, most) if rng.random() < 0.1 else rng.randint(1, most)
    return result if 0 not in shape[:dim] + shape[dim + 1:] else list(shape)


def indexed(rng, dtype):
    """x, dim, and an index for it."""
    x = tensor(rng, sizes(rng, least=1, empty=0), dtype)
    dim = rng.randrange(-len(x.sizes), len(x.sizes))
    return x, dim, indices(rng, smaller(rng, x.sizes, dim), x.sizes[dim])


def distinct(rng, x, dim):
    """An index whose lines name nothing twice, so that the order does not matter."""
    shape = smaller(rng, x.sizes, dim, x.sizes[dim])
    d = dim % len(shape)
    lines = [rng.sample(range(x.sizes[d]), shape[d]) for _ in range(math.prod(shape) // max(shape[d], 1))]
    moved = shape[:d] + shape[d + 1:] + [shape[d]]
    contents = torch.tensor(lines, dtype=torch.int64).reshape(moved).movedim(-1, d)
    return tensor(rng, shape, rng.choice([torch.int64, torch.int32]), contents=contents)


@op("gather")
def gather(name, rng, dtype):
    x, dim, index = indexed(rng, dtype)
    return Call(name, [x, index], [dim], lambda x, i: torch.gather(x, dim, i.long()))


@op("take_along_dim")
def take_along_dim(name, rng, dtype):
    if rng.random() < 0.2:
        x = tensor(rng, sizes(rng, empty=0), dtype)
        index = indices(rng, sizes(rng, most=2), math.prod(x.sizes))
        return Call(name + ".all", [x, index], [],
                    lambda x, i: torch.take_along_dim(x, i.long()))
    shape = sizes(rng, least=1, empty=0)
    dim = rng.randrange(-len(shape), len(shape))
    of_index = [1 if rng.random() < 0.3 else n for n in shape]
    x = tensor(rng, [1 if rng.random() < 0.2 else n for n in shape], dtype)
    of_index[dim] = rng.randint(0, 5)
    index = indices(rng, of_index, x.sizes[dim])
    return Call(name, [x, index], [dim], lambda x, i: torch.take_along_dim(x, i.long(), dim))


@op("take")
def take(name, rng, dtype):
    x = tensor(rng, sizes(rng, empty=0), dtype)
    count = math.prod(x.sizes)
    index = indices(rng, sizes(rng, most=3), 2 * count)
    index.storage.sub_(count)
    return Call(name, [x, index], [], lambda x, i: torch.take(x, i.long()))


@op("scatter")
def scatter(name, rng, dtype):
    x = tensor(rng, sizes(rng, least=1, empty=0), dtype)
    dim = rng.randrange(-len(x.sizes), len(x.sizes))
    index = distinct(rng, x, dim)
    if rng.random() < 0.3:
        n = rng.choice([0, 1, 0.5])
        return Call(name + ".number", [x, index], [dim, n],
                    lambda x, i: torch.scatter(x, dim, i.long(), n), copies=True)
    src = tensor(rng, index.sizes, dtype)
    return Call(name, [x, index, src], [dim],
                lambda x, i, s: torch.scatter(x, dim, i.long(), s), copies=True)


@op("scatter_add")
def scatter_add(name, rng, dtype):
    x, dim, index = indexed(rng, dtype)
    return Call(name, [x, index, tensor(rng, index.sizes, dtype)], [dim],
                lambda x, i, s: torch.scatter_add(x, dim, i.long(), s))


@op("scatter_reduce")
def scatter_reduce(name, rng, dtype):
    x, dim, index = indexed(rng, dtype)
    reduce, include = rng.randrange(5), rng.random() < 0.6
    smooth = reduce < 3
    return Call(name, [x, index, tensor(rng, index.sizes, dtype)], [dim, reduce, include],
                lambda x, i, s: torch.scatter_reduce(x, dim, i.long(), s, REDUCTIONS[reduce],
                                                     include_self=include), smooth=smooth)


def slices(rng, dtype, unique=False):
    """x, dim, an index of its slices, and the shape of a source."""
    x = tensor(rng, sizes(rng, least=1, empty=0.02), dtype)
    dim = rng.choice([d for d in range(len(x.sizes)) if x.sizes[d]] or [0])
    extent = x.sizes[dim]
    if not extent:
        index = indices(rng, [0], 1)
    elif unique:
        count = rng.randint(0, extent)
        index = tensor(rng, [count], torch.int64,
                       contents=torch.tensor(rng.sample(range(extent), count), dtype=torch.int64))
    else:
        index = indices(rng, [] if rng.random() < 0.1 else [rng.randint(0, 6)], extent)
    source = list(x.sizes)
    source[dim] = math.prod(index.sizes)
    return x, dim - rng.choice([0, len(x.sizes)]), index, source


@op("index_add")
def index_add(name, rng, dtype):
    x, dim, index, source = slices(rng, dtype)
    alpha = rng.choice([1, 2, -3] + ([0.5, -1.25] if dtype.is_floating_point else []))
    if dtype == torch.bool:
        alpha = 1
    return Call(name, [x, index, tensor(rng, source, dtype)], [dim, alpha],
                lambda x, i, s: torch.index_add(x, dim, i.long(), s, alpha=alpha))


@op("index_copy")
def index_copy(name, rng, dtype):
    x, dim, index, source = slices(rng, dtype, unique=True)
    return Call(name, [x, index, tensor(rng, source, dtype)], [dim],
                lambda x, i, s: torch.index_copy(x, dim, i.long(), s), copies=True)


@op("index_fill")
def index_fill(name, rng, dtype):
    x, dim, index, _ = slices(rng, dtype)
    n = rng.choice([0, 1, 0.5])
    return Call(name, [x, index], [dim, n], lambda x, i: torch.index_fill(x, dim, i.long(), n),
                copies=True)


def mask(rng, shape):
    return tensor(rng, shape, torch.bool)


def listed(rng, x):
    """A list of indices for x, None for whole dimensions, and which of them are given."""
    if rng.random() < 0.25:
        dims = rng.randint(1, len(x.sizes))
        first = rng.randint(0, len(x.sizes) - dims)
        given = [None] * first + [mask(rng, x.sizes[first:first + dims])]
        return given
    count = rng.randint(1, len(x.sizes))
    given = [None if rng.random() < 0.3 else True for _ in range(count)]
    if not any(given):
        given[-1] = True
    shape = sizes(rng, most=2, empty=0.05)
    for d, wanted in enumerate(given):
        if wanted:
            index = indices(rng, [1 if rng.random() < 0.2 else n for n in shape],
                            2 * max(x.sizes[d], 1))
            index.storage.sub_(max(x.sizes[d], 1))
            given[d] = index
    return given


def long(i):
    return i if i is None or i.dtype == torch.bool else i.long()


@op("index")
def index(name, rng, dtype):
    x = tensor(rng, sizes(rng, least=1, empty=0), dtype)
    given = listed(rng, x)
    # Python's way of writing it, which reads more than aten's.
    return Call(name, [x, *given], [],
                lambda x, *i: x[tuple(slice(None) if k is None else long(k) for k in i)])


@op("index_put")
def index_put(name, rng, dtype):
    x = tensor(rng, sizes(rng, least=1, empty=0), dtype)
    given = listed(rng, x)
    views = [None if i is None else long(i.view()) for i in given]
    picked = x.view()[tuple(slice(None) if k is None else k for k in views)].shape
    flat = torch.arange(math.prod(x.sizes)).reshape(x.sizes)[
        tuple(slice(None) if k is None else k for k in views)]
    unique = flat.unique().numel() == flat.numel()
    accumulate = not unique or rng.random() < 0.5
    values = tensor(rng, [1 if rng.random() < 0.2 else n for n in picked], dtype)
    return Call(name, [x, values, *given], [accumulate],
                lambda x, v, *i: torch.ops.aten.index_put(x, [long(k) for k in i], v, accumulate),
                copies=not accumulate)


@op("masked_select")
def masked_select(name, rng, dtype):
    x = tensor(rng, sizes(rng), dtype)
    chosen = mask(rng, [1 if rng.random() < 0.2 else n for n in x.sizes])
    return Call(name, [x, chosen], [], torch.masked_select, copies=True)


@op("masked_scatter")
def masked_scatter(name, rng, dtype):
    x = tensor(rng, sizes(rng), dtype)
    chosen = mask(rng, [1 if rng.random() < 0.2 else n for n in x.sizes])
    source = tensor(rng, [math.prod(x.sizes) + rng.randint(0, 2)], dtype)
    return Call(name, [x, chosen, source], [], torch.masked_scatter, copies=True)


@op("nonzero", "argwhere")
def nonzero(name, rng, dtype):
    return Call(name, [tensor(rng, sizes(rng), dtype, requires_grad=False)], [],
                getattr(torch, name), smooth=False)


@op("repeat_interleave")
def repeat_interleave(name, rng, dtype):
    x = tensor(rng, sizes(rng, least=1, empty=0), dtype)
    if rng.random() < 0.2:
        dim, extent = None, math.prod(x.sizes)
    else:
        dim = rng.randrange(-len(x.sizes), len(x.sizes))
        extent = x.sizes[dim]
    repeats = indices(rng, [1] if rng.random() < 0.2 else [extent], 4)
    numbers = [] if dim is None else [dim]
    return Call(name, [x, repeats], numbers,
                lambda x, r: torch.repeat_interleave(x, r.long(), dim))


@op("bincount")
def bincount(name, rng, dtype):
    index = indices(rng, [rng.randint(0, 20)], 7)
    least = rng.choice([0, 0, 3, 12])
    if rng.random() < 0.5 or dtype in FLOAT8 or dtype == torch.bool:
        return Call(name, [index], [least], lambda i: torch.bincount(i, minlength=least),
                    smooth=False)
    weights = tensor(rng, index.sizes, dtype, requires_grad=False)
    return Call(name, [index, weights], [least],
                lambda i, w: torch.bincount(i, w, minlength=least), smooth=False)
