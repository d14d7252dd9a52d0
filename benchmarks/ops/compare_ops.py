#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Measures the ops of amp on the CPU beside PyTorch, one by one. The two are separate processes, which take
turns in each round; their results and gradients are compared before anything is timed.

    compare_ops.py --programs FOLDER [--quick] [--only REGEX] [--threads 1,2] [--caps avx2,avx512,native]
                   [--dtypes fp32,bf16,fp16] [--side header-only|amp] [--output FILE]

run.sh --ops builds the programs and calls this script. Without --only and --quick it writes the section of
this kind of processor in results/ops.md; with them it only prints, unless there is --output. The exit status
is 1 if a result is wrong.
"""
import argparse
import dataclasses
import os
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import compare  # noqa: E402
import report  # noqa: E402

SLOWER = 0.95  # the ratio below which amp counts as slower
INSTRUCTIONS = {"avx2": "avx2", "avx512": "avx512f"}  # what a cap is for: without it, native is the same
CAPS = {"avx2": compare.AVX2,
        "avx512": {"AMP_MAX_CPU_ISA": "AVX512", "ONEDNN_MAX_CPU_ISA": "AVX512_CORE",
                   "ATEN_CPU_CAPABILITY": "avx512", "MKL_ENABLE_INSTRUCTIONS": "AVX512"},
        "native": {}}
# How far amp's results may be from PyTorch's of the same inputs in a wider dtype, relative to the largest
# number of the tensor; and how far in any case in float16, whose numbers are multiples of 6e-8.
LIMITS = {"fp32": 2e-5, "bf16": 1e-2, "fp16": 2e-3}
ABSOLUTE = {"fp32": 0, "bf16": 0, "fp16": 1.2e-7}
COMPARED = 64  # elements of each tensor (some_of in cpu/numbers.hpp)


@dataclasses.dataclass
class Case:
    """A workload, named as in main.cpp, and its passes: f is forward, fb forward and backward."""
    name: str
    passes: tuple = ("f", "fb")
    precisions: tuple = ("fp32", "bf16", "fp16")
    is_dropout: bool = False  # where the result of either side is 0, they are not compared


def cases(inputs, *ops, **others):
    return [Case(f"{op}/{inputs}", **others) for op in ops]


FORWARD, LOW = {"passes": ("f",)}, {"precisions": ("bf16", "fp16")}
MATRIX, IMAGES, POSITIVE = "2048x1024", "64x64x32x32", "2048x1024@0.5..2.5"
DIMS = (":-1", ":0", "")  # the last, the first, all
HEADS = "/".join(["8x12x256x64"] * 3)
LAYER = ["2048x512@-0.05..0.05"] * 2 + ["2048"] * 2  # of an LSTM of 512
CASES = [
    *cases(f"{MATRIX}/{MATRIX}", "add", "sub", "mul", "maximum", "minimum"),
    *cases(f"{MATRIX}/{POSITIVE}", "div", "atan2", "fmod", "remainder"),
    *cases(f"{MATRIX}/1024", "add", "mul"),
    *cases(f"{IMAGES}/64x1x1", "add", "mul"),
    *cases(MATRIX, "mul_number:0.5", "neg", "abs", "square"),
    *cases(MATRIX, "relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "leaky_relu:0.01", "elu:1.0",
           "celu:0.5", "selu", "hardtanh:-1.0:1.0", "relu6", "hardswish", "hardsigmoid", "softplus", "mish",
           "logsigmoid", "softshrink:0.5", "softsign"),
    *cases(MATRIX, "exp", "expm1", "sin", "cos", "tan", "sinh", "cosh", "atan", "erf"),
    *cases("2048x1024@-0.9..0.9", "asin", "acos", "erfinv"),
    *cases(POSITIVE, "sqrt", "rsqrt", "reciprocal", "log", "log1p", "log2", "log10", "pow:2", "pow:3",
           "pow:2.5"),
    *cases(f"{POSITIVE}/{MATRIX}", "pow"),
    *cases(MATRIX, "floor", "ceil", "trunc", "round", "sign", "lt:0.5", "isnan", "isfinite", **FORWARD),
    *cases(f"{MATRIX}/{MATRIX}", "eq", **FORWARD),
    *cases(f"?{MATRIX}/?{MATRIX}", "logical_and", **FORWARD),
    *cases(f"?{MATRIX}/{MATRIX}/{MATRIX}", "where"),
    *cases(MATRIX, *(op + dim for op in ("sum", "mean", "var", "amax", "amin") for dim in DIMS)),
    *cases("2048x1024@-0.02..0.02", *(f"norm:{p}{dim}" for p in (1, 2, 3) for dim in DIMS)),
    *cases(MATRIX, "std:-1", "std:0", "logsumexp:-1", "logsumexp:0", "normalize:2:-1", "softmax:-1", "softmax:0",
           "log_softmax:-1", "log_softmax:0"),
    *cases("2048x1024@0.9..1.1", "prod:-1", "prod:0"),
    *cases(MATRIX, "argmax:-1", "argmax:0", "argmax", **FORWARD),
    *cases(IMAGES, "sum:1", "amax:1", "softmax:1"),
    *cases(f"{MATRIX}/2048<1024", "cross_entropy", "nll_loss"),
    *cases(f"{MATRIX}/={MATRIX}@0..1", "mse_loss", "binary_cross_entropy_with_logits"),
    *cases(f"{MATRIX}/1024/1024", "layer_norm"),
    *cases(f"{MATRIX}/1024", "rms_norm"),
    *cases(f"{IMAGES}/64/64", "group_norm:32"),
    *cases(f"{IMAGES}/=64/=64@0.5..1.5/64/64", "batch_norm"),
    *cases(f"~{IMAGES}/=64/=64@0.5..1.5/64/64", "batch_norm"),
    *cases(MATRIX, "contiguous:1:0"),
    *cases(IMAGES, "contiguous:0:2:3:1"),
    *cases("64x32x32x64", "contiguous:0:3:1:2"),
    *cases("8x256x12x64", "contiguous:0:2:1:3"),
    *cases("1024x1024/1024x1024", "cat:0", "cat:1", "stack:0", "stack:-1"),
    *cases(f"{MATRIX}/1024<2048", "index_select:0"),
    *cases(f"{MATRIX}/512<1024", "index_select:1"),
    *cases("2048<8192/8192x768", "embedding"),
    *cases(MATRIX, "dropout:0.5", is_dropout=True),
    *cases(IMAGES, "max_pool2d:2", "avg_pool2d:2"),
    *cases(f"~{IMAGES}", "max_pool2d:2", "avg_pool2d:2"),
    *cases("16x64x32x32/64x64x3x3/64", "conv2d:1:1:1"),
    *cases("~16x64x32x32/64x64x3x3/64", "conv2d:1:1:1"),
    *cases("16x64x32x32/128x64x3x3/128", "conv2d:2:1:1"),
    *cases("16x64x32x32/128x64x1x1/128", "conv2d:1:0:1"),
    *cases("16x64x32x32/64x1x3x3/64", "conv2d:1:1:64"),
    *cases("512x512/512x512", "matmul"),
    *cases("96x256x64/96x64x256", "bmm"),
    *cases("512x768/3072x768/3072", "linear"),
    *cases("4x1024/4096x1024/4096", "linear"),
    *cases(HEADS, "scaled_dot_product_attention", "scaled_dot_product_attention:1"),
    *cases(f"^{MATRIX}/=1", "type_as", **LOW),
    *cases(f"{MATRIX}/=^1", "type_as", **LOW),
    *cases(MATRIX, "fill:0.5", **FORWARD),
    *cases(f"{MATRIX}/{MATRIX}/{MATRIX}", "addcmul"),
    *cases(f"{MATRIX}/{MATRIX}", "lerp:0.25", "huber_loss", "smooth_l1_loss", "cosine_similarity:1"),
    *cases(MATRIX, "clamp:-1.0:1.0", "flip:0", "flip:1", "roll:3:1", "repeat_interleave:2:0", "tril",
           "cumsum:0", "cumsum:1", "cummax:0", "cummax:1", "sort:1", "topk:10:1"),
    *cases("2048x1024@0.9..1.1", "cumprod:0", "cumprod:1"),
    *cases("2048/1024", "outer"),
    *cases("512x64/512x64", "cdist:1", "cdist:2", precisions=("fp32",)),
    *cases(f"{MATRIX}/2048x1024<2048", "gather:0"),
    *cases(f"{MATRIX}/2048x1024<1024", "gather:1"),
    *cases(f"{MATRIX}/2048x1024<2048/{MATRIX}", "scatter_add:0"),
    *cases(f"{MATRIX}/4096<2048/4096x1024", "index_add:0"),
    *cases(f"{MATRIX}/?{MATRIX}", "masked_fill:0.5", "masked_select"),
    *cases(IMAGES, "pad:1", "adaptive_avg_pool2d:7", "instance_norm", "interpolate_nearest",
           "interpolate_bilinear", "interpolate_bicubic"),
    *cases(f"~{IMAGES}", "interpolate_nearest", "interpolate_bilinear"),
    *cases(f"{IMAGES}/64x32x32x2@-1..1", "grid_sample"),
    *cases("16x64x32x32", "unfold:3"),
    *cases("32x64x1024", "max_pool1d:2"),
    *cases("16x64x512/64x64x5/64", "conv1d"),
    *cases("2x16x16x32x32/32x16x3x3x3/32", "conv3d"),
    *cases("16x64x16x16/64x32x4x4/32", "conv_transpose2d:2:1"),
    *cases("128x32x512/" + "/".join(LAYER * 2), "lstm", precisions=("fp32", "bf16")),
]


@dataclasses.dataclass
class Row:
    case: Case
    precision: str
    passes: str
    cap: str
    threads: int
    amp: float = 0  # the best time, in milliseconds
    pytorch: float = 0

    @property
    def ratio(self):
        return self.pytorch / self.amp

    def __str__(self):
        return (f"{self.case.name} {self.precision} {self.passes}, {self.cap}, {self.threads} thread(s): amp "
                f"{self.amp:.4g} ms, PyTorch {self.pytorch:.4g} ms, {self.ratio:.2f}")


class NotInPyTorch(Exception):
    """PyTorch lacks the op, or has it not in this dtype."""


def difference(row, own, expected):
    """Returns the largest difference, in multiples of the limit."""
    limit, largest = LIMITS[row.precision], 0
    for first in range(0, len(expected), COMPARED):
        pairs = list(zip(own[first:first + COMPARED], expected[first:first + COMPARED], strict=True))
        allowed = limit * max(abs(b) for _, b in pairs) + ABSOLUTE[row.precision]
        for a, b in pairs:
            if not (a == b or row.case.is_dropout and 0 in (a, b)):
                largest = max(largest, abs(a - b) / allowed) if a - b == a - b else float("inf")
    return largest


def measure(row, amp, pytorch, options):
    """Fills in the row's times. Where noise may be why amp seems slower, there are more rounds."""
    words = "load", row.case.name, row.precision, row.passes
    try:
        expected = pytorch.ask(*words)
    except compare.Failed as error:
        raise NotInPyTorch(str(error)) from error
    own = amp.ask(*words)
    if (excess := difference(row, own["results"], expected["results"])) > 1:
        raise compare.Failed(f"a result differs from PyTorch's by {excess:.3g} times what is allowed")
    sides = [(amp, own["turn"], []), (pytorch, expected["turn"], [])]
    began, most = time.perf_counter(), options.rounds if options.quick else 3 * options.rounds
    for turn in range(most):
        for worker, seconds, times in sides if turn % 2 else reversed(sides):
            times += worker.ask("run", max(1, min(round(options.turn / seconds), 25)))["ms"]
        row.amp, row.pytorch = (min(times) for _, _, times in sides)
        is_clear = turn + 1 >= options.rounds and not 0.7 < row.ratio < 1.02 * SLOWER
        if is_clear or time.perf_counter() - began > 2:  # float16 takes PyTorch seconds in some ops
            break
    return row


def measure_all(chosen, commands, options, figures):
    """Returns the rows, and the errors of those that are wrong."""
    rows, wrong = [], []
    for cap in options.caps:
        for threads in options.threads:
            workers = [compare.Worker(commands[side], threads, CAPS[cap]) for side in ("amp", "PyTorch")]
            for worker in workers:
                figures["built_from"].update(worker.ask("info"))
            for case in chosen:
                for precision in (p for p in case.precisions if p in options.dtypes):
                    for passes in case.passes:
                        row = Row(case, precision, passes, cap, threads)
                        try:
                            rows.append(measure(row, *workers, options))
                            print(row, flush=True)
                        except NotInPyTorch as error:
                            figures["missing"].append(f"{case.name} {precision} {passes}: {error}")
                            print(figures["missing"][-1], flush=True)
                        except compare.Failed as error:
                            wrong.append(f"{case.name} {precision} {passes}, {cap}: {error}")
                            print(wrong[-1], flush=True)
            for worker in workers:
                worker.stop()
    return rows, wrong


def tables(rows):
    """Returns the lines of a table for each cap and number of threads."""
    lines = []
    for cap, threads in dict.fromkeys((row.cap, row.threads) for row in rows):
        here = [row for row in rows if (row.cap, row.threads) == (cap, threads)]
        found = {(row.case.name, row.precision, row.passes): row for row in here}
        columns = [(precision, passes) for precision in report.NAMES for passes in ("f", "fb")
                   if any((row.precision, row.passes) == (precision, passes) for row in here)]
        head = ["op", *(f"{report.NAMES[precision]} {passes}" for precision, passes in columns)]
        head[1] = ">" + head[1]
        lines += [f"### {cap}, {threads} thread{'s' if threads > 1 else ''}", "", *report.table(head, [
            [f"`{name}`", *(cell(found.get((name, *column))) for column in columns)]
            for name in dict.fromkeys(row.case.name for row in here)])]
    return lines


def cell(row):
    if row is None:
        return ""
    ratio = f"{row.ratio:.2f}"
    return f"{f'**{ratio}**' if row.ratio < SLOWER else ratio} ({report.number(row.amp)})"


def write(path, figures, rows):
    """Replaces the section of this kind of processor, or adds it."""
    about = f"""\
# The ops of amp on the CPU, beside PyTorch

Made by `benchmarks/run.sh --ops`. PyTorch's time over amp's, the best of each, and amp's in milliseconds. Above 1,
amp is faster; **bold** is below {SLOWER}. f: the forward pass; fb: forward and backward. avx2 and avx512: both sides
have these instructions at most; native: all of the processor. An op's name is a call of numbers and inputs, as
`benchmarks/ops/main.cpp` describes it.
"""
    m = figures["machine"]
    title = f"{m['processor']} with {', '.join(m['instruction sets'])}"
    sections = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for section in file.read().split("\n## ")[1:]:
                sections[section.split("\n", 1)[0]] = section.rstrip()
    sections[title] = "\n".join([title, "", *report.machine_lines(figures), *tables(rows)]).rstrip()
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n## ".join([about, *(section + "\n" for section in sections.values())]))
    print(f"written: {path}")


def parse():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--programs", required=True)
    arguments.add_argument("--quick", action="store_true", help="one short round")
    arguments.add_argument("--only", default="", help="the ops whose names match this regular expression")
    arguments.add_argument("--threads", default="1")
    arguments.add_argument("--caps", default="native", help="of avx2, avx512 and native; by default native")
    arguments.add_argument("--dtypes", default="fp32,bf16,fp16")
    arguments.add_argument("--side", choices=("header-only", "amp"), default="header-only",
                           help="amp's include path alone, or amp with oneDNN")
    arguments.add_argument("--output", help="by default results/ops.md")
    options = arguments.parse_args()
    options.threads = [int(n) for n in options.threads.split(",")]
    options.dtypes = options.dtypes.split(",")
    sets = ["native", *compare.machine()["instruction sets"]]
    options.caps = [cap for cap in options.caps.split(",") if INSTRUCTIONS.get(cap, cap) in sets]
    options.rounds, options.turn = (1, 0.0) if options.quick else (4, 0.012)
    if not options.output and not options.only and not options.quick:
        options.output = os.path.join(compare.HERE, "results", "ops.md")
    return options


def main():
    options = parse()
    chosen = [case for case in CASES if re.search(options.only, case.name)]
    if not chosen:
        sys.exit(f"--only {options.only}: there are {', '.join(case.name for case in CASES)}")
    program = {"header-only": "cpu_benchmark_ops_header_only", "amp": "cpu_benchmark_ops"}[options.side]
    commands = {"amp": [os.path.join(options.programs, program)],
                "PyTorch": [sys.executable, os.path.join(HERE, "pytorch_ops.py")]}
    figures = {"date": time.strftime("%Y-%m-%d"), "commit": compare.commit(), "machine": compare.machine(),
               "built_from": {}, "missing": []}
    others = compare.Others()
    rows, wrong = measure_all(chosen, commands, options, figures)
    figures["machine"]["share of others"] = others.share()
    del figures["built_from"]["threads"]
    print(f"\nbelow {SLOWER}:")
    slower = [row for row in rows if row.ratio < SLOWER]
    for row in sorted(slower, key=lambda row: (row.cap, row.threads, row.precision, row.ratio)):
        print(row)
    if wrong:
        sys.exit("\n".join(["\nwrong before anything is timed:", *wrong]))
    if options.output:
        write(options.output, figures, rows)


if __name__ == "__main__":
    main()
