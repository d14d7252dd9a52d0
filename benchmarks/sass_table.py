#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Counts the memory accesses of the kernels of object files in their disassembly, and lists the resources
that they need to be launched. No time is measured.

    nvcc -std=c++20 -arch=sm_90 -cubin -I include all.cu -o all.cubin    all.cu includes <amp/cuda.cuh>
    sass_table.py OBJECT...                     every kernel
    sass_table.py --differ BEFORE AFTER         the kernels of two objects that differ
    sass_table.py --check [TABLE.md]... -- OBJECT...
                                                status 1 if faults() finds one in a kernel, or if a table
                                                has a row of a kernel that does not exist

Prints Markdown, from which results/sass_sm90.md is made. Needs c++filt, and cuobjdump and nvdisasm of the
CUDA toolkit, of PyTorch's Triton, or where tests/run.sh installs them; the status is 77 if there are none.
"""

import collections
import contextlib
import dataclasses
import importlib.util
import math
import pathlib
import re
import shutil
import subprocess
import sys

REGISTERS = 65536  # of a multiprocessor
BLOCK = 256  # threads of a block, unless a kernel says otherwise

# /*0a10*/  @!P0 STG.E.128 desc[UR14][R26.64+0x10], R8 ;
INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]+\*/\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)\s*([^;]*);")
ADDRESS = re.compile(r"\[(R\d+|RZ)(?:\.\w+)?(?:\+(-?0x[0-9a-f]+))?\]")
WIDTHS = {"128": 16, "64": 8, "U16": 2, "S16": 2, "U8": 1, "S8": 1}
MEMORY = {"LDG": "load", "LD": "load", "STG": "store", "ST": "store"}
ENDS_BLOCK = {"BRA", "BRX", "JMP", "CALL", "RET", "EXIT", "BSYNC", "BAR", "WARPSYNC"}


@dataclasses.dataclass
class Kernel:
    """The figures of a kernel: accesses to device memory by width in bytes; accesses whose address space
    ptxas does not know (generic); stores that could be combined into one of 16 bytes (split); and
    accesses to the memory of a thread (local)."""

    loads: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    stores: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    generic: int = 0
    split: int = 0
    local: int = 0
    registers: int = 0
    stack: int = 0
    shared: int = 0
    parameters: int = 0
    threads: int = BLOCK  # of a block, at most

    def figures(self):
        def by_width(counter):
            return [counter[16], counter[8], counter[4], counter[2] + counter[1]]

        return [self.registers, self.stack, self.shared, *by_width(self.loads),
                *by_width(self.stores), self.generic, self.split, self.local]


COLUMNS = ["registers", "stack", "shared", "load 16 B", "8 B", "4 B", "less", "store 16 B", "8 B",
           "4 B", "less", "generic", "split", "local"]


# The bytes that a kernel may have on its stack, and the reason; all other kernels have none.
STACKS = {
    "random_kernel<float>": 32,  # CUDA's sine and cosine
    "step_kernel<": 40,  # CUDA's cosine, in the schedule of a learning rate
    **{f"elementwise_kernel<{function}": 40 for function in ("Sin,", "Cos,", "Tan,", "Derivative<Sin>",
                                                           "Derivative<Cos>")},  # CUDA's, of large numbers
    "elementwise_kernel<Erfinv, double": 128,  # so long that a thread's elements take turns in a loop
}


def faults(name, kernel):
    """Yields a text for each fault of a kernel."""
    if kernel.split:
        yield f"{kernel.split} stores are parts of 16-byte ones"
    stack = next((most for start, most in STACKS.items() if name.startswith(start)), 0)
    if kernel.stack > stack:
        yield f"{kernel.stack} bytes of stack, {stack} were expected"
    if -(-kernel.registers // 8) * 8 * kernel.threads > REGISTERS:
        yield f"{kernel.registers} registers for each of {kernel.threads} threads: no block fits"
    if kernel.shared > 48 * 1024:
        yield f"{kernel.shared} bytes of shared memory, more than 48 KiB"
    if kernel.parameters > 4096:
        yield f"{kernel.parameters} bytes of parameters, more than 4 KiB"


class Runs:
    """The narrow stores of a basic block, to find those that fill 16 neighbouring bytes: of one width, under
    one predicate or none, with one base register, whose values do not change."""

    def __init__(self):
        self.offsets = collections.defaultdict(set)

    def add(self, base, predicate, width, offset):
        self.offsets[base, predicate, width].add(offset)

    def overwritten(self, registers):
        """Returns the number of split stores that need one of these registers, or of all if it is None."""
        split = 0
        for base, predicate, width in list(self.offsets):
            if registers is not None and registers.isdisjoint((base, predicate)):
                continue
            split += self.in_sixteens(self.offsets.pop((base, predicate, width)), width)
        return split

    @staticmethod
    def in_sixteens(offsets, width):
        found, run = 0, 0
        for offset in sorted(offsets):
            run = run + 1 if offset - width in offsets else 1
            if run * width == 16:
                found, run = found + run, 0
        return found


def tool(name):
    """Returns the path of a program of the CUDA toolkit."""
    root = pathlib.Path(__file__).resolve().parent.parent
    folders = ["/usr/local/cuda/bin", *map(str, root.glob("build/tests/cuda_tools/nvidia/*/bin"))]
    if nvcc := shutil.which("nvcc"):
        folders.append(str(pathlib.Path(nvcc).resolve().parent))
    if (triton := importlib.util.find_spec("triton")) and triton.origin:
        folders.append(str(pathlib.Path(triton.origin).parent / "backends" / "nvidia" / "bin"))
    return shutil.which(name) or shutil.which(name, path=":".join(folders))


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


def destinations(operands):
    """Returns the registers and predicates that an instruction may write: a register with the one after it,
    and the predicates before the first register that it reads."""
    written = set(re.match(r"(?:(?:U?P[T\d]|R\d+|RZ), )*", operands)[0].split(", "))
    first = re.match(r"(?:U?P[T\d], )*R(\d+)\b", operands)
    return written | {f"R{int(first[1])}", f"R{int(first[1]) + 1}"} if first else written


def count(lines):
    """Returns the kernels in the output of `cuobjdump -sass`."""
    kernels, kernel, runs = {}, Kernel(), Runs()
    for line in lines:
        if "Function :" in line:
            kernel.split += runs.overwritten(None)
            kernel = kernels[line.split()[-1]] = Kernel()
            continue
        if not (found := INSTRUCTION.match(line)):
            continue
        name, *modifiers = found[2].split(".")
        predicate, operands = (found[1] or "").strip("@! "), found[3]
        if name in MEMORY:
            width = next((WIDTHS[m] for m in modifiers if m in WIDTHS), 4)
            kernel.generic += name in ("LD", "ST")
            (kernel.loads if MEMORY[name] == "load" else kernel.stores)[width] += 1
            if MEMORY[name] == "store":
                address = ADDRESS.search(operands)
                # A store of 16 bytes that was split into two of 8 is not detected: stores of 8 bytes
                # are also intended, for example for four 16-bit numbers.
                if address and address[1] != "RZ" and width <= 4:
                    runs.add(address[1], predicate, width, int(address[2] or "0", 16))
                continue
        elif name in ("LDL", "STL"):
            kernel.local += 1
        if name in ENDS_BLOCK:
            kernel.split += runs.overwritten(None)
        else:
            kernel.split += runs.overwritten(destinations(operands))
    kernel.split += runs.overwritten(None)
    return kernels


def resources(lines, kernels):
    """Adds the figures of `cuobjdump -res-usage`. Returns the names of its kernels."""
    kernel, names = None, set()
    for line in lines:
        if function := re.match(r"\s*Function (\S+):", line):
            names.add(function[1])
            kernel = kernels.get(function[1], Kernel())
        elif (figures := dict(re.findall(r"(\w+):(\d+)", line))) and kernel and "REG" in figures:
            kernel.registers = int(figures["REG"])
            kernel.stack = int(figures["STACK"])
            kernel.shared = int(figures["SHARED"])
    return names


def attributes(lines, kernels):
    """Adds the figures of `cuobjdump -elf`. Returns the names of its kernels."""
    kernel, attribute, names = None, None, set()
    for line in lines:
        if line.startswith("."):
            name = line.strip().removeprefix(".nv.info.")
            kernel = kernels.get(name)
            if name != line.strip():
                names.add(name)
        elif "Attribute:" in line:
            attribute = line.split()[-1]
        elif kernel is not None and "Value:" in line:
            if attribute == "EIATTR_MAX_THREADS":
                kernel.threads = math.prod(int(value, 16) for value in line.split()[1:])
            elif attribute == "EIATTR_CBANK_PARAM_SIZE":
                kernel.parameters = int(line.split()[1], 16)
    return names


def disassemble(path):
    """Returns the kernels of an object file by name."""
    program = tool("cuobjdump")
    if program is None:
        print("skipped: no cuobjdump")
        sys.exit(77)

    @contextlib.contextmanager
    def output(option):
        with subprocess.Popen([program, option, path], stdout=subprocess.PIPE, text=True) as process:
            yield process.stdout
        if process.returncode != 0:
            sys.exit(f"cuobjdump {option} {path} ended with status {process.returncode}")

    with output("-sass") as lines:
        kernels = count(lines)
    with output("-res-usage") as lines:
        used = resources(lines, kernels)
    with output("-elf") as lines:
        described = attributes(lines, kernels)
    for option, names in (("-res-usage", used), ("-elf", described)):
        if apart := kernels.keys() ^ names:
            sys.exit(f"{path}: {len(apart)} kernels are only in one of cuobjdump -sass and {option}, "
                     f"such as {min(apart)}")
    if not any(kernel.parameters for kernel in kernels.values()):
        sys.exit(f"{path}: cuobjdump -elf names the parameters of no kernel")
    names = subprocess.run(["c++filt"], input="\n".join(kernels), capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return dict(sorted(zip(map(shorten, names), kernels.values()), key=lambda row: row[0]))


def print_table(columns, rows):
    print("| kernel | " + " | ".join(columns) + " |")
    print("| --- |" + " ---: |" * len(columns))
    for name, figures in rows:
        print(f"| `{name}` | " + " | ".join(map(str, figures)) + " |")


def disassemble_all(paths):
    return dict(sorted(row for path in paths for row in disassemble(path).items()))


def check(tables, objects):
    """Prints the faults. Returns whether there is any."""
    kernels = disassemble_all(objects)
    wrong = [f"{name}: {fault}" for name, kernel in kernels.items() for fault in faults(name, kernel)]
    for path in tables:
        names = re.findall(r"^\| `(.*?)` \|", pathlib.Path(path).read_text(), re.MULTILINE)
        wrong += [f"{path} has a row of {name}, which is no kernel" for name in names if name not in kernels]
        if not names:
            wrong.append(f"{path} has no rows of kernels")
    words = sum(kernel.stores[16] > 0 for kernel in kernels.values())
    print(*wrong, f"{len(kernels)} kernels, {words} of them store 16 bytes at a time", sep="\n")
    return bool(wrong) or words == 0


def differ(before, after):
    """Yields a row for each kernel of both that differs."""
    for name in sorted(before.keys() & after.keys()):
        pairs = list(zip(before[name].figures(), after[name].figures()))
        if any(old != new for old, new in pairs):
            yield name, [old if old == new else f"{old} → {new}" for old, new in pairs]


def alike(kernels):
    """Yields a row for all instances of a template that differ in nothing but their registers: the name of
    the first, their number, the most registers, and the other figures."""
    groups = collections.defaultdict(list)
    for name, kernel in kernels.items():
        registers, *others = kernel.figures()
        groups[name.split("<")[0], *others].append((name, registers))
    for (_, *others), instances in groups.items():
        most = max(registers for _, registers in instances)
        yield instances[0][0], [len(instances), most, *others]


def main(arguments):
    if arguments[0] == "--check":
        split = arguments.index("--")
        sys.exit(check(arguments[1:split], arguments[split + 1:]))
    if arguments[0] == "--differ":
        before, after = map(disassemble, arguments[1:])
        print_table(COLUMNS, differ(before, after))
        return
    print_table(["alike", *COLUMNS], alike(disassemble_all(arguments)))


if __name__ == "__main__":
    main(sys.argv[1:])
