#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Trains with PyTorch's optimizers beyond those of make_optim.py, for 200 steps; writes
optimizers.txt beside itself.

    python3 make_optimizers.py

Two groups of one parameter each, as in make_optim.py, in float64.
"""

import functools

import blocks
import make_optim
import torch
from torch.optim import NAdam, RAdam, SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, RMSprop

make_optim.STEPS, make_optim.RECORDED = 200, (1, 2, 3, 5, 10, 30, 100, 200)

RUNS = [  # what `runs` of the test lists under these names
    ("sgd", SGD, dict(lr=0.05, momentum=0.9, dampening=0.3), dict(lr=0.02, maximize=True)),
    (
        "sgd_dampened",
        SGD,
        dict(lr=0.1, momentum=0.5, dampening=1, weight_decay=0.1),
        dict(lr=0.001, momentum=0.9, dampening=0.9, maximize=True),
    ),
    (
        "amsgrad",
        Adam,
        dict(lr=0.01, amsgrad=True),
        dict(lr=0.05, betas=(0.5, 0.9), eps=1e-3, weight_decay=0.1, amsgrad=True),
    ),
    (
        "amsgrad_decoupled",
        AdamW,
        dict(lr=0.01, maximize=True),
        dict(lr=0.05, betas=(0.2, 0.9), weight_decay=0.5, amsgrad=True),
    ),
    ("rmsprop", RMSprop, dict(), dict(lr=0.03, alpha=0.9, eps=1e-4, weight_decay=0.1)),
    (
        "rmsprop_momentum",
        RMSprop,
        dict(lr=0.003, momentum=0.9),
        dict(lr=0.003, alpha=0.4, momentum=0.5, centered=True, eps=0.5),
    ),
    ("rmsprop_centered", RMSprop, dict(centered=True), dict(centered=True, maximize=True)),
    ("adagrad", Adagrad, dict(), dict(lr=0.1, lr_decay=0.02, weight_decay=0.1)),
    (
        "adagrad_begun",
        functools.partial(Adagrad, initial_accumulator_value=0.5),  # torch reads no group's
        dict(lr=0.1, eps=0.01),
        dict(maximize=True),
    ),
    ("adadelta", Adadelta, dict(), dict(lr=0.5, rho=0.7, eps=1e-3, weight_decay=0.1)),
    ("adamax", Adamax, dict(), dict(lr=0.05, betas=(0.3, 0.9), eps=1e-3, weight_decay=0.1)),
    ("nadam", NAdam, dict(), dict(lr=0.05, betas=(0.3, 0.9), eps=1e-3, weight_decay=0.1)),
    (
        "nadam_decoupled",
        NAdam,
        dict(lr=0.01, momentum_decay=0.1, weight_decay=0.1, decoupled_weight_decay=True),
        dict(lr=0.01, momentum_decay=0, maximize=True),
    ),
    ("radam", RAdam, dict(lr=0.01), dict(lr=0.02, betas=(0.3, 0.9), eps=1e-3, weight_decay=0.1)),
    (
        "radam_decoupled",
        RAdam,
        dict(lr=0.01, betas=(0.9, 0.5), weight_decay=0.1, decoupled_weight_decay=True),
        dict(lr=0.01, maximize=True),
    ),
]

ABOUT = f"""\
What PyTorch's optimizers do in {make_optim.STEPS} steps. Two groups of one parameter each, of 5 and
3 elements; the options are in the script. Weights are those of both parameters, one after the
other, after {', '.join(map(str, make_optim.RECORDED))} steps."""

if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)  # in which NAdam keeps mu_product
    torch_version = torch.__version__.split("+")[0]
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch_version} on the CPU, float64, 1 thread",
        [make_optim.run(*r) for r in RUNS],
    )
