#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Installs what is missing, builds the tests and runs them:
#
#   ./tests/run.sh [--quick | --since COMMIT | --long] [-R regex]
#
# In stages: the format of the sources (clang-format 14); all tests with g++; all tests with clang++
# under AddressSanitizer and UndefinedBehaviorSanitizer, and the fuzz targets for 10 seconds each; the
# threaded tests under ThreadSanitizer. What a machine lacks is skipped by name.
# --quick leaves out format, sanitizers, and what compiles programs of its own. --since runs the tests
# of the layers (tests/layers.txt) that what has changed since COMMIT can break. --long runs the long
# tests instead, all tests under every sanitizer check, the CUDA tests also with the race detector,
# planted faults, and the fuzz targets for 10 minutes each. -R chooses tests by name. ccache is used
# if it is installed. With everything in place it touches no network.
set -uo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
folder=$root/build/tests
jobs=$(nproc)
mode=all
labels=(-LE '^long$')
select=()
since=
while (($#)); do
  case $1 in
    --quick) mode=quick labels=(-LE '^(long|package|example|benchmarks)$') ;;
    --since) mode=since since=${2:?--since takes a commit} && shift ;;
    --long) mode=long labels=(-L '^(long|asan)$') ;;
    -R) select=(-R "${2:?-R takes a regular expression}") && shift ;;
    *) sed -n '5,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 2 ;;
  esac
  shift
done
mkdir -p "$folder"
cd "$root" || exit 1

say() { printf '\n=== %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

# --- what is needed -----------------------------------------------------------------------------

# runs_with COMPILER SOURCE [FLAG...]: whether a program builds and runs
runs_with() {
  local compiler=$1 source=$2
  shift 2
  have "$compiler" && printf '%b' "$source" |
    "$compiler" -std=c++20 -x c++ - -o "$folder/probe" "$@" >/dev/null 2>&1 &&
    "${no_aslr[@]}" "$folder/probe" >/dev/null 2>&1
}
includes() { runs_with g++ "#include <$1>\nint main() {}\n" "${@:2}"; }
sanitizes() {
  runs_with clang++ '#include <thread>\nint main() { std::thread([] {}).join(); }\n' "-fsanitize=$1"
}
fuzzes() {
  local target='extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, size_t) { std::_Exit(0); }'
  runs_with clang++ "#include <cstdlib>\n$target\n" -fsanitize=fuzzer,address,undefined
}
clang_format() {
  local tool
  for tool in clang-format-14 clang-format; do
    have $tool && $tool --version | grep -q 'version 14\.' && echo $tool && return
  done
  return 1
}

# ThreadSanitizer of clang 14 wants a layout of memory that newer kernels randomise away.
no_aslr=()
setarch -R true 2>/dev/null && no_aslr=(setarch -R)

# The Debian packages of what is not here yet.
missing_packages() {
  have g++ || echo g++
  have cmake || echo cmake
  have make || echo make
  includes catch2/catch.hpp || includes catch2/catch_all.hpp || echo catch2
  includes zlib.h -lz || echo zlib1g-dev
  includes nlohmann/json.hpp || echo nlohmann-json3-dev
  includes eigen3/Eigen/Core || includes Eigen/Core || echo libeigen3-dev
  includes oneapi/dnnl/dnnl.h -ldnnl || echo libdnnl-dev
  have mpicxx || echo libopenmpi-dev
  have mpirun || echo openmpi-bin
  [[ $mode != long ]] || includes c10/macros/Macros.h || echo libtorch-dev
  have clang++ || echo clang
  runs_with clang++ '#include <vector>\nint main() {}\n' -stdlib=libc++ ||
    printf '%s\n' libc++-dev libc++abi-dev
  [[ $mode == quick ]] || sanitizes address || echo libclang-rt-dev
  [[ $mode == quick ]] || have llvm-symbolizer || echo llvm  # names in the sanitizers' reports
  [[ $mode != all ]] || clang_format >/dev/null || echo clang-format
}

# Each package is tried once, so that a machine without one does not ask the network every time.
install_missing() {
  local package as_root=() updated=
  ((EUID == 0)) || as_root=(sudo)
  for package in $(missing_packages); do
    grep -qsxF "$package" "$folder/tried_packages" && continue
    echo "$package" >>"$folder/tried_packages"
    have apt-get || continue
    say "installing $package"
    [[ $updated ]] || "${as_root[@]}" apt-get update -qq
    updated=1
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "$package"
  done
}

# What reads machine code, where the toolkit of nvcc lacks it: from Python's packages, tried once.
install_cuda_tools() {
  [[ $mode != quick ]] && { have nvcc || [[ -x /usr/local/cuda/bin/nvcc ]]; } || return 0
  have cuobjdump || [[ -x /usr/local/cuda/bin/cuobjdump ]] && return
  grep -qsxF cuda_tools "$folder/tried_packages" && return
  echo cuda_tools >>"$folder/tried_packages"
  say "installing cuobjdump and nvdisasm"
  python3 -m pip install -q --disable-pip-version-check --no-deps --target "$folder/cuda_tools" \
    'nvidia-cuda-cuobjdump>=13' 'nvidia-cuda-nvdisasm>=13' ||
    echo "they cannot be installed here: the test package.cuda.sass is skipped"
}

# --- what a change can break ----------------------------------------------------------------------

# Prints the folders of tests/ for the files named on stdin, and the modules of include/amp with
# "headers:" before them. A layer is tested with all above it, and with the folders that test the
# library as a whole, but for package, examples and benchmarks, whose programs compile the headers
# anew, and fuzz, which takes its time: they are tested if they change themselves, or what builds
# everything does, and fuzz if interop/ changes.
touched() {
  awk -v existing="$(cd tests && echo */)" '
    function add(folder) { if (folder in exists) wanted[folder] = 1 }
    function touch(layer) { if (layer < lowest) lowest = layer }
    BEGIN {
      lowest = 1000
      count = split(existing, names, "/ ?")
      for (i = 1; i <= count; ++i) if (names[i]) exists[names[i]] = 1
    }
    FILENAME == "tests/layers.txt" {
      if (/^#/) next
      ++layers
      split($0, parts, ":")
      modules = split(parts[1], module, " ")
      for (i = 1; i <= modules; ++i) layer_of[module[i]] = layers
      folders[layers] = parts[1] " " parts[2]
      count = split(folders[layers], names, " ")
      for (i = 1; i <= count; ++i) layered[names[i]] = 1
      next
    }
    /\.md$/ { add("docs") }
    /\.md$/ && !/^benchmarks\/results\// { next }
    { split($0, path, "/") }
    /^include\/amp\/[^\/]*$/ || /^include.*(\.cuh|\/cuda\/)/ { touch(layers + 1); next }
    /^include\/amp\/interop\// { add("fuzz") }
    /^include\/amp\// { touch(layer_of[path[3]]); print "headers:" path[3]; next }
    /^tests\/[^\/]*\// && path[2] != "support" { add(path[2]); next }
    /^(examples|benchmarks)\// { add(path[1]); next }
    { for (folder in exists) add(folder) }
    END {
      for (i = lowest; i <= layers; ++i) {
        count = split(folders[i], names, " ")
        for (j = 1; j <= count; ++j) add(names[j])
      }
      for (folder in exists)
        if (lowest < 1000 && !(folder in layered) && folder !~ /^(package|examples|benchmarks|support|fuzz)$/) add(folder)
      for (folder in wanted) print folder
    }' tests/layers.txt - | sort -u
}

# Chooses tests and targets: sets folders, select.
folders=()
choose_since() {
  local files headers
  files=$(git diff --name-only "$since" -- && git ls-files --others --exclude-standard) || exit 2
  [[ $files ]] || { echo "nothing has changed since $since" && exit; }
  mapfile -t folders < <(touched <<<"$files")
  headers=$(printf '%s\n' "${folders[@]}" | sed -n 's/^headers://p' | paste -sd '|')
  mapfile -t folders < <(printf '%s\n' "${folders[@]}" | grep -v '^headers:')
  ((${#folders[@]})) || { echo "no test covers what has changed since $since" && exit; }
  say "folders of tests/: ${folders[*]}"
  select=(-R "^((gcc|asan|tsan)\\.)?($(IFS='|' && echo "${folders[*]}")|threads)\\.|^seeds\\.[0-9]+\\.($(IFS='|' && echo "${folders[*]}"))\$|^gcc\\.package\\.${headers:+|^package\\.headers\\.cuda\\.($headers)(\\.|\$)}")
}

# --- stages -------------------------------------------------------------------------------------

report=()
failed=0

# stage NAME COMMAND...: runs it, notes its time
stage() {
  local name=$1 start=$SECONDS result=ok
  shift
  say "$name"
  "$@" || { result=FAILED && failed=1; }
  report+=("$(printf '%-42s %-6s %5d s' "$name" $result $((SECONDS - start)))")
}
skip() {
  say "$1: skipped, $2"
  report+=("$(printf '%-42s skipped, %s' "$1" "$2")")
}

# By comparison: --dry-run of clang-format 14 objects to some lines that it would leave as they are.
check_format() {
  find ./*/ -path './build*' -prune -o -regex '.*\.\([hci]pp\|cuh?\)' -print0 |
    xargs -0 -P "$jobs" -n 50 bash -c 'result=0
for file in "$@"; do
  "$0" "$file" | diff -u --label "$file" --label "$file, formatted" "$file" - || result=1
done
exit $result' "$(clang_format)"
}

# configure FOLDER COMPILER OPTIMISATION [FLAG...]
# Unity builds: a header-only library is compiled anew in each source, so fewer sources cost a
# quarter of the time.
configure() {
  local launcher=()
  have ccache && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  cmake -S "$root" -B "$folder/$1" -G "Unix Makefiles" -DCMAKE_CXX_COMPILER="$2" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="$3" -DAMP_TEST_PREFIX="$1" \
    -DAMP_BUILD_TESTS=ON \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=24 "${launcher[@]}" "${@:4}" \
    >"$folder/$1.log" 2>&1 || { cat "$folder/$1.log" && false; }
}
build() { "${no_aslr[@]}" cmake --build "$folder/$1" --parallel "$jobs" "${@:2}" -- -k; }
# Everything, or with --since what the chosen tests need, or with --quick the test programs.
build_tests() {
  local targets=() known name
  if [[ $mode == quick ]]; then
    targets=(--target tests)
  elif [[ $mode == long && $1 == gcc ]]; then
    targets=(--target all amp_long)
  elif [[ $mode == since && " ${folders[*]} " != *" package "* ]]; then
    known=$(cmake --build "$folder/$1" --target help)
    for name in "${folders[@]}" package; do
      grep -qE "^\.\.\. tests_of_$name( |$)" <<<"$known" && targets+=("tests_of_$name")
    done
    ((${#targets[@]} == 0)) && return
    targets=(--target "${targets[@]}")
  fi
  build "$1" "${targets[@]}"
}
# The library is installed by tests, with the CUDA device if there is a GPU.
# libtorch: AMP_TORCH_ROOT, or that of Python's PyTorch, or what CMake finds.
torch_root() {
  [[ ${AMP_TORCH_ROOT:-} ]] && echo "$AMP_TORCH_ROOT" && return
  python3 -c 'from importlib.util import find_spec
print(*(find_spec("torch") or type("", (), {"submodule_search_locations": []})).submodule_search_locations)' 2>/dev/null
}
configure_gcc() {
  local cuda=OFF
  have nvidia-smi && nvidia-smi >/dev/null 2>&1 && cuda=AUTO
  configure gcc g++ -O2 -DAMP_BUILD_COMPILED=ON -DAMP_WITH_CUDA=$cuda \
    -DAMP_TORCH_ROOT="$(torch_root)"
}
build_catch_main() { configure_gcc && build gcc --target amp_catch_main; }
# With oneDNN the tests run under g++; sanitizers see amp's own kernels instead, which are no code of
# a library that was built without them.
configure_sanitized() {
  local device=OFF
  [[ $mode == long ]] && device=ON
  configure "$1" clang++ -O1 -DAMP_TEST_SANITIZE="$2" -DAMP_TEST_SANITIZED_DEVICE=$device \
    -DAMP_BUILD_EXAMPLES=OFF -DAMP_BUILD_BENCHMARKS=OFF -DAMP_WITH_ONEDNN=OFF \
    -DAMP_TEST_CATCH_MAIN="$folder/gcc/tests/libamp_catch_main.a"
}
build_sanitized() { configure_sanitized "$@" && build_tests "$1"; }
planted_faults() {
  have ccache && local -x CMAKE_CXX_COMPILER_LAUNCHER=ccache
  python3 "$root/tests/standin/mutants.py" --keep "$folder/mutants"
}
# The tests of libtorch with the version of the system, Debian's 1.13.
libtorch_of_system() {
  configure libtorch g++ -O1 -DAMP_WITH_ONEDNN=OFF -DAMP_BUILD_EXAMPLES=OFF \
    -DAMP_BUILD_BENCHMARKS=OFF -DAMP_TEST_CATCH_MAIN="$folder/gcc/tests/libamp_catch_main.a" &&
    build libtorch --target libtorch_test && "$folder/libtorch/tests/libtorch_test"
}
run_tests() {
  printf 'subdirs(%s)\n' "${configurations[*]}" >"$folder/CTestTestfile.cmake"
  "${no_aslr[@]}" ctest --test-dir "$folder" --parallel "$jobs" --output-on-failure \
    "${labels[@]}" "${select[@]}" | tee "$folder/ctest.log"
}

# What a whole run of this mode took last time, or else about what it takes from nothing on 2 cores.
announce() {
  local -A minutes=([quick]=8 [all]=35 [long]=110)
  if [[ -s $folder/seconds.$mode ]]; then
    say "the last such run took $((($(<"$folder/seconds.$mode") + 59) / 60)) minutes"
  else
    say "this takes about $(((minutes[$mode] * 2 + jobs - 1) / jobs)) minutes, later runs less"
  fi
}

announce
install_missing
install_cuda_tools
[[ $mode != since ]] || choose_since
configurations=(gcc)
if [[ $mode == all ]]; then
  if clang_format >/dev/null; then
    stage "format" check_format
  else
    skip "format" "no clang-format 14"
  fi
fi
stage "Catch main" build_catch_main
stage "build, g++ -O2" build_tests gcc
if [[ $mode == all || $mode == since ]]; then
  for sanitizer in asan:address,undefined tsan:thread; do
    name="build, clang++ -O1, ${sanitizer#*:}"
    if sanitizes "${sanitizer#*:}"; then
      configurations+=("${sanitizer%%:*}")
      stage "$name" build_sanitized "${sanitizer%%:*}" "${sanitizer#*:}"
    else
      skip "$name" "clang++ has no such sanitizer that runs here"
    fi
  done
fi
[[ $mode == quick ]] || fuzzes || skip "fuzz targets" "clang++ has no libFuzzer that runs here"
if [[ $mode == long ]]; then
  if sanitizes address,undefined; then
    configurations+=(asan)
    stage "build, clang++ -O1, address,undefined" build_sanitized asan address,undefined
  else
    skip "CUDA under sanitizers" "clang++ has no such sanitizer that runs here"
  fi
  if have clang++; then
    configurations+=(tsan)
    stage "build, clang++ -O1, races of CUDA" build_sanitized tsan thread
    stage "planted faults of CUDA" planted_faults
  else
    skip "races of CUDA, planted faults" "no clang++"
  fi
  if includes c10/macros/Macros.h; then
    stage "libtorch of the system" libtorch_of_system
  else
    skip "libtorch of the system" "no libtorch-dev"
  fi
fi
have nvcc || [[ -x /usr/local/cuda/bin/nvcc ]] || skip "CUDA source" "no nvcc"
stage "tests" run_tests

say "stages"
printf '%s\n' "${report[@]}"
grep -E 'tests passed|No tests' "$folder/ctest.log" || echo "no tests were run"
((failed != 0 || ${#select[@]} > 0)) || echo "$SECONDS" >"$folder/seconds.$mode"
((failed == 0)) || echo "FAILED: see the stages above"
exit $failed
