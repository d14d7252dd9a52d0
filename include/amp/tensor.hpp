// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors without derivatives.
#pragma once

#include "amp/tensor/blob.hpp"
#include "amp/tensor/cast_cache.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/generator.hpp"
#include "amp/tensor/layout.hpp"
#include "amp/tensor/print.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/tensor/tensor.hpp"
