#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# vectors_in_registers.sh PYTHON SOURCE FOLDER COMPILER [FLAG]...: at -O2 and -O3, the machine code of the
# innermost loops keeps vectors in registers. If a compiler copies a vector to the stack in pieces, each
# load of the whole waits until all pieces are written: a matmul then takes five times as long. That holds
# too if the whole program is compiled for newer processors.
set -euo pipefail
python=$1 source=$2 object=$3/vector_kernels.o
shift 3
command -v objdump >/dev/null || { echo "skipped: no objdump" && exit 77; }
[[ -x $python ]] || { echo "skipped: no python3" && exit 77; }
mkdir -p "$(dirname "$object")"

for level in -O2 -O3; do
  "$@" $level -c "$source" -o "$object"
  objdump -d -C --no-show-raw-insn "$object" | awk -v level=$level '
    />:$/ { function_name = $0; hot = /::avx2<|::avx512<|::avx512_bf16</; functions += hot }
    hot && /%[xyz]mm/ && /\(%rsp/ {
      print level ": a vector on the stack in " function_name $0
      wrong = 1
    }
    END {
      if (functions != 15) print level ": " functions " functions, expected 15"
      exit wrong || functions != 15
    }'
done

for level in -O2 "-O2 -march=x86-64-v3" "-O3 -march=x86-64-v3" "-O3 -march=x86-64-v4"; do
  # shellcheck disable=SC2086
  "$@" $level -c "$source" -o "$object"
  objdump -d -C --no-show-raw-insn "$object" | "$python" "$(dirname "$0")/store_forwarding.py" ||
    { echo "with $level" && exit 1; }
done
