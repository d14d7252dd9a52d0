// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The steps of matmul_then_epilogue() on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/matmul/epilogue.hpp"
#include "amp/kernels/reduce/host.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Calls body(h + at, byte of the row's bits, y, count) for each eight neighbours, with rows in
/// parallel. The results are rounded into the output.
template <class Body>
void for_each_relu_byte(const Operand& h, const Operand& aux, const Operand& output,
                        const Body& body) {
  const std::int64_t rows = output.sizes[1], columns = output.sizes[2];
  visit_compute_type(h.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<C, std::int64_t>) {
      parallel_ranges(rows, ceil_div(16 * kBlock, columns),
                      [&](std::int64_t begin, std::int64_t end) {
                        C buffer[kBlock];
                        for (std::int64_t i = begin; i < end; ++i) {
                          std::uint8_t* const bits = aux.as<std::uint8_t>() + i * aux.strides[1];
                          for (std::int64_t j = 0; j < columns; j += kBlock) {
                            const std::int64_t n = (std::min)(kBlock, columns - j);
                            const C* const from = h.as<const C>() + i * columns + j;
                            for (std::int64_t q = 0; q < n; q += 8)
                              body(from + q, bits[(j + q) / 8], buffer + q, n - q);
                            store(buffer, output, i * output.strides[1] + j * output.strides[2],
                                  output.strides[2], n);
                          }
                        }
                      });
    }
  });
}

/// A template, so that only programs with a matmul compile its kernels.
template <class = void>
struct HostSteps {
  static constexpr bool kReluInPlace = false;  // sums are in float32 anyway
  struct Buffer : HostBuffer<std::byte> {
    Buffer(Device, std::int64_t bytes) : HostBuffer<std::byte>(bytes) {}
  };
  static void sum(const ReduceArgs& args) { host::sum(args); }
  static void copy(const UnaryArgs& args) { host::copy(args); }
  static void gelu(const UnaryArgs& args) { unary<functions::GeluTanh>(args); }
  static void gelu_backward(const BinaryArgs& args) {
    binary<functions::Derivative<functions::GeluTanh>>(args);
  }
  static void relu(const Operand& h, const Operand& aux, const Operand& output) {
    for_each_relu_byte(h, aux, output,
                       [zero = rounded_to_zero(output.dtype)](const auto* from, std::uint8_t& bits,
                                                              auto* y, std::int64_t n) {
                         using C = std::remove_reference_t<decltype(*y)>;
                         bits = relu_bits(from, static_cast<C>(zero), y, n);
                       });
  }
  static void relu_backward(const Operand& h, const Operand& aux, const Operand& output) {
    for_each_relu_byte(h, aux, output,
                       [](const auto* from, std::uint8_t bits, auto* y, std::int64_t n) {
                         relu_backward_bits(from, bits, y, n);
                       });
  }
};

}  // namespace amp::inline v0::kernels::host::detail
