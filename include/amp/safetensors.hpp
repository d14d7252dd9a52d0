// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors and whole trainings in files. Not part of amp.hpp: needs nlohmann-json.
#pragma once

#include "amp/interop/checkpoint.hpp"   // Checkpoint
#include "amp/interop/safetensors.hpp"  // load_safetensors, save_safetensors
