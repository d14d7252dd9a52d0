#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# tests/gpu.sh says what it lacks, by name and with status 77: gpu_script.sh AMP WORK
set -eu
amp=$1 work=$2
rm -rf "$work"
mkdir -p "$work/none" "$work/one"
printf '#!/bin/sh\necho "No devices were found"\nexit 6\n' >"$work/none/nvidia-smi"
printf '#!/bin/sh\necho "A GPU, 580.1, 1000 MiB, 9.0"\n' >"$work/one/nvidia-smi"
chmod +x "$work"/*/nvidia-smi

# expect FOLDER STATUS TEXT
expect() {
  local output status=0
  output=$(PATH=$work/$1:$PATH "$amp/tests/gpu.sh" --dry-run --out "$work/out") || status=$?
  echo "$1: status $status: $output"
  [[ $status == "$2" && $output == *"$3"* && ! -e $work/out ]]
}
expect none 77 "skipped: tests/gpu.sh: nvidia-smi names no usable GPU"
if command -v nvcc >/dev/null || [[ -x ${CUDA_HOME:-/usr/local/cuda}/bin/nvcc ]]; then
  expect one 0 "GPU: A GPU, 580.1, 1000 MiB, 9.0"
else
  expect one 77 "skipped: tests/gpu.sh: there is no nvcc"
fi
