# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Cases of losses of elements, margins and sequences, and of activations with two operands."""

import torch
import torch.nn.functional as F

from cases import (
    INFINITY, NAN, case, floats, nonzero, positive, random_case, unit, values, wide
)

REDUCTIONS = ("none", "mean", "sum", "batchmean")  # numbered so in the attributes


def signs(shape, seed):
    return torch.where(values(shape, seed) < 0, -1.0, 1.0).double()


def loss(op, detail, function, *inputs, reduction="none", constants=(), more=(), index=None,
         **options):
    case(op, f"{reduction}{detail}",
         lambda *tensors: function(*tensors, reduction=reduction, **options),
         *inputs, constants=constants, index=index,
         attributes=(REDUCTIONS.index(reduction), *more))


def pairs():
    """Losses of two tensors that both get gradients."""
    for op, make, numbers in (
        ("l1_loss", values, ({},)),
        ("smooth_l1_loss", values, ({"beta": 1.0}, {"beta": 0.25}, {"beta": 0.0})),
        ("huber_loss", values, ({"delta": 1.0}, {"delta": 0.25})),
        ("kl_div", positive, ({"log_target": False}, {"log_target": True})),
        ("poisson_nll_loss", positive,
         ({"log_input": True, "full": False, "eps": 1e-8}, {"log_input": True, "full": True, "eps": 1e-8},
          {"log_input": False, "full": False, "eps": 0.125})),
    ):
        function = getattr(F, op)
        for n in numbers:
            more = tuple(float(x) for x in n.values())
            about = "".join(f", {key} {value}" for key, value in n.items())
            for reduction in ("none", "mean", "sum"):
                loss(op, about, function, make((3, 4), 1), make((3, 4), 2), reduction=reduction,
                     more=more, **n)
            loss(op, f" of nothing{about}", function, make((0, 2), 1), make((0, 2), 2),
                 reduction="sum", more=more, **n)
            loss(op, f" of one{about}", function, make((1, 1), 1), make((1, 1), 3), more=more, **n)
            loss(op, f" of scalars{about}", function, make((), 1), make((), 3), reduction="mean",
                 more=more, **n)
    loss("l1_loss", " of no numbers", F.l1_loss, floats([NAN, 1, INFINITY, 2]), floats([1, 1, 1, NAN]))
    for n in ({"beta": 1.0}, {"beta": 0.0}):
        loss("smooth_l1_loss", f" at the bends, beta {n['beta']}", F.smooth_l1_loss,
             floats([1, 2, 0, 3, NAN, INFINITY][: 6 if n["beta"] else 4]),
             floats([1, 1, 1, 1, 1, 1][: 6 if n["beta"] else 4]), more=tuple(n.values()), **n)
    loss("huber_loss", " at the bends", F.huber_loss, floats([1, 2, 0, 3, NAN, INFINITY]),
         floats([1, 1, 1, 1, 1, 1]), more=(1.0,))
    for log_target in (False, True):
        loss("kl_div", f", log_target {log_target}", F.kl_div, values((3, 4), 1), unit((3, 4), 2),
             reduction="batchmean", more=(float(log_target),), log_target=log_target)
    case("kl_div", "none of probability 0", lambda x, y: F.kl_div(x, y, reduction="none"),
         floats([-1, -2]), constants=[floats([0, 0.5])], attributes=(0, 0))


def probabilities():
    op = "binary_cross_entropy"
    inside = unit((3, 4), 1) * 0.75 + 0.125
    for reduction in ("none", "mean", "sum"):
        loss(op, "", F.binary_cross_entropy, inside, unit((3, 4), 2) * 0.75 + 0.125,
             reduction=reduction, more=(0,))
        for shape in ((3, 4), (4,)):
            case(op, f"{reduction}, weight {shape}",
                 lambda x, y, w: F.binary_cross_entropy(x, y, w, reduction=reduction),
                 inside, constants=[unit((3, 4), 2), positive(shape, 3)],
                 attributes=(REDUCTIONS.index(reduction), 1))
    case(op, "none, at 0", lambda x, y: F.binary_cross_entropy(x, y, reduction="none"),
         floats([0, 1, 0.5]), constants=[floats([0, 1, 1])], attributes=(0, 0))
    loss(op, " of nothing", F.binary_cross_entropy, unit((0, 2), 1), unit((0, 2), 2),
         reduction="mean", more=(0,))
    loss(op, " of one", F.binary_cross_entropy, inside[:1, :1], inside[1:2, :1], more=(0,))

    op = "multilabel_soft_margin_loss"
    function = F.multilabel_soft_margin_loss
    for reduction in ("none", "mean", "sum"):
        loss(op, "", function, values((3, 4), 1), unit((3, 4), 2), reduction=reduction, more=(0,))
        case(op, f"{reduction}, weight",
             lambda x, y, w: function(x, y, w, reduction=reduction), values((3, 4), 1),
             constants=[unit((3, 4), 2), positive((4,), 3)],
             attributes=(REDUCTIONS.index(reduction), 1))
    loss(op, " of one sample", function, values((4,), 1), unit((4,), 2), more=(0,))
    loss(op, " of nothing", function, values((0, 2), 1), unit((0, 2), 2), more=(0,))
    loss(op, " of one", function, wide((1, 1), 1), unit((1, 1), 2), more=(0,))


def signed():
    """Losses with targets 1 and -1, which get no gradient."""
    for op, numbers in (("soft_margin_loss", ({},)),
                        ("hinge_embedding_loss", ({"margin": 1.0}, {"margin": 0.25}))):
        function = getattr(F, op)
        for n in numbers:
            for detail, shape, reduction in (
                ("", (3, 4), "none"), ("", (3, 4), "mean"), ("", (3, 4), "sum"),
                (" of nothing", (0, 2), "mean"), (" of one", (1, 1), "none"),
                (" of scalars", (), "none"),
            ):
                about = "".join(f", {key} {value}" for key, value in n.items())
                loss(op, f"{detail}{about}", function, values(shape, 1), constants=[signs(shape, 2)],
                     reduction=reduction, more=tuple(n.values()), **n)
    loss("hinge_embedding_loss", " of other targets", F.hinge_embedding_loss,
         floats([0.5, 1, 2, NAN]), constants=[floats([0, -1, 0.5, -1])], more=(1.0,))


def spread():
    op = "gaussian_nll_loss"
    for shape in ((3, 4), (3, 1), (3,)):
        for reduction in ("none", "mean", "sum"):
            for full in (False, True):
                loss(op, f", var {shape}, full {full}", F.gaussian_nll_loss, values((3, 4), 1),
                     values((3, 4), 2), positive(shape, 3) + 0.25, reduction=reduction,
                     more=(float(full), 2.0**-20), full=full, eps=2.0**-20)
    loss(op, " of var below eps, at 0", F.gaussian_nll_loss, floats([1, 2, 3]), floats([1, 1, 1]),
         floats([0, 0.25, 2]), more=(0, 0.5), eps=0.5)
    loss(op, " of nothing", F.gaussian_nll_loss, values((0, 2), 1), values((0, 2), 2),
         positive((0, 2), 3), reduction="sum", more=(0, 1e-6))
    loss(op, " of one", F.gaussian_nll_loss, values((1, 1), 1), values((1, 1), 2),
         positive((1, 1), 3), more=(0, 1e-6))


def margins():
    op = "margin_ranking_loss"
    for margin in (0.0, 0.5):
        for reduction in ("none", "mean", "sum"):
            loss(op, f", margin {margin}", F.margin_ranking_loss, values((3, 4), 1),
                 values((3, 4), 2), signs((3, 4), 3), reduction=reduction, more=(margin,), margin=margin)
    loss(op, " of ties", F.margin_ranking_loss, floats([1, 2, NAN]), floats([1, 1, 1]),
         floats([1, -1, 1]), more=(0.0,))
    loss(op, " of nothing", F.margin_ranking_loss, *(values((0, 2), s) for s in (1, 2, 3)), more=(0.0,))
    loss(op, " of one", F.margin_ranking_loss, *(values((1,), s) for s in (1, 2, 3)), more=(0.0,))

    op = "multi_margin_loss"
    targets = torch.tensor([1, 0, 3])
    for reduction in ("none", "mean", "sum"):
        for p, margin in ((1, 1.0), (2, 1.0), (1, 0.25), (2, -1.0)):
            loss(op, f", p {p}, margin {margin}", lambda x, **o: F.multi_margin_loss(x, targets, **o),
                 values((3, 5), 1), reduction=reduction, index=targets, more=(p, margin, 0), p=p,
                 margin=margin)
        case(op, f"{reduction}, weight", lambda x, w: F.multi_margin_loss(
            x, targets, weight=w, reduction=reduction), values((3, 5), 1), index=targets,
            constants=[positive((5,), 2)], attributes=(REDUCTIONS.index(reduction), 1, 1.0, 1))
    one = torch.tensor(2)
    loss(op, " of one sample", lambda x, **o: F.multi_margin_loss(x, one, **o), values((4,), 1),
         index=one, more=(1, 1.0, 0))
    loss(op, " of one class", lambda x, **o: F.multi_margin_loss(x, torch.tensor([0, 0]), **o),
         values((2, 1), 1), index=torch.tensor([0, 0]), more=(1, 1.0, 0))
    none = torch.empty(0, dtype=torch.int64)
    loss(op, " of nothing", lambda x, **o: F.multi_margin_loss(x, none, **o), values((0, 3), 1),
         index=none, more=(1, 1.0, 0))

    op = "multilabel_margin_loss"
    for detail, rows in (("", [[3, 0, -1, 1], [1, -1, 2, 2], [-1, 0, 0, 0], [0, 1, 2, 3]]),
                         (" of repeated targets", [[2, 2, -1, 0], [0, 1, 0, -1]])):
        y = torch.tensor(rows)
        for reduction in ("none", "mean", "sum"):
            loss(op, detail, lambda x, **o: F.multilabel_margin_loss(x, y, **o),
                 values((len(rows), 4), 1), index=y, reduction=reduction)
    y = torch.tensor([1, -1, 0])
    loss(op, " of one sample", lambda x, **o: F.multilabel_margin_loss(x, y, **o), values((3,), 1),
         index=y)
    y = torch.empty((0, 3), dtype=torch.int64)
    loss(op, " of nothing", lambda x, **o: F.multilabel_margin_loss(x, y, **o), values((0, 3), 1),
         index=y)
    y = torch.tensor([[0], [-1]])
    loss(op, " of one class", lambda x, **o: F.multilabel_margin_loss(x, y, **o), values((2, 1), 1),
         index=y)


def distances():
    op = "cosine_embedding_loss"
    target = floats([1, -1, -1, 1])
    for margin in (0.0, 0.5):
        for reduction in ("none", "mean", "sum"):
            loss(op, f", margin {margin}", F.cosine_embedding_loss, values((4, 5), 1),
                 values((4, 5), 3), constants=[target], reduction=reduction, more=(margin,), margin=margin)
    loss(op, " of one sample", F.cosine_embedding_loss, values((5,), 1), values((5,), 2),
         constants=[floats(1)], more=(0.0,))
    loss(op, " of other targets", F.cosine_embedding_loss, values((2, 5), 1), values((2, 5), 2),
         constants=[floats([0, 2])], more=(0.0,))
    loss(op, " of nothing", F.cosine_embedding_loss, values((0, 3), 1), values((0, 3), 2),
         constants=[floats([])], more=(0.0,))

    op = "triplet_margin_loss"
    for p, swap, margin in ((2.0, False, 1.0), (2.0, True, 1.0), (1.0, False, 2.0), (3.0, True, 0.5)):
        for reduction in ("none", "mean", "sum"):
            loss(op, f", p {p}, swap {swap}, margin {margin}", F.triplet_margin_loss,
                 *(values((4, 5), s) for s in (1, 2, 3)), reduction=reduction,
                 more=(margin, p, 2.0**-10, float(swap)), p=p, swap=swap, margin=margin, eps=2.0**-10)
    loss(op, " of more dimensions", F.triplet_margin_loss, *(values((2, 3, 4), s) for s in (1, 2, 3)),
         more=(1.0, 2.0, 1e-6, 0))
    loss(op, " of one vector", F.triplet_margin_loss, *(values((4,), s) for s in (1, 2, 3)),
         more=(1.0, 2.0, 1e-6, 0))
    loss(op, " of one pair", F.triplet_margin_loss, *(values((1, 4), s) for s in (1, 2, 3)),
         more=(1.0, 2.0, 1e-6, 0))
    loss(op, " of nothing", F.triplet_margin_loss, *(values((0, 4), s) for s in (1, 2, 3)),
         more=(1.0, 2.0, 1e-6, 0))


def sequences():
    op = "ctc_loss(scores)"

    def ctc(detail, x, targets, inputs, labels, reduction="none", blank=0, zero_infinity=False):
        case(op, f"{reduction}{detail}", lambda x: F.ctc_loss(
            x.log_softmax(-1), targets, torch.tensor(inputs), torch.tensor(labels), blank, reduction,
            zero_infinity), x, index=targets,
            attributes=(REDUCTIONS.index(reduction), blank, zero_infinity,
                        *(inputs if isinstance(inputs, list) else [inputs]),
                        *(labels if isinstance(labels, list) else [labels])))

    padded = torch.tensor([[1, 2, 0], [3, 3, 1]])
    for reduction in ("none", "mean", "sum"):
        ctc("", values((6, 2, 4), 1), padded, [6, 5], [2, 3], reduction)
        ctc(", one behind the other", values((6, 2, 4), 1), torch.tensor([1, 2, 3, 3, 1]), [6, 5],
            [2, 3], reduction)
    ctc(", blank 2", values((6, 2, 4), 2), torch.tensor([[1, 0, 0], [3, 3, 1]]), [6, 6], [2, 3], blank=2)
    ctc(", repeated labels", values((7, 1, 3), 1), torch.tensor([[1, 2, 1]]), [7], [3])
    ctc(", a blank as a label", values((7, 1, 3), 1), torch.tensor([[1, 0, 1]]), [7], [3])
    ctc(", no labels", values((5, 2, 3), 1), torch.tensor([[1, 1], [1, 2]]), [5, 4], [0, 1], "mean")
    ctc(", no steps", values((5, 2, 3), 1), torch.tensor([[1, 1], [1, 2]]), [0, 4], [0, 1])
    ctc(", too short", values((5, 2, 3), 1), torch.tensor([[1, 1], [1, 2]]), [2, 4], [2, 1])
    ctc(", too short, zero_infinity", values((5, 2, 3), 1), torch.tensor([[1, 1], [1, 2]]), [2, 4],
        [2, 1], zero_infinity=True)
    ctc(", one sample", values((6, 4), 1), torch.tensor([1, 2]), 6, 2)
    ctc(", one class", values((3, 1, 1), 1), torch.empty((1, 0), dtype=torch.int64), [3], [0])
    ctc(", far apart", wide((6, 1, 4), 3), torch.tensor([[1, 2]]), [6], [2])


def activations():
    at = floats([-2, -0.5, 0, 0.5, 2, NAN, INFINITY, -INFINITY])
    for name, numbers in (("hardshrink", ((0.5,), (0,))), ("threshold", ((0.5, -1), (-1, 2)))):
        for n in numbers:
            case(f"{name}(x, numbers)", f"with {n}", lambda t: getattr(F, name)(t, *n),
                 values((3, 5), 5), attributes=n)
            for ends in (floats([NAN, 0.5, -0.5]), floats([INFINITY, -INFINITY, 0])):
                case(f"{name}(x, numbers)", f"at {ends.tolist()}, with {n}",
                     lambda t: getattr(F, name)(t, *n), ends, attributes=n)
        case(f"{name}(x, numbers)", "of nothing", lambda t: getattr(F, name)(t, *n),
             values((0, 3), 1), attributes=n)
        case(f"{name}(x, numbers)", "of one", lambda t: getattr(F, name)(t, *n), values((1,), 2),
             attributes=n)
    case("hardshrink(x, default)", "in general", F.hardshrink, values((3, 5), 6))
    for detail, x in (("in general", values((3, 5), 5)), ("far from 0", wide((3, 5), 6)),
                      ("at the ends", at), ("of nothing", values((0, 3), 1)), ("of one", values((1,), 2))):
        case("tanhshrink", detail, F.tanhshrink, x)
    for numbers in ((0.125, 0.25), (0.5, 0.5)):
        case("rrelu(x, numbers)", f"with {numbers}", lambda t: F.rrelu(t, *numbers), values((3, 5), 5),
             attributes=(*numbers, 0))
    case("rrelu(x, numbers)", "of nothing", F.rrelu, values((0, 3), 1), attributes=(0.125, 1 / 3, 0))
    case("rrelu(x, numbers)", "of one", F.rrelu, values((1,), 3), attributes=(0.125, 1 / 3, 0))
    case("rrelu(x, default)", "in general", F.rrelu, values((3, 5), 6))
    random_case("rrelu(x, numbers)", "in training", (3, 5), [values((3, 5), 1)], (0.125, 0.25, 1))

    for detail, x, w in (
        ("one slope", values((3, 4), 1), floats([0.25])), ("slopes", values((2, 3, 4), 1), nonzero((3,), 2)),
        ("slopes of features", values((3, 4), 1), nonzero((4,), 2)), ("a scalar", values((), 1), floats(0.25)),
        ("a slope of more dimensions", values((2, 1, 3, 2), 1), floats([0.5])),
        ("of nothing", values((0, 3), 1), nonzero((3,), 2)), ("at the ends", at, floats([0.25])),
    ):
        case("prelu", detail, F.prelu, x, w)
    for detail, shape, dim in (("the last", (3, 4), -1), ("the first", (4, 3), 0),
                               ("between", (2, 6, 3), 1), ("nothing", (3, 0), 1), ("one", (1, 2), 1)):
        case("glu", detail, lambda x: F.glu(x, dim), values(shape, 1), attributes=(dim,))
    case("glu", "far from 0", F.glu, wide((3, 4), 2), attributes=(-1,))

    for detail, x, dim in (("rows", values((3, 5), 1), 1), ("columns", values((3, 5), 1), 0),
                           ("nothing", values((0, 3), 1), 1), ("one", values((2, 1), 1), 1),
                           ("a scalar", values((), 1), 0)):
        case("softmin", detail, lambda x: F.softmin(x, dim), x, attributes=(dim,))
    for detail, shape, numbers in (("soft", (3, 5), (1.0, 0, -1)), ("hard", (3, 5), (0.5, 1, 0)),
                                   ("nothing", (0, 3), (1.0, 0, 1)), ("one", (2, 1), (1.0, 1, 1))):
        random_case("gumbel_softmax", detail, shape, [values(shape, 1)], numbers)


GROUPS = (pairs, probabilities, signed, spread, margins, distances, sequences, activations)
