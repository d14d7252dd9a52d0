#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Builds the trainer, the example of memory of one's own, the GPU benchmark and, if there is NCCL, a
# program of several GPUs with the CUDA device in them and runs them: on a GPU, or to see them say
# that there is none. The library is then installed, and linked as pkg-config says.
#   cuda_programs.sh AMP WORK COMPILER [CMAKE FLAG]...
set -eu
amp=$1 work=$2 compiler=$3
shift 3

cmake -S "$amp" -B "$work" -DCMAKE_BUILD_TYPE=Release -DAMP_BUILD_TESTS=OFF -DAMP_WITH_CUDA=ON \
  -DAMP_BUILD_COMPILED=ON "-DCMAKE_CXX_COMPILER=$compiler" \
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
# Without a name here, the first call of a function of these libraries would not link; a name that
# they lack would fail on a GPU only.
folder=$(sed -n 's/^CUDA_cublas_LIBRARY:[A-Z]*=\(.*\)\/.*/\1/p' "$work/CMakeCache.txt")
for library in cublas cublasLt cudnn; do
  [[ -e $folder/lib$library.so ]] || continue
  nm -D --defined-only "$folder/lib$library.so" >"$work/$library.names"
  for name in $(sed -n "s/^AMP_LOADED($library, \(.*\));/\1/p" \
    "$amp/include/amp/device/cuda/loaded_libraries.hpp"); do
    grep -qE " $name(@|$)" "$work/$library.names" || { echo "$library has no $name" && exit 1; }
  done
done
rm -rf "$work/installed"
cmake --install "$work" --prefix "$work/installed" >"$work/install.log"
"$amp/tests/package/pkg_config.sh" "$amp" "$work/installed" "$work/pkg_config" "$compiler" || (($? == 77))

case $nccl in
  "$raw_memory") ;;
  skipped) echo "left out, needs NCCL: programs/nccl.cpp" ;;
  *)
    echo "nccl_program ended with status $nccl"
    exit 1
    ;;
esac
