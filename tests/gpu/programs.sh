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
  [[ $kind == passed ]] || : >"$work/stage_$kind"
}
# 1 if a program failed, else 124 if one was cut off
stage_result() {
  [[ ! -e $work/stage_failed ]] || return 1
  [[ ! -e $work/stage_cut_off ]] || return 124
}

test_program() {
  local log=$work/logs/test.$1.log status=0 ran left
  if time_is_over; then
    outcome test "$1" cut_off 0
    return
  fi
  left=$(seconds_left)
  timeout --kill-after=5 "$((left < 60 ? left : 60))" "$folder/device_$1" -d yes >"$log" 2>&1 ||
    status=$?
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
    124 | 137)
      if time_is_over; then
        outcome test "$1" cut_off "$ran"
      else
        outcome test "$1" failed "$ran" "out of time in case $((ran + 1))"
      fi
      ;;
    *)
      tail -n 60 "$log"
      outcome test "$1" failed "$ran" "status $status"
      ;;
  esac
}

# findings LOG: the sanitizer's lines that name an error. That the program ended with a status other
# than 0, as it does if it skipped a case or was stopped, is none.
findings() {
  grep -s '^====.*[^= ]' "$1" | grep -vE "COMPUTE-SANITIZER|SUMMARY|No .* results found|\
Target application returned an error|process didn't terminate successfully|\
The application may have hit an error"
}

# Whether compute-sanitizer has an option: they differ from version to version.
sanitizer_knows() { [[ $sanitizer_help == *" $1 "* ]]; }

# sanitize_program NAME, with $tool
sanitize_program() {
  local log=$work/logs/$tool.$1.log output=$work/logs/$tool.$1.output.log
  local status=0 ran flags=() text found left
  if time_is_over; then
    outcome "$tool" "$1" cut_off 0
    return
  fi
  left=$(seconds_left)
  case $tool in
    memcheck)
      flags=(--report-api-errors no)  # an allocation that fails is what some tests ask for
      # The allocations are in the order of streams; version 12 of CUDA follows that only on request.
      ! sanitizer_knows "$races_option" || flags+=("$races_option" all)
      ;;
    initcheck)
      ! sanitizer_knows --initcheck-address-space || flags+=(--initcheck-address-space all)
      ;;
    racecheck | synccheck)
      # Most programs take longer than there is time: without a part for each, the first take all.
      left=$((left * at_most / waiting < left ? left * at_most / waiting : left))
      ((left > 0)) || left=1
      ;;
  esac
  if [[ $tool == memcheck || $tool == initcheck ]]; then
    # Each tensor is an allocation of its exact size, and nothing in it counts as written before.
    local -x AMP_CUDA_NO_CACHE=1
  fi
  timeout --kill-after=5 "$left" "$sanitizer" --tool "$tool" "${flags[@]}" \
    --error-exitcode 99 --log-file "$log" "$folder/device_$1" -d yes >"$output" 2>&1 || status=$?
  ran=$(cases_in "$output")
  text=$(grep -s 'SUMMARY' "$log" | tail -n 1 | sed 's/^=* *//')
  if grep -qsE 'Internal Sanitizer Error|Device not supported' "$log"; then
    outcome "$tool" "$1" failed "$ran" "the sanitizer did not run"
  elif found=$(findings "$log"); then
    head -n 60 "$log"
    outcome "$tool" "$1" failed "$ran" "${text:-$(head -n 1 <<<"${found#${found%%[^= ]*}}")}"
  elif [[ $status == 124 || $status == 137 ]]; then
    outcome "$tool" "$1" cut_off "$ran"
  elif [[ ! $text ]]; then
    outcome "$tool" "$1" failed "$ran" "the sanitizer ended with status $status and no summary"
  elif [[ ! $text =~ SUMMARY:\ 0\  ]]; then
    outcome "$tool" "$1" failed "$ran" "$text"
  elif [[ $status != 0 && $status != 77 ]]; then
    tail -n 60 "$output"
    outcome "$tool" "$1" failed "$ran" "the program ended with status $status"
  else
    outcome "$tool" "$1" passed "$ran"
  fi
}

device_tests() {
  rm -f "$work"/stage_{failed,cut_off}
  at_once 4 test_program "$@"
  stage_result
}

# sanitize TOOL PROGRAM...
sanitize() {
  tool=$1
  shift
  rm -f "$work"/stage_{failed,cut_off}
  at_once $((jobs < 8 ? jobs : 8)) sanitize_program "$@"
  stage_result
}
