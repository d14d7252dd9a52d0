#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""compare_ops.py BENCHMARKS PROGRAMS FOLDER: amp's program loads every op of benchmarks/ops/compare_ops.py; a
wrong result is not timed; a table replaces that of the same kind of processor and no other. With PyTorch, a
short run writes its table."""
import importlib.util
import os
import re
import subprocess
import sys

benchmarks, programs, folder = sys.argv[1:]
script = os.path.join(benchmarks, "ops", "compare_ops.py")
spec = importlib.util.spec_from_file_location("ops", script)
ops = importlib.util.module_from_spec(spec)
sys.modules["ops"] = ops
spec.loader.exec_module(ops)
program = [os.path.join(programs, "cpu_benchmark_ops")]
os.makedirs(folder, exist_ok=True)


class Wrong(ops.compare.Worker):
    """amp, with the last gradient a little wrong."""

    def ask(self, *words):
        answer = super().ask(*words)
        if words[0] == "load":
            answer["results"][-1] += 1e-3
        return answer


class Options:
    quick, rounds, turn = True, 1, 0.0


right, wrong = ops.compare.Worker(program, 1, {}), Wrong(program, 1, {})
for case in ops.CASES:
    answer = right.ask("load", case.name, "bf16", case.passes[-1])
    assert answer["results"] and answer["turn"] > 0, case
relu = next(case for case in ops.CASES if case.name.startswith("relu/"))
row = ops.measure(ops.Row(relu, "fp32", "fb", "native", 1), right, right, Options)
assert 0.1 < row.ratio < 10, row
try:
    ops.measure(ops.Row(relu, "fp32", "fb", "native", 1), wrong, right, Options)
    raise AssertionError("a wrong gradient was timed")
except ops.compare.Failed as error:
    assert "differs from PyTorch" in str(error), error
right.stop()
wrong.stop()


def write(processor, amp_ms):
    figures = {"date": "2026-01-01", "commit": "0", "built_from": {}, "missing": [],
               "machine": {"processor": processor, "cores": 1, "instruction sets": ["avx2"], "system": "Linux",
                           "share of others": 0.0}}
    ops.write(table, figures, [ops.Row(relu, "fp32", "f", "avx2", 1, amp_ms, 1.0)])
    with open(table, encoding="utf-8") as file:
        return file.read()


table = os.path.join(folder, "ops.md")
if os.path.exists(table):
    os.remove(table)
write("first", 0.5)
both = write("second", 0.25)
again = write("first", 2.0)
assert "| 2.00 (0.500) |" in both and "| 4.00 (0.250) |" in both, both
assert "2.00 (0.500)" not in again and "| **0.50** (2) |" in again and "| 4.00 (0.250) |" in again, again
assert again.count("\n## ") == 2 and again.count("\n# ") == 0 and again.startswith("# "), again

if importlib.util.find_spec("torch") is None:
    print("the run beside PyTorch is left out: it is not there")
    sys.exit()
run = subprocess.run([sys.executable, script, "--programs", programs, "--side", "amp", "--quick", "--only",
                      "^(mul|layer_norm|sum:)", "--caps", "avx2,native", "--output",
                      os.path.join(folder, "short.md")], check=False, stdout=subprocess.PIPE, text=True)
assert run.returncode == 0, run.stdout
with open(os.path.join(folder, "short.md"), encoding="utf-8") as file:
    text = file.read()
assert re.search(r"^\| `sum:0/2048x1024` \|( \*{0,2}[0-9.]+\*{0,2} \([0-9.]+\) \|){6}$", text, re.M), text
assert "### avx2, 1 thread" in text and "### native, 1 thread" in text, text
