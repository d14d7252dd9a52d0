#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# A machine with a GPU for tests/gpu.sh to find, where there is none: make.sh WORK puts there
#   bin/     nvidia-smi, nvcc and compute-sanitizer; to be the first folder of PATH
#   cuda/    a toolkit: the headers of tests/support/cuda/toolkit, which work on the host, and
#            libraries that hold nothing
#   wheels/  the same libraries as Python's packages bring them: without the names for a linker
set -eu
here=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
headers=$(realpath -- "$here/../../support/cuda/toolkit")
work=$(realpath -m -- "$1")
rm -rf "$work"
mkdir -p "$work"/{bin,cuda/{bin,include,lib64,nvvm/libdevice},wheels/nvidia/{cu13,cudnn}/{lib,include}}
cp "$here"/{nvidia-smi,nvcc,compute-sanitizer} "$work/bin/"
ln -s "$work/bin/nvcc" "$work/cuda/bin/nvcc"
ln -s "$headers"/* "$here/../../support" "$work/cuda/include/"

# library FOLDER NAME VERSION
library() {
  echo "" | g++ -shared -x c++ - -Wl,-soname,"lib$2.so.$3" -o "$1/lib$2.so.$3"
}
library "$work/cuda/lib64" cudart 13
ln -s libcudart.so.13 "$work/cuda/lib64/libcudart.so"
ar cr "$work/cuda/lib64/libcudart_static.a"
ar cr "$work/cuda/lib64/libcudadevrt.a"
library "$work/wheels/nvidia/cu13/lib" cublas 13
library "$work/wheels/nvidia/cu13/lib" cublasLt 13
library "$work/wheels/nvidia/cudnn/lib" cudnn 9
ln -s "$headers/cudnn.h" "$work/wheels/nvidia/cudnn/include/"
