#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# resume_test.sh TRAINER FOLDER: a training that is stopped after each epoch and resumed leaves, bit
# for bit, the checkpoint of an uninterrupted one; a training with other settings cannot resume it;
# the report is complete.
set -euo pipefail
trainer=$1
rm -rf "$2" && mkdir -p "$2" && cd "$2"
flags=(--limit 200 --precision amp-fp16 --accumulate 2 --clip 1 --augment --optimizer adamw
  --weight-decay 0.1 --warmup 2 --device cpu --workers 2)

"$trainer" "${flags[@]}" --epochs 3 --checkpoint whole --report report
for epochs in 1 2 3; do
  "$trainer" "${flags[@]}" --epochs $epochs --checkpoint parts --resume --workers $epochs
done
cmp whole parts

if "$trainer" "${flags[@]}" --epochs 4 --checkpoint parts --resume --lr 0.1 2>error; then
  echo "resumed with another learning rate" && exit 1
fi
grep "parts is of another training" error
[[ $(grep -e '^  --' error) == '  --lr: 0.001 there, 0.1 here' ]]
cmp whole parts
head -c 1000 whole >cut
if "$trainer" "${flags[@]}" --epochs 4 --checkpoint cut --resume 2>error; then
  echo "resumed from a part of a file" && exit 1
fi
grep "^train_cnn: cut: " error

for file in report.html summary.json loss.svg accuracy.svg loss_scale.svg; do
  [[ -s report/$file ]]
done
grep -q '"test_accuracy"' report/summary.json
grep -q '<path class="curve' report/loss_scale.svg
