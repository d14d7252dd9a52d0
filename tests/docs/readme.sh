#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# readme.sh README INCLUDE FOLDER COMPILER: the first C++ block of the README compiles, runs, has at
# most 25 lines, and prints what the README says it prints, numbers to 0.05. The others, bodies of
# functions, compile and run without an exception.
set -euo pipefail
readme=$1 include=$2 folder=$3 compiler=$4
mkdir -p "$folder"

# block LANGUAGE: the first fenced block of a language
block() { awk -v fence='```'"$1" '$0 == fence {inside = 1; next} /^```/ && inside {exit} inside' "$readme"; }

block cpp >"$folder/loop.cpp"
block text >"$folder/expected.txt"
lines=$(wc -l <"$folder/loop.cpp")
echo "the loop has $lines lines"
((lines > 10 && lines <= 25))
"$compiler" -std=c++20 -O1 -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror -I "$include" \
  "$folder/loop.cpp" -o "$folder/loop"
"$folder/loop" | tee "$folder/printed.txt"
paste -d ' ' "$folder/expected.txt" "$folder/printed.txt" | awk '
  NF % 2 { print "other words than in the README: " $0; exit 1 }
  { for (i = 1; i <= NF / 2; ++i) {
      a = $i; b = $(i + NF / 2)
      far = a + 0 == a && (a - b > 0.05 || b - a > 0.05)
      if (far || (a + 0 != a && a != b)) { print "README: " a ", printed: " b; exit 1 }
  } }
  END { if (NR < 2) exit 1 }'

{
  printf '#include <amp/amp.hpp>\n#include <amp/safetensors.hpp>\n'
  printf '#include <%s>\n' algorithm cstdint numeric random vector
  awk '
    /^```cpp$/ && ++blocks > 1 { inside = 1; printf "static void block_%d() {\n", blocks; next }
    /^```/ && inside { inside = 0; print "}" }
    inside
    END { print "int main() {"; for (i = 2; i <= blocks; ++i) printf "  block_%d();\n", i; print "}" }
  ' "$readme"
} >"$folder/blocks.cpp"
echo "$(grep -c '^static void block_' "$folder/blocks.cpp") more blocks"
"$compiler" -std=c++20 -O1 -Wall -Wextra -Wpedantic -Wno-unused-variable -Werror -I "$include" \
  "$folder/blocks.cpp" -o "$folder/blocks"
cd "$folder" && ./blocks
