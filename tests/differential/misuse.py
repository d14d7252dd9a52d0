#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Wrong calls, at random:

    tests/differential/misuse.py [--cases 6000] [--seed 1] [--case N] [--only KEY]

Draws calls as run.py does and spoils one or two arguments of each: an undefined tensor, another
dtype or shape, an index out of range, a number that is negative, huge or not finite. amp
(evaluate.cpp, compiled with AddressSanitizer and UBSan) must compute each call or throw amp::Error;
which of them is not compared. Exits with 77 where Python has no torch.
"""

import os
import random
import re
import subprocess
import sys
import warnings

import run
import draw
import torch
import training

INTEGERS = (-2, -1, 0, 1, 2, 3, 7, 64, 2**31 - 1, 2**31, -2**31, 2**32, 2**62, -2**63)
REALS = (-1.0, -0.5, 0.0, 2.0, 1e308, 1e-320, float("inf"), float("-inf"), float("nan"))
DTYPES = tuple(draw.BY_NAME.values())
AT_ONCE, SECONDS = 500, 200
# What evaluate.cpp itself cannot do with a spoilt number, and memory for a std::vector that no
# machine has: without the sanitizer, std::bad_alloc.
NOT_OURS = re.compile(r"tests/\S+: runtime error|_M_range_check|allocator is out of memory"
                      r"|requested allocation size")


def fresh(rng, sizes, dtype):
    return draw.tensor(rng, sizes, dtype,
                       requires_grad=dtype.is_floating_point and rng.random() < 0.5)


def other_sizes(rng, sizes):
    sizes = list(sizes)
    change = rng.choice(["drop", "insert", "extent", "anew"])
    if change == "anew" or (change != "insert" and not sizes):
        return draw.sizes(rng, most=5)
    d = rng.randint(0, len(sizes) - (change != "insert"))
    if change == "drop":
        del sizes[d]
    elif change == "insert":
        sizes.insert(d, rng.choice([0, 1, 2, 3]))
    else:
        sizes[d] = rng.choice([0, 1, 2 * sizes[d], sizes[d] + 1, max(0, sizes[d] - 1)])
    return sizes


def other_values(rng, tensor):
    storage = tensor.storage.clone()
    info = torch.iinfo(storage.dtype)
    for _ in range(rng.randint(1, 3)):
        storage[rng.randrange(len(storage))] = rng.choice([info.min, info.max, 17, 100])
    return draw.Drawn(storage, tensor.sizes, tensor.strides, tensor.offset)


def other_tensor(rng, tensors, i):
    tensor = tensors[i]
    if tensor is None:
        return fresh(rng, draw.sizes(rng), rng.choice(DTYPES))
    change = rng.choice(["undefined", "dtype", "shape", "shape", "another", "values"])
    if change == "undefined":
        return None
    if change == "another":
        return rng.choice(tensors)
    if change == "values" and tensor.dtype in draw.INTEGERS and len(tensor.storage):
        return other_values(rng, tensor)
    if change == "dtype":
        return fresh(rng, tensor.sizes, rng.choice(DTYPES))
    return fresh(rng, other_sizes(rng, tensor.sizes), tensor.dtype)


def spoil(rng, call):
    call.tensors, call.numbers = list(call.tensors), list(call.numbers)
    for _ in range(rng.randint(1, 2)):
        i = rng.randrange(len(call.tensors) + len(call.numbers))
        if i < len(call.tensors):
            call.tensors[i] = other_tensor(rng, call.tensors, i)
            continue
        i -= len(call.tensors)
        # Flags, and the list of members with its counts, are as they are.
        if call.key != "Tensor" and not isinstance(call.numbers[i], bool):
            call.numbers[i] = rng.choice(INTEGERS if isinstance(call.numbers[i], int) else REALS)


def drawn_cases(options):
    matrix = run.support_matrix()
    for number in [options.case] if options.case is not None else range(options.cases):
        case = run.Case(options.seed, number, matrix, options.only)
        if case.call.key in training.GENERATORS or not case.call.tensors:
            continue
        spoil(random.Random(f"misuse {options.seed}/{number}"), case.call)
        yield case


def failures(program, cases):
    """The cases that neither computed nor threw amp::Error, each with what was printed."""
    environment = dict(
        os.environ, UBSAN_OPTIONS="print_stacktrace=1",
        ASAN_OPTIONS="allocator_may_return_null=1:max_allocation_size_mb=1000:detect_leaks=0")
    while cases:
        batch = cases[:AT_ONCE]
        try:
            ran = subprocess.run([program], input="".join(c.text() for c in batch).encode(),
                                 capture_output=True, env=environment, timeout=SECONDS)
            output, said = ran.stdout, ran.stderr.decode(errors="replace")
            done = len(batch) if ran.returncode == 0 else None
        except subprocess.TimeoutExpired as expired:
            output, said, done = expired.stdout or b"", f"not done after {SECONDS} s", None
        if done is None:
            done = sum(line.startswith(b"case ") for line in output.splitlines())
            if not NOT_OURS.search(said):
                yield batch[done], said
            done += 1
        cases = cases[done:]


def main():
    options = run.options_of_call(cases=6000, folder=run.ROOT / "build" / "misuse")
    options.compiler += " -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
    warnings.simplefilter("ignore")
    program = run.compiled(options)
    cases = list(drawn_cases(options))
    found = 0
    for case, said in failures(program, cases):
        found += 1
        lines = [line for line in said.splitlines() if "rror" in line or "/include/amp/" in line
                 or "what()" in line or "not done" in line]
        print(f"seed {options.seed} case {case.number}: {case.title()}:",
              *(line.strip()[:200] for line in lines[:5]), sep="\n    ")
    print(f"{len(cases)} wrong calls; seed {options.seed}\n"
          f"{found:6d}  ended otherwise than by amp::Error")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
