#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# A source must compile, and with -DAMP_REFUSED the compiler must object to each line that ends in
#   // refused: <regular expression that the error's text matches>
# g++ reports an error within a consteval function there, and then the line from which it came. An
# error within a template, such as a failed static_assert, counts for the line that asked for it: g++
# names that line before the error, clang++ after it. The notes after an error are part of its text:
# they show the line of a deleted function, whose comment says what to write instead. (The lines of
# SOURCE that they show do not count: what they are to say stands in them.)
# compile_fail.sh SOURCE COMPILER [FLAG]...
set -u
source=$1
shift
"$@" "$source" || exit 1

output=$("$@" -DAMP_REFUSED "$source" 2>&1 | awk -v source="$source:" '
  { print }
  # If a deleted constructor is inherited, g++ reports it a second time, in the header.
  / error: / && (index($0, source) == 1 || !/use of deleted function/) {
    if (whole) print whole
    whole = ""
  }
  !/\/\/ refused: / { whole = whole " " $0 }
  / error: / && index($0, source) == 1 { whole = $0 }
  END { print whole }
  / error: / {
    text = $0
    sub(/.* error: /, "error: ", text)
    if (asked) print asked, text
    asked = ""
  }
  /: +required from here$/ { asked = $1 }
  /: note: in instantiation .* requested here$/ { print $1, text }')
count=0 accepted=0
while IFS=: read -r line reason; do
  count=$((count + 1))
  grep -Eq "^$source:$line:[0-9]+: (error:|  in .constexpr. expansion).*($reason)" <<<"$output" &&
    continue
  accepted=$((accepted + 1))
  echo "$source:$line: not refused with '$reason'"
done < <(sed -n '/\/\/ refused: /{=;s/.*refused: //;p}' "$source" | paste -d : - -)

echo "$count lines, $accepted not refused as they should be"
((accepted == 0)) || grep " error: " <<<"$output"
exit $((accepted > 0 || count == 0))
