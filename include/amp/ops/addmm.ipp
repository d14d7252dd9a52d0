// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/ops/addmm.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/combination.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/shape.hpp"

namespace amp::inline v0 {
namespace detail {

/// input [N] + a [M, K] @ b [K, N], as one kernel.
AMP_LAZY Tensor matmul_plus_row(std::string_view op, const Tensor& input, const Tensor& a,
                                const Tensor& b) {
  const Tensor row = reshape(input, {b.size(1)});
  const Tensor output = matmul_no_grad(a, b, row);
  if (!autograd::recording(row, a, b)) return output;
  autograd::record(
      op, output,
      [op, a = autograd::SavedTensor(a, autograd::requires_grad(b)),
       b = autograd::SavedTensor(b, autograd::requires_grad(a)),
       row_dtype = autograd::gradient_dtype(row), a_dtype = autograd::gradient_dtype(a),
       b_dtype = autograd::gradient_dtype(b)](
          const Tensor& grad, const autograd::Needs<3>& needs) -> autograd::Gradients<3> {
        autograd::Gradients<3> gradients;
        if (needs[0]) gradients[0] = sum_to(grad, {grad.size(1)}, row_dtype);
        if (needs[1]) gradients[1] = matmul_no_grad(grad, transpose_last(b.get(op)), {}, a_dtype);
        if (needs[2]) gradients[2] = matmul_no_grad(transpose_last(a.get(op)), grad, {}, b_dtype);
        return gradients;
      },
      row, a, b);
  return output;
}

/// beta input + alpha a @ b, rounded once.
AMP_LAZY Tensor add_matmul(std::string_view op, const Tensor& input, const Tensor& a,
                           const Tensor& b, const AddmmOptions& options) {
  const bool plain = options.alpha == 1;
  if (plain && options.beta == 1 && a.dim() == 2 && b.dim() == 2 && b.size(1) == input.numel() &&
      input.dim() > 0 && input.size(-1) == b.size(1) && a.numel() != 0)
    return matmul_plus_row(op, input, a, b);
  const bool alone = options.beta == 0 && plain && !autograd::requires_grad(input);
  const DType dtype = a.dtype(), wide = alone ? dtype : promote_types(dtype, kFloat32);
  const Tensor product = matmul(op, a, b, wide);
  if (alone) return product;
  if (autograd::recording(product)) autograd::node_of(product)->want_gradient_in(dtype);
  return add_product(op, input, product, Tensor(), options.alpha, options.beta, product.shape(),
                     dtype, true);
}

/// What addmm and its relatives share: the checks, and the policy.
template <class Function>
Tensor add_to(autocasting::OpId op, const Tensor& input, const Tensor& a, std::string_view name_a,
              const Tensor& b, std::string_view name_b, const Shape& shape,
              const Function& function) {
  AMP_CHECK(input.dim() <= shape.dims() && do_broadcast(input.shape(), shape) &&
                broadcast_shapes(op.name(), input.shape(), shape) == shape,
            op.name(), ": `input` ", describe(input), " does not broadcast to ", shape);
  return autocasting::call(
      op,
      [&](const Tensor& c, const Tensor& x, const Tensor& y) {
        check_matmul(op.name(), c, x, "input", name_a);
        check_matmul(op.name(), x, y, name_a, name_b);
        return function(c, x, y);
      },
      input, a, b);
}

AMP_LAZY void check_batches(std::string_view op, const Tensor& input, const Tensor& a,
                            const Tensor& b) {
  check_three(op, input, "batch1", a, "batch2", b);
  AMP_CHECK(a.dim() == 3 && b.dim() == 3 && a.size(0) == b.size(0) && a.size(2) == b.size(1), op,
            ": expected `batch1` [B, M, K] and `batch2` [B, K, N], but got ", describe(a), " and ",
            describe(b));
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor addmm(const Tensor& input, const Tensor& mat1, const Tensor& mat2,
                                 const AddmmOptions& options) {
  detail::check_three("addmm", input, "mat1", mat1, "mat2", mat2);
  AMP_CHECK(mat1.dim() == 2 && mat2.dim() == 2 && mat1.size(1) == mat2.size(0),
            "addmm: expected `mat1` [M, K] and `mat2` [K, N], but got ", describe(mat1), " and ",
            describe(mat2));
  return detail::add_to("addmm", input, mat1, "mat1", mat2, "mat2", {mat1.size(0), mat2.size(1)},
                        [&](const Tensor& c, const Tensor& a, const Tensor& b) {
                          return detail::add_matmul("addmm", c, a, b, options);
                        });
}
AMP_LAZY_DEFINITION Tensor addmv(const Tensor& input, const Tensor& mat, const Tensor& vec,
                                 const AddmmOptions& options) {
  detail::check_three("addmv", input, "mat", mat, "vec", vec);
  AMP_CHECK(mat.dim() == 2 && vec.dim() == 1 && mat.size(1) == vec.size(0),
            "addmv: expected `mat` [M, K] and `vec` [K], but got ", describe(mat), " and ",
            describe(vec));
  return detail::add_to("addmv", input, mat, "mat", vec, "vec", {mat.size(0)},
                        [&](const Tensor& c, const Tensor& a, const Tensor& b) {
                          return detail::add_matmul("addmv", c, a, b, options);
                        });
}
AMP_LAZY_DEFINITION Tensor addr(const Tensor& input, const Tensor& vec1, const Tensor& vec2,
                                const AddmmOptions& options) {
  detail::check_three("addr", input, "vec1", vec1, "vec2", vec2);
  AMP_CHECK(vec1.dim() == 1 && vec2.dim() == 1,
            "addr: `vec1` and `vec2` must have 1 dimension, but are ", describe(vec1), " and ",
            describe(vec2));
  const DType dtype = detail::result_type_of({&input, &vec1, &vec2});
  AMP_CHECK(dtype != kBool, "addr: `input`, `vec1` and `vec2` must not all be bool");
  detail::check_coefficient("addr", "alpha", options.alpha, dtype);
  detail::check_coefficient("addr", "beta", options.beta, dtype);
  const Shape shape(vec1.size(0), vec2.size(0));
  AMP_CHECK(input.dim() <= 2 && do_broadcast(input.shape(), shape) &&
                broadcast_shapes("addr", input.shape(), shape) == shape,
            "addr: `input` ", describe(input), " does not broadcast to ", shape);
  return autocasting::call(
      "addr",
      [&](const Tensor& c, const Tensor& a, const Tensor& b) {
        return detail::add_product("addr", c, detail::reshape(a, {a.size(0), 1}), b, options.alpha,
                                   options.beta, shape, detail::result_type_of({&c, &a, &b}));
      },
      input, vec1, vec2);
}
AMP_LAZY_DEFINITION Tensor addbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2,
                                  const AddmmOptions& options) {
  detail::check_batches("addbmm", input, batch1, batch2);
  const std::int64_t m = batch1.size(1), n = batch2.size(2), k = batch1.size(0) * batch1.size(2);
  return detail::add_to(
      "addbmm", input, batch1, "batch1", batch2, "batch2", {m, n},
      [&](const Tensor& c, const Tensor& a, const Tensor& b) {
        const Tensor rows = detail::reshape(detail::transpose(a, 0, 1), {m, k});
        return detail::add_matmul("addbmm", c, rows, detail::reshape(b, {k, n}), options);
      });
}
AMP_LAZY_DEFINITION Tensor baddbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2,
                                   const AddmmOptions& options) {
  detail::check_batches("baddbmm", input, batch1, batch2);
  return detail::add_to("baddbmm", input, batch1, "batch1", batch2, "batch2",
                        {batch1.size(0), batch1.size(1), batch2.size(2)},
                        [&](const Tensor& c, const Tensor& a, const Tensor& b) {
                          return detail::add_matmul("baddbmm", c, a, b, options);
                        });
}

}  // namespace amp::inline v0
