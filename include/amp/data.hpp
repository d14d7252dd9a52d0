// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Data sets, their batches, and what is done to images. Not part of amp.hpp: it starts threads.
#pragma once

#include "amp/data/collate.hpp"      // collate: examples become a batch
#include "amp/data/data_loader.hpp"  // DataLoader
#include "amp/data/dataset.hpp"      // Dataset, TensorDataset, Subset, ConcatDataset, random_split
#include "amp/data/files.hpp"        // MNIST, CIFAR10, ImageFolder, TokenDataset, save_image
#include "amp/data/generator.hpp"    // Generator
#include "amp/data/sampler.hpp"      // RandomSampler, WeightedRandomSampler, ...
#include "amp/data/transforms.hpp"   // Compose, ToTensor, Normalize, RandomCrop, ...
