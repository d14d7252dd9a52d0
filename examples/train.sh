#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Installs what is missing, builds the trainer and runs it:
#
#   ./examples/train.sh [the trainer's flags]        --help lists them
#
# With everything in place it touches no network. CXX chooses the compiler of the first build.
# mpirun -n 2 ./examples/train.sh trains with two processes, if there is MPI (Debian: libopenmpi-dev).
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
build=$root/build/train
log=$build/build.log
trainer=$build/examples/train_cnn
sudo_flags=()

say() { printf 'train.sh: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

compiler() {
  if [[ -n ${CXX:-} ]]; then
    echo "$CXX"
  elif have c++; then
    echo c++
  elif have g++; then
    echo g++
  elif have clang++; then
    echo clang++
  fi
}

# Tests whether a program that includes the header $1 links with the flags that follow.
links() {
  local header=$1 cxx
  shift
  cxx=$(compiler)
  [[ -n $cxx ]] && printf '#include <%s>\nint main() {}\n' "$header" |
    $cxx -x c++ - -o /dev/null "$@" >/dev/null 2>&1
}

# Prints the missing Debian packages that the trainer needs.
missing_packages() {
  [[ -n $(compiler) ]] || echo g++
  have cmake || echo cmake
  have make || have ninja || echo make
  links zlib.h -lz || echo zlib1g-dev
  links nlohmann/json.hpp || echo nlohmann-json3-dev
}

# Runs apt-get, with its output in the log.
apt() {
  local -a as_root=()
  if [[ $(id -u) -ne 0 ]]; then
    have sudo || return 1
    as_root=(sudo "${sudo_flags[@]}")
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "$@" >>"$log" 2>&1
}

install_packages() {
  have apt-get || return 1
  say "installing $* (apt-get; needs the network this once)"
  apt install -y --no-install-recommends "$@" ||
    { apt update && apt install -y --no-install-recommends "$@"; }
}

# oneDNN makes training faster, but the library also has its own kernels: installing it is tried
# once, without asking for a password.
install_onednn() {
  links oneapi/dnnl/dnnl.h -ldnnl || [[ -e $build/without-onednn ]] && return
  sudo_flags=(-n)
  install_packages libdnnl-dev && return
  say "oneDNN could not be installed: training takes longer with amp's own kernels"
  touch "$build/without-onednn"
}

# Tests whether a build is needed, for the message only: CMake runs in any case.
outdated() {
  [[ ! -x $trainer || ! -e $build/CMakeCache.txt || ! -e $build/built ]] ||
    [[ -n $(find "$root/CMakeLists.txt" "$root/include" "$root/examples" \
      -newer "$build/built" -print -quit) ]]
}

configure_and_build() {
  local -a generator=()
  grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" ||
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"  # none yet, or of a checkout since moved
  [[ -e $build/CMakeCache.txt ]] || have make || generator=(-G Ninja)
  ! outdated || say "building the trainer in build/train (a first build takes a minute)"
  cmake -S "$root" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release \
    -DAMP_BUILD_TESTS=OFF -DAMP_BUILD_EXAMPLES=ON -DAMP_BUILD_BENCHMARKS=OFF >>"$log" 2>&1 &&
    cmake --build "$build" --target train_cnn --parallel >>"$log" 2>&1 && touch "$build/built"
}

mkdir -p "$build"
if have flock; then  # mpirun -n 2 starts this script twice: one builds
  exec 9>"$build/lock"
  flock 9
fi
: >"$log"

if [[ ! -e $build/built ]]; then  # what was built once has all it needs
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]})) && ! install_packages "${missing[@]}"; then
    tail -n 20 "$log" >&2
    say "could not install what is missing; as root: apt-get install ${missing[*]}"
    exit 1
  fi
  install_onednn
fi
if ! configure_and_build; then
  cat "$log" >&2
  say "the build failed; the lines above say why"
  exit 1
fi

exec 9>&-
# Under the name that was typed, which the trainer prints in the command to continue.
[[ $0 == */* ]] && name=$0 || name=./$0
exec -a "$name" "$trainer" "$@"
