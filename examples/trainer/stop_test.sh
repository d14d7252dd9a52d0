#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# stop_test.sh TRAINER FOLDER: a training that is stopped by signals in the middle of its epochs,
# and resumed by the command that it prints, leaves, bit for bit, the checkpoint of an uninterrupted
# one. Paths that cannot be written are reported before the training.
set -euo pipefail
set -m  # jobs in the background receive SIGINT
trainer=$1
rm -rf "$2" && mkdir -p "$2" && cd "$2"
flags=(--limit 400 --precision amp-fp16 --batch-size 8 --accumulate 2 --augment --epochs 2
  --schedule cosine)

fail() { echo "$*" && exit 1; }

# stopped STATUS SIGNAL PATTERN COMMAND...: sends the signal at each line of output that matches
# PATTERN, and checks that the exit status matches STATUS. The output is in `printed`.
stopped() {
  local expected=$1 signal=$2 pattern=$3 line status=0
  shift 3
  coproc run { exec "$@" 2>&1; }
  local job=$run_PID output
  exec {output}<&"${run[0]}"
  : >printed
  while IFS= read -r line <&"$output"; do
    ! [[ $line =~ $pattern ]] || kill -"$signal" "$job"
    echo "$line" | tee -a printed
  done
  exec {output}<&-
  wait "$job" || status=$?
  [[ $status =~ ^($expected)$ ]] || fail "exit status $status after SIG$signal, expected $expected"
}

"$trainer" "${flags[@]}" --checkpoint whole
stopped 130 INT '^adam' "$trainer" "${flags[@]}" --checkpoint parts
grep -E 'stopped after step [0-9]+, [0-9]+ of 400 images into epoch 1' printed
command=$(tail -n 1 printed)
[[ $command == *"--checkpoint parts --resume" ]] || fail "no command to go on with: $command"
stopped 130 TERM '^parts: after step' bash -c "exec $command"
# During the evaluation, or later if the signal arrives late.
stopped '130|0' INT 'epoch 1/2  100 %' bash -c "exec $command"
bash -c "$command"
cmp whole parts || fail "stopping changed the training"

stopped 130 TERM '^adam' "$trainer" --limit 400
grep 'nothing was saved.*--checkpoint' printed
# The second signal does not wait for the step, here an epoch.
stopped 143 TERM '^(adam|stopping)' "$trainer" --limit 2000 --accumulate 1000

# refused TEXT FLAG...: the trainer ends with status 1 and prints TEXT, before any training
refused() {
  local text=$1 status=0
  shift
  "$trainer" --limit 8 "$@" >printed 2>&1 || status=$?
  cat printed
  ((status == 1)) || fail "exit status $status, expected 1"
  grep -q -- "$text" printed
  ! grep -q "epoch 1" printed || fail "trained first"
}
touch file
refused '--report file/folder: cannot be made' --report file/folder
refused '--checkpoint none/here: no file can be made in none: No such' --precision fp32 --checkpoint none/here
mkdir folder
refused '--checkpoint folder: is a folder' --precision fp32 --checkpoint folder
