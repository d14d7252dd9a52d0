// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA device: include this in one .cu file of a program, and its .cpp files can create tensors
// on Device{kCUDA}. Needs nvcc, and links cudart and cublas; with AMP_USE_CUDNN=1, cudnn too. With
// AMP_LOAD_CUDA_LIBRARIES=1, cudart alone: the others are loaded when they are first needed.
// Includes <amp/cuda.hpp>, which has graphs, streams and memory for .cpp files.
#pragma once

#include "amp/cuda.hpp"
#include "amp/cuda.ipp"
#include "amp/device/cuda/cache.ipp"
#include "amp/device/cuda/current_stream.ipp"
#include "amp/device/cuda/graph.ipp"
#include "amp/device/cuda/libraries.ipp"
#include "amp/device/cuda/statistics.ipp"
#include "amp/kernels/backend.cuh"
#include "amp/kernels/backend/activations.cuh"
#include "amp/kernels/backend/binary_functions.cuh"
#include "amp/kernels/backend/combinations.cuh"
#include "amp/kernels/backend/elementary_functions.cuh"
#include "amp/kernels/backend/folds.cuh"
#include "amp/kernels/backend/indexing.cuh"
#include "amp/kernels/backend/lines.cuh"
#include "amp/kernels/backend/losses.cuh"
#include "amp/kernels/backend/moves.cuh"
#include "amp/kernels/backend/order.cuh"
#include "amp/kernels/backend/products.cuh"
#include "amp/kernels/backend/recurrent.cuh"
#include "amp/kernels/backend/resampling.cuh"
#include "amp/kernels/backend/scans.cuh"
#include "amp/kernels/backend/training.cuh"
