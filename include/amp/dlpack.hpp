// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors that are shared with other libraries by DLPack. Not part of amp.hpp; needs no other
// header.
#pragma once

#include "amp/interop/dlpack.hpp"  // from_dlpack, to_dlpack
