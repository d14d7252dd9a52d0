# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Golden cases of ops that move elements, for make_ops.py."""

import torch
import torch.nn.functional as F

from cases import INFINITY, NAN, case, coarse, floats, values

MODES = ("constant", "reflect", "replicate", "circular")  # in the order of amp::PadMode


def cutting_views():
    x = values((3, 4, 5), 2)

    def first(parts):
        return parts[0] if len(parts) == 1 else (parts[0], *parts[1:])

    def view(op, detail, function, *attributes, of=x):
        case(f"Tensor::{op}", detail, function, of, attributes=attributes)

    # The first of several views is the one that is differentiated: so it is the i-th here.
    for n, d in ((3, 2), (2, -1), (7, 0), (1, 1)):
        view("chunk", f"into {n} along {d}", lambda t: first(t.chunk(n, d)), n, d)
    view("chunk", "of nothing", lambda t: first(t.chunk(2, 0)), 2, 0, of=values((0, 2), 1))
    view("split", "by 2", lambda t: first(t.split(2, 1)), 2, 1)
    view("split", "of one", lambda t: first(t.split(1, 0)), 1, 0, of=values((1,), 1))
    view("split", "by 3", lambda t: first(t.split(3, -1)), 3, -1)
    view("split(sizes)", "1, 0 and 4", lambda t: first(t.split([1, 0, 4], 2)), 2, 1, 0, 4)
    view("split(sizes)", "all", lambda t: first(t.split([3], 0)), 0, 3)
    view("tensor_split", "into 3", lambda t: first(t.tensor_split(3, 2)), 3, 2)
    view("tensor_split", "into more than there are", lambda t: first(t.tensor_split(5, 0)), 5, 0)
    view("tensor_split(indices)", "in order and not", lambda t: first(t.tensor_split((2, 9, 1), 1)), 1, 2, 9, 1)
    view("tensor_split(indices)", "negative", lambda t: first(t.tensor_split((-2,), 2)), 2, -2)
    for d in (0, 1, -1):
        view("unbind", f"{d}", lambda t: first(t.unbind(d)), d)
    view("movedim", "one", lambda t: t.movedim(0, -1), 0, -1)
    view("movedim", "two", lambda t: t.movedim((0, 1), (2, 0)), 0, 1, 2, 0)
    view("swapaxes", "0 and 2", lambda t: t.swapaxes(0, 2), 0, 2)
    view("swapdims", "-1 and 1", lambda t: t.swapdims(-1, 1), -1, 1)
    view("unflatten", "in the middle", lambda t: t.unflatten(1, (2, -1)), 1, 2, -1)
    view("unflatten", "of nothing", lambda t: t.unflatten(0, (0, 2)), 0, 0, 2, of=values((0, 3), 1))
    for n in ((0, 0, 1), (1, 0, 2), (-2, 1, 2), (-1, 2, 0), (7, 0, 1)):
        view("diagonal", f"{n}", lambda t: t.diagonal(*n), *n)
    for d, a, b, s in ((0, 0, 3, 2), (2, 1, 5, 3), (1, -3, -1, 1), (2, 4, 2, 1), (-1, -9, 9, 2)):
        view("slice", f"{d}: {a}:{b}:{s}", lambda t: torch.ops.aten.slice(t, d, a, b, s), d, a, b, s)
    view("broadcast_to", "more rows", lambda t: t.broadcast_to((2, 3, 2)), 2, 3, 2, of=values((3, 1), 3))


def turned_copies():
    x, line, small = values((2, 3, 4), 3), values((5,), 1), values((2, 2, 3), 2)

    def of(op, detail, function, t, *attributes):
        case(op, detail, function, t, attributes=attributes)

    for d in ((0,), (-1,), (1, 2), (0, -1, 1), ()):
        of("flip", f"{d}", lambda t: t.flip(d), x, *d)
    of("flip", "of nothing", lambda t: t.flip(1), values((2, 0), 1), 1)
    of("flip", "of one", lambda t: t.flip(0), values((1, 1), 1), 0)
    for name in ("fliplr", "flipud"):
        function = getattr(torch, name)
        of(name, "in general", function, x)
        of(name, "of nothing", function, values((0, 3), 1))
        of(name, "of one", function, values((1, 1), 1))
    for shifts, d in (((1,), (0,)), ((-3,), (-1,)), ((1, 7), (0, 2)), ((1, 1), (1, 1)), ((0, -1), (0, 1))):
        of("roll(x, shifts, dims)", f"by {shifts} along {d}", lambda t: t.roll(shifts, d), x, *shifts, *d)
    of("roll(x, shifts, dims)", "of nothing", lambda t: t.roll(1, 0), values((0, 3), 1), 1, 0)
    for n in (1, -5, 100):
        of("roll(x, shift)", f"by {n}", lambda t: t.roll(n), x, n)
    of("roll(x, shift)", "of one", lambda t: t.roll(1), values((), 1), 1)
    for k, a, b in ((1, 0, 1), (2, 1, 2), (3, 2, 0), (-1, 0, -1), (4, 0, 1)):
        of("rot90", f"{k} times from {a} to {b}", lambda t: t.rot90(k, (a, b)), x, k, a, b)
    of("rot90", "of nothing", lambda t: t.rot90(), values((0, 3), 1), 1, 0, 1)
    of("rot90", "of one", lambda t: t.rot90(), values((1, 1), 1), 1, 0, 1)

    def pad(detail, t, numbers, mode="constant", value=0):
        function = lambda t: F.pad(t, numbers, mode=mode, **({"value": value} if mode == "constant" else {}))
        case("pad", f"{mode}: {detail}", function, t, attributes=(MODES.index(mode), value, *numbers))

    pad("one dimension", x, (1, 2))
    pad("three dimensions and a value", x, (0, 1, 2, 0, 1, 1), value=-1.5)
    pad("crops", x, (-1, 1, 1, -2), value=0.5)
    pad("crops all", line, (-3, -2))
    pad("nothing", x, (0, 0))
    pad("of nothing", values((0, 2), 1), (1, 1, 1, 1), value=2)
    pad("an infinity", line, (1, 0), value=-INFINITY)
    pad("no dimensions", values((), 1), ())
    picture = values((1, 2, 3, 4), 5)
    for mode in MODES[1:]:
        pad("the last dimension", x, (1, 2), mode)
        pad("the last two", picture, (2, 1, 1, 2), mode)
        pad("crops", x, (-1, 2), mode)
        pad("as much as goes", x, (3, 3) if mode == "reflect" else (4, 4), mode)
        pad("three dimensions", values((1, 2, 2, 3), 1), (1, 1, 0, 1, 1, 0), mode)
    pad("more than there is", values((1, 1, 2), 1), (5, 3), "replicate")
    pad("of one", values((1, 1, 1), 1), (2, 3), "replicate")
    for r in ((2, 1, 3), (1, 2, 1, 2), (1, 1, 1), (2, 0, 1)):
        of("repeat", f"{r}", lambda t: t.repeat(r), small, *r)
    of("repeat", "of one", lambda t: t.repeat(3, 4), values((1,), 1), 3, 4)
    of("repeat", "of nothing", lambda t: t.repeat(2, 2), values((0, 2), 1), 2, 2)
    for r in ((2,), (2, 1, 1, 2), (3, 1)):
        of("tile", f"{r}", lambda t: t.tile(r), small, *r)
    of("tile", "of nothing", lambda t: t.tile((2,)), values((2, 0), 1), 2)
    of("tile", "of one", lambda t: t.tile((2,)), values((1,), 1), 2)
    for n, d in ((2, 0), (3, -1), (1, 1), (0, 1)):
        of("repeat_interleave(x, n, dim)", f"{n} along {d}", lambda t: t.repeat_interleave(n, d), x, n, d)
    of("repeat_interleave(x, n, dim)", "of nothing", lambda t: t.repeat_interleave(2, 0), values((0, 1), 1), 2, 0)
    of("repeat_interleave(x, n)", "in general", lambda t: t.repeat_interleave(2), x, 2)
    of("repeat_interleave(x, n)", "of one", lambda t: t.repeat_interleave(3), values((), 1), 3)
    for name, shape, n in (
        ("pixel_shuffle", (2, 8, 2, 3), 2),
        ("pixel_unshuffle", (2, 2, 4, 6), 2),
        ("channel_shuffle", (2, 6, 2, 2), 3),
    ):
        function = lambda t: getattr(F, name)(t, n)
        of(name, "in general", function, values(shape, 2), n)
        to = (0, *function(values(shape, 2)).shape[1:])  # torch refuses the gradient of nothing
        of(name, "of nothing", lambda t: t.reshape(to), values((0, *shape[1:]), 2), n)
        n = 1
        of(name, "of one", function, values((1, 1, 1, 1), 2), n)


def matrix_parts():
    x = values((2, 3, 4), 4)
    for name in ("tril", "triu"):
        for d in (0, 1, -2, 9, -9):
            case(name, f"diagonal {d}", lambda t: getattr(torch, name)(t, d), x, attributes=(d,))
        function = getattr(torch, name)
        case(name, "of infinities and NaN", function, floats([[NAN, 1], [INFINITY, NAN]]), attributes=(0,))
        case(name, "of nothing", function, values((0, 3), 1), attributes=(0,))
        case(name, "of one", function, values((1, 1), 1), attributes=(0,))
    for shape in ((3, 4), (4, 2), (1, 1), (0, 3)):
        case("trace", f"{list(shape)}", torch.trace, values(shape, 2))
    for shape, d in (((3,), 0), ((2,), -1), ((3, 4), 1), ((3, 4), -2), ((2, 2), 5), ((0,), 1), ((1, 1), 0)):
        case("diag", f"{list(shape)}, {d}", lambda t: t.diag(d), values(shape, 3), attributes=(d,))
    for shape, n in (((2, 3), (0, -2, -1)), ((2, 3), (1, 0, 2)), ((2,), (-2, 1, 0)), ((0, 2), (0, 0, 1)), ((1,), (0, 0, 1))):
        case("diag_embed", f"{list(shape)}, {n}", lambda t: torch.diag_embed(t, *n), values(shape, 3), attributes=n)
    for shape, n, d in (((5,), 1, 0), ((2, 4), 2, -1), ((2, 4), 1, 0), ((2, 3), 5, 1), ((2, 2), 0, 0), ((0, 2), 1, 0), ((1,), 1, 0)):
        case("diff", f"{list(shape)}, {n} along {d}", lambda t: torch.diff(t, n, d), values(shape, 3), attributes=(n, d))


def bounds_and_joins():
    x = values((3, 5), 3)
    at = floats([INFINITY, -INFINITY, NAN, 0, 1, -1, 0.5, 2])
    for low, high in ((-0.5, 1), (1, -1), (0, 0.5)):
        function = lambda t: torch.clamp(t, low, high)
        case("clamp(x, numbers)", f"{low} to {high}", function, x, attributes=(low, high))
        case("clamp(x, numbers)", f"{low} to {high}, at the ends", function, at, attributes=(low, high))
    case("clamp(x, numbers)", "of nothing", function, values((0, 2), 1), attributes=(low, high))
    case("clamp(x, numbers)", "of one", function, values((1,), 1), attributes=(low, high))
    case("clamp(x, min)", "in general", lambda t: t.clamp(min=0.25), x, attributes=(0.25,))
    case("clamp(x, max)", "in general", lambda t: t.clamp(max=0.25), x, attributes=(0.25,))
    make = lambda shape, seed: coarse(shape, seed)
    case("clamp(tensors)", "of one shape", torch.clamp, make((3, 4), 1), make((3, 4), 2), make((3, 4), 3))
    case("clamp(tensors)", "broadcast", torch.clamp, make((2, 1, 3), 1), make((3,), 2), make((4, 1), 3))
    case("clamp(tensors)", "of nothing", torch.clamp, make((0, 2), 1), make((), 2), make((2,), 3))
    case("clamp(x, min tensor)", "broadcast", lambda t, m: t.clamp(min=m), make((3, 4), 1), make((4,), 2))
    case("clamp(x, max tensor)", "broadcast", lambda t, m: t.clamp(max=m), make((3, 4), 1), make((4,), 2))
    mask = torch.tensor([[True, False, True, False], [False, False, True, True], [True, True, True, False]])

    def fill(detail, t, mask, value):
        case("masked_fill(x, mask, number)", detail, lambda t: t.masked_fill(mask, value), t,
             attributes=(value,), index=mask)

    fill("of one shape", values((3, 4), 1), mask, -1.5)
    fill("a mask that broadcasts", values((2, 3, 4), 1), mask, -INFINITY)
    fill("an input that broadcasts", values((3, 1), 1), mask, 0.5)
    fill("of nothing", values((0, 4), 1), mask[:0], 2)
    fill("of one", values((1,), 1), mask[0, :1], 2)
    for name, shapes in (
        ("hstack", (((2, 3), (2, 1)), ((2,), (3,)), ((), ()), ((0, 2), (0, 1)))),
        ("vstack", (((2, 3), (2, 3)), ((3,), (3,)), ((2, 3), (3,)), ((), (1,)), ((0, 2), (2,)))),
        ("dstack", (((2, 3), (2, 3)), ((3,), (3,)), ((2, 1, 2), (2, 1)), ((0, 2), (0, 2)))),
    ):
        for parts in shapes:
            case(name, " ".join(map(str, map(list, parts))), lambda *t: getattr(torch, name)(t),
                 *(values(s, k) for k, s in enumerate(parts)))
    for parts in (((2,), (3,)), ((4,),), ((2,), (0,)), ((1,), (2,), (3,))):
        case("cartesian_prod", " ".join(map(str, map(list, parts))), lambda *t: torch.cartesian_prod(*t),
             *(values(s, k) for k, s in enumerate(parts)))
