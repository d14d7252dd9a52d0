#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# gdb finds amp's printers by itself, and prints what the lines of SOURCE say that begin with
#   // gdb: <command> => <output>
# gdb.sh SOURCE INCLUDE PROGRAM GDB [COMPILER FLAG...]     77: gdb has no Python, or may not trace.
# Without a compiler, PROGRAM was made of SOURCE before, and gdb is told where the printers are.
set -eu
source=$1 include=$2 program=$3 gdb=$4
shift 4

allowed=(-nx -batch -iex "add-auto-load-safe-path $include/amp/debug" -iex "set width 0"
  -iex "set debuginfod enabled off")
if (($#)); then
  "$@" -g -DAMP_USE_GDB=1 -I "$include" "$source" -o "$program"
else
  allowed+=(-x "$include/amp/debug/gdb.hpp.py")
fi
"$gdb" -nx -batch -ex 'python print("has python")' 2>/dev/null | grep -q "has python" ||
  { echo "skipped: $gdb has no Python" && exit 77; }
"$gdb" "${allowed[@]}" -ex run "$program" 2>&1 | grep -q "exited normally" ||
  { echo "skipped: $gdb cannot run a program here" && exit 77; }

commands=(-ex "break stop" -ex run -ex up)
expected=()
while IFS= read -r line; do
  commands+=(-ex "echo @@@" -ex "${line%% => *}")
  expected+=("${line#* => }")
done < <(sed -n 's|.*// gdb: ||p' "$source" | grep ' => ')
output=$("$gdb" "${allowed[@]}" "${commands[@]}" "$program" 2>&1)

wrong=0
for i in "${!expected[@]}"; do
  printed=$(awk -v RS=@@@ -v n=$((i + 2)) 'NR == n' <<<"$output" | head -1 | sed 's/^\$[0-9]* = //')
  [[ $printed == "${expected[i]}" ]] && continue
  wrong=$((wrong + 1))
  printf 'expected: %s\nprinted:  %s\n' "${expected[i]}" "$printed"
done
echo "${#expected[@]} lines, $wrong wrong"
((wrong == 0)) || printf '%s\n' "$output"
exit $((wrong > 0 || ${#expected[@]} == 0))
