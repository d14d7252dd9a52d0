# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Random calls of losses, and of activations with two operands, and the same in torch. As ops.py, of
which it is a part."""

import torch
import torch.nn.functional as F

from draw import sizes, tensor
from ops import REDUCTIONS, Call, op, parameter_dtype


def same(rng, shape, dtype, kind=None, **options):
    return tensor(rng, shape, dtype, kind, **options)


def signs(rng, shape, dtype):
    """1 and -1."""
    count = torch.Size(shape).numel()
    return tensor(rng, shape, dtype, requires_grad=False,
                  contents=torch.tensor([rng.choice([1.0, -1.0]) for _ in range(count)]))


def inside(rng, shape, dtype, requires_grad=None):
    """Numbers in (0, 1)."""
    count = torch.Size(shape).numel()
    return tensor(rng, shape, dtype, requires_grad=requires_grad,
                  contents=torch.tensor([rng.choice([0.125, 0.25, 0.5, 0.75, 0.875])
                                         for _ in range(count)]))


NUMBERS = {"l1_loss": lambda rng: {}, "smooth_l1_loss": lambda rng: {"beta": rng.choice([1.0, 0.25])},
           "huber_loss": lambda rng: {"delta": rng.choice([1.0, 0.25])}}


@op(*NUMBERS)
def pair(name, rng, dtype):
    shape, reduce, options = sizes(rng, empty=0), rng.randint(0, 2), NUMBERS[name](rng)
    return Call(name, [same(rng, shape, dtype), same(rng, shape, parameter_dtype(rng, dtype))],
                [reduce, *options.values()],
                lambda x, y: getattr(F, name)(x, y, reduction=REDUCTIONS[reduce], **options))


@op("kl_div")
def kl_div(name, rng, dtype):
    shape, reduce, log = sizes(rng, least=1, empty=0), rng.randint(0, 3), rng.randint(0, 1)
    y = same(rng, shape, dtype, None if log else "positive")
    reduction = (*REDUCTIONS, "batchmean")[reduce]
    return Call(name, [same(rng, shape, dtype), y], [reduce, log],
                lambda x, y: F.kl_div(x, y, reduction=reduction, log_target=bool(log)))


@op("poisson_nll_loss")
def poisson_nll_loss(name, rng, dtype):
    shape, reduce, log, full = sizes(rng, empty=0), rng.randint(0, 2), rng.randint(0, 1), rng.randint(0, 1)
    x = same(rng, shape, dtype, None if log else "positive")
    return Call(name, [x, same(rng, shape, dtype, "positive")], [reduce, log, full, 0.125],
                lambda x, y: F.poisson_nll_loss(x, y, bool(log), bool(full), eps=0.125,
                                                reduction=REDUCTIONS[reduce]), low_inside=bool(full))


@op("gaussian_nll_loss")
def gaussian_nll_loss(name, rng, dtype):
    shape, reduce, full = sizes(rng, least=1, empty=0), rng.randint(0, 2), rng.randint(0, 1)
    spread = rng.choice([shape, shape[:-1] + [1], shape[:-1]])
    return Call(name, [same(rng, shape, dtype), same(rng, shape, dtype),
                       same(rng, spread, dtype, "positive")], [reduce, full, 0.125],
                lambda x, y, v: F.gaussian_nll_loss(x, y, v, full=bool(full), eps=0.125,
                                                    reduction=REDUCTIONS[reduce]))


@op("binary_cross_entropy")
def binary_cross_entropy(name, rng, dtype):
    shape, reduce = sizes(rng, empty=0), rng.randint(0, 2)
    w = same(rng, shape, dtype, "positive", requires_grad=False) if rng.random() < 0.3 else None
    return Call(name, [inside(rng, shape, dtype), inside(rng, shape, dtype), w],
                [reduce, int(w is not None)],
                lambda x, y, w: F.binary_cross_entropy(x, y, w, reduction=REDUCTIONS[reduce]),
                policy="refused")


@op("multilabel_soft_margin_loss")
def multilabel_soft_margin_loss(name, rng, dtype):
    shape, reduce = sizes(rng, least=1, most=3, empty=0), rng.randint(0, 2)
    w = same(rng, shape[-1:], dtype, "positive", requires_grad=False) if rng.random() < 0.3 else None
    return Call(name, [same(rng, shape, dtype), inside(rng, shape, dtype), w],
                [reduce, int(w is not None)],
                lambda x, y, w: F.multilabel_soft_margin_loss(x, y, w, reduction=REDUCTIONS[reduce]))


@op("soft_margin_loss", "hinge_embedding_loss")
def signed(name, rng, dtype):
    shape, reduce, margin = sizes(rng, empty=0), rng.randint(0, 2), rng.choice([1.0, 0.25])
    options = {"margin": margin} if name[0] == "h" else {}
    return Call(name, [same(rng, shape, dtype), signs(rng, shape, dtype)], [reduce, margin],
                lambda x, y: getattr(F, name)(x, y, reduction=REDUCTIONS[reduce], **options))


@op("margin_ranking_loss")
def margin_ranking_loss(name, rng, dtype):
    shape, reduce, margin = sizes(rng, empty=0), rng.randint(0, 2), rng.choice([0.0, 0.25])
    return Call(name, [same(rng, shape, dtype), same(rng, shape, dtype), signs(rng, shape, dtype)],
                [reduce, margin], lambda x, z, y: F.margin_ranking_loss(
                    x, z, y, margin=margin, reduction=REDUCTIONS[reduce]))


def batch(rng, labels):
    """Extents of samples and classes, and labels below them."""
    shape = ([rng.choice([1, 2, 5])] if rng.random() < 0.8 else []) + [rng.choice([1, 2, 5, 11])]
    return shape, labels(shape)


@op("multi_margin_loss")
def multi_margin_loss(name, rng, dtype):
    shape, rows = batch(rng, lambda s: [rng.randrange(s[-1]) for _ in range(torch.Size(s[:-1]).numel())])
    t = tensor(rng, shape[:-1], torch.int64, contents=torch.tensor(rows))
    reduce, p, margin = rng.randint(0, 2), rng.choice([1, 2]), rng.choice([1.0, 0.25])
    w = same(rng, shape[-1:], dtype, "positive", requires_grad=False) if rng.random() < 0.3 else None
    return Call("multi_margin_loss.classes", [same(rng, shape, dtype), t, w], [reduce, p, margin],
                lambda x, t, w: F.multi_margin_loss(x, t, p, margin, w, reduction=REDUCTIONS[reduce]))


@op("multilabel_margin_loss")
def multilabel_margin_loss(name, rng, dtype):
    shape, rows = batch(rng, lambda s: [rng.randint(-1, s[-1] - 1) for _ in range(torch.Size(s).numel())])
    t = tensor(rng, shape, torch.int64, contents=torch.tensor(rows))
    reduce = rng.randint(0, 2)
    return Call("multilabel_margin_loss.classes", [same(rng, shape, dtype), t], [reduce],
                lambda x, t: F.multilabel_margin_loss(x, t.contiguous(), reduction=REDUCTIONS[reduce]))


@op("cosine_embedding_loss")
def cosine_embedding_loss(name, rng, dtype):
    shape = ([rng.choice([1, 2, 5])] if rng.random() < 0.8 else []) + [rng.choice([1, 2, 5, 17])]
    reduce, margin = rng.randint(0, 2), rng.choice([0.0, 0.25])
    return Call(name, [same(rng, shape, dtype), same(rng, shape, dtype), signs(rng, shape[:-1], dtype)],
                [reduce, margin], lambda x, z, y: F.cosine_embedding_loss(
                    x, z, y, margin, reduction=REDUCTIONS[reduce]), low_inside=True)


@op("triplet_margin_loss")
def triplet_margin_loss(name, rng, dtype):
    shape, reduce = sizes(rng, least=1, most=3, empty=0), rng.randint(0, 2)
    margin, p, swap = rng.choice([1.0, 0.25]), rng.choice([2.0, 2.0, 1.0, 3.0]), rng.randint(0, 1)
    return Call(name, [same(rng, shape, dtype, "normal") for _ in range(3)],
                [reduce, margin, p, 0.0625, swap], lambda a, b, c: F.triplet_margin_loss(
                    a, b, c, margin, p, 0.0625, bool(swap), reduction=REDUCTIONS[reduce]),
                low_inside=True)


@op("ctc_loss")
def ctc_loss(name, rng, dtype):
    steps, samples, classes, most = rng.randint(1, 9), rng.randint(1, 3), rng.randint(2, 6), rng.randint(1, 4)
    inputs = [rng.randint(1, steps) for _ in range(samples)]
    lengths = [rng.randint(0, most) for _ in range(samples)]
    blank, reduce = rng.randrange(classes), rng.randint(0, 2)
    labels = [c for c in range(classes) if c != blank]
    dtype = torch.float64 if dtype == torch.float64 else torch.float32
    count = samples * most
    t = tensor(rng, [samples, most], torch.int64,
               contents=torch.tensor([rng.choice(labels) for _ in range(count)]))
    if rng.random() < 0.4 and sum(lengths):
        t = tensor(rng, [sum(lengths)], torch.int64,
                   contents=torch.tensor([rng.choice(labels) for _ in range(sum(lengths))]))
    n = [tensor(rng, [samples], torch.int64, contents=torch.tensor(x)) for x in (inputs, lengths)]
    x = tensor(rng, [steps, samples, classes], dtype, "normal")

    def run(x, t, i, l):
        # torch reads other labels where those of one dimension have gaps between them.
        return F.ctc_loss(x.log_softmax(-1), t.contiguous(), i, l, blank, REDUCTIONS[reduce], True)
    return Call("ctc_loss", [x, t, *n], [blank, reduce], run)


@op("hardshrink", "threshold", "tanhshrink", "rrelu", "glu", "softmin", "gumbel_softmax", "prelu")
def activation(name, rng, dtype):
    shape = sizes(rng, least=1, empty=0)
    dim = rng.randint(-len(shape), len(shape) - 1)
    if name == "glu":
        shape[dim] *= 2
    x = same(rng, shape, dtype)
    if name == "prelu":
        channels = shape[1] if len(shape) > 1 else 1
        w = same(rng, [rng.choice([1, channels])], dtype)
        return Call(name, [x, w], [], F.prelu)
    numbers = {"hardshrink": [rng.choice([0.5, 0.0])], "threshold": [0.25, rng.choice([0.0, -2.0])],
               "tanhshrink": [], "rrelu": [0.125, 0.25, 0], "glu": [dim], "softmin": [dim],
               "gumbel_softmax": [1e30, 0, dim]}[name]
    if name == "gumbel_softmax":  # so hot that the noise does not count
        x = same(rng, shape, dtype, "normal")
        return Call(name, [x], numbers, lambda x: F.gumbel_softmax(x, 1e30, dim=dim))
    run = {"rrelu": lambda x: F.rrelu(x, 0.125, 0.25)}.get(name, lambda x: getattr(F, name)(x, *numbers))
    return Call(name, [x], numbers, run, smooth=name not in ("hardshrink", "threshold"),
                low_inside=name == "tanhshrink")
