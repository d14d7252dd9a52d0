#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# readme.sh README INCLUDE FOLDER COMPILER LIBRARY...: the first C++ block of the README compiles
# with the headers alone, runs, has at most 25 lines, and prints what the README says it prints,
# numbers to 0.05. The others, bodies of functions below the headers they include, compile one by one
# and run without an exception, with the compiled library. A block with its own main is a program; those
# that include torch or MPI need $TORCH_FLAGS or $MPI_FLAGS, and are left out without it.
set -euo pipefail
readme=$1 include=$2 folder=$3 compiler=$4
shift 4
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

# Each other block is a file of its own, so that what it includes must be enough: a program, or its
# #include lines and then a function with the rest.
rm -f "$folder"/block_*.cpp "$folder"/program_*.cpp
awk -v folder="$folder" '
  /^```cpp$/ && ++blocks > 1 { inside = 1; text = includes = ""; next }
  /^```/ && inside {
    inside = 0
    if (text ~ /int main\(/) printf "%s%s", includes, text >(folder "/program_" blocks ".cpp")
    else printf "%svoid block_%d() {\n%s}\n", includes, blocks, text >(folder "/block_" blocks ".cpp")
  }
  inside && text == "" && (/^#include / || !NF) { includes = includes $0 "\n"; next }
  inside { text = text $0 "\n" }
' "$readme"
for program in "$folder"/program_*.cpp; do
  flags=()
  if grep -q '#include <torch/' "$program"; then
    [[ ${TORCH_FLAGS:-} ]] || { echo "$(basename "$program") is left out: there is no libtorch" && continue; }
    read -ra flags <<<"$TORCH_FLAGS"
  elif grep -q '#include <amp/distributed/mpi.hpp>' "$program"; then
    [[ ${MPI_FLAGS:-} ]] || { echo "$(basename "$program") is left out: there is no MPI" && continue; }
    read -ra flags <<<"$MPI_FLAGS"
  fi
  "$compiler" -std=c++20 -O0 -Wall -Wextra -Wpedantic -Werror -I "$include" -DAMP_COMPILED "$program" \
    "${flags[@]}" "$@" -o "${program%.cpp}"
  (cd "$folder" && "${program%.cpp}")
done
blocks=("$folder"/block_*.cpp)
echo "${#blocks[@]} more blocks"
{
  for block in "${blocks[@]}"; do printf 'void %s();\n' "$(basename "$block" .cpp)"; done
  printf 'int main() {\n'
  for block in "${blocks[@]}"; do printf '  %s();\n' "$(basename "$block" .cpp)"; done
  printf '}\n'
} >"$folder/blocks.cpp"
"$compiler" -std=c++20 -O0 -Wall -Wextra -Wpedantic -Wno-unused-variable -Werror -I "$include" \
  -DAMP_COMPILED "$folder/blocks.cpp" "${blocks[@]}" "$@" -o "$folder/blocks"
cd "$folder" && ./blocks
