#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# declarations.sh INCLUDE COMPILER [FLAG]...: with the compiled library, <amp/amp.hpp> declares only. It
# reaches no definitions of amp's, none of the standard headers that only those need, and no other
# library.
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
