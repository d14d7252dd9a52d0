#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Compiles each header below a folder alone, and included twice:
#   headers_alone.sh INCLUDE FOLDER GLOB WORK COMPILER [FLAG]...
# INCLUDE is the library's include folder, FOLDER one below its amp/, without those in it if it ends
# with a dot. .cuh files compile as .cu, the others as .cpp. Headers in a folder cuda/, and cuda.hpp,
# get TOOLKIT, the toolkit's include folder, from the environment; those named below need a library
# that is not looked for here. What is left out is named. Exits 77 if there is no header.
set -u
include=$1 folder=$2 glob=$3 work=$4
shift 4
mkdir -p "$work" && cd "$work" || exit 1

count=0
failed=()
depth=()
[[ $folder != *. ]] || depth=(-maxdepth 1)
while IFS= read -r header; do
  flags=(-I "$include")
  suffix=cpp
  case $header in
    */libtorch.hpp | */libtorch/* | */mpi.hpp | */mpi/* | */nccl.hpp | */nvtx.hpp)
      echo "left out, needs a library: $header"
      continue
      ;;
    *.cuh) suffix=cu ;;
    */compiled.hpp) continue ;;  # all definitions: package.by_hand
    */cuda/* | */cuda.?pp)
      if [[ ! ${TOOLKIT:-} ]]; then
        echo "left out, needs the CUDA toolkit: $header"
        continue
      fi
      flags+=(-isystem "$TOOLKIT")
      ;;
  esac
  unit=${header//\//_}.$suffix
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" >"$unit"
  "$@" "${flags[@]}" "$unit" || failed+=("$header")
  count=$((count + 1))
done < <(cd "$include" && find "amp/$folder" "${depth[@]}" -name "$glob" | sed 's|/\./|/|' | sort)

echo "$count headers, ${#failed[@]} do not compile alone: ${failed[*]}"
((count)) || exit 77
exit $((${#failed[@]} > 0))
