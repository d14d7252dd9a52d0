#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# The front end of nvcc on each part of the CUDA device's table, as the compiled library has them: all
# that it says of the code of kernels and of what launches them, in a tenth of the time that code for a
# GPU takes (cuda.programs, in .ci/full).
#   cuda_front_end.sh INCLUDE WORK NVCC [FLAG]...
set -u
include=$1 work=$2 nvcc=$3
shift 3
mkdir -p "$work" && cd "$work" || exit 1

failed=()
for part in "$include"/amp/kernels/backend/*.cuh; do
  name=$(basename "$part" .cuh)
  printf '#include "amp/kernels/backend/%s.cuh"\n' "$name" >"$name.cu"
  # nvcc prints its commands: some variables, the preprocessor, the front end, and so on.
  "$nvcc" "$@" -DAMP_COMPILED -I "$include" -c "$name.cu" --keep --dryrun 2>&1 |
    sed -n 's/^#\$ //p' >"$name.commands"
  grep -q '^cudafe++ ' "$name.commands" || { cat "$name.commands" && exit 1; }
  {
    echo "set -e"
    sed -n 's/^\([_A-Za-z0-9]*\)= *"*\([^"]*\)"*$/export \1="\2"/p' "$name.commands"
    grep -m 1 -E '^"?[^ ="]*(gcc|g\+\+|clang)[^ ="]*"? .* -E ' "$name.commands"
    grep -m 1 '^cudafe++ ' "$name.commands"
  } >"$name.sh"
  bash "$name.sh" || failed+=("$name")
done
((${#failed[@]} == 0)) || { echo "these do not compile: ${failed[*]}" && exit 1; }
