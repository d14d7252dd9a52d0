#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# ranks_test.sh MPIRUN TRAINER FOLDER: two processes train like one. If one of them is killed, the
# training ends with a message; when it is resumed, it leaves, bit for bit, the checkpoint of a
# training that was not killed. One process can continue from there.
set -euo pipefail
trainer=$2
# Open MPI is to start two processes also for root, and on one processor.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe AMP_NUM_THREADS=1 OMP_NUM_THREADS=1
run=("$1" -n 2 "$trainer")
rm -rf "$3" && mkdir -p "$3" && cd "$3"
flags=(--limit 203 --batch-size 16 --accumulate 2 --augment --clip 1 --workers 1)
accuracy() { sed -n 's/.*test accuracy \([0-9.]*\) %.*/\1/p' "$1" | tail -1; }

# 203 images: the last batch has 11, and the last step one batch.
for precision in fp32 amp-bf16 amp-fp16; do
  "${run[@]}" "${flags[@]}" --epochs 2 --precision $precision >several
  "$trainer" "${flags[@]}" --epochs 2 --precision $precision >alone
  (($(grep -c 'test accuracy' several) == 1))
  awk -v a="$(accuracy several)" -v b="$(accuracy alone)" -v p=$precision 'BEGIN {
    print p ": test accuracy " a " % of two processes, " b " % of one"
    if (a == "" || a - b > 3 || b - a > 3) exit 1 }'
done

flags+=(--precision amp-fp16 --checkpoint-steps 1)
"${run[@]}" "${flags[@]}" --epochs 8 --checkpoint whole
status=0
"${run[@]}" "${flags[@]}" --epochs 2000 --checkpoint killed >log 2>&1 &
job=$!
for _ in {1..600}; do [[ -e killed ]] && break || sleep 0.1; done
for process in /proc/[0-9]*; do
  if [[ $(tr '\0' ' ' <"$process/cmdline" 2>/dev/null) == "$trainer "*"--checkpoint killed "* ]] &&
    tr '\0' '\n' <"$process/environ" | grep -qx 'OMPI_COMM_WORLD_RANK=1\|PMI_RANK=1'; then
    kill -KILL "${process#/proc/}"
  fi
done
wait $job || status=$?
cat log
((status != 0))
grep -q 'rank 1 .*signal 9\|Killed\|KILLED' log
[[ -s killed ]]

# It was killed within the first epochs.
"${run[@]}" "${flags[@]}" --epochs 8 --checkpoint killed --resume
cmp whole killed
"$trainer" "${flags[@]}" --epochs 9 --checkpoint killed --resume
