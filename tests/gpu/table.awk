# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Part of tests/gpu.sh: pytorch.json and amp.json as one table: name, amp's time, share of a copy or
# rate, PyTorch's time, how many times faster amp is.
function value(line, key) {
  return match(line, "\"" key "\": [-+.0-9e]+")\
    ? substr(line, RSTART + length(key) + 4, RLENGTH - length(key) - 4) + 0 : 0
}
/^"/ {
  split($0, part, "\"")
  if (FILENAME ~ /pytorch\.json$/) { theirs[part[2]] = value($0, "ms"); their_order[++their_count] = part[2]; next }
  line[part[2]] = $0
  order[++count] = part[2]
}
END {
  printf "%-45s %12s %9s %9s %12s %7s\n", "", "amp, ms", "of copy", "TFLOP/s", "PyTorch, ms",\
    "faster"
  for (i = 1; i <= count; ++i) {
    name = order[i]
    ms = value(line[name], "ms")
    share = value(line[name], "of_copy")
    rate = value(line[name], "TFLOP/s")
    printf "%-45s %12.4f %9s %9s", name, ms, share ? sprintf("%.0f %%", 100 * share) : "",\
      rate ? sprintf("%.0f", rate) : ""
    if (theirs[name]) printf " %12.4f %6.2fx", theirs[name], theirs[name] / ms
    print ""
  }
  for (i = 1; i <= their_count; ++i) {
    name = their_order[i]
    if (!(name in line)) printf "%-45s %12s %9s %9s %12.4f\n", name, "", "", "", theirs[name]
  }
  for (i = 1; i <= count; ++i) {
    name = order[i]
    if (sub(/^cublaslt_gemm/, "", name) && "matmul" name in line)
      printf "matmul%s takes %.2f of a plain call of cuBLASLt\n", name,\
        value(line["matmul" name], "ms") / value(line["cublaslt_gemm" name], "ms")
  }
}
