// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for the header of CUB.
#pragma once

namespace cub {

/// Two arrays, of which an algorithm may use both; its result is in the current one.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {};
  int selector = 0;

  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};

}  // namespace cub
