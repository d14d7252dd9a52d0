# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Convolutions of one and three dimensions, transposed ones, pools, unfold and fold, and
instance_norm: cases of make_ops.py. Attributes as in conformance/calls/windows.hpp."""

import torch
import torch.nn.functional as F

from cases import INFINITY, NAN, case, coarse, positive, values


def tuple_of(n, value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n


def sides(before, after):
    """What F.pad takes, which has the last dimension first."""
    return [pad for both in reversed(list(zip(before, after))) for pad in both]


def conv(n, detail, x, w, bias=True, stride=1, padding=0, dilation=1, groups=1, after=()):
    stride, dilation = tuple_of(n, stride), tuple_of(n, dilation)
    same = padding == "same"
    pad = padding if same else tuple_of(n, padding)
    inputs = [values(x, 1), values(w, 2)] + ([values((w[0],), 3)] if bias else [])
    function = getattr(F, f"conv{n}d")

    def expected(x, *others):
        if after:
            x = F.pad(x, sides(pad, after))
        return function(x, *others, stride=stride, padding=0 if after else pad, dilation=dilation, groups=groups)

    case(
        "conv2d(options)" if n == 2 else f"conv{n}d",
        detail,
        expected,
        *inputs,
        attributes=(*stride, *((-1,) * n if same else pad), *dilation, groups, *after),
    )


def transposed(n, detail, x, w, bias=True, stride=1, padding=0, more=0, groups=1, dilation=1):
    stride, padding, more, dilation = (tuple_of(n, v) for v in (stride, padding, more, dilation))
    inputs = [values(x, 1), values(w, 2)] + ([values((w[1] * groups,), 3)] if bias else [])
    function = getattr(F, f"conv_transpose{n}d")
    case(
        f"conv_transpose{n}d",
        detail,
        lambda *t: function(*t, stride=stride, padding=padding, output_padding=more, groups=groups,
                            dilation=dilation),
        *inputs,
        attributes=(*stride, *padding, *more, groups, *dilation),
    )


def convolutions_in_all_dimensions():
    conv(1, "kernel 3", (2, 2, 7), (3, 2, 3))
    conv(1, "stride 2 padding 1 dilation 2 without bias", (2, 3, 9), (2, 3, 3), bias=False, stride=2,
         padding=1, dilation=2)
    conv(1, "depthwise", (2, 3, 6), (3, 1, 3), padding=1, groups=3)
    conv(1, "groups 2", (1, 4, 5), (4, 2, 2), groups=2)
    conv(1, "of one line without a batch", (2, 5), (3, 2, 2))
    conv(1, "same, even kernel", (1, 2, 5), (2, 2, 4), padding="same")
    conv(1, "causal", (2, 2, 6), (3, 2, 3), padding=4, dilation=2, after=(0,))
    conv(2, "each side's own padding, stride 2x1", (1, 2, 4, 5), (2, 1, 3, 2), stride=(2, 1),
         padding=(0, 2), after=(1, 0), groups=2)
    conv(3, "each side's own padding", (1, 2, 3, 2, 3), (2, 2, 2, 2, 2), padding=(1, 0, 0),
         after=(0, 1, 2))
    conv(1, "of one number", (1, 1, 1), (1, 1, 1))
    conv(1, "of no lines", (0, 2, 4), (1, 2, 2))
    conv(2, "same, even kernel and dilation", (1, 1, 5, 6), (2, 1, 2, 3), padding="same",
         dilation=(1, 2))
    conv(3, "kernel 2x3x3 padding 1", (1, 2, 3, 3, 3), (2, 2, 2, 3, 3), padding=(0, 1, 1))
    conv(3, "stride 2x1x2 padding 1x0x1", (1, 1, 4, 4, 5), (2, 1, 3, 2, 3), stride=(2, 1, 2),
         padding=(1, 0, 1))
    conv(3, "groups 2 dilation 2x1x1 without bias", (1, 4, 4, 3, 2), (2, 2, 2, 2, 2), bias=False,
         dilation=(2, 1, 1), groups=2)
    conv(3, "depthwise", (1, 2, 3, 3, 4), (2, 1, 2, 2, 3), padding=(1, 0, 1), groups=2)
    conv(3, "same", (1, 1, 3, 3, 3), (1, 1, 2, 3, 2), padding="same")
    conv(3, "of one image without a batch", (2, 3, 3, 3), (1, 2, 2, 2, 2))
    conv(3, "of one voxel", (1, 1, 1, 1, 1), (1, 1, 1, 1, 1))
    conv(3, "of no images", (0, 2, 3, 3, 3), (1, 2, 2, 2, 2))

    transposed(1, "kernel 3", (2, 2, 5), (2, 3, 3))
    transposed(1, "stride 3 padding 1 output_padding 2", (1, 2, 4), (2, 2, 4), stride=3, padding=1,
               more=2)
    transposed(1, "stride larger than the kernel", (1, 2, 3), (2, 2, 1), stride=3)
    transposed(1, "of one line without a batch", (2, 4), (2, 1, 2), bias=False)
    transposed(1, "of one number", (1, 1, 1), (1, 1, 1))
    transposed(1, "of no lines", (0, 2, 3), (2, 1, 2))
    transposed(2, "DCGAN's first layer", (2, 3, 1, 1), (3, 2, 4, 4))
    transposed(2, "stride 2 padding 1", (1, 2, 3, 3), (2, 2, 4, 4), stride=2, padding=1, bias=False)
    transposed(2, "stride 2x1 output_padding 1x0 dilation 1x2", (1, 2, 3, 4), (2, 2, 3, 2),
               stride=(2, 1), more=(1, 0), dilation=(1, 2))
    transposed(2, "groups 2", (1, 4, 2, 3), (4, 2, 2, 2), stride=2, groups=2)
    transposed(2, "depthwise, stride 2", (1, 3, 3, 3), (3, 1, 3, 3), stride=2, padding=1, more=1,
               groups=3)
    transposed(2, "1x1", (2, 3, 2, 2), (3, 2, 1, 1))
    transposed(2, "of one image without a batch", (2, 3, 3), (2, 1, 2, 2))
    transposed(2, "of no images", (0, 2, 3, 3), (2, 1, 2, 2))
    transposed(3, "stride 2 padding 1", (1, 2, 2, 2, 2), (2, 1, 3, 4, 3), stride=2, padding=1)
    transposed(3, "groups 2 output_padding 1 dilation 2x1x1", (1, 2, 2, 1, 2), (2, 1, 2, 2, 2),
               stride=(1, 2, 2), more=(1, 1, 0), groups=2, dilation=(2, 1, 1))
    transposed(3, "of one voxel without a batch", (1, 1, 1, 1), (1, 1, 1, 1, 1))
    transposed(3, "of no images", (0, 1, 2, 2, 2), (1, 1, 2, 2, 2))

    for detail, shape, kernel, pad in (("in general", (5, 2, 3), (3, 3, 2), 1),
                                       ("of one number", (1, 1, 1), (1, 1, 1), 0),
                                       ("of no lines", (4, 0, 2), (2, 2, 3), 0)):
        case("conv_tbc", detail, lambda x, w, b: torch.conv_tbc(x, w, b, pad).contiguous(),
             values(shape, 1), values(kernel, 2), values(kernel[2:], 3), attributes=(pad,))


def maxima(n, detail, x, kernel, stride=None, padding=0, dilation=1, ceil=False):
    kernel = tuple_of(n, kernel)
    stride = tuple_of(n, stride if stride is not None else kernel)
    padding, dilation = tuple_of(n, padding), tuple_of(n, dilation)
    attributes = (*kernel, *stride, *padding, *dilation, int(ceil))
    for op in (f"max_pool{n}d", f"max_pool{n}d_with_indices"):
        case("max_pool2d(options)" if op == "max_pool2d" else op, detail,
             lambda t: getattr(F, op)(t, kernel, stride, padding, dilation, ceil), x,
             attributes=attributes)


def means(n, detail, x, kernel, stride=None, padding=0, ceil=False, include=True, divisor=0):
    kernel = tuple_of(n, kernel)
    stride = tuple_of(n, stride if stride is not None else kernel)
    padding = tuple_of(n, padding)
    more = (divisor or None,) if n > 1 else ()
    case("avg_pool2d(options)" if n == 2 else f"avg_pool{n}d", detail,
         lambda t: getattr(F, f"avg_pool{n}d")(t, kernel, stride, padding, ceil, include, *more), x,
         attributes=(*kernel, *stride, *padding, int(ceil), int(include), divisor))


def adaptive(n, detail, x, size):
    size = tuple_of(n, size)
    asked = tuple(None if s < 0 else s for s in size)
    for kind in ("avg", "max", "max_with_indices"):
        name = f"adaptive_{kind[:3]}_pool{n}d{kind[3:]}"
        case(name, detail, lambda t: getattr(F, name)(t, asked if n > 1 else asked[0]), x,
             attributes=size)


def pools_in_all_dimensions():
    shapes = {1: (2, 2, 9), 2: (1, 2, 5, 7), 3: (1, 1, 3, 4, 5)}
    for n, shape in shapes.items():
        x = values(shape, 4)
        maxima(n, "kernel 2", x, 2)
        maxima(n, "kernel 3 stride 2 padding 1, ceil_mode", x, 3, 2, 1, ceil=True)
        maxima(n, "kernel 2 stride 1 dilation 2", x, 2, 1, dilation=2)
        maxima(n, "ties", coarse(shape, 5), 3, 1, 1)
        strange = values(shape, 6)
        strange.view(-1)[3], strange.view(-1)[11], strange.view(-1)[12] = NAN, INFINITY, -INFINITY
        maxima(n, "no number and infinities among them", strange, 2, 1)
        maxima(n, "of one image without a batch", x[0], 2)
        maxima(n, "of no images", values((0, *shape[1:]), 1), 2)
        maxima(n, "of one element", values((1, 1) + (1,) * n, 1), 1)
        means(n, "of one element", values((1, 1) + (1,) * n, 2), 1)
        means(n, "kernel 2", x, 2)
        means(n, "kernel 3 stride 2 padding 1", x, 3, 2, 1)
        means(n, "without padding in the count", x, 3, 2, 1, include=False)
        means(n, "ceil_mode", x, 2, 3, 1, ceil=True)
        means(n, "ceil_mode, without padding in the count", x, 3, 2, 1, True, False)
        means(n, "of one image without a batch", x[0], 2)
        means(n, "of no images", values((0, *shape[1:]), 1), 2, include=False, padding=1)
        if n > 1:
            means(n, "divided by 3", x, 2, 1, divisor=3)
        adaptive(n, "to 3", x, 3)
        adaptive(n, "to 1", x, 1)
        adaptive(n, "to more than there are", values((1, 1) + (2,) * n, 3), 3)
        adaptive(n, "of one image without a batch", x[0], 2)
        adaptive(n, "of no images", values((0, *shape[1:]), 1), 2)
    adaptive(2, "to 2 and the input's", values((1, 2, 5, 7), 4), (2, -1))
    adaptive(3, "to the input's and 2x3", values((1, 2, 3, 4, 5), 4), (-1, 2, 3))


def patches():
    def pair(detail, x, kernel, dilation=(1, 1), padding=(0, 0), stride=(1, 1)):
        numbers = (*kernel, *dilation, *padding, *stride)
        case("unfold", detail, lambda t: F.unfold(t, kernel, dilation, padding, stride), values(x, 1),
             attributes=numbers)
        columns = F.unfold(values(x, 1), kernel, dilation, padding, stride)
        case("fold", detail, lambda t: F.fold(t, x[-2:], kernel, dilation, padding, stride),
             values(columns.shape, 2), attributes=(*x[-2:], *numbers))

    pair("kernel 2", (1, 2, 3, 4), (2, 2))
    pair("stride 2x1 padding 1x0 dilation 1x2", (1, 2, 4, 5), (2, 2), (1, 2), (1, 0), (2, 1))
    pair("stride larger than the kernel", (2, 1, 5, 6), (2, 2), stride=(3, 4))
    pair("of one image without a batch", (2, 3, 3), (2, 3))
    pair("of one pixel", (1, 1, 1, 1), (1, 1))
    pair("of no images", (0, 2, 3, 3), (2, 2))


def instance_norms():
    def norm(detail, shape, own=True, affine=2, running=False, momentum=0.25):
        inputs = [values(shape, 1), positive(shape[1:2], 2), values(shape[1:2], 3)][:1 + affine]
        statistics = [values(shape[1:2], 4), positive(shape[1:2], 5)] if running else []

        def run(*t):
            x, *rest = t
            parameters = (rest[:affine] + [None, None])[:2]
            if not running:
                return F.instance_norm(x, None, None, *parameters, own, momentum, 1e-5)
            mean, var = rest[affine:]
            y = F.instance_norm(x, mean, var, *parameters, own, momentum, 1e-5)
            return y, mean, var

        case("instance_norm", detail, run, *inputs,
             attributes=(int(own), momentum, 1e-5, affine, int(running)), constants=statistics)

    norm("in general", (2, 3, 2, 4))
    norm("without weight and bias", (2, 2, 5), affine=0)
    norm("with a weight alone", (2, 2, 5), affine=1)
    norm("with running statistics", (2, 3, 4), running=True)
    norm("by running statistics", (2, 3, 4), own=False, running=True)
    norm("of 3 dimensions", (1, 2, 2, 3, 4))
    norm("of no elements", (2, 3, 0))
