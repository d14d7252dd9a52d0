// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Brings the CUDA device in from a static archive.
#include <amp/device/memory.hpp>

const bool enabled = (amp::enable_cuda(), true);
