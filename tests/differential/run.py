#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""amp beside PyTorch, in random cases:

    tests/differential/run.py [--cases 10000] [--seed 1] [--case N] [--only KEY]

Compares the policies of all ops with PyTorch's autocast lists (autocast_lists.py). Draws calls of
every op of the README's support matrix (dtypes, shapes, views, hard values, autocast by PyTorch's
CUDA list), traces of GradScaler, and steps of the optimizers; computes them with torch and with amp
(evaluate.cpp, which it compiles); prints each difference that known.py does not list, and fails if
there is one. --case computes one again, and prints what went in. Exits with 77 where
Python has no torch.
"""

import argparse
import collections
import math
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
try:
    import torch
except ImportError:
    print("skipped: python3 has no torch")
    sys.exit(77)

import autocast_lists  # noqa: E402
import known  # noqa: E402
import members  # noqa: E402, F401
import ops_order  # noqa: E402, F401
import ops_recurrent  # noqa: E402, F401
import ops  # noqa: E402
import ops_products  # noqa: E402, F401
import ops_losses  # noqa: E402, F401
import ops_moving  # noqa: E402, F401
import ops_indexing  # noqa: E402, F401
import ops_windows  # noqa: E402, F401
import ops_resample  # noqa: E402, F401
import oracle  # noqa: E402
import training  # noqa: E402
from draw import BY_NAME, FLOAT8, INTEGERS, NAME, from_hex  # noqa: E402

COLUMNS = {"float64": [torch.float64], "float32": [torch.float32], "float16": [torch.float16],
           "bfloat16": [torch.bfloat16], "float8_*": list(FLOAT8), "integers": list(INTEGERS),
           "bool": [torch.bool]}
MORE = ("Tensor",)  # its members, beside the ops
WEIGHTS = {"float64": 3, "float32": 8, "float16": 6, "bfloat16": 5, "float8_*": 3, "integers": 3,
           "bool": 1}


def support_matrix():
    """op -> (policy under autocast, columns)."""
    text = (ROOT / "README.md").read_text()
    lines = text.split("<!-- support matrix -->\n")[1].split("<!-- end -->")[0].splitlines()
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in lines]
    columns = cells[0][3:]
    matrix = {}
    for row in cells[2:]:
        for name in re.findall(r"`(\w+)`", row[0]):
            matrix[name] = (row[1], [c for c, mark in zip(columns, row[3:]) if mark])
    return matrix


class Case:
    def __init__(self, seed, number, matrix, only):
        self.number = number
        rng = random.Random(f"{seed}/{number}")
        torch.manual_seed(rng.randrange(2**31))
        self.policy, self.autocast = "as they are", None
        names = [n for n in [*matrix, *MORE] if not only or n == only]
        if only in training.GENERATORS or (not only and rng.random() < 0.06):
            self.call = training.GENERATORS[only or rng.choice(list(training.GENERATORS))](rng)
            return
        name = rng.choice(names)
        self.policy, columns = matrix.get(name, ("as they are", list(COLUMNS)))
        column = rng.choices(columns, [WEIGHTS[c] for c in columns])[0]
        self.call = ops.GENERATORS[name](rng, rng.choice(COLUMNS[column]))
        self.policy = self.call.policy or self.policy
        if rng.random() < 0.35:
            self.autocast = rng.choice([torch.float16, torch.bfloat16])

    def text(self):
        tensors = [t.text() if t is not None else "undefined" for t in self.call.tensors]
        numbers = [f"i {int(n)}" if isinstance(n, int) else f"f {n!r}" for n in self.call.numbers]
        autocast = NAME[self.autocast] if self.autocast else "none"
        return (f"case {self.number} {self.call.key} {autocast}\n"
                f"tensors {len(tensors)} {' '.join(tensors)}\n"
                f"numbers {len(numbers)} {' '.join(numbers)}\n")

    def title(self):
        scope = f", autocast {NAME[self.autocast]}" if self.autocast else ""
        dtypes = ", ".join("undefined" if t is None else NAME[t.dtype] + str(list(t.sizes))
                           for t in self.call.tensors[:6])
        return f"{self.call.key}({dtypes}; {self.call.numbers}{scope})"


class Difference:
    """kind: refuses, missing, dtype, shape or values."""

    def __init__(self, kind, name, text):
        self.kind, self.name, self.text = kind, name, text
        self.finite = True  # whether all values that differ are


def unlikely(cases, results):
    """How many standard deviations the elements that dropout kept are from what is to be."""
    off, variance = 0.0, 0.0
    for case in cases:
        got = results[case.number]
        if case.call.mask and case.call.numbers[1] and "gradient0" in got:
            p, kept = case.call.numbers[0], got["gradient0"] != 0
            off += kept.sum().item() - kept.numel() * (1 - p)
            variance += kept.numel() * p * (1 - p)
    return abs(off) / math.sqrt(variance) if variance else 0.0


def compare(case, got):
    """got: by name, or the text of an error."""
    mask = None
    if case.call.mask and not isinstance(got, str) and "gradient0" in got:
        mask = got["gradient0"] != 0
    elif case.call.mask:
        mask = torch.ones(case.call.tensors[0].sizes, dtype=torch.bool)
    try:
        expected = oracle.expectations(case.call, case.policy, case.autocast, mask)
    except (RuntimeError, NotImplementedError, IndexError, ValueError, TypeError) as error:
        case.refused = str(error).splitlines()[0]
        return []
    if isinstance(got, str):
        return [Difference("refuses", "result0", f"amp throws \"{got}\", torch computes")]
    found = []
    for name, wanted in expected.items():
        theirs = wanted.torch_value
        if name not in got:
            found.append(Difference("missing", name, "torch has one, amp none"))
            continue
        ours = got[name]
        if ours.dtype != theirs.dtype:
            found.append(Difference("dtype", name, f"amp {NAME[ours.dtype]}, torch "
                                                   f"{NAME.get(theirs.dtype, theirs.dtype)}"))
        elif ours.shape != theirs.shape:
            found.append(Difference("shape", name, f"amp {list(ours.shape)}, torch "
                                                   f"{list(theirs.shape)}"))
        elif bad := wanted.errors(ours):
            found.append(values_differ(name, ours, wanted, bad))
    for name in got.keys() - expected.keys():
        found.append(Difference("missing", name, "amp has one, torch none"))
    return found


def values_differ(name, ours, wanted, bad):
    i = bad[0]
    text = (f"[{i}] of {ours.numel()} ({len(bad)} differ): amp "
            f"{ours.reshape(-1)[i].item()!r}, torch {wanted.torch_value.reshape(-1)[i].item()!r}")
    if wanted.wide is not None:
        text += (f", in float64 {wanted.wide.reshape(-1)[i].item()!r}, allowed "
                 f"{wanted.allowed.reshape(-1)[i].item():.2g}")
    difference = Difference("values", name, text)
    difference.ours = ours.reshape(-1)[i].item()
    difference.theirs = wanted.torch_value.reshape(-1)[i].item()
    difference.finite = all(v.reshape(-1)[bad].isfinite().all() for v in (
        ours.to(torch.float64), wanted.torch_value.to(torch.float64)))
    return difference


def read_results(text):
    """number -> tensors by name, or an error's text."""
    results, current = {}, None
    for line in text.splitlines():
        words = line.split(" ")
        if words[0] == "case":
            current = results[int(words[1])] = {}
            last = int(words[1])
        elif words[0] == "error":
            results[last] = line[6:]
        else:
            dims = int(words[2])
            sizes = [int(n) for n in words[3:3 + dims]]
            current[words[0]] = from_hex(words[3 + dims], BY_NAME[words[1]], sizes)
    return results


def compiled(options):
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "evaluate"
    command = [*shlex.split(options.compiler), "-std=c++20", "-O1", "-I", str(ROOT / "include"),
               "-I", str(ROOT / "tests"), f'-DAMP_SOURCE_DIR="{ROOT}"',
               str(HERE / "evaluate.cpp"), "-o", str(program), "-pthread"]
    sources = [HERE / "evaluate.cpp", *HERE.glob("**/*.hpp"),
               *ROOT.glob("tests/conformance/**/*.hpp"), *ROOT.glob("include/**/*.?p*")]
    made_by = folder / "evaluate.command"
    if (not program.exists() or program.stat().st_mtime < max(p.stat().st_mtime for p in sources)
            or not made_by.exists() or made_by.read_text() != str(command)):
        subprocess.run(command, check=True)
        made_by.write_text(str(command))
    return program


def check_complete(matrix, program):
    """Every op of the README is drawn, and every call of evaluate.cpp is an op's."""
    keys = subprocess.run([program, "--keys"], capture_output=True, text=True, check=True).stdout
    computed = {key.split(".")[0] for key in keys.split()}
    wanted = set(matrix) | set(training.GENERATORS) | set(MORE)
    drawn = set(ops.GENERATORS) | set(training.GENERATORS)
    for what, names in (("the README lists, ops.py does not draw", wanted - drawn),
                        ("the README lists, evaluate.cpp does not call", wanted - computed),
                        ("drawn or called, but not in the README", (drawn | computed) - wanted)):
        if names:
            sys.exit(f"ops that {what}: {', '.join(sorted(names))}")


def options_of_call(cases=10000, folder=ROOT / "build" / "differential"):
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=cases)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="only this one, with what went in")
    parser.add_argument("--only", help="only this op")
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--folder", default=str(folder))
    return parser.parse_args()


def main():
    options = options_of_call()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    matrix, start = support_matrix(), time.time()
    program = compiled(options)
    check_complete(matrix, program)
    unexpected = 0 if options.only else autocast_lists.check(program)
    numbers = [options.case] if options.case is not None else range(options.cases)
    cases = [Case(options.seed, n, matrix, options.only) for n in numbers]
    text = "".join(case.text() for case in cases)
    ran = subprocess.run([program], input=text, capture_output=True, text=True)
    results = read_results(ran.stdout)
    if ran.returncode != 0:
        sys.exit(f"evaluate ended with {ran.returncode} after case {max(results, default=None)}: "
                 f"{ran.stderr.strip()}")
    counts = collections.Counter()
    for case in cases:
        case.refused = None
        for difference in compare(case, results[case.number]):
            listed = next((k for k in known.DIFFERENCES if k.matches(case, difference)), None)
            if listed is not None:
                counts[listed.name] += 1
                continue
            unexpected += 1
            print(f"seed {options.seed} case {case.number}: {case.title()}: {difference.name} "
                  f"{difference.kind}: {difference.text}")
        counts["(torch refuses)"] += case.refused is not None
        if options.case is not None:
            print(case.title(), *case.call.tensors, f"torch refuses: {case.refused}", sep="\n  ")
            print(results[case.number])
    if (deviations := unlikely(cases, results)) > 6:
        unexpected += 1
        print(f"dropout keeps another share than 1 - p: {deviations:.0f} standard deviations")
    print(f"{len(cases)} cases of {len(matrix) + len(training.GENERATORS)} names in "
          f"{time.time() - start:.0f} s; seed {options.seed}, torch {torch.__version__}")
    for name, count in sorted(counts.items()):
        print(f"{count:6d}  {name}")
    print(f"{unexpected:6d}  unexpected differences")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
