#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Trains parameters of several shapes with PyTorch's Adafactor for 200 steps; writes adafactor.txt
beside itself.

    python3 make_adafactor.py
"""

import math

import blocks
import torch
from make_optim import tensor

STEPS, RECORDED = 200, (1, 2, 3, 10, 50, 200)
SHAPES = ((3, 5), (4,), (2, 3, 2), (), (1, 3))


def train(options):
    params = [tensor(math.prod(s), k).reshape(s).requires_grad_() for k, s in enumerate(SHAPES)]
    opt = torch.optim.Adafactor(params, **options)
    weights = []
    for step in range(STEPS):
        for k, p in enumerate(params):
            noise = tensor(p.numel(), 10 + len(SHAPES) * step + k)
            p.grad = p.detach() * 0.25 + noise.reshape(p.shape)
        opt.step()
        if step + 1 in RECORDED:
            weights += [v for p in params for v in p.flatten().tolist()]
    return weights


RUNS = [  # what `runs` of the test lists under these names
    ("default", dict()),
    ("decayed", dict(lr=0.3, beta2_decay=-0.5, d=1.5, weight_decay=0.02)),
    ("floors", dict(lr=0.01, eps=(0.5, 2), maximize=True)),
]

ABOUT = f"""\
Weights of parameters of {len(SHAPES)} shapes after {', '.join(map(str, RECORDED))} steps of Adafactor, one
parameter after the other. The options are in the script."""

if __name__ == "__main__":
    torch.set_num_threads(1)
    torch_version = torch.__version__.split("+")[0]
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch_version} on the CPU, float64, 1 thread",
        [(name, [("weights", train(options))]) for name, options in RUNS],
    )
