#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Trains a small network with torch.amp, and writes the results for tests/libtorch/training_test.cpp:
python3 make_libtorch.py > libtorch_training.txt (PyTorch 2.3 or newer)."""

import torch

STEPS = 50
PLANTED = {7, 23, 24}  # the steps in which a gradient is made infinite


def waves(rows, columns, a, b):
    """Returns sin(a * row + b * column): numbers that a C++ program can compute as well."""
    row = torch.arange(rows, dtype=torch.float64).reshape(-1, 1)
    column = torch.arange(columns, dtype=torch.float64)
    return torch.sin(a * row + b * column).float()


def train(dtype):
    net = torch.nn.Sequential(
        torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)
    )
    with torch.no_grad():
        net[0].weight.copy_(waves(32, 16, 0.7, 1.9) * 0.25)
        net[0].bias.zero_()
        net[2].weight.copy_(waves(4, 32, 1.1, 0.6) * 0.25)
        net[2].bias.zero_()
    x = waves(64, 16, 0.37, 1.3)
    y = x[:, :4].argmax(1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024, growth_interval=10)
    for step in range(STEPS):
        with torch.autocast("cpu", dtype=dtype):
            loss = torch.nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        if step in PLANTED:
            net[2].weight.grad[1, 2] = torch.inf
        before = scaler.get_scale()
        scaler.step(optimizer)
        scaler.update()
        skipped = int(scaler.get_scale() < before)
        print(str(dtype).removeprefix("torch."), step, f"{loss.item():.9g}", skipped,
              f"{scaler.get_scale():g}")


print("# dtype, step, loss, whether the step was skipped, scale after it; PyTorch",
      torch.__version__.split("+")[0])
torch.set_num_threads(1)
train(torch.float16)
train(torch.bfloat16)
