# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Random sums of products, distances, and functions of three tensors. As ops.py, of which it is a
part."""

import torch
import torch.nn.functional as F

from draw import LOW, broadcastable, sizes, tensor
from ops import Call, maybe, op, other_dtype, several
import oracle

EXTENTS = (1, 2, 3, 5, 8, 17)
# Differences of nearly equal numbers within.
oracle.CANCELS |= {"addmm", "addmv", "addr", "addbmm", "baddbmm", "addcmul", "addcdiv", "cross",
                   "cdist", "pdist", "dist", "pairwise_distance", "cosine_similarity", "renorm",
                   "einsum", "chain_matmul", "linalg_multi_dot", "lerp", "lerp.number", "bilinear"}


def wide(x):
    """torch does not compute distances of 16 bits on the host: as amp, in float32."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def extents(rng, count, empty=0.02):
    result = [rng.choice(EXTENTS) for _ in range(count)]
    if rng.random() < empty:
        result[rng.randrange(count)] = 0
    return result


@op("mm", "mv", "dot", "vdot", "outer")
def product(name, rng, dtype):
    m, k, n = extents(rng, 3)
    shapes = {"mm": ([m, k], [k, n]), "mv": ([m, k], [k]), "dot": ([k], [k]), "vdot": ([k], [k]),
              "outer": ([m], [n])}[name]
    second = other_dtype(rng, dtype) if name == "outer" else dtype
    pair = [tensor(rng, s, d) for s, d in zip(shapes, (dtype, second))]
    return Call(name, pair, [], getattr(torch, name))


@op("addmm", "addmv", "addr", "addbmm", "baddbmm")
def add_product(name, rng, dtype):
    b, m, k, n = extents(rng, 4)
    whole, left, right = {
        "addmm": ([m, n], [m, k], [k, n]), "addmv": ([m], [m, k], [k]), "addr": ([m, n], [m], [n]),
        "addbmm": ([m, n], [b, m, k], [b, k, n]), "baddbmm": ([b, m, n], [b, m, k], [b, k, n]),
    }[name]
    beta, alpha = rng.choice([(1, 1)] * 3 + [(0.5, 2), (0, 1), (1, -1), (2, 1)])
    shape = broadcastable(rng, whole) if rng.random() < 0.5 else whole
    run = getattr(torch, name)
    return Call(name, [tensor(rng, s, dtype) for s in (shape, left, right)],
                [float(beta), float(alpha)], lambda c, x, y: run(c, x, y, beta=beta, alpha=alpha))


@op("chain_matmul", "linalg_multi_dot")
def chain(name, rng, dtype):
    count = rng.randint(2, 4)
    ends = extents(rng, count + 1)
    shapes = [ends[i:i + 2] for i in range(count)]
    if name == "linalg_multi_dot":
        if rng.random() < 0.2:
            shapes[0] = shapes[0][1:]
        if rng.random() < 0.2:
            shapes[-1] = shapes[-1][:1]
    return Call(name, [tensor(rng, s, dtype) for s in shapes], [],
                lambda *t: torch.linalg.multi_dot(t), low_inside=True)


@op("linalg_vecdot")
def vecdot(name, rng, dtype):
    shape = sizes(rng, least=1)
    other = broadcastable(rng, shape)
    dim = rng.randint(-len(shape), len(shape) - 1)
    return Call(name, [tensor(rng, shape, dtype), tensor(rng, other or [1], dtype)], [dim],
                lambda x, y: torch.linalg.vecdot(x, y, dim=dim))


@op("einsum")
def einsum(name, rng, dtype):
    letters = {c: rng.choice((1, 2, 3, 4, 5)) for c in rng.sample("abcdijkAB", 4)}
    dots = [rng.choice((1, 2, 3)) for _ in range(rng.choice((0, 0, 1, 2)))]
    terms, tensors = [], []
    for _ in range(rng.choice((1, 2, 2, 2, 3))):
        term = [rng.choice(list(letters)) for _ in range(rng.randint(0, 3))]
        if rng.random() < 0.7:
            term = list(dict.fromkeys(term))
        shape = [1 if rng.random() < 0.05 and term.count(c) == 1 else letters[c] for c in term]
        if dots and rng.random() < 0.6:
            at = rng.randint(0, len(term))
            own = [1 if rng.random() < 0.2 else n for n in dots[rng.randint(0, len(dots)):]]
            shape[at:at] = own
            term.insert(at, "...")
        terms.append("".join(term))
        tensors.append(tensor(rng, shape, dtype))
    equation = ",".join(terms)
    if rng.random() < 0.6:
        used = sorted({c for c in equation if c.isalpha()})
        output = rng.sample(used, rng.randint(0, len(used)))
        if "..." in equation and rng.random() < 0.9:
            output.insert(rng.randint(0, len(output)), "...")
        equation += "->" + "".join(output)
    return Call(name, tensors, [ord(c) for c in equation],
                lambda *t: torch.einsum(equation, *t), low_inside=len(tensors) > 1)


@op("tensordot")
def tensordot(name, rng, dtype):
    common = sizes(rng, most=2)
    a = sizes(rng, most=2, empty=0) + common
    b = common + sizes(rng, most=2, empty=0)
    if rng.random() < 0.5:
        return Call(name, [tensor(rng, a, dtype), tensor(rng, b, dtype)], [len(common)],
                    lambda x, y: torch.tensordot(x, y, len(common)))
    of_a = list(range(len(a) - len(common), len(a)))
    of_b = list(range(len(common)))
    pairs = rng.sample(list(zip(of_a, of_b)), len(common))
    lists = [p[0] for p in pairs], [p[1] for p in pairs]
    return Call("tensordot.lists", [tensor(rng, a, dtype), tensor(rng, b, dtype)],
                lists[0] + lists[1], lambda x, y: torch.tensordot(x, y, lists))


@op("kron")
def kron(name, rng, dtype):
    pair = [tensor(rng, sizes(rng, most=3), dtype),
            tensor(rng, sizes(rng, most=3), other_dtype(rng, dtype))]
    return Call(name, pair, [], torch.kron)


@op("cross")
def cross(name, rng, dtype):
    shape = sizes(rng, most=3)
    dim = rng.randint(0, len(shape))
    shape.insert(dim, 3)
    other = [n if d == dim or rng.random() < 0.8 else 1 for d, n in enumerate(shape)]
    return Call(name, [tensor(rng, shape, dtype), tensor(rng, other, dtype)], [dim],
                lambda x, y: torch.cross(x, y, dim=dim))


@op("bilinear")
def bilinear(name, rng, dtype):
    batch, (o, i, j) = sizes(rng, most=2), extents(rng, 3, empty=0)
    return Call(name, [tensor(rng, batch + [i], dtype), tensor(rng, batch + [j], dtype),
                       tensor(rng, [o, i, j], dtype), maybe(rng, [o], dtype)], [], F.bilinear,
                low_inside=True)


@op("addcmul", "addcdiv", "lerp")
def of_three(name, rng, dtype):
    shape = sizes(rng)
    second, third = ((dtype, dtype) if name == "lerp" else
                     (other_dtype(rng, dtype), other_dtype(rng, dtype)))
    tensors = [tensor(rng, broadcastable(rng, shape) if rng.random() < 0.3 else shape, d)
               for d in (dtype, second, third)]
    if name == "lerp":
        if rng.random() < 0.5:
            return Call(name, tensors, [], torch.lerp)
        weight = rng.choice([0.1, 0.5, 0.9, 1.0, 0.0, -2.0, 1.5])
        return Call("lerp.number", tensors[:2], [weight], lambda a, b: torch.lerp(a, b, weight))
    value = rng.choice([1.0, 0.5, -2.0])
    if not any(t.dtype.is_floating_point for t in tensors):
        value = rng.choice([1, 2, -3])
    run = getattr(torch, name)
    return Call(name, tensors, [value], lambda a, b, c: run(a, b, c, value=value))


ORDERS = [2.0, 2.0, 2.0, 1.0, 3.0, 1.5, 0.5, float("inf")]


@op("dist")
def dist(name, rng, dtype):
    shape, p = sizes(rng, empty=0), rng.choice(ORDERS)
    pair = [tensor(rng, shape, dtype), tensor(rng, broadcastable(rng, shape), dtype)]
    return Call(name, pair, [p], lambda x, y: torch.dist(wide(x), wide(y), p).to(x.dtype))


@op("pairwise_distance")
def pairwise(name, rng, dtype):
    shape, p = sizes(rng, least=1, empty=0), rng.choice(ORDERS)
    eps, keep = rng.choice([1e-6, 0.0, 1e-3]), rng.random() < 0.5
    pair = [tensor(rng, shape, dtype), tensor(rng, broadcastable(rng, shape), dtype)]
    return Call(name, pair, [p, eps, keep], lambda x, y: F.pairwise_distance(
        wide(x), wide(y), p, eps, keep).to(x.dtype))


@op("cdist")
def cdist(name, rng, dtype):
    batch, p = sizes(rng, most=2), rng.choice(ORDERS + [0.0])
    points, others, m = rng.choice([1, 3, 9, 30]), rng.choice([1, 4, 28]), rng.choice([1, 3, 17, 40])
    left = broadcastable(rng, batch) if rng.random() < 0.3 else batch
    pair = [tensor(rng, left + [points, m], dtype), tensor(rng, batch + [others, m], dtype)]
    mode = rng.choice([0, 0, 1, 2])
    names = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist",
             "donot_use_mm_for_euclid_dist")
    return Call(name, pair, [p, mode], lambda x, y: torch.cdist(
        wide(x), wide(y), p, compute_mode=names[mode]).to(x.dtype), smooth=p != float("inf"))


@op("pdist")
def pdist(name, rng, dtype):
    n, m = rng.choice([1, 2, 5, 12]), rng.choice([1, 3, 17, 40])
    p = rng.choice(ORDERS + [0.0])
    return Call(name, [tensor(rng, [n, m], dtype)], [p],
                lambda x: torch.pdist(wide(x), p).to(x.dtype), smooth=p != float("inf"))


@op("cosine_similarity")
def cosine(name, rng, dtype):
    shape = sizes(rng, least=1)
    other = broadcastable(rng, shape)
    dim = rng.randint(-len(shape), len(shape) - 1)
    eps = rng.choice([1e-8, 1e-3, 1.0])
    return Call(name, [tensor(rng, shape, dtype), tensor(rng, other, dtype)], [dim, eps],
                lambda x, y: torch.cosine_similarity(wide(x), wide(y), dim, eps).to(x.dtype))


@op("renorm")
def renorm(name, rng, dtype):
    shape, p = sizes(rng, least=2, empty=0), rng.choice(ORDERS)
    dim, most = rng.randint(-len(shape), len(shape) - 1), rng.choice([0.5, 1.0, 3.0])
    return Call(name, [tensor(rng, shape, dtype)], [p, dim, most],
                lambda x: torch.renorm(wide(x), p, dim, most).to(x.dtype))


@op("linalg_vector_norm")
def vector_norm(name, rng, dtype):
    shape = sizes(rng, least=1, empty=0)
    dims, keep = several(rng, shape), rng.random() < 0.5
    p = rng.choice(ORDERS + [-1.0, -2.5, float("-inf")])
    listed = dims or list(range(len(shape)))
    return Call(name, [tensor(rng, shape, dtype)], [p, keep] + dims,
                lambda x: torch.linalg.vector_norm(x, p, listed, keep), smooth=abs(p) < 1e9)


@op("linalg_matrix_norm")
def matrix_norm(name, rng, dtype):
    shape = sizes(rng, least=2, empty=0)
    if rng.random() < 0.2:
        return Call("linalg_matrix_norm.fro", [tensor(rng, shape, dtype)], [],
                    torch.linalg.matrix_norm)
    dims, keep = rng.sample(range(len(shape)), 2), rng.random() < 0.5
    p = rng.choice([1.0, -1.0, float("inf"), float("-inf")])
    return Call(name, [tensor(rng, shape, dtype)], [p, keep] + dims,
                lambda x: torch.linalg.matrix_norm(wide(x), p, tuple(dims), keep).to(x.dtype),
                smooth=False)
