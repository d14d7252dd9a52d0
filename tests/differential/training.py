# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Random traces of GradScaler, optimizers and clipping, and the same in torch.

As ops.py: `run` returns names and tensors, from parameters and gradients in any dtype.
"""

import torch

from draw import FLOATS, LOW, sizes, tensor
from ops import Call

GENERATORS = {}


def draws(*names):
    def add(function):
        for name in names:
            GENERATORS[name] = (lambda name: lambda rng: function(name, rng))(name)
        return function
    return add


@draws("GradScaler")
def scaler(name, rng):
    scale, interval = 2.0 ** rng.randint(0, 20), rng.randint(1, 4)
    growth = rng.choice([2.0, 2.0, 1.5, 3.0, 1.001])
    backoff = rng.choice([0.5, 0.5, 0.25, 0.7])
    bad = rng.choice([0.05, 0.3, 0.7])
    steps = [2.0 ** rng.randint(-3, 18) * rng.choice([1.0, 1.5]) if rng.random() < 0.05
             else int(rng.random() < bad) for _ in range(rng.randint(1, 40))]

    def run():
        p = torch.ones(1, requires_grad=True)
        sgd = torch.optim.SGD([p], lr=0.0)
        live = torch.amp.GradScaler("cpu", init_scale=scale, growth_factor=growth,
                                    backoff_factor=backoff, growth_interval=interval)
        scales = []
        for step in steps:
            live.scale(torch.ones(()))
            if isinstance(step, float):
                live.update(step)
            else:
                p.grad = torch.full((1,), float("inf") if step else 1.0)
                live.step(sgd)
                live.update()
            scales.append(live.get_scale())
        return {"scales": torch.tensor(scales, dtype=torch.float64)}
    call = Call(name, [], [scale, growth, backoff, interval] + steps, run, smooth=False)
    call.exact = True
    return call


STATES = {"momentum": "momentum_buffer", "exp_avg": "exp_avg", "exp_avg_sq": "exp_avg_sq"}


def optimizer_call(rng, name, dtype, numbers, make):
    count, steps = rng.randint(1, 3), rng.randint(1, 5)
    shapes = [sizes(rng, most=2) for _ in range(count)]
    kind = rng.choice(["normal", "normal", "ties", "wide"])
    params = [tensor(rng, s, dtype, "normal", requires_grad=True) for s in shapes]
    for p in params:  # a parameter is dense
        p.strides, p.offset = list(torch.empty(p.sizes).stride()), 0
        p.storage = torch.randn(p.sizes, generator=torch.Generator().manual_seed(
            rng.randrange(2**31))).to(dtype).reshape(-1)
    gradients = [tensor(rng, s, dtype, kind, requires_grad=False)
                 for _ in range(steps) for s in shapes]
    for g in gradients:
        g.storage, g.strides, g.offset = g.view().clone().reshape(-1), \
            list(torch.empty(g.sizes).stride()), 0

    def run(*tensors):
        leaves = [t.detach().clone().requires_grad_() for t in tensors[:count]]
        optimizer = make(leaves)
        for i in range(count, len(tensors), count):
            for leaf, gradient in zip(leaves, tensors[i:i + count]):
                leaf.grad = gradient.detach().clone()
            optimizer.step()
        results = {}
        for i, leaf in enumerate(leaves):
            results[f"parameter{i}"] = leaf.detach()
            for ours, theirs in STATES.items():
                value = optimizer.state[leaf].get(theirs)
                if value is not None:
                    results[f"{i}.{ours}"] = value
        return results
    call = Call(name, params + gradients, [count] + numbers, run, low_inside=True)
    call.steps = steps
    return call


@draws("SGD")
def sgd(name, rng):
    lr, momentum = rng.choice([0.1, 1e-3, 1.0]), rng.choice([0.0, 0.9, 0.5])
    decay, nesterov = rng.choice([0.0, 1e-2, 0.3]), momentum > 0 and rng.random() < 0.5
    return optimizer_call(rng, name, rng.choice(FLOATS), [lr, momentum, decay, nesterov],
                          lambda leaves: torch.optim.SGD(
                              leaves, lr=lr, momentum=momentum, weight_decay=decay,
                              nesterov=nesterov, foreach=False))


@draws("Adam", "AdamW")
def adam(name, rng):
    lr, betas = rng.choice([0.1, 1e-3]), (rng.choice([0.9, 0.5, 0.0]), rng.choice([0.999, 0.9]))
    eps, decay = rng.choice([1e-8, 1e-3]), rng.choice([0.0, 1e-2, 0.3])
    # 16-bit moments are another recipe here (rounded once, or stochastically): not comparable.
    return optimizer_call(rng, name, rng.choice(FLOATS[:2]), [lr, *betas, eps, decay],
                          lambda leaves: getattr(torch.optim, name)(
                              leaves, lr=lr, betas=betas, eps=eps, weight_decay=decay,
                              foreach=False))


@draws("clip_grad_norm_")
def clip(name, rng):
    dtype, most = rng.choice(FLOATS), rng.choice([0.5, 1.0, 10.0, 1e-3])
    gradients = [tensor(rng, sizes(rng, most=2), dtype, requires_grad=False)
                 for _ in range(rng.randint(1, 4))]

    def run(*gradients):
        leaves = [torch.zeros(g.shape, dtype=g.dtype, requires_grad=True) for g in gradients]
        for leaf, gradient in zip(leaves, gradients):
            leaf.grad = gradient.detach().clone()
        norm = torch.nn.utils.clip_grad_norm_(leaves, most, foreach=False)
        wide = torch.promote_types(norm.dtype, torch.float32)  # which amp's is
        results = {"norm": norm.to(wide)}
        return results | {f"gradient{i}": leaf.grad for i, leaf in enumerate(leaves)}
    return Call(name, gradients, [most], run, low_inside=dtype in LOW)
