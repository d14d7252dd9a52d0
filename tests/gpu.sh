#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Builds for the GPU of this machine, runs the device tests on it, again under compute-sanitizer,
# and the benchmarks, beside PyTorch where python3 has it:
#
#   ./tests/gpu.sh [--quick] [--catch DIR] [--out DIR] [--dry-run]
#
# DIR of --catch (or CATCH2_INCLUDE) holds catch2/catch.hpp, where the compiler does not find it by
# itself. All that is written goes to --out (build/gpu): gpu.json, rewritten after each stage, the
# table gpu.txt, and a log of each stage. --quick leaves out sanitizer and PyTorch, and measures
# less; --dry-run says what there is and stops. Each stage has a limit of time, and all together 9
# minutes. Exits 77 without a usable GPU, 1 where a stage failed. Touches no network.
set -uo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
out=$root/build/gpu
catch=${CATCH2_INCLUDE:-}
quick=
dry=
while (($#)); do
  case $1 in
    --quick) quick=--quick ;;
    --dry-run) dry=1 ;;
    --catch) catch=$(realpath -- "${2:?--catch takes a folder}") && shift ;;
    --out) out=$(realpath -m -- "${2:?--out takes a folder}") && shift ;;
    *) sed -n '5,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 2 ;;
  esac
  shift
done

say() { printf '\n=== %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

# --- what there is ------------------------------------------------------------------------------

have nvcc || PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
skip_all() {
  echo "skipped: tests/gpu.sh: $1"
  exit 77
}
gpu=$(nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader \
  2>/dev/null | head -n 1)
[[ $gpu =~ [0-9]\.[0-9]$ ]] || skip_all "nvidia-smi names no usable GPU"
have nvcc || skip_all "there is no nvcc"
have cmake || skip_all "there is no cmake"

sanitizer=$(command -v compute-sanitizer)
python=
python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null && python=python3
limit=530  # seconds, of everything
jobs=$(nproc)
echo "GPU: $gpu"
echo "nvcc: $(nvcc --version | sed -n 's/.*release //p')"
echo "compute-sanitizer: ${sanitizer:-none}, PyTorch: ${python:-none}"
[[ ! $dry ]] || exit 0

build=$out/build
rm -rf "$out/logs" "$out"/*.json "$out/gpu.txt"
mkdir -p "$build" "$out/logs"

# --- stages -------------------------------------------------------------------------------------

stages=()
failed=0

# All that is known so far.
write_json() {
  local IFS=,
  {
    printf '{"gpu": "%s",\n"nvcc": "%s",\n"host": "%s cores",\n' "$gpu" \
      "$(nvcc --version | sed -n 's/.*release //p')" "$jobs"
    printf '"date": "%s",\n"commit": "%s",\n"quick": %s,\n"seconds": %d,\n' "$(date -u +%FT%TZ)" \
      "$(git -C "$root" describe --always --dirty 2>/dev/null)" "$([[ $quick ]] && echo true ||
        echo false)" "$SECONDS"
    printf '"stages": [\n%s],\n"amp": ' "${stages[*]}"
    cat "$out/amp.json" 2>/dev/null || echo null
    printf ',\n"pytorch": '
    cat "$out/pytorch.json" 2>/dev/null || echo null
    echo "}"
  } >"$out/gpu.json.new"
  mv "$out/gpu.json.new" "$out/gpu.json"
}

# note NAME RESULT SECONDS
note() {
  stages+=("$(printf '{"name": "%s", "result": "%s", "seconds": %d}\n' "$@")")
  write_json
}
skip() {
  say "$1: skipped, $2"
  note "$1" "skipped, $2" 0
}

# stage NAME LIMIT COMMAND...: in LIMIT seconds, or what is left of the whole
stage() {
  local name=$1 most=$2 start=$SECONDS status=0 result
  shift 2
  ((most < limit - SECONDS)) || most=$((limit - SECONDS))
  if ((most < 5)); then
    failed=1
    skip "$name" "no time was left"
    return 1
  fi
  say "$name (at most $most s)"
  stage_end=$((SECONDS + most))
  "$@" 2>&1 | tee "$out/logs/${name// /_}.log"
  status=${PIPESTATUS[0]}
  case $status in
    0) result=ok ;;
    77) result=skipped ;;
    124 | 137) result="out of time" ;;
    *) result=failed ;;
  esac
  [[ $result == ok || $result == skipped ]] || failed=1
  note "$name" "$result" $((SECONDS - start))
  return "$status"
}
# What a stage runs that takes long.
limited() { timeout --kill-after=5 $((stage_end > SECONDS ? stage_end - SECONDS : 1)) "$@"; }

configure_and_build() {
  local architecture=${gpu##*, }
  limited cmake -S "$root" -B "$build" -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release -DAMP_BUILD_TESTS=OFF \
    -DAMP_TEST_GPU=ON -DAMP_WITH_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES="${architecture/./}" \
    -DAMP_TEST_CATCH="$catch" >"$out/logs/configure.log" 2>&1 ||
    { cat "$out/logs/configure.log" && return 1; }
  limited cmake --build "$build" --target gpu_programs --parallel "$jobs" -- -k
}

device_tests() {
  (cd "$build" && limited ctest -L device --parallel 4 --output-on-failure --timeout 60)
}

# sanitize TOOL PROGRAM...: several at a time. One that is cut off found nothing until then, and is
# named.
sanitize() {
  local tool=$1 program result=0 log
  shift
  for program in "$@"; do
    echo "$program"
  done | limited xargs -P $((jobs < 8 ? jobs : 8)) -I{} timeout $((stage_end - SECONDS - 5)) \
    "$sanitizer" --tool "$tool" --error-exitcode 99 --log-file "$out/logs/$tool.{}.log" \
    "$build/device/device_{}" >/dev/null 2>&1
  for program in "$@"; do
    log=$out/logs/$tool.$program.log
    if [[ ! -s $log ]] || grep -qE 'Internal Sanitizer Error|Device not supported' "$log"; then
      echo "$program: the sanitizer did not run"
      result=1
    elif ! grep -q 'ERROR SUMMARY\|RACECHECK SUMMARY' "$log"; then
      grep -m 3 '=====' "$log"
      echo "$program: cut off"
    elif grep -qE '(ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards)' "$log"; then
      echo "$program: no errors"
    else
      cat "$log"
      result=1
    fi
  done
  return $result
}

benchmark() { limited "$build/benchmarks/gpu_benchmark" $quick --json "$out/amp.json"; }
pytorch() { limited "$python" "$root/benchmarks/pytorch_gpu.py" $quick --json "$out/pytorch.json"; }

# name, amp's time, share of a copy or rate, PyTorch's time, how many times faster amp is
table() {
  awk '
    function value(line, key) {
      return match(line, "\"" key "\": [-+.0-9e]+")\
        ? substr(line, RSTART + length(key) + 4, RLENGTH - length(key) - 4) + 0 : 0
    }
    /^"/ {
      split($0, part, "\"")
      if (FILENAME ~ /pytorch/) { theirs[part[2]] = value($0, "ms"); next }
      line[part[2]] = $0
      order[++count] = part[2]
    }
    END {
      printf "%-28s %12s %9s %9s %12s %7s\n", "", "amp, ms", "of copy", "TFLOP/s", "PyTorch, ms",\
        "faster"
      for (i = 1; i <= count; ++i) {
        name = order[i]
        ms = value(line[name], "ms")
        share = value(line[name], "of_copy")
        rate = value(line[name], "TFLOP/s")
        printf "%-28s %12.4f %9s %9s", name, ms, share ? sprintf("%.0f %%", 100 * share) : "",\
          rate ? sprintf("%.0f", rate) : ""
        if (theirs[name]) printf " %12.4f %6.2fx", theirs[name], theirs[name] / ms
        print ""
      }
      for (i = 1; i <= count; ++i) {
        name = order[i]
        if (sub(/^cublas_gemm/, "", name) && "matmul" name in line)
          printf "matmul%s takes %.2f of a plain call of cuBLAS\n", name,\
            value(line["matmul" name], "ms") / value(line["cublas_gemm" name], "ms")
      }
    }' "$@"
}

# What could be built is run, whatever could not.
stage "build" 200 configure_and_build
if [[ -e $build/CTestTestfile.cmake ]]; then
  stage "device tests" 75 device_tests
  if [[ $quick ]]; then
    skip "sanitizer" "--quick"
  elif [[ ! $sanitizer ]]; then
    skip "sanitizer" "no compute-sanitizer"
  else
    mapfile -t programs < <(cd "$build/device" && find . -name 'device_*' | sed 's/.*device_//' |
      sort)
    stage "memcheck" 90 sanitize memcheck "${programs[@]}"
    stage "racecheck" 60 sanitize racecheck norm_pool optim reduce scaler softmax_loss
  fi
  stage "benchmarks" 60 benchmark
  if [[ $quick ]]; then
    skip "PyTorch" "--quick"
  elif [[ ! $python ]]; then
    skip "PyTorch" "python3 has none that sees the GPU"
  else
    stage "PyTorch" 60 pytorch
  fi
fi

say "results"
{
  echo "$gpu"
  printf '%s\n' "${stages[@]}" | sed 's/[{}"]//g'
  files=()
  for file in "$out/pytorch.json" "$out/amp.json"; do
    [[ ! -e $file ]] || files+=("$file")
  done
  ((${#files[@]} == 0)) || table "${files[@]}"
} | tee "$out/gpu.txt"
echo "written: $out/gpu.json, $out/gpu.txt"
((failed == 0)) || echo "FAILED: see the stages above"
exit $failed
