// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The innermost loops of matmuls, sums, norms and Adam, for vectors_in_registers.sh.
#include <amp/kernels/matmul/host/kernels.hpp>
#include <amp/kernels/norm/host/rows.hpp>
#include <amp/kernels/optim/adam.hpp>
#include <amp/kernels/optim/host/step_loop.hpp>
#include <amp/kernels/reduce/host/sum_block.hpp>

#include <cstdint>

namespace host = amp::kernels::host;

template <class T>
host::gemm::Kernel<T> matmul_kernel(std::int64_t m, std::int64_t n) {
  return host::gemm::kernel_for<T>(amp::kBFloat16, m, n);
}
template host::gemm::Kernel<float> matmul_kernel<float>(std::int64_t, std::int64_t);
template host::gemm::Kernel<double> matmul_kernel<double>(std::int64_t, std::int64_t);

double sum(const float* x, std::int64_t n) {
  return amp::simd::on_widest<host::detail::SumOfRow>(x, n);
}
double sum_of_squares(const float* x, std::int64_t n, double mean) {
  return amp::simd::on_widest<host::detail::SumOfSquares>(x, n, mean);
}
void add_to_sums(const float* x, const float* grad, const float* weights, std::int64_t n,
                 host::detail::NormSums* sums) {
  amp::simd::on_widest<host::detail::AddToNormSums>(x, grad, weights, n, 0.5F, 2.0F, sums);
}
void adam(const host::detail::StepLoop<amp::kernels::AdamRule, float>& loop, const float* g,
          float* w, float* const (&states)[amp::kernels::AdamRule::kStates], std::int64_t n) {
  loop.run(g, w, states, nullptr, n);
}
