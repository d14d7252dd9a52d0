#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# old_standard.sh INCLUDE COMPILER [FLAG]...: with C++17, the compiler says what is needed and no
# more, whichever header comes first.
set -u
include=$1
shift
for header in "$include"/amp/*.hpp; do
  output=$(echo "#include \"$header\"" |
    "$@" -std=c++17 -I "$include" -x c++ -fsyntax-only - 2>&1) && exit 1
  grep -q 'error: .*amp needs C++20: compile with -std=c++20' <<<"$output" &&
    (($(grep -c 'error: ' <<<"$output") == 2)) && continue
  echo "$output"
  exit 1
done
