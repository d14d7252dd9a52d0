#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# clang.sh ROOT WORK CLANG [FLAG]...: clang accepts every benchmark. amp's headers are compiled once for
# all of them, as declarations; those that call kernels themselves compile the definitions too. What
# needs a library that is not here, or that clang cannot compile, is left out by name.
set -eu
root=$1 work=$2
shift 2
mkdir -p "$work"
flags=(-std=c++20 -I "$root/include" -I "$root/tests" -isystem "$root/tests/support/cuda/toolkit")
"$@" "${flags[@]}" -DAMP_COMPILED -x c++-header "$root/include/amp/amp.hpp" -o "$work/amp.pch"

failed=()
for source in "$root"/benchmarks/*/*.cpp; do
  library=$(sed -n 's/^#include <\(benchmark\|oneapi\|torch\)\/.*/\1/p' "$source" | head -1)
  if [[ $library == torch ]] ||
    { [[ $library ]] && ! grep "^#include <$library/" "$source" | "$@" -E -x c++ - >/dev/null 2>&1; }; then
    echo "left out, needs $library: $source"
    continue
  fi
  mode=(-DAMP_COMPILED -include-pch "$work/amp.pch")
  ! grep -q 'amp::kernels' "$source" || mode=()
  "$@" "${flags[@]}" "${mode[@]}" -fsyntax-only "$source" || failed+=("$source")
done
echo "${#failed[@]} benchmarks do not compile with clang: ${failed[*]}"
exit $((${#failed[@]} > 0))
