#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Measures amp on the CPU, and for comparison PyTorch, if this Python has it, and oneDNN, called directly.
Each is a separate process. In each round they take turns, so that other load on the machine affects all of
them. Their results are compared before anything is timed. Needs no packages.

    compare.py --programs FOLDER [--quick] [--only REGEX] [--threads 1,2] [--output FOLDER] [--name cpu]

run.sh builds the programs and calls this script. Writes cpu.json, cpu.md and cpu.svg; --name gives them
another name, for another kind of processor. The exit status is 1 if a result is wrong.
"""
import argparse
import dataclasses
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import time

import report

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclasses.dataclass
class Case:
    """A workload of cpu/*.cpp, and the sides (below) that run it."""
    name: str
    group: str
    title: str
    sides: tuple = ("amp", "PyTorch")
    precisions: tuple = ("fp32", "bf16")
    one_thread: bool = False  # on as few threads as are measured
    rounds: int = 9


CNN = ("amp", "PyTorch", "PyTorch, channels_last")


def in_each_configuration(name, title, *others):
    """Returns the cases for amp without oneDNN and with it, PyTorch and others: in float32, each limited to
    AVX2 and not; in bfloat16, not limited."""
    sides = ("header-only", "amp", "PyTorch", *others)
    limited = tuple(f"{side}, AVX2" for side in sides)
    return [Case(name, "configurations", title, of, (precision,), one_thread=True, rounds=5)
            for of, precision in ((limited + sides, "fp32"), (sides, "bf16"))]


CASES = [
    Case("cnn-256", "training", "CNN, batch 256", CNN),
    Case("cnn-64", "training", "CNN, batch 64", CNN),
    Case("mlp-128", "training", "MLP, batch 128"),
    Case("gpt-8", "training", "GPT, 8 x 256 tokens"),
    *(Case(f"matmul-{n}", "matmul", f"matmul {n}", ("amp", "PyTorch", "oneDNN")) for n in (512, 1024, 2048)),
    Case("adam-resnet50", "passes", "optimizer step",
         ("amp", "ideal", "PyTorch", "PyTorch, default Adam"), ("bf16",)),
    Case("libtorch_step-resnet50", "passes", "scaler's step over torch's parameters",
         ("amp, libtorch::Adam", "amp, torch::optim::Adam", "PyTorch", "PyTorch, default Adam"), ("fp32",)),
    Case("unscale-resnet50", "passes", "unscale_", precisions=("fp32", "bf16", "fp16")),
    Case("narrow-16777216", "passes", "16 M float32 to 16 bits", precisions=("bf16", "fp16")),
    Case("widen-16777216", "passes", "16 M of 16 bits to float32", precisions=("bf16", "fp16")),
    *in_each_configuration("cnn-256", "CNN, batch 256", "PyTorch, channels_last"),
    *in_each_configuration("mlp-128", "MLP, batch 128"),
    *in_each_configuration("gpt-8", "GPT, 8 x 256 tokens"),
    *(case for n in (512, 1024, 2048) for case in in_each_configuration(f"matmul-{n}", f"matmul {n}", "oneDNN")),
    Case("matmul-4", "overhead", "matmul 4 x 4", precisions=("fp32",), one_thread=True),
    Case("matmul_weight-4", "overhead", "the same, by a weight that requires a gradient", one_thread=True),
    Case("chain-100", "overhead", "a node in a chain of 100", precisions=("fp32",), one_thread=True),
    Case("chain-10000", "overhead", "a node in a chain of 10,000", precisions=("fp32",), one_thread=True),
]
# Sides: the program, and the variant of the workload. A side named "..., AVX2" runs with these limits.
AVX2 = {"AMP_MAX_CPU_ISA": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2"}
SIDES = {
    "amp": ("cpu_benchmark", ""),
    "header-only": ("cpu_benchmark_header_only", ""),
    "ideal": ("cpu_benchmark", "ideal"),
    "oneDNN": ("cpu_benchmark_onednn", ""),
    "amp, libtorch::Adam": ("cpu_benchmark_libtorch", "fused"),
    "amp, torch::optim::Adam": ("cpu_benchmark_libtorch", "torch"),
    "PyTorch": ("pytorch", ""),
    "PyTorch, channels_last": ("pytorch", "channels_last"),
    "PyTorch, default Adam": ("pytorch", "default"),
}
PROGRAMS = sorted({program for program, _ in SIDES.values()} - {"pytorch"})
# The largest difference of a result, relative to the range of all results of the workload.
LIMITS = {"fp32": 1e-4, "bf16": 2e-2, "fp16": 2e-2}


class Failed(Exception):
    """The error that a worker answers."""


class Worker:
    """A process that measures on command (cpu/worker.hpp)."""

    def __init__(self, command, threads, limits):
        environment = {"AMP_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)} | limits
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=os.environ | environment)

    def ask(self, *words):
        try:
            self.process.stdin.write(" ".join(map(str, words)) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise Failed("the process has ended") from error
        line = self.process.stdout.readline()
        if not line:
            raise Failed("the process has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer

    def stop(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:  # it died
            pass
        self.process.wait()


class Workers:
    """Processes of each program, as many as a case needs; they are reused by later cases."""

    def __init__(self, commands, threads):
        self.commands, self.threads, self.started = commands, threads, {}

    def of(self, program, index, limited=False):
        key = program, index, limited
        if key not in self.started:
            self.started[key] = Worker(self.commands[program], self.threads, AVX2 if limited else {})
        return self.started[key]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self.started.values():
            worker.stop()


@dataclasses.dataclass
class Contestant:
    side: str
    precision: str
    worker: Worker
    results: list
    facts: dict
    turn: float  # seconds that a sample takes
    times: list = dataclasses.field(default_factory=list)  # of each round, a list


def load(case, workers, missing):
    """Loads the case in every side that has it, in all precisions."""
    contestants, used = [], {}
    for precision in case.precisions:
        for side in case.sides:
            program, variant = SIDES[side.removesuffix(", AVX2")]
            if program not in workers.commands:
                continue
            process = program, side.endswith(", AVX2")
            worker = workers.of(program, used.get(process, 0), process[1])
            try:
                answer = worker.ask("load", case.name, precision, variant)
            except Failed as error:
                if side == "amp":
                    raise
                missing.append(f"{case.title}, {precision}, {side}: {error}")
                continue
            used[process] = used.get(process, 0) + 1
            contestants.append(Contestant(side, precision, worker, **answer))
    return contestants


def check(case, contestants):
    """Compares all results with PyTorch's in the highest precision, or with amp's if there are none."""
    with_results = [c for c in contestants if c.results]
    if not with_results:
        return
    by_trust = sorted(with_results, key=lambda c: (case.precisions.index(c.precision),
                                                   c.side.startswith(("amp", "header-only"))))
    expected = by_trust[0].results
    reach = max(expected) - min(expected) if len(expected) > 1 else abs(expected[0])
    for c in with_results:
        limit = LIMITS[c.precision] * reach
        if not all(abs(a - b) <= limit for a, b in zip(c.results, expected, strict=True)):
            raise Failed(f"{case.name}: the results of {c.side} in {c.precision} are {c.results}, but those "
                         f"of {by_trust[0].side} in {by_trust[0].precision} {expected}")


def measure(case, workers, options, missing):
    contestants = load(case, workers, missing)
    check(case, contestants)
    samples = [max(1, min(round(options.turn / c.turn), 25)) for c in contestants]
    for turn in range(min(options.rounds, case.rounds)):
        for i in range(len(contestants)):
            index = (turn + i) % len(contestants)
            c = contestants[index]
            c.times.append(c.worker.ask("run", samples[index])["ms"])
    return contestants


def summary(contestant):
    times = [t for round_ in contestant.times for t in round_]
    quartiles = statistics.quantiles(times, n=4, method="inclusive")
    return {"side": contestant.side, "precision": contestant.precision,
            "median_ms": statistics.median(times), "best_ms": min(times), "quartiles_ms": quartiles[::2],
            "round_medians_ms": [statistics.median(round_) for round_ in contestant.times],
            "samples": len(times), "facts": contestant.facts}


def measure_all(cases, commands, options, figures):
    for threads in options.threads:
        with Workers(commands, threads) as workers:
            for program in commands:
                answer = workers.of(program, 0).ask("info")
                figures["built_from"] = answer | figures["built_from"]  # "amp" is with oneDNN, and the first
            for case in cases:
                if case.one_thread and threads != min(options.threads):
                    continue
                began = time.perf_counter()
                if case.group == "configurations":  # fresh processes, whose memory is measured too
                    with Workers(commands, threads) as fresh:
                        contestants = measure(case, fresh, options, figures["missing"])
                else:
                    contestants = measure(case, workers, options, figures["missing"])
                figures["cases"].append(
                    {"name": case.name, "title": case.title, "group": case.group, "threads": threads,
                     "contestants": [summary(c) for c in contestants]})
                line = ", ".join(f"{c.side} {c.precision} {summary(c)['median_ms']:.4g}" for c in contestants)
                print(f"{case.title}, {threads} thread(s), ms: {line}  "
                      f"[{time.perf_counter() - began:.0f} s]", flush=True)


def beside_plain_loops(program, threads):
    """Measures the passes over ResNet-50's gradients, each in turn with a plain loop over the same memory."""
    run = subprocess.run([program, "--benchmark_filter=ResNet", "--benchmark_format=json"], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                         env=os.environ | {"AMP_NUM_THREADS": str(threads)})
    return [{"title": entry["name"].split("/")[0], "threads": threads,
             **{key: entry[key] for key in ("ratio", "p10", "p90", "plain GB/s")}}
            for entry in json.loads(run.stdout)["benchmarks"]]


# --- the machine ------------------------------------------------------------------------------------

def compile_command(programs):
    """Returns the command by which CMake compiled a source of the benchmark, without file names."""
    path = os.path.join(programs, "..", "compile_commands.json")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        commands = [e["command"] for e in json.load(file)
                    if e["file"].endswith("training_step.cpp") and "/cpu_benchmark.dir/" in e["command"]]
    return commands[0].split(" -o ")[0].split() if commands else []


def compile_seconds(command, sources):
    """Returns the processor time of compiling each source, the better of two runs."""
    figures = {}
    for title, source in sources.items():
        times = []
        for _ in range(2):
            before = os.times().children_user
            subprocess.run([*command, "-O2", "-c", source, "-o", os.devnull], check=True)
            times.append(os.times().children_user - before)
        figures[title] = min(times)
    return figures


def busy_seconds():
    """Returns the processor time that all processes of the machine have used."""
    with open("/proc/stat", encoding="utf-8") as file:
        user, nice, system, _, _, interrupt, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + interrupt + softirq + steal) / os.sysconf("SC_CLK_TCK")


class Others:
    """The share of the machine's processor time that other processes used."""

    def __init__(self):
        self.began = self.now()

    @staticmethod
    def now():
        own = os.times()
        return time.perf_counter(), busy_seconds(), sum(own[:4])

    def share(self):
        elapsed, busy, own = (b - a for a, b in zip(self.began, self.now(), strict=True))
        return max(0.0, busy - own) / (elapsed * os.cpu_count())


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=HERE, check=False).stdout.strip()


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        about = dict(re.split(r"\s*:\s*", line.strip(), maxsplit=1) for line in file if ":" in line)
    flags = about.get("flags", about.get("Features", "")).split()
    names = ("avx2", "avx512f", "avx512_bf16", "avx512_fp16", "amx_bf16", "amx_fp16")
    return {"processor": about.get("model name", "unknown"), "cores": os.cpu_count(),
            "instruction sets": [name for name in names if name in flags],
            "system": " ".join(os.uname()[:3:2])}


def commit():
    changed = output_of("git", "status", "--porcelain", "--untracked-files=no", "../include", ".")
    return output_of("git", "rev-parse", "--short", "HEAD") + (", with changes" if changed else "")


def parse():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--programs", required=True)
    arguments.add_argument("--quick", action="store_true", help="two short rounds, on all threads only")
    arguments.add_argument("--only", default="", help="the cases whose names match this regular expression")
    arguments.add_argument("--threads", help="by default 1, 2 and as many as there are")
    arguments.add_argument("--output", default=os.path.join(HERE, "results"))
    arguments.add_argument("--name", default="cpu", help="of the files, such as cpu_avx512_bf16")
    options = arguments.parse_args()
    everything = {os.cpu_count()} if options.quick else {1, min(2, os.cpu_count()), os.cpu_count()}
    options.threads = sorted(map(int, options.threads.split(",")) if options.threads else everything)
    options.rounds, options.turn = (2, 0.05) if options.quick else (9, 0.4)
    return options


def commands_of(folder):
    """Returns the commands of the programs that exist."""
    commands = {name: [os.path.join(folder, name)] for name in PROGRAMS
                if os.path.exists(os.path.join(folder, name))}
    if importlib.util.find_spec("torch") is None:
        print("PyTorch is not there: amp is measured without it")
        return commands
    return commands | {"pytorch": [sys.executable, os.path.join(HERE, "pytorch_worker.py")]}


def main():
    options = parse()
    cases = [case for case in CASES if re.search(options.only, case.name)]
    if not cases:
        sys.exit(f"--only {options.only}: there are {', '.join(case.name for case in CASES)}")
    figures = {"date": time.strftime("%Y-%m-%d"), "commit": commit(), "machine": machine(),
               "built_from": {}, "missing": [], "cases": [], "plain_loops": [], "compile_seconds": {}}
    command = compile_command(options.programs)
    figures["built_from"]["compiled by"] = " ".join(
        word for word in command if not word.startswith(("-I", "-isystem", "/")))
    others = Others()
    try:
        measure_all(cases, commands_of(options.programs), options, figures)
    except Failed as error:
        sys.exit(f"compare.py: {error}")
    figures["machine"]["share of others"] = others.share()
    if not options.only and not options.quick:
        gradients = os.path.join(options.programs, "cpu_benchmark_gradients")
        if os.path.exists(gradients):
            for threads in options.threads:
                figures["plain_loops"] += beside_plain_loops(gradients, threads)
        if command:
            root, programs = os.path.dirname(HERE), "tests/package/programs"
            figures["compile_seconds"] = compile_seconds(command, {
                "`#include <amp/amp.hpp>` alone": f"{root}/{programs}/nothing.cpp",
                "ten ops": f"{root}/{programs}/ten_ops.cpp",
                "a page, `examples/first_network.cpp`": f"{root}/examples/first_network.cpp"})
    del figures["built_from"]["threads"]
    report.write(figures, options.output, options.name)


if __name__ == "__main__":
    main()
