#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Compiles a program in one command and runs it: run_program.sh PROGRAM COMPILER [FLAG or SOURCE]...
set -eu
program=$1
shift
"$@" -o "$program"
"$program"
