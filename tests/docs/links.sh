#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# links.sh ROOT: checks the tracked pages (*.md), and prints what is wrong with them.
#
# - A relative link or image leads to a tracked file or folder, and its #anchor to a heading there,
#   by GitHub's rule.
# - All rows of a table have the same number of columns.
# - A C++ block is in a page that pages.sh compiles.
# - The README has at most 160 lines, and at most 120 columns outside of tables and code.
# - The README and the change log name the version of core/version.hpp.
#
# Exits with 77 if ROOT is not a git checkout.
set -euo pipefail
export LC_ALL=C
cd "$1"
here=tests/docs
tracked=$(git -c safe.directory='*' ls-files 2>/dev/null) || { echo "skipped: no git checkout" && exit 77; }
mapfile -t pages < <(grep '\.md$' <<<"$tracked")
((${#pages[@]} > 0))
failed=0
complain() { echo "$*" && failed=1; }

# A path is tracked if it is a file, or a folder of files. Both are in the set.
declare -A exists=([.]=1)
while IFS= read -r path; do
  while [[ ! ${exists[$path]:-} ]]; do
    exists[$path]=1
    [[ $path == */* ]] || break
    path=${path%/*}
  done
done <<<"$tracked"

# anchors PAGE: the anchors of its headings. GitHub lowers the case, removes all but letters, digits,
# "_", "-" and blanks, writes "-" for a blank, and numbers what comes again.
anchors() {
  awk '
    /^ *```/ { code = !code; next }
    !code && /^#+ / {
      sub(/^#+ +/, ""); sub(/ +#* *$/, "")
      gsub(/\]\([^)]*\)/, "")
      $0 = tolower($0)
      gsub(/[!-,.\/:-@\[-^`{-~]/, "")
      gsub(/ /, "-")
      print $0 (seen[$0]++ ? "-" seen[$0] - 1 : "")
    }' "$1"
}

# links PAGE: "line target" of each link and image, outside of code
links() {
  awk '
    /^ *```/ { code = !code; next }
    code { next }
    {
      gsub(/`[^`]*`/, "")
      text = $0
      while (match(text, /\]\([^) ]+/)) {
        print FNR, substr(text, RSTART + 2, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
      }
      if (match($0, /^ *\[[^]]+\]: *[^ ]+/)) {
        text = substr($0, RSTART, RLENGTH); sub(/^[^:]*: */, "", text); print FNR, text
      }
      text = $0
      while (match(text, /(src|href)="[^"]+"/)) {
        target = substr(text, RSTART, RLENGTH); gsub(/^[^"]*"|"$/, "", target)
        print FNR, target
        text = substr(text, RSTART + RLENGTH)
      }
    }' "$1"
}

links_seen=0
for page in "${pages[@]}"; do
  while read -r line target; do
    [[ $target =~ ^[a-z]+: ]] && continue
    links_seen=$((links_seen + 1))
    path=${target%%#*} anchor=
    [[ $target == *'#'* ]] && anchor=${target#*#}
    if [[ $path ]]; then
      path=$(realpath -m --relative-to=. -- "$(dirname "$page")/$path")
    else
      path=$page
    fi
    if [[ ! ${exists[$path]:-} ]]; then
      complain "$page:$line: $target: there is no tracked $path"
    elif [[ $anchor ]] && ! grep -qxF -- "$anchor" < <(anchors "$path"); then
      complain "$page:$line: $target: $path has no such heading"
    fi
  done < <(links "$page")

  tables=$(awk -v page="$page" '
    /^ *```/ { code = !code; next }
    code { next }
    /^ *\|/ {
      row = $0
      gsub(/\\\|/, "", row)
      columns = gsub(/\|/, "|", row) - 1
      if (row !~ /\| *$/) { print page ":" FNR ": this row does not end with |"; next }
      if (rows++ == 0) wanted = columns
      else if (columns != wanted)
        print page ":" FNR ": " columns " columns, but the first row has " wanted
      if (rows == 2 && row !~ /^[ |:-]+$/) print page ":" FNR ": the second row is to be | --- |"
      next
    }
    { if (rows == 1) print page ":" FNR - 1 ": a table of one row"; rows = 0 }' "$page")
  [[ ! $tables ]] || complain "$tables"

  if grep -q '^ *```cpp' "$page" && ! grep -qwF -- "$page" "$here/pages.sh"; then
    complain "$page: has C++ blocks, but $here/pages.sh does not compile them"
  fi
done
echo "${#pages[@]} pages, $links_seen links"
((links_seen > 0))

lines=$(wc -l <README.md)
((lines <= 160)) || complain "README.md: $lines lines, at most 160"
long=$(awk '
  /^ *```/ { code = !code; next }
  code || /^\|/ { next }
  { gsub(/[\200-\277]/, "") }  # the second and further bytes of a character
  length($0) > 120 { print "README.md:" FNR ": " length($0) " columns, at most 120" }' README.md)
[[ ! $long ]] || complain "$long"

version=$(awk '/#define AMP_VERSION_/ { v = v (v == "" ? "" : ".") $3 } END { print v }' \
  include/amp/core/version.hpp)
grep -qE "version ${version%.*}([^0-9]|\$)" README.md ||
  complain "README.md: does not say that this is version ${version%.*}"
first=$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' .github/CHANGELOG.md | head -n 1)
[[ $first == "$version" ]] || complain ".github/CHANGELOG.md: its newest version is $first, but this is $version"
exit $failed
