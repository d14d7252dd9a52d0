#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Runs PyTorch's modules forward and backward; writes nn.txt beside itself.

    python3 make_nn.py

Parameters, inputs and incoming gradients follow a formula of integers that C++ repeats exactly: see
`number`. So only results are stored.
"""

import blocks
import torch
from torch import nn

INPUT, INCOMING, BUFFER = 50, 60, 70  # salts; parameter number k has salt k


def number(i, salt):
    """Element i of a tensor: a multiple of 1/32 in [-1.5, 1.5], exact in every format."""
    return ((i * 37 + salt * 101) * 53 % 97 - 48) / 32


def tensor(shape, salt):
    count = torch.Size(shape).numel()
    values = [number(i, salt) for i in range(count)]
    return torch.tensor(values, dtype=torch.float64).reshape(shape)


def fill(module):
    for k, parameter in enumerate(module.parameters()):
        parameter.data = tensor(parameter.shape, k)


def block():
    return nn.Sequential(
        nn.Conv2d(2, 3, 3, padding=1, bias=False),
        nn.BatchNorm2d(3),
        nn.ReLU(),
        nn.Sequential(nn.MaxPool2d(2), nn.Flatten()),
        nn.Linear(6, 2),
    )


IMAGE = (2, 2, 4, 4)
CASES = [  # name, module, shape of the input
    ("linear", nn.Linear(4, 3), (2, 3, 4)),
    ("linear_no_bias", nn.Linear(4, 3, bias=False), (5, 4)),
    ("conv2d", nn.Conv2d(2, 3, 3), IMAGE),
    ("conv2d_groups", nn.Conv2d(2, 4, (3, 2), (2, 1), (1, 2), (1, 2), groups=2), IMAGE),
    ("conv2d_no_bias", nn.Conv2d(2, 2, 1, bias=False), (1, 2, 3, 3)),
    ("embedding", nn.Embedding(5, 3), None),
    ("layer_norm", nn.LayerNorm(5), (3, 5)),
    ("layer_norm_two", nn.LayerNorm((3, 4), eps=0.1), (2, 3, 4)),
    ("layer_norm_plain", nn.LayerNorm(5, elementwise_affine=False), (3, 5)),
    ("rms_norm", nn.RMSNorm(5), (3, 5)),
    ("rms_norm_eps", nn.RMSNorm((2, 3), eps=0.1), (2, 2, 3)),
    ("rms_norm_plain", nn.RMSNorm(5, elementwise_affine=False), (3, 5)),
    ("group_norm", nn.GroupNorm(2, 4), (2, 4, 3)),
    ("group_norm_plain", nn.GroupNorm(2, 4, eps=0.1, affine=False), (2, 4, 3)),
    ("batch_norm2d", nn.BatchNorm2d(2), (3, 2, 2, 3)),
    ("batch_norm2d_eval", nn.BatchNorm2d(2, eps=0.1).eval(), (3, 2, 2, 3)),
    ("batch_norm2d_plain", nn.BatchNorm2d(2, affine=False), (3, 2, 2, 3)),
    (
        "batch_norm2d_untracked",
        nn.BatchNorm2d(2, track_running_stats=False).eval(),
        (3, 2, 2, 3),
    ),
    ("relu", nn.ReLU(), (3, 4)),
    ("silu", nn.SiLU(), (3, 4)),
    ("gelu", nn.GELU(), (3, 4)),
    ("gelu_tanh", nn.GELU(approximate="tanh"), (3, 4)),
    ("dropout_eval", nn.Dropout(0.7).eval(), (3, 4)),
    ("dropout_0", nn.Dropout(0), (3, 4)),
    ("flatten", nn.Flatten(), (2, 3, 2)),
    ("flatten_inner", nn.Flatten(0, 1), (2, 3, 2)),
    ("max_pool2d", nn.MaxPool2d(2), IMAGE),
    ("max_pool2d_strided", nn.MaxPool2d((3, 2), stride=(2, 1), padding=1), (1, 2, 5, 4)),
    ("avg_pool2d", nn.AvgPool2d(2), IMAGE),
    ("avg_pool2d_strided", nn.AvgPool2d((3, 2), stride=(2, 1), padding=1), (1, 2, 5, 4)),
    ("sequential", block(), (2, 2, 2, 5)),
]


def flat(tensors):
    return [v for t in tensors for v in t.detach().reshape(-1).tolist()]


def case(name, module, shape):
    module.double()
    fill(module)
    if name == "batch_norm2d_eval":
        module.running_mean.copy_(tensor([2], BUFFER))
        module.running_var.copy_(tensor([2], BUFFER + 1).abs() + 0.5)
    if shape is None:
        shape, x = (2, 3), torch.tensor([[0, 4, 1], [4, 2, 4]])
    else:
        x = tensor(shape, INPUT).requires_grad_()
    y = module(x)
    y.backward(tensor(y.shape, INCOMING))
    state = " ".join(f"{key}{list(t.shape)}" for key, t in module.state_dict().items())
    lines = [
        (f"state {state}", []),
        (f"input [{' '.join(map(str, shape))}]", []),
        blocks.tensor("output", y.detach()),
        ("input_gradient", flat([x.grad]) if x.requires_grad else []),
        ("gradients", flat(p.grad for p in module.parameters())),
    ]
    return name, [line for line in lines if line[0][-1] == "]" or line[1]]


def statistics(momentum):
    """Running mean and variance of two channels after each of four batches, then evaluation."""
    module = nn.BatchNorm2d(2, momentum=momentum).double()
    values = []
    for batch in range(4):
        module(tensor((2 + batch, 2, 2, 3), batch) * (batch + 1) + batch)
        assert module.num_batches_tracked == batch + 1
        values += flat([module.running_mean, module.running_var])
    values += flat([module.eval()(tensor((1, 2, 1, 2), INPUT))])
    return f"statistics {momentum}", [("values", values)]


ABOUT = """\
What PyTorch's modules compute.
Modules: names and shapes of the state_dict(), shape of the input, what forward returns, gradients
of the input and of all parameters in their order. Statistics, of BatchNorm2d(2) by its
momentum: running mean and variance of both channels after each of four batches, then what
evaluation returns.
Parameters, inputs and incoming gradients are made by formulas of the script."""

if __name__ == "__main__":
    torch.set_num_threads(1)
    torch_version = torch.__version__.split("+")[0]
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch_version} on the CPU, float64, 1 thread",
        [*(case(*c) for c in CASES), *(statistics(m) for m in (0.1, 0.75, None))],
    )
