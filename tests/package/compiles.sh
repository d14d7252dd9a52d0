#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# A compiler accepts a file: compiles.sh COMPILER [FLAG or SOURCE]...
exec "$@" -fsyntax-only
