#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# language_modes.sh INCLUDE COMPILER [FLAG]...: with C++17, and without exceptions, the compiler says
# what is needed and no more, whichever header comes first. RTTI is not needed. Macros of earlier versions
# are refused by name.
set -u
include=$1
shift
compile() { # [FLAG]... < source
  "${compiler[@]}" "$@" -I "$include" -x c++ -fsyntax-only - 2>&1
}
compiler=("$@")

needs() { # TEXT [FLAG]...
  local header output text=$1
  for header in "$include"/amp/*.hpp; do
    output=$(echo "#include \"$header\"" | compile "${@:2}") || {
      grep -q "error: .*$text" <<<"$output" && (($(grep -c 'error: ' <<<"$output") == 2)) && continue
    }
    echo "$header with ${*:2}: $output"
    exit 1
  done
}
needs 'amp needs C++20: compile with -std=c++20' -std=c++17
needs 'amp needs exceptions: compile without -fno-exceptions' -std=c++20 -fno-exceptions

refused() { # MACRO TEXT
  output=$(echo '#include <amp/types.hpp>' | compile -std=c++20 "-D$1")
  grep -q "error: .*$2" <<<"$output" || { echo "$output" && exit 1; }
}
refused AMP_USE_CBLAS=1 'amp no longer calls a CBLAS'
refused AMP_SHARED_STATE 'AMP_SHARED_STATE is gone: link the shared amp::compiled'

printf '#include <amp/%s.hpp>\n' amp diagnostics distributed dlpack safetensors views |
  compile -std=c++20 -fno-rtti
