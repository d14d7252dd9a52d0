#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Measures steps of optimizers beside PyTorch's, and torchao's and bitsandbytes' where they are
installed, in turns, by the program cpu_benchmark_optimizers.

    python3 optimizers.py PROGRAM > results/optimizers.md
"""

import json
import os
import subprocess
import sys
import time
import warnings

import torch
from data_parallel import machine

MATRICES, ROWS, COLUMNS, STEPS, ROUNDS = 8, 512, 2048, 5, 3


def make_parameters():
    torch.manual_seed(1)
    parameters = [torch.randn(ROWS, COLUMNS, requires_grad=True) for _ in range(MATRICES)]
    for p in parameters:
        p.grad = torch.randn_like(p)
    return parameters


def averaged(parameters):
    from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

    model = torch.nn.ParameterList(parameters)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.999))
    optimizer = torch.optim.AdamW(parameters, fused=True)

    def step():
        optimizer.step()
        average.update_parameters(model)

    return step


def of_torchao(name):
    import torchao.optim

    return lambda parameters: getattr(torchao.optim, name)(parameters).step


def of_bitsandbytes():
    import bitsandbytes

    return lambda parameters: bitsandbytes.optim.AdamW8bit(parameters).step


PEERS = {  # the row of amp beside which it stands, and what makes the step
    "torch.optim.AdamW, fused": ("AdamW, moments float32", lambda: lambda p: torch.optim.AdamW(p, fused=True).step),
    "torchao AdamW8bit": ("AdamW, moments uint8", lambda: of_torchao("AdamW8bit")),
    "torchao AdamWFp8": ("AdamW, moments uint8", lambda: of_torchao("AdamWFp8")),
    "bitsandbytes AdamW8bit": ("AdamW, moments uint8", of_bitsandbytes),
    "torch AdamW, fused, and AveragedModel": ("AdamW and an average of the weights", lambda: averaged),
    "torch.optim.Muon": ("Muon", lambda: lambda p: torch.optim.Muon(p).step),
}


def measure(step):
    times = []
    for _ in range(STEPS):
        start = time.perf_counter()
        step()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def main():
    warnings.simplefilter("ignore")
    threads = int(os.environ.get("AMP_NUM_THREADS", "1"))
    torch.set_num_threads(threads)
    peers = {}
    for name, (_, make) in PEERS.items():
        try:
            peers[name] = make()(make_parameters())
            peers[name]()  # compiles, or makes the states
        except Exception as error:  # not installed, or not for processors
            print(f"{name}: {error!r:.200}", file=sys.stderr)
            peers.pop(name, None)
    own, others = {}, {name: [] for name in peers}
    for _ in range(ROUNDS):
        lines = subprocess.run(sys.argv[1:], check=True, capture_output=True, text=True,
                               env={**os.environ, "AMP_NUM_THREADS": str(threads)}).stdout
        for row in map(json.loads, lines.splitlines()):
            own.setdefault(row["name"], []).append(row)
        for name, step in peers.items():
            others[name] += measure(step)
    print(f"""# Optimizers beside PyTorch

Written by `benchmarks/optimizers.py`. {machine()}, {threads} thread(s), PyTorch {torch.__version__.split('+')[0]}.

Milliseconds of a step over eight matrices of {ROWS} x {COLUMNS}, {MATRICES * ROWS * COLUMNS / 1e6:.1f} million parameters of
float32: the least, and the median, of rounds in turns. State: bytes for each parameter, without the parameter itself.

| optimizer | state, bytes | least, ms | median, ms | least, beside amp |
| --- | --- | --- | --- | --- |""")
    for name, rows in own.items():
        least = min(row["least"] for row in rows)
        medians = sorted(row["median"] for row in rows)
        print(f"| amp: {name} | {rows[0]['bytes']} | {least:.1f} | {medians[len(medians) // 2]:.1f} | 1 |")
        for peer, times in others.items():
            if PEERS[peer][0] != name:
                continue
            times = sorted(times)
            print(f"| {peer} | | {times[0]:.1f} | {times[len(times) // 2]:.1f} | {times[0] / least:.2f} |")


if __name__ == "__main__":
    main()
