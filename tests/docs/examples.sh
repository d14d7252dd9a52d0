#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# examples.sh INCLUDE FOLDER COMPILER LIBRARY...: every C++ example in a header's comments compiles
# and runs with the compiled library, and what it asserts holds. Those of the folders cuda/ need a
# device, and are left out.
set -euo pipefail
include=$1 folder=$2 compiler=$3
shift 3
mkdir -p "$folder"
program=$folder/examples.cpp

{
  printf '#include <amp/amp.hpp>\n#include <amp/data.hpp>\n#include <amp/diagnostics.hpp>\n#include <amp/distributed.hpp>\n#include <amp/dlpack.hpp>\n#include <amp/nn/summary.hpp>\n#include <amp/safetensors.hpp>\n#include <amp/scaler/train_step.hpp>\n#include <array>\n#include <string_view>\n#include <utility>\n#include <vector>\n'
  printf '#undef NDEBUG\n#include <cassert>\n'
  find "$include" -name '*.hpp' -not -path '*/cuda/*' | sort | xargs awk '
    /^ *\/\/\/? ```cpp$/ { inside = 1; printf "static void example_%d() {  // %s\n", ++count, FILENAME; next }
    /^ *\/\/\/? ```$/ && inside { inside = 0; print "}"; next }
    inside { sub(/^ *\/\/\/? ?/, ""); print }
    END { print "int main() {"; for (i = 1; i <= count; ++i) printf "  example_%d();\n", i; print "}" }'
} >"$program"
found=$(grep -c '^static void example_' "$program")
echo "$found examples"
((found >= 4))
"$compiler" -std=c++20 -O1 -Wall -Wextra -Wpedantic -Werror -I "$include" \
  -DAMP_COMPILED "$program" "$@" -o "$folder/examples"
cd "$folder" && ./examples
