# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Part of tests/gpu.sh: the device tests, alone and under compute-sanitizer. Programs lie in
# $folder; a log of each goes to $work/logs. Catch's `-d yes` prints a line after each case, which
# is how far a program came that was cut off.

cases_in() { grep -cE '^[0-9.]+ s: ' "$1" 2>/dev/null; }
# The cases of a program, as its run without a tool counted them.
cases_of() { [[ -s $work/cases.$1 ]] && cat "$work/cases.$1" || echo unknown; }

# outcome TOOL PROGRAM KIND CASES [REASON]: one line for people, one for the notes
outcome() {
  local tool=$1 program=$2 kind=$3 ran=$4 reason=${5:-}
  [[ $kind != cut_off ]] || reason="after $ran of $(cases_of "$program") cases"
  echo "$tool $program: ${kind/_/ }${reason:+, $reason}"
  printf '%s\t%s\t%s\n' "$kind" "$tool $program" "$reason" >>"$work/notes"
  printf 'json\t%s\n' "$(json tool "$tool" program "$program" result "${kind/_/ }" \
    "cases ran" "$ran" cases "$(cases_of "$program")" reason "$reason")" >>"$work/notes"
  [[ $kind != failed ]] || : >"$work/stage_failed"
}
stage_result() { [[ ! -e $work/stage_failed ]]; }

test_program() {
  local log=$work/logs/test.$1.log status=0 ran
  timeout --kill-after=5 "$(($(seconds_left) < 60 ? $(seconds_left) : 60))" \
    "$folder/device_$1" -d yes >"$log" 2>&1 || status=$?
  ran=$(cases_in "$log")
  case $status in
    0) echo "$ran" >"$work/cases.$1" && outcome test "$1" passed "$ran" ;;
    77)
      echo "$ran" >"$work/cases.$1"
      outcome test "$1" passed "$ran"
      sed -n 's/^skipped: //p' "$log" | sort -u | while read -r reason; do
        printf 'skipped\ta case of %s\t%s\n' "$1" "$reason" >>"$work/notes"
      done
      ;;
    124 | 137) outcome test "$1" failed "$ran" "out of time in case $((ran + 1))" ;;
    *)
      tail -n 60 "$log"
      outcome test "$1" failed "$ran" "status $status"
      ;;
  esac
}

# sanitize_program NAME, with $tool
sanitize_program() {
  local log=$work/logs/$tool.$1.log output=$work/logs/$tool.$1.output.log status=0 ran flags=()
  if [[ $tool == memcheck ]]; then
    flags=(--report-api-errors no)      # an allocation that fails is what some tests ask for
    local -x AMP_CUDA_NO_CACHE=1        # each tensor is an allocation of its exact size
  fi
  timeout --kill-after=5 "$(seconds_left)" "$sanitizer" --tool "$tool" "${flags[@]}" \
    --error-exitcode 99 --log-file "$log" "$folder/device_$1" -d yes >"$output" 2>&1 || status=$?
  ran=$(cases_in "$output")
  if [[ ! -s $log ]] || grep -qE 'Internal Sanitizer Error|Device not supported' "$log"; then
    outcome "$tool" "$1" failed "$ran" "the sanitizer did not run"
  elif grep '^=====' "$log" | grep -qvE 'COMPUTE-SANITIZER|SUMMARY: 0 (errors|hazards)'; then
    head -n 60 "$log"
    outcome "$tool" "$1" failed "$ran" "$(grep 'SUMMARY' "$log" | tail -n 1 | sed 's/^=* *//')"
  elif ! grep -q 'SUMMARY' "$log"; then
    outcome "$tool" "$1" cut_off "$ran"
  elif [[ $status != 0 && $status != 77 ]]; then
    tail -n 60 "$output"
    outcome "$tool" "$1" failed "$ran" "the program ended with status $status"
  else
    outcome "$tool" "$1" passed "$ran"
  fi
}

device_tests() {
  rm -f "$work/stage_failed"
  at_once 4 test_program "$@"
  stage_result
}

# sanitize TOOL PROGRAM...
sanitize() {
  tool=$1
  shift
  rm -f "$work/stage_failed"
  at_once $((jobs < 8 ? jobs : 8)) sanitize_program "$@"
  stage_result
}
