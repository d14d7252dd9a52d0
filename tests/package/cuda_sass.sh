#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# The machine code of the kernels, as cuda_programs.sh left it in WORK: no stores that are split, no
# new stacks, nothing that a GPU could not launch.
#   cuda_sass.sh AMP WORK
set -eu
amp=$1 work=$2
command -v python3 >/dev/null || { echo "skipped: no python3" && exit 77; }
object=$(find "$work" -name 'cuda.cu.o')
PYTHONDONTWRITEBYTECODE=1 exec python3 "$amp/benchmarks/sass_table.py" --check "$object"
