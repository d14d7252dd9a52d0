#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Computes lower bounds for a GPU run: for each entry of gpu_benchmark the least bytes and flops, and
the time that they take at 4.3 TB/s and 790 TFLOP/s, which an H200 reaches in practice. Nothing is
measured.

    python3 roofline.py > results/roofline.md
"""

BANDWIDTH, FLOPS = 4.3e12, 790e12
RESNET50 = 25_557_032  # parameters of its 161 tensors (He et al. 2016, 1000 classes)

rows = []


def entry(name, launches, bytes_moved, flops=0):
    by_memory, by_math = bytes_moved / BANDWIDTH, flops / FLOPS
    bound = "memory" if by_memory >= by_math else "tensor cores"
    rows.append((name, launches, bytes_moved, flops, max(by_memory, by_math) * 1e6, bound))


def memory():
    n = 2**28
    entry("copy_op_fp32", 1, 8 * n)
    entry("cast_fp32_to_fp16", 1, 6 * n)
    rows_, columns = 65536, 4096
    for dtype, size in (("fp32", 4), ("fp16", 2)):
        n = rows_ * columns * size
        entry(f"add_{dtype}", 1, 3 * n)
        for op in ("gelu", "softmax", "layer_norm"):
            entry(f"{op}_{dtype}", 1, 2 * n)
        entry(f"cross_entropy_{dtype}", 2, n)


def optimizers():
    for name, n in (("resnet50", RESNET50), ("100M", 100_000_000)):
        entry(f"unscale_{name}, in place", 1, 8 * n)
        entry(f"pass 1 of {name}: check and norm", 2, 4 * n)
        # Gradient, weight and two moments read; weight, moments and a 16-bit copy written.
        entry(f"pass 2 of {name}: Adam and the float16 copy", 1, (4 + 3 * 8 + 2) * n)


def products():
    n = 8192
    entry("matmul 8192^3, float16", 1, 3 * 2 * n * n, 2 * n**3)
    tokens, width = 8192, 4096
    hidden = 4 * width
    bytes_moved = 2 * (2 * tokens * width + 2 * tokens * hidden + 2 * width * hidden)
    entry("feed_forward 8192 x 4096 -> 16384, float16", 2, bytes_moved,
          2 * 2 * tokens * width * hidden)


def cnn(batch=256):
    """The trainer's network, float16 under autocast, with biases and relu fused into the matmuls."""
    half, index = 2, 4
    image = batch * 3 * 32 * 32
    conv1, pool1 = batch * 32 * 32 * 32, batch * 32 * 16 * 16
    conv2, pool2 = batch * 64 * 16 * 16, batch * 64 * 8 * 8
    linear1, linear2 = batch * 256, batch * 10
    weights = 32 * 27 + 32 + 64 * 288 + 64 + 4096 * 256 + 256 + 256 * 10 + 10
    forward = 4 * image + half * (2 * conv1 + 2 * pool1 + 2 * conv2 + 2 * pool2 + 2 * linear1)
    forward += index * (pool1 + pool2) + half * 2 * linear2 + half * weights
    # Each activation is read again for the gradient of a weight. Each gradient is written once and
    # read twice, by the matmuls for the weight and for the input.
    backward = half * (3 * conv1 + 4 * pool1 + 3 * conv2 + 4 * pool2 + 4 * linear1 + 3 * linear2)
    backward += index * (pool1 + pool2) + half * image + (half + 4) * weights
    flops1 = 2 * conv1 * 27
    others = 2 * conv2 * 288 + 2 * linear1 * 4096 + 2 * linear2 * 256
    entry(f"CNN, batch {batch}: forward", 7, forward, flops1 + others)
    entry(f"CNN, batch {batch}: backward", 10, backward, flops1 + 2 * others)
    entry(f"CNN, batch {batch}: scaler and Adam", 3, (4 + 30) * weights)


def main():
    memory()
    optimizers()
    products()
    cnn()
    print("# What a GPU run has to show\n")
    print("Computed by `benchmarks/roofline.py` from the fewest bytes and flops, at 4.3 TB/s and 790")
    print("TFLOP/s (an H200 in practice). **Nothing here was measured.** A launch takes 2 to 3 us on")
    print("top where it is not part of a graph.\n")
    print("| what | launches | MB | GFLOP | computed us | bound by |")
    print("| --- | ---: | ---: | ---: | ---: | --- |")
    for name, launches, bytes_moved, flops, time, bound in rows:
        print(f"| {name} | {launches} | {bytes_moved / 1e6:,.1f} | {flops / 1e9:,.1f} | "
              f"{time:,.1f} | {bound} |")


if __name__ == "__main__":
    main()
