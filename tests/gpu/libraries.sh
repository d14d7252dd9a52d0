# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Part of tests/gpu.sh: where CUDA's libraries are. They may be there only as Python's wheels bring
# them (nvidia/cu13/lib/libcublas.so.13), which have no lib*.so for a linker to find.

# The root of the toolkit that nvcc belongs to.
toolkit_root() {
  local top
  top=$(nvcc -v __root__ 2>&1 | sed -n 's/^#\$ TOP=//p')
  realpath -m -- "${top:-${CUDA_HOME:-/usr/local/cuda}}"
}

# in_toolkit NAME ROOT: whether CMake finds lib<NAME>.so by itself
in_toolkit() {
  local file
  for file in "$2"/{lib64,lib,targets/*/lib}/lib"$1".so /usr/lib/*-linux-gnu/lib"$1".so \
    /usr/{lib64,lib,local/lib}/lib"$1".so; do
    [[ ! -e $file ]] || return 0
  done
  return 1
}

# wheel_folders [DIR]: the folders of name `nvidia` that Python's packages share, or DIR/nvidia
wheel_folders() {
  if (($#)); then
    echo "$1/nvidia"
  elif have python3; then
    timeout 20 python3 -c 'import nvidia; print(*nvidia.__path__, sep="\n")' 2>/dev/null
  fi
}

# link_wheels FOLDER NVIDIA...: FOLDER/lib<name>.so and the versioned names beside it, so that the
# libraries find each other, and FOLDER/include
link_wheels() {
  local folder=$1 nvidia library file header
  shift
  mkdir -p "$folder/include"
  for nvidia in "$@"; do
    for library in cudart cublas cublasLt cudnn nvrtc nvJitLink; do
      for file in "$nvidia"/*/lib/lib"$library"[._-]*so*; do
        [[ -e $file ]] || continue
        ln -sf "$(realpath -- "$file")" "$folder/"
        ln -sfn "$(realpath -- "$file")" "$folder/$(basename -- "${file%%.so*}").so"
      done
    done
    for header in "$nvidia"/*/include/{cublas,cudnn}*.h; do
      [[ ! -e $header ]] || ln -sf "$(realpath -- "$header")" "$folder/include/"
    done
  done
}

# find_libraries FOLDER ROOT [WHEELS]: adds to the array cmake_flags what CMake would not find, and
# lets programs find it; WHEELS, where it is given, comes before the toolkit. Sets `libraries` to
# the names of what was taken from wheels.
find_libraries() {
  local folder=$1 root=$2 name
  shift 2
  mapfile -t wheels < <(wheel_folders "$@")
  link_wheels "$folder" "${wheels[@]}"
  libraries=
  for name in cublas cublasLt cudnn; do
    [[ -e $folder/lib$name.so ]] || continue
    (($# == 0)) && in_toolkit "$name" "$root" && continue
    libraries+=${libraries:+ }$name
    if [[ $name == cudnn ]]; then
      cmake_flags+=("-DAMP_CUDNN_INCLUDE_DIR=$folder/include" "-DAMP_CUDNN_LIBRARY=$folder/libcudnn.so")
    else
      cmake_flags+=("-DCUDA_${name}_LIBRARY=$folder/lib$name.so")
    fi
  done
  if [[ $libraries ]]; then
    # Headers, where the toolkit lacks them; and libraries that others load by name.
    [[ -e $root/include/cublas_v2.h ]] ||
      export CPLUS_INCLUDE_PATH=$folder/include${CPLUS_INCLUDE_PATH:+:$CPLUS_INCLUDE_PATH}
    export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  fi
}

# from_folder FOLDER PROGRAM...: the names of the libraries that the first of the programs that are
# there takes from FOLDER
from_folder() {
  local folder=$1 program
  shift
  for program in "$@"; do
    [[ -x $program ]] || continue
    ldd "$program" 2>/dev/null | awk -v folder="$folder/" 'index($3, folder) == 1 {
      sub(/^lib/, "", $1); sub(/\.so.*/, "", $1); printf "%s%s", (count++ ? " " : ""), $1 }'
    return
  done
}

# Lets programs that were built elsewhere find the libraries of this machine.
find_libraries_to_run() {
  local folder=$1 root=$2 file
  shift 2
  mapfile -t wheels < <(wheel_folders "$@")
  link_wheels "$folder" "${wheels[@]}"
  for file in "$root"/lib64 "$root"/targets/*/lib; do
    [[ ! -d $file ]] || LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$file
  done
  export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder
}
