#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# start_test.sh TRAIN_SH FOLDER: train.sh prints that it builds only if it does; the trainer has the
# name that was typed. A stand-in for `cmake` makes a shell in place of the trainer.
set -euo pipefail
rm -rf "$2" && mkdir -p "$2"/{include,examples,bin,build/train}
cp "$1" "$2/examples"
cd "$2"
touch CMakeLists.txt build/train/without-onednn
cat >bin/cmake <<'END'
#!/usr/bin/env bash
build=build/train
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >$build/CMakeCache.txt
mkdir -p $build/examples && cp "$BASH" $build/examples/train_cnn
END
chmod +x bin/cmake
export PATH=$PWD/bin:$PATH

# starts BUILDS: starts once, and checks how often it prints that it builds
starts() {
  [[ $(./examples/train.sh -c 'echo "$0"' 2>said) == ./examples/train.sh ]]
  [[ $(grep -c 'building the trainer' said) == "$1" ]]
}
starts 1
starts 0
touch -d '1 minute' include/header.hpp
starts 1
rm build/train/examples/train_cnn
touch -d '1 hour ago' include/header.hpp
starts 1
starts 0
