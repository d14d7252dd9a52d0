// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What gdb prints, stopped in `stop`: gdb.sh compares it, without "$1 = ", with what stands behind
// each arrow.
#include <amp/amp.hpp>

#include <limits>

struct Net : amp::nn::Module {
  amp::nn::Linear fc{register_module("fc", amp::nn::Linear(2, 1, {.bias = false}))};
  amp::nn::BatchNorm2d unset;
  amp::Tensor scale = register_buffer("scale", amp::full({1}, 3));
};

// What is expected stays on one line.
// clang-format off
[[gnu::noinline]] void stop(const amp::Tensor&) { __asm__ volatile(""); }

int main() {
  const amp::half half(1.5F);  // gdb: print half => 1.5
  const amp::half tiny = amp::half::from_bits(0x8001);  // gdb: print tiny => -5.96046448e-08
  const amp::bfloat16 infinite(std::numeric_limits<float>::infinity());  // gdb: print infinite => inf
  const amp::float8_e4m3fn largest(448.0F);  // gdb: print largest => 448
  const auto nan = amp::float8_e4m3fn::from_bits(0x7f);  // gdb: print nan => nan
  const amp::float8_e5m2 eighth(0.125F);  // gdb: print eighth => 0.125

  const amp::Shape shape(2, 3);  // gdb: print shape => [2, 3]
  const amp::Shape scalar;  // gdb: print scalar => []
  const amp::Device cpu;  // gdb: print cpu => cpu
  const amp::Device cuda(amp::kCUDA, 1);  // gdb: print cuda => cuda:1

  const amp::Tensor undefined;  // gdb: print undefined => undefined
  const amp::Tensor matrix = amp::tensor({1, 2, 3, 4, 5, 6}, {2, 3}).to(amp::kBFloat16);
  // gdb: print matrix => bfloat16[2, 3] = {1, 2, 3, 4, 5, 6}
  const amp::Tensor turned = matrix.t().narrow(0, 1, 2);
  // gdb: print turned => bfloat16[2, 2] = {2, 5, 3, 6}
  const amp::Tensor many = amp::arange(100);
  // gdb: print many => int64[100] = {0, 1, 2, 3, 4, 5, 6, 7, ...}
  const amp::Tensor flags = amp::eq(amp::arange(2), 1.0);
  // gdb: print flags => bool[2] = {false, true}
  const amp::Tensor leaf = amp::full({1}, 0.1, {.dtype = amp::kFloat64, .requires_grad = true});
  // gdb: print leaf => float64[1] = {0.1}, requires_grad
  const amp::Tensor made = amp::exp(leaf * 0);
  // gdb: print made => float64[1] = {1}, made by exp
  const amp::Tensor pixels = amp::detail::channels_last(amp::arange(12).reshape({1, 3, 2, 2}));
  // gdb: print pixels => int64[1, 3, 2, 2] = {0, 1, 2, 3, 4, 5, 6, 7, ...}
  const amp::Tensor channel = amp::detail::channels_last(matrix.reshape({1, 2, 1, 3})).select(1, 1);
  channel.fill_(9);
  // gdb: print channel => bfloat16[1, 1, 3] = {9, 9, 9}
  // gdb: whatis amp::debug::text(turned) => type = std::string

  Net net;
  net.fc.weight = net.fc.replace_parameter("weight", amp::full({1, 2}, 7));
  // gdb: print net.fc => Linear(in_features=2, out_features=1, bias=False) = {weight = float32[1, 2] = {7, 7}, requires_grad}
  // gdb: print net.unset => BatchNorm2d(nullptr)
  // gdb: print net => Net() = {scale = float32[1] = {3}, fc = Linear(in_features=2, out_features=1, bias=False) = {weight = float32[1, 2] = {7, 7}, requires_grad}}
  stop(matrix);
  return half == amp::half(1.5F) && net.fc.defined() && !scalar.dims() && cpu != cuda ? 0 : 1;
}
