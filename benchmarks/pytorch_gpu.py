#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Measures in PyTorch what gpu_benchmark measures: the same sizes, timed in the same way, under the same
names. Usage: pytorch_gpu.py [--quick] [--smoke] [--json FILE]. The exit status is 77 without a GPU; --smoke
uses toy sizes, and runs without a GPU as well. FILE is rewritten after each group."""
import argparse
import json
import os
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

arguments = argparse.ArgumentParser()
arguments.add_argument("--quick", action="store_true")
arguments.add_argument("--smoke", action="store_true")
arguments.add_argument("--json", default="")
options = arguments.parse_args()
smoke = options.smoke
if not torch.cuda.is_available() and not smoke:
    print("skipped: PyTorch sees no GPU")
    sys.exit(77)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
repeats = 7 if options.quick else 30
names = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16"}
# As in amp, float32 matmuls do not use TF32.
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
figures = {}


def size(full, toy):
    return toy if smoke else full


def region(work, calls):
    """Returns the milliseconds of one call."""
    if device.type == "cpu":
        began = time.perf_counter()
        for _ in range(calls):
            work()
        return (time.perf_counter() - began) * 1e3 / calls
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(calls):
        work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / calls


def measure(name, work, moved=0, operations=0):
    try:
        if smoke:
            times, calls, wall = [region(work, 1)], 1, 0
        else:
            region(work, 3)
            calls = int(min(max(5 / region(work, 3), 1), 1000))
            region(work, 5 * calls)
            began = time.perf_counter()
            times = sorted(region(work, calls) for _ in range(repeats))
            wall = (time.perf_counter() - began) * 1e3 / (repeats * calls)
    except Exception as error:  # what this version cannot do is said, and the rest goes on
        print(f"{name}: {type(error).__name__}: {error}"[:200], file=sys.stderr)
        return
    median = times[len(times) // 2]
    figure = {"ms": median, "min_ms": times[0], "max_ms": times[-1], "wall_ms": wall,
              "calls": calls * len(times)}
    if moved:
        figure["GB/s"] = moved / median / 1e6
        figure["of_copy"] = figure["GB/s"] / figures.get("copy", figure)["GB/s"]
    if operations:
        figure["TFLOP/s"] = operations / median / 1e9
    figures[name] = figure
    print(f"{name:45} {median:10.4f} ms ({times[0]:.4f} to {times[-1]:.4f})", flush=True)


def memory():
    count = size(1 << 28, 1000)
    x = torch.randn(count, device=device)
    y = torch.zeros_like(x)
    measure("copy", lambda: y.copy_(x), 8 * count)
    figures["copy_op_fp32"] = figures["copy"]
    for low in (torch.float16, torch.bfloat16):
        measure(f"cast_fp32_to_{names[low]}", lambda: x.to(low), 6 * count)
    del x, y
    rows, columns = size(65536, 5), size(4096, 70)
    targets = torch.randint(0, columns, (rows,), device=device)
    for dtype, name in names.items():
        x, y = (torch.randn(rows, columns, device=device).to(dtype) for _ in range(2))
        w, b = (torch.randn(columns, device=device).to(dtype) for _ in range(2))
        moved = x.numel() * x.element_size()
        measure(f"add_{name}", lambda: x + y, 3 * moved)
        measure(f"gelu_{name}", lambda: F.gelu(x), 2 * moved)
        measure(f"softmax_{name}", lambda: F.softmax(x, -1), 2 * moved)
        measure(f"layer_norm_{name}", lambda: F.layer_norm(x, (columns,), w, b), 2 * moved)
        measure(f"cross_entropy_{name}", lambda: F.cross_entropy(x, targets), moved)


def resnet50():
    shapes = []

    def convolution(source, target, kernel):
        shapes.extend([(target, source, kernel, kernel), (target,), (target,)])

    convolution(3, 64, 7)
    channels, width = 64, 64
    for blocks in (3, 4, 6, 3):
        for block in range(blocks):
            convolution(channels, width, 1)
            convolution(width, width, 3)
            convolution(width, 4 * width, 1)
            if block == 0:
                convolution(channels, 4 * width, 1)
            channels = 4 * width
        width *= 2
    return shapes + [(1000, channels), (1000,)]


def train(name, op, leaves, moved=0, operations=0):
    """Forward and backward, with the gradients of all leaves."""
    leaves = [leaf.detach().requires_grad_() for leaf in leaves]
    gradient = torch.randn_like(op(*leaves))

    def step():
        for leaf in leaves:
            leaf.grad = None
        op(*leaves).backward(gradient)

    measure(name, step, moved, operations)


def half(*shape):
    return torch.randn(*shape, device=device).half()


def layers():
    x = half(size(64, 2), size(1024, 6), size(16, 3), size(64, 8))
    measure("permute_0213_fp16", lambda: x.permute(0, 2, 1, 3).contiguous(), 4 * x.numel())
    batch, heads, length, width = size(16, 2), size(12, 2), size(1024, 6), size(64, 8)
    qkv = [half(batch, heads, length, width) for _ in range(3)]
    scores = batch * heads * length**2 // 2
    attention = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)
    train("sdpa_train_fp16", attention, qkv, operations=12 * scores * width)
    with torch.no_grad():
        measure("sdpa_fp16", lambda: attention(*qkv), operations=4 * scores * width)
    rows, width, hidden = size(16384, 16), size(1024, 16), size(4096, 24)
    train("feed_forward_train_fp16",
          lambda x, w1, b1, w2, b2: F.linear(F.gelu(F.linear(x, w1, b1), approximate="tanh"), w2, b2),
          [half(rows, width), half(hidden, width), half(hidden), half(width, hidden), half(width)],
          operations=12 * rows * width * hidden)
    rows, width = size(65536, 5), size(1024, 24)
    train("layer_norm_train_fp16", lambda x, w, b: F.layer_norm(x, (width,), w, b),
          [half(rows, width), half(width), half(width)], 10 * rows * width)
    rows = size(8192, 5)
    for classes in (50257, 50304):
        toy = size(classes, classes % 100)
        targets = torch.randint(0, toy, (rows,), device=device)
        train(f"cross_entropy_train_{classes}_fp16", lambda x: F.cross_entropy(x, targets),
              [half(rows, toy)], 6 * rows * toy)
    count, words, width = size(65536, 40), size(50000, 7), size(768, 9)
    tokens = torch.randint(0, words, (count,), device=device)
    train("embedding_train_fp32", lambda w: F.embedding(tokens, w),
          [torch.randn(words, width, device=device)], 4 * (4 * count * width + words * width))
    x = half(size(64, 2), size(64, 3), size(112, 9), size(112, 9))
    train("max_pool_train_fp16", lambda x: F.max_pool2d(x, 3, 2, 1), [x], 5 * x.numel())


class Block(nn.Module):
    """The second block of the first stage of ResNet-50."""

    def __init__(self, wide, narrow):
        super().__init__()
        self.branch = nn.Sequential(
            nn.Conv2d(wide, narrow, 1, bias=False), nn.BatchNorm2d(narrow), nn.ReLU(),
            nn.Conv2d(narrow, narrow, 3, padding=1, bias=False), nn.BatchNorm2d(narrow), nn.ReLU(),
            nn.Conv2d(narrow, wide, 1, bias=False), nn.BatchNorm2d(wide))

    def forward(self, x):
        return F.relu(self.branch(x) + x)


def block():
    images, wide, side = size(64, 3), size(256, 16), size(56, 6)
    operations = 6 * (wide * wide // 2 + 9 * (wide // 4) ** 2) * images * side * side
    for name, order in (("", torch.contiguous_format), ("_channels_last", torch.channels_last)):
        model = Block(wide, wide // 4).to(device, memory_format=order)
        x = torch.randn(images, wide, side, side, device=device).to(memory_format=order)

        def step(x):
            model.zero_grad()
            with torch.autocast(device.type, dtype=torch.float16):
                return model(x)

        train("resnet50_block_train_amp-fp16" + name, step, [x], operations=operations)


def optimizers(name, shapes, dtype=torch.float32):
    parameters = [nn.Parameter((torch.randn(s, device=device) * 0.01).to(dtype)) for s in shapes]
    for p in parameters:
        p.grad = torch.randn_like(p)
    gradients = [p.grad for p in parameters]
    numbers = sum(p.numel() for p in parameters)
    found, inverse = torch.zeros((), device=device), torch.full((), 0.99999, device=device)
    check = torch._amp_foreach_non_finite_check_and_unscale_
    bytes_of = numbers * parameters[0].element_size()
    measure(f"unscale_{name}", lambda: check(gradients, found, inverse), 2 * bytes_of)
    measure(f"clip_{name}", lambda: nn.utils.clip_grad_norm_(parameters, 1e-3, foreach=True),
            3 * bytes_of)
    if dtype != torch.float32:
        return
    for p in parameters:
        p.grad = torch.randn_like(p)
    adam = torch.optim.Adam(parameters, lr=1e-3, fused=True)
    measure(f"adam_{name}", adam.step, 28 * numbers)
    adam = torch.optim.Adam(parameters, lr=1e-9, fused=True)
    scaler = torch.amp.GradScaler(device.type, init_scale=2.0, growth_interval=1 << 30)
    scaler.scale(torch.zeros((), device=device))

    def step():
        scaler.unscale_(adam)
        nn.utils.clip_grad_norm_(parameters, 1e9, foreach=True)
        scaler.step(adam)
        scaler.update()

    measure(f"clipped_step_{name}", step, 32 * numbers)


def matmul():
    n, rows, inner = size(8192, 24), size(16384, 20), size(4096, 24)
    for dtype, name in ((torch.float16, "fp16"), (torch.bfloat16, "bf16"), (torch.float32, "fp32")):
        a, b = (torch.randn(n, n, device=device).to(dtype) for _ in range(2))
        low = dtype != torch.float32
        with torch.autocast(device.type, dtype=dtype if low else None, enabled=low):
            measure(f"matmul_{name}", lambda: a @ b, operations=2 * n**3)
            if low:
                weight = torch.randn(n, n, device=device, requires_grad=True)
                measure(f"matmul_weight_{name}", lambda: a @ weight, operations=2 * n**3)
        if low:
            x = torch.randn(rows, inner, device=device).to(dtype)
            layer = nn.Linear(inner, inner, device=device)
            with torch.no_grad(), torch.autocast(device.type, dtype=dtype):
                measure(f"linear_{name}", lambda: layer(x), operations=2 * rows * inner**2)
    for bias in (False, True):
        layer = nn.Linear(inner, inner, bias=bias, device=device)

        def linear(x):
            layer.zero_grad()
            with torch.autocast(device.type, dtype=torch.float16):
                return layer(x)

        name = "linear_train" + ("_bias" if bias else "") + "_amp-fp16"
        train(name, linear, [half(rows, inner)], operations=6 * rows * inner**2)


def cnn():
    torch.manual_seed(1)
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(4096, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)


def replay():
    """A training step of bfloat16, recorded and replayed."""
    batch, model = size(256, 4), cnn()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True,
                                 capturable=device.type == "cuda")
    x = torch.randn(batch, 3, 32, 32, device=device)
    y = torch.randint(0, 10, (batch,), device=device)

    def step():
        optimizer.zero_grad()
        with torch.autocast(device.type, dtype=torch.bfloat16, cache_enabled=False):
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()

    if device.type == "cuda":
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        measure("train_step_graph_amp-bf16", graph.replay)
    else:
        measure("train_step_graph_amp-bf16", step)


def train_step(name, low, scaling):
    batch, model = size(256, 4), cnn()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    scaler = torch.amp.GradScaler(device.type, enabled=scaling)
    x = torch.randn(batch, 3, 32, 32, device=device)
    y = torch.randint(0, 10, (batch,), device=device)

    def step():
        optimizer.zero_grad()
        with torch.autocast(device.type, dtype=low, enabled=low is not None):
            loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    measure(f"train_step_{name}", step)


def write():
    """Writes all figures so far, atomically, since a time limit may end this program."""
    if not options.json:
        return
    lines = ",\n".join(f'"{name}": {json.dumps(figure)}' for name, figure in figures.items())
    with open(options.json + ".new", "w", encoding="utf-8") as file:
        file.write("{\n" + lines + "\n}\n")
    os.replace(options.json + ".new", options.json)


def run(group, *values):
    try:
        group(*values)
    except Exception as error:  # the other groups still run
        print(f"{group.__name__}: {type(error).__name__}: {error}"[:200], file=sys.stderr)
    write()
    if device.type == "cuda":
        torch.cuda.empty_cache()


run(memory)
run(optimizers, "resnet50", [(3, 5), (7,)] if smoke else resnet50())
run(optimizers, "100m", [(size(100_000_000, 5000),)])
run(optimizers, "100m_fp16", [(size(100_000_000, 5000),)], torch.float16)
run(matmul)
run(layers)
run(block)
run(train_step, "fp32", None, False)
run(train_step, "amp-fp16", torch.float16, True)
run(train_step, "amp-bf16", torch.bfloat16, False)
run(replay)
