#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# store_forwarding.sh PYTHON LIBRARY: no kernel of the library loads a vector that narrower stores have just
# written.
# store_forwarding.sh PYTHON FOLDER COMPILER [FLAG]...: nor one of the library that the compiler makes.
set -euo pipefail
python=$1 library=$2 folder=$2
shift 2
command -v objdump >/dev/null || { echo "skipped: no objdump" && exit 77; }
checker=$(dirname "$0")/store_forwarding.py

# In pieces of 16 bytes, and as a whole.
code='0 <copied>:\n 0:\tvmovdqa %%xmm0,-0x20(%%rsp)\n 6:\tvmovdqa %%xmm1,-0x10(%%rsp)\n c:\tvaddps -0x20(%%rsp),%%ymm2,%%ymm0\n'
if printf "$code" | "$python" "$checker" >/dev/null; then
  echo "a load of two stored pieces was not found" && exit 1
fi
printf "${code//xmm/ymm}" | "$python" "$checker"

if (($# == 0)); then
  objdump -d -C --no-show-raw-insn "$library" | "$python" "$checker"
  exit
fi
# With a newer processor for the whole program, compilers copy other structures by vectors.
mkdir -p "$folder"
library=$folder/library.o
for level in -O2 "-O2 -march=x86-64-v4"; do
  # shellcheck disable=SC2086
  printf '#include <amp/compiled.hpp>\n' | "$@" $level -DAMP_COMPILED -x c++ -c - -o "$library"
  objdump -d -C --no-show-raw-insn "$library" |
    "$python" "$checker" "$([[ $level == -O2 ]] || echo ForEachSet)" || { echo "with $level" && exit 1; }
done
