#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# failure_test.sh MPIRUN PROGRAM: if a rank dies, hangs, throws or makes another call, the job fails
# within seconds, with a message that names the rank.
set -euo pipefail
mpirun=$1 program=$2
folder=$(dirname -- "${BASH_SOURCE[0]}")

# expect MODE REGEX: what the job prints
expect() {
  local status=0 output began=$SECONDS
  output=$(timeout -k 5 40 "$folder/run.sh" "$mpirun" 3 "$program" "$1" 2>&1) || status=$?
  echo "=== $1: status $status"
  echo "$output"
  ((status != 0 && SECONDS - began < 30)) || { echo "the job did not fail in time" && exit 1; }
  grep -qE "$2" <<<"$output" || { echo "it does not say: $2" && exit 1; }
}
missing='rank 1 did not come to all_reduce of 100 float32, number 1, within 2000 ms; rank 0, rank 2 waited'
expect hangs "rank [02]: $missing"
expect caught "caught: $missing"
expect dropped "rank [02]: $missing"
expect stalls 'rank 1 began, but did not go on with all_reduce of 100 float32.* within 2000 ms; rank 0, rank 2 waited'
expect throws 'rank 1: the disk is full'
expect throws_number 'rank 1: an exception that is no std::exception'
expect killed 'rank 1 .*signal 9|KILLED|Killed'
different='the ranks make different calls, number 1; rank 0, rank 2: all_reduce of 100 float32; rank 1:'
expect leaves "$different its end"
expect barrier "$different barrier"
expect shorter "$different all_reduce of 99 float32"
expect broadcast "$different broadcast of 100 float32 from rank 1"
bucket='all_reduce of [0-9]+ float32 for bucket 0 of DataParallel'
expect order "the ranks make different calls, number [0-9]+; rank 0, rank 2: $bucket 1; rank 1: $bucket 2"
