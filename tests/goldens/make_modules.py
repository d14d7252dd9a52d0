#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Prints modules with PyTorch; writes modules.txt beside itself.

    python3 make_modules.py
"""

import blocks
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.rest = nn.Sequential(nn.Dropout(0.25), nn.Sequential(nn.ReLU(), nn.SiLU()))


class Scaled(nn.Module):
    """A module with an extra representation and a child."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 1)

    def extra_repr(self):
        return "factor=0.5"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.scaled = Scaled()
        self.plain = nn.Module()


cases = [
    ("linear", nn.Linear(4, 32)),
    ("linear without bias", nn.Linear(4, 3, bias=False)),
    ("conv2d", nn.Conv2d(3, 8, 3)),
    ("conv2d with all options", nn.Conv2d(4, 8, (3, 5), stride=(2, 1), padding=1, dilation=2, groups=2, bias=False)),
    ("embedding", nn.Embedding(5, 4)),
    ("layer_norm", nn.LayerNorm((4, 5))),
    ("layer_norm of one dimension", nn.LayerNorm(4, eps=1e-6, elementwise_affine=False)),
    ("rms_norm", nn.RMSNorm(4)),
    ("rms_norm with eps", nn.RMSNorm((2, 3), eps=0.001, elementwise_affine=False)),
    ("group_norm", nn.GroupNorm(2, 4)),
    ("group_norm without weights", nn.GroupNorm(2, 4, eps=0.0001, affine=False)),
    ("batch_norm", nn.BatchNorm2d(4)),
    ("batch_norm with all options", nn.BatchNorm2d(4, eps=1.5, momentum=None, affine=False, track_running_stats=False)),
    ("relu", nn.ReLU()),
    ("silu", nn.SiLU()),
    ("gelu", nn.GELU()),
    ("gelu by tanh", nn.GELU(approximate="tanh")),
    ("dropout", nn.Dropout()),
    ("dropout of all", nn.Dropout(1.0)),
    ("flatten", nn.Flatten()),
    ("flatten of some", nn.Flatten(0, 2)),
    ("max_pool2d", nn.MaxPool2d(2)),
    ("max_pool2d with all options", nn.MaxPool2d((2, 3), stride=(1, 2), padding=1)),
    ("avg_pool2d", nn.AvgPool2d(2)),
    ("avg_pool2d with all options", nn.AvgPool2d((2, 3), stride=1, padding=(1, 0))),
    ("sequential", nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))),
    ("sequential of nothing", nn.Sequential()),
    ("net", Net()),
]

blocks.write(
    __file__,
    "Modules as print shows them.",
    f"PyTorch {torch.__version__.split('+')[0]}",
    [(name, blocks.texts("text", str(module))) for name, module in cases],
)
