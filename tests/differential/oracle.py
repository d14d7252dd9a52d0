# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""What torch says of a call, and how far amp may be from it.

Twice: in the dtypes of the call, which also gives dtype, shape, infinities and NaN; and in float64,
of the same values. amp is right where it is near either. How near follows from the dtypes: the last
places of the result, and what moves if each input does by the last place of the dtype in which amp
computes.
"""

import torch

from draw import FLOAT8, LOW, round_to

UPSTREAM = (1, -0.5, 2, 0.25, -1.5, 0.75, -1, 0.5, 3, -0.25, 1.5)  # as evaluate.cpp
SAMPLES = 4
# Differences of nearly equal numbers within: what cancels may be as large as the largest result.
CANCELS = {"scaled_dot_product_attention", "scaled_dot_product_attention.options", "softmax",
           "log_softmax", "layer_norm", "rms_norm", "group_norm", "batch_norm", "cross_entropy", "binary_cross_entropy_with_logits",
           "feed_forward", "var", "std", "var_mean", "std_mean", "logcumsumexp", "normalize", "gelu", "silu", "tanh", "sigmoid"}
# Their gradient is computed from the result, as it was rounded.
SAVES_RESULT = {"softmax", "log_softmax", "tanh", "sigmoid"}


class Answer:
    """values, gradients: by name; None where torch has no gradient."""

    def __init__(self, values, gradients):
        self.all = {**values, **gradients}


def upstream(y, perturbation=0.0):
    n = y.numel()
    g = torch.tensor(UPSTREAM, dtype=torch.float64).repeat(n // len(UPSTREAM) + 1)[:n]
    return jitter(g, perturbation).reshape(y.shape).to(y.dtype)


def jitter(x, size):
    if not size:
        return x
    return x * (1 + size * (torch.randint(0, 2, x.shape, dtype=torch.int8) * 2 - 1).to(x.dtype))


def cast_dtype(dtype, policy, autocast):
    """PyTorch's rule of CUDA: what is cast is floating point and not float64."""
    if autocast is None or not dtype.is_floating_point or dtype == torch.float64:
        return dtype
    return {"low precision": autocast, "float32": torch.float32}.get(policy, dtype)


def leaves_of(call):
    return [None if d is None else d.storage.clone().as_strided(d.sizes, d.strides, d.offset)
            for d in call.tensors]


def evaluate(call, leaves, inputs, mask, out_jitter=0.0):
    """leaves: what gradients are of; inputs: made of them."""
    found = call.run(*inputs, mask) if call.mask else call.run(*inputs)
    if isinstance(found, dict):
        return Answer({name: t.detach() for name, t in found.items()}, {})
    outputs = tuple(found) if isinstance(found, (tuple, list)) else (found,)
    gradients = {}
    if outputs[0].requires_grad:
        y = outputs[0]
        y.backward(upstream(y, out_jitter))
        gradients = {f"gradient{i}": x.grad for i, x in enumerate(leaves)
                     if x is not None and x.requires_grad and x.grad is not None}
    return Answer({f"result{i}": y.detach() for i, y in enumerate(outputs)}, gradients)


def prepared(call, convert):
    leaves = leaves_of(call)
    for i, (leaf, drawn) in enumerate(zip(leaves, call.tensors)):
        if leaf is not None:
            leaves[i] = convert(leaf.detach())
            if drawn.requires_grad:
                leaves[i] = leaves[i].detach().requires_grad_()
    return leaves


def emulated(call, policy, autocast, mask):
    """Of dtypes that torch only stores: computed in float32 and rounded once."""
    dtypes = [cast_dtype(d.dtype, policy, autocast) for d in call.tensors
              if d is not None and d.dtype.is_floating_point]
    target = dtypes[0]
    for d in dtypes[1:]:
        if d != target:
            target = torch.float64 if torch.float64 in (d, target) else torch.float32

    def widen(x):
        if x.dtype.is_floating_point:
            x = round_to(x, cast_dtype(x.dtype, policy, autocast))
        return x.to(torch.float32) if x.dtype in FLOAT8 + LOW else x
    leaves = prepared(call, widen)
    answer = evaluate(call, leaves, leaves, mask)
    for name, value in answer.all.items():
        if value.dtype == torch.float32:
            where = call.tensors[int(name[8:])].dtype if name.startswith("gradient") else target
            answer.all[name] = round_to(value, where)
    return answer


def actual(call, policy, autocast, mask):
    def cast(x):
        if x is None or not x.dtype.is_floating_point:
            return x
        return x.to(cast_dtype(x.dtype, policy, autocast))
    leaves = prepared(call, lambda x: x)
    try:
        inputs = [cast(x) for x in leaves]
        if not call.copies and any(x is not None and x.dtype in FLOAT8 for x in inputs):
            return emulated(call, policy, autocast, mask)
        return evaluate(call, leaves, inputs, mask)
    except (RuntimeError, NotImplementedError) as error:
        if "not implemented for" not in str(error) or \
                not any(x is not None and x.dtype.is_floating_point for x in leaves):
            raise
        return emulated(call, policy, autocast, mask)


def epsilon(dtype):
    return torch.finfo(dtype).eps if dtype.is_floating_point else 0.0


def exact(call, policy, autocast, mask, perturbed, out_dtype):
    def widen(x):
        if not x.dtype.is_floating_point:
            return x
        dtype = cast_dtype(x.dtype, policy, autocast)
        x = round_to(x, dtype).to(torch.float64).contiguous()  # torch is not always right of views
        if not perturbed or not call.smooth:
            return x
        inside = dtype if call.low_inside or dtype == torch.float64 else torch.float32
        return jitter(x, epsilon(inside) * getattr(call, "steps", 1))
    leaves = prepared(call, widen)
    return evaluate(call, leaves, leaves, mask, epsilon(out_dtype) if perturbed else 0.0)


class Expected:
    """One tensor: what torch has (in its dtype), float64's values, and how far they move."""

    def __init__(self, torch_value, wide, moved, eps, inside=0.0, cancels=False, least=0.0):
        self.torch_value, self.wide, self.moved, self.eps = torch_value, wide, moved, eps
        self.inside = inside    # epsilon of what is rounded within
        self.cancels = cancels  # terms within, at least as large as `least`
        self.least = least

    def errors(self, got):
        """Indices at which `got`, of the same dtype and shape, is near neither."""
        dtype = got.dtype
        if not dtype.is_floating_point:
            return (got.reshape(-1) != self.torch_value.reshape(-1)).nonzero().flatten().tolist()
        a, b = (t.reshape(-1).to(torch.float64) for t in (got, self.torch_value))
        candidates = [(b, b)]  # a value, and as it is rounded
        if self.wide is not None:
            r = self.wide.reshape(-1)
            candidates.append((r, round_to(r, dtype).to(torch.float64)))
        self.allowed = self.tolerance(b, dtype)
        right = torch.zeros_like(a, dtype=torch.bool)
        for value, rounded in candidates:
            right |= (a == rounded) | (a.isnan() & rounded.isnan())
            right |= self.is_near(a, value, torch.finfo(dtype))
        return (~right).nonzero().flatten().tolist()

    def is_near(self, a, value, info):
        """At the edge of overflow infinity is the next number."""
        most = info.max * (1 + info.eps)
        near = (a.clamp(-most, most) - value.clamp(-most, most)).abs() <= self.allowed
        return near & value.isfinite() & (
            a.isfinite() | (value.abs() >= info.max * (1 - 8 * self.eps)))

    def tolerance(self, told, dtype):
        info = torch.finfo(dtype)
        inside = min(info.eps, torch.finfo(torch.float32).eps)  # of what amp computes in
        allowed = torch.zeros_like(told)
        for value in [told] if self.wide is None else [told, self.wide.reshape(-1)]:
            size = torch.where(value.isfinite(), value, 0.0).abs()
            parts = size[size != 0]
            usual = parts.median() if parts.numel() else 0.0
            most = max(parts.max() if parts.numel() else 0.0, self.least)
            allowed = torch.maximum(
                allowed, 16 * self.moved + 2 * self.eps * size + 2 * info.tiny * info.eps +
                4 * inside * (size + (4 * most if self.cancels else usual)) +
                2 * self.inside * most)
        share = 16 if self.eps <= torch.finfo(torch.float32).eps else 2 * self.cancels * self.least
        if self.wide is not None and share > 0:
            # Where terms cancel, torch in the same dtype shows how much is lost.
            off = (told - self.wide.reshape(-1)).abs()
            off = off[off.isfinite()]
            allowed += share * (off.max() if off.numel() else 0.0)
        return allowed


def expectations(call, policy, autocast, mask=None):
    """By name. Throws what torch throws."""
    told = actual(call, policy, autocast, mask)
    first = next(iter(told.all.values()))
    if getattr(call, "exact", False) or getattr(call, "copies", False):
        return {name: Expected(v, None, torch.zeros(()), 0.0) for name, v in told.all.items()}
    try:
        wide = exact(call, policy, autocast, mask, False, first.dtype)
        samples = [exact(call, policy, autocast, mask, True, first.dtype) for _ in range(SAMPLES)]
    except (RuntimeError, NotImplementedError):
        wide, samples = None, []
    result = {}
    for name, value in told.all.items():
        reference, moved = None, torch.zeros(value.numel(), dtype=torch.float64)
        eps = epsilon(value.dtype)
        if wide is not None and name in wide.all and value.dtype.is_floating_point:
            reference = wide.all[name].to(torch.float64)
            for sample in samples:
                by = (sample.all[name].to(torch.float64) - reference).abs().reshape(-1)
                moved = torch.maximum(moved, torch.where(by.isfinite(), by, 0.0))
        if name.startswith("gradient") and call.tensors:
            drawn = call.tensors[int(name[8:])].dtype
            eps = max(eps, epsilon(cast_dtype(drawn, policy, autocast)))
        of_gradient = name.startswith("gradient")
        rounds = call.low_inside or (of_gradient and call.key in SAVES_RESULT)
        result[name] = Expected(value, reference, moved, eps, eps if rounds else 0.0,
                                call.key in CANCELS, float(of_gradient))
    return result
