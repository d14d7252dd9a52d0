#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Files with definitions of amp that were compiled with different AMP_USE_ONEDNN do not link, and
# the error shows the reason; with the same one they link:
#   link_check.sh WORK LIBRARY COMPILER [FLAG]...
# LIBRARY is the compiled one. (A shared library keeps its functions, and the symbol, to itself.)
set -eu -o pipefail
work=$1 library=$2
shift 2
mkdir -p "$work" && cd "$work"
cat >file.cpp <<'SOURCE'
#include <amp/device/parallel.hpp>
bool NAME() { return amp::num_threads() == 0; }
#ifdef MAIN
bool OTHER();
int main() { return NAME() || OTHER(); }
#endif
SOURCE
reason='amp_compile_all_files_with_the_same_AMP_USE_ONEDNN'

# refused COMMAND...: whether the linker refuses the files for that reason
refused() {
  ! "$@" -o program >log 2>&1 && grep -q "\(multiple definition of\|duplicate symbol:\).*$reason" log
}

for flags in -O0 '-O2 -fPIC -fvisibility=hidden -ffunction-sections' '-O1 -flto'; do
  read -ra chosen <<<"$flags"
  for onednn in 0 1; do
    "$@" "${chosen[@]}" -DAMP_USE_ONEDNN=$onednn -DNAME=first -DOTHER=second -DMAIN -c file.cpp -o main$onednn.o
    "$@" "${chosen[@]}" -DAMP_USE_ONEDNN=$onednn -DNAME=second -c file.cpp -o second$onednn.o
    "$@" "${chosen[@]}" -Wl,--gc-sections main$onednn.o second$onednn.o -o program && ./program
  done
  [[ $flags != *-flto ]] || continue
  for linker in bfd gold lld; do
    command -v ld.$linker >/dev/null || continue
    echo "$flags, $linker"
    refused "$1" -fuse-ld=$linker -Wl,--gc-sections main0.o second1.o
    refused "$1" -fuse-ld=$linker -Wl,--gc-sections main1.o second0.o
  done
done

# An archive differs from at least one of them. This file needs a part of it that the others lack.
[[ $library == *.a ]] || exit 0
cat >second.cpp <<'SOURCE'
#include <amp/kernels/onednn/capabilities.hpp>
bool second() { return amp::cpu_capabilities().library.empty(); }
SOURCE
"$@" -DAMP_COMPILED -c second.cpp -o second.o
"$@" -DAMP_USE_ONEDNN=0 -DNAME=first -DOTHER=second -DMAIN -c file.cpp -o main0.o
"$@" -DAMP_USE_ONEDNN=1 -DNAME=first -DOTHER=second -DMAIN -c file.cpp -o main1.o
refused "$1" main0.o second.o "$library" || refused "$1" main1.o second.o "$library"
