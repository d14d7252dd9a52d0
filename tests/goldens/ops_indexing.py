# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Cases of ops that move elements by index tensors and masks."""

import torch

from cases import INFINITY, NAN, case, coarse, floats, values


def integers(rows):
    return torch.tensor(rows, dtype=torch.int64)


def numbers_below(bound, shape, seed):
    """Integers in [0, bound), some of them several times."""
    count = torch.Size(shape).numel()
    return torch.tensor([(7 * i + 3 * seed) % bound for i in range(count)],
                        dtype=torch.int64).reshape(shape)


def mask(shape, seed):
    return values(shape, seed) > 0


def gathers():
    for detail, shape, dim, index in (
        ("dim 0", (3, 4), 0, numbers_below(3, (2, 4), 1)),
        ("the last dim", (3, 4), -1, numbers_below(4, (3, 6), 2)),
        ("a part of 3 dimensions", (3, 4, 2), 1, numbers_below(4, (2, 5, 1), 1)),
        ("one of each row", (5, 4), 1, numbers_below(4, (5, 1), 1)),
        ("size 1", (1, 1), 0, integers([[0], [0]])),
        ("a number", (), 0, integers([0, 0, 0])),
        ("nothing", (3, 2), 0, torch.empty((0, 2), dtype=torch.int64)),
        ("from nothing", (2, 0), 0, torch.empty((3, 0), dtype=torch.int64)),
    ):
        case("gather", detail, lambda x: torch.gather(x, dim, index), values(shape, 2),
             attributes=(dim,), index=index)
    for detail, shape, dim, index in (
        ("rows", (3, 4), 0, integers([[2, 0, 1, 1]])),
        ("broadcast", (2, 1, 3), 2, numbers_below(3, (1, 4, 2), 1)),
        ("nothing", (3, 2), 1, torch.empty((3, 0), dtype=torch.int64)),
    ):
        case("take_along_dim(x, dim)", detail,
             lambda x: torch.take_along_dim(x, index, dim), values(shape, 3), attributes=(dim,),
             index=index)
    index = integers([[5, 0], [5, 2]])
    case("take_along_dim", "flattened", lambda x: torch.take_along_dim(x, index),
         values((2, 3), 1), index=index)
    for detail, shape, index in (
        ("from the end", (3, 4), integers([[-1, 0, 11], [-12, 5, 5]])),
        ("one", (2, 2), integers(3)),
        ("of a number", (), integers([0, -1])),
        ("nothing", (0,), torch.empty((2, 0), dtype=torch.int64)),
    ):
        case("take", detail, lambda x: torch.take(x, index), values(shape, 4), index=index)


def scatters():
    def scattered(detail, shape, dim, index, src):
        x, source = values(shape, 1), values(src, 5)
        case("scatter_add", detail, lambda a, b: torch.scatter_add(a, dim, index, b), x, source,
             attributes=(dim,), index=index)

    # The gradient of a part of src is torch's only if it is all of it.
    for detail, shape, dim, index in (
        ("dim 0", (3, 4), 0, numbers_below(3, (4, 4), 1)),
        ("the last dim", (3, 4), -1, numbers_below(4, (3, 6), 2)),
        ("a part of 3 dimensions", (3, 4, 2), 1, numbers_below(4, (2, 5, 1), 1)),
        ("one of each row", (5, 4), 1, numbers_below(4, (5, 1), 1)),
        ("size 1", (1, 1), 0, integers([[0], [0]])),
        ("a number", (), 0, integers([0, 0])),
        ("nothing", (3, 2), 0, torch.empty((0, 2), dtype=torch.int64)),
        ("to nothing", (2, 0), 0, torch.empty((3, 0), dtype=torch.int64)),
    ):
        scattered(detail, shape, dim, index, tuple(index.shape))
    for detail, shape, dim, index in (
        ("dim 0", (3, 4), 0, integers([[2, 0, 1, 1], [0, 1, 0, 2]])),
        ("the last dim", (3, 4), -1, integers([[3, 1], [0, 2], [1, 0]])),
        ("a part of 3 dimensions", (3, 4, 2), 1, integers([[[1], [3]], [[0], [2]]])),
        ("a number", (), 0, integers([0])),
        ("nothing", (3, 2), 0, torch.empty((0, 2), dtype=torch.int64)),
    ):
        case("scatter", detail, lambda a, b: torch.scatter(a, dim, index, b), values(shape, 1),
             values(tuple(index.shape), 5), attributes=(dim,), index=index)
        case("scatter(x, number)", detail, lambda a: torch.scatter(a, dim, index, 1.5),
             values(shape, 1), attributes=(dim, 1.5), index=index)

    # Ties with what is not included share the gradient in torch, so there are none here.
    for number, reduce in enumerate(("sum", "prod", "mean", "amax", "amin")):
        for include in (True, False):
            def call(a, b):
                return torch.scatter_reduce(a, dim, index, b, reduce, include_self=include)

            for detail, dim, index in (
                ("dim 0", 0, integers([[1, 0, 1], [1, 2, 1], [1, 2, 1]])),
                ("dim 1", 1, integers([[1, 1, 3, 1], [0, 2, 2, 0], [3, 3, 3, 3]])),
                ("nothing", 1, torch.empty((3, 0), dtype=torch.int64)),
            ):
                shape = (3, 3) if dim == 0 else (3, 4)
                if reduce == "prod":
                    x, source = coarse(shape, 1), coarse(tuple(index.shape), 3)
                else:
                    x, source = values(shape, 1), values(tuple(index.shape), 3) + 1 / 32
                case("scatter_reduce", f"{reduce}, {detail}, include_self {include}", call, x,
                     source, attributes=(dim, number, include), index=index)
            if reduce in ("sum", "mean"):
                continue
            dim, index = 0, integers([1, 1, 0, 2, 2, 3, 4])
            edges = [INFINITY, -1, 4, -INFINITY, 0.5, 1, 0]
            if reduce == "prod":
                edges = [0, -1, 0, 0, 0.5, 2, 3]
            case("scatter_reduce", f"{reduce}, edges, include_self {include}", call,
                 floats([2, 3, 0, 1.5, -2]), floats(edges), attributes=(dim, number, include),
                 index=index)
    index = integers([[1, 0, 1]])
    case("scatter_reduce", "sum, of one row", lambda a, b: torch.scatter_reduce(a, 1, index, b, "sum"),
         values((1, 2), 1), values((1, 3), 2), attributes=(1, 0, True), index=index)
    dim, index = 0, integers([0, 0, 0])
    case("scatter_reduce", "amax, ties", lambda a, b: torch.scatter_reduce(a, 0, index, b, "amax"),
         floats([2, 1]), floats([2, 2, 1]), attributes=(0, 3, True), index=index)


def slices():
    for detail, shape, dim, index, alpha in (
        ("dim 0", (3, 4), 0, integers([2, 0, 2, 2]), 1),
        ("the last dim, alpha", (2, 3), -1, integers([1, 1]), -2.5),
        ("within", (2, 3, 2), 1, integers([0, 2, 0]), 0.5),
        ("one", (3, 2), 0, integers(1), 2),
        ("nothing", (3, 2), 0, integers([]), 1),
        ("to nothing", (3, 0), 0, integers([2, 1]), 1),
    ):
        source = list(shape)
        source[dim] = index.numel()
        case("index_add", detail,
             lambda a, b: torch.index_add(a, dim, index, b, alpha=alpha), values(shape, 1),
             values(source, 4), attributes=(dim, alpha), index=index)
    for detail, shape, dim, index in (
        ("dim 0", (3, 4), 0, integers([2, 0])),
        ("the last dim", (2, 3), -1, integers([1])),
        ("within", (2, 3, 2), 1, integers([2, 0, 1])),
        ("one", (3, 2), 0, integers(1)),
        ("nothing", (3, 2), 0, integers([])),
    ):
        source = list(shape)
        source[dim] = index.numel()
        case("index_copy", detail, lambda a, b: torch.index_copy(a, dim, index, b),
             values(shape, 1), values(source, 4), attributes=(dim,), index=index)
        case("index_fill", detail, lambda a: torch.index_fill(a, dim, index, -1.5),
             values(shape, 1), attributes=(dim, -1.5), index=index)
    index = integers([0])
    for detail, shape in (("of one row", (1, 3)), ("of empty lines", (0, 3))):
        case("index_fill", detail, lambda a: torch.index_fill(a, 1, index, 2), values(shape, 1),
             attributes=(1, 2), index=index)
    index = integers([-1, 0])
    case("index_fill", "from the end", lambda a: torch.index_fill(a, 1, index, 2),
         values((2, 3), 1), attributes=(1, 2), index=index)


# How one index makes the list of index() and index_put(), by number: its rows, each for a dimension;
# the rows with a whole dimension before them; between them; itself alone.
FORMS = (
    lambda i: list(i),
    lambda i: [None, *i],
    lambda i: [i[0], None, *i[1:]],
    lambda i: [i],
)


def several_indices():
    aten = torch.ops.aten
    column = integers([[[0], [1]], [[1], [-1]]]).expand(2, 2, 2)
    for detail, shape, form, index in (
        ("pairs", (3, 4), 0, integers([[0, 2, 2, -1], [1, -4, 3, 0]])),
        ("slices", (3, 4), 3, integers([2, 0, 2])),
        ("slices of slices", (3, 4), 3, integers([[2, 0], [-1, 1]])),
        ("whole dimensions before and behind", (2, 3, 4, 2), 1, integers([[0, 2], [1, 1]])),
        ("a whole dimension between", (3, 2, 4, 2), 2, integers([[0, 2, 2], [1, -1, -1]])),
        ("of two dimensions", (3, 2, 2), 1, column),
        ("one element", (3, 4), 0, integers([2, 1])),
        ("nothing", (3, 4), 0, torch.empty((2, 0), dtype=torch.int64)),
        ("of empty slices", (3, 0), 3, integers([2, 0])),
        ("size 1", (1, 1), 0, integers([[0, 0], [0, 0]])),
    ):
        make = FORMS[form]
        x = values(shape, 2)
        case("index", detail, lambda a: aten.index(a, make(index)), x, attributes=(form,),
             index=index)
        picked = aten.index(x, make(index)).shape
        for accumulate in (False, True):
            unique = accumulate or detail not in ("pairs", "slices", "size 1",
                                                  "a whole dimension between")
            if unique:
                case("index_put", f"{detail}, accumulate {accumulate}",
                     lambda a, b: aten.index_put(a, make(index), b, accumulate), x,
                     values(picked, 3), attributes=(form, accumulate), index=index)
    index = integers([2, 0, 2])
    for shape in ((), (4,), (3, 1), (1, 4)):
        case("index_put", f"values {list(shape)} broadcast",
             lambda a, b: aten.index_put(a, [index], b, True), values((3, 4), 1),
             values(shape, 4), attributes=(3, True), index=index)
    for detail, shape, chosen in (
        ("elements", (3, 4), mask((3, 4), 3)),
        ("rows", (3, 4), torch.tensor([True, False, True])),
        ("none", (2, 2), torch.zeros((2, 2), dtype=torch.bool)),
        ("of nothing", (0, 2), torch.zeros((0,), dtype=torch.bool)),
    ):
        x = values(shape, 2)
        case("index(x, mask)", detail, lambda a: aten.index(a, [chosen]), x, index=chosen)
        case("index_put(x, mask)", detail,
             lambda a, b: aten.index_put(a, [chosen], b), x, values(x[chosen].shape, 3),
             index=chosen)


def masks():
    for detail, shape, chosen in (
        ("elements", (3, 4), mask((3, 4), 3)),
        ("a broadcast mask", (3, 4), mask((3, 1), 1)),
        ("a broadcast input", (3, 1), mask((2, 3, 4), 1)),
        ("all", (2, 3), torch.ones((2, 3), dtype=torch.bool)),
        ("none", (2, 3), torch.zeros((2, 3), dtype=torch.bool)),
        ("a number", (), torch.tensor(True)),
        ("nothing", (0, 2), torch.zeros((0, 2), dtype=torch.bool)),
    ):
        x = values(shape, 2)
        case("masked_select", detail, lambda a: torch.masked_select(a, chosen), x, index=chosen)
        count = int(torch.broadcast_tensors(x, chosen)[1].sum())
        case("masked_scatter", detail, lambda a, b: torch.masked_scatter(a, chosen, b), x,
             values((count + 1,), 5), index=chosen)
    for detail, x in (
        ("elements", floats([[0, 1, -0.0], [NAN, INFINITY, 0]])),
        ("of 3 dimensions", coarse((2, 3, 4), 1)),
        ("a number", floats(2)),
        ("zero", floats(0)),
        ("nothing", values((2, 0), 1)),
    ):
        for name in ("nonzero", "argwhere"):
            case(name, detail, lambda a: getattr(torch, name)(a), constants=(x,))
        case("where(condition)", detail, lambda a: list(torch.where(a)), constants=(x,))


def counts():
    for detail, shape, dim, repeats in (
        ("rows", (3, 2), 0, integers([2, 0, 3])),
        ("columns", (2, 3), -1, integers([1, 2, 1])),
        ("one number for all", (2, 3), 1, integers([2])),
        ("none", (2, 3), 1, integers([0])),
        ("nothing", (0, 3), 0, integers([])),
    ):
        case("repeat_interleave(x, repeats, dim)", detail,
             lambda a: torch.repeat_interleave(a, repeats, dim), values(shape, 2),
             attributes=(dim,), index=repeats)
    for detail, shape, repeats in (
        ("flattened", (2, 2), integers([2, 0, 1, 1])),
        ("a number", (), integers(3)),
    ):
        case("repeat_interleave", detail, lambda a: torch.repeat_interleave(a, repeats),
             values(shape, 2), index=repeats)
    for detail, x in (("elements", floats([0, 3, 3, 1])), ("one", floats([2])), ("nothing", floats([]))):
        for least in (0, 6):
            case("bincount", f"{detail}, at least {least}",
                 lambda a: torch.bincount(a.long(), minlength=least), constants=(x,),
                 attributes=(least,))
