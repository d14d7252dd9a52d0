#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Measures what data parallel training of GPT-2 sends and when, by the program cpu_benchmark_data_parallel
on this machine, and computes the cost on many GPUs from published figures.

    python3 data_parallel.py PROGRAM > results/data_parallel.md
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys
from math import log2

TOKENS = 32_768  # of a step, on each GPU
FLOPS = 989e12  # an H100 SXM, bfloat16 without sparsity (data sheet)
USED = 0.4  # of these, in a whole step
NVLINK = 450e9  # bytes/s from one GPU of a node to the others (900 GB/s both ways, data sheet)
NETWORK = 50e9  # bytes/s of a 400 Gb/s network card; one for each GPU
REACHED = 0.8  # of either bandwidth
GPUS_PER_NODE = 8
LATENCY = 5e-6  # of a message between nodes; and of starting one within


def all_reduce_seconds(size, ranks):
    """Within a node each GPU adds an eighth, which is then added over the nodes and sent to all."""
    local = min(ranks, GPUS_PER_NODE)
    nodes = ranks // local
    inside = 2 * (local - 1) / local * size / (NVLINK * REACHED)
    between = 2 * (nodes - 1) / nodes * size / local / (NETWORK * REACHED)
    hops = 2 * log2(local) + 2 * log2(nodes)
    return inside + between + hops * LATENCY


def exposed_seconds(measured, ranks, wire, backward):
    """Returns how long the step waits after backward, if messages are sent one after the other."""
    free = 0
    for size, share in measured["buckets"]:
        free = max(free, share * backward) + all_reduce_seconds(size * wire / 4, ranks)
    return max(0, free - backward)


def machine():
    folder = pathlib.Path(__file__).parent
    commit = subprocess.run(["git", "rev-parse", "--short=7", "HEAD"], cwd=folder, check=True,
                            capture_output=True, text=True).stdout.strip()
    names = [line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
             if line.startswith("model name")]
    return f"{datetime.date.today()}, commit {commit}, {names[0]}, {os.cpu_count()} processors"


def main():
    output = subprocess.run(sys.argv[1:], check=True, capture_output=True, text=True).stdout
    measured = json.loads(output)
    parameters, buckets = measured["parameters"], measured["buckets"]
    size = sum(bytes_ for bytes_, _ in buckets)
    early = sum(bytes_ for bytes_, share in buckets if share < 0.95)
    step = 6 * parameters * TOKENS / (FLOPS * USED)
    forward = measured["forward_seconds"]
    backward = step * measured["backward_seconds"] / (forward + measured["backward_seconds"])
    print(f"""# Data parallel training: what is sent, and an estimate of many GPUs

Made by `benchmarks/data_parallel.py`: {machine()}. **No GPU was used.** The first two tables
were measured on a CPU, and the last is computed from the first and from published figures.

## Measured: GPT-2, {parameters / 1e6:.0f} M parameters, {measured["tokens"]} tokens, float32

Gradients go in {len(buckets)} messages of {size / 1e6:.0f} MB together. {100 * early / size:.0f} % of that is
sent before 95 % of backward is done. The rest is the embedding's gradient: as the last layer has the same weights,
it is complete at the end. With bfloat16 on the wire all messages are half as large. A ring sends each byte
2 (N - 1) / N times per rank; so does a ShardedOptimizer, in two halves, of which the second, the parameters,
comes after the step. Agreement on a skipped step is a message of 4 bytes.

| message | MB | share of backward done when it is sent |
| ---: | ---: | ---: |""")
    for number, (bytes_, share) in enumerate(buckets, 1):
        print(f"| {number} | {bytes_ / 1e6:.1f} | {100 * share:.0f} % |")
    print("""
## Measured: a sharded optimizer

AdamW for bfloat16 weights with float32 masters, 8.4 M parameters, trained for five steps of eight samples.

| ranks | moments and masters on each rank, MB | loss of each step |
| ---: | ---: | --- |""")
    for shard in measured["shards"]:
        losses = ", ".join(f"{loss:.4f}" for loss in shard["losses"])
        print(f"| {shard['ranks']} | {shard['bytes'] / 1e6:.2f} | {losses} |")
    print(f"""
## Computed: 8 to 1,024 GPUs

Assumptions: {TOKENS:,} tokens on each GPU and step; 6 flops for each parameter and token; an H100 that reaches
{100 * USED:.0f} % of {FLOPS / 1e12:.0f} TFLOP/s, so {1000 * step:.1f} ms a step without communication, of which backward takes the
share measured above; nodes of {GPUS_PER_NODE} GPUs with NVLink ({NVLINK / 1e9:.0f} GB/s each way) and a network card of {NETWORK / 1e9:.0f} GB/s for each GPU,
{100 * REACHED:.0f} % of either reached; {1e6 * LATENCY:.0f} us for each of log2 hops; messages do not slow computing down. "Waits" is what a
step waits for messages after backward, and "efficiency" the step's time alone over that with the others.

| GPUs | float32 sent: all messages, ms | waits, ms | efficiency | bfloat16 sent: all messages, ms | waits, ms | efficiency |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: |""")
    for ranks in (8, 16, 64, 256, 1024):
        row = [f"{ranks:,}"]
        for wire in (4, 2):
            total = sum(all_reduce_seconds(bytes_ * wire / 4, ranks) for bytes_, _ in buckets)
            waits = exposed_seconds(measured, ranks, wire, backward)
            row += [f"{1000 * total:.1f}", f"{1000 * waits:.1f}", f"{100 * step / (step + waits):.0f} %"]
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
