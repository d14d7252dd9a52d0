#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Builds the trainer, the example of memory of one's own, the GPU benchmark and, if there is NCCL, a
# program of several GPUs with the CUDA device in them and runs them: on a GPU, or to see them say
# that there is none.
#   cuda_programs.sh AMP WORK [CMAKE FLAG]...
set -eu
amp=$1 work=$2
shift 2

cmake -S "$amp" -B "$work" -DCMAKE_BUILD_TYPE=Release -DAMP_BUILD_TESTS=OFF -DAMP_WITH_CUDA=ON \
  -DCMAKE_PROJECT_amp_INCLUDE="$amp/tests/package/programs/nccl.cmake" "$@"
cmake --build "$work" --target train_cnn example_11_raw_memory_cuda gpu_benchmark nccl_program

status=0
"$work/benchmarks/gpu_benchmark" --smoke || status=$?
raw_memory=0
"$work/examples/example_11_raw_memory_cuda" || raw_memory=$?
nccl=skipped
if [[ -x $work/nccl_program ]]; then
  "$work/nccl_program" && nccl=0 || nccl=$?
fi
output=$("$work/examples/train_cnn" --device cuda --limit 64 2>&1) && trained=yes || trained=no
echo "$output"
case $status,$raw_memory,$trained in
  0,0,yes) ;;
  77,77,no) grep -q "there is no CUDA driver" <<<"$output" ;;
  *)
    echo "gpu_benchmark ended with status $status, raw_memory with $raw_memory, trained: $trained"
    exit 1
    ;;
esac
case $nccl in
  "$raw_memory") ;;
  skipped) echo "left out, needs NCCL: programs/nccl.cpp" ;;
  *)
    echo "nccl_program ended with status $nccl"
    exit 1
    ;;
esac
