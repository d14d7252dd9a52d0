#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""The workloads of cpu/*.cpp in PyTorch, with the same names, numbers and line protocol (cpu/worker.hpp).
Variants: `channels_last` of cnn-N; `default`, which is not fused, of adam-resnet50 and
libtorch_step-resnet50. To measure 20 samples by hand:

    OMP_NUM_THREADS=2 pytorch_worker.py cnn-256 bf16 20 [channels_last]
"""
import dataclasses
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count())))


@dataclasses.dataclass
class Workload:
    """A call that is timed; it does the work `count` times. amp must give the same `results`."""
    call: Callable
    results: list = dataclasses.field(default_factory=list)
    count: int = 1


DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


# --- the numbers that all implementations start from ---------------------------------------------

def mixed(x):
    """Returns pseudo-random numbers of 32 bits."""
    for shift in (16, 15):
        x = ((x ^ (x >> shift)) * 0x1E3779B1) & 0xFFFFFFFF
    return x ^ (x >> 16)


def bits(shape, seed):
    count = torch.arange(math.prod(shape), dtype=torch.int64)
    return (mixed((count + mixed(seed)) & 0xFFFFFFFF) >> 8).reshape(shape)


def numbers(shape, seed, bound=1.0):
    """Returns numbers in [-bound, bound)."""
    return (bits(shape, seed).float() * 2.0**-23 - 1) * torch.tensor(bound, dtype=torch.float32)


def classes(shape, seed, limit):
    return bits(shape, seed) % limit


def initialise(module):
    with torch.no_grad():
        for seed, (name, parameter) in enumerate(module.named_parameters(), 1):
            is_matrix = parameter.dim() > 1
            bound = 1 / math.sqrt(parameter[0].numel()) if is_matrix else 0.02
            values = numbers(parameter.shape, seed, bound)
            parameter.copy_(values if is_matrix or not name.endswith("weight") else values + 1)


# --- training steps -------------------------------------------------------------------------------

class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 64, 3, padding=1)
        self.linear1 = nn.Linear(4096, 256)
        self.linear2 = nn.Linear(256, 10)

    def forward(self, images):
        x = F.max_pool2d(F.relu(self.conv1(images)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.linear2(F.relu(self.linear1(x.flatten(1))))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(784, 256)
        self.last = nn.Linear(256, 10)

    def forward(self, x):
        return self.last(F.relu(self.first(x)))


TOKENS, VOCABULARY, WIDTH, HEADS = 256, 65, 384, 6


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.projection = nn.Linear(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)

    def attend(self, x):
        q, k, v = (part.reshape(x.size(0), x.size(1), HEADS, WIDTH // HEADS).transpose(1, 2)
                   for part in self.qkv(x).split(WIDTH, -1))
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.projection(attended.transpose(1, 2).reshape(x.shape))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.narrow(F.gelu(self.wide(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, WIDTH)
        self.position = nn.Embedding(TOKENS, WIDTH)
        self.block1 = Block()
        self.block2 = Block()
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY)
        self.positions = torch.arange(TOKENS)

    def forward(self, tokens):
        x = self.token(tokens) + self.position(self.positions)
        return self.head(self.norm(self.block2(self.block1(x)))).flatten(0, 1)


def autocast(precision):
    return torch.autocast("cpu", dtype=DTYPES[precision], enabled=precision != "fp32")


def training(network, optimizer, inputs, targets, precision, variant):
    initialise(network)
    if variant == "channels_last":
        network = network.to(memory_format=torch.channels_last)
        inputs = inputs.contiguous(memory_format=torch.channels_last)
    optimizer = optimizer(network.parameters(), lr=1e-3, fused=True)
    scaler = torch.amp.GradScaler("cpu", enabled=precision == "fp16")

    def step():
        optimizer.zero_grad()
        with autocast(precision):
            loss = F.cross_entropy(network(inputs), targets)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss.detach()

    return Workload(step, [step().item() for _ in range(4)])


def cnn(batch, precision, variant):
    return training(Cnn(), torch.optim.Adam, numbers((batch, 3, 32, 32), 1001),
                    classes((batch,), 1002, 10), precision, variant)


def mlp(batch, precision, variant):
    return training(Mlp(), torch.optim.Adam, numbers((batch, 784), 1001), classes((batch,), 1002, 10),
                    precision, variant)


def gpt(batch, precision, variant):
    return training(Gpt(), torch.optim.AdamW, classes((batch, TOKENS), 1001, VOCABULARY),
                    classes((batch * TOKENS,), 1002, VOCABULARY), precision, variant)


# --- single operations, described in cpu/operations.cpp -------------------------------------------

def some(tensor):
    indices = mixed(torch.arange(64)) % tensor.numel()
    return tensor.detach().flatten()[indices].double().tolist()


def matmul(n, precision, _):
    a, b = (numbers((n, n), seed).to(DTYPES[precision]) for seed in (1, 2))
    return Workload(lambda: a @ b, some(a @ b))


def matmul_weight(n, precision, _):
    x, weight = numbers((n, n), 1), numbers((n, n), 2).requires_grad_()

    def call(count=100):
        with autocast(precision):
            for _ in range(count):
                result = x @ weight
        return result

    return Workload(call, some(call(1)), 100)


def chain(nodes, _, __):
    x = torch.full((1,), 0.5, requires_grad=True)

    def call():
        y = x
        for _ in range(nodes):
            y = F.relu(y)
        y.backward()

    call()
    return Workload(call, [x.grad.item()], nodes)


def conversion(source, target):
    def call():
        target.copy_(source)

    call()
    return Workload(call, some(target))


def narrow(count, precision, _):
    return conversion(numbers((count,), 1), torch.empty(count, dtype=DTYPES[precision]))


def widen(count, precision, _):
    return conversion(numbers((count,), 1).to(DTYPES[precision]), torch.empty(count))


def resnet50():
    """Returns the sizes of the 161 parameters of ResNet-50."""
    sizes = []

    def conv(inputs, outputs, kernel):
        sizes.extend([outputs * inputs * kernel * kernel, outputs, outputs])

    conv(3, 64, 7)
    inputs, width = 64, 64
    for blocks in (3, 4, 6, 3):
        for block in range(blocks):
            conv(inputs, width, 1)
            conv(width, width, 3)
            conv(width, 4 * width, 1)
            if block == 0:
                conv(inputs, 4 * width, 1)
            inputs = 4 * width
        width *= 2
    return sizes + [inputs * 1000, 1000]


def unscale(_, precision, __):
    """The function that GradScaler.unscale_ calls; unscale_ itself rejects float16 gradients."""
    gradients = [torch.ones(n, dtype=DTYPES[precision]) for n in resnet50()]
    found, inverse = torch.zeros(()), torch.ones(())
    return Workload(
        lambda: torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, inverse))


def adam(_, __, variant):
    """The usual loop: a scaler, clipping, Adam, and weights cast by the next forward pass."""
    parameters = [torch.randn(n).requires_grad_() for n in resnet50()]
    for p in parameters:
        p.grad = torch.randn_like(p)
    copies = [torch.empty_like(p, dtype=torch.bfloat16) for p in parameters]
    optimizer = torch.optim.Adam(parameters, lr=1e-4, fused=variant != "default")
    scaler = torch.amp.GradScaler("cpu", init_scale=1.0, growth_interval=10**9)
    scaler.scale(torch.ones(()))

    def step():
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        scaler.step(optimizer)
        scaler.update()
        with torch.no_grad():
            torch._foreach_copy_(copies, parameters)

    return Workload(step)


def libtorch_step(_, __, variant):
    """The work of GradScaler in a step: unscale, test, step and update."""
    parameters = [torch.randn(n).requires_grad_() for n in resnet50()]
    for p in parameters:
        p.grad = torch.randn_like(p)
    optimizer = torch.optim.Adam(parameters, lr=1e-4, fused=variant != "default")
    scaler = torch.amp.GradScaler("cpu", init_scale=1.0, growth_interval=10**9)
    scaler.scale(torch.ones(()))

    def step():
        scaler.step(optimizer)
        scaler.update()

    return Workload(step)


# --- the line protocol ----------------------------------------------------------------------------

WORKLOADS = {"cnn": cnn, "mlp": mlp, "gpt": gpt, "matmul": matmul, "matmul_weight": matmul_weight,
             "chain": chain, "narrow": narrow, "widen": widen, "unscale": unscale, "adam": adam,
             "libtorch_step": libtorch_step}


class Measured:
    """A loaded workload, and the number of calls in one sample."""

    def __init__(self, workload):
        self.workload = workload
        self.workload.call()
        self.calls = 1
        once = self.sample() * self.workload.count
        self.calls = min(max(int(2 / once), 1), 100_000)
        self.turn = once * 1e-3 * self.calls  # seconds of a sample

    def sample(self):
        """Returns the milliseconds of one unit of work."""
        call = self.workload.call
        began = time.perf_counter()
        for _ in range(self.calls):
            call()
        return (time.perf_counter() - began) * 1e3 / (self.calls * self.workload.count)

    def run(self, samples):
        self.workload.call()  # after another program's turn: not counted
        return [self.sample() for _ in range(samples)]


def load(name, precision, variant=""):
    kind, _, size = name.rpartition("-")
    return WORKLOADS[kind](int(size) if size.isdigit() else 0, precision, variant)


def version_of_onednn():
    words = torch.__config__.show().split("MKL-DNN")
    return words[1].split()[0] if len(words) > 1 else "none"


def serve(load_workload):
    measured = None
    for line in sys.stdin:
        command, *words = line.split()
        try:
            if command == "info":
                answer = {"PyTorch": torch.__version__, "oneDNN of PyTorch": version_of_onednn(),
                          "threads": str(torch.get_num_threads())}
            elif command == "load":
                measured = None  # first, so that its memory is free
                measured = Measured(load_workload(*words))
                answer = {"results": measured.workload.results, "facts": {}, "turn": measured.turn}
            else:
                answer = {"ms": measured.run(int(words[0]))}
        except Exception as error:  # pylint: disable=broad-except
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


def measure_by_hand(load_workload, name, precision, samples=10, variant=""):
    measured = Measured(load_workload(name, precision, variant))
    times = measured.run(int(samples))
    print(f"{name} {precision} {variant}: median {statistics.median(times):.4g} ms, "
          f"best {min(times):.4g} ms; results {measured.workload.results}")


def main(load_workload):
    if len(sys.argv) > 2:
        measure_by_hand(load_workload, *sys.argv[1:])
    else:
        serve(load_workload)


if __name__ == "__main__":
    main(load)
