#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""The whole optimizer step of mixed-precision training on the CPU (check, norm, clip, Adam, bfloat16
copies of the weights), by amp and by PyTorch, in turn in one run, so that whatever else the machine
does meets both. Writes results/cpu_step.md and the chart results/cpu_step.svg.

    cpu_step.py PATH/TO/cpu_benchmark_step [--threads N] [--rounds N] [--tensors resnet50|100m]

needs torch 2.x (made with 2.6.0, CPU).
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("binary")
arguments.add_argument("--threads", type=int, default=1)
arguments.add_argument("--rounds", type=int, default=7)
arguments.add_argument("--steps", type=int, default=5, help="of each, in a round")
arguments.add_argument("--only", choices=["resnet50", "100m"])
options = arguments.parse_args()
os.environ["AMP_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(options.threads)

import torch  # noqa: E402  (after the number of threads)

torch.set_num_threads(options.threads)
folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")


def resnet50():
    """Sizes of the 161 parameters."""
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


# Bytes that each element costs, read and written.
OURS = [("check and norm: g", 4), ("step: g w m v", 16), ("w m v", 12), ("copy", 2)]
TORCH = {
    "unscale_: g": 8,
    "clip_grad_norm_: norm, scaled g": 4 + 8,
    "Adam, fused": 16 + 12,
    "cast of weights": 4 + 2,
}
# Default Adam, tensor by tensor: each of its calls reads and writes whole arrays.
DEFAULT_ADAM = 12 + 8 + 12 + 8 + 8 + 8 + 16


class Torch:
    """The loop that users write: torch.amp's scaler, clipping, Adam, weights in bfloat16."""

    def __init__(self, sizes, fused):
        torch.manual_seed(1)
        self.parameters = [torch.randn(n).requires_grad_() for n in sizes]
        for p in self.parameters:
            p.grad = torch.randn_like(p)
        self.copies = [torch.empty(n, dtype=torch.bfloat16) for n in sizes]
        self.optimizer = torch.optim.Adam(self.parameters, lr=1e-4, fused=fused)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=1.0, growth_interval=10**9)
        self.scaler.scale(torch.ones(()))

    def step(self):
        self.scaler.unscale_(self.optimizer)
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        with torch.no_grad():
            torch._foreach_copy_(self.copies, self.parameters)


def seconds(work, repeats):
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return times


def amp_seconds(tensors):
    """Of one step, and what the step's bytes would take at the rate of an in-place scaling loop."""
    run = subprocess.run(
        [options.binary, f"--benchmark_filter=^step/{tensors}/", "--benchmark_format=json"],
        check=True, capture_output=True, text=True,
        env=os.environ | {"AMP_BENCHMARK_STEPS": str(options.steps)})
    entry = json.loads(run.stdout)["benchmarks"][0]
    return entry["pass_s"], entry["ideal_s"]


def measure(tensors, sizes):
    torches = {"PyTorch, fused Adam": Torch(sizes, True), "PyTorch, default Adam": Torch(sizes, False)}
    for each in torches.values():
        seconds(each.step, 2)
    times = {name: [] for name in ["ideal", "amp", *torches]}
    for _ in range(options.rounds):
        ours, ideal = amp_seconds(tensors)
        times["amp"].append(ours)
        times["ideal"].append(ideal)
        for name, each in torches.items():
            times[name].append(statistics.median(seconds(each.step, options.steps)))
    return times


def middle(values):
    ordered = sorted(values)
    return statistics.median(ordered), ordered[0], ordered[-1]


def table(tensors, count, times):
    bytes_of = {"ideal": 34, "amp": 34, "PyTorch, fused Adam": sum(TORCH.values()),
                "PyTorch, default Adam": sum(TORCH.values()) - 28 + DEFAULT_ADAM}
    lines = [f"## {tensors}: {count / 1e6:.1f} M parameters, {options.threads} thread(s)", "",
             "| | bytes per parameter | ms per step | spread | amp is faster by | spread |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name, values in times.items():
        mid, low, high = middle(values)
        ratio = middle([t / a for t, a in zip(values, times["amp"])])
        lines.append(f"| {name} | {bytes_of[name]} | {mid * 1e3:.1f} | {low * 1e3:.1f} to "
                     f"{high * 1e3:.1f} | {ratio[0]:.2f} | {ratio[1]:.2f} to {ratio[2]:.2f} |")
    return lines + [""], bytes_of


def chart(rows, title):
    """Bars of bytes and of time, one row each."""
    width, left, row = 760, 170, 46
    half = (width - left - 60) / 2
    most_bytes = max(b for _, b, _ in rows)
    most_time = max(t for _, _, t in rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{70 + row * len(rows)}" '
           f'viewBox="0 0 {width} {70 + row * len(rows)}" font-family="sans-serif" font-size="13">',
           '<rect width="100%" height="100%" fill="#ffffff"/>',
           f'<text x="12" y="24" font-size="15" fill="#222222">{title}</text>',
           f'<text x="{left}" y="50" fill="#666666">bytes per parameter</text>',
           f'<text x="{left + half + 30}" y="50" fill="#666666">milliseconds per step</text>']
    for i, (name, moved, taken) in enumerate(rows):
        y = 62 + row * i
        colour = "#2a6f97" if name == "amp" else "#b7c4cf" if name == "ideal" else "#d98e4a"
        out.append(f'<text x="12" y="{y + 20}" fill="#222222">{name}</text>')
        for x, value, most, text in ((left, moved, most_bytes, f"{moved}"),
                                     (left + half + 30, taken, most_time, f"{taken:.0f}")):
            bar = max(1.0, value / most * (half - 40))
            out.append(f'<rect x="{x}" y="{y + 4}" width="{bar:.1f}" height="24" fill="{colour}"/>')
            out.append(f'<text x="{x + bar + 6:.1f}" y="{y + 21}" fill="#222222">{text}</text>')
    return "\n".join(out + ["</svg>", ""])


def machine():
    with open("/proc/cpuinfo") as f:
        model = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")),
                     "unknown processor")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            cwd=folder).stdout.strip()
    return (f"{time.strftime('%Y-%m-%d')}, {model}, {os.cpu_count()} cores, shared with others; commit "
            f"{commit}; PyTorch {torch.__version__}.")


def main():
    sets = {"resnet50": resnet50(), "100m": [100_000_000]}
    lines = ["# The optimizer step on the CPU", "", machine(), "",
             "Check, norm, clip, Adam, bfloat16 copies of the weights. Medians over rounds in which all took "
             "their turn, and the lowest and highest. Ideal: the bytes of amp's two passes at the rate of a "
             "loop that scales the gradients in place, measured in the same round. amp asks for huge pages under "
             "large arrays, that loop's among them; PyTorch does not.", ""]
    for name, sizes in sets.items():
        if options.only not in (None, name):
            continue
        times = measure(name, sizes)
        more, bytes_of = table(name, sum(sizes), times)
        lines += more
        if name == "resnet50":
            rows = [(who, bytes_of[who], middle(values)[0] * 1e3) for who, values in times.items()]
            title = f"Optimizer step of ResNet-50's 161 tensors, CPU, {options.threads} thread(s)"
            with open(os.path.join(folder, "cpu_step.svg"), "w") as f:
                f.write(chart(rows, title))
    text = "\n".join(lines)
    print(text)
    with open(os.path.join(folder, "cpu_step.md"), "w") as f:
        f.write(text)


if __name__ == "__main__":
    sys.exit(main())
