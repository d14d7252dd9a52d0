#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Compiles a program that includes <amp/distributed/nccl.hpp> with the headers of the real toolkit
# and of NCCL, header-only and as declarations, and by nvcc:
#   nccl_headers.sh PROGRAM INCLUDE TOOLKIT NCCL COMPILER NVCC [WARNING]...
# NCCL is the folder of nccl.h. Exits 77 if there is none.
set -eu
program=$1 include=$2 toolkit=$3 nccl=$4 compiler=$5 nvcc=$6
shift 6
if [[ $nccl == *NOTFOUND || ! $toolkit ]]; then
  echo "skipped: no nccl.h or no CUDA toolkit was found"
  exit 77
fi
flags=(-std=c++20 -I "$include")
for definition in -UAMP_COMPILED -DAMP_COMPILED; do
  "$compiler" "${flags[@]}" $definition -fsyntax-only "$@" \
    -isystem "$toolkit" -isystem "$nccl" "$program"
done
"$nvcc" "${flags[@]}" -DAMP_COMPILED -Werror all-warnings -x cu -isystem "$nccl" \
  -cuda -o /dev/null "$program"
