// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The innermost loops of matmuls, sums and norms, for vectors_in_registers.sh.
#include <amp/kernels/matmul/host/gemm.hpp>
#include <amp/kernels/norm/host/rows.hpp>

#include <cstdint>

namespace host = amp::kernels::host;

template <class T>
host::gemm::Kernel<T> matmul_kernel() {
  return host::gemm::choose_kernel<T>();
}
template host::gemm::Kernel<float> matmul_kernel<float>();
template host::gemm::Kernel<double> matmul_kernel<double>();

double sum(const float* x, std::int64_t n) {
  return host::lanes::OnWidest<host::detail::SumOfFloats>::run(x, n);
}
double sum_of_squares(const float* x, std::int64_t n, double mean) {
  return host::lanes::OnWidest<host::detail::SumOfSquares>::run(x, n, mean);
}
void add_to_sums(const float* x, const float* grad, const float* weights, std::int64_t n,
                 host::detail::NormSums* sums) {
  host::lanes::OnWidest<host::detail::AddToNormSums>::run(x, grad, weights, n, 0.5F, 2.0F, sums);
}
