#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# declarations.sh INCLUDE COMPILER [FLAG]...: with the compiled library, <amp/amp.hpp> declares only. It
# reaches no definitions of amp's, none of the standard headers that only those need, and no other
# library. Header-only, a source file that includes it and uses nothing of it has no code of amp's.
set -euo pipefail
include=$1
shift
reached=$(printf '#include <amp/amp.hpp>\n' | "$@" -DAMP_COMPILED -I "$include" -x c++ -M - | tr -d '\\' | xargs -n 1)
grep -q "amp/ops/matmul.hpp" <<<"$reached"
forbidden='[.]ipp$|/kernels/.*/host/|/dnnl|nlohmann|[a-z]mmintrin|/(thread|mutex|condition_variable|chrono|filesystem|random|map|deque|list|sstream|charconv|algorithm|regex|future)$'
if grep -E "$forbidden" <<<"$reached"; then
  echo "<amp/amp.hpp> reaches these in a program that links the compiled library"
  exit 1
fi

object=$(mktemp)
trap 'rm -f "$object"' EXIT
printf '#include <amp/amp.hpp>\n' | "$@" -O1 -I "$include" -x c++ -c - -o "$object"
if nm -C "$object" | grep -E '^[0-9a-f]+ [TWVuBDR] '; then
  echo "these are compiled into every source file: a virtual function is not inline in its class?"
  exit 1
fi
