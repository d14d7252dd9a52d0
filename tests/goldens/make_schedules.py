#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Follows PyTorch's learning-rate schedules beyond those of make_optim.py for 60 steps; writes
schedules.txt beside itself.

    python3 make_schedules.py
"""

import math

import blocks
import torch
from torch.optim import lr_scheduler as lrs

STEPS, RATES = 60, (0.1, 0.02)


def optimizer():
    return torch.optim.SGD([{"params": [torch.zeros(1)], "lr": lr} for lr in RATES])


def sequence(milestones, *makes):
    return lambda opt: lrs.SequentialLR(opt, [make(opt) for make in makes], milestones=milestones)


def chain(*makes):
    return lambda opt: lrs.ChainedScheduler([make(opt) for make in makes], opt)


def cyclic(**options):
    return lambda opt: lrs.CyclicLR(opt, list(RATES), 0.3, cycle_momentum=False, **options)


SCHEDULES = [  # what `schedules` of the test lists under these names
    ("multistep", lambda opt: lrs.MultiStepLR(opt, [30, 7, 30, 50])),
    ("multistep_many", lambda opt: lrs.MultiStepLR(opt, range(3, 33, 3), 0.8)),
    ("exponential", lambda opt: lrs.ExponentialLR(opt, 0.93)),
    ("polynomial", lambda opt: lrs.PolynomialLR(opt)),
    ("polynomial_power", lambda opt: lrs.PolynomialLR(opt, 40, 2.5)),
    ("linear", lambda opt: lrs.LinearLR(opt)),
    ("linear_down", lambda opt: lrs.LinearLR(opt, 1, 0.05, 45)),
    ("constant", lambda opt: lrs.ConstantLR(opt)),
    ("constant_factor", lambda opt: lrs.ConstantLR(opt, 0.7, 33)),
    ("restarts", lambda opt: lrs.CosineAnnealingWarmRestarts(opt, 13, eta_min=0.001)),
    ("restarts_longer", lambda opt: lrs.CosineAnnealingWarmRestarts(opt, 6, 3)),
    ("cyclic", cyclic(step_size_up=7)),
    ("cyclic_halved", cyclic(step_size_up=4, step_size_down=9, mode="triangular2")),
    ("cyclic_decaying", cyclic(step_size_up=8, mode="exp_range", gamma=0.95)),
    (
        "sequence",
        sequence(
            [8, 30],
            lambda opt: lrs.LinearLR(opt, 0.1, total_iters=8),
            lambda opt: lrs.ExponentialLR(opt, 0.95),
            lambda opt: lrs.MultiStepLR(opt, [6, 20], 0.5),
        ),
    ),
    (
        "chained",
        chain(
            lambda opt: lrs.ConstantLR(opt, 0.1, total_iters=12),
            lambda opt: lrs.ExponentialLR(opt, 0.97),
            lambda opt: lrs.MultiStepLR(opt, [20, 40], 0.3),
        ),
    ),
    ("lambda", lambda opt: lrs.LambdaLR(opt, lambda t: 1 / math.sqrt(1 + t))),
    ("lambdas", lambda opt: lrs.LambdaLR(opt, [lambda t: 0.95**t, lambda t: min(1, (t + 1) / 20)])),
]

PLATEAUS = [
    ("plateau", dict()),
    ("plateau_max", dict(mode="max", patience=2, factor=0.5, cooldown=3)),
    ("plateau_abs", dict(patience=1, factor=0.3, threshold=0.2, threshold_mode="abs", min_lr=2e-3)),
    ("plateau_max_abs", dict(mode="max", patience=3, threshold=0.3, threshold_mode="abs", eps=1e-3)),
]


def metric(t):
    """As in the test: falls, is NaN once, and goes up and down."""
    return math.nan if t == 17 else 3 / (1 + t // 6) + (t * 37 % 11) / 8


def rates(step):
    all_rates = []
    opt = optimizer()
    scheduler = step(opt)
    for t in range(STEPS):
        all_rates += [group["lr"] for group in opt.param_groups]
        opt.step()
        scheduler.step(*([metric(t)] if isinstance(scheduler, lrs.ReduceLROnPlateau) else []))
    return [("rates", all_rates)]


ABOUT = f"""\
Learning rates of PyTorch's schedules: those of two groups, of {RATES[0]} and {RATES[1]}, alternating, at each
of {STEPS} steps. The options are in the script."""

if __name__ == "__main__":
    torch_version = torch.__version__.split("+")[0]
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch_version} on the CPU",
        [(name, rates(make)) for name, make in SCHEDULES]
        + [
            (name, rates(lambda opt, o=options: lrs.ReduceLROnPlateau(opt, **o)))
            for name, options in PLATEAUS
        ],
    )
