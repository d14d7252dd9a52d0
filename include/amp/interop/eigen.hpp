// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors over the memory of Eigen's matrices. Eigen is not included: a program that includes it
// can use it here.
#pragma once

#include <concepts>
#include <type_traits>

#include "amp/interop/foreign_elements.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// A dense object of Eigen, const or not, whose elements lie in memory: Matrix, Array, Map, Ref,
/// Block, but not the sum of two.
template <class M>
concept EigenLike = requires(M& matrix) {
  requires std::is_pointer_v<decltype(matrix.data())>;
  { matrix.rows() } -> std::integral;
  { matrix.cols() } -> std::integral;
  { matrix.rowStride() } -> std::integral;
  { matrix.colStride() } -> std::integral;
  M::RowsAtCompileTime;
  M::ColsAtCompileTime;
  typename M::PlainObject;
};

/// A tensor over the elements of `matrix`, [rows, cols], or [size] if it is a vector at compile
/// time. Nothing is copied: a column-major matrix makes a tensor with strides like those of a
/// transposed one. The memory must outlive the tensor and every view of it, so a Matrix or Array
/// must be an lvalue, and must not be resized meanwhile; Maps, Refs and Blocks may be temporaries.
/// amp cannot see writes to the memory: see Tensor::mark_modified. Optimizers take only row-major
/// parameters, so weights to be trained are kept in a RowMajor matrix.
///
/// The dtype is that of the elements, which must not be const; `options.dtype` may be left unset.
/// `options.device` says where the memory of a Map is. Throws amp::Error if `options.dtype` is
/// another, for negative strides, for null if there are elements, and for memory that is not at a
/// multiple of the element's size. Does not synchronise.
///
/// The way back is a Map of Eigen's, over a tensor that is contiguous():
///
/// ```text
/// Eigen::MatrixXf weight(3, 2);
/// const amp::Tensor w = amp::from_eigen(weight);
///
/// using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// Eigen::Map<const RowMajor> y(t.const_data<float>(), t.size(0), t.size(1));
/// ```
template <class M>
  requires EigenLike<std::remove_reference_t<M>>
[[nodiscard]] Tensor from_eigen(M&& matrix, const TensorOptions& options = {}) {
  using Matrix = std::remove_reference_t<M>;
  // What owns its memory is the plain type itself, or derives from it.
  static_assert(
      std::is_lvalue_reference_v<M> || !std::derived_from<Matrix, typename Matrix::PlainObject>,
      "amp: this matrix would be gone with its memory at the end of the expression, and "
      "the tensor would dangle; keep it in a variable");
  Shape shape;
  Strides strides;
  if constexpr (Matrix::ColsAtCompileTime == 1) {
    shape = Shape(matrix.rows());
    strides = Strides(matrix.rowStride());
  } else if constexpr (Matrix::RowsAtCompileTime == 1) {
    shape = Shape(matrix.cols());
    strides = Strides(matrix.colStride());
  } else {
    shape = Shape(matrix.rows(), matrix.cols());
    strides = Strides(matrix.rowStride(), matrix.colStride());
  }
  return detail::tensor_over_elements("from_eigen", matrix.data(), shape, strides, options);
}

}  // namespace amp::inline v0
