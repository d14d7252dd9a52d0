#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Trains four matrices with PyTorch's Muon for 20 steps, with its iterations in bfloat16 and, by the
formula below, in float64; writes muon.txt beside itself.

    python3 make_muon.py
"""

import blocks
import torch
import torch.optim._muon as muon
from make_optim import tensor

STEPS, SHAPES, RECORDED = 20, ((3, 5), (5, 3), (3, 5), (4, 4)), (1, 20)


def exact(grad, coefficients, steps, eps):
    """The iterations in float64."""
    a, b, c = coefficients
    x = grad.double()
    tall = x.size(0) > x.size(1)
    x = x.T if tall else x
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if tall else x


def train(options):
    params = [tensor(r * c, k).reshape(r, c).requires_grad_() for k, (r, c) in enumerate(SHAPES)]
    opt = torch.optim.Muon(params, **options)
    weights = []
    for step in range(STEPS):
        for k, p in enumerate(params):
            p.grad = p.detach() * 0.25 + tensor(p.numel(), 10 + 4 * step + k).reshape(p.shape)
        opt.step()
        if step + 1 in RECORDED:
            weights += [v for p in params for v in p.flatten().tolist()]
    return weights


RUNS = [  # what `runs` of the test lists under these names
    ("default", dict(lr=0.02)),
    (
        "rms",
        dict(
            lr=0.05,
            weight_decay=0,
            momentum=0.5,
            nesterov=False,
            adjust_lr_fn="match_rms_adamw",
            ns_steps=3,
        ),
    ),
    ("spectral", dict(lr=0.01, adjust_lr_fn="spectral_unclamped", ns_coefficients=(2, -1.5, 0.5))),
]

ABOUT = f"""\
Weights of four matrices after {' and '.join(map(str, RECORDED))} steps of Muon, one matrix after the other: with
iterations in bfloat16, as PyTorch has them, and in float64. The options are in the script."""

if __name__ == "__main__":
    torch.set_num_threads(1)
    in_bfloat16 = {name: train(options) for name, options in RUNS}
    muon._zeropower_via_newtonschulz = exact
    torch_version = torch.__version__.split("+")[0]
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch_version} on the CPU, float64, 1 thread",
        [
            (name, [("bfloat16", in_bfloat16[name]), ("exact", train(options))])
            for name, options in RUNS
        ],
    )
