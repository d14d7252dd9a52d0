// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What is done to images: torchvision.transforms.
#pragma once

#include "amp/data/transforms/colour.hpp"    // ToTensor, Normalize, ColorJitter, Grayscale, ...
#include "amp/data/transforms/compose.hpp"   // Compose, RandomApply
#include "amp/data/transforms/geometry.hpp"  // Resize, crops, flips, Pad
#include "amp/data/transforms/mix.hpp"       // RandomErasing, MixUp, CutMix
