// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A matmul through oneDNN, as one primitive on one thread.
#pragma once

#include "amp/kernels/onednn/call.hpp"

#if AMP_USE_ONEDNN

#include <cstdint>
#include <optional>

#include "amp/kernels/matmul/host/gemm.hpp"

namespace amp::inline v0::kernels::host::onednn {

/// c = a @ b (+ bias), or c += a @ b: a [m, k] and b [k, n] of one dtype, c [m, n] of the same or
/// float32, rows of c `c_stride` apart. Element (i, j) of a lies at i * a_stride[0] + j *
/// a_stride[1].
struct Matmul {
  DType dtype, output;
  std::int64_t m, n, k;
  std::int64_t a_stride[2], b_stride[2], c_stride;
  std::optional<DType> bias = {};
  bool accumulate = false;
  bool packed = false;  // b lies in the order that oneDNN prefers
};

namespace detail {

/// Whether one dimension of a matrix is dense and the other has no overlaps, as oneDNN requires.
inline bool is_plain(std::int64_t rows, std::int64_t columns, const std::int64_t (&stride)[2]) {
  return (stride[1] == 1 && stride[0] >= columns) || (stride[0] == 1 && stride[1] >= rows);
}

/// Sets the strides of dimensions with one element, which may be anything, to those of a dense
/// matrix.
inline void simplify(Matmul& p) {
  if (p.m == 1) p.a_stride[0] = p.a_stride[1] == 1 ? p.k : 1;
  if (p.k == 1) p.a_stride[1] = p.a_stride[0] == 1 ? p.m : 1;
  if (p.k == 1) p.b_stride[0] = p.b_stride[1] == 1 ? p.n : 1;
  if (p.n == 1) p.b_stride[1] = p.b_stride[0] == 1 ? p.k : 1;
  if (p.m == 1) p.c_stride = p.n;
}

inline Call make_matmul(const Matmul& p) {
  const MemoryDesc a(p.dtype, {p.m, p.k}, {p.a_stride[0], p.a_stride[1]});
  const MemoryDesc b = p.packed ? MemoryDesc(p.dtype, {p.k, p.n}, dnnl_format_tag_any)
                                : MemoryDesc(p.dtype, {p.k, p.n}, {p.b_stride[0], p.b_stride[1]});
  const MemoryDesc c(p.output, {p.m, p.n}, {p.c_stride, 1});
  const MemoryDesc bias = p.bias ? MemoryDesc(*p.bias, {1, p.n}, {p.n, 1}) : MemoryDesc();
  const PrimitiveDesc desc = matmul_desc(a, b, bias, c, attributes(p.accumulate));
  if (desc == nullptr) return {};
  return Call(desc, {{DNNL_ARG_SRC, a.get()},
                     {DNNL_ARG_WEIGHTS, expected(desc, dnnl_query_weights_md)},
                     {DNNL_ARG_DST, c.get()},
                     {DNNL_ARG_BIAS, bias.get()}});
}

inline CallKey key_of(const Matmul& p) {
  const auto dtype = [](DType d) { return static_cast<std::int64_t>(d); };
  return {1,
          dtype(p.dtype),
          dtype(p.output),
          p.bias ? dtype(*p.bias) : -1,
          p.accumulate,
          p.packed,
          p.m,
          p.n,
          p.k,
          p.a_stride[0],
          p.a_stride[1],
          p.b_stride[0],
          p.b_stride[1],
          p.c_stride};
}

}  // namespace detail

/// Whether to use oneDNN: the processor multiplies the dtype directly, the matmul is not tiny, and
/// oneDNN reads the matrices in place.
inline bool takes(const Matmul& p) {
  constexpr std::int64_t kLeast = 16 * 16 * 16;
  return p.m * p.n * p.k >= kLeast && is_native(p.dtype) &&
         detail::is_plain(p.m, p.k, p.a_stride) && detail::is_plain(p.k, p.n, p.b_stride) &&
         p.c_stride >= p.n;
}

/// Runs on the calling thread alone. Returns false, with nothing written, if oneDNN has no such
/// matmul.
inline bool run(const Matmul& p, const void* a, const void* b, void* c,
                const void* bias = nullptr) {
  const OnThisThread guard;
  Calls& calls = Calls::of_this_thread();
  const Call& call = calls.get(detail::key_of(p), [&] { return detail::make_matmul(p); });
  if (!call) return false;
  call.run(calls.stream(), {a, b, c, bias});
  return true;
}

/// Describes the matmul of two matrices of T, with float32 results.
template <class T>
Matmul matmul_of(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<T>& a,
                 const Matrix<T>& b, std::int64_t c_stride, bool accumulate = false) {
  Matmul p{.dtype = dtype_of<T>,
           .output = kFloat32,
           .m = m,
           .n = n,
           .k = k,
           .a_stride = {a.row_stride, a.column_stride},
           .b_stride = {b.row_stride, b.column_stride},
           .c_stride = c_stride,
           .accumulate = accumulate};
  detail::simplify(p);
  return p;
}

}  // namespace amp::inline v0::kernels::host::onednn

#endif
