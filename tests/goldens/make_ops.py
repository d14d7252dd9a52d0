#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Computes values and gradients of the ops in float64 with PyTorch; writes ops.txt beside itself.

    python3 make_ops.py

The cases of newer families of ops are in files of their own, ops_*.py; cases.py says how they are
made.
"""

import blocks
import ops_products
import ops_losses
import ops_moving
import ops_indexing
import ops_windows
import ops_recurrent
import torch
import torch.nn.functional as F

from cases import (
    INFINITY, NAN, REDUCTIONS, case, cases, coarse, floats, incoming, nonzero, positive,
    random_case, unit, values, wide,
)
from ops_order import order_and_scans
from ops_resample import interpolation
from ops_resample import interpolation, sampling


def products():
    def matmul(a, b):
        case("matmul", f"{list(a)} x {list(b)}", torch.matmul, values(a, 1), values(b, 2))

    matmul((3, 4), (4, 5))
    matmul((7, 13), (13, 9))
    matmul((2, 3, 4), (4, 5))
    matmul((2, 3, 4), (2, 4, 5))
    matmul((3, 4), (2, 4, 5))
    matmul((1, 3, 4), (2, 4, 2))
    matmul((2, 1, 2, 3), (2, 3, 4))
    matmul((4,), (4, 5))
    matmul((3, 4), (4,))
    matmul((2, 3, 4), (4,))
    matmul((6,), (6,))
    matmul((1, 1), (1, 1))
    matmul((0, 3), (3, 2))
    matmul((2, 0), (0, 3))
    case("bmm", "in general", torch.bmm, values((2, 3, 4), 1), values((2, 4, 2), 2))
    case("bmm", "of no matrices", torch.bmm, values((0, 3, 4), 1), values((0, 4, 2), 2))
    case("bmm", "of one number", torch.bmm, values((1, 1, 1), 1), values((1, 1, 1), 2))
    case(
        "linear", "of one number", F.linear, values((1, 1), 3), values((1, 1), 4), values((1,), 5)
    )
    case("linear", "with bias", F.linear, values((3, 4), 3), values((5, 4), 4), values((5,), 5))
    case("linear", "without bias", F.linear, values((3, 4), 3), values((5, 4), 4))
    case(
        "linear",
        "of 3 dimensions",
        F.linear,
        values((2, 2, 3), 6),
        values((4, 3), 7),
        values((4,), 8),
    )
    case("linear", "of one row", F.linear, values((4,), 3), values((5, 4), 4), values((5,), 5))
    case("linear", "of no rows", F.linear, values((0, 4), 3), values((5, 4), 4), values((5,), 5))

    def feed_forward(detail, x, hidden, outputs, bias=True):
        weights = [values((hidden, x[-1]), 4), values((outputs, hidden), 6)]
        biases = [values((hidden,), 5), values((outputs,), 7)] if bias else []

        def composed(activation):
            def call(x, w1, w2, b1=None, b2=None):
                return F.linear(activation(F.linear(x, w1, b1)), w2, b2)

            return call

        inputs = [values(x, 3), *weights, *biases]
        gelu = lambda h: F.gelu(h, approximate="tanh")
        case("feed_forward", detail, composed(gelu), *inputs)
        case("feed_forward(relu)", detail, composed(F.relu), *inputs)

    feed_forward("with biases", (3, 4), 8, 5)
    feed_forward("without biases", (3, 4), 8, 5, bias=False)
    feed_forward("of 3 dimensions", (2, 2, 3), 16, 2)
    feed_forward("of an odd width", (5, 3), 11, 3)
    feed_forward("of one row", (4,), 8, 5)
    feed_forward("of one number", (1, 1), 1, 1)
    feed_forward("of no rows", (0, 4), 8, 5)


def convolutions():
    def conv(detail, x, w, bias=True, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
        inputs = [values(x, 1), values(w, 2)] + ([values((w[0],), 3)] if bias else [])
        case(
            "conv2d",
            detail,
            lambda *t: F.conv2d(
                *t, stride=stride, padding=padding, dilation=dilation, groups=groups
            ),
            *inputs,
            attributes=(*stride, *padding, *dilation, groups),
        )

    conv("3x3", (1, 2, 4, 4), (2, 2, 3, 3))
    conv("3x3 padding 1", (2, 2, 4, 4), (3, 2, 3, 3), padding=(1, 1))
    conv("1x1 without bias", (2, 3, 2, 3), (4, 3, 1, 1), bias=False)
    conv("stride 2 padding 1", (2, 2, 5, 5), (2, 2, 3, 3), stride=(2, 2), padding=(1, 1))
    conv("stride 2, last row and column unused", (1, 2, 6, 6), (2, 2, 3, 3), stride=(2, 2))
    conv("dilation 2 without bias", (1, 1, 7, 6), (2, 1, 3, 2), bias=False, dilation=(2, 2))
    conv("groups 2", (2, 4, 3, 3), (4, 2, 2, 2), groups=2)
    conv("depthwise, padding 1", (1, 4, 4, 4), (4, 1, 3, 3), padding=(1, 1), groups=4)
    conv(
        "kernel 1x3 stride 1x2 padding 0x1",
        (1, 2, 3, 6),
        (3, 2, 1, 3),
        stride=(1, 2),
        padding=(0, 1),
    )
    conv(
        "kernel 3x2 stride 2x1 padding 2x1 dilation 1x2",
        (1, 2, 4, 5),
        (2, 2, 3, 2),
        stride=(2, 1),
        padding=(2, 1),
        dilation=(1, 2),
    )
    conv(
        "groups 2 stride 2 padding 1 dilation 2",
        (1, 4, 5, 6),
        (4, 2, 3, 2),
        stride=(2, 2),
        padding=(1, 1),
        dilation=(2, 2),
        groups=2,
    )
    conv(
        "groups 2 without bias, padding larger than the kernel",
        (1, 2, 2, 2),
        (2, 1, 2, 2),
        bias=False,
        padding=(3, 2),
        groups=2,
    )
    conv("of one image without a batch", (2, 3, 3), (1, 2, 2, 2))
    conv("of one pixel", (1, 1, 1, 1), (1, 1, 1, 1))
    conv("of no images", (0, 2, 3, 3), (1, 2, 2, 2))


def pooling():
    def pool(detail, x, kernel, stride=None, padding=(0, 0), nan=False):
        planes = values(x, 4)
        if nan:
            planes[0, 0, 0, 1] = NAN
        for op, function in (("max_pool2d", F.max_pool2d), ("avg_pool2d", F.avg_pool2d)):
            case(
                op,
                detail,
                lambda t: function(t, kernel, stride, padding),
                planes,
                attributes=(*kernel, *(stride or kernel), *padding),
            )

    pool("kernel 2", (2, 2, 4, 4), (2, 2))
    pool("kernel 2, odd size", (1, 2, 5, 7), (2, 2))
    pool("kernel 3 stride 2", (1, 1, 7, 9), (3, 3), (2, 2))
    pool("kernel 3 stride 1", (1, 1, 5, 5), (3, 3), (1, 1))
    pool("kernel 2x3", (1, 2, 4, 6), (2, 3))
    pool("kernel 3x2 stride 1x3", (1, 1, 5, 8), (3, 2), (1, 3))
    pool("kernel 3 stride 2 padding 1", (1, 2, 5, 4), (3, 3), (2, 2), (1, 1))
    pool("kernel 2x3 stride 1x2 padding 1x0", (1, 1, 4, 7), (2, 3), (1, 2), (1, 0))
    pool("of one image without a batch", (2, 4, 4), (2, 2))
    pool("of one pixel", (1, 1, 1, 1), (1, 1))
    pool("no number among them", (1, 1, 2, 4), (2, 2), nan=True)
    pool("of no images", (0, 2, 4, 4), (2, 2))


SHAPE_PAIRS = (
    ((2, 3), (2, 3)),
    ((2, 1, 3), (4, 1)),
    ((), (2, 3)),
    ((3,), ()),
    ((1, 1), (2, 1)),
    ((0, 3), (3,)),
    ((2, 1), (1, 0)),
)


def arithmetic():
    functions = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div}
    for op, function in functions.items():
        divisor = nonzero if op == "div" else values
        for a, b in SHAPE_PAIRS:
            case(op, f"{list(a)} and {list(b)}", function, values(a, 5), divisor(b, 6))
        for shape in ((2, 3), (), (0, 2)):
            case(
                f"{op}(x, number)",
                f"{list(shape)} with 1.5",
                lambda x: function(x, 1.5),
                values(shape, 7),
                attributes=(1.5,),
            )
    for op, function in (
        ("add", lambda x: 1.5 + x),
        ("sub", lambda x: 1.5 - x),
        ("mul", lambda x: 1.5 * x),
        ("div", lambda x: 1.5 / x),
    ):
        case(f"{op}(number, x)", "1.5 with x", function, nonzero((2, 3), 7), attributes=(1.5,))


def comparisons():
    for op in ("eq", "ne", "lt", "le", "gt", "ge"):
        function = getattr(torch, op)
        for a, b in (((3, 4), (3, 4)), ((2, 1, 3), (4, 1)), ((), (5,)), ((0, 3), (3,))):
            pair = coarse(a, 1), coarse(b, 24)
            assert 0 in a + b or (pair[0] == pair[1]).any()
            case(op, f"{list(a)} and {list(b)}", function, constants=pair)
        case(op, "of no number", function, constants=(floats([NAN, NAN, 1]), floats([NAN, 1, 1])))
        case(
            f"{op}(x, number)",
            "with 1",
            lambda x: function(x, 1),
            constants=(coarse((2, 5), 1),),
            attributes=(1,),
        )


def pointwise():
    for op, function, domain in (
        ("relu", F.relu, values),
        ("abs", torch.abs, values),
        ("neg", torch.neg, values),
        ("exp", torch.exp, values),
        ("tanh", torch.tanh, values),
        ("sigmoid", torch.sigmoid, values),
        ("log", torch.log, positive),
        ("sqrt", torch.sqrt, positive),
        ("rsqrt", torch.rsqrt, positive),
        ("gelu", F.gelu, values),
        ("gelu(x, tanh)", lambda x: F.gelu(x, approximate="tanh"), values),
        ("silu", F.silu, values),
    ):
        x = domain((3, 5), 8)
        if domain is values:
            x[1, 1] = 0
        case(op, "in general", function, x)
        case(op, "of a scalar", function, domain((), 9))
        case(op, "of nothing", function, domain((2, 0), 1))
        if op in ("tanh", "sigmoid", "gelu", "gelu(x, tanh)", "silu"):
            tails = floats([-96, -20, -12, -6, -3, 0, 3, 6, 12, 20, 96])
            case(op, "in the tails", function, tails)
        case(op, "of no number and infinity", function, floats([NAN, INFINITY, 1]))
        case(op, "of -infinity and 0", function, floats([-INFINITY, 0, 1]))


def powers():
    for exponent, domain in (
        (2.0, values),
        (3.0, values),
        (0.0, values),
        (1.0, values),
        (0.5, positive),
        (-1.0, nonzero),
        (-2.0, nonzero),
        (1.75, positive),
        (-0.5, positive),
    ):
        case(
            "pow(x, number)",
            f"{exponent}",
            lambda x: torch.pow(x, exponent),
            domain((2, 5), 9),
            attributes=(exponent,),
        )
    for a, b in SHAPE_PAIRS:
        case("pow", f"{list(a)} to {list(b)}", torch.pow, positive(a, 2), values(b, 1))
    # 0^0 has no slope, 0^2 none in the exponent; a negative base takes integral exponents.
    case("pow", "at 0", torch.pow, floats([0, 0, 0, 2]), floats([0, 2, 1, 0]))
    case(
        "pow(x, fixed)",
        "of negative bases",
        torch.pow,
        nonzero((2, 4), 3),
        constants=(floats([0, 1, 2, 3]),),
    )
    for base in (2.0, 0.75, 1.0, 0.0):
        case(
            "pow(number, x)",
            f"{base} to x",
            lambda x: torch.pow(base, x),
            positive((2, 4), 2) if base == 0 else values((2, 4), 2),
            attributes=(base,),
        )
    case(
        "pow(number, x)",
        "0 to 0",
        lambda x: torch.pow(0.0, x),
        floats([0, 1]),
        attributes=(0,),
    )


def reductions():
    x = values((2, 3, 4), 1)
    for op, function in (("sum", torch.sum), ("mean", torch.mean)):
        case(op, "in general", function, x)
        case(op, "of a scalar", function, values((), 3))
        case(op, "of nothing", function, values((0, 2), 3))
        for dim in (0, 1, -1):
            for keepdim in (False, True):
                case(
                    f"{op}(x, dim)",
                    f"{dim}{' keepdim' * keepdim}",
                    lambda t: function(t, dim, keepdim),
                    x,
                    attributes=(dim, keepdim),
                )
        for shape, dim in (((), 0), ((3, 1), 1), ((2, 0), 0), ((2, 0), 1)):
            case(
                f"{op}(x, dim)",
                f"{dim} of {list(shape)}",
                lambda t: function(t, dim, False),
                values(shape, 3),
                attributes=(dim, False),
            )
    for op, function in (("softmax", F.softmax), ("log_softmax", F.log_softmax)):
        for dim in (0, 1, -1):
            case(op, f"dim {dim}", lambda t: function(t, dim), x, attributes=(dim,))
        large = floats([[60, -60, 59], [-88, -87, -120]])
        case(op, "of large inputs", lambda t: function(t, 1), large, attributes=(1,))
        masked = floats([[-INFINITY, 0.5, 1, -INFINITY], [-INFINITY, -INFINITY, 2, -INFINITY]])
        case(op, "of masked inputs", lambda t: function(t, 1), masked, attributes=(1,))
        for shape, dim in (((), 0), ((2, 1), 1), ((0, 3), 1), ((3, 0), 1)):
            case(
                op,
                f"dim {dim} of {list(shape)}",
                lambda t: function(t, dim),
                values(shape, 3),
                attributes=(dim,),
            )


def extremes():
    x = values((2, 3, 4), 6)
    for op, function in (("max", torch.max), ("min", torch.min)):
        case(op, "of all", function, x)
        case(op, "of all, tied", function, coarse((4, 5), 2))
        case(op, "of all, no number among them", function, floats([1, NAN, 2, NAN]))
        case(op, "of one element", function, values((1, 1), 2))
        case(op, "of a scalar", function, values((), 2))
        for dim in (0, 1, -1):
            for keepdim in (False, True):
                case(
                    f"{op}(x, dim)",
                    f"{dim}{' keepdim' * keepdim}",
                    lambda t: function(t, dim, keepdim),
                    x,
                    attributes=(dim, keepdim),
                )
        case(
            f"{op}(x, dim)",
            "tied: the first",
            lambda t: function(t, 1),
            floats([[2, 1, 2, 1], [-1, -1, -1, -1], [0, 3, -3, 3]]),
            attributes=(1, False),
        )
        case(
            f"{op}(x, dim)",
            "no number among them",
            lambda t: function(t, 0),
            floats([[1, NAN, 2], [NAN, NAN, -1], [2, 3, INFINITY]]),
            attributes=(0, False),
        )
        for shape, dim in (((), 0), ((3, 1), 1), ((0, 3), 1)):
            case(
                f"{op}(x, dim)",
                f"{dim} of {list(shape)}",
                lambda t: function(t, dim, False),
                values(shape, 3),
                attributes=(dim, False),
            )
        for a, b in SHAPE_PAIRS:
            case(f"{op}(a, b)", f"{list(a)} and {list(b)}", function, values(a, 5), values(b, 6))
        tied = coarse((3, 4), 1), coarse((3, 4), 24)
        assert (tied[0] == tied[1]).any()
        case(f"{op}(a, b)", "tied", function, *tied)
        nans = floats([NAN, 1, NAN, 2]), floats([1, NAN, NAN, 1])
        case(f"{op}(a, b)", "of no number", function, *nans)
    case("argmax", "of all", torch.argmax, constants=(x,))
    case("argmax", "of all, tied: the first", torch.argmax, constants=(floats([1, 2, 2, 1]),))
    case("argmax", "no number among them", torch.argmax, constants=(floats([1, NAN, 2, NAN]),))
    for shape, dim, keepdim in (
        ((2, 3, 4), 0, False),
        ((2, 3, 4), 1, True),
        ((2, 3, 4), -1, False),
        ((3, 1), 1, False),
        ((), 0, False),
        ((0, 3), 1, False),
    ):
        case(
            "argmax(x, dim)",
            f"{dim}{' keepdim' * keepdim} of {list(shape)}",
            lambda t: torch.argmax(t, dim, keepdim),
            constants=(values(shape, 6),),
            attributes=(dim, keepdim),
        )


def norms():
    def affine(shape, count=2):
        return [values(shape, 5), values(shape, 6)][:count]

    def layer_norm(detail, x, shape, weights, eps=1e-5):
        case(
            "layer_norm",
            detail,
            lambda t, *wb: F.layer_norm(t, shape, *wb, eps=eps),
            x,
            *affine(shape, weights),
            attributes=(eps, *shape),
        )

    layer_norm("with weight and bias", values((3, 5), 1), (5,), 2)
    layer_norm("with weight", values((3, 5), 1), (5,), 1)
    layer_norm("without affine parameters", values((2, 3, 4), 1), (4,), 0)
    layer_norm("over two dimensions", values((2, 3, 4), 1), (3, 4), 2)
    layer_norm("over all dimensions", values((3, 4), 1), (3, 4), 2)
    layer_norm("with eps 0.5", values((3, 4), 1), (4,), 2, eps=0.5)
    layer_norm("of size-1 dimensions", values((1, 1, 4), 1), (1, 4), 2)
    layer_norm("of no rows", values((0, 4), 1), (4,), 2)
    layer_norm("of no columns", values((2, 0), 1), (0,), 2)
    layer_norm("far from 0", values((2, 4), 1) + 6, (4,), 2)

    def rms_norm(detail, x, shape, weights, eps=None):
        case(
            "rms_norm" if eps is not None else "rms_norm(x, shape, weight)",
            detail,
            lambda t, *w: F.rms_norm(t, shape, *w, eps=eps),
            x,
            *affine(shape, weights),
            attributes=(-1 if eps is None else eps, *shape),
        )

    rms_norm("with weight", values((3, 5), 1), (5,), 1, 1e-6)
    rms_norm("without weight", values((2, 3, 4), 1), (4,), 0, 1e-5)
    rms_norm("over two dimensions", values((2, 3, 4), 1), (3, 4), 1, 1e-5)
    rms_norm("with eps 0.5", values((3, 4), 1), (4,), 1, 0.5)
    rms_norm("of one element", values((2, 1), 1), (1,), 1, 2.0)
    rms_norm("of no rows", values((0, 4), 1), (4,), 1, 1e-5)
    # The dtype's epsilon, which must not show: against a mean square above 1000 it does not.
    rms_norm("with weight", wide((3, 4), 1), (4,), 1)
    rms_norm("without weight", wide((3, 4), 1), (4,), 0)

    def group_norm(detail, x, groups, weights=2, eps=1e-5):
        def function(t, *wb):
            if 0 in x[1:]:  # which torch refuses: nothing becomes nothing
                return t + sum(p.sum() for p in wb)
            return F.group_norm(t, groups, *wb, eps=eps)

        case(
            "group_norm",
            detail,
            function,
            values(x, 1),
            *affine((x[1],), weights),
            attributes=(groups, eps),
        )

    group_norm("2 groups of 4 channels", (2, 4, 2, 3), 2)
    group_norm("3 groups of 6 channels, without affine parameters", (1, 6, 4), 3, 0)
    group_norm("as many groups as channels", (2, 3, 2, 2), 3)
    group_norm("one group", (2, 3, 2, 2), 1, 1)
    group_norm("of [N, C]", (3, 8), 2)
    group_norm("with eps 0.5", (1, 4, 3), 2, eps=0.5)
    group_norm("of no images", (0, 4, 2), 2)
    # With a weight, torch's gradient of it is NaN; a sum of nothing is 0.
    group_norm("of no pixels", (2, 4, 0), 2, 0)
    group_norm("of no channels", (2, 0, 3), 2)

    def batch_norm(detail, x, training, weights=2, stats=True, momentum=0.1, eps=1e-5):
        def function(t, *more):
            wb, running = more[:weights], more[weights:]
            mean, var = running if stats else (None, None)
            y = F.batch_norm(t, mean, var, *wb, training=training, momentum=momentum, eps=eps)
            return (y, *running)

        case(
            "batch_norm",
            detail,
            function,
            values(x, 1),
            *affine((x[1],), weights),
            constants=(values((x[1],), 7), positive((x[1],), 8)) if stats else (),
            attributes=(training, momentum, eps, weights, stats),
        )

    batch_norm("in training", (3, 2, 2, 2), True)
    batch_norm("in training, momentum 0.75", (4, 3), True, momentum=0.75)
    batch_norm("in training, without affine parameters", (2, 3, 4), True, 0)
    batch_norm("in training, without running statistics", (2, 3, 4), True, stats=False)
    batch_norm("in training, with eps 0.5", (2, 2, 3), True, eps=0.5)
    batch_norm("in evaluation", (3, 2, 2, 2), False)
    batch_norm("in evaluation, without affine parameters", (4, 3), False, 0)
    batch_norm("in evaluation, with eps 0.5", (1, 3, 4), False, 1, eps=0.5)
    batch_norm("in evaluation, of one element", (1, 1, 1, 1), False)
    batch_norm("in evaluation, of no images", (0, 2, 3), False)


def class_losses():
    small, large = values((4, 5), 3), floats(
        [[60, -60, 59, 58, -60], [-88, -87, -90, -120, -88]]
    )
    class_weights = positive((5,), 2)

    def loss(
        op,
        detail,
        targets,
        reduction="mean",
        ignore_index=-100,
        label_smoothing=0.0,
        x=small,
        weight=None,
    ):
        targets = torch.tensor(targets, dtype=torch.int64)
        options = {"reduction": reduction, "ignore_index": ignore_index}
        if op == "cross_entropy":
            options["label_smoothing"] = label_smoothing
        case(
            op,
            detail,
            lambda t, *w: getattr(F, op)(t, targets, *w, **options),
            x,
            attributes=(REDUCTIONS.index(reduction), ignore_index, label_smoothing),
            index=targets,
            constants=() if weight is None else (weight,),
        )

    for op in ("cross_entropy", "nll_loss"):
        loss(op, "mean", (1, 0, 4, 2))
        loss(op, "sum", (1, 0, 4, 2), "sum")
        loss(op, "none", (1, 0, 4, 2), "none")
        loss(op, "mean, one ignored", (1, -100, 4, 2))
        loss(op, "none, class 2 ignored", (1, 2, 4, 2), "none", 2)
        loss(op, "mean, all ignored", (-100, -100, -100, -100))
        loss(op, "sum, all ignored", (-100, -100, -100, -100), "sum")
        for reduction in REDUCTIONS:
            loss(op, f"{reduction}, weights", (1, 0, 4, 2), reduction, weight=class_weights)
        loss(op, "mean, weights, one ignored", (1, -100, 4, 2), weight=class_weights)
        loss(op, "mean, [C]", 1, x=values((3,), 3))
        loss(op, "none, [C]", 1, "none", x=values((3,), 3))
        images = values((2, 3, 4), 5)
        at = ((0, 2, 1, 1), (2, -100, 0, 1))
        for reduction in REDUCTIONS:
            loss(op, f"{reduction}, [N, C, d1]", at, reduction, x=images)
        loss(op, "mean, [N, C, d1], weights", at, x=images, weight=positive((3,), 2))
        loss(
            op, "mean, [N, C, 1, d2]", (((1, 0),), ((2, 2),)), x=values((2, 3, 1, 2), 5)
        )
        for reduction in REDUCTIONS:
            loss(op, f"{reduction} of nothing", (), reduction, x=values((0, 3), 1))
            loss(op, f"{reduction} of no pixels", ((), ()), reduction, x=values((2, 3, 0), 1))
        loss(op, "mean, one class", (0, 0), x=values((2, 1), 1))
    op = "cross_entropy"
    loss(op, "mean, smoothing 0.1", (1, 0, 4, 2), label_smoothing=0.1)
    loss(op, "mean, smoothing 0.1, one ignored", (1, -100, 4, 2), label_smoothing=0.1)
    loss(op, "sum, smoothing 0.1", (1, 0, 4, 2), "sum", label_smoothing=0.1)
    loss(op, "none, smoothing 0.1, one ignored", (1, 0, -100, 2), "none", label_smoothing=0.1)
    loss(op, "none, of large logits", (0, 1), "none", x=large)
    for reduction in REDUCTIONS:
        loss(
            op,
            f"{reduction}, smoothing 0.25, weights, one ignored",
            (1, 0, -100, 2),
            reduction,
            label_smoothing=0.25,
            weight=class_weights,
        )
    loss(
        op,
        "mean, [N, C, d1], smoothing 0.25, weights",
        ((0, 2, 1, 1), (2, -100, 0, 1)),
        label_smoothing=0.25,
        x=values((2, 3, 4), 5),
        weight=positive((3,), 2),
    )


def pair_losses():
    for number, reduction in enumerate(REDUCTIONS):

        def pair(op, detail, function, x, t, constants=(), more=()):
            case(
                op,
                f"{reduction}{detail}",
                lambda *tensors: function(*tensors, reduction=reduction),
                x,
                t,
                constants=constants,
                attributes=(number, *more),
            )

        pair("mse_loss", "", F.mse_loss, values((3, 4), 1), values((3, 4), 2))
        pair("mse_loss", " of nothing", F.mse_loss, values((0, 2), 1), values((0, 2), 2))
        pair("mse_loss", " of scalars", F.mse_loss, values((), 1), values((), 2))
        op, bce = "binary_cross_entropy_with_logits", F.binary_cross_entropy_with_logits
        pair(op, "", bce, values((3, 4), 1), unit((3, 4), 2))
        pair(op, " of large logits", bce, wide((2, 5), 1), unit((2, 5), 2).round())
        pair(op, " of nothing", bce, values((0, 2), 1), unit((0, 2), 2))
        pair(op, " of scalars", bce, values((), 1), unit((), 2))
        for detail, weight, pos_weight in (
            (" with weight", (3, 4), None),
            (" with a weight per class", (4,), None),
            (" with pos_weight", None, (4,)),
            (" with weight and pos_weight", (3, 1), (1, 4)),
            (" with pos_weight of large logits", None, (4,)),
        ):
            chosen = [k for k, s in (("weight", weight), ("pos_weight", pos_weight)) if s]
            pair(
                f"{op}(input, target, options)",
                detail,
                lambda x, t, *w, reduction: bce(
                    x, t, reduction=reduction, **dict(zip(chosen, w))
                ),
                wide((3, 4), 1) if "large" in detail else values((3, 4), 1),
                unit((3, 4), 2),
                constants=[positive(s, 3) for s in (weight, pos_weight) if s],
                more=(weight is not None, pos_weight is not None),
            )


def views():
    x = values((2, 3, 4), 2)
    for dims in ((0, 1), (0, 2), (-1, -2)):
        case("Tensor::transpose", f"{dims}", lambda t: t.transpose(*dims), x, attributes=dims)
    for dim, start, length in ((0, 1, 1), (1, 0, 2), (-1, 1, 3), (1, 2, 0)):
        case(
            "Tensor::narrow",
            f"dim {dim} from {start}, {length} long",
            lambda t: t.narrow(dim, start, length),
            x,
            attributes=(dim, start, length),
        )
    for op, function, attributes in (
        ("reshape", lambda t: t.reshape(4, 6), (4, 6)),
        ("reshape", lambda t: t.reshape(-1), (-1,)),
        ("permute", lambda t: t.permute(2, 0, 1), (2, 0, 1)),
        ("select", lambda t: t.select(1, -1), (1, -1)),
        ("select", lambda t: t.select(0, 1), (0, 1)),
        ("flatten", lambda t: t.flatten(1, 2), (1, 2)),
        ("unsqueeze", lambda t: t.unsqueeze(-1), (-1,)),
        ("expand", lambda t: t.expand(2, 2, 3, 4), (2, 2, 3, 4)),
    ):
        case(f"Tensor::{op}", f"{attributes}", function, x, attributes=attributes)
    case(
        "Tensor::expand",
        "of size-1 dimensions",
        lambda t: t.expand(4, 3, 2),
        values((4, 1, 1), 3),
        attributes=(4, 3, 2),
    )
    case("Tensor::squeeze", "dim 1", lambda t: t.squeeze(1), values((2, 1, 3), 1), attributes=(1,))


def gathering():
    x = values((2, 3, 4), 2)
    for dim, picked in ((0, (1, 0, 1, 1)), (1, (2, 2)), (-1, (3, 0, 3, 1, 3)), (1, 2), (0, ())):
        index = torch.tensor(picked, dtype=torch.int64)
        case(
            "index_select",
            f"dim {dim}, {list(index.shape)} indices",
            lambda t: t.index_select(dim, index),
            x,
            attributes=(dim,),
            index=index,
        )
    case(
        "index_select",
        "of size-1 dimensions",
        lambda t: t.index_select(1, torch.tensor([0, 0])),
        values((1, 1, 2), 3),
        attributes=(1,),
        index=torch.tensor([0, 0]),
    )
    table = values((5, 3), 4)
    for picked in ([1, 4, 1, 0], [[2, 0, 2], [4, 4, 4]], 3, []):
        index = torch.tensor(picked, dtype=torch.int64)
        case(
            "embedding",
            f"of {list(index.shape)} indices",
            lambda w: F.embedding(index, w),
            table,
            index=index,
        )
    case(
        "embedding",
        "of one column",
        lambda w: F.embedding(torch.tensor([0, 1]), w),
        values((2, 1), 1),
        index=torch.tensor([0, 1]),
    )

    def parts(*shapes):
        return [values(shape, 3 * k + 1) for k, shape in enumerate(shapes)]

    for detail, dim, shapes in (
        ("two of [2, 3]", 0, ((2, 3), (2, 3))),
        ("three of other sizes", 1, ((2, 1, 2), (2, 3, 2), (2, 2, 2))),
        ("last dimension", -1, ((2, 3), (2, 1))),
        ("one", 0, ((3,),)),
        ("an empty one between", 0, ((1, 3), (0, 3), (2, 3))),
        ("empty ones", 1, ((0, 1), (0, 2))),
    ):
        tensors = parts(*shapes)
        case("cat", detail, lambda *t: torch.cat(t, dim), *tensors, attributes=(dim,))
    for detail, dim, shapes in (
        ("two of [2, 3] at the front", 0, ((2, 3), (2, 3))),
        ("three within", 1, ((2, 3), (2, 3), (2, 3))),
        ("two at the end", -1, ((2, 3), (2, 3))),
        ("scalars", 0, ((), (), ())),
        ("one of [1]", 1, ((1,),)),
        ("empty ones", 0, ((0, 2), (0, 2))),
    ):
        tensors = parts(*shapes)
        case("stack", detail, lambda *t: torch.stack(t, dim), *tensors, attributes=(dim,))

    def condition(shape):
        return values(shape, 7) > 0

    for c, a, b in (
        ((2, 3), (2, 3), (2, 3)),
        ((2, 1, 1), (3, 1), (1, 4)),
        ((3,), (), (2, 3)),
        ((), (2, 2), (2,)),
        ((1, 2), (0, 2), (2,)),
        ((2, 2), (), ()),
    ):
        case(
            "where",
            f"{list(c)} picks {list(a)}, {list(b)}",
            lambda x, y: torch.where(condition(c), x, y),
            values(a, 2),
            values(b, 3),
            index=condition(c),
        )
    case(
        "where(condition, a, number)",
        "of [2, 3], 1.5",
        lambda x: torch.where(condition((3,)), x, 1.5),
        values((2, 3), 2),
        index=condition((3,)),
        attributes=(1.5,),
    )
    case(
        "where(condition, number, b)",
        "of 1.5, [2, 3]",
        lambda x: torch.where(condition((3,)), 1.5, x),
        values((2, 3), 2),
        index=condition((3,)),
        attributes=(1.5,),
    )


def attention():
    def attend(detail, q, k, v, mask=None, is_causal=False, scale=None, gqa=False, window=0):
        form = "(options)" if gqa or window else ""
        boolean = mask is not None and mask.dtype == torch.bool
        real = mask is not None and not boolean

        def function(q, k, v, *given):
            with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
                shown = mask if boolean else given[0] if real else None
                if window:  # torch has no such option
                    at = torch.arange(q.size(-2)).unsqueeze(-1) - torch.arange(k.size(-2))
                    band = (at.abs() < window) & (at >= 0 if is_causal else at == at)
                    shown = band if shown is None else band & shown
                return F.scaled_dot_product_attention(
                    q, k, v, shown, 0.0, is_causal and not window, scale=scale, enable_gqa=gqa,
                )

        case(
            f"scaled_dot_product_attention{form}",
            detail,
            function,
            values(q, 1),
            values(k, 2),
            values(v, 3),
            *([mask] if real else []),
            index=mask if boolean else None,
            attributes=(is_causal, scale or 0) + ((gqa, window) if form else ()),
        )

    q, k, v = (2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 3)
    attend("[2, 2, 3, 4] to 5 keys", q, k, v)
    attend("with scale 0.25", q, k, v, scale=0.25)
    attend("causal, as many keys", (2, 2, 4, 3), (2, 2, 4, 3), (2, 2, 4, 3), is_causal=True)
    attend("causal, more keys", (1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 3), is_causal=True)
    attend("causal, fewer keys", (1, 2, 4, 4), (1, 2, 2, 4), (1, 2, 2, 3), is_causal=True)
    some = torch.tensor([[1, 0, 1, 1, 0], [0, 1, 0, 0, 0], [1, 1, 1, 0, 1]], dtype=torch.bool)
    attend("with a bool mask [L, S]", q, k, v, some)
    per_batch = torch.stack([some, some.flip(0)]).unsqueeze(1)
    attend("with a bool mask [B, 1, L, S]", q, k, v, per_batch)
    none = some.clone()
    none[1] = False
    attend("with a row that sees nothing", q, k, v, none)
    attend("with a float mask [L, S]", q, k, v, values((3, 5), 4))
    attend("with a float mask [B, H, L, S]", q, k, v, values((2, 2, 3, 5), 4))
    masked = values((3, 5), 4).masked_fill(~some, -INFINITY)
    attend("with a float mask of infinities", q, k, v, masked)
    attend("with a float mask [B, 1, 1, S]", q, k, v, values((2, 1, 1, 5), 4))
    attend("of [L, E]", (3, 4), (5, 4), (5, 2))
    attend("of [B, L, E]", (2, 3, 4), (2, 2, 4), (2, 2, 3), is_causal=True)
    attend("of one query and one key", (1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1))
    attend("to no keys", (1, 2, 2, 3), (1, 2, 0, 3), (1, 2, 0, 2))
    attend("of no queries", (1, 2, 0, 3), (1, 2, 2, 3), (1, 2, 2, 3))
    attend("of an empty batch", (0, 2, 3, 4), (0, 2, 5, 4), (0, 2, 5, 3))

    grouped = (2, 4, 3, 4), (2, 2, 5, 4), (2, 2, 5, 3)
    attend("of grouped queries", *grouped, gqa=True)
    attend("of grouped queries, causal", *grouped, is_causal=True, gqa=True)
    attend("of grouped queries, a mask for each", *grouped, values((2, 4, 3, 5), 4), gqa=True)
    attend("of grouped queries, one mask", *grouped, per_batch, gqa=True)
    attend("of groups of one query", q, k, v, gqa=True)
    attend("of one group, [H, L, E]", (3, 1, 4), (1, 5, 4), (1, 5, 3), gqa=True)
    attend("of grouped queries, to no keys", (2, 4, 2, 3), (2, 2, 0, 3), (2, 2, 0, 2), gqa=True)
    attend("in a window of 2", q, k, v, window=2)
    attend("in a window of 1, causal", q, k, v, is_causal=True, window=1)
    attend("in a window of 3, causal, grouped", (1, 4, 7, 3), (1, 2, 7, 3), (1, 2, 7, 2),
           is_causal=True, gqa=True, window=3)
    attend("in a window beyond the keys", (1, 2, 7, 3), (1, 2, 4, 3), (1, 2, 4, 2), window=3)
    attend("in a window, with a mask", q, k, v, some, window=3)
    attend("in a window wider than all", q, k, v, is_causal=True, window=100)


def rotary():
    def rotate(detail, shape, width, interleaved=False):
        at = torch.arange(shape[-2], dtype=torch.float64).unsqueeze(-1)
        i = torch.arange(width // 2, dtype=torch.float64)
        angles = at * 10000 ** (i * (-2 / max(width, 1)))
        cos, sin = (t.to(torch.float32).to(torch.float64) for t in (angles.cos(), angles.sin()))

        def function(x):
            turned, rest = x[..., :width], x[..., width:]
            if interleaved:
                a, b = turned[..., ::2], turned[..., 1::2]
                pairs = torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)
            else:
                a, b = turned.chunk(2, -1) if width else (turned, turned)
                pairs = torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
            return torch.cat([pairs, rest], -1)

        case("rotary_embedding", detail, function, values(shape, 3),
             attributes=(width, interleaved))

    rotate("of halves", (2, 2, 3, 8), 8)
    rotate("of neighbours", (2, 2, 3, 8), 8, True)
    rotate("of the first 4 of 7 numbers", (3, 4, 7), 4)
    rotate("of the first 4 of 6 numbers, neighbours", (3, 4, 6), 4, True)
    rotate("of one pair", (1, 2), 2)
    rotate("of no pairs", (2, 3), 0)
    rotate("of nothing", (0, 3, 4), 4)


def dropping():
    x = values((3, 4), 5)
    for detail, p, training in (("p = 0", 0.0, True), ("p = 1", 1.0, True), ("off", 0.5, False)):
        case(
            "dropout",
            detail,
            lambda t: F.dropout(t, p, training),
            x,
            attributes=(p, training),
        )
    for shape in ((3, 4), (1, 1), (), (0, 2)):
        random_case("dropout", f"p = 0.5 of {list(shape)}", shape, [values(shape, 5)], (0.5, True))

    residual = values((3, 4), 6)
    for detail, p, training in (("p = 0", 0.0, True), ("p = 1", 1.0, True), ("off", 0.5, False)):
        case(
            "dropout_add",
            detail,
            lambda t, r: r + F.dropout(t, p, training),
            x,
            residual,
            attributes=(p, training),
        )
    for shape in ((3, 4), (1, 1), (), (0, 2)):
        random_case(
            "dropout_add",
            f"p = 0.5 of {list(shape)}",
            shape,
            [values(shape, 5), values(shape, 6)],
            (0.5, True),
        )


def convolutions_with_relu():
    def conv(detail, x, w, bias=True, stride=1, padding=0, groups=1):
        case(
            "conv2d(relu)",
            detail,
            lambda *t: F.relu(F.conv2d(*t, stride=stride, padding=padding, groups=groups)),
            values(x, 1),
            values(w, 2),
            *([values((w[0],), 3)] if bias else []),
            attributes=(stride, stride, padding, padding, 1, 1, groups),
        )

    conv("3x3 padding 1", (2, 2, 4, 4), (3, 2, 3, 3), padding=1)
    conv("stride 2 without bias", (2, 2, 5, 5), (2, 2, 3, 3), bias=False, stride=2)
    conv("groups 2", (2, 4, 3, 3), (4, 2, 2, 2), groups=2)
    conv("of one pixel", (1, 1, 1, 1), (1, 1, 1, 1))
    conv("of no images", (0, 2, 3, 3), (1, 2, 2, 2))


def reciprocals():
    case("reciprocal", "in general", torch.reciprocal, nonzero((3, 5), 8))
    case("reciprocal", "of a scalar", torch.reciprocal, nonzero((), 9))
    case("reciprocal", "of nothing", torch.reciprocal, nonzero((2, 0), 1))
    case("reciprocal", "of no number and infinity", torch.reciprocal, floats([NAN, INFINITY, 1]))
    case("reciprocal", "of -infinity and 0", torch.reciprocal, floats([-INFINITY, 0, 1]))


def logarithms_near_0():
    above = positive((3, 5), 8) - 1
    case("log1p", "in general", torch.log1p, above)
    case("log1p", "near 0", torch.log1p, values((3, 5), 8) / 256)
    case("log1p", "of a scalar", torch.log1p, positive((), 9) - 1)
    case("log1p", "of nothing", torch.log1p, values((2, 0), 1))
    case("log1p", "of no number and infinity", torch.log1p, floats([NAN, INFINITY, 1]))
    case("log1p", "of -1 and below", torch.log1p, floats([-1, -2, -INFINITY]))


def variances():
    def var(detail, x, dim, correction=1, keepdim=False):
        case(
            "var",
            detail,
            lambda t: torch.var(t, dim, correction=correction, keepdim=keepdim),
            x,
            attributes=(dim, correction, keepdim),
        )

    x = values((2, 3, 4), 1)
    for dim in (0, 1, -1):
        var(f"{dim}", x, dim)
    for correction in (0, 2.5, -1):
        var(f"1, correction {correction}, keepdim", x, 1, correction, True)
    var("1, correction 3 of as many", x, 1, 3)
    var("1, correction 4 of 3", x, 1, 4)
    var("of equal numbers", floats([[0.75] * 3, [-1.5] * 3]), 1)
    var("no number among them", floats([[1, NAN, 2], [INFINITY, 0, 1], [1, 2, -INFINITY]]), 1)
    for shape, dim in (((), 0), ((3, 1), 1), ((2, 0), 0), ((2, 0), 1)):
        for correction in (0, 1):
            var(f"{dim} of {list(shape)}, correction {correction}", values(shape, 3), dim, correction)


def soft_class_losses():
    op = "cross_entropy(probabilities)"

    def loss(detail, shape, reduction="mean", label_smoothing=0.0, weight=None, x=None):
        case(
            op,
            f"{reduction}{detail}",
            lambda x, t, *w: F.cross_entropy(
                x, t, *w, reduction=reduction, label_smoothing=label_smoothing
            ),
            values(shape, 3) if x is None else x,
            unit(shape, 2),
            attributes=(REDUCTIONS.index(reduction), label_smoothing),
            constants=() if weight is None else (positive((weight,), 2),),
        )

    for reduction in REDUCTIONS:
        loss("", (4, 5), reduction)
        loss(", smoothing 0.25, weights", (4, 5), reduction, 0.25, 5)
        loss(", [N, C, d1]", (2, 3, 4), reduction)
        loss(" of nothing", (0, 3), reduction)
        loss(" of no pixels", (2, 3, 0), reduction)
    loss(", smoothing 0.1", (4, 5), label_smoothing=0.1)
    loss(", weights", (4, 5), weight=5)
    loss(", [C]", (3,))
    loss(", [C], smoothing 0.25, weights", (3,), "none", 0.25, 3)
    loss(", [N, C, 1, d2], smoothing 0.25, weights", (2, 3, 1, 2), "mean", 0.25, 3)
    loss(", one class", (2, 1))
    loss(", one sample", (1, 3))
    large = floats([[60, -60, 59, 58, -60], [-88, -87, -90, -120, -88]])
    loss(" of large logits", (2, 5), "none", x=large)


def reductions_over_dimensions():
    """The attributes, of which the dimensions are the last ones:

    sum mean amax amin logsumexp (x, dims)   keepdim
    var std (x, dims)                        correction, keepdim
    norm(x, p, dims)                         p, keepdim
    normalize                                p, eps
    """

    def over(op, function, x, dims, keepdim=False, detail="", before=()):
        case(
            f"{op}(x, dims)",
            f"{list(dims)} of {list(x.shape)}{' keepdim' * keepdim}{detail}",
            lambda t: function(t, dims, keepdim),
            x,
            attributes=(*before, keepdim, *dims),
        )

    x = values((2, 3, 4), 1)
    deep = values((2, 3, 2, 5), 2)
    lists = (((0, 2), x), ((1, 2), x), ((-1, 0), x), ((0, 1, 2), x), ((), x), ((3, 1), deep))

    # Of an empty list torch computes the gradient as if n were 1.
    def var(t, dims, keepdim):
        return torch.var(t, dims or None, correction=correction, keepdim=keepdim)

    def std(t, dims, keepdim):
        return torch.std(t, dims or None, correction=correction, keepdim=keepdim)

    for op, function in (
        ("sum", torch.sum),
        ("mean", torch.mean),
        ("amax", torch.amax),
        ("amin", torch.amin),
        ("logsumexp", lambda t, d, k: torch.logsumexp(t, d or tuple(range(t.dim())), k)),
    ):
        for n, (dims, t) in enumerate(lists):
            over(op, function, t, dims, n % 2 == 1)
        for shape, dims in (((), (0,)), ((3, 1, 2), (1,)), ((0, 3), (1,)), ((1, 1), (0, 1))):
            over(op, function, values(shape, 3), dims)
        if op in ("sum", "mean", "logsumexp"):
            over(op, function, values((2, 0, 3), 3), (0, 1))
    for op, function in (("var", var), ("std", std)):
        for n, (dims, t) in enumerate(lists):
            correction = n % 3 - 1
            over(op, function, t, dims, n % 2 == 1, f", {correction}", (correction,))
        correction = 1
        case(op if op == "std" else "var(x)", "in general", getattr(torch, op), x)
        case(op if op == "std" else "var(x)", "of nothing", getattr(torch, op), values((0, 2), 1))
        for correction in (2, 3):
            over(op, function, floats([[1, 2]]), (1,), False, f", {correction}", (correction,))
        correction = 0
        equal = floats([[0.75] * 3, [-1.5] * 3])
        over(op, function, equal, (1,), False, " of equal numbers", (0,))
        over(op, function, values((2, 0), 1), (0, 1), False, "", (0,))
        nans = floats([[1, NAN, 2], [INFINITY, 0, 1]])
        over(op, function, nans, (1,), False, " of no number", (0,))


def products_of_elements():
    x = nonzero((2, 3), 1)
    zeros = floats([[0, 1.5, 2], [0, 0, 3], [1, 2, -0.5], [0, 0, 0]])
    case("prod", "in general", torch.prod, x)
    case("prod", "of a scalar", torch.prod, values((), 3))
    case("prod", "of nothing", torch.prod, values((0, 2), 3))
    case("prod", "one zero", torch.prod, floats([[0.5, 2], [0, -3]]))
    case("prod", "several zeros", torch.prod, zeros)
    case("prod", "infinite", torch.prod, floats([INFINITY, 2, -1]))
    case("prod", "no number among them", torch.prod, floats([NAN, 2, 1]))

    def prod(detail, x, dim, keepdim=False):
        case(
            "prod(x, dim)",
            f"{dim}{' keepdim' * keepdim}{detail}",
            lambda t: torch.prod(t, dim, keepdim),
            x,
            attributes=(dim, keepdim),
        )

    for dim in (0, 1, -1):
        for keepdim in (False, True):
            prod("", nonzero((2, 3, 4), 1), dim, keepdim)
    prod(", zeros", zeros, 1)
    prod(", zeros", zeros, 0)
    for shape, dim in (((), 0), ((3, 1), 1), ((2, 0), 0), ((2, 0), 1)):
        prod(f" of {list(shape)}", nonzero(shape, 3), dim)


def extremes_and_log_sums():
    for op, function in (("amax", torch.amax), ("amin", torch.amin)):
        case(op, "in general", function, values((2, 3, 4), 6))
        case(op, "tied", function, coarse((4, 5), 2))
        case(op, "of a scalar", function, values((), 2))
        case(op, "no number among them", function, floats([1, NAN, 2, NAN]))
        tied = floats([[2, 1, 2, 1], [-1, -1, -1, -1], [0, 3, -3, 3], [INFINITY, INFINITY, 1, 2]])
        for dims in ((1,), (0,)):
            case(
                f"{op}(x, dims)",
                f"{list(dims)} tied",
                lambda t: function(t, dims),
                tied,
                attributes=(False, *dims),
            )
    for detail, rows in (
        ("of large inputs", [[60, -60, 59], [-88, -87, -120]]),
        ("of masked inputs", [[-INFINITY, 0.5, 1], [-INFINITY, -INFINITY, 2]]),
        ("of infinities", [[INFINITY, 1, 2], [-INFINITY, -INFINITY, -INFINITY]]),
        ("of no number", [[NAN, 1, 2], [INFINITY, NAN, -INFINITY]]),
    ):
        for dim in (0, 1):
            case(
                "logsumexp(x, dims)",
                f"[{dim}] {detail}",
                lambda t: torch.logsumexp(t, dim),
                floats(rows),
                attributes=(False, dim),
            )


def vector_norms():
    def norm(t, p, dims, keepdim):
        y = torch.linalg.vector_norm(t, p, dims or None, keepdim)
        return y if p else y + 0 * t.sum()  # torch's gradient of order 0 is none

    x = values((2, 3, 4), 1)
    x[0, 1, 2] = 0
    zeros = floats([[0, 0, 0], [1, -1, 0.5], [0, 2, -2]])
    case("norm", "in general", torch.norm, x)
    case("norm", "of a scalar", torch.norm, values((), 3))
    case("norm", "of nothing", torch.norm, values((0, 2), 3))
    case("norm", "of zeros", torch.norm, floats([0, 0]))

    def over(detail, x, p, dims, keepdim=False):
        case(
            "norm(x, p, dims)",
            f"{p} over {list(dims)}{' keepdim' * keepdim}{detail}",
            lambda t: norm(t, p, dims, keepdim),
            x,
            attributes=(p, keepdim, *dims),
        )

    orders = (0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 2.5, -1.0, -2.5, INFINITY, -INFINITY)
    for p in orders:
        over("", x, p, (0, 2))
        over("", x, p, (1,), True)
        over("", x, p, ())
        over(" of zeros", zeros, p, (1,))
        if not p < 0 and p != INFINITY:
            over(" of nothing", values((2, 0), 1), p, (1,))
        over(" of no lines", values((0, 2), 1), p, (1,))
    for p in (1.0, 2.0, 3.0, INFINITY):
        over(" of no number", floats([[NAN, 1, 2], [INFINITY, 1, 0]]), p, (1,))

    def normalize(detail, x, p=2.0, dims=(1,), eps=1e-12):
        case(
            "normalize",
            f"{detail}, {p} over {list(dims)}",
            lambda t: F.normalize(t, p, dims, eps),
            x,
            attributes=(p, eps, *dims),
        )

    for p in (1.0, 2.0, 3.0, INFINITY):
        normalize("in general", values((2, 3, 4), 3), p)
    normalize("in general", values((2, 3, 4), 3), 2.0, (0, -1))
    normalize("of zeros and short vectors", floats([[0, 0], [0.25, 0], [3, -4]]), eps=0.5)
    normalize("of vectors as long as eps", floats([[0.5, 0], [0, -0.5], [3, -4]]), eps=0.5)
    normalize("of a batch of one", values((1, 2, 3), 1))
    normalize("of no lines", values((0, 2), 1))
    normalize("of no number", floats([[NAN, 1], [1, 2]]))


# --- writing ------------------------------------------------------------------------------------

KINDS = {
    torch.float64: "real",
    torch.int64: "int64",
    torch.bool: "bool",
    torch.complex128: "random",
}


def block(c):
    """The title of a case and its lines: see `OpCase` in ops.hpp."""
    lines = []
    for x, grad in c["operands"]:
        lines.append(blocks.tensor("input", x))
        if grad is not None:
            lines.append(("gradient", grad.flatten().tolist()))
    if c["attributes"]:
        lines.append(("attributes", c["attributes"]))
    if c["index"] is not None:
        lines.append(blocks.tensor("index", c["index"]))
    for y in c["outputs"]:
        words, numbers = blocks.tensor(KINDS[y.dtype], y)
        lines.append((words, [] if y.is_complex() else numbers))
    if c["gradient"].numel():
        lines.append(("incoming", c["gradient"].flatten().tolist()))
    return f"{c['op']}: {c['detail']}", lines


ABOUT = """\
Values and gradients of ops.
Inputs and incoming gradients are exact in bfloat16 and float16: inputs are mostly multiples of
1/64 in [-2, 2], incoming gradients multiples of 1/8 in [-1, 1]."""

def elementary_functions():
    beyond_1 = floats([-1, 1, 1.5, NAN])
    special = floats([NAN, INFINITY, -INFINITY, 0])
    for name, x, at in (
        ("sign", coarse((3, 5), 1), special),
        ("square", values((3, 5), 2), special),
        ("expm1", values((3, 5), 3) / 64, special),
        ("log2", positive((3, 5), 4), floats([0, -1, INFINITY, NAN])),
        ("log10", positive((3, 5), 5), floats([0, -1, INFINITY, NAN])),
        ("sin", wide((3, 5), 6), special),
        ("cos", wide((3, 5), 7), special),
        ("tan", values((3, 5), 8) / 2, special),
        ("asin", values((3, 5), 9) / 4, beyond_1),
        ("acos", values((3, 5), 10) / 4, beyond_1),
        ("atan", wide((3, 5), 11), special),
        ("sinh", values((3, 5), 12), special),
        ("cosh", values((3, 5), 13), special),
        ("erf", values((3, 5), 14), special),
        ("erfinv", values((3, 5), 15) / 4, beyond_1),
        ("floor", values((3, 5), 16), special),
        ("ceil", values((3, 5), 17), special),
        ("trunc", values((3, 5), 18), special),
        ("round", values((3, 5), 19) * 2, special),
        ("isnan", coarse((3, 5), 20), special),
        ("isinf", coarse((3, 5), 21), special),
        ("isfinite", coarse((3, 5), 22), special),
        ("logical_not", coarse((3, 5), 23), special),
    ):
        function = getattr(torch, name)
        case(name, "in general", function, x)
        case(name, "of a scalar", function, x[1, 2].clone())
        case(name, "of nothing", function, x[:0])
        case(name, "at the ends", function, at)
    for decimals in (1, -1):
        case("round(x, decimals)", f"{decimals} decimals", lambda t: torch.round(t, decimals=decimals),
             wide((3, 5), 3), attributes=(decimals,))


def more_activations():
    at = floats([NAN, INFINITY, -3, 0, 3, 6])
    # Where torch's values are right: it gives mish(inf) no gradient, and NaN in hardtanh one that
    # depends on the position. So does softshrink, but so few elements are not in its vectors.
    ends = {"mish": at[2:], "softsign": at[2:], "relu6": at[1:], "hardsigmoid": at[1:]}
    for name in ("selu", "hardsigmoid", "hardswish", "logsigmoid", "mish", "softsign", "relu6"):
        function = getattr(F, name)
        if name == "hardsigmoid":  # torch's own derivative in float64 has 1/6 of float32
            function = lambda t: F.relu6(t + 3) / 6
        case(name, "in general", function, values((3, 5), 3))
        case(name, "far from 0", function, wide((3, 5), 4))
        case(name, "of nothing", function, values((2, 0), 1))
        case(name, "of one", function, values((1,), 2))
        case(name, "at the ends", function, ends[name] if name in ends else at)
    for name, numbers in (
        ("leaky_relu", ((0.01,), (0.25,))),
        ("elu", ((1,), (0.5,))),
        ("celu", ((1,), (2,))),
        ("hardtanh", ((-1, 1), (-0.5, 1.5))),
        ("softplus", ((1, 20), (2, 1))),
        ("softshrink", ((0.5,), (3,), (0,))),
    ):
        for n in numbers:
            function = lambda t: getattr(F, name)(t, *n)
            case(f"{name}(x, numbers)", f"with {n}", function, values((3, 5), 5), attributes=n)
            case(f"{name}(x, numbers)", f"far from 0, with {n}", function, wide((3, 5), 6), attributes=n)
            case(f"{name}(x, numbers)", f"at the ends, with {n}", function,
                 at[1:] if name == "hardtanh" else at, attributes=n)
        case(f"{name}(x, default)", "in general", getattr(F, name), wide((3, 5), 6))
        case(f"{name}(x, numbers)", "of nothing", function, values((0, 3), 1), attributes=n)
        case(f"{name}(x, numbers)", "of one", function, values((1,), 2), attributes=n)


def functions_of_two():
    for name in ("atan2", "fmod", "remainder", "maximum", "minimum", "logical_and", "logical_or", "logical_xor"):
        function = getattr(torch, name)
        make = coarse if name.startswith("logical") or name[0] == "m" else nonzero
        case(name, "of one shape", function, make((3, 4), 1), make((3, 4), 2))
        make = values if name[0] == "m" else make
        case(name, "broadcast", function, make((2, 1, 3), 3), make((4, 1), 4))
        case(name, "of a scalar and nothing", function, make((), 5), make((0, 2), 6))
        if name[0] != "a":
            case(name, "of no numbers", function, floats([NAN, 1, 2]), floats([1, NAN, 2]))
    case("atan2", "on the axes", torch.atan2, floats([0, 0, 1, -1]), floats([1, -1, 0, 0]))
    for name in ("fmod", "remainder"):
        for n in (0.75, -2):
            case(f"{name}(x, number)", f"by {n}", lambda t: getattr(torch, name)(t, n), values((3, 5), 7),
                 attributes=(n,))


if __name__ == "__main__":
    torch.set_num_threads(1)
    for group in (
        products,
        convolutions,
        pooling,
        arithmetic,
        comparisons,
        pointwise,
        powers,
        reductions,
        extremes,
        norms,
        class_losses,
        pair_losses,
        views,
        gathering,
        attention,
        rotary,
        dropping,
        convolutions_with_relu,
        reciprocals,
        logarithms_near_0,
        variances,
        soft_class_losses,
        elementary_functions,
        more_activations,
        functions_of_two,
        reductions_over_dimensions,
        products_of_elements,
        extremes_and_log_sums,
        vector_norms,
        order_and_scans,
        ops_products.sums_of_products,
        ops_products.functions_of_three,
        ops_products.distances,
        *ops_losses.GROUPS,
        ops_moving.cutting_views,
        ops_moving.turned_copies,
        ops_moving.matrix_parts,
        ops_moving.bounds_and_joins,
        ops_indexing.gathers,
        ops_indexing.scatters,
        ops_indexing.slices,
        ops_indexing.several_indices,
        ops_indexing.masks,
        ops_indexing.counts,
        ops_windows.convolutions_in_all_dimensions,
        ops_windows.pools_in_all_dimensions,
        ops_windows.patches,
        ops_windows.instance_norms,
        interpolation,
        ops_recurrent.cells,
        ops_recurrent.layers,
        ops_recurrent.packed_sequences,
        sampling,
    ):
        group()
    torch_version = torch.__version__.split("+")[0]
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch_version} on the CPU, float64, 1 thread",
        [block(c) for c in cases],
    )
