#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Lists what ptxas reports for every kernel of <amp/cuda.cuh>: registers, spills, shared memory, occupancy.

    python3 ptxas_table.py [ARCHITECTURE]        90 unless given; needs nvcc and c++filt

Prints a Markdown table, from which results/ptxas_sm90.md is made.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# One multiprocessor (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
REGISTERS, SHARED = 65536, {"75": 65536, "80": 167936, "90": 233472, "100": 233472}
THREADS = {"75": 1024, "80": 2048, "90": 2048, "100": 2048, "120": 1536}
BLOCK = 256


def compile_all(architecture):
    include = pathlib.Path(__file__).resolve().parent.parent / "include"
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder) / "all.cu"
        unit.write_text("#include <amp/cuda.cuh>\n")
        command = ["nvcc", "-std=c++20", "-Xptxas", "-v", "-I", include, "-c", unit, "-o", "/dev/null"]
        command += ["-gencode", f"arch=compute_{architecture},code=sm_{architecture}"]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return subprocess.run(["c++filt"], input=output, capture_output=True, text=True).stdout


def shorten(name):
    """Returns `kernel<arguments>`, without namespaces and parameters."""
    name = re.sub(r"\b(amp|v0|kernels|cuda|detail|functions|\(anonymous namespace\))::", "", name)
    name = re.sub(r"^void ", "", name)
    name = re.sub(r"\bBound<(.*?), (?:float|double|long)>", r"\1", name)  # a function with its parameters
    depth = 0
    for i, c in enumerate(name):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0:
            return name[:i]
    return name


def kernels(text):
    """Returns (name, registers, stack, spilled, shared) of each kernel. Stack and spills are the maximum
    over the kernel and the functions that it calls."""
    name, stack, spilled, worst = None, 0, 0, {}
    for line in text.splitlines():
        if entry := re.search(r"Compiling entry function '(.*)' for", line):
            name, stack, spilled = shorten(entry[1]), 0, 0
        elif sizes := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores", line):
            stack, spilled = max(stack, int(sizes[1])), max(spilled, int(sizes[2]))
            if name in worst:
                worst[name][1] = max(worst[name][1], stack)
                worst[name][2] = max(worst[name][2], spilled)
        elif used := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            worst[name] = [int(used[1]), stack, spilled, int(shared[1]) if shared else 0]
    return sorted((n, *figures) for n, figures in worst.items())


def occupancy(registers, shared, architecture):
    """Returns the share of a multiprocessor's threads that blocks of 256 can use."""
    per_block = -(-registers // 8) * 8 * BLOCK
    blocks = min(REGISTERS // per_block, THREADS[architecture] // BLOCK)
    if shared:
        blocks = min(blocks, SHARED.get(architecture, 101376) // (shared + 1024))
    return blocks * BLOCK / THREADS[architecture]


def main():
    architecture = sys.argv[1] if len(sys.argv) > 1 else "90"
    rows = kernels(compile_all(architecture))
    print(f"# Kernels as ptxas compiles them for sm_{architecture}\n")
    print("| kernel | registers | stack | spilled | shared | occupancy |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, registers, stack, spilled, shared in rows:
        share = occupancy(registers, shared, architecture)
        print(f"| `{name}` | {registers} | {stack} | {spilled} | {shared} | {share:.0%} |")
    print(f"\n{len(rows)} kernels; spills in {sum(row[3] > 0 for row in rows)} of them.")


if __name__ == "__main__":
    main()
