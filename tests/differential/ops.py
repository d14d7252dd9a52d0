# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Random calls of each op, and the same in torch.

A generator takes (rng, dtype) and returns a Call. Tensors of `run` are None where undefined.
"""

import math

import torch
import torch.nn.functional as F

from draw import FLOAT8, FLOATS, INTEGERS, LOW, broadcastable, round_to, sizes, tensor


class Call:
    """key: of evaluate.cpp's table; tensors: Drawn or None; numbers: int, float or bool as they
    are passed; run: the same in torch, of tensors like these."""

    def __init__(self, key, tensors, numbers, run, smooth=True, low_inside=False, mask=False,
                 policy=None, copies=False):
        self.key, self.tensors, self.numbers, self.run = key, tensors, numbers, run
        self.policy = policy          # under autocast, if not the README's of the op
        self.copies = copies          # computes nothing: torch does it in every dtype
        self.smooth = smooth          # else values are chosen, not computed: nothing is perturbed
        self.low_inside = low_inside  # something within it is rounded to 16 bits
        self.mask = mask              # `run` takes what dropout kept as its last argument


GENERATORS = {}


def op(*names):
    def add(function):
        for name in names:
            GENERATORS[name] = (lambda name: lambda rng, dtype: function(name, rng, dtype))(name)
        return function
    return add


def other_dtype(rng, dtype):
    """Mostly the same."""
    if rng.random() < 0.8 or dtype in FLOAT8:
        return dtype
    return rng.choice(FLOATS + INTEGERS + (torch.bool,))


def number(rng, dtype):
    if rng.random() < 0.4:
        return rng.randint(-3, 3)
    return rng.choice([0.5, -1.25, 0.0, 2.0, 1e-3, -3.75, 100.0, rng.gauss(0, 1)])


OF_POSITIVE = ("log", "log1p", "log2", "log10", "rsqrt", "sqrt")
ROUNDING = ("sign", "floor", "ceil", "trunc", "round", "isnan", "isinf", "isfinite", "logical_not")


@op("exp", "rsqrt", "abs", "sqrt", "tanh", "sigmoid", "relu", "neg", "silu", "reciprocal", "square",
    "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
    "cosh", "erf", "erfinv", "selu", "hardsigmoid", "hardswish", "logsigmoid", "mish", "softsign",
    "relu6", *ROUNDING)
def unary(name, rng, dtype):
    kind = "positive" if name in OF_POSITIVE and rng.random() < 0.7 else None
    run = getattr(torch, name, None) or getattr(F, name)
    return Call(name, [tensor(rng, sizes(rng), dtype, kind)], [], run, smooth=name not in ROUNDING)


PARAMETERS = {"leaky_relu": lambda rng: [rng.choice([0.01, 0.2])],
              "elu": lambda rng: [rng.choice([1.0, 0.5])],
              "celu": lambda rng: [rng.choice([1.0, 2.0])],
              "hardtanh": lambda rng: rng.choice([[-1.0, 1.0], [-0.5, 2.0]]),
              "softplus": lambda rng: rng.choice([[1.0, 20.0], [2.0, 5.0]]),
              "softshrink": lambda rng: [rng.choice([0.5, 0.0])]}


@op(*PARAMETERS)
def activation(name, rng, dtype):
    numbers = PARAMETERS[name](rng)
    run = getattr(F, name)
    return Call(name, [tensor(rng, sizes(rng), dtype)], numbers, lambda x: run(x, *numbers))


@op("gelu")
def gelu(name, rng, dtype):
    form = rng.randint(0, 1)
    return Call(name, [tensor(rng, sizes(rng), dtype)], [form],
                lambda x: F.gelu(x, approximate=("none", "tanh")[form]))


@op("add", "sub", "mul", "div", "pow", "eq", "ne", "lt", "le", "gt", "ge")
def binary(name, rng, dtype):
    run, compares = getattr(torch, name), len(name) == 2
    positive = "positive" if name == "pow" and rng.random() < 0.6 else None
    shape = sizes(rng)
    form = rng.choice(["tensors"] * 3 + ["number"] + ([] if compares else ["number_first"]))
    if form == "tensors":
        second = other_dtype(rng, dtype)
        a = tensor(rng, broadcastable(rng, shape) if rng.random() < 0.2 else shape, dtype, positive)
        b = tensor(rng, broadcastable(rng, shape), second)
        return Call(name, [a, b], [], run, smooth=not compares)
    n = number(rng, dtype)
    if compares and dtype in FLOAT8:  # as torch rounds it of dtypes in which it compares
        n = float(round_to(torch.tensor(float(n)), dtype))
    if name == "pow" and form == "number" and rng.random() < 0.5:
        n = rng.gauss(0, 4)
    x = tensor(rng, shape, dtype, positive if form == "number" else None)
    if form == "number":
        return Call(name + ".number", [x], [n], lambda x: run(x, n), smooth=not compares)
    if name == "pow":
        return Call(name + ".number_first", [x], [n], lambda x: torch.pow(n, x))
    if name == "div":  # of torch it is n * reciprocal(x), which the list has
        return Call(name + ".number_first", [x], [n], lambda x: n / x, policy="float32")
    first = {"add": lambda x: n + x, "sub": lambda x: n - x, "mul": lambda x: n * x}[name]
    return Call(name + ".number_first", [x], [n], first)


@op("atan2", "fmod", "remainder", "maximum", "minimum", "logical_and", "logical_or", "logical_xor")
def of_two(name, rng, dtype):
    run, shape = getattr(torch, name), sizes(rng)
    by_0 = name in ("fmod", "remainder") and not dtype.is_floating_point
    second = dtype if by_0 else other_dtype(rng, dtype)
    pair = [tensor(rng, shape, dtype),
            tensor(rng, broadcastable(rng, shape), second, "positive" if by_0 else None)]
    return Call(name, pair, [], run, smooth=name == "atan2")


@op("max", "min", "argmax")
def extremum(name, rng, dtype):
    run = getattr(torch, name)
    form = rng.choice(["all", "dim"] if name == "argmax" else ["all", "dim", "tensors"])
    if form == "all":
        return Call(name, [tensor(rng, sizes(rng, empty=0), dtype)], [], run, smooth=False)
    if form == "tensors":
        shape = sizes(rng)
        pair = [tensor(rng, shape, dtype), tensor(rng, broadcastable(rng, shape), dtype)]
        return Call(name + ".tensors", pair, [], run, smooth=False)
    x, dim, keep = reduced(rng, dtype)
    return Call(name + ".dim", [x], [dim, keep],
                lambda x: run(x, dim=dim, keepdim=keep), smooth=False)


def reduced(rng, dtype):
    shape = sizes(rng, least=1, empty=0)
    return tensor(rng, shape, dtype), rng.randint(-len(shape), len(shape) - 1), rng.random() < 0.5


def several(rng, shape):
    """Some dimensions of a tensor of at least one, or none, which means all."""
    count = rng.randint(0, len(shape))
    return [d - len(shape) * rng.randint(0, 1) for d in rng.sample(range(len(shape)), count)]


@op("amax", "amin", "logsumexp", "norm", "normalize", "std")
def over_dimensions(name, rng, dtype):
    shape = sizes(rng, least=1, empty=0)
    dims, keep = several(rng, shape), rng.random() < 0.5
    listed = dims or list(range(len(shape)))
    x = tensor(rng, shape, dtype)
    if name in ("amax", "amin"):
        return Call(name + ".dims", [x], [keep] + dims,
                    lambda x: getattr(torch, name)(x, dims, keep), smooth=False)
    if name == "logsumexp":
        return Call("logsumexp.dims", [x], [keep] + dims,
                    lambda x: torch.logsumexp(x, listed, keep))
    if name == "std":
        if rng.random() < 0.2:
            return Call("std", [x], [], torch.std)
        correction = rng.choice([0, 1, 1, 1, 2, -1, 0.5])
        return Call("std.dims", [x], [correction, keep] + dims, lambda x: torch.std(
            x, listed, correction=correction, keepdim=keep))
    p = rng.choice([2.0, 2.0, 2.0, 1.0, 3.0, 0.5, 1.5, float("inf")])
    if name == "norm":
        return Call("norm.dims", [x], [p, keep] + dims,
                    lambda x: torch.linalg.vector_norm(x, p, listed, keep), smooth=p != float("inf"))
    eps = rng.choice([1e-3, 1.0])

    def run(x):  # rounded once, as amp's: torch rounds the norm too
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        return F.normalize(wide, p, listed, eps).to(x.dtype)
    return Call(name, [x], [p, eps] + dims, run)


@op("prod")
def product(name, rng, dtype):
    if rng.random() < 0.3:
        return Call("prod", [tensor(rng, sizes(rng), dtype)], [], torch.prod)
    x, dim, keep = reduced(rng, dtype)
    return Call("prod.dim", [x], [dim, keep], lambda x: torch.prod(x, dim, keep))


@op("sum", "mean")
def reduction(name, rng, dtype):
    run = getattr(torch, name)
    if rng.random() < 0.3:
        shape = sizes(rng, least=1, empty=0)
        dims, keep = several(rng, shape), rng.random() < 0.5
        return Call(name + ".dims", [tensor(rng, shape, dtype)], [keep] + dims,
                    lambda x: run(x, dims, keepdim=keep))
    if rng.random() < 0.3:
        return Call(name, [tensor(rng, sizes(rng), dtype)], [], run)
    x, dim, keep = reduced(rng, dtype)
    return Call(name + ".dim", [x], [dim, keep], lambda x: run(x, dim=dim, keepdim=keep))


@op("var")
def variance(name, rng, dtype):
    x, dim, keep = reduced(rng, dtype)
    correction = rng.choice([0, 1, 1, 1, 2, -1, 0.5])
    if rng.random() < 0.1:
        return Call("var.all", [x], [], torch.var)
    if rng.random() < 0.3:
        dims = several(rng, x.sizes) or list(range(len(x.sizes)))
        return Call("var.dims", [x], [correction, keep] + dims,
                    lambda x: torch.var(x, dims, correction=correction, keepdim=keep))
    return Call(name, [x], [dim, correction, keep],
                lambda x: torch.var(x, dim, correction=correction, keepdim=keep))


@op("softmax", "log_softmax")
def softmax(name, rng, dtype):
    x, dim, _ = reduced(rng, dtype)
    return Call(name, [x], [dim], lambda x: getattr(torch, name)(x, dim))


@op("where")
def where(name, rng, dtype):
    shape = sizes(rng)
    c, a, b = (tensor(rng, broadcastable(rng, shape), d)
               for d in (torch.bool, dtype, other_dtype(rng, dtype)))
    form = rng.choice(["tensors", "tensors", "number", "number_first"])
    if form == "tensors":
        return Call("where.tensors", [c, a, b], [], torch.where, smooth=False)
    n = number(rng, dtype)
    run = (lambda c, a: torch.where(c, a, n)) if form == "number" else \
        (lambda c, a: torch.where(c, n, a))
    return Call("where." + form, [c, a], [n], run, smooth=False)


@op("matmul")
def matmul(name, rng, dtype):
    m, k, n = (rng.choice([1, 2, 3, 5, 8, 17]) for _ in range(3))
    if rng.random() < 0.03:
        k = 0
    batch = sizes(rng, most=2)
    left = rng.choice([[k], [m, k], broadcastable(rng, batch) + [m, k], batch + [m, k]])
    right = rng.choice([[k], [k, n], batch + [k, n]])
    return Call(name, [tensor(rng, left, dtype), tensor(rng, right, dtype)], [], torch.matmul)


@op("bmm")
def bmm(name, rng, dtype):
    b, m, k, n = (rng.choice([1, 2, 3, 5, 9]) for _ in range(4))
    return Call(name, [tensor(rng, [b, m, k], dtype), tensor(rng, [b, k, n], dtype)], [], torch.bmm)


def maybe(rng, shape, dtype, kind=None):
    return tensor(rng, shape, dtype, kind) if rng.random() < 0.7 else None


@op("linear")
def linear(name, rng, dtype):
    k, n = rng.choice([1, 3, 8, 17]), rng.choice([1, 2, 5, 16])
    x = tensor(rng, sizes(rng, most=3) + [k], dtype)
    return Call(name, [x, tensor(rng, [n, k], dtype), maybe(rng, [n], dtype)], [], F.linear)


@op("feed_forward")
def feed_forward(name, rng, dtype):
    k, h, n = (rng.choice([1, 3, 8, 17]) for _ in range(3))
    x = tensor(rng, sizes(rng, least=1, most=2, empty=0) + [k], dtype)
    form = rng.randint(0, 1)

    def run(x, w1, b1, w2, b2):
        hidden = F.linear(x, w1, b1)
        return F.linear(F.gelu(hidden, approximate="tanh") if form else torch.relu(hidden), w2, b2)
    tensors = [x, tensor(rng, [h, k], dtype), maybe(rng, [h], dtype), tensor(rng, [n, h], dtype),
               maybe(rng, [n], dtype)]
    return Call(name, tensors, [form], run, low_inside=True)


@op("conv2d")
def conv2d(name, rng, dtype):
    groups = rng.choice([1, 1, 2, 3])
    channels, out = groups * rng.choice([1, 2, 4]), groups * rng.choice([1, 2, 3])
    kernel, stride, padding, dilation = ([rng.choice(c) for _ in range(2)] for c in
                                         ([1, 2, 3], [1, 1, 2], [0, 1, 2], [1, 1, 2]))
    extent = [rng.randint(d * (k - 1) + 1, 9) for k, d in zip(kernel, dilation)]
    relu = rng.random() < 0.2
    batch = [rng.randint(1, 3)] if rng.random() < 0.85 else []
    x = tensor(rng, batch + [channels] + extent, dtype)
    w = tensor(rng, [out, channels // groups] + kernel, dtype)

    def run(x, w, b):
        y = F.conv2d(x, w, b, stride, padding, dilation, groups)
        return torch.relu(y) if relu else y
    return Call(name, [x, w, maybe(rng, [out], dtype)],
                [*stride, *padding, *dilation, groups, relu], run)


@op("scaled_dot_product_attention")
def attention(name, rng, dtype):
    batch = sizes(rng, least=1, most=2, empty=0)
    queries, keys, e, v = (rng.choice([1, 2, 5, 8]) for _ in range(4))
    mask, causal = None, rng.random() < 0.3
    if not causal and rng.random() < 0.5:
        masks = torch.bool if rng.random() < 0.6 else dtype
        mask = tensor(rng, [queries, keys], masks, "normal", requires_grad=False)
        if masks == torch.bool:  # a row without any key has no softmax
            mask.view()[:, 0] = True
    scale = [rng.choice([0.5, 1.0, 0.125])] if rng.random() < 0.4 else []
    group = rng.choice([1, 1, 2, 3]) if batch and mask is None else 1
    window = rng.choice([1, 2, 4, 100]) if rng.random() < 0.2 else 0

    def run(q, k, v, mask):
        # Written out: torch has several, of different precision.
        if group > 1:
            k, v = (x.repeat_interleave(group, -3) for x in (k, v))
        scores = q @ k.transpose(-1, -2) * (scale[0] if scale else 1 / math.sqrt(q.size(-1)))
        distance = torch.arange(queries).unsqueeze(-1) - torch.arange(keys)
        hidden = distance < 0 if causal else torch.zeros_like(distance, dtype=torch.bool)
        if window:
            hidden = hidden | (distance.abs() >= window)
        if mask is not None and mask.dtype == torch.bool:
            hidden = hidden | ~mask
        elif mask is not None:
            scores = scores + mask
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), -1)
        # A query that sees no key gives 0.
        return weights.masked_fill(hidden.all(-1, keepdim=True), 0) @ v
    tensors = [tensor(rng, batch + [n, d], dtype) for n, d in ((queries, e), (keys, e), (keys, v))]
    if group > 1:
        heads = batch[:-1] + [batch[-1] * group]
        tensors[0] = tensor(rng, heads + [queries, e], dtype)
    extra = []
    if group > 1 or window:
        name += ".options"
        extra = [group > 1, window]
    return Call(name, tensors + [mask], [causal, *extra, *scale], run, low_inside=True)


@op("rotary_embedding")
def rotary(name, rng, dtype):
    shape = sizes(rng, least=2, most=4)
    pairs = rng.randint(0, shape[-1] // 2)
    interleaved = rng.random() < 0.5
    table = shape[-2:-1] + [pairs] if rng.random() < 0.7 else [pairs]
    wide = dtype if dtype in FLOAT8 else torch.float32
    constants = [tensor(rng, table, rng.choice([dtype, wide]), requires_grad=False)
                 for _ in range(2)]

    def run(x, cos, sin):
        turned, rest = x[..., :2 * pairs], x[..., 2 * pairs:]
        a, b = ((turned[..., ::2], turned[..., 1::2]) if interleaved else
                (turned[..., :pairs], turned[..., pairs:]))
        turned = [a * cos - b * sin, b * cos + a * sin]
        turned = torch.stack(turned, -1).flatten(-2) if interleaved else torch.cat(turned, -1)
        return torch.cat([turned.to(rest.dtype), rest], -1)
    return Call(name, [tensor(rng, shape, dtype), *constants], [interleaved], run)


def parameter_dtype(rng, dtype):
    return torch.float32 if dtype in LOW and rng.random() < 0.3 else dtype


@op("layer_norm", "rms_norm")
def last_norm(name, rng, dtype):
    shape = sizes(rng, least=1, empty=0.01)
    count = rng.randint(1, len(shape))
    wide, eps = parameter_dtype(rng, dtype), rng.choice([1e-5, 1e-3, 1.0])
    x, extents = tensor(rng, shape, dtype), shape[-count:]
    w = maybe(rng, extents, wide)
    if name == "layer_norm":
        b = maybe(rng, extents, wide)
        return Call(name, [x, w, b], [count, eps], lambda x, w, b: F.layer_norm(
            x, extents, *widest(x, w, b), eps))
    given = [eps] if rng.random() < 0.6 or dtype in FLOAT8 else []
    return Call(name, [x, w], [count] + given, lambda x, w: F.rms_norm(
        x, extents, w, given[0] if given else None))


def widest(x, *parameters):
    """torch refuses some mixtures of dtypes that amp takes."""
    return [None if p is None else p.to(x.dtype) for p in parameters]


@op("group_norm")
def group_norm(name, rng, dtype):
    groups = rng.choice([1, 2, 3])
    channels, wide = groups * rng.choice([1, 2, 4]), parameter_dtype(rng, dtype)
    x = tensor(rng, [rng.randint(1, 3), channels] + sizes(rng, least=1, most=2, empty=0), dtype)
    return Call(name, [x, maybe(rng, [channels], wide), maybe(rng, [channels], wide)],
                [groups, 1e-5],
                lambda x, w, b: F.group_norm(x, groups, *widest(x, w, b), 1e-5))


@op("batch_norm")
def batch_norm(name, rng, dtype):
    channels, training = rng.choice([1, 2, 5]), rng.random() < 0.6
    x = tensor(rng, [rng.randint(2, 4), channels] + sizes(rng, most=2, empty=0), dtype)
    wide = torch.float32 if dtype in LOW and rng.random() < 0.6 else dtype
    running = [tensor(rng, [channels], wide, "positive", requires_grad=False) for _ in range(2)]
    if training and rng.random() < 0.3:
        running = [None, None]
    momentum = rng.choice([0.1, 0.5])

    def run(x, mean, variance, w, b):
        y = F.batch_norm(x, mean, variance, w, b, training, momentum, 1e-5)
        return (y,) if mean is None else (y, mean, variance)
    return Call(name, [x] + running + [maybe(rng, [channels], wide), maybe(rng, [channels], wide)],
                [training, momentum, 1e-5], run)


REDUCTIONS = ("none", "mean", "sum")


@op("cross_entropy", "nll_loss")
def class_loss(name, rng, dtype):
    classes = rng.choice([1, 2, 5, 11])
    shape = sizes(rng, most=2, empty=0)
    shape = shape if shape else ([] if rng.random() < 0.3 else [4])
    count = math.prod(shape)
    ignore = rng.choice([-100, 0])
    targets = [rng.randrange(classes) if rng.random() < 0.9 else ignore for _ in range(count)]
    t = tensor(rng, shape, torch.int64, contents=torch.tensor(targets))
    whole = shape[:1] + [classes] + shape[1:]
    x = tensor(rng, whole, dtype)
    w = tensor(rng, [classes], dtype, "positive", requires_grad=False) \
        if rng.random() < 0.3 else None
    reduce = rng.randint(0, 2)
    if name == "nll_loss":
        return Call(name, [x, t, w], [ignore, reduce], lambda x, t, w: F.nll_loss(
            x, t, w, ignore_index=ignore, reduction=REDUCTIONS[reduce]))
    smoothing = rng.choice([0.0, 0.0, 0.1])
    if rng.random() < 0.3:
        t = tensor(rng, whole, parameter_dtype(rng, dtype), "positive")
        ignore = -100
    return Call(name, [x, t, w], [ignore, smoothing, reduce], lambda x, t, w: F.cross_entropy(
        x, t, w, ignore_index=ignore, reduction=REDUCTIONS[reduce], label_smoothing=smoothing))


@op("mse_loss")
def mse_loss(name, rng, dtype):
    shape, reduce = sizes(rng, empty=0), rng.randint(0, 2)
    second = parameter_dtype(rng, dtype)
    return Call(name, [tensor(rng, shape, dtype), tensor(rng, shape, second)], [reduce],
                lambda x, y: F.mse_loss(x, y, reduction=REDUCTIONS[reduce]))


@op("binary_cross_entropy_with_logits")
def binary_cross_entropy(name, rng, dtype):
    shape, reduce = sizes(rng, empty=0), rng.randint(0, 2)
    targets = tensor(rng, shape, parameter_dtype(rng, dtype), "positive", requires_grad=False)
    weights = [tensor(rng, broadcastable(rng, shape), parameter_dtype(rng, dtype), "positive",
                      requires_grad=False) if rng.random() < 0.3 else None for _ in range(2)]
    return Call(name, [tensor(rng, shape, dtype), targets] + weights, [reduce],
                lambda x, y, w, p: F.binary_cross_entropy_with_logits(
                    x, y, w, reduction=REDUCTIONS[reduce], pos_weight=p))


def indices(rng, shape, extent):
    dtype = rng.choice([torch.int64, torch.int32])
    count = math.prod(shape)
    return tensor(rng, shape, dtype,
                  contents=torch.tensor([rng.randrange(extent) for _ in range(count)], dtype=dtype))


@op("embedding")
def embedding(name, rng, dtype):
    rows = rng.choice([1, 3, 10])
    index = indices(rng, sizes(rng, most=3), rows)
    # By indexing: torch's embedding takes no integers.
    return Call(name, [index, tensor(rng, [rows, rng.choice([1, 4, 9])], dtype)], [],
                lambda i, w: w[i.long()])


@op("index_select")
def index_select(name, rng, dtype):
    x, dim, _ = reduced(rng, dtype)
    index = indices(rng, [] if rng.random() < 0.1 else [rng.randint(0, 6)], x.sizes[dim])
    return Call(name, [x, index], [dim], lambda x, i: torch.index_select(x, dim, i))


@op("cat", "stack")
def join(name, rng, dtype):
    shape = sizes(rng, least=0 if name == "stack" else 1)
    dims = len(shape) + (name == "stack")
    dim = rng.randint(-dims, dims - 1)
    tensors = []
    for _ in range(rng.randint(1, 4)):
        mine = list(shape)
        if name == "cat":
            mine[dim] = rng.randint(0, 4)
        tensors.append(tensor(rng, mine, other_dtype(rng, dtype)))
    if name == "cat" and rng.random() < 0.1:
        tensors.insert(rng.randint(0, len(tensors)), tensor(rng, [0], dtype))
    return Call(name, tensors, [dim], lambda *all: getattr(torch, name)(all, dim), smooth=False)


@op("max_pool2d", "avg_pool2d")
def pool(name, rng, dtype):
    kernel = [rng.randint(1, 3) for _ in range(2)]
    stride = [rng.randint(1, 3) for _ in range(2)]
    padding = [rng.randint(0, k // 2) for k in kernel]
    lead = [rng.randint(1, 2)] if rng.random() < 0.8 else []
    x = tensor(rng, lead + [rng.randint(1, 3)] + [rng.randint(k, 8) for k in kernel], dtype)
    return Call(name, [x], kernel + stride + padding,
                lambda x: getattr(F, name)(x, kernel, stride, padding), smooth=name[0] == "a")


@op("dropout", "dropout_add")
def dropout(name, rng, dtype):
    shape = sizes(rng)
    p, training = rng.choice([0.0, 0.25, 0.5, 0.9, 1.0]), rng.random() < 0.8
    tensors = [tensor(rng, shape, dtype, "positive", requires_grad=True)]
    if name == "dropout_add":
        tensors.append(tensor(rng, shape, parameter_dtype(rng, dtype)))

    def run(x, *rest):
        kept = rest[-1]
        y = x
        if training and p > 0:
            factor = 0.0 if p == 1 else 1 / (1 - p)
            wide = x.to(torch.promote_types(x.dtype, torch.float32))
            y = torch.where(kept, wide * factor, 0.0)
            y = y if name == "dropout_add" else y.to(x.dtype)
        if name == "dropout_add":
            return (rest[0] + y).to(torch.promote_types(rest[0].dtype, x.dtype))
        return y
    return Call(name, tensors, [p, training], run, mask=True)
