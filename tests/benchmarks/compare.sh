#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# compare.sh PYTHON COMPARE PROGRAMS FOLDER: a short run writes its report; a run with a program whose
# bfloat16 results are wrong fails with a message, and writes no report. The memory of a training step is
# bounded.
set -euo pipefail
python=$1 compare=$2 programs=$3 folder=$4
rm -rf "$folder" && mkdir -p "$folder/wrong"

"$python" "$compare" --quick --only '^(mlp|matmul-512|matmul_weight|chain-100$)' \
  --programs "$programs" --output "$folder/right" --name here
"$python" - "$folder/right/here.json" <<'CHECK'
import json
import sys
figures = json.load(open(sys.argv[1]))
assert len(figures["cases"]) == 8, figures["cases"]  # two of them in the configurations of both formats
for case in figures["cases"]:
    sides = {c["side"] for c in case["contestants"]}
    assert "amp" in sides, case
    for c in case["contestants"]:
        assert 0 < c["best_ms"] <= c["median_ms"], c
assert "g++" in figures["built_from"]["compiler"] or "lang" in figures["built_from"]["compiler"]
CHECK
grep -q '^| MLP, batch 128 | [0-9]* | bfloat16 | ' "$folder/right/here.md"
grep -q '^| MLP, batch 128 | float32 | AVX2 | .* | [0-9. and]* |$' "$folder/right/here.md"
grep -q 'prefers-color-scheme: dark' "$folder/right/here.svg"

cat >"$folder/wrong/cpu_benchmark" <<WRONG
#!$python
import json
import subprocess
import sys
pipe = subprocess.PIPE
right = subprocess.Popen(["$programs/cpu_benchmark"], stdin=pipe, stdout=pipe, text=True)
for line in sys.stdin:
    right.stdin.write(line)
    right.stdin.flush()
    answer = json.loads(right.stdout.readline())
    if line.startswith("load") and "bf16" in line:
        answer["results"] = [1.05 * x for x in answer["results"]]
    print(json.dumps(answer), flush=True)
WRONG
chmod +x "$folder/wrong/cpu_benchmark"
# -S: without PyTorch, so that amp's own float32 is the reference.
if "$python" -S "$compare" --quick --only mlp --programs "$folder/wrong" --output "$folder/wrong" \
  2>"$folder/wrong/error"; then
  echo "wrong results were measured" && exit 1
fi
grep -q 'mlp-128: the results of amp in bf16' "$folder/wrong/error"
[[ ! -e $folder/wrong/cpu.json ]]

# In a fresh process, a training step needs little memory besides its tensors: what matmuls and
# convolutions pack, oneDNN's code and tables, and gaps between blocks.
for isa in AVX2 ''; do
  env ${isa:+AMP_MAX_CPU_ISA=$isa ONEDNN_MAX_CPU_ISA=$isa} AMP_NUM_THREADS=1 OMP_NUM_THREADS=1 \
    "$programs/cpu_benchmark" cnn-256 fp32 1 | tee "$folder/memory"
  sed 's/.*peak MB \([0-9.]*\), resident MB \([0-9.]*\);.*/\1 \2/' "$folder/memory" |
    awk '{ exit !($1 > 0 && $2 > $1 && $2 < 1.6 * $1) }'
done
