// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions of channels-last activations by kernels that take row-major ones. Only a process
// that ends needs them: its activations were laid out for oneDNN, which can no longer be called.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amp/device/host_memory.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Memory for a row-major copy of an operand.
class RowMajor {
 public:
  explicit RowMajor(const Operand& of)
      : memory_(of.numel() * item_size(of.dtype)), original_(of), copy_(of) {
    copy_.data = memory_.data();
    for (std::int64_t d = of.dims - 1, step = 1; d >= 0; step *= of.sizes[d--])
      copy_.strides[d] = step;
  }
  const Operand& operand() const { return copy_; }
  void read() const { copy({original_, copy_}); }
  void write() const { copy({copy_, original_}); }

 private:
  HostBuffer<std::byte> memory_;
  Operand original_, copy_;
};

/// Calls run(args) with row-major copies of both activations. The second one is written if `writes`
/// is true, else read.
template <class Args>
void in_row_major(Args args, Operand Args::*first, Operand Args::*second, bool writes,
                  void (*run)(const Args&)) {
  const RowMajor read(args.*first), other(args.*second);
  read.read();
  if (!writes) other.read();
  args.*first = read.operand();
  args.*second = other.operand();
  args.channels_last = false;
  run(args);
  if (writes) other.write();
}

}  // namespace amp::inline v0::kernels::host::detail
