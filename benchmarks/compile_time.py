#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Measures the cost of compiling programs that include amp, header-only and with the compiled library.

    python3 benchmarks/compile_time.py [--rounds 3] [--compilers g++,clang++] [--output FILE]

Compiles each program at -O2 in both ways, in turn, and prints medians of processor seconds and the
largest peak of memory. A budget is a multiple of the time that the same machine takes for a file with
six standard headers, since seconds differ between machines. The exit status is 1 if a budget is
exceeded.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
REFERENCE = "".join(f"#include <{name}>\n" for name in (
    "algorithm", "functional", "memory", "optional", "string", "vector")) + "int main() {}\n"
ALONE = "#include <amp/amp.hpp>\nint main() {}\n"

# Name, source, and the budgets of g++ (header-only, compiled) in multiples of the reference.
PROGRAMS = (
    ("`amp.hpp` alone", ALONE, (8, 3)),
    ("`ten_ops.cpp`", ROOT / "tests/package/programs/ten_ops.cpp", (26, 4)),
    ("`first_network.cpp`", ROOT / "examples/first_network.cpp", (40, 8)),
    ("`train_cnn.cpp`", ROOT / "examples/train_cnn.cpp", (60, 8)),
)


def compile_once(compiler, source, flags):
    """Returns the processor seconds and the peak MB of one compilation."""
    command = [compiler, "-std=c++20", "-O2", f"-I{ROOT}/include", f"-I{ROOT}/examples", *flags,
               "-c", str(source), "-o", os.devnull]
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(compiler, rounds, folder):
    """Returns {(program, way): [seconds], ...} and {...: MB}; the reference is ("reference", "")."""
    sources = {}
    for number, (name, source, _) in enumerate((("reference", REFERENCE, None), *PROGRAMS)):
        if isinstance(source, str):
            path = folder / f"{number}.cpp"
            path.write_text(source)
            source = path
        sources[name] = source
    ways = {"header-only": [], "compiled": ["-DAMP_COMPILED"]}
    seconds, peaks = {}, {}
    for _ in range(rounds):
        for name, source in sources.items():
            for way, flags in ways.items():
                used, peak = compile_once(compiler, source, flags)
                seconds.setdefault((name, way), []).append(used)
                peaks[name, way] = peak
    return seconds, peaks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compilers", default="g++,clang++")
    parser.add_argument("--output", type=pathlib.Path, help="also write the tables to this file")
    arguments = parser.parse_args()

    lines, exceeded = [], []
    for compiler in arguments.compilers.split(","):
        if not shutil.which(compiler):
            lines.append(f"{compiler}: not found\n")
            continue
        with tempfile.TemporaryDirectory() as folder:
            seconds, peaks = measure(compiler, arguments.rounds, pathlib.Path(folder))
        reference = statistics.median(
            seconds["reference", "header-only"] + seconds["reference", "compiled"])
        version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
        lines += [f"{version.splitlines()[0]}, -O2, {arguments.rounds} rounds; six standard "
                  f"headers take {reference:.2f} s\n",
                  "| program | header-only | compiled | quotient |", "| --- | ---: | ---: | ---: |"]
        for name, _, budgets in PROGRAMS:
            cells, medians = [], []
            for way, budget in zip(("header-only", "compiled"), budgets):
                all_seconds = seconds[name, way]
                median = statistics.median(all_seconds)
                medians.append(median)
                cells.append(f"{median:.2f} s ({min(all_seconds):.2f} to {max(all_seconds):.2f}), "
                             f"{median / reference:.1f} times, {peaks[name, way]:.0f} MB")
                if compiler == "g++" and median > budget * reference:
                    exceeded.append(f"{name}, {way}: {median / reference:.1f} times the reference, "
                                    f"but the budget is {budget}")
            lines.append(f"| {name} | {cells[0]} | {cells[1]} | {medians[0] / medians[1]:.1f} |")
        lines.append("")
    text = "\n".join(lines)
    print(text)
    if arguments.output:
        arguments.output.write_text(text)
    if exceeded:
        sys.exit("\n".join(exceeded))


if __name__ == "__main__":
    main()
