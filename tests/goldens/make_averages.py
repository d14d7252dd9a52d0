#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Averages weights and buffers with PyTorch's AveragedModel for 50 updates; writes averages.txt beside
itself.

    python3 make_averages.py
"""

import blocks
import torch
from make_optim import tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

STEPS, RECORDED = 50, (1, 2, 3, 10, 50)


class Model(torch.nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(5, dtype=dtype))
        self.register_buffer("mean", torch.zeros(3, dtype=dtype))


def run(name, average, dtype):
    model = Model(dtype)
    averaged = AveragedModel(model, use_buffers=True, multi_avg_fn=average)
    values = []
    for step in range(STEPS):
        with torch.no_grad():
            model.weight.copy_(tensor(5, 3 * step))
            model.mean.copy_(tensor(3, 3 * step + 1))
        averaged.update_parameters(model)
        if step + 1 in RECORDED:
            values += averaged.module.weight.tolist() + averaged.module.mean.tolist()
    return name, [("names " + " ".join(averaged.state_dict()), []), ("averages", values)]


ABOUT = f"""\
Averages of PyTorch's AveragedModel over a parameter and a buffer of 5 and 3 numbers, one after the
other, after {', '.join(map(str, RECORDED))} updates."""

if __name__ == "__main__":
    torch_version = torch.__version__.split("+")[0]
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch_version} on the CPU",
        [
            run(f"{name} {kind}", average, dtype)
            for name, average in [
                ("ema", get_ema_multi_avg_fn()),
                ("ema_short", get_ema_multi_avg_fn(0.4)),
                ("swa", None),
            ]
            for kind, dtype in [("float32", torch.float32), ("float64", torch.float64)]
        ],
    )
