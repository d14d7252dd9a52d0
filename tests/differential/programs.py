#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""amp beside PyTorch, in random programs of views, subscripts and writes in place:

    tests/differential/programs.py [--cases 50000] [--seed 1] [--case N]

Each program makes leaves, then draws instructions: views, subscripts, functions, and writes in
place to any of its tensors, with and without history, some of them under NoGradGuard, some
programs under autocast. At its end, backward() of a sum of all tensors. programs.cpp, which the
script compiles, runs it with amp. All tensors and all gradients must be equal, and an instruction
that torch refuses must be refused. Where torch refuses backward because a saved tensor was
overwritten, amp may do so too, or have the right gradient: that which torch finds if it keeps
copies (allow_mutation_on_saved_tensors). Exits with 77 where Python has no torch.
"""

import argparse
import collections
import pathlib
import random
import shlex
import subprocess
import sys
import warnings

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
try:
    import torch
    from torch.autograd.graph import allow_mutation_on_saved_tensors
except ImportError:
    print("skipped: python3 has no torch")
    sys.exit(77)

DTYPES = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int64",
          "int32", "uint8", "bool"]  # as amp::DType
FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
AT_ONCE = 500


def number_of(dtype):
    return DTYPES.index(str(dtype).removeprefix("torch."))


class NoGrad:
    def __init__(self, action):
        self.action = action

    def __call__(self, *arguments):
        with torch.no_grad():
            return self.action(*arguments)


def assign(x, i, y):
    x[i] = y


def put(x, index, y):
    x[index] = y


# name: what torch does with (tensors, integers, floats)
VIEWS = {
    "transpose": lambda t, n, f: t[0].transpose(*n), "select": lambda t, n, f: t[0].select(*n),
    "narrow": lambda t, n, f: t[0].narrow(*n), "subscript": lambda t, n, f: t[0][n[0]],
    "slice": lambda t, n, f: torch.ops.aten.slice(t[0], *n),
    "unsqueeze": lambda t, n, f: t[0].unsqueeze(*n), "squeeze": lambda t, n, f: t[0].squeeze(),
    "view": lambda t, n, f: t[0].view(n), "reshape": lambda t, n, f: t[0].reshape(n),
    "expand": lambda t, n, f: t[0].expand(n), "diagonal": lambda t, n, f: t[0].diagonal(),
    "detach": lambda t, n, f: t[0].detach(), "t": lambda t, n, f: t[0].t(),
    "chunk": lambda t, n, f: t[0].chunk(n[0], n[1])[n[2]],
    "index.first": lambda t, n, f: t[0][n[0], ..., None],
    "index.last": lambda t, n, f: t[0][..., n[0]:n[1]:n[2]],
    "index.both": lambda t, n, f: t[0][n[0]:, None, n[1]],
    "view_without_grad": NoGrad(lambda t, n, f: t[0].select(0, 0)),
}
FUNCTIONS = {
    "clone": lambda t, n, f: t[0].clone(), "sin": lambda t, n, f: t[0].sin(),
    "exp": lambda t, n, f: t[0].exp(), "tanh": lambda t, n, f: t[0].tanh(),
    "relu": lambda t, n, f: t[0].relu(), "square": lambda t, n, f: t[0].square(),
    "sum": lambda t, n, f: t[0].sum(), "positive": lambda t, n, f: t[0] > 0,
    "sum.dim": lambda t, n, f: t[0].sum(n[0], keepdim=bool(n[1])),
    "mean.dim": lambda t, n, f: t[0].mean(n[0], keepdim=bool(n[1])),
    "to": lambda t, n, f: t[0].to(getattr(torch, DTYPES[n[0]])),
    "add": lambda t, n, f: t[0] + t[1], "mul": lambda t, n, f: t[0] * t[1],
    "scale": lambda t, n, f: t[0] * f[0], "matmul": lambda t, n, f: t[0] @ t[1],
    "index": lambda t, n, f: t[0][t[1]], "index.tensor": lambda t, n, f: t[0][:, t[1]],
    "masked_select": lambda t, n, f: t[0][t[1]],
}
IN_PLACE = {
    **{name: (lambda name: lambda t, n, f: getattr(t[0], name)())(name) for name in (
        "zero_", "abs_", "neg_", "square_", "sin_", "exp_", "tanh_", "sigmoid_", "relu_",
        "floor_", "cos_", "tril_", "triu_")},
    **{name: (lambda name: lambda t, n, f: getattr(t[0], name)(t[1]))(name) for name in (
        "add_", "sub_", "mul_", "div_", "copy_")},
    "add.number_": lambda t, n, f: t[0].add_(f[0]), "sub.number_": lambda t, n, f: t[0].sub_(f[0]),
    "mul.number_": lambda t, n, f: t[0].mul_(f[0]), "div.number_": lambda t, n, f: t[0].div_(f[0]),
    "fill_": lambda t, n, f: t[0].fill_(f[0]), "pow_": lambda t, n, f: t[0].pow_(f[0]),
    "clamp_min_": lambda t, n, f: t[0].clamp_min_(f[0]),
    "clamp_": lambda t, n, f: t[0].clamp_(-f[0], f[0]),
    "add.alpha_": lambda t, n, f: t[0].add_(t[1], alpha=f[0]),
    "+=": lambda t, n, f: t[0].add_(t[1]), "*=": lambda t, n, f: t[0].mul_(t[1]),
    "lerp_": lambda t, n, f: t[0].lerp_(t[1], f[0]),
    "addcmul_": lambda t, n, f: t[0].addcmul_(t[1], t[2], value=f[0]),
    "masked_fill_": lambda t, n, f: t[0].masked_fill_(t[1], f[0]),
    "cumsum_": lambda t, n, f: t[0].cumsum_(n[0]),
    "index_add_": lambda t, n, f: t[0].index_add_(n[0], t[1], t[2], alpha=f[0]),
    "index_fill_": lambda t, n, f: t[0].index_fill_(n[0], t[1], f[0]),
    "fill_diagonal_": lambda t, n, f: t[0].fill_diagonal_(f[0]),
    "put.number": lambda t, n, f: put(t[0], n[0], f[0]),
    "put.slice": lambda t, n, f: put(t[0], (..., slice(n[0], None, n[1])), t[1]),
    "put.tensor": lambda t, n, f: t[0].index_put_((t[1],), t[2].to(t[0].dtype), bool(n[0])),
    "put.column": lambda t, n, f: put(t[0], (slice(None), t[1]), t[2].to(t[0].dtype)),
    "assign": lambda t, n, f: assign(t[0], n[0], t[1]),
    "assign.number": lambda t, n, f: assign(t[0], n[0], f[0]),
    "without_grad.mul_": NoGrad(lambda t, n, f: t[0].mul_(f[0])),
    "without_grad.copy_": NoGrad(lambda t, n, f: t[0].copy_(t[1])),
}
FLOAT32 = ("exp", "square", "sum", "sum.dim")  # under autocast; matmul is in low precision
ACTIONS = {**VIEWS, **FUNCTIONS, **IN_PLACE}


# What torch refuses, but amp computes: operands that share memory with what is written, writes to
# one of several views, numbers with a fraction of 0 beside integers, two dtypes of which one gives
# way, and integers that take the values of a tensor with history.
AMP_COMPUTES = ("some elements of the input tensor and the written-to tensor",
                "This view is the output of a function that returns multiple views",
                "For integral input tensors, argument alpha must not be a floating point number",
                "must have the same scalar type",
                "expected dtype", "isDifferentiableType", "Autograd not support dtype",
                "A view was created in no_grad mode and its base",
                "A view was created in no_grad mode and is being modified inplace with")


def is_trained(tensor):
    """Whether it is a leaf that requires gradients."""
    try:
        return tensor.is_leaf and tensor.requires_grad
    except RuntimeError:  # of a view that was made under no_grad, whose base was written since
        return False


# What amp refuses, but torch computes: writes to expanded tensors, of no meaning in torch in the ops
# that allow them, and to views that were made under no_grad, which torch silently does not record.
TORCH_COMPUTES = ("share memory", "made under NoGradGuard", "a view of a leaf")


def shares(a, b):
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


def overlap(a, b):
    """Whether both show the same memory in different ways."""
    same = (a.shape, a.stride(), a.storage_offset()) == (b.shape, b.stride(), b.storage_offset())
    return not same and shares(a, b)


class Refused(Exception):
    """torch refuses an instruction."""


class Program:
    """Instructions, drawn one after the other beside the tensors that they work on."""

    def __init__(self, seed, number):
        self.number, self.rng = number, random.Random(f"programs {seed}/{number}")
        self.autocast = self.rng.choice(["bfloat16", "float16"]) if self.rng.random() < 0.25 else "none"
        self.lines, self.tensors, self.refused_at, self.refusal = [], [], None, ""
        with torch.autocast("cpu", enabled=False), allow_mutation_on_saved_tensors():
            self.draw()

    # --- drawing -----------------------------------------------------------------------------

    def numbers(self, count):
        return [self.rng.randint(-8, 8) / 4 for _ in range(count)]

    def leaf(self, shape, dtype, requires_grad, values=None):
        count = torch.Size(shape).numel()
        values = self.numbers(count) if values is None else values
        self.lines.append(("leaf", [], [number_of(dtype), int(requires_grad), *shape], values))
        made = torch.tensor(values, dtype=torch.float64).reshape(shape).to(dtype)
        self.tensors.append(made.requires_grad_(requires_grad))

    def do(self, name, registers, integers=(), floats=()):
        line = (name, list(registers), list(integers), list(floats))
        shown = shares if name.startswith(("put", "index", "assign")) else overlap
        if name in IN_PLACE and any(shown(self.tensors[registers[0]], self.tensors[r])
                                    for r in registers[1:]):
            return  # torch reads what it has written
        self.lines.append(line)
        try:
            self.step(self.tensors, line)
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            # torch may forget that a view of what became history is no leaf.
            forgets = "a leaf Variable that requires grad is being used" in str(error) and \
                self.tensors[registers[0]]._is_view()
            if forgets or any(text in str(error) for text in AMP_COMPUTES):
                self.lines.pop()
                return
            self.refused_at, self.refusal = len(self.lines) - 1, str(error).splitlines()[0]
            raise Refused from None

    def step(self, tensors, line):
        name, registers, integers, floats = line
        result = ACTIONS[name]([tensors[r] for r in registers], integers, floats)
        if name not in IN_PLACE:
            tensors.append(result)

    def draw(self):
        rng = self.rng
        dtype = torch.float32 if self.autocast != "none" else rng.choice(
            [torch.float64] * 6 + [torch.float32] * 2 + [torch.bfloat16, torch.int64])
        floating = dtype.is_floating_point
        shape = [rng.choice([1, 2, 3, 4]) for _ in range(rng.randint(1, 3))]
        for _ in range(rng.randint(1, 3)):
            self.leaf(shape if rng.random() < 0.6 else
                      [rng.choice([1, 2, 3, 4]) for _ in range(rng.randint(0, 3))],
                      dtype if rng.random() < 0.85 else rng.choice([torch.float32, torch.float64]),
                      floating and rng.random() < 0.7)
        try:
            for r in range(len(self.tensors)):  # of which others may be written in place
                if rng.random() < 0.7:
                    self.do("scale" if self.tensors[r].dtype.is_floating_point else "clone", [r],
                            floats=[2.0])
            for _ in range(rng.randint(2, 12)):
                kind = rng.random()
                try:
                    if kind < 0.3:
                        self.draw_view()
                    elif kind < 0.48:
                        self.draw_function()
                    else:
                        self.draw_write()
                except RuntimeError:  # of a view of which torch tells nothing any more
                    pass
        except Refused:
            pass

    def some(self, accept=lambda t: True):
        """A register, the later the likelier; None if no tensor is accepted."""
        fit = [r for r, t in enumerate(self.tensors) if accept(t)]
        return max(self.rng.choice(fit), self.rng.choice(fit)) if fit else None

    def beside(self, shape, dtype=None):
        """A register that broadcasts to the shape, made if there is none."""
        def fits(t):
            if t.dtype == torch.bool or (dtype is not None and t.dtype != dtype):
                return False
            try:
                return torch.broadcast_shapes(t.shape, shape) == torch.Size(shape)
            except RuntimeError:
                return False
        r = self.some(fits)
        if r is None or self.rng.random() < 0.15:
            floats = [t.dtype for t in self.tensors if t.dtype in FLOATS]
            self.leaf(list(shape), dtype or (floats[0] if floats else torch.int64), False)
            r = len(self.tensors) - 1
        return r

    def draw_view(self):
        rng = self.rng
        r = self.some(lambda t: t.dtype != torch.bool)
        x = self.tensors[r]
        dims = x.dim()
        d = rng.randrange(dims) if dims else 0
        name = rng.choice(list(VIEWS))
        if name == "detach" and rng.random() < 0.7:
            return
        if name in ("squeeze", "detach"):
            return self.do(name, [r])
        if name == "unsqueeze":
            return self.do(name, [r], [rng.randint(0, dims)])
        if not dims:
            return None
        n = x.size(d)
        if name == "transpose":
            return self.do(name, [r], [d, rng.randrange(dims)])
        if name == "select" and n:
            return self.do(name, [r], [d, rng.randrange(-n, n)])
        if name == "narrow" and n:
            start = rng.randrange(n)
            return self.do(name, [r], [d, start, rng.randint(1, n - start)])
        if name == "slice" and n:
            return self.do(name, [r], [d, rng.randrange(n), n, rng.randint(1, 2)])
        if name in ("subscript", "index.first") and x.size(0):
            return self.do(name, [r], [rng.randrange(-x.size(0), x.size(0))])
        if name == "view_without_grad" and x.size(0) and rng.random() < 0.3:
            return self.do(name, [r])
        if name == "index.last" and x.size(-1):
            start = rng.randrange(x.size(-1))
            return self.do(name, [r], [start, x.size(-1), rng.randint(1, 2)])
        if name == "index.both" and dims > 1 and x.size(1) and x.size(0):
            return self.do(name, [r], [rng.randrange(x.size(0)), rng.randrange(x.size(1))])
        if name == "chunk" and n:
            count = len(x.chunk(2, d))
            return self.do(name, [r], [2, d, rng.randrange(count)])
        if name == "view" and x.is_contiguous():
            return self.do(name, [r], [x.numel()] if rng.random() < 0.5 else [1, *x.shape])
        if name == "reshape" and x.is_contiguous():  # others are views or copies as they lie
            return self.do(name, [r], [x.numel()])
        if name == "expand" and dims < 4:
            return self.do(name, [r], [2, *x.shape])
        if name in ("diagonal", "t") and dims == 2:
            return self.do(name, [r])
        return None

    def index(self, extent):
        count = self.rng.randint(1, 3)
        self.leaf([count], torch.int64, False, [self.rng.randrange(extent) for _ in range(count)])
        return len(self.tensors) - 1

    def draw_function(self):
        rng = self.rng
        name = rng.choice(list(FUNCTIONS))
        r = self.some(lambda t: t.dtype in FLOATS)
        if r is None:
            return None
        x = self.tensors[r]
        if name in ("add", "mul"):
            return self.do(name, [r, self.beside(x.shape)])
        if name in ("sum.dim", "mean.dim"):
            return self.do(name, [r], [rng.randrange(x.dim()), rng.randrange(2)]) if x.dim() else None
        if name == "to":
            return self.do(name, [r], [number_of(rng.choice([torch.float64, torch.float32]))])
        if name == "scale":
            return self.do(name, [r], floats=[rng.choice([0.5, -1.0, 2.0])])
        if name == "matmul":
            if x.dim() != 2 or x.dtype != torch.float32:
                return None
            self.leaf([x.size(1), 2], x.dtype, False)
            return self.do(name, [r, len(self.tensors) - 1])
        if name == "index":
            return self.do(name, [r, self.index(x.size(0))]) if x.dim() and x.size(0) else None
        if name == "index.tensor":
            return self.do(name, [r, self.index(x.size(1))]) if x.dim() > 1 and x.size(1) else None
        if name == "masked_select":
            m = self.some(lambda t: t.dtype == torch.bool and t.shape == x.shape and t.dim() > 0)
            return self.do(name, [r, m]) if m is not None else None
        return self.do(name, [r])

    def draw_write(self):
        rng = self.rng
        name = rng.choice(list(IN_PLACE))
        r = self.some(lambda t: t.dtype != torch.bool and (
            rng.random() < 0.1 or not is_trained(t)))
        if r is None:
            return None
        x = self.tensors[r]
        sharing = [t for t in self.tensors if t is not x and shares(t, x)]
        if name.startswith("without_grad") or not x.requires_grad:
            if any(is_trained(t) for t in sharing) or (is_trained(x) and sharing):
                return None  # after it torch does not know of the views of a leaf
        if name == "floor_" and x.dtype != torch.float64:
            return None  # what is near an integer may be rounded to it
        number = rng.choice([0.5, -0.5, 1.0, 2.0, -1.5])
        if name in ("add_", "sub_", "mul_", "+=", "*=", "copy_", "without_grad.copy_"):
            return self.do(name, [r, self.beside(x.shape)])
        if name == "div_":
            return self.do("div.number_", [r], floats=[2.0])
        if name in ("add.alpha_", "lerp_"):
            return self.do(name, [r, self.beside(x.shape, x.dtype)],
                           floats=[number if x.dtype.is_floating_point else 2.0])
        if name == "addcmul_":
            return self.do(name, [r, self.beside(x.shape, x.dtype), self.beside(x.shape, x.dtype)],
                           floats=[number if x.dtype.is_floating_point else 2.0])
        if name in ("fill_", "clamp_", "clamp_min_") or name.endswith("number_") or \
                name == "without_grad.mul_":
            value = abs(number) if name == "clamp_" else number
            if not x.dtype.is_floating_point:
                value = float(int(value) or 1)
                if name in ("div.number_",):
                    return None
            return self.do(name, [r], floats=[value])
        if name == "pow_":
            return self.do(name, [r], floats=[2.0])
        if name == "masked_fill_":
            m = self.some(lambda t: t.dtype == torch.bool and t.shape == x.shape)
            return self.do(name, [r, m], floats=[2.0]) if m is not None else None
        dims = x.dim()
        if name == "cumsum_":
            return self.do(name, [r], [rng.randrange(dims)]) if dims else None
        if name in ("tril_", "triu_"):
            return self.do(name, [r]) if dims > 1 else None
        if name == "fill_diagonal_":
            return self.do(name, [r], floats=[2.0]) if dims == 2 else None
        if name in ("index_add_", "index_fill_"):
            if not dims or not x.size(0):
                return None
            d = rng.randrange(dims)
            if not x.size(d):
                return None
            i = self.index(x.size(d))
            if name == "index_fill_":
                return self.do(name, [r, i], [d], [2.0])
            shape = list(x.shape)
            shape[d] = self.tensors[i].numel()
            self.leaf(shape, x.dtype, x.dtype in FLOATS and rng.random() < 0.5)
            return self.do(name, [r, i, len(self.tensors) - 1], [d], [2.0])
        if name in ("put.number", "assign.number", "assign"):
            if not dims or not x.size(0):
                return None
            at = rng.randrange(-x.size(0), x.size(0))
            if name == "assign":
                return self.do(name, [r, self.beside(x.shape[1:])], [at])
            return self.do(name, [r], [at], [2.0])
        if name == "put.slice":
            if not dims or not x.size(-1):
                return None
            start, step = rng.randrange(x.size(-1)), rng.randint(1, 2)
            shape = [*x.shape[:-1], len(range(start, x.size(-1), step))]
            return self.do(name, [r, self.beside(shape)], [start, step])
        if name == "put.tensor":
            if not dims or not x.size(0):
                return None
            accumulate = rng.randrange(2)
            i = self.index(x.size(0))
            if not accumulate and len(set(self.tensors[i].tolist())) < self.tensors[i].numel():
                return None  # which of several stays is not defined in torch
            shape = [self.tensors[i].numel(), *x.shape[1:]]
            return self.do(name, [r, i, self.beside(shape)], [accumulate])
        if name == "put.column":
            if dims < 2 or not x.size(1):
                return None
            i = self.index(x.size(1))
            if len(set(self.tensors[i].tolist())) < self.tensors[i].numel():
                return None
            shape = [x.size(0), self.tensors[i].numel(), *x.shape[2:]]
            return self.do(name, [r, i, self.beside(shape)])
        return self.do(name, [r])

    # --- running -----------------------------------------------------------------------------

    @property
    def lines_of(self):
        """The names of the instructions that made the registers."""
        return [line[0] for line in self.lines if line[0] not in IN_PLACE]

    def text(self):
        lines = [f"program {self.number} {self.autocast}"]
        for name, *parts in self.lines:
            lines.append(" ".join([name] + [" ".join(map(repr, [len(p), *p])) for p in parts]))
        return "\n".join(lines) + "\nend\n"

    def run(self, low=None):
        """The tensors after the program and backward; `low` is the dtype of autocast."""
        tensors = []
        for line in self.lines:
            name, registers, integers, floats = line
            if name == "leaf":
                made = torch.tensor(floats, dtype=torch.float64).reshape(integers[2:])
                dtype = getattr(torch, DTYPES[integers[0]])
                tensors.append(made.to(dtype).requires_grad_(bool(integers[1])))
            elif name == "matmul" and low is not None:
                a, b = (tensors[r].to(low) for r in registers)
                tensors.append(a @ b)
            elif low is not None and name in FLOAT32 and tensors[registers[0]].dtype == low:
                tensors.append(ACTIONS[name]([tensors[registers[0]].to(torch.float32)], integers,
                                             floats))
            else:
                self.step(tensors, line)
        loss = torch.zeros((), dtype=torch.float64)
        for r, t in enumerate(tensors):
            if t.requires_grad:
                loss = loss + t.to(torch.float64).sum() * (r + 1)
        if loss.requires_grad:
            loss.backward()
        return tensors

    def expected(self):
        """Tensors and gradients, and whether torch alone refuses backward. Throws what it throws
        before that."""
        low = getattr(torch, self.autocast) if self.autocast != "none" else None
        try:
            return self.run(low), False
        except RuntimeError as error:
            if "has been modified by an inplace operation" not in str(error):
                raise
        with allow_mutation_on_saved_tensors():
            return self.run(low), True


def tolerance(dtypes):
    if torch.bfloat16 in dtypes or torch.float16 in dtypes:
        return 0.06
    return 2e-4 if torch.float32 in dtypes else 1e-9


def near(ours, theirs, allowed):
    a, b = ours.to(torch.float64), theirs.to(torch.float64)
    size = b[b.isfinite()].abs().max().item() if b.isfinite().any() else 0.0
    return bool(torch.isclose(a, b, rtol=allowed, atol=allowed * max(size, 1.0),
                              equal_nan=True).all())


def difference(program, result):
    """What is wrong, as (kind, text); None if nothing is."""
    if result[0].startswith("error") and any(text in result[0] for text in TORCH_COMPUTES):
        return None
    if program.refused_at is not None:
        if result[0].startswith("error") and int(result[0].split()[1]) == program.refused_at:
            return None
        return "computes", f"torch refuses instruction {program.refused_at}: {program.refusal}"
    try:
        tensors, refuses = program.expected()
    except IndexError:  # torch's copies of what was overwritten are in the wrong place
        return None
    except RuntimeError as error:
        # torch may forget that a view of what became history is no leaf.
        forgets = "a leaf Variable that requires grad is being used" in str(error)
        if result[0].startswith("error") or forgets or \
                any(text in str(error) for text in AMP_COMPUTES):
            return None
        return "computes", str(error).splitlines()[0]
    if result[0].startswith("error"):
        kept = refuses and "was modified in place after the forward pass" in result[0]
        return None if kept else ("refuses", result[0])
    allowed = tolerance({t.dtype for t in tensors})
    wanted = {str(r): t.detach() for r, t in enumerate(tensors)}
    wanted.update({f"gradient {r}": t.grad for r, t in enumerate(tensors)
                   if program.lines_of[r] == "leaf" and t.grad is not None})
    got = {}
    for r, line in enumerate(result):
        words = line.split()
        key = str(r)
        if words[0] == "gradient":
            key, words = f"gradient {words[1]}", words[2:]
        dims = int(words[1])
        shape = [int(n) for n in words[2:2 + dims]]
        values = torch.tensor([float(v) for v in words[2 + dims:]], dtype=torch.float64)
        got[key] = words[0], values.reshape(shape)
    for key, theirs in wanted.items():
        if key not in got:
            if bool((theirs != 0).any()):
                return "missing", f"{key}: amp has none, torch {theirs.tolist()}"
            continue
        dtype, ours = got[key]
        if dtype != str(theirs.dtype).removeprefix("torch.") or ours.shape != theirs.shape:
            return "dtype", f"{key}: amp {dtype}{list(ours.shape)}, torch {theirs.dtype}{list(theirs.shape)}"
        if not near(ours, theirs, allowed):
            return "values", f"{key}: amp {ours.tolist()}, torch {theirs.tolist()}"
    for key in got.keys() - wanted.keys():
        if bool((got[key][1] != 0).any()):  # torch has no gradient, or 0, of what was overwritten
            return "missing", f"{key}: torch has none, amp {got[key][1].tolist()}"
    return None


def compiled(options):
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "programs"
    sources = [HERE / "programs.cpp", *ROOT.glob("include/**/*.hpp"), *ROOT.glob("include/**/*.ipp")]
    if not program.exists() or program.stat().st_mtime < max(s.stat().st_mtime for s in sources):
        subprocess.run([*shlex.split(options.compiler), "-std=c++20", "-O1", "-I",
                        str(ROOT / "include"), str(HERE / "programs.cpp"), "-o", str(program),
                        "-pthread"], check=True)
    return program


def results_of(program, drawn):
    text = "".join(p.text() for p in drawn)
    out = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout
    results, current = {}, None
    for line in out.splitlines():
        if line.startswith("program "):
            current = results[int(line.split()[1])] = []
        else:
            current.append(line)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=50000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--folder", default=str(ROOT / "build" / "programs"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    evaluator = compiled(options)
    numbers = [options.case] if options.case is not None else range(options.cases)
    found, counts = 0, collections.Counter()
    for first in range(0, len(numbers), AT_ONCE):
        drawn = [Program(options.seed, n) for n in numbers[first:first + AT_ONCE]]
        results = results_of(evaluator, drawn)
        for program in drawn:
            counts["refused by torch" if program.refused_at is not None else "computed"] += 1
            counts["instructions"] += len(program.lines)
            wrong = difference(program, results.get(program.number) or ["error -1 no result"])
            if wrong is None:
                continue
            found += 1
            counts[wrong[0]] += 1
            if found <= 40:
                print(f"seed {options.seed} program {program.number}: {wrong[0]}: {wrong[1][:400]}")
                if options.case is not None:
                    print(program.text())
    print(", ".join(f"{n} {name}" for name, n in counts.items()))
    print(f"{len(numbers)} programs; seed {options.seed}\n{found:6d}  differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
