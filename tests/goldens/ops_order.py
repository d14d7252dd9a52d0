# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Elements in order, scans, searches and counts, for make_ops.py."""

import torch

from cases import INFINITY, NAN, case, coarse, floats, nonzero, values

SHAPES = (((2, 3, 4), 0), ((2, 3, 4), 1), ((2, 3, 4), -1), ((7,), 0), ((), 0), ((3, 1), 1),
          ((0, 3), 1))
TIES = floats([[1, 0, 2, 1, 0], [2, 2, 2, 2, 2], [-1, 3, -1, 0, 3]])
NO_NUMBERS = floats([[1, NAN, 2, -INFINITY], [NAN, 3, NAN, INFINITY], [0, 1, 2, 3]])
INTERPOLATIONS = ("linear", "lower", "higher", "nearest", "midpoint")


def orders():
    def sorts(detail, x, dim, descending):
        call = lambda t: torch.sort(t, dim=dim, descending=descending, stable=True)
        case("sort(x, numbers)", detail, call, x, attributes=(dim, descending))
        case("argsort(x, numbers)", detail, lambda t: call(t)[1], constants=(x,),
             attributes=(dim, descending))

    for shape, dim in SHAPES:
        for descending in (False, True):
            sorts(f"{dim} of {list(shape)}{', descending' * descending}", values(shape, 3), dim,
                  descending)
    for descending in (False, True):
        sorts(f"tied{', descending' * descending}", TIES, 1, descending)
        sorts(f"no numbers among them{', descending' * descending}", NO_NUMBERS, 1, descending)
    case("sort(x, numbers)", "over nothing", lambda t: torch.sort(t, 0), values((0, 3), 1),
         attributes=(0, False))
    for shape in ((3, 4), (), (0, 2), (1,)):
        case("msort", f"of {list(shape)}", torch.msort if shape else lambda t: torch.sort(t)[0],
             values(shape, 2))

    def topk(detail, x, k, dim, largest):
        case("topk(x, numbers)", detail, lambda t: torch.topk(t, k, dim, largest), x,
             attributes=(k, dim, largest))

    for shape, dim in SHAPES:
        for largest in (True, False):
            extent = shape[dim] if shape else 1
            k = min(2, extent)
            topk(f"{k} of {dim} of {list(shape)}{', largest' * largest}", values(shape, 5), k, dim,
                 largest)
    topk("all", values((3, 5), 6), 5, 1, True)
    topk("none", values((3, 5), 6), 0, 1, True)
    topk("no numbers among them", NO_NUMBERS, 2, 1, False)  # of equal ones, torch takes any
    case("topk", "with defaults", lambda t: torch.topk(t, 3), values((2, 40), 4))
    case("sort", "with defaults", torch.sort, values((2, 40), 4))
    case("argsort", "with defaults", torch.argsort, constants=(values((2, 40), 4),))

    for shape, dim in SHAPES:
        for keepdim in (False, True):
            extent = shape[dim] if shape else 1
            detail = f"{dim} of {list(shape)}{', keepdim' * keepdim}"
            k = (extent + 2) // 2 if extent > 1 else 1
            case("kthvalue(x, numbers)", detail, lambda t: torch.kthvalue(t, k, dim, keepdim),
                 values(shape, 4), attributes=(k, dim, keepdim))
            case("median(x, dim)", detail, lambda t: torch.median(t, dim, keepdim),
                 values(shape, 4), attributes=(dim, keepdim))
    case("kthvalue(x, numbers)", "no numbers among them",
         lambda t: torch.kthvalue(t, 3, 1, False), NO_NUMBERS[:1], attributes=(3, 1, False))
    case("kthvalue", "with defaults", lambda t: torch.kthvalue(t, 2), values((3, 5), 4))
    case("median(x, dim)", "no numbers among them", lambda t: torch.median(t, 1, False), NO_NUMBERS,
         attributes=(1, False))
    for shape in ((3, 4), (5,), (), (1, 1)):
        case("median", f"of {list(shape)}", torch.median, values(shape, 7))
    case("median", "tied", torch.median, TIES)
    case("median", "no numbers among them", torch.median, NO_NUMBERS)
    case("median", "of nothing", torch.median, values((0,), 1))


def quantiles():
    def one(detail, x, q, dim, keepdim=False, interpolation="linear"):
        case("quantile(x, numbers)", detail,
             lambda t: torch.quantile(t, q, dim, keepdim, interpolation=interpolation), x,
             attributes=(q, dim, keepdim, INTERPOLATIONS.index(interpolation)))

    for how in INTERPOLATIONS:
        one(f"{how}", values((3, 6), 2), 0.375, 1, False, how)
        one(f"{how}, keepdim", values((2, 4, 3), 3), 0.75, 1, True, how)
    one("half, nearest", values((4,), 2), 0.5, 0, False, "nearest")
    one("of one", values((3, 1), 2), 0.5, 1)
    one("of a scalar", values((), 2), 0.5, 0)
    one("the least", values((2, 5), 2), 0.0, 1)
    one("no numbers among them", NO_NUMBERS, 0.25, 1)
    case("quantile", "of all", lambda t: torch.quantile(t, 0.25), values((3, 5), 4))

    def several(detail, x, q, dim, keepdim=False, interpolation="linear"):
        case("quantile(x, q)", detail,
             lambda t, q: torch.quantile(t, q, dim, keepdim, interpolation=interpolation), x,
             constants=(floats(q),),
             attributes=(dim, keepdim, INTERPOLATIONS.index(interpolation)))

    for how in INTERPOLATIONS:
        several(f"{how}", values((3, 6), 2), [0.375, 0.5, 1.0], 1, False, how)
    several("keepdim", values((2, 4, 3), 3), [0.25, 0.75], -2, True)
    several("one", values((2, 5), 3), [0.5], 0)
    several("none", values((2, 5), 3), [], 1)
    several("a scalar", values((2, 5), 3), 0.125, 1)
    several("no numbers among them", NO_NUMBERS, [0.0, 0.5], 1)


def scans():
    for name, make in (("cumsum", values), ("cumprod", nonzero), ("logcumsumexp", values),
                       ("cummax", values), ("cummin", values)):
        function = getattr(torch, name)
        for shape, dim in (*SHAPES, ((0, 3), 0)):
            case(f"{name}(x, dim)", f"{dim} of {list(shape)}", lambda t: function(t, dim),
                 make(shape, 3), attributes=(dim,))
        if name != "cumprod":
            case(f"{name}(x, dim)", "no numbers among them", lambda t: function(t, 1), NO_NUMBERS[:1],
                 attributes=(1,))
    case("cumprod(x, dim)", "zeros", lambda t: torch.cumprod(t, 1),
         floats([[2, 0, 3, 1], [0, 1, 0, 2], [1, 2, 3, 0], [0, 0, 0, 0]]), attributes=(1,))
    for name in ("cummax", "cummin"):
        case(f"{name}(x, dim)", "tied", lambda t: getattr(torch, name)(t, 1), TIES, attributes=(1,))


def searches():
    line = floats([-1.5, -0.5, 0, 0, 0.75, 1.5])
    lines = floats([[-1, 0, 1], [0, 0, 2]])
    for right in (False, True):
        def search(detail, a, b):
            case("searchsorted(x, numbers)", f"{detail}{', right' * right}",
                 lambda a, b: torch.searchsorted(a, b, right=right), constants=(a, b),
                 attributes=(right,))
            if a.dim() == 1:
                case("bucketize(x, numbers)", f"{detail}{', right' * right}",
                     lambda b, a: torch.bucketize(b, a, right=right), constants=(b, a),
                     attributes=(right,))

        search("one line", line, values((3, 5), 2))
        search("the boundaries", line, line)
        search("many lines", lines, coarse((2, 4), 3))
        search("no boundaries", values((0,), 1), values((3,), 2))
        search("no values", line, values((0, 2), 2))
        search("a scalar", line, values((), 2))
        search("no numbers", line, floats([NAN, INFINITY, -INFINITY]))
        for value in (0.0, 0.5):
            case("searchsorted(x, number)", f"{value}{', right' * right}",
                 lambda a: torch.searchsorted(a, value, right=right), constants=(line,),
                 attributes=(value, right))
    case("searchsorted", "with defaults", torch.searchsorted, constants=(line, values((4,), 1)))
    case("bucketize", "with defaults", torch.bucketize, constants=(values((4,), 1), line))


def counts():
    for n in ((4, -1.0, 1.0), (5, 0.0, 0.0), (1, -0.5, 2.0), (3, 1.0, 1.0)):
        case("histc(x, numbers)", f"{n}", lambda t: torch.histc(t, *n).long(), constants=(values((4, 5), 2),),
             attributes=n)
    case("histc(x, numbers)", "of nothing", lambda t: torch.histc(t, 3).long(), constants=(values((0,), 2),),
         attributes=(3, 0, 0))
    case("histc(x, numbers)", "of one value", lambda t: torch.histc(t, 4).long(), constants=(floats([1, 1]),),
         attributes=(4, 0, 0))
    case("histc(x, numbers)", "no numbers among them", lambda t: torch.histc(t, 4, -1, 3).long(),
         constants=(NO_NUMBERS,), attributes=(4, -1, 3))
    case("histc(x, numbers)", "of one number", lambda t: torch.histc(t, 3).long(),
         constants=(values((1,), 2),), attributes=(3, 0, 0))
    case("histc", "with defaults", lambda t: torch.histc(t).long(), constants=(values((3, 5), 2),))

    for detail, x in (("in general", coarse((3, 5), 2)), ("ties", TIES), ("nothing", values((0, 2), 1)),
                      ("a scalar", values((), 3)), ("different", values((6,), 3))):
        case("unique", detail, lambda t: torch.unique(t, True, True, True)[::-1], constants=(x,))
        case("unique_consecutive", detail, lambda t: torch.unique_consecutive(t, True, True)[::-1],
             constants=(x,))
    case("unique", "no numbers", lambda t: torch.unique(t, True, True, True)[::-1],
         constants=(floats([1, NAN, 1, NAN]),))


def truths():
    zeros = floats([[0, 0, 0], [0, 1, 0], [1, -2, NAN]])
    dims = (((0,), False), ((1,), True), ((0, 1), False), ((-1,), False))
    for name in ("any", "all", "count_nonzero"):
        function = getattr(torch, name)
        for x, detail in ((zeros, "in general"), (values((0, 2), 1), "nothing"), (floats(2), "a scalar"),
                          (floats([[0]]), "one")):
            case(name, detail, lambda t: function(t), constants=(x,))
        for dim, keepdim in dims:
            if name == "count_nonzero":
                case("count_nonzero(x, dims)", f"{dim}", lambda t: function(t, dim), constants=(zeros,),
                     attributes=dim)
                continue
            case(f"{name}(x, dims)", f"{dim}{', keepdim' * keepdim}",
                 lambda t: function(t, dim=dim, keepdim=keepdim), constants=(zeros,),
                 attributes=(keepdim, *dim))
            case(f"{name}(x, dims)", f"of nothing, {dim}{', keepdim' * keepdim}",
                 lambda t: function(t, dim=dim, keepdim=keepdim), constants=(values((0, 2), 1),),
                 attributes=(keepdim, *dim))
    x = values((2, 3, 4), 6)
    case("argmin", "of all", torch.argmin, constants=(x,))
    case("argmin", "no number among them", torch.argmin, constants=(floats([1, NAN, 2, NAN]),))
    for shape, dim, keepdim in (((2, 3, 4), 0, False), ((2, 3, 4), 1, True), ((3, 1), 1, False),
                                ((), 0, False), ((0, 3), 1, False)):
        case("argmin(x, dim)", f"{dim} of {list(shape)}", lambda t: torch.argmin(t, dim, keepdim),
             constants=(values(shape, 6),), attributes=(dim, keepdim))
    for shape, dim, keepdim in (((2, 3, 4), 0, False), ((2, 3, 4), 1, True), ((3, 1), 1, False),
                                ((), 0, False), ((0, 3), 1, False)):
        case("aminmax(x, dim)", f"{dim} of {list(shape)}{', keepdim' * keepdim}",
             lambda t: torch.aminmax(t, dim=dim, keepdim=keepdim), values(shape, 5),
             attributes=(dim, keepdim))
    case("aminmax", "of all", torch.aminmax, x)
    case("aminmax", "tied", torch.aminmax, TIES)
    case("aminmax", "of one", torch.aminmax, values((1,), 2))
    for name in ("var_mean", "std_mean"):
        function = getattr(torch, name)
        for shape, dim, correction, keepdim in (((3, 4), (1,), 1, False), ((2, 3, 4), (0, 2), 0, True),
                                                ((2, 3, 4), (1,), 0.5, False), ((0, 3), (1,), 1, False),
                                                ((3, 2), (0,), 1, True), ((3, 1), (0,), 1, False)):
            case(f"{name}(x, dims)", f"{dim} of {list(shape)}, {correction}{', keepdim' * keepdim}",
                 lambda t: function(t, dim, correction=correction, keepdim=keepdim), values(shape, 4),
                 attributes=(correction, keepdim, *dim))
        case(name, "of all", function, values((3, 5), 4))


def likenesses():
    def finds(detail, x, tested, invert=False):
        case("isin(x, numbers)", detail, lambda *t: torch.isin(*t, invert=invert),
             constants=(x, tested), attributes=(invert,))

    for invert in (False, True):
        finds(f"some{', invert' * invert}", coarse((3, 4), 1), floats([1, -2, 1]), invert)
        finds(f"none of nothing{', invert' * invert}", values((2, 3), 1), values((0,), 1), invert)
    finds("of nothing", values((0, 2), 1), values((3,), 1))
    finds("no numbers", floats([NAN, 1, INFINITY]), floats([[NAN, INFINITY]]))
    finds("of one in one", values((), 1), values((1,), 1))

    def is_close(detail, x, y, *numbers):
        case("isclose(x, numbers)" if numbers else "isclose", detail,
             lambda *t: torch.isclose(*t, *numbers), constants=(x, y), attributes=numbers)

    x, y = floats([1, 2, NAN, INFINITY, -INFINITY, 0]), floats([1, 2.5, NAN, INFINITY, INFINITY, 0])
    is_close("broadcast", coarse((2, 1, 3), 1), coarse((4, 1), 2))
    is_close("of one shape", x, y)
    is_close("of nothing and one", values((0, 2), 1), values((1,), 2))
    is_close("of two", values((2,), 1), values((2,), 2), 0.5, 1, False)
    is_close("within a quarter", x, y, 0.25, 0, False)
    is_close("within a half, NaN too", x, y, 0, 0.5, True)
    is_close("of one", values((), 1), values((), 2), 0.5, 1, False)


def order_and_scans():
    for group in (orders, quantiles, scans, searches, counts, truths, likenesses):
        group()
