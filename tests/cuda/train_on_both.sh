#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# train_on_both.sh TRAINER FOLDER: the trainer's losses on the CUDA device are the CPU's, to rounding:
# 0.1 % in float32; 0.5 % and 2 % where sums in another order may round a number of float16 or
# bfloat16 to its other neighbour.
set -euo pipefail
trainer=$1
mkdir -p "$2" && cd "$2"
flags=(--limit 64 --batch-size 32 --epochs 2 --clip 1 --optimizer adamw --schedule cosine)
for precision in fp32 bf16 amp-fp16 amp-bf16; do
  for device in cpu cuda; do
    "$trainer" "${flags[@]}" --precision $precision --device $device --report $precision.$device
  done
  # The losses of both epochs, side by side.
  for device in cpu cuda; do
    sed -n '/"loss": \[/,/\]/p' $precision.$device/summary.json | grep -E '^ *[0-9]' | tr -d ' ,'
  done | awk -v precision=$precision '
    BEGIN { limit = precision ~ /bf16/ ? 0.02 : precision ~ /fp16/ ? 0.005 : 0.001 }
    { loss[NR] = $1 }
    END {
      if (NR != 4) { print precision ": expected the losses of two epochs, twice"; exit 1 }
      for (i = 1; i <= 2; ++i) {
        apart = (loss[i + 2] - loss[i]) / loss[i]
        print precision ", epoch " i ": " loss[i] " and " loss[i + 2]
        if (!(apart * apart <= limit * limit)) { print "more than " limit " apart"; exit 1 }
      } }'
done
