#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# The machine code of the kernels, as cuda_programs.sh left it in WORK: no stores that are split, no
# new stacks, nothing that a GPU could not launch. The tables of kernels name no kernel that is gone.
#   cuda_sass.sh AMP WORK
set -eu
amp=$1 work=$2
command -v python3 >/dev/null || { echo "skipped: no python3" && exit 77; }
mapfile -t objects < <(find "$work" -path '*/amp_compiled.dir/*' -name '*.cu.o')
PYTHONDONTWRITEBYTECODE=1 exec python3 "$amp/benchmarks/sass_table.py" --check \
  "$amp/benchmarks/results/"{ptxas,sass_sm90}.md -- "${objects[@]}"
