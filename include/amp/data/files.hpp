// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Data sets and images in files. No library is needed; those that AMP_USE_ZLIB, AMP_USE_PNG and
// AMP_USE_JPEG name read compressed files.
#pragma once

#include "amp/data/files/cifar.hpp"         // CIFAR10, CIFAR100
#include "amp/data/files/image_folder.hpp"  // ImageFolder
#include "amp/data/files/mnist.hpp"         // MNIST, FashionMNIST
#include "amp/data/files/read_image.hpp"    // read_image
#include "amp/data/files/save_image.hpp"    // save_image, make_grid
#include "amp/data/files/tokens.hpp"        // TokenDataset
