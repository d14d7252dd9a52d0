#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# aarch64.sh INCLUDE TESTS FOLDER: compiles the library, and tests of the vector layer and of ops, for
# 64-bit ARM, whose vectors are NEON's, and runs them under an emulator. Needs Debian's
# g++-aarch64-linux-gnu and qemu-user.
set -euo pipefail
include=$1 tests=$2 folder=$3
compiler=aarch64-linux-gnu-g++
for tool in $compiler qemu-aarch64; do
  command -v $tool >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
mkdir -p "$folder"
# Catch2's header is the host's; everything else is found in the cross compiler's folders first.
compile() { $compiler -std=c++20 -DAMP_COMPILED -I "$include" -I "$tests" -idirafter /usr/include -c "$@"; }

echo '#include <amp/compiled.hpp>' >"$folder/compiled.cpp"
printf '#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n' >"$folder/main.cpp"
for test in "$tests"/core/simd_test.cpp "$tests"/types/convert_test.cpp "$tests"/ops/*_test.cpp; do
  [[ $test == */checkpoint* ]] || echo "#include \"$test\""  # deep networks, too slow emulated
done >"$folder/tests.cpp"
compile -O1 "$folder/compiled.cpp" -o "$folder/compiled.o" -Wall -Wextra -Werror
compile -O0 "$folder/main.cpp" -o "$folder/main.o"
compile -O1 "$folder/tests.cpp" -o "$folder/tests.o"
$compiler "$folder"/{compiled,main,tests}.o -o "$folder/tests" -pthread
AMP_NUM_THREADS=1 qemu-aarch64 -L /usr/aarch64-linux-gnu "$folder/tests"
