#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Builds for the GPU of this machine, runs the device tests on it, again under compute-sanitizer,
# and the benchmarks, beside PyTorch where python3 has it:
#
#   ./tests/gpu.sh [OPTION]...
#
#   --out DIR       what comes of it (build/gpu): gpu.json, gpu.txt, logs.tar.gz, and nothing else
#   --build DIR     builds the programs into DIR and stops; needs no GPU, but --arch, such as 90
#   --programs DIR  runs what --build made, here or on another machine, and builds nothing
#   --catch DIR     holds catch2/catch.hpp, if the compiler does not find it (or CATCH2_INCLUDE)
#   --wheels DIR    holds nvidia/, CUDA's libraries as Python packages bring them; without it they
#                   are looked for in python3's packages, if the toolkit lacks them
#   --no-cudnn      builds amp's own convolutions
#   --only REGEX    of the programs, those whose names match
#   --commit NAME   what is measured, for a tree without .git
#   --limit SECONDS  of everything together (530)
#   --quick         leaves out sanitizer and PyTorch, and measures less
#   --smoke         toy sizes in the benchmarks
#   --dry-run       says what there is and stops
#
# Each stage has a limit of time too; what there was no time for is cut off, which is no failure.
# The last line says what passed, what failed, what was cut off, what was skipped and why. Exits 1 if
# something failed, 77 without a usable GPU. Touches no network.
set -uo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
export AMP_SOURCE_DIR=$root  # where programs of another machine find tests/goldens
out=$root/build/gpu
catch=${CATCH2_INCLUDE:-}
build= pytorch_search= prebuilt= arch= limit=530 no_cudnn= only= commit= quick= smoke= dry= wheels_given=()
while (($#)); do
  case $1 in
    --quick) quick=--quick ;;
    --smoke) smoke=--smoke ;;
    --dry-run) dry=1 ;;
    --no-cudnn) no_cudnn=1 ;;
    --catch) catch=$(realpath -- "${2:?--catch takes a folder}") && shift ;;
    --wheels) wheels_given=("$(realpath -- "${2:?--wheels takes a folder}")") && shift ;;
    --out) out=$(realpath -m -- "${2:?--out takes a folder}") && shift ;;
    --build) build=$(realpath -m -- "${2:?--build takes a folder}") && shift ;;
    --programs) prebuilt=$(realpath -- "${2:?--programs takes a folder}") && shift ;;
    --arch) arch=${2:?--arch takes a number, such as 90} && shift ;;
    --only) only=${2:?--only takes a regular expression} && shift ;;
    --limit) limit=${2:?--limit takes a number of seconds} && shift ;;
    --commit) commit=${2:?--commit takes a name} && shift ;;
    *) sed -n '5,27s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 2 ;;
  esac
  shift
done

say() { printf '\n=== %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }
skip_all() {
  echo "skipped: tests/gpu.sh: $1"
  exit 77
}
source "$root/tests/gpu/libraries.sh"
source "$root/tests/gpu/stages.sh"
source "$root/tests/gpu/programs.sh"

# --- what there is ------------------------------------------------------------------------------

find_gpu() {
  gpu=$(timeout 20 nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader \
    2>/dev/null | head -n 1)
  [[ $gpu =~ [0-9]\.[0-9]$ ]] || gpu=
  [[ $gpu || $build ]] || skip_all "nvidia-smi names no usable GPU"
  gpu_arch=${gpu##*, } gpu_arch=${gpu_arch/./}
  [[ $arch ]] || arch=$gpu_arch
  [[ $arch ]] || skip_all "there is no GPU to build for: --arch names one, such as 90"
}

find_tools() {
  have nvcc || PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
  if [[ ! $prebuilt ]]; then
    have nvcc || skip_all "there is no nvcc"
    have cmake || skip_all "there is no cmake"
    if have make; then
      generator="Unix Makefiles" keep_going=(-k)
    elif have ninja; then
      generator=Ninja keep_going=(-k 0)
    else
      skip_all "there is neither make nor ninja"
    fi
  fi
  sanitizer=$(command -v compute-sanitizer)
  races_option=--track-stream-ordered-races
  nvcc_release=$(nvcc --version 2>/dev/null | sed -n 's/.*release //p')
  # A copy of this tree may lie within another.
  [[ $commit || ! $(git -C "$root" rev-parse --show-toplevel 2>/dev/null) -ef $root ]] ||
    commit=$(git -C "$root" describe --always --dirty 2>/dev/null)
  jobs=$(nproc)
}

# A first import takes up to a minute: it goes on beside the build.
look_for_pytorch() {
  timeout 90 "${python[@]}" -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' \
    >/dev/null 2>&1 &
  pytorch_search=$!
}
# Waits for it, since it would disturb a timing; sets no_pytorch to why there is none, or nothing.
find_pytorch() {
  local status=0
  wait "$pytorch_search" || status=$?
  pytorch_search=
  case $status in
    0) no_pytorch= ;;
    124) no_pytorch="python3 took more than 90 s to import torch" ;;
    *) no_pytorch="python3 has none that sees the GPU" ;;
  esac
  [[ ! $quick ]] || no_pytorch=--quick
}

# --- what the stages do -------------------------------------------------------------------------

# amp's own kernels on the host, so that programs run on machines without the libraries of this one.
configure_and_build() {
  limited cmake -S "$root" -B "$work/build" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
    -DAMP_BUILD_TESTS=OFF -DAMP_TEST_GPU=ON -DAMP_WITH_CUDA=ON -DAMP_WITH_ONEDNN=OFF \
    -DCMAKE_CUDA_ARCHITECTURES="$arch" -DAMP_TEST_CATCH="$catch" \
    -DCUDAToolkit_ROOT="$toolkit" -DAMP_TEST_ONLY="$only" "${cmake_flags[@]}" >"$work/logs/configure.log" 2>&1 ||
    { local status=$? && cat "$work/logs/configure.log" && return "$status"; }
  limited cmake --build "$work/build" --target gpu_programs --parallel "$jobs" -- "${keep_going[@]}"
}

# Programs and what is known of them, side by side: $folder/programs.txt.
collect_programs() {
  folder=$work/programs
  mkdir -p "$folder"
  {
    cat "$work/build/gpu_programs.txt" 2>/dev/null
    printf 'architecture %s\nnvcc %s\ncommit %s\n' "$arch" "$nvcc_release" "${commit:-unknown}"
  } >"$folder/programs.txt"
  cp "$work"/build/device/device_* "$work/build/benchmarks/gpu_benchmark" \
    "$work/build/examples/train_cnn" "$folder/" 2>/dev/null
  strip "$folder"/device_* "$folder/gpu_benchmark" "$folder/train_cnn" 2>/dev/null
}

# known KEY: its value in programs.txt
known() { sed -n "s/^$1 //p" "$folder/programs.txt"; }

# Whether this GPU runs what was built before: code for a newer one it cannot, and that for an older
# one is not what --arch of this one would give.
compare_architectures() {
  local built
  built=$(known architecture | grep -oE '[0-9]+' | sort -n)
  [[ $built ]] || return 0
  (($(head -n 1 <<<"$built") <= ${gpu_arch:-0})) ||
    skip_all "the programs are for architecture $(known architecture), this GPU is of $gpu_arch"
  (($(tail -n 1 <<<"$built") >= gpu_arch)) ||
    echo "warning: the programs are for architecture $(known architecture), this GPU is of $gpu_arch"
}

# Notes of what was left out, and of what should have been built and was not; sets `tests`.
read_programs() {
  local name reason
  while read -r name reason; do
    [[ $only && ! $name =~ $only ]] || note skipped "$name" "$reason"
  done < <(known skipped)
  tests=()
  for name in $(known program); do
    [[ ! $only || $name =~ $only ]] || continue
    if [[ ! -x $folder/$name && $build_status == 124 ]]; then
      note cut_off "$name" "it was not built"
    elif [[ ! -x $folder/$name ]]; then
      note failed "$name" "it was not built"
    elif [[ $name == device_* ]]; then
      tests+=("${name#device_}")
    fi
  done
  facts+=(architecture "$(known architecture)" "built by nvcc" "$(known nvcc)"
    commit "$(known commit)" cuDNN "$([[ $(known cudnn) == yes ]] && echo true || echo false)")
}

built() { [[ -x $folder/$1 && (! $only || $1 =~ $only) ]]; }

trainer() { limited "$root/tests/cuda/train_on_both.sh" "$folder/train_cnn" "$work/trainer"; }
benchmark() { limited "$folder/gpu_benchmark" $quick $smoke --json "$work/amp.json"; }
pytorch() {
  limited "${python[@]}" "$root/benchmarks/pytorch_gpu.py" $quick $smoke --json "$work/pytorch.json"
}

# All programs, for racecheck: sums, norms, losses and optimizers end in kernels whose blocks share
# memory, and almost every program uses some of them. One that does not costs little more than its
# start, because the tool follows shared memory alone. Those that it has reached on a GPU are last.
unseen_first() {
  local name seen=" columns gradients norm_pool optim reduce rows scaler softmax_loss " last=()
  for name in "${tests[@]}"; do
    if [[ $seen == *" $name "* ]]; then last+=("$name"); else echo "$name"; fi
  done
  ((${#last[@]} == 0)) || printf '%s\n' "${last[@]}"
}

# Whatever the stages before them leave of the time is theirs. Most parts are memcheck's and
# racecheck's: the one has the most to find, the other takes the longest.
sanitizer_stages() {
  local why= names
  [[ ! $quick ]] || why="--quick"
  [[ $why || $sanitizer ]] || why="no compute-sanitizer"
  [[ $why || ${#tests[@]} != 0 ]] || why="no device tests"
  if [[ $why ]]; then
    skip "sanitizer" "$why"
    return
  fi
  sanitizer_help=$(timeout 20 "$sanitizer" --help 2>&1)
  sanitizer_knows "$races_option" ||
    note skipped "the order of streams" "this compute-sanitizer lacks $races_option"
  mapfile -t names < <(unseen_first)
  stage "memcheck" "$(share 7 20)" sanitize memcheck "${tests[@]}"
  stage "racecheck" "$(share 6 13)" sanitize racecheck "${names[@]}"
  stage "initcheck" "$(share 4 7)" sanitize initcheck "${tests[@]}"
  stage "synccheck" "$(share 1 1)" sanitize synccheck "${tests[@]}"
}

benchmark_stages() {
  local files=() file
  find_pytorch
  if built gpu_benchmark; then
    stage "benchmarks" 80 benchmark
    if [[ $no_pytorch ]]; then skip "PyTorch" "$no_pytorch"; else stage "PyTorch" 70 pytorch; fi
  fi
  for file in "$work/pytorch.json" "$work/amp.json"; do
    [[ ! -s $file ]] || files+=("$file")
  done
  ((${#files[@]} == 0)) || table=$(awk -f "$root/tests/gpu/table.awk" "${files[@]}")
}

# --- the run ------------------------------------------------------------------------------------

find_tools
find_gpu
toolkit=$(toolkit_root)
work=$(mktemp -d "${TMPDIR:-/tmp}/amp_gpu.XXXXXX")
trap finish EXIT
trap 'interrupted=1; exit 143' TERM INT HUP
cmake_flags=() build_status=0
[[ ! $no_cudnn ]] || cmake_flags+=(-DAMP_WITH_CUDNN=OFF)
# PyTorch brings libraries of its own: it does not see the folders that amp's programs are given.
python=(env -u LD_LIBRARY_PATH python3)
[[ ! ${LD_LIBRARY_PATH+set} ]] || python=(env "LD_LIBRARY_PATH=$LD_LIBRARY_PATH" python3)
if [[ $prebuilt ]]; then
  find_libraries_to_run "$work/libraries" "$toolkit" "${wheels_given[@]}"
  libraries=$(from_folder "$work/libraries" "$prebuilt"/{device_*,gpu_benchmark,train_cnn})
  folder=$prebuilt
  compare_architectures
else
  find_libraries "$work/libraries" "$toolkit" "${wheels_given[@]}"
fi
echo "GPU: ${gpu:-none}"
echo "nvcc: ${nvcc_release:-none}, architecture $arch"
echo "compute-sanitizer: ${sanitizer:-none}; from wheels: ${libraries:-nothing}"
if [[ $dry ]]; then
  exit 0
fi

mkdir -p "$work/logs"
facts=(gpu "$gpu" host "$jobs cores" date "$(date -u +%FT%TZ)" quick "$([[ $quick ]] && echo true ||
  echo false)" "from wheels" "${libraries:-nothing}")

if [[ $build ]]; then
  limit=86400
  out=$build
  stage "build" $limit configure_and_build || build_status=$?
  collect_programs
  read_programs
  mkdir -p "$build"
  rm -f "$build"/{device_*,gpu_benchmark,train_cnn}  # what no longer compiles is not run as if it did
  cp "$folder"/* "$build/"
  summary
  exit $((${#failed[@]} != 0))
fi

look_for_pytorch
if [[ $prebuilt ]]; then
  skip "build" "--programs"
else
  # What could be built is run, whatever could not.
  stage "build" 200 configure_and_build || build_status=$?
  collect_programs
fi
read_programs
if ((${#tests[@]})); then stage "device tests" 75 device_tests "${tests[@]}"; fi
if built train_cnn; then stage "trainer" 60 trainer; fi
benchmark_stages
sanitizer_stages

say "results"
deliver
cat "$work/gpu.txt"
exit $((${#failed[@]} != 0))
