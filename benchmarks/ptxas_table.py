#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""What ptxas makes of the kernels of <amp/cuda.cuh> for several architectures: registers, spills, shared
memory, how many threads a multiprocessor holds, and whether each kernel can be launched.

    python3 ptxas_table.py [ARCHITECTURE]...     75 80 90 100 120 unless given

Prints Markdown, from which results/ptxas.md is made. Needs nvcc, c++filt and cuobjdump (sass_table.py says
where it is found), and minutes for each architecture.
"""

import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile

from sass_table import BLOCK, REGISTERS, attributes, shorten, tool


@dataclasses.dataclass
class Architecture:
    """One multiprocessor (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability")."""

    threads: int
    blocks: int
    shared: int
    reserved: int = 1024  # bytes of shared memory of each block that CUDA takes


ARCHITECTURES = {
    "75": Architecture(1024, 16, 64 * 1024, 0),
    "80": Architecture(2048, 32, 164 * 1024),
    "90": Architecture(2048, 32, 228 * 1024),
    "100": Architecture(2048, 32, 228 * 1024),
    "120": Architecture(1536, 24, 100 * 1024),
}
FEW = 512  # threads of a multiprocessor: a kernel that cannot have more is worth a row


@dataclasses.dataclass
class Kernel:
    """The figures of a kernel on one architecture. Stack and spills, in bytes, are the most of the kernel and
    of the functions that it calls. `threads`: of a block, at most."""

    registers: int = 0
    stack: int = 0
    spilled: int = 0
    shared: int = 0
    threads: int = BLOCK
    parameters: int = 0

    def blocks(self, architecture):
        """Returns how many blocks a multiprocessor holds; 0 if the kernel cannot be launched."""
        if self.shared > 48 * 1024:
            return 0
        most = min(REGISTERS // (-(-self.registers // 8) * 8 * self.threads),
                   architecture.threads // self.threads, architecture.blocks)
        if self.shared:
            most = min(most, architecture.shared // (self.shared + architecture.reserved))
        return most

    def resident(self, architecture):
        return self.blocks(architecture) * self.threads


def compile_all(architectures):
    """Returns what ptxas says, and the largest blocks of the kernels by their mangled names."""
    include = pathlib.Path(__file__).resolve().parent.parent / "include"
    with tempfile.TemporaryDirectory() as folder:
        unit, compiled = pathlib.Path(folder) / "all.cu", pathlib.Path(folder) / "all.o"
        unit.write_text("#include <amp/cuda.cuh>\n")
        command = ["nvcc", "-std=c++20", "-Xptxas", "-v", "-I", include, "-c", unit, "-o", compiled]
        for number in architectures:
            command += ["-gencode", f"arch=compute_{number},code=sm_{number}"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        return said, described(compiled, said)


def described(compiled, said):
    """Returns a Kernel with its largest block for each mangled name."""
    kernels = {name: Kernel() for name in re.findall(r"Compiling entry function '(\w+)'", said)}
    listing = subprocess.run([tool("cuobjdump"), "-elf", compiled], capture_output=True, text=True,
                             check=True).stdout
    attributes(listing.splitlines(), kernels)
    return kernels


def read(said, blocks):
    """Returns the kernels of each architecture by mangled name."""
    found, kernel = {}, None
    for line in said.splitlines():
        if entry := re.search(r"Compiling entry function '(\w+)' for 'sm_(\d+)", line):
            kernel = Kernel(threads=blocks[entry[1]].threads)
            found.setdefault(entry[2], {})[entry[1]] = kernel
        elif sizes := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores", line):
            kernel.stack = max(kernel.stack, int(sizes[1]))
            kernel.spilled = max(kernel.spilled, int(sizes[2]))
        elif used := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            kernel.registers, kernel.shared = int(used[1]), int(shared[1]) if shared else 0
    return found


def with_short_names(found):
    """Returns the kernels of each architecture by short name, in its order."""
    mangled = list(next(iter(found.values())))
    names = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True,
                           check=True).stdout.splitlines()
    order = sorted(zip(map(shorten, names), mangled))
    return {number: {name: kernels[key] for name, key in order} for number, kernels in found.items()}


def joined(values):
    """Returns a figure of all architectures: once if it is the same on each."""
    values = [str(value) for value in values]
    return values[0] if len(set(values)) == 1 else " · ".join(values)


def print_tables(found):
    limits = [ARCHITECTURES[number] for number in found]
    titles = [f"{number[:-1]}.{number[-1]}" for number in found]
    print("| compute capability | threads it holds | kernels | most registers | most shared memory "
          f"| with spills | at most {FEW} threads | at most half the threads | cannot be launched |")
    print("| --- |" + " ---: |" * 8)
    for title, kernels, limit in zip(titles, found.values(), limits):
        resident = [kernel.resident(limit) for kernel in kernels.values()]
        print(f"| {title} | {limit.threads} | {len(kernels)} "
              f"| {max(kernel.registers for kernel in kernels.values())} "
              f"| {max(kernel.shared for kernel in kernels.values())} "
              f"| {sum(kernel.spilled > 0 for kernel in kernels.values())} "
              f"| {sum(threads <= FEW for threads in resident)} "
              f"| {sum(2 * threads <= limit.threads for threads in resident)} "
              f"| {resident.count(0)} |")
    print("\n| kernel | block | registers | stack | spilled | shared | threads |")
    print("| --- |" + " ---: |" * 6)
    for name in next(iter(found.values())):
        kernels = [kernels[name] for kernels in found.values()]
        resident = [kernel.resident(limit) for kernel, limit in zip(kernels, limits)]
        if min(resident) > FEW and not any(kernel.stack or kernel.spilled for kernel in kernels):
            continue
        figures = [[kernel.registers for kernel in kernels], [kernel.stack for kernel in kernels],
                   [kernel.spilled for kernel in kernels], [kernel.shared for kernel in kernels], resident]
        print(f"| `{name}` | {kernels[0].threads} | " + " | ".join(map(joined, figures)) + " |")


def main():
    said, blocks = compile_all(sys.argv[1:] or list(ARCHITECTURES))
    print_tables(with_short_names(read(said, blocks)))


if __name__ == "__main__":
    main()
