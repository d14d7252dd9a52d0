# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Random calls of orders, scans, searches and counts. As ops.py, of which it is a part.

torch takes any of several equal elements in topk, kthvalue and median; amp takes them in the order
of their positions, as a stable sort has it, so that is what it is compared with."""

import torch

from draw import FLOAT8, FLOATS, INTEGERS, LOW, broadcastable, sizes, tensor
from ops import Call, op, reduced, several

HOW = ("linear", "lower", "higher", "nearest", "midpoint")


def line(rng, dtype, empty=0.03):
    shape = sizes(rng, least=1, empty=empty)
    return shape, rng.randint(-len(shape), len(shape) - 1)


@op("sort", "argsort", "msort")
def sorts(name, rng, dtype):
    if name == "msort":
        return Call(name, [tensor(rng, sizes(rng, least=1), dtype)], [],
                    lambda x: torch.sort(x, 0, stable=True)[0], smooth=False)
    shape, dim = line(rng, dtype)
    descending = rng.random() < 0.5
    if rng.random() < 0.15:  # long enough to be sorted by digits
        shape[dim] = rng.choice([65, 200, 700])
        shape = [n if d == dim % len(shape) else min(n, 3) for d, n in enumerate(shape)]

    def run(x):
        found = torch.sort(x, dim=dim, descending=descending, stable=True)
        return found if name == "sort" else found[1]
    return Call(name, [tensor(rng, shape, dtype)], [dim, descending], run, smooth=False)


@op("topk", "kthvalue")
def chosen(name, rng, dtype):
    shape, dim = line(rng, dtype, empty=0)
    if rng.random() < 0.2:
        shape[dim] = rng.choice([65, 200, 700])
        shape = [n if d == dim % len(shape) else min(n, 3) for d, n in enumerate(shape)]
    n, flag = shape[dim], rng.random() < 0.5
    k = rng.randint(name == "kthvalue", n if rng.random() < 0.5 else min(n, 5))
    x = tensor(rng, shape, dtype)
    if name == "topk":
        return Call(name, [x], [k, dim, flag], lambda x: [
            t.narrow(dim, 0, k) for t in torch.sort(x, dim=dim, descending=flag, stable=True)],
            smooth=False)

    def run(x):
        found = [t.narrow(dim, k - 1, 1) for t in torch.sort(x, dim=dim, stable=True)]
        return found if flag else [t.squeeze(dim) for t in found]
    return Call(name, [x], [k, dim, flag], run, smooth=False)


@op("median")
def median(name, rng, dtype):
    if rng.random() < 0.3:
        return Call(name, [tensor(rng, sizes(rng, empty=0), dtype)], [], torch.median, smooth=False)
    x, dim, keep = reduced(rng, dtype)

    def run(x):
        values, places = torch.sort(x, dim=dim, stable=True)
        n = x.size(dim)
        at = torch.full(values.narrow(dim, 0, 1).shape, (n - 1) // 2)
        if x.dtype.is_floating_point:
            count = values.isnan().sum(dim, keepdim=True)
            at = torch.where(count > 0, n - count, at)
        found = [t.gather(dim, at) for t in (values, places)]
        return found if keep else [t.squeeze(dim) for t in found]
    return Call(name + ".dim", [x], [dim, keep], run, smooth=False)


@op("quantile")
def quantile(name, rng, dtype):
    if not dtype.is_floating_point:
        dtype = torch.float32
    x, dim, keep = reduced(rng, dtype)
    q, how = rng.choice([0.25, 0.5, 0.75, 0.375, 0.9375]), rng.randrange(5)

    def run(x):  # computed in float32 at least, and rounded once
        wide = torch.sort(x.to(torch.promote_types(x.dtype, torch.float32)), dim, stable=True)[0]
        n = wide.size(dim)
        place = torch.tensor(q, dtype=wide.dtype) * (n - 1)
        place = {"lower": place.floor(), "higher": place.ceil(), "nearest": place.round()}.get(HOW[how], place)
        below, t = int(place.floor()), place - place.floor()
        if HOW[how] == "midpoint" and t > 0:
            t = torch.full_like(t, 0.5)
        last, found = wide.narrow(dim, n - 1, 1), wide.narrow(dim, below, 1)
        if t > 0:
            found = found.lerp(wide.narrow(dim, below + 1, 1), t)
        found = torch.where(last.isnan(), last, found).to(x.dtype)
        return found if keep else found.squeeze(dim)
    return Call(name, [x], [q, dim, keep, how], run)


@op("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin")
def scan(name, rng, dtype):
    if name == "logcumsumexp" and not dtype.is_floating_point:
        dtype = torch.float32
    shape, dim = line(rng, dtype)
    if rng.random() < 0.15:  # several panels
        shape[dim] = rng.choice([300, 600])
        shape = [n if d == dim % len(shape) else min(n, 3) for d, n in enumerate(shape)]
    run = getattr(torch, name)
    return Call(name + ".dim", [tensor(rng, shape, dtype)], [dim], lambda x: run(x, dim),
                smooth=name[:4] not in ("cumm",))


def other_dtype(rng, dtype):
    """Mostly `dtype` itself."""
    return dtype if dtype in FLOAT8 or rng.random() < 0.7 else rng.choice(FLOATS + INTEGERS)


@op("searchsorted", "bucketize")
def search(name, rng, dtype):
    right = rng.random() < 0.5
    several_lines = name == "searchsorted" and rng.random() < 0.4
    shape = sizes(rng, least=1)
    lines = shape[:-1] + [rng.choice([1, 2, 5, 33])] if several_lines else [rng.choice([0, 1, 2, 5, 33])]
    ties = "ties" if dtype.is_floating_point else None
    sought = other_dtype(rng, dtype)
    kind = ties if sought.is_floating_point and rng.random() < 0.5 else None
    values = tensor(rng, shape, sought, kind, requires_grad=False)
    count = 1
    for n in lines:
        count *= n
    drawn = tensor(rng, [count], dtype, ties, requires_grad=False).view().clone()
    in_order = torch.sort(drawn.to(torch.float32 if dtype.itemsize < 4 else dtype).reshape(lines))[0]
    boundaries = tensor(rng, lines, dtype, requires_grad=False, contents=in_order.to(dtype).flatten())
    if name == "bucketize":
        return Call(name, [values, boundaries], [right],
                    lambda x, b: torch.bucketize(x, b, right=right), smooth=False)
    return Call(name, [boundaries, values], [right],
                lambda b, x: torch.searchsorted(b, x, right=right), smooth=False)


@op("histc")
def histc(name, rng, dtype):
    if not dtype.is_floating_point or dtype in FLOAT8:  # which do not hold all counts
        dtype = torch.float32
    n = [rng.choice([1, 3, 4, 8]), *rng.choice([(-2.0, 2.0), (0.0, 0.0), (1.0, 1.0), (-1.0, 3.0)])]
    x = tensor(rng, sizes(rng), dtype, rng.choice(["ties", "normal"]), requires_grad=False)
    return Call(name, [x], n, lambda x: torch.histc(  # in float32 at least, as amp
        x.to(torch.promote_types(x.dtype, torch.float32)), *n).long(), smooth=False)


@op("unique", "unique_consecutive")
def unique(name, rng, dtype):
    x = tensor(rng, sizes(rng), dtype, "ties" if dtype.is_floating_point and rng.random() < 0.6 else None,
               requires_grad=False)

    def run(x):
        found = torch.unique(x, True, True, True) if name == "unique" else \
            torch.unique_consecutive(x, True, True)
        return found[::-1]
    return Call(name, [x], [], run, smooth=False)


@op("any", "all", "count_nonzero")
def truth(name, rng, dtype):
    shape = sizes(rng, least=1)
    x, dims = tensor(rng, shape, dtype, requires_grad=False), several(rng, shape)
    run = getattr(torch, name)
    if not dims:
        return Call(name, [x], [], lambda x: run(x), smooth=False)
    if name == "count_nonzero":
        return Call(name + ".dims", [x], dims, lambda x: run(x, dims), smooth=False)
    keep = rng.random() < 0.5
    return Call(name + ".dims", [x], [keep] + dims, lambda x: run(x, dim=dims, keepdim=keep),
                smooth=False)


@op("argmin", "aminmax")
def least(name, rng, dtype):
    run = getattr(torch, name)
    if name == "argmin" and dtype == torch.bool:
        dtype = rng.choice(INTEGERS)
    if rng.random() < 0.3:
        return Call(name, [tensor(rng, sizes(rng, empty=0), dtype)], [], lambda x: run(x), smooth=False)
    x, dim, keep = reduced(rng, dtype)
    return Call(name + ".dim", [x], [dim, keep], lambda x: run(x, dim=dim, keepdim=keep),
                smooth=False)


@op("var_mean", "std_mean")
def moments(name, rng, dtype):
    if not dtype.is_floating_point:
        dtype = torch.float32
    shape = sizes(rng, least=1, empty=0)
    x, dims, keep = tensor(rng, shape, dtype), several(rng, shape), rng.random() < 0.5
    correction = rng.choice([0, 1, 1, 2])
    listed = dims or list(range(len(shape)))
    return Call(name + ".dims", [x], [correction, keep] + dims, lambda x: getattr(torch, name)(
        x, listed, correction=correction, keepdim=keep))


@op("isclose", "isin")
def likeness(name, rng, dtype):
    if dtype in FLOAT8 or (name == "isin" and dtype == torch.bool):
        dtype = torch.float32
    if name == "isin":
        x, invert = tensor(rng, sizes(rng), dtype), rng.random() < 0.5
        tested = tensor(rng, sizes(rng), other_dtype(rng, dtype))
        return Call(name, [x, tested], [invert], lambda a, b: torch.isin(a, b, invert=invert),
                    smooth=False)
    if dtype in LOW:  # which torch compares in 16 bits
        dtype = torch.float32
    shape = sizes(rng)
    numbers = [rng.choice([0.0, 1e-5, 0.25]), rng.choice([0.0, 1e-8, 0.5]), rng.random() < 0.5]
    return Call(name, [tensor(rng, shape, dtype), tensor(rng, broadcastable(rng, shape), dtype)],
                numbers, lambda x, y: torch.isclose(x, y, *numbers), smooth=False)
