#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# trace_test.sh TRAINER FOLDER GOLDEN [--update]: the trainer's CNN runs in the precisions of the
# golden file, and --policies changes the lines of a module and of the ops that read its result.
# --update writes the file.
set -euo pipefail
rm -rf "$2" && mkdir -p "$2"

# precisions FOLDER [FLAG...]: the precisions of a step
precisions() {
  local folder=$1
  shift
  "$trainer" --dataset drawn --limit 64 --epochs 1 --precision amp-fp16 --report "$folder" "$@" \
    >/dev/null
  cat "$folder/precisions-amp-fp16.txt"
}

trainer=$1
precisions "$2/list" >"$2/list.txt"
if [[ ${4:-} == --update ]]; then cp "$2/list.txt" "$3"; fi
diff "$3" "$2/list.txt"

echo 'conv2/ = float32   # all ops of this module' >"$2/policies.txt"
precisions "$2/own" --policies "$2/policies.txt" >"$2/own.txt"
diff --ignore-space-change "$2/list.txt" "$2/own.txt" | grep '^[<>]' >"$2/difference.txt" || true
[[ $(grep -c '^<' "$2/difference.txt") == 3 && $(grep -c '^>' "$2/difference.txt") == 4 ]] || {
  echo "conv2 and what reads its result should have changed, three lines to four, but it is:"
  cat "$2/difference.txt"
  exit 1
}
grep -Eq '^> conv2 +conv2d +float32 +module' "$2/difference.txt"

# A path that the network does not have, and an invalid policy.
echo 'conv3/ = float32' >"$2/unknown.txt"
echo 'conv2/ = float8' >"$2/wrong.txt"
! "$trainer" --precision amp-fp16 --policies "$2/unknown.txt" >"$2/said" 2>&1
grep -q 'conv3.*"conv1", "conv2"' "$2/said"
! "$trainer" --precision amp-fp16 --policies "$2/wrong.txt" >"$2/said" 2>&1
grep -q 'wrong.txt, line 1: .*float8' "$2/said"
