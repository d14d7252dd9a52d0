#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Records the losses of PyTorch on the CPU in 20 steps of the CIFAR-10 network of examples/train_cnn.

    python3 make_train_cnn.py --data DIR

DIR holds data_batch_1.bin.gz (CIFAR-10, binary version). Writes train_cnn.hpp beside this file;
takes about five minutes, nearly all of it in PyTorch's float16 convolution.

The network: conv3x3 3-32 pad 1, relu, maxpool 2, conv3x3 32-64 pad 1, relu, maxpool 2, flatten,
linear 4096-256, relu, linear 256-10, cross-entropy. Step s (0 to 19) trains on records 64 s to
64 s + 63 in file order; its loss is the one computed before its update. Initial weights and pixels
follow formulas that C++ repeats bit for bit: see `parameter` and `images` below.
"""

import argparse
import gzip
import pathlib
import platform

import numpy as np
import torch
import torch.nn.functional as F

STEPS, BATCH = 20, 64
RECORD = 3073
LAYERS = ("conv1", "conv2", "fc1", "fc2")
NAMES = [f"{layer}.{part}" for layer in LAYERS for part in ("weight", "bias")]
SHAPES = [(32, 3, 3, 3), (32,), (64, 32, 3, 3), (64,), (256, 4096), (256,), (10, 256), (10,)]
FAN_IN = [27, 27, 288, 288, 4096, 4096, 256, 256]


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


def images(data):
    """All batches: pixels (20, 64, 3, 32, 32) float32, labels (20, 64) int64. Each of the three
    operations on a pixel rounds to float32."""
    with gzip.open(data / "data_batch_1.bin.gz", "rb") as file:
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


def train(
    data, optimizer, *, threads=1, onednn=True, dtype=torch.float32, autocast=None, scaler=False
):
    """Returns the losses, the final parameters and the gradients of the first step."""
    torch.set_num_threads(threads)
    pixels, labels = data
    params = [parameter(t).to(dtype).requires_grad_() for t in range(len(SHAPES))]
    if optimizer == "sgd":
        opt = torch.optim.SGD(params, lr=0.01, momentum=0.9)
    else:
        opt = torch.optim.Adam(params, lr=1e-3)
    scale = torch.amp.GradScaler("cpu", enabled=scaler)
    losses, first, skipped = [], None, 0
    with torch.backends.mkldnn.flags(enabled=onednn):
        for x, y in zip(pixels.to(dtype), labels):
            with torch.autocast(
                "cpu", dtype=autocast or torch.bfloat16, enabled=autocast is not None
            ):
                logits = network(x, params)
                loss = F.cross_entropy(logits, y)
            assert (
                loss.dtype == dtype
            )  # autocast runs cross_entropy in float32, on the CPU as on CUDA
            opt.zero_grad(set_to_none=True)
            scale.scale(loss).backward()
            if first is None:
                first = [p.grad.double() / (scale.get_scale() if scaler else 1.0) for p in params]
            scale.step(opt)
            before = scale.get_scale()
            scale.update()
            skipped += scale.get_scale() < before
            losses.append(loss.double().item())
    return losses, [p.detach().double() for p in params], first, skipped


KINDS = {int: "int", str: "std::string_view", float: "double"}
FORMS = {int: "{}", str: '"{}"'}


def array(name, values, comment, form="{:.9g}"):
    text, line = "", " "
    form = FORMS.get(type(values[0]), form)
    for v in values:
        word = f" {form.format(v)},"
        if len(line) + len(word) > 96:
            text, line = text + line + "\n", " "
        line += word
    lines = "".join(f"// {c}\n" for c in comment.split("\n"))
    kind = f"std::array<{KINDS[type(values[0])]}, {len(values)}>"
    return f"{lines}inline constexpr {kind} {name} = {{\n{text}{line}\n}};\n\n"


# Goes into the header. From a comparison of weights, argmax and relu of these runs step by step.
SPREAD = """\
Where two runs part, and when, is chance: a max-pool window or a relu whose operands agree to
rounding decides differently, a piece of a gradient moves, and Adam, which divides each gradient
by its own size, makes weights 2e-4 apart of it within a step. With oneDNN, one and two threads
happen to meet no such tie: their gradients of step 0 differ by 1e-6, their losses never by more
than 1.2e-7 (one and three threads: 1e-4), and yet both end 9e-4 from float64. With oneDNN off
(PyTorch's own convolution) one and two threads part at step 2 and end 6e-4 apart, the size of
every other difference between correct float32 runs here. That pair measures the spread."""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=pathlib.Path, required=True, help="folder of data_batch_1.bin.gz"
    )
    data = images(parser.parse_args().data)
    pixels, labels = data
    body = []

    def checks(name, comment, values, form="{:.15g}"):
        body.append(array(name, values, comment, form))

    def curve(name, comment, *args, **kwargs):
        losses, params, first, skipped = train(data, *args, **kwargs)
        if kwargs.get("scaler"):
            comment += f"\nSteps skipped by the scaler (default options): {skipped}."
        body.append(array(name, losses, comment))
        print(f"{name}: {losses[0]:.6f} .. {losses[-1]:.6f}, skipped {skipped}")
        return losses, params, first

    def spread(name, comment, a, b):
        values = [abs(x - y) / abs(y) for x, y in zip(a, b)]
        body.append(array(name, values, f"Relative difference per step: {comment}.", "{:.3g}"))
        print(
            f"{name}: max {max(values):.3g}, zero in {sum(v == 0 for v in values)} of {STEPS} steps"
        )

    initial = [parameter(t).double() for t in range(len(SHAPES))]
    checks("kParameterNames", "Parameter tensors in the order of their number t.", NAMES)
    checks(
        "kInitialSum",
        "Sum of each initial parameter tensor, in float64.",
        [p.sum().item() for p in initial],
    )
    checks(
        "kInitialAbsSum",
        "Sum of magnitudes of each, in float64.",
        [p.abs().sum().item() for p in initial],
    )
    checks(
        "kFirstBatchSums",
        "Sum and sum of magnitudes of the 64 images of step 0, normalised, in float64.",
        [pixels[0].double().sum().item(), pixels[0].double().abs().sum().item()],
    )
    checks(
        "kFirstPixels",
        "The first eight pixels of record 0 (red, row 0), normalised: float32 exactly.",
        pixels[0, 0, 0, 0, :8].double().tolist(),
        "{:.9g}",
    )
    checks("kFirstLabels", "Labels of step 0.", labels[0].tolist())

    sgd, sgd_params, sgd_first = curve(
        "kSgdFloat32", "float32, SGD lr 0.01 momentum 0.9, 1 thread.", "sgd"
    )
    adam, adam_params, _ = curve("kAdamFloat32", "float32, Adam lr 1e-3, 1 thread.", "adam")
    sgd2, _, _ = curve("kSgdFloat32TwoThreads", "float32 SGD, 2 threads.", "sgd", threads=2)
    adam2, _, _ = curve("kAdamFloat32TwoThreads", "float32 Adam, 2 threads.", "adam", threads=2)
    spread("kSgdSpread", "SGD with 2 threads from SGD with 1", sgd2, sgd)
    spread("kAdamSpread", "Adam with 2 threads from Adam with 1", adam2, adam)

    body.append("".join(f"// {line}\n" for line in SPREAD.splitlines()) + "\n")
    off = {"onednn": False}
    sgd_native, _, _ = curve("kSgdNative", "float32 SGD, oneDNN off, 1 thread.", "sgd", **off)
    adam_native, _, _ = curve("kAdamNative", "float32 Adam, oneDNN off, 1 thread.", "adam", **off)
    sgd_native2, _, _ = curve(
        "kSgdNativeTwoThreads", "float32 SGD, oneDNN off, 2 threads.", "sgd", threads=2, **off
    )
    adam_native2, _, _ = curve(
        "kAdamNativeTwoThreads", "float32 Adam, oneDNN off, 2 threads.", "adam", threads=2, **off
    )
    spread("kSgdNativeSpread", "kSgdNativeTwoThreads from kSgdNative", sgd_native2, sgd_native)
    spread("kAdamNativeSpread", "kAdamNativeTwoThreads from kAdamNative", adam_native2, adam_native)
    spread("kSgdEngineSpread", "kSgdNative from kSgdFloat32", sgd_native, sgd)
    spread("kAdamEngineSpread", "kAdamNative from kAdamFloat32", adam_native, adam)

    double = {"dtype": torch.float64}
    sgd64, _, _ = curve(
        "kSgdFloat64",
        "SGD in float64 throughout, from the same float32 weights and pixels.",
        "sgd",
        **double,
    )
    adam64, _, _ = curve("kAdamFloat64", "Adam in float64 throughout.", "adam", **double)
    spread("kSgdRounding", "kSgdFloat32 from kSgdFloat64", sgd, sgd64)
    spread("kAdamRounding", "kAdamFloat32 from kAdamFloat64", adam, adam64)

    bf16 = {"autocast": torch.bfloat16}
    sgd_bf16, _, _ = curve("kSgdBFloat16", "bfloat16 CPU autocast, SGD.", "sgd", **bf16)
    adam_bf16, _, _ = curve("kAdamBFloat16", "bfloat16 CPU autocast, Adam.", "adam", **bf16)
    spread("kSgdBFloat16Distance", "kSgdBFloat16 from kSgdFloat32", sgd_bf16, sgd)
    spread("kAdamBFloat16Distance", "kAdamBFloat16 from kAdamFloat32", adam_bf16, adam)
    fp16 = {"autocast": torch.float16, "scaler": True}
    sgd_fp16, _, _ = curve(
        "kSgdFloat16", "float16 CPU autocast with the GradScaler, SGD.", "sgd", **fp16
    )
    adam_fp16, _, _ = curve(
        "kAdamFloat16", "float16 CPU autocast with the GradScaler, Adam.", "adam", **fp16
    )
    spread("kSgdFloat16Distance", "kSgdFloat16 from kSgdFloat32", sgd_fp16, sgd)
    spread("kAdamFloat16Distance", "kAdamFloat16 from kAdamFloat32", adam_fp16, adam)

    checks(
        "kFirstGradientAbsSum",
        "Sum of magnitudes of each gradient of step 0 of kSgdFloat32.",
        [g.abs().sum().item() for g in sgd_first],
        "{:.9g}",
    )
    checks(
        "kSgdFinalAbsSum",
        "Sum of magnitudes of each parameter after the 20 steps of kSgdFloat32.",
        [p.abs().sum().item() for p in sgd_params],
        "{:.9g}",
    )
    checks(
        "kAdamFinalAbsSum",
        "Sum of magnitudes of each parameter after the 20 steps of kAdamFloat32.",
        [p.abs().sum().item() for p in adam_params],
        "{:.9g}",
    )

    settings = [(name, on, t) for name in ("sgd", "adam") for on in (True, False) for t in (1, 2)]
    again = [train(data, name, threads=t, onednn=on)[0] for name, on, t in settings]
    first = [sgd, sgd2, sgd_native, sgd_native2, adam, adam2, adam_native, adam_native2]
    repeat = "equal bit for bit" if again == first else "NOT equal"
    print(f"the float32 runs repeated: {repeat}")

    script = pathlib.Path(__file__)
    head = HEAD.format(
        script=script.name,
        torch=torch.__version__.split("+")[0],
        python=platform.python_version(),
        isa=torch.backends.cpu.get_cpu_capability(),
        repeat=repeat,
    )
    text = head + "".join(body) + "}  // namespace goldens\n// clang-format on\n"
    script.with_name("train_cnn.hpp").write_text(text)


HEAD = """\
// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT

/// @file
/// Generated by tests/goldens/{script}; do not edit. PyTorch's losses on 20 steps of
/// the CIFAR-10 network.
///
/// Command: python3 {script} --data DIR (the folder of data_batch_1.bin.gz).
/// PyTorch {torch} on the CPU, capability {isa}, Python {python}; 1 or 2 threads as each array
/// notes (torch.set_num_threads), else 1. Float32 runs, repeated: {repeat}.
/// Batch 64; step s uses records 64 s to 64 s + 63; losses before each update, to 9 digits.
/// The network, the initial weights and the pixels are defined in the script.
#pragma once

#include <array>
#include <string_view>

// clang-format off
namespace goldens {{

"""

if __name__ == "__main__":
    main()
