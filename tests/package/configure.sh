#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# configure.sh AMP WORK [CMAKE FLAG]...: without Catch2, amp is configured without its tests and says
# so, unless AMP_BUILD_TESTS=ON insists; BUILD_TESTING=OFF is heeded; installing builds nothing. An option
# of earlier versions gets a warning if it asks for what is gone.
set -euo pipefail
amp=$1 work=$2
shift 2
rm -rf "$work" && mkdir -p "$work"
configure() { cmake -S "$amp" -B "$work/$1" "${flags[@]}" "${@:2}" 2>&1 | tee "$work/log"; }
flags=("$@" -DCMAKE_INSTALL_PREFIX="$work/installed")

configure none -DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON
grep -q 'the tests are left out.*Catch2' "$work/log"
[[ ! -e $work/none/tests ]]
cmake --build "$work/none" --target install >"$work/log"
[[ -e $work/installed/include/amp/amp.hpp ]]
[[ -z $(find "$work/none/examples" "$work/none/benchmarks" -name '*.o') ]]

if configure insist -DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON -DAMP_BUILD_TESTS=ON; then
  echo "configured tests without Catch2" && exit 1
fi
grep -q "amp's tests need Catch2" "$work/log"

configure off -DBUILD_TESTING=OFF -DAMP_WITH_BLAS=AUTO
[[ ! -e $work/off/tests ]]
if grep BLAS "$work/log"; then exit 1; fi
configure off -DAMP_WITH_BLAS=ON
grep -q 'amp no longer calls a BLAS' "$work/log"
[[ $(ctest --test-dir "$work/off" -N) == *"Total Tests: 0"* ]]
# Whatever the run before said.
configure off -DBUILD_TESTING=ON
[[ -e $work/off/tests ]]
rm -rf "$work/off/tests"
configure off -DBUILD_TESTING=OFF
[[ ! -e $work/off/tests ]]
