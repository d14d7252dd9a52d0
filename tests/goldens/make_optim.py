#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Trains with PyTorch's optimizers and schedules, and with Lion and LAMB as defined in their papers,
for 50 steps; writes optim.txt beside itself.

    python3 make_optim.py

Two groups of one parameter each, of 5 and 3 elements, in float64. Initial weights and gradients
follow formulas that C++ repeats: see `number` and `train`. The gradient depends on the weights, so
that an error in one step causes errors in all later ones.
"""

import blocks
import torch
from torch.optim import lr_scheduler as lrs

STEPS, SIZES = 50, (5, 3)
RECORDED = (1, 2, 3, 5, 10, 20, 35, 50)  # numbers of steps done


def number(i, salt):
    """A multiple of 1/32 in [-1.5, 1.5]."""
    return ((i * 37 + salt * 101) * 53 % 97 - 48) / 32


def tensor(count, salt):
    return torch.tensor([number(i, salt) for i in range(count)], dtype=torch.float64)


def train(optimizer, groups, schedule=None):
    """Returns the weights of both groups after each recorded step, and the rates of both at every step."""
    params = [tensor(n, k).requires_grad_() for k, n in enumerate(SIZES)]
    opt = optimizer([{"params": [p], **options} for p, options in zip(params, groups)])
    scheduler = schedule(opt) if schedule else None
    weights, rates = [], []
    for step in range(STEPS):
        for k, p in enumerate(params):
            p.grad = p.detach() * 0.25 + tensor(len(p), 10 + 2 * step + k)
        rates += [group["lr"] for group in opt.param_groups]
        opt.step()
        if scheduler:
            scheduler.step()
        if step + 1 in RECORDED:
            weights += [v for p in params for v in p.tolist()]
    return weights, rates


class Lion(torch.optim.Optimizer):
    """Chen et al. 2023, arXiv 2302.06675, program 1."""

    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
            for w in group["params"]:
                m = self.state[w].get("m", torch.zeros_like(w))
                c = beta1 * m + (1 - beta1) * w.grad
                w -= lr * (c.sign() + decay * w)
                self.state[w]["m"] = beta2 * m + (1 - beta2) * w.grad


class Lamb(torch.optim.Optimizer):
    """You et al. 2020, arXiv 1904.00962, algorithm 2, with phi the identity."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
            for w in group["params"]:
                t, m, v = self.state[w].get("tmv", (0, 0, 0))
                t, m, v = t + 1, beta1 * m + (1 - beta1) * w.grad, beta2 * v + (1 - beta2) * w.grad**2
                self.state[w]["tmv"] = t, m, v
                r = m / (1 - beta1**t) / ((v / (1 - beta2**t)).sqrt() + group["eps"])
                update = r + decay * w
                trust = w.norm() / update.norm() if w.norm() > 0 and update.norm() > 0 else 1
                w -= lr * trust * update


RUNS = [  # what kRuns of the test lists under these names
    (
        "sgd",
        torch.optim.SGD,
        dict(lr=0.1, momentum=0.9, nesterov=True),
        dict(lr=0.05, weight_decay=0.05),
    ),
    (
        "sgd_decay",
        torch.optim.SGD,
        dict(lr=0.02, momentum=0.7, weight_decay=0.1),
        dict(lr=0.1, momentum=0.5, weight_decay=0.01, nesterov=True),
    ),
    (
        "adam",
        torch.optim.Adam,
        dict(lr=0.01),
        dict(lr=0.05, betas=(0.5, 0.9), eps=1e-3, weight_decay=0.1),
    ),
    (
        "adamw",
        torch.optim.AdamW,
        dict(lr=0.01),
        dict(lr=0.05, betas=(0.0, 0.99), eps=1e-3, weight_decay=0.5),
    ),
    (
        "lion",
        Lion,
        dict(lr=0.01),
        dict(lr=0.03, betas=(0.5, 0.9), weight_decay=0.3),
    ),
    (
        "lamb",
        Lamb,
        dict(lr=0.02),
        dict(lr=0.05, betas=(0.5, 0.9), eps=1e-3, weight_decay=0.0),
    ),
]


def warmup(start, count, then):
    return lambda opt: lrs.SequentialLR(
        opt, [lrs.LinearLR(opt, start, total_iters=count), then(opt)], milestones=[count]
    )


def one_cycle(**options):
    return lambda opt: lrs.OneCycleLR(
        opt,
        max_lr=[g["lr"] for g in opt.param_groups],
        total_steps=STEPS,
        cycle_momentum=False,
        **options,
    )


SCHEDULES = [
    ("step", lambda opt: lrs.StepLR(opt, 7, 0.5)),
    ("step_default", lambda opt: lrs.StepLR(opt, 20)),
    ("cosine", lambda opt: lrs.CosineAnnealingLR(opt, STEPS)),
    ("cosine_final", lambda opt: lrs.CosineAnnealingLR(opt, STEPS, eta_min=0.001)),
    ("warmup", lambda opt: lrs.LinearLR(opt, 0.1, total_iters=20)),
    ("warmup_default", lambda opt: lrs.LinearLR(opt, total_iters=5)),
    ("one_cycle", one_cycle()),
    (
        "one_cycle_other",
        one_cycle(pct_start=0.45, div_factor=10, final_div_factor=50),
    ),
    ("warmup_cosine", warmup(0.1, 8, lambda opt: lrs.CosineAnnealingLR(opt, 42, eta_min=1e-4))),
    ("warmup_step", warmup(1 / 3, 5, lambda opt: lrs.StepLR(opt, 10, 0.3))),
]
SCHEDULED = [
    ("sgd", torch.optim.SGD, dict(lr=0.1, momentum=0.9), dict(lr=0.02)),
    ("adamw", torch.optim.AdamW, dict(lr=0.1), dict(lr=0.02, weight_decay=0.5)),
]


def run(name, optimizer, *groups):
    return name, [("weights", train(optimizer, groups)[0])]


def schedule(name, make):
    """Rates of both groups at each step, alternating, and weights after the last step."""
    results = {kind: train(opt, groups, make) for kind, opt, *groups in SCHEDULED}
    rates = results["sgd"][1]
    assert rates == results["adamw"][1]
    last = [(kind, weights[-sum(SIZES) :]) for kind, (weights, _) in results.items()]
    return f"schedule {name}", [("rates", rates), *last]


ABOUT = f"""\
What PyTorch's optimizers and schedules do in {STEPS} steps, and Lion and LAMB as their papers have
them. Two groups of one parameter each, of 5 and 3 elements; the options are in the script. Weights
are those of both parameters, one after the other, after {', '.join(map(str, RECORDED))} steps. Of
a schedule: the rates of both groups at each step, alternating, and the last weights."""

if __name__ == "__main__":
    torch.set_num_threads(1)
    torch_version = torch.__version__.split("+")[0]
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch_version} on the CPU, float64, 1 thread",
        [*(run(*r) for r in RUNS), *(schedule(*s) for s in SCHEDULES)],
    )
