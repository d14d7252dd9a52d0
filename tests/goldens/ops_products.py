# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Cases of sums of products, of distances, and of functions of three tensors."""

import torch
import torch.nn.functional as F

from cases import INFINITY, NAN, case, coarse, floats, nonzero, values

EQUATIONS = (  # as kEquations of conformance/calls/products.hpp
    "ij,jk->ik", "bij,bjk->bik", "ij,jk", "ij->ji", "ij->j", "ij->", "ii->i", "ii", "i,j->ij",
    "bi,bi->b", "b...i,i...j->b...j", "...i,...i", "bqhd,bkhd->bhqk", "ij,jk,kl->il", "iij,ji->i",
    "aB,Bc->ca", "ij,ij->ij", "...ij->...ji", "i...->...",
)


def einsum(detail, number, *inputs):
    case("einsum", f"{EQUATIONS[number]}, {detail}", lambda *t: torch.einsum(EQUATIONS[number], *t),
         *inputs, attributes=(number,))


def sums_of_products():
    case("mm", "in general", torch.mm, values((3, 4), 1), values((4, 5), 2))
    case("mm", "of one number", torch.mm, values((1, 1), 1), values((1, 1), 2))
    case("mm", "of no rows", torch.mm, values((0, 4), 1), values((4, 2), 2))
    case("mv", "in general", torch.mv, values((3, 4), 1), values((4,), 2))
    case("mv", "of nothing", torch.mv, values((3, 0), 1), values((0,), 2))
    case("mv", "of one number", torch.mv, values((1, 1), 1), values((1,), 2))
    for name in ("dot", "vdot"):
        function = getattr(torch, name)
        case(name, "in general", function, values((7,), 1), values((7,), 2))
        case(name, "of one", function, values((1,), 1), values((1,), 2))
        case(name, "of nothing", function, values((0,), 1), values((0,), 2))

    def vecdot(detail, x, y, dim):
        case("linalg_vecdot", detail, lambda a, b: torch.linalg.vecdot(a, b, dim=dim), values(x, 1),
             values(y, 2), attributes=(dim,))

    vecdot("in general", (3, 4), (3, 4), -1)
    vecdot("along the first, broadcast", (3, 2, 1), (3, 1, 4), 0)
    vecdot("of one and many", (2, 1), (3,), 1)
    vecdot("of nothing", (2, 0), (2, 0), 1)
    vecdot("of no lines", (0, 3), (0, 3), 1)
    case("linalg_vecdot(default)", "in general", torch.linalg.vecdot, values((2, 3), 1),
         values((2, 3), 2))

    def add(name, detail, inputs, beta, alpha):
        function = getattr(torch, name)
        case(name, detail, lambda c, a, b: function(c, a, b, beta=beta, alpha=alpha), *inputs,
             attributes=(beta, alpha))

    shapes = {
        "addmm": ((3, 5), (3, 4), (4, 5)),
        "addmv": ((3,), (3, 4), (4,)),
        "addr": ((3, 5), (3,), (5,)),
        "addbmm": ((3, 5), (2, 3, 4), (2, 4, 5)),
        "baddbmm": ((2, 3, 5), (2, 3, 4), (2, 4, 5)),
    }
    for name, (c, a, b) in shapes.items():
        case(f"{name}(default)", "in general", getattr(torch, name), values(c, 1), values(a, 2),
             values(b, 3))
        general = [values(c, 1), values(a, 2), values(b, 3)]
        add(name, "in general", general, 0.5, 2)
        add(name, "the product alone", general, 0, -0.5)
        add(name, "no factor for the product", general, 2, 1)
        add(name, "of a scalar", [values((), 1), values(a, 2), values(b, 3)], 1, 1)
        add(name, "of NaN that does not count",
            [torch.full(c, NAN, dtype=torch.float64), values(a, 2), values(b, 3)], 0, 1)
        one = [torch.Size([1] * len(s)) for s in (c, a, b)]
        add(name, "of one number", [values(s, k) for k, s in enumerate(one)], 1, 1)
    row = [values((4, 5), 3), values((5, 3), 4)]
    add("addmm", "of a row", [values((3,), 1), *row], 1, 1)
    add("addmm", "of a row as a matrix", [values((1, 3), 1), *row], 1, 1)
    add("addmm", "of a row with factors", [values((3,), 1), *row], 0.5, 2)
    add("addmm", "of a column", [values((4, 1), 1), *row], 1, 1)
    add("addmm", "of no inner extent", [values((3,), 1), values((2, 0), 2), values((0, 3), 3)], 2, 1)
    add("addmm", "of no rows", [values((3,), 1), values((0, 2), 2), values((2, 3), 3)], 1, 1)
    add("addbmm", "of no batches", [values((3,), 1), values((0, 2, 4), 2), values((0, 4, 3), 3)], 1, 1)
    add("baddbmm", "broadcast", [values((1, 3, 1), 1), values((2, 3, 4), 2), values((2, 4, 2), 3)], 1, 1)
    add("baddbmm", "of no batches", [values((4, 3), 1), values((0, 4, 2), 2), values((0, 2, 3), 3)], 1, 1)
    add("addmv", "of nothing", [values((2,), 1), values((2, 0), 2), values((0,), 3)], 1, 1)
    add("addr", "of nothing", [values((2, 1), 1), values((2,), 2), values((0,), 3)], 1, 1)

    chain = [values((3, 2), 1), values((2, 4), 2), values((4, 1), 3)]
    case("chain_matmul", "of three", torch.chain_matmul, *chain)
    case("chain_matmul", "of one", torch.chain_matmul, values((3, 2), 1))
    case("chain_matmul", "of no columns", torch.chain_matmul, values((3, 2), 1), values((2, 0), 2))
    dot = lambda *t: torch.linalg.multi_dot(t)
    case("linalg_multi_dot", "of three", dot, *chain)
    case("linalg_multi_dot", "of vectors at the ends", dot, values((3,), 1), values((3, 2), 2),
         values((2,), 3))
    case("linalg_multi_dot", "of four", dot, values((2, 3), 1), values((3, 2), 2), values((2, 3), 3),
         values((3, 2), 4))
    case("linalg_multi_dot", "of a row and a column", dot, values((1, 3), 1), values((3, 1), 2))
    case("linalg_multi_dot", "of nothing", dot, values((0, 3), 1), values((3, 2), 2))

    shapes = (
        ((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 2)), ((3, 4), (4, 2)), ((3, 4),), ((3, 4),), ((3, 4),),
        ((3, 3),), ((3, 3),), ((3,), (4,)), ((3, 4), (3, 4)), ((2, 3, 4), (4, 3, 2)),
        ((2, 3, 4), (1, 4)), ((2, 3, 2, 4), (2, 5, 2, 4)), ((2, 3), (3, 4), (4, 2)),
        ((3, 3, 2), (2, 3)), ((2, 3), (3, 4)), ((2, 3), (2, 3)), ((2, 3, 4),), ((2, 3, 4),),
    )
    for number, of in enumerate(shapes):
        einsum("in general", number, *(values(s, 1 + k) for k, s in enumerate(of)))
    einsum("broadcast", 0, values((2, 1), 1), values((3, 4), 2))
    einsum("of no inner extent", 0, values((2, 0), 1), values((0, 3), 2))
    einsum("of nothing", 5, values((0, 3), 1))
    einsum("of one number", 8, values((1,), 1), values((1,), 2))
    einsum("without further dimensions", 11, values((3,), 1), values((3,), 2))

    def tensordot(detail, a, b, n):
        case("tensordot", detail, lambda x, y: torch.tensordot(x, y, n), values(a, 1), values(b, 2),
             attributes=(n,))

    tensordot("over one dimension", (2, 3, 4), (4, 5), 1)
    tensordot("over two dimensions", (2, 3, 4), (3, 4, 2), 2)
    tensordot("over none", (2, 3), (2, 2), 0)
    tensordot("over nothing", (2, 0), (0, 3), 1)
    tensordot("of one", (1,), (1,), 1)
    case("tensordot(default)", "in general", torch.tensordot, values((2, 3, 4), 1),
         values((3, 4, 2), 2))

    def tensordot_of(detail, a, b, of_a, of_b):
        case("tensordot(a, b, lists)", detail, lambda x, y: torch.tensordot(x, y, (of_a, of_b)),
             values(a, 1), values(b, 2), attributes=(*of_a, *of_b))

    tensordot_of("in another order", (2, 3, 4), (4, 2, 3), (0, 2), (1, 0))
    tensordot_of("of negative dimensions", (2, 3), (3, 4), (-1,), (-2,))
    tensordot_of("broadcast", (2, 1), (3, 4), (1,), (0,))
    tensordot_of("of no dimensions", (2,), (3,), (), ())

    case("outer", "in general", torch.outer, values((3,), 1), values((4,), 2))
    case("outer", "of nothing", torch.outer, values((0,), 1), values((4,), 2))
    case("outer", "of one", torch.outer, values((1,), 1), values((1,), 2))
    case("kron", "in general", torch.kron, values((2, 3), 1), values((3, 2), 2))
    case("kron", "of different ranks", torch.kron, values((2, 1, 3), 1), values((2,), 2))
    case("kron", "of a scalar and nothing", torch.kron, values((), 1), values((0, 2), 2))
    case("kron", "of one", torch.kron, values((1, 1), 1), values((1,), 2))

    def cross(detail, a, b, dim):
        case("cross", detail, lambda x, y: torch.cross(x, y, dim=dim), values(a, 1), values(b, 2),
             attributes=(dim,))

    cross("in general", (4, 3), (4, 3), -1)
    cross("along the first, broadcast", (3, 2, 1), (3, 1, 4), 0)
    cross("of no vectors", (0, 3), (0, 3), 1)
    cross("of one vector", (3,), (3,), 0)
    case("cross(default)", "in general", lambda x, y: torch.cross(x, y, dim=1), values((2, 3), 1),
         values((2, 3), 2))

    def bilinear(detail, a, b, w, bias):
        inputs = [values(a, 1), values(b, 2), values(w, 3)] + ([values(w[:1], 4)] if bias else [])
        case("bilinear", detail, F.bilinear, *inputs)

    bilinear("in general", (4, 2), (4, 3), (2, 2, 3), True)
    bilinear("without bias", (4, 2), (4, 3), (2, 2, 3), False)
    bilinear("of 3 dimensions", (2, 2, 3), (2, 2, 2), (3, 3, 2), True)
    bilinear("of one vector", (2,), (3,), (2, 2, 3), True)
    bilinear("of one number", (1, 1), (1, 1), (1, 1, 1), True)
    bilinear("of no rows", (0, 2), (0, 3), (2, 2, 3), True)


def functions_of_three():
    shape = ((3, 4), (3, 4), (3, 4))
    wider = ((3, 1), (4,), (2, 1, 1))
    empty = ((), (0, 2), (2,))
    one = ((1,), (1,), (1,))
    for name, make in (("addcmul", values), ("addcdiv", nonzero)):
        function = getattr(torch, name)
        for detail, (a, b, c) in (("of one shape", shape), ("broadcast", wider),
                                  ("of a scalar and nothing", empty), ("of one number", one)):
            case(name, detail, lambda x, y, z: function(x, y, z, value=0.5), values(a, 1),
                 values(b, 2), make(c, 3), attributes=(0.5,))
        case(f"{name}(default)", "in general", function, values((2, 3), 1), values((2, 3), 2),
             make((2, 3), 3))
    case("addcdiv", "of no numbers", lambda x, y, z: torch.addcdiv(x, y, z, value=2),
         floats([NAN, 1, 1, INFINITY]), floats([1, INFINITY, 0, 1]), floats([1, 1, 1, 2]),
         attributes=(2,))
    for detail, (a, b, c) in (("of one shape", shape), ("broadcast", wider),
                              ("of a scalar and nothing", empty), ("of one number", one)):
        case("lerp", detail, torch.lerp, values(a, 1), values(b, 2), values(c, 3))
    case("lerp", "of weights 0 and 1", torch.lerp, floats([1, 1, 2, NAN]), floats([3, 3, 4, 1]),
         floats([0, 1, 0.5, 0.5]))
    for weight in (0.25, 0.75, 1, -2):
        case("lerp(input, end, number)", f"by {weight}",
             lambda a, b: torch.lerp(a, b, weight), values((3, 4), 1), values((4,), 2),
             attributes=(weight,))
    case("lerp(input, end, number)", "of nothing", lambda a, b: torch.lerp(a, b, 0.5),
         values((0, 2), 1), values((2,), 2), attributes=(0.5,))


def distances():
    orders = (2, 1, 0, 3, 1.5, 0.5, INFINITY)

    def dist(detail, a, b, p):
        case("dist", detail, lambda x, y: torch.dist(x, y, p), a, b, attributes=(p,))

    for p in (2, 1, 3, 1.5, 0.5, INFINITY):
        dist(f"of order {p}", values((3, 4), 1), values((4,), 2), p)
    dist("of order -1", values((5,), 1), values((5,), 7), -1)
    dist("of equal points", values((3,), 1), values((3,), 1), 2)
    dist("of nothing", values((0,), 1), values((0,), 1), 2)
    dist("of scalars", values((), 1), values((), 2), 2)
    case("dist(default)", "in general", torch.dist, values((3,), 1), values((3,), 2))

    def pairwise(detail, a, b, p, eps, keep):
        case("pairwise_distance", detail,
             lambda x, y: torch.pairwise_distance(x, y, p, eps, keep), a, b,
             attributes=(p, eps, keep))

    for p in (2, 1, 3, INFINITY):
        pairwise(f"of order {p}", values((3, 4), 1), values((3, 4), 2), p, 0.125, p == 1)
    pairwise("broadcast", values((2, 1, 3), 1), values((4, 3), 2), 2, 0, True)
    pairwise("of equal points", values((2, 3), 1), values((2, 3), 1), 2, 0, False)
    pairwise("of no points", values((0, 3), 1), values((0, 3), 1), 2, 0.125, False)
    pairwise("of one number", values((1,), 1), values((1,), 2), 2, 0.125, False)
    pairwise("of scalars", values((), 1), values((), 2), 2, 0.125, False)
    case("pairwise_distance(default)", "in general", torch.pairwise_distance, values((3, 4), 1),
         values((3, 4), 2))

    modes = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist",
             "donot_use_mm_for_euclid_dist")

    def cdist(detail, a, b, p, mode=0):
        case("cdist", detail, lambda x, y: torch.cdist(x, y, p, compute_mode=modes[mode]), a, b,
             attributes=(p, mode))

    for p in orders:
        cdist(f"of order {p}", values((3, 4), 1), values((5, 4), 2), p)
    cdist("by a matmul", values((3, 4), 1), values((5, 4), 2), 2, 1)
    cdist("of batches, by a matmul", values((2, 3, 4), 1), values((2, 2, 4), 2), 2, 1)
    cdist("of many points", values((2, 2), 1), values((27, 2), 2), 2)
    cdist("directly", values((2, 2), 1), values((27, 2), 2), 2, 2)
    cdist("broadcast", values((2, 1, 3, 2), 1), values((2, 2, 2), 2), 1)
    cdist("of one batch and several", values((3, 2), 1), values((2, 2, 2), 2), 3)
    cdist("of equal points", values((2, 3), 1), values((2, 3), 1), 2)
    cdist("of ties", coarse((3, 4), 1), coarse((2, 4), 2), INFINITY)
    cdist("of wide points", values((2, 21), 1), values((2, 21), 2), 3)
    cdist("of no points", values((0, 4), 1), values((2, 4), 2), 2)
    cdist("of no numbers", values((3, 0), 1), values((2, 0), 2), 2)
    cdist("of no batches beside one", values((3, 4), 1), values((0, 2, 4), 2), 2, 1)
    cdist("of batches without numbers", values((2, 3, 0), 1), values((2, 2, 0), 2), 2)
    cdist("of one number", values((1, 1), 1), values((1, 1), 2), 2)
    case("cdist(default)", "in general", torch.cdist, values((3, 4), 1), values((5, 4), 2))

    def pdist(detail, x, p):
        case("pdist", detail, lambda t: torch.pdist(t, p), x, attributes=(p,))

    for p in orders:
        pdist(f"of order {p}", values((4, 3), 1), p)
    pdist("of equal points", values((1, 3), 1).expand(3, 3).contiguous(), 2)
    pdist("of one point", values((1, 3), 1), 2)
    # torch's own gradient of no points crashes.
    case("pdist", "of no points", lambda t: t.sum(1), values((0, 3), 1), attributes=(2,))
    pdist("of no numbers", values((3, 0), 1), 2)
    case("pdist(default)", "in general", torch.pdist, values((5, 2), 1))

    def cosine(detail, a, b, dim, eps=1e-8):
        case("cosine_similarity", detail, lambda x, y: torch.cosine_similarity(x, y, dim, eps), a, b,
             attributes=(dim, eps))

    cosine("in general", values((3, 4), 1), values((3, 4), 2), 1)
    cosine("along the first, broadcast", values((3, 2, 1), 1), values((3, 1, 4), 2), 0)
    cosine("of a short vector", values((2, 3), 1), values((3,), 2), -1, 4)
    cosine("of zeros", floats([0, 0]), floats([1, 0]), 0, 0.5)
    cosine("broadcast along the vectors", values((2, 1), 1), values((2, 3), 2), 1, 8)
    cosine("of nothing", values((2, 0), 1), values((2, 0), 2), 1)
    cosine("of no vectors", values((0, 3), 1), values((0, 3), 2), 1)
    cosine("of one number", values((1,), 1), values((1,), 2), 0, 4)
    cosine("of scalars", values((), 1), values((), 2), 0, 4)
    case("cosine_similarity(default)", "in general", torch.cosine_similarity, values((3, 4), 1),
         values((3, 4), 2))

    def renorm(detail, x, p, dim, most):
        case("renorm", detail, lambda t: torch.renorm(t, p, dim, most), x,
             attributes=(p, dim, most))

    for p in (2, 1, 3, INFINITY):
        renorm(f"of order {p}", values((4, 3), 1), p, 0, 2)
    renorm("along the middle", values((2, 3, 4), 1), 2, -2, 3)
    renorm("to 0", values((2, 2), 1), 2, 1, 0)
    renorm("of nothing", values((0, 3), 1), 2, 1, 1)
    renorm("of one", values((1, 1), 1), 2, 0, 8)

    def vector_norm(detail, x, p, dims, keep):
        def norm(t):
            y = torch.linalg.vector_norm(t, p, dims or None, keep)
            return y if p else y + 0 * t.sum()  # torch's gradient of order 0 is none

        case("linalg_vector_norm", detail, norm, x, attributes=(p, keep, *dims))

    for p in (*orders, -1, -INFINITY):
        vector_norm(f"of order {p}", nonzero((3, 4), 1), p, (0,), p == 1)
    vector_norm("over two dimensions", values((2, 3, 2), 1), 2, (0, -1), True)
    vector_norm("over all", values((2, 3), 1), 2, (), False)
    vector_norm("of zeros", floats([0, 0]), 2, (0,), False)
    vector_norm("of nothing", values((0, 3), 1), 2, (), False)
    vector_norm("of one", values((1,), 1), 3, (0,), True)
    case("linalg_vector_norm(default)", "in general", torch.linalg.vector_norm, values((3, 4), 1))

    def matrix_norm(detail, x, p, keep, dims):
        case("linalg_matrix_norm", detail, lambda t: torch.linalg.matrix_norm(t, p, dims, keep), x,
             attributes=(p, keep, *dims))

    for p in (1, -1, INFINITY, -INFINITY):
        matrix_norm(f"of order {p}", values((3, 4), 1), p, False, (-2, -1))
        matrix_norm(f"of order {p}, of other dimensions", values((3, 2, 4), 1), p, True, (2, 0))
    matrix_norm("of ties", coarse((3, 4), 2), 1, False, (0, 1))
    matrix_norm("of no rows", values((0, 3), 1), 1, False, (0, 1))
    # torch's own gradient of no columns throws.
    case("linalg_matrix_norm", "of no columns", torch.sum, values((3, 0), 1), attributes=(1, 0, 0, 1))
    matrix_norm("of no matrices", values((0, 2, 3), 1), INFINITY, False, (1, 2))
    matrix_norm("of one number", values((1, 1), 1), 1, False, (0, 1))
    fro = torch.linalg.matrix_norm
    case("linalg_matrix_norm(fro)", "in general", fro, values((3, 4), 1))
    case("linalg_matrix_norm(fro)", "of matrices", fro, values((2, 3, 2), 1))
    case("linalg_matrix_norm(fro)", "of zeros", fro, floats([[0, 0]]))
    case("linalg_matrix_norm(fro)", "of nothing", fro, values((0, 3), 1))
