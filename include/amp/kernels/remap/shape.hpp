// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The dimensions of a remapped array: neighbours that stay in their place count as one.
#pragma once

#include <array>
#include <cstdint>

#include "amp/kernels/operand.hpp"
#include "amp/kernels/remap/args.hpp"

namespace amp::inline v0::kernels {

struct RemapShape {
  int dims = 0;  // at least 1
  DimMaps maps;
  std::int64_t strides[kMaxDims] = {};  // of the array that is mapped

  /// For an array with the extents `in` of the maps.
  RemapShape(const Operand& array, const DimMaps& of_dims) {
    for (int d = 0; d < array.dims; ++d)
      append(of_dims[static_cast<std::size_t>(d)], array.strides[d]);
    if (dims == 0) append_dim(DimMap(1), 1);
  }

  const DimMap& map(int d) const { return maps[static_cast<std::size_t>(d)]; }

 private:
  void append(const DimMap& map, std::int64_t stride) {
    if (map.is_identity() && map.in == 1) return;
    if (dims > 0 && map.is_identity()) {
      DimMap& before = maps[static_cast<std::size_t>(dims - 1)];
      if (before.is_identity() && strides[dims - 1] == stride * map.in) {
        before = DimMap(before.in * map.in);
        strides[dims - 1] = stride;
        return;
      }
    }
    append_dim(map, stride);
  }
  void append_dim(const DimMap& map, std::int64_t stride) {
    maps[static_cast<std::size_t>(dims)] = map;
    strides[dims++] = stride;
  }
};

}  // namespace amp::inline v0::kernels
