#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# optimization_hint.sh SOURCE FOLDER COMPILER [FLAG]...: a program compiled without optimization says
# so once; optimised, or told not to, it says nothing.
set -euo pipefail
source=$1 program=$2/program
shift 2
mkdir -p "$(dirname "$program")"

# hints COUNT FLAG...: compiled with these flags, the program prints so many hints
hints() {
  local expected=$1 found
  shift
  "${compile[@]}" "$@" "$source" -o "$program"
  found=$("$program" 2>&1 | tee /dev/stderr | grep -c 'compiled without optimization') || true
  ((found == expected)) || { echo "$* : $found hints, expected $expected" && exit 1; }
}

compile=("$@")
hints 1
AMP_QUIET=1 "$program" 2>&1 | grep . && exit 1
hints 0 -DAMP_NO_OPTIMIZATION_HINT
hints 0 -O1
