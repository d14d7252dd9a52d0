// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The definitions of a program that uses the compiled library without CMake.
#include <amp/compiled.hpp>
