// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA device's functions of several operands, and its distances of points.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/combination/cuda.cuh"
#include "amp/kernels/distance/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_combinations(Backend& table) {
  table.addcmul = combination<Addcmul>;
  table.addcdiv = combination<Addcdiv>;
  table.addcdiv_by_divisor = combination<AddcdivByDivisor>;
  table.lerp = combination<Lerp>;
  table.times_difference = combination<TimesDifference>;
  table.determinant = combination<Determinant>;
  table.sum_of_products = combination<SumOfProducts>;
  table.distance_of_product = combination<DistanceOfProduct>;
  table.over_distance = combination<OverDistance>;
  table.offset_difference = combination<OffsetDifference>;
  table.distance = distance;
  table.distance_backward = distance_backward;
}

}  // namespace amp::inline v0::kernels::cuda
