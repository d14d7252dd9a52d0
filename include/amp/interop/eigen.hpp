// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors over the memory of Eigen's matrices. This header does not include Eigen; the program
// does.
#pragma once

#include <concepts>
#include <type_traits>

#include "amp/interop/foreign_elements.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// A dense object of Eigen, const or not, whose elements are in memory: Matrix, Array, Map, Ref or
/// Block, but not an expression such as a sum.
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

/// Returns a tensor over the elements of `matrix`, of shape [rows, cols], or [size] if it is a
/// vector at compile time. Nothing is copied: a column-major matrix gives a tensor with the strides
/// of a transposed one. The memory must outlive the tensor and every view of it, so a Matrix or
/// Array must be an lvalue and must not be resized; Maps, Refs and Blocks may be temporaries. amp
/// cannot see writes to the memory: see Tensor::mark_modified. Optimizers need row-major
/// parameters, so store trained weights in a RowMajor matrix.
///
/// The dtype is that of the elements, which must not be const; `options.dtype` may be left unset.
/// `options.device` is the device of the memory of a Map. Throws amp::Error if `options.dtype`
/// differs, if a stride is negative, if the pointer is null but there are elements, or if the
/// memory is not aligned to the element's size. Does not synchronise.
///
/// For the opposite direction, make an Eigen Map over a tensor that is contiguous():
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
  // Objects that own their memory have the plain type, or a type derived from it.
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
