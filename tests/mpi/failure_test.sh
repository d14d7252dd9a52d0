#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# failure_test.sh MPIRUN PROGRAM: if a rank dies, hangs, throws or makes another call, the job ends
# within seconds, not with success, and says which rank it was.
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
expect hangs 'rank [02]: rank 1 did not come to all_reduce of 100 float32.* within 2000 ms; rank 0, rank 2 waited'
expect throws 'rank 1: the disk is full'
expect killed 'rank 1 .*signal 9|KILLED|Killed'
expect leaves 'rank 1 did not come to all_reduce of 100 float32'
expect elsewhere 'did not come to .*waits in '
