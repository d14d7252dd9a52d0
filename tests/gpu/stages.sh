# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Part of tests/gpu.sh: stages with limits of time, what came of them, and the files that say so.
# Uses $work (temporary), $out, $limit (seconds of everything).

stages=()    # JSON, one each
programs=()  # JSON: one program under one tool
passed=() failed=() cut_off=() skipped=()
table=       # text beside the stages in gpu.txt

# json KEY VALUE...: {"KEY": "VALUE", ...}; numbers, true, false and null are not quoted, but in a
# commit, whose name may consist of digits
json() {
  local text= value
  while (($#)); do
    value=${2//\\/}
    value=${value//\"/}
    [[ $1 != commit && $value =~ ^(0|[1-9][0-9]*|true|false|null)$ ]] || value="\"$value\""
    text+="${text:+, }\"$1\": $value"
    shift 2
  done
  printf '{%s}' "$text"
}
# lines ITEM...: JSON's items, one to a line
lines() {
  local IFS=$'\x1f'
  local text="$*"
  printf '\n%s' "${text//$'\x1f'/,$'\n'}"
}

# All that is known so far: gpu.json, gpu.txt and the logs, as three files in --out.
deliver() {
  mkdir -p "$out"
  {
    echo "{\"machine\": $(json "${facts[@]}" seconds "$SECONDS"),"
    echo "\"summary\": $(json passed "${#passed[@]}" failed "${#failed[@]}" \
      "cut off" "${#cut_off[@]}" skipped "${#skipped[@]}" text "$(summary)"),"
    echo "\"stages\": [$(lines "${stages[@]}")],"
    echo "\"programs\": [$(lines "${programs[@]}")],"
    echo "\"amp\": $(cat "$work/amp.json" 2>/dev/null || echo null),"
    echo "\"pytorch\": $(cat "$work/pytorch.json" 2>/dev/null || echo null)}"
  } >"$work/gpu.json"
  {
    echo "$gpu"
    printf '%s\n' "${stages[@]}" | sed 's/[{}"]//g'
    [[ ! $table ]] || printf '%s\n' "$table"
    summary
  } >"$work/gpu.txt"
  tar -C "$work" -czf "$work/logs.tar.gz" logs
  cp "$work/gpu.json" "$work/gpu.txt" "$work/logs.tar.gz" "$out/"
}

# One line: what passed, what failed, what was cut off, what was skipped and why.
summary() {
  printf '%d passed; %d failed%s; %d cut off%s; %d skipped%s\n' \
    "${#passed[@]}" "${#failed[@]}" "$(listed "${failed[@]}")" \
    "${#cut_off[@]}" "$(listed "${cut_off[@]}")" "${#skipped[@]}" "$(listed "${skipped[@]}")"
}
listed() {
  (($#)) || return 0
  printf ': %s' "$1"
  shift
  (($# == 0)) || printf ', %s' "$@"
}

# note KIND NAME [REASON]: KIND is passed, failed, cut_off or skipped
note() {
  local -n kind=$1
  kind+=("$2${3:+ ($3)}")
}
# skip NAME REASON: a stage that does not run
skip() {
  say "$1: skipped, $2"
  note skipped "$1" "$2"
  stages+=("$(json name "$1" result "skipped, $2" seconds 0)")
}

# stage NAME LIMIT COMMAND...: in LIMIT seconds, or what is left of the whole. The command runs
# beside this shell, so that a signal is answered at once, and writes what it has to say of its
# programs to $work/notes: `KIND<tab>NAME<tab>REASON` and `json<tab>OBJECT`.
stage() {
  local name=$1 most=$2 start=$SECONDS status=0 result kind what reason before=${#failed[@]}
  shift 2
  ((most < limit - SECONDS)) || most=$((limit - SECONDS))
  if ((most < 5)); then
    note cut_off "$name" "no time was left"
    stages+=("$(json name "$name" result "no time was left" seconds 0)")
    return 1
  fi
  say "$name (at most $most s)"
  stage_end=$((SECONDS + most))
  : >"$work/notes"
  { "$@" 2>&1 | tee "$work/logs/${name// /_}.log"; } </dev/null &
  running=$!
  wait "$running" || status=$?
  running=
  case $status in
    0) result=passed ;;
    124) result="cut off" ;;
    137) time_is_over && result="cut off" || result=failed ;;
    *) result=failed ;;
  esac
  stages+=("$(json name "$name" result "$result" seconds $((SECONDS - start)))")
  while IFS=$'\t' read -r kind what reason; do
    if [[ $kind == json ]]; then
      programs+=("$what")
    else
      note "$kind" "$what" "$reason"
    fi
  done <"$work/notes"
  if [[ ! -s $work/notes && $result == passed ]]; then
    note passed "$name"
  elif [[ ! -s $work/notes && $result == "cut off" ]]; then
    note cut_off "$name" "out of time"
  elif [[ $result == failed && ${#failed[@]} == "$before" ]]; then
    note failed "$name" "status $status"
  fi
  deliver
  return "$status"
}

# What a stage runs that takes long.
time_is_over() { ((SECONDS >= stage_end)); }
seconds_left() { echo $((stage_end > SECONDS ? stage_end - SECONDS : 1)); }
limited() { timeout --kill-after=5 "$(seconds_left)" "$@"; }

# share PART OF: the seconds of a stage that gets PART of OF parts of what is left, but at least 20,
# since less shows nothing
share() {
  local seconds=$(((limit - SECONDS) * $1 / $2))
  echo $((seconds > 20 ? seconds : 20))
}

# at_once COUNT COMMAND NAME...: COMMAND NAME for each, COUNT at a time. For COMMAND, `at_most` is
# COUNT, and `waiting` says how many have not begun, its own NAME included.
at_once() {
  local at_most=$1 command=$2 name waiting
  shift 2
  waiting=$#
  for name in "$@"; do
    while (($(jobs -rp | wc -l) >= at_most)); do wait -n; done
    "$command" "$name" &
    waiting=$((waiting - 1))
  done
  wait
}

# descendants PID: it, and all that it started, each of which may have a process group of its own
descendants() {
  local file line all=" $1 " more=1
  local -a fields
  while [[ $more ]]; do
    more=
    for file in /proc/[0-9]*/stat; do
      { read -r line <"$file"; } 2>/dev/null || continue
      read -ra fields <<<"${line##*) }"  # the state, the parent, ...
      if [[ $all == *" ${fields[1]} "* && $all != *" ${line%% *} "* ]]; then
        all+="${line%% *} " more=1
      fi
    done
  done
  echo "$all"
}

# The end, however it comes: what there is goes to --out, and nothing stays behind.
finish() {
  local status=$?
  trap - EXIT
  local process
  for process in ${running:-} ${pytorch_search:-}; do
    { kill -TERM $(descendants "$process") && wait "$process"; } 2>/dev/null
  done
  if [[ ${interrupted:-} ]]; then note cut_off "the rest" "ended by a signal"; fi
  [[ ! -d $work/logs ]] || deliver
  rm -rf "$work"
  exit "$status"
}
