#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Builds the CPU benchmarks and measures amp; also PyTorch, if python3 has it, and oneDNN, called directly,
# if it is installed:
#
#   ./benchmarks/run.sh [--quick] [--only REGEX] [--threads 1,2] [--output FOLDER] [--name cpu]
#
#   ./benchmarks/run.sh --ops [--quick] [--only REGEX] [--threads 1,2] [--caps avx2,avx512,native] [--side amp]
#
# With --ops, it measures each op instead, beside PyTorch alone, and writes results/ops.md
# (ops/compare_ops.py has all options).
#
# About 13 minutes, with --quick under 2. Writes cpu.json, cpu.md and cpu.svg to benchmarks/results or to
# FOLDER; --name cpu_avx512_bf16 gives them another name, for another kind of processor. PYTHON=... names
# another Python. To install PyTorch in a separate environment:
#   python3 -m venv .venv && .venv/bin/pip install torch
#   PYTHON=.venv/bin/python ./benchmarks/run.sh
set -euo pipefail

folder=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
build=$folder/../build/benchmarks
if [[ ${1-} == -h || ${1-} == --help ]]; then
  sed -n '5,21s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit
fi
script=compare.py targets=(cpu_benchmarks cpu_benchmark_header_only)
if [[ ${1-} == --ops ]]; then
  shift
  script=ops/compare_ops.py targets=(cpu_benchmark_ops_header_only)
  [[ " $* " != *" --side amp "* ]] || targets=(cpu_benchmark_ops)
fi
mkdir -p "$build"
if ! { cmake -S "$folder/.." -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
  -DAMP_BUILD_TESTS=OFF -DAMP_BUILD_EXAMPLES=OFF -DAMP_BUILD_BENCHMARKS=ON -DAMP_WITH_CUDA=OFF \
  -DAMP_TORCH_ROOT="${AMP_TORCH_ROOT:-}" &&
  cmake --build "$build" --target "${targets[@]}" --parallel "$(nproc)"; } >"$build/log" 2>&1; then
  cat "$build/log"
  exit 1
fi
exec "${PYTHON:-python3}" "$folder/$script" --programs "$build/benchmarks" "$@"
