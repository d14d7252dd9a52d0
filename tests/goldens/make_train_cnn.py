#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Records the losses of PyTorch on the CPU in 20 steps of the CIFAR-10 network of examples/train_cnn;
writes train_cnn.txt beside itself.

    AMP_DATA_DIR=DIR python3 make_train_cnn.py

DIR holds cifar-10/data_batch_1.bin.gz (CIFAR-10, binary version).

The network: conv3x3 3-32 pad 1, relu, maxpool 2, conv3x3 32-64 pad 1, relu, maxpool 2, flatten,
linear 4096-256, relu, linear 256-10, cross-entropy. Step s (0 to 19) trains on records 64 s to
64 s + 63 in file order; its loss is the one computed before its update. Initial weights and pixels
follow formulas that C++ repeats bit for bit: see `parameter` and `images` below.
"""

import gzip
import os
import pathlib

import blocks
import numpy as np
import torch
import torch.nn.functional as F

STEPS, BATCH = 20, 64
RECORD = 3073
LAYERS = ("conv1", "conv2", "fc1", "fc2")
NAMES = [f"{layer}.{part}" for layer in LAYERS for part in ("weight", "bias")]
SHAPES = [(32, 3, 3, 3), (32,), (64, 32, 3, 3), (64,), (256, 4096), (256,), (10, 256), (10,)]
FAN_IN = [27, 27, 288, 288, 4096, 4096, 256, 256]
OPTIMIZERS = {
    "SGD": lambda params: torch.optim.SGD(params, lr=0.01, momentum=0.9),
    "Adam": lambda params: torch.optim.Adam(params, lr=1e-3),
}
RUNS = [  # title, options of `train`
    ("SGD float32", {}),
    ("SGD bfloat16 autocast", {"autocast": True}),
    ("Adam float32", {}),
    ("Adam float32, 2 threads", {"threads": 2}),
    ("Adam float32 without oneDNN", {"onednn": False}),
    ("Adam float32 without oneDNN, 2 threads", {"onednn": False, "threads": 2}),
    ("Adam float64", {"dtype": torch.float64}),
    ("Adam bfloat16 autocast", {"autocast": True}),
]


def splitmix64(x):
    """x: uint64 array. The generator of Steele, Lea, Flood 2014 (OOPSLA, "Fast splittable ..."):
    one step from state x, output included."""
    z = x + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def parameter(t):
    """Tensor number t: uniform in [-1, 1) / sqrt(fan_in). The uniform number is exact in float32,
    its product with the bound rounds once."""
    count = int(np.prod(SHAPES[t]))
    h = splitmix64((np.uint64(t) << np.uint64(32)) | np.arange(count, dtype=np.uint64))
    u = (h >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)
    bound = np.float32(1.0 / np.sqrt(np.float64(FAN_IN[t])))
    return torch.from_numpy((u * bound).reshape(SHAPES[t]))


def images():
    """All batches: pixels (20, 64, 3, 32, 32) float32, labels (20, 64) int64. Each of the three
    operations on a pixel rounds to float32."""
    path = pathlib.Path(os.environ["AMP_DATA_DIR"]) / "cifar-10" / "data_batch_1.bin.gz"
    with gzip.open(path, "rb") as file:
        raw = np.frombuffer(file.read(STEPS * BATCH * RECORD), dtype=np.uint8)
    raw = raw.reshape(STEPS, BATCH, RECORD)
    mean = np.array([0.4914, 0.4822, 0.4465], dtype=np.float32).reshape(3, 1, 1)
    std = np.array([0.2470, 0.2435, 0.2616], dtype=np.float32).reshape(3, 1, 1)
    pixels = raw[:, :, 1:].reshape(STEPS, BATCH, 3, 32, 32).astype(np.float32)
    pixels = (pixels / np.float32(255) - mean) / std
    assert pixels.dtype == np.float32
    return torch.from_numpy(pixels), torch.from_numpy(raw[:, :, 0].astype(np.int64))


def network(x, p):
    x = F.max_pool2d(F.relu(F.conv2d(x, p[0], p[1], padding=1)), 2)
    x = F.max_pool2d(F.relu(F.conv2d(x, p[2], p[3], padding=1)), 2)
    return F.linear(F.relu(F.linear(x.flatten(1), p[4], p[5])), p[6], p[7])


def train(data, optimizer, *, threads=1, onednn=True, dtype=torch.float32, autocast=False):
    """Returns the losses, the final parameters and the gradients of the first step."""
    torch.set_num_threads(threads)
    pixels, labels = data
    params = [parameter(t).to(dtype).requires_grad_() for t in range(len(SHAPES))]
    opt = OPTIMIZERS[optimizer](params)
    losses, first = [], None
    with torch.backends.mkldnn.flags(enabled=onednn):
        for x, y in zip(pixels.to(dtype), labels):
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
                loss = F.cross_entropy(network(x, params), y)
            assert loss.dtype == dtype  # autocast runs it in float32, on the CPU as on CUDA
            opt.zero_grad(set_to_none=True)
            loss.backward()
            first = first or [p.grad.clone() for p in params]
            opt.step()
            losses.append(loss.item())
    return losses, params, first


def nine_digits(values):
    """As many as tell any float32 from all others."""
    return [float(f"{value:.9g}") for value in values]


def sums(tensors):
    return [t.detach().double().sum().item() for t in tensors]


def magnitudes(tensors):
    return sums(t.detach().double().abs() for t in tensors)


def start(data):
    pixels, labels = data
    initial = [parameter(t) for t in range(len(SHAPES))]
    return "start", [
        (f"parameters {' '.join(NAMES)}", []),
        ("sums", sums(initial)),
        ("magnitudes", magnitudes(initial)),
        ("pixels", nine_digits(pixels[0, 0, 0, 0, :8].tolist())),
        ("pixels_magnitude", magnitudes([pixels[0]])),
        ("labels", labels[0].tolist()),
    ]


def run(data, title, options):
    losses, params, first = train(data, title.split()[0], **options)
    lines = [("losses", nine_digits(losses))]
    if title == "SGD float32":
        lines.append(("first_gradients", magnitudes(first)))
        lines.append(("final_parameters", magnitudes(params)))
    return title, lines


ABOUT = """\
PyTorch's losses on 20 steps of the CIFAR-10 network, before each update, to 9 digits. Network,
initial weights, batches and optimizers are those of the script.
Start: names of the parameters, and the sum and sum of magnitudes of each; the first eight pixels
of the first batch, the sum of magnitudes of all its pixels, and its labels. Gradients of the first
step and final parameters: the sum of magnitudes of each. Runs use 1 thread unless their title has
another number.
Where two float32 runs part, and when, is chance: a max-pool window or a relu whose operands agree
to rounding decides differently, a piece of a gradient moves, and Adam divides each gradient by its
own size. With oneDNN, one and two threads happen to meet no such tie: their losses differ by a
relative 1.2e-7 at most, and yet both end 9e-4 from float64. Without oneDNN (PyTorch's own
convolution), one and two threads part at step 2 and end 6e-4 apart. That pair measures the spread.
All but the start depends on the processor's instruction set; with the same one, runs repeat bit for
bit."""

if __name__ == "__main__":
    torch_version = torch.__version__.split("+")[0]
    capability = torch.backends.cpu.get_cpu_capability()
    data = images()
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch_version} on the CPU, {capability}",
        [start(data), *(run(data, *each) for each in RUNS)],
    )
