#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Builds and runs a target of consumer/ in a folder of its own:
#   consumer.sh AMP package|subdirectory BUILD WORK TARGET [CMAKE FLAG]...
# As a package, amp is installed from BUILD and then moved: an installation must not remember where
# it was.
set -eu
amp=$1 kind=$2 build=$3 work=$4 target=$5
shift 5
rm -rf "$work"
mkdir -p "$work"

if [[ $kind == package ]]; then
  cmake --install "$build" --prefix "$work/first" >"$work/install.log"
  mv "$work/first" "$work/moved"
  if grep -rnF -e "$amp" -e "$build" "$work/moved" --include='*.cmake'; then
    echo "the installed package names a folder of the machine that built it"
    exit 1
  fi
  set -- "$@" -DCMAKE_PREFIX_PATH="$work/moved"
else
  set -- "$@" -DAMP_SUBDIRECTORY="$amp"
fi
cmake -S "$amp/tests/package/consumer" -B "$work/build" -DCMAKE_BUILD_TYPE=Release "$@"
cmake --build "$work/build" --target "$target"
"$work/build/$target"
