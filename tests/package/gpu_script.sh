#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# tests/gpu.sh on a machine that tests/gpu/standin makes up: its stages, its files, its last line and
# its status.
#   gpu_script.sh run AMP WORK DEVICE_TEST BENCHMARK   runs programs that were built before
#   gpu_script.sh build AMP WORK                       configures, with make and with ninja
#   gpu_script.sh whole AMP WORK                       builds one program for that machine, and runs it
set -eu
what=$1 amp=$2 work=$3
shift 3
mkdir -p "$work"
work=$(realpath -- "$work")
rm -rf "${work:?}"/*
machine=$work/machine
"$amp/tests/gpu/standin/make.sh" "$machine"
# Commands of this machine, less those that a test wants to be missing.
mkdir "$work/commands"
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do
  for command in "$folder"/*; do
    [[ ! -x $command || -e $work/commands/${command##*/} ]] || ln -s "$command" "$work/commands/"
  done
done
rm -f "$work"/commands/{nvcc,nvidia-smi,compute-sanitizer,python3}
export PATH=$machine/bin:$work/commands CUDA_HOME=$machine/cuda
unset CATCH2_INCLUDE

fail() { echo "FAILED: $*" && exit 1; }

# expect STATUS PATTERN FLAG...: of its last line; what gpu.sh ends with, and the three files it leaves
expect() {
  local status=0 line=$2 expected=$1 last
  shift 2
  rm -rf "$work/out"
  "$amp/tests/gpu.sh" --out "$work/out" "$@" >"$work/log" 2>&1 || status=$?
  last=$(tail -n 1 "$work/log")
  [[ $status == "$expected" && $last == $line ]] ||
    { cat "$work/log" && fail "gpu.sh $*: status $status, expected $expected: $line"; }
  echo "gpu.sh $*: status $status: $last"
}
three_files() {
  [[ $(cd "$work/out" && echo *) == "gpu.json gpu.txt logs.tar.gz" ]] || fail "$(ls "$work/out")"
  /usr/bin/env -S PATH="$OLD_PATH" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' \
    "$work/out/gpu.json" || fail "gpu.json is not JSON"
}
nothing_left() { [[ ! -e $work/out ]] || fail "$work/out is there"; }

missing_things() {
  AMP_STANDIN_GPU=none expect 77 "skipped: tests/gpu.sh: nvidia-smi names no usable GPU"
  nothing_left
  expect 0 "compute-sanitizer: $machine/bin/compute-sanitizer; from wheels: cublas cublasLt cudnn" \
    --dry-run --wheels "$machine/wheels"
  nothing_left
  mv "$machine/bin/nvcc" "$work/nvcc"
  CUDA_HOME=$work expect 77 "skipped: tests/gpu.sh: there is no nvcc"
  mv "$work/nvcc" "$machine/bin/nvcc"
  expect 2 "something failed, 77 without a usable GPU. Touches no network." --what
}

run_programs() {
  local programs=$work/programs status=0 pid
  local later="build (--programs), device_gone (no such library), PyTorch (python3 has none that sees the GPU)"
  mkdir "$programs"
  cp "$1" "$programs/device_device" && cp "$2" "$programs/gpu_benchmark"
  printf '%s\n' "cudnn no" "program gpu_benchmark" "program device_device" \
    "skipped device_gone no such library" "architecture 90" "nvcc 13.0" "commit 0123456" \
    >"$programs/programs.txt"
  local flags=(--programs "$programs" --smoke)
  expect 0 "6 passed; 0 failed; 0 cut off; 3 skipped: $later" "${flags[@]}"
  three_files
  grep -q '"tool": "memcheck", "program": "device", "result": "passed", "cases ran": [1-9]' \
    "$work/out/gpu.json" || fail "no memcheck in gpu.json"
  grep -q '"commit": "0123456", "cuDNN": false' "$work/out/gpu.json" || fail "no commit in gpu.json"
  grep -q '^copy_op_fp32 ' "$work/out/gpu.txt" || fail "no table in gpu.txt"
  first_line() { tar -xOzf "$work/out/logs.tar.gz" "logs/$1.device.log" | head -n 1; }
  [[ $(first_line memcheck) == *" --track-stream-ordered-races all "*" AMP_CUDA_NO_CACHE=1" ]] ||
    fail "memcheck does not follow the order of streams"
  [[ $(first_line initcheck) == *" --initcheck-address-space all "*" AMP_CUDA_NO_CACHE=1" ]] ||
    fail "initcheck does not look at shared memory, or reused blocks hide what it looks for"
  [[ $(first_line racecheck) == *"AMP_CUDA_NO_CACHE=" && $(first_line synccheck) == *" --tool "* ]] ||
    fail "no racecheck or synccheck"

  flags+=(--only '^device_device$')
  AMP_STANDIN_FINDING=memcheck expect 1 "4 passed; 1 failed: memcheck device (ERROR SUMMARY: 1 \
errors); 0 cut off; 1 skipped: build (--programs)" "${flags[@]}"
  three_files
  AMP_STANDIN_OLD=1 AMP_STANDIN_ENDED=synccheck expect 0 "4 passed; 0 failed; 1 cut off: synccheck device (after \
$(sed -n 's/.*"program": "device".*"cases": \([0-9]*\).*/\1 of \1/p' "$work/out/gpu.json" | head -n 1) \
cases); 2 skipped: build (--programs), the order of streams (this compute-sanitizer lacks \
--track-stream-ordered-races)" "${flags[@]}"
  printf 'program device_missing\n' >>"$programs/programs.txt"
  expect 1 "1 passed; 1 failed: device_missing (it was not built); 0 cut off; 2 skipped: \
build (--programs), sanitizer (--quick)" --quick --programs "$programs" --only '_(device|missing)$'

  # A case that is skipped ends its program with 77, which compute-sanitizer remarks on.
  printf '#!/bin/sh\necho "0.001 s: a case"\necho "skipped: there is one device"\nexit 77\n' \
    >"$programs/device_skips"
  chmod +x "$programs/device_skips"
  printf 'program device_skips\n' >>"$programs/programs.txt"
  expect 0 "5 passed; 0 failed; 0 cut off; 2 skipped: build (--programs), a case of skips \
(there is one device)" --programs "$programs" --only skips
  grep -q 'Target application' "$(tar -C "$work" -xvzf "$work/out/logs.tar.gz" \
    logs/memcheck.skips.log | sed "s|^|$work/|")" || fail "the stand-in said nothing of the 77"

  # What there is no time for is cut off, whether it runs or waits, and fails nothing.
  local name
  for name in 1 2 3 4 5; do
    printf '#!/bin/sh\nexec sleep 60\n' >"$programs/device_late$name"
    chmod +x "$programs/device_late$name"
    printf 'program device_late%s\n' "$name" >>"$programs/programs.txt"
  done
  expect 0 "0 passed; 0 failed; 9 cut off: test late? (after 0 of unknown cases), *, memcheck (no time \
was left), *, synccheck (no time was left); 1 skipped: build (--programs)" --programs "$programs" --only late --limit 6
  grep -q '"name": "device tests", "result": "cut off"' "$work/out/gpu.json" || fail "no stage"
  AMP_STANDIN_HANGS=memcheck expect 0 "1 passed; 0 failed; 4 cut off: memcheck skips (after 1 of 1 \
cases), racecheck (no time was left), *, synccheck (no time was left); 2 skipped: build (--programs), a case of skips (there is one \
device)" --programs "$programs" --only skips --limit 7

  # Of racecheck's time each program has a part.
  for name in 1 2 3 4; do
    cp "$programs/device_skips" "$programs/device_begins$name"
    printf 'program device_begins%s\n' $name >>"$programs/programs.txt"
  done
  AMP_STANDIN_HANGS=racecheck expect 0 "8 passed; 0 failed; 6 cut off: racecheck begins*, initcheck \
(no time was left), synccheck (no time was left); *" --programs "$programs" --only begins --limit 12
  ! grep -q 'racecheck.*after 0 of' "$work/log" || fail "the first programs took all of the time"

  # Ended from outside, it still hands over what it has.
  rm -rf "$work/out" "$work/log"  # the log of the run before names the same stages
  AMP_STANDIN_HANGS=memcheck "$amp/tests/gpu.sh" --out "$work/out" "${flags[@]}" \
    >"$work/log" 2>&1 &
  pid=$!
  until grep -sq '=== memcheck' "$work/log"; do sleep 0.1; done
  kill -TERM $pid
  wait $pid || status=$?
  [[ $status == 143 ]] || fail "status $status after SIGTERM"
  three_files
  ! grep -slz "$work/machine/bin/compute-sanitizer" /proc/[0-9]*/cmdline || fail "it still runs"
  tail -n 1 "$work/out/gpu.txt" | grep -q '1 cut off: the rest (ended by a signal)' ||
    fail "$(cat "$work/out/gpu.txt")"
}

# Programs for another architecture; PyTorch, which does not see the libraries amp's programs find.
other_programs() {
  local programs=$work/other
  mkdir "$programs"
  printf '#!/bin/sh\n[ "$LD_LIBRARY_PATH" ]\n' >"$programs/gpu_benchmark"
  printf '#!/bin/sh\n[ "${LD_LIBRARY_PATH-}" = "%s" ]\n' "${LD_LIBRARY_PATH-}" >"$machine/bin/python3"
  chmod +x "$programs/gpu_benchmark" "$machine/bin/python3"
  printf '%s\n' "program gpu_benchmark" "architecture 100" >"$programs/programs.txt"
  expect 77 "skipped: tests/gpu.sh: the programs are for architecture 100, this GPU is of 90" \
    --programs "$programs"
  nothing_left
  printf '%s\n' "program gpu_benchmark" "architecture 80" >"$programs/programs.txt"
  expect 0 "2 passed; 0 failed; 0 cut off; 2 skipped: build (--programs), sanitizer (no device \
tests)" --programs "$programs"
  grep -q '^warning: the programs are for architecture 80' "$work/log" || fail "no warning"
  rm "$machine/bin/python3"
}

# No Catch2: nothing is left to build, and what is left out is named.
configure_all() {
  local line="0 failed; 0 cut off; 1 skipped: device_device (no Catch2 was found)"
  mkdir -p "$work/none/catch2"
  echo '#error "not here"' >"$work/none/catch2/catch.hpp"
  mkdir "$work/programs"
  touch "$work/programs/device_old"
  local flags=(--build "$work/programs" --only '^device_device$' --arch 90)
  CPLUS_INCLUDE_PATH=$work/none AMP_STANDIN_GPU=none \
    expect 0 "1 passed; $line" "${flags[@]}" --wheels "$machine/wheels"
  grep -qx 'cudnn yes' "$work/programs/programs.txt" || fail "cuDNN of the wheels was not found"
  [[ ! -e $work/programs/device_old ]] || fail "an old program stays"
  if [[ -e $work/commands/ninja ]]; then
    rm -f "$work"/commands/{make,gmake}
    cp -P "$machine"/wheels/nvidia/{cu13,cudnn}/lib/* "$machine/cuda/lib64/"
    ln -s libcudnn.so.9 "$machine/cuda/lib64/libcudnn.so"
    ln -s libcublas.so.13 "$machine/cuda/lib64/libcublas.so"
    ln -s libcublasLt.so.13 "$machine/cuda/lib64/libcublasLt.so"
    CPLUS_INCLUDE_PATH=$work/none expect 0 "1 passed; $line" "${flags[@]}" --commit abc --no-cudnn
    grep -qx 'commit abc' "$work/programs/programs.txt" || fail "--commit is not in programs.txt"
    grep -qx 'cudnn no' "$work/programs/programs.txt" || fail "--no-cudnn has no effect"
    rm -f "$work/commands/ninja"
    expect 77 "skipped: tests/gpu.sh: there is neither make nor ninja"
  fi
}

# All of it, from the source, with each of make and ninja.
build_and_run() {
  local generator
  for generator in make ninja; do
    [[ -e $work/commands/$generator ]] || continue
    expect 0 "6 passed; 0 failed; 0 cut off; 0 skipped" --only '^device_device$' \
      --wheels "$machine/wheels"
    three_files
    rm -f "$work"/commands/{make,gmake}
  done
}

OLD_PATH=${folders[0]}
for folder in "${folders[@]:1}"; do OLD_PATH+=:$folder; done
case $what in
  run) missing_things && other_programs && run_programs "$@" ;;
  build) configure_all ;;
  whole) build_and_run ;;
esac
