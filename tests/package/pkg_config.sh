#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Links programs with what pkg-config says of an installed amp::compiled, and runs them. Those that
# name no GPU load no library of CUDA, and therefore start on machines that have none.
#   pkg_config.sh AMP INSTALLED WORK COMPILER        77: there is no pkg-config
set -eu -o pipefail
tests=$1/tests/package installed=$2 work=$3 compiler=$4
command -v pkg-config >/dev/null || { echo "skipped: no pkg-config" && exit 77; }
mkdir -p "$work"
file=$(find "$installed" -name amp-compiled.pc)
export PKG_CONFIG_PATH=${file%/*}  # one folder, with amp.pc in it
export LD_LIBRARY_PATH=${file%/*}/..${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
read -ra flags <<<"$(pkg-config --cflags --libs amp-compiled)"
echo "pkg-config: ${flags[*]}"

# linked NAME SOURCE...
linked() { "$compiler" -std=c++20 -O0 "${@:2}" "${flags[@]}" -o "$work/$1"; }
linked app "$tests"/consumer/{app,step}.cpp
LD_DEBUG=files LD_DEBUG_OUTPUT=$work/loaded "$work/app"
cat "$work"/loaded.* >"$work/loaded" && rm "$work"/loaded.*
grep -q libstdc++ "$work/loaded"
if grep -E 'lib(cuda|cublas|cudnn|nv)' "$work/loaded"; then
  echo "a program that names no GPU loads these"
  exit 1
fi
if [[ ${flags[*]} == *AMP_LOAD_CUDA_LIBRARIES* ]]; then
  linked cuda_host "$tests/programs/cuda_host.cpp"
  "$work/cuda_host"
fi
