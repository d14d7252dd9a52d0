// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The version, stated once: CMake parses it from here. The inline namespace `amp::v0` carries the
// major number, so that two libraries built with incompatible versions can live in one process.
#pragma once

#define AMP_VERSION_MAJOR 0
#define AMP_VERSION_MINOR 2
#define AMP_VERSION_PATCH 0
