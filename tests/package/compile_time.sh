#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Prints what including amp costs, in processor seconds beside its budget, and keeps the line in a
# file. Nothing is asserted, as machines differ:
#   compile_time.sh NAME PROGRAMS OUTPUT COMPILER [FLAG]...
set -eu
shopt -s inherit_errexit
name=$1 programs=$2 output=$3
shift 3

# The better of two runs.
seconds() {
  local source=$1 TIMEFORMAT=%U
  shift
  { time "$@" "$source"; } 2>&1
}
best() { printf '%s\n' "$(seconds "$@")" "$(seconds "$@")" | sort -g | head -n 1; }

nothing=$(best "$programs/nothing.cpp" "$@")
ten_ops=$(best "$programs/ten_ops.cpp" "$@")
echo "compile time, $name -O2: amp.hpp alone $nothing s (budget 2), ten ops $ten_ops s (budget 5)" |
  tee "$output"
