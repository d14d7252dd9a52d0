#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# pages.sh ROOT FOLDER COMPILER LIBRARY...: compiles and runs the C++ blocks of every page.
#
# The first block of the README has 11 to 25 lines. The command below it, run in FOLDER, compiles it
# with the headers alone and prints what the README says, numbers to 0.05. Every other block is one
# source file, so that it must include what it uses. It is a program if it has a main, otherwise its
# #include lines and then the body of a function. It compiles with the compiled library and runs
# without an exception. Programs that include torch or MPI need $TORCH_FLAGS or $MPI_FLAGS; without
# them they are skipped.
set -euo pipefail
root=$1 folder=$2 compiler=$3
shift 3
pages=(README.md examples/README.md include/amp/README.md benchmarks/README.md tests/README.md
  .github/CONTRIBUTING.md .github/CHANGELOG.md)
mkdir -p "$folder"
ln -sfn "$root/include" "$folder/include"

# first LANGUAGE: the README's first fenced block of a language
first() {
  awk -v fence='```'"$1" '$0 == fence {inside = 1; next} /^```/ && inside {exit} inside' \
    "$root/README.md"
}

first cpp >"$folder/first.cpp"
first sh >"$folder/command.sh"
first text >"$folder/expected.txt"
lines=$(wc -l <"$folder/first.cpp")
echo "the first program has $lines lines"
((lines > 10 && lines <= 25))
# -O1 after the -O2 of the README: compiles sooner, and prints the same.
g++() { "$compiler" "$@" -O1 -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror; }
(cd "$folder" && . ./command.sh) | tee "$folder/printed.txt"
paste -d ' ' "$folder/expected.txt" "$folder/printed.txt" | awk '
  NF % 2 { print "other words than in the README: " $0; exit 1 }
  { for (i = 1; i <= NF / 2; ++i) {
      a = $i; b = $(i + NF / 2)
      far = a + 0 == a && (a - b > 0.05 || b - a > 0.05)
      if (far || (a + 0 != a && a != b)) { print "README: " a ", printed: " b; exit 1 }
  } }
  END { if (NR < 2) exit 1 }'

rm -f "$folder"/block_*.cpp "$folder"/program_*.cpp
for page in "${pages[@]}"; do
  name=${page//[^[:alnum:]]/_}
  awk -v folder="$folder" -v name="$name" -v skip="$([[ $page == README.md ]] && echo 1 || echo 0)" '
    /^ *```cpp/ && !inside {
      if (skip-- > 0) next
      if ($0 != "```cpp") { print FILENAME ":" FNR ": a block begins with ```cpp alone"; bad = 1; exit }
      inside = 1; ++blocks; text = includes = ""; next
    }
    /^```/ && inside {
      inside = 0
      if (text ~ /int main\(/)
        printf "%s%s", includes, text >(folder "/program_" name "_" blocks ".cpp")
      else
        printf "%svoid block_%s_%d() {\n%s}\n", includes, name, blocks, text >(folder "/block_" name "_" blocks ".cpp")
    }
    inside && text == "" && (/^#include / || !NF) { includes = includes $0 "\n"; next }
    inside { text = text $0 "\n" }
    END {
      if (inside) { print FILENAME ": a block does not end"; bad = 1 }
      exit bad
    }' "$root/$page"
done
for program in "$folder"/program_*.cpp; do
  flags=()
  if grep -q '#include <torch/' "$program"; then
    [[ ${TORCH_FLAGS:-} ]] || { echo "$(basename "$program") is skipped: no libtorch" && continue; }
    read -ra flags <<<"$TORCH_FLAGS"
  elif grep -q '#include <amp/distributed/mpi.hpp>' "$program"; then
    [[ ${MPI_FLAGS:-} ]] || { echo "$(basename "$program") is skipped: no MPI" && continue; }
    read -ra flags <<<"$MPI_FLAGS"
  fi
  "$compiler" -std=c++20 -O0 -Wall -Wextra -Wpedantic -Werror -I "$root/include" -DAMP_COMPILED \
    "$program" "${flags[@]}" "$@" -o "${program%.cpp}"
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
"$compiler" -std=c++20 -O0 -Wall -Wextra -Wpedantic -Wno-unused-variable -Werror \
  -I "$root/include" -DAMP_COMPILED "$folder/blocks.cpp" "${blocks[@]}" "$@" -o "$folder/blocks"
cd "$folder" && ./blocks
