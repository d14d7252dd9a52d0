# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Random calls of ops that move elements. As ops.py, of which it is a part."""

import torch
import torch.nn.functional as F

from draw import FLOAT8, broadcastable, sizes, tensor
from ops import Call, op

MODES = ("constant", "reflect", "replicate", "circular")


def moved(name, tensors, numbers, run):
    return Call(name, tensors, numbers, run, smooth=False, copies=True)


def dims_of(rng, shape, most=9):
    d = rng.sample(range(len(shape)), rng.randint(0, min(len(shape), most)))
    return [n - len(shape) if rng.random() < 0.4 else n for n in d]


@op("flip")
def flip(name, rng, dtype):
    shape = sizes(rng)
    d = dims_of(rng, shape)
    return moved(name, [tensor(rng, shape, dtype)], d, lambda x: torch.flip(x, d))


@op("fliplr", "flipud")
def flip_of_picture(name, rng, dtype):
    shape = sizes(rng, least=2 if name == "fliplr" else 1)
    return moved(name, [tensor(rng, shape, dtype)], [], getattr(torch, name))


@op("roll")
def roll(name, rng, dtype):
    shape = sizes(rng)
    x = tensor(rng, shape, dtype)
    if rng.random() < 0.3 or not shape:
        n = rng.randint(-9, 9)
        return moved(name, [x], [n], lambda x: torch.roll(x, n))
    d = [rng.randrange(-len(shape), len(shape)) for _ in range(rng.randint(1, 3))]
    shifts = [rng.randint(-9, 9) for _ in d]
    return moved("roll.dims", [x], shifts + d, lambda x: torch.roll(x, shifts, d))


@op("rot90")
def rot90(name, rng, dtype):
    shape = sizes(rng, least=2)
    k, d = rng.randint(-5, 5), rng.sample(range(len(shape)), 2)
    return moved(name, [tensor(rng, shape, dtype)], [k, *d], lambda x: torch.rot90(x, k, d))


@op("pad")
def pad(name, rng, dtype):
    mode = rng.choice(MODES)
    value = rng.choice([0, 1, -2.5, 0.25]) if mode == "constant" else 0
    if mode == "constant":
        shape = sizes(rng)
        pairs = rng.randint(0, len(shape))
    else:
        pairs = rng.randint(1, 3)
        shape = [rng.choice([1, 2, 3, 5, 7]) for _ in range(pairs + rng.randint(1, 2))]
    numbers = []
    for i in range(pairs):
        extent = shape[-1 - i]
        most = {"constant": 4, "reflect": extent - 1, "replicate": 5, "circular": extent}[mode]
        least = 0 if mode == "circular" and extent < 4 else -min(1, extent // 2)
        numbers += [rng.randint(least, most if least == 0 or mode != "circular" else most - 2)
                    for _ in range(2)]  # torch goes round more often in what it crops
    keywords = {"value": value} if mode == "constant" else {}
    sums = mode != "constant"  # torch rounds each
    return Call(name, [tensor(rng, shape, dtype)], [MODES.index(mode), value, *numbers],
                lambda x: F.pad(x, numbers, mode=mode, **keywords), smooth=sums, copies=not sums)


@op("repeat", "tile")
def repeat(name, rng, dtype):
    shape = sizes(rng, most=3)
    count = rng.randint(len(shape), 4) if name == "repeat" else rng.randint(0, 4)
    n = [rng.choice([1, 1, 2, 3, 0]) for _ in range(count)]
    return Call(name, [tensor(rng, shape, dtype)], n, lambda x: getattr(x, name)(n))


@op("repeat_interleave")
def repeat_interleave(name, rng, dtype):
    shape = sizes(rng, most=3)
    n = [rng.randint(0, 4)]
    if shape and rng.random() < 0.7:
        n.append(rng.randrange(-len(shape), len(shape)))
    return Call(name, [tensor(rng, shape, dtype)], n, lambda x: torch.repeat_interleave(x, *n))


@op("pixel_shuffle", "pixel_unshuffle", "channel_shuffle")
def shuffle(name, rng, dtype):
    r = rng.randint(1, 3)
    c, h, w = (rng.randint(1, 3) for _ in range(3))
    lead = sizes(rng, most=2, empty=0)
    shape = {"pixel_shuffle": [*lead, c * r * r, h, w], "pixel_unshuffle": [*lead, c, h * r, w * r],
             "channel_shuffle": [2, c * r, *sizes(rng, least=1, most=3, empty=0)]}[name]
    return moved(name, [tensor(rng, shape, dtype)], [r], lambda x: getattr(F, name)(x, r))


@op("tril", "triu")
def triangle(name, rng, dtype):
    d = rng.randint(-4, 4)
    return moved(name, [tensor(rng, sizes(rng, least=2), dtype)], [d],
                 lambda x: getattr(torch, name)(x, d))


@op("trace")
def trace(name, rng, dtype):
    return Call(name, [tensor(rng, sizes(rng, least=2, most=2), dtype)], [], torch.trace)


@op("diag")
def diag(name, rng, dtype):
    d = rng.randint(-3, 3)
    return moved(name, [tensor(rng, sizes(rng, least=1, most=2), dtype)], [d],
                 lambda x: torch.diag(x, d))


@op("diag_embed")
def diag_embed(name, rng, dtype):
    shape = sizes(rng, least=1, most=3)
    n = [rng.randint(-3, 3), *rng.sample(range(len(shape) + 1), 2)]
    return moved(name, [tensor(rng, shape, dtype)], n, lambda x: torch.diag_embed(x, *n))


@op("diff")
def diff(name, rng, dtype):
    shape = sizes(rng, least=1)
    n = rng.choice([1, 1, 1, 0, 2, 9]) if dtype not in FLOAT8 else 1  # each is rounded
    d = rng.randrange(-len(shape), len(shape))
    return Call(name, [tensor(rng, shape, dtype)], [n, d], lambda x: torch.diff(x, n, d))


@op("clamp")
def clamp(name, rng, dtype):
    shape = sizes(rng)
    x = tensor(rng, shape, dtype)
    form = rng.choice(["", "", ".min", ".max", ".tensors"])
    if form == ".tensors":
        bounds = [tensor(rng, broadcastable(rng, shape), dtype, "normal")
                  if rng.random() < 0.8 else None for _ in range(2)]
        return Call(name + form, [x, *bounds], [], torch.clamp, smooth=False)
    draw = lambda: rng.randint(-2, 3) if rng.random() < 0.5 else rng.choice([-0.5, 0.25, 1.5])
    low, high = draw(), draw()
    if form == ".min":
        return Call(name + form, [x], [low], lambda x: torch.clamp(x, min=low), smooth=False)
    if form == ".max":
        return Call(name + form, [x], [high], lambda x: torch.clamp(x, max=high), smooth=False)
    return Call(name, [x], [low, high], lambda x: torch.clamp(x, low, high), smooth=False)


@op("masked_fill")
def masked_fill(name, rng, dtype):
    shape = sizes(rng)
    x = tensor(rng, broadcastable(rng, shape) if rng.random() < 0.2 else shape, dtype)
    mask = tensor(rng, broadcastable(rng, shape), torch.bool)
    if rng.random() < 0.3:
        value = tensor(rng, [], dtype, "normal")
        return moved("masked_fill.tensor", [x, mask, value], [],
                     lambda x, m, v: torch.masked_fill(x, m, v))
    n = rng.choice([0, 1, 3, -2.0, 0.5]) if dtype.is_floating_point else rng.choice([0, 1, 3])
    return moved(name, [x, mask], [n], lambda x, m: torch.masked_fill(x, m, n))


@op("hstack", "vstack", "dstack")
def stacks(name, rng, dtype):
    shape = sizes(rng)
    along = {"hstack": 1 if len(shape) > 1 else 0, "vstack": 0, "dstack": 2}[name]
    parts = []
    for _ in range(rng.randint(1, 3)):
        mine = list(shape)
        if along < len(shape) and (len(shape) > 1 or name == "hstack"):
            mine[along] = rng.randint(0, 3)
        parts.append(tensor(rng, mine, dtype))
    return moved(name, parts, [], lambda *all: getattr(torch, name)(all))


@op("cartesian_prod")
def cartesian_prod(name, rng, dtype):
    parts = [tensor(rng, [rng.randint(0, 4)], dtype) for _ in range(rng.randint(1, 3))]
    return Call(name, parts, [], lambda *all: torch.cartesian_prod(*all))
