# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Random calls of interpolate, grid_sample and affine_grid. As ops.py, of which it is a part."""

import math

import torch
import torch.nn.functional as F

from draw import FLOATS, tensor
from ops import Call, op

MODES = ("nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area")
FINITE = ("normal", "normal", "ties", "wide", "small")


def of_floats(dtype):
    return dtype if dtype in FLOATS else torch.float32


@op("interpolate")
def interpolate(name, rng, dtype):
    mode = rng.choice(MODES)
    dims = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}.get(mode) or rng.randint(1, 3)
    nearest = mode.startswith("nearest")
    aligned = not nearest and mode != "area" and rng.random() < 0.4
    antialias = mode in ("bilinear", "bicubic") and rng.random() < 0.4
    extents = [rng.choice([1, 2, 3, 5, 8, 13] if dims < 3 else [1, 2, 3, 4]) for _ in range(dims)]
    size = [rng.randint(1, 12 if dims < 3 else 5) for _ in range(dims)]
    numbers, given, recompute = [1] + size, {"size": size}, False
    factors = [rng.choice([0.5, 2.0, 3.0, 1.5, rng.uniform(0.3, 3)]) for _ in range(dims)]
    outputs = [math.floor(n * f) for n, f in zip(extents, factors)]
    # torch contradicts itself of factors that change no extent: see known differences of goldens.
    if rng.random() < 0.5 and min(outputs) > 0 and \
            all(n != m or f == 1 for n, m, f in zip(extents, outputs, factors)):
        recompute = rng.random() < 0.2
        numbers, given = [0] + factors, {"scale_factor": factors}
        size = outputs
        if dims > 1 and nearest and any(m == 2 * n and f != 2 for n, m, f in
                                        zip(extents, outputs, factors)) or dims != 2 and nearest:
            numbers, given, recompute = [1] + size, {"size": size}, False
    if antialias and 1 in (extents[1], size[1]):  # torch repeats the first row of one column
        antialias = False
    x = tensor(rng, [rng.randint(1, 2), rng.randint(1, 3)] + extents, of_floats(dtype),
               rng.choice(FINITE))
    if not nearest and mode != "area":
        given["align_corners"] = aligned
    return Call(name, [x], [MODES.index(mode), aligned, recompute, antialias] + numbers,
                lambda x: F.interpolate(x, mode=mode, antialias=antialias,
                                        recompute_scale_factor=recompute or None, **given),
                smooth=not nearest, policy="float32")


@op("grid_sample")
def grid_sample(name, rng, dtype):
    dtype = of_floats(dtype)
    dims = rng.choice([2, 2, 3])
    mode = rng.choice(["bilinear", "nearest"] + ["bicubic"] * (dims == 2))
    padding = rng.choice(["zeros", "border", "reflection"])
    aligned, batch = rng.random() < 0.5, rng.randint(1, 2)
    x = tensor(rng, [batch, rng.randint(1, 3)] + [rng.choice([1, 2, 3, 5, 8]) for _ in range(dims)],
               dtype, rng.choice(FINITE))
    shape = [batch] + [rng.randint(1, 4) for _ in range(dims)] + [dims]
    # Away from the places at which a derivative jumps.
    places = [rng.randint(-40, 40) / 32 + 1 / 128 for _ in range(math.prod(shape))]
    grid = tensor(rng, shape, dtype, contents=torch.tensor(places, dtype=torch.float64).to(dtype))
    numbers = [("bilinear", "nearest", "bicubic").index(mode),
               ("zeros", "border", "reflection").index(padding), aligned]
    return Call(name, [x, grid], numbers,
                lambda x, g: F.grid_sample(x, g, mode, padding, aligned),
                smooth=False, policy="promote")


@op("affine_grid")
def affine_grid(name, rng, dtype):
    dims, batch, aligned = rng.choice([2, 3]), rng.randint(1, 2), rng.random() < 0.5
    theta = tensor(rng, [batch, dims, dims + 1], of_floats(dtype), rng.choice(FINITE))
    size = [batch, rng.randint(1, 3)] + [rng.choice([1, 2, 3, 5]) for _ in range(dims)]

    def run(t):  # rounded once, as amp's: torch rounds the points too
        wide = t.to(torch.promote_types(t.dtype, torch.float32))
        return F.affine_grid(wide, size, aligned).to(t.dtype)
    return Call(name, [theta], [aligned] + size, run, policy="as they are")
