#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# A program of one source without CUDA, with two units of CUDA source and without them:
#   cuda_units.sh PROGRAMS INCLUDE WORK COMPILER NVCC [FLAG]...
set -eu
programs=$1 include=$2 work=$3 compiler=$4
shift 4
nvcc=("$@" -std=c++20)
mkdir -p "$work" && cd "$work"

for unit in first second; do
  "${nvcc[@]}" -I "$include" -c "$programs/cuda_$unit.cu" -o $unit.o
done
"$compiler" -std=c++20 -O1 -I "$include" -c "$programs/cuda_host.cpp" -o host.o

echo "without the units:"
"$compiler" host.o -o missing -pthread
./missing missing
echo "with them:"
"${nvcc[@]}" host.o first.o second.o -o brought -lcublas -lcublasLt
./brought
