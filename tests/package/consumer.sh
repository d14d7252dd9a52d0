#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Builds and runs targets of consumer/ in a folder of its own:
#   consumer.sh AMP package|subdirectory BUILD WORK "TARGET..." [CMAKE FLAG]...
# As a package, amp is installed from BUILD and then moved: an installation must not remember where
# it was. With AMP_INSTALL=ON, a subproject is installed too. The compiled library is also linked as
# pkg-config says. What the shared objects export is looked through.
set -eu -o pipefail
amp=$1 kind=$2 build=$3 work=$4
read -ra targets <<<"$5"
shift 5
rm -rf "$work"
mkdir -p "$work"

if [[ $kind == package ]]; then
  cmake --install "$build" --prefix "$work/first" >"$work/install.log"
  mv "$work/first" "$work/moved"
  if grep -rnF -e "$amp" -e "$build" "$work/moved" --include='*.cmake' --include='*.pc'; then
    echo "the installed package names a folder of the machine that built it"
    exit 1
  fi
  if command -v pkg-config >/dev/null; then
    file=$(find "$work/moved" -name amp.pc)
    read -ra flags <<<"$(PKG_CONFIG_PATH=${file%/*} pkg-config --cflags amp)"
    [[ -e ${flags[0]#-I}/amp/amp.hpp ]]
  fi
  set -- "$@" -DCMAKE_PREFIX_PATH="$work/moved"
else
  set -- "$@" -DAMP_SUBDIRECTORY="$amp"
fi
# Without a build type CMake says once what that costs; with one, nothing.
if [[ ${targets[0]} == app ]]; then
  cmake -S "$amp/tests/package/consumer" -B "$work/build" -DCMAKE_BUILD_TYPE= "$@" >"$work/untyped" 2>&1
  [[ $(grep -c 'amp: CMAKE_BUILD_TYPE is not set' "$work/untyped") == 1 ]]
fi
cmake -S "$amp/tests/package/consumer" -B "$work/build" -DCMAKE_BUILD_TYPE=Release "$@" 2>&1 |
  tee "$work/typed"
! grep 'amp: CMAKE_BUILD_TYPE is not set' "$work/typed" || exit 1
cmake --build "$work/build" --target "${targets[@]}"
for target in "${targets[@]}"; do
  "$work/build/$target"
done

compiler=
for flag; do
  case $flag in
    -DCMAKE_CXX_COMPILER=*) compiler=${flag#*=} ;;
    -DAMP_INSTALL=ON) cmake --install "$work/build" --prefix "$work/moved" >"$work/install.log" ;;
  esac
done
if [[ " $* " == *" -DAMP_LIBRARY=amp::compiled "* ]]; then
  "$amp/tests/package/pkg_config.sh" "$amp" "$work/moved" "$work/pkg_config" "$compiler" || (($? == 77))
fi

# By mangled names: the standard library's own templates are always exported.
kernels='_ZN?K?3amp.*(7kernels4cuda|4cuda6launch)|__device_stub'
for library in "$work"/build/*.so; do
  [[ -e $library ]] || continue
  if nm -D --defined-only "$library" | grep -E " ($kernels)" | c++filt; then
    echo "$library exports kernels of amp, or what launches them"
    exit 1
  fi
done
