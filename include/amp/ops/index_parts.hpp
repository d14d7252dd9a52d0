// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The parts of ops that move elements by indices.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "amp/autograd/function.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/kernels/indexing/args.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

using kernels::IndexRule;
using kernels::ScatterOp;

/// Throws unless the tensor is defined and int64 or int32.
AMP_LAZY void check_index(std::string_view op, std::string_view argument, const Tensor& index);

/// The tensor itself, or [1] for a 0-dimensional one.
AMP_LAZY Tensor at_least_1d(const Tensor& tensor);

/// Indices along one dimension as those of whole slices: `index` [n] or [], expanded to `shape`
/// with n in the place of `dim`. No copy.
AMP_LAZY Tensor expand_index(const Tensor& index, const Shape& shape, int dim);

/// gather() without checks; differentiable. `index` has as many dimensions as x.
AMP_LAZY Tensor gather(std::string_view op, const Tensor& x, int dim, const Tensor& index,
                       const IndexRule& rule);
/// The same without history.
AMP_LAZY Tensor gathered(const Tensor& x, int dim, const Tensor& index, const IndexRule& rule);

/// What is scattered: the elements of a tensor at the positions of the index, or a number.
struct Scattered {
  ScatterOp op = ScatterOp::kSum;
  bool include_self = true;
};

/// Joins the source with the elements of `output`, which is dense. No history.
AMP_LAZY void scatter_into(const Tensor& output, int dim, const Tensor& index,
                           const kernels::Operand& source, const IndexRule& rule,
                           const Scattered& how);
/// A copy of x in `dtype` with the source scattered to it. No history.
AMP_LAZY Tensor scattered(const Tensor& x, DType dtype, int dim, const Tensor& index,
                          const kernels::Operand& source, const IndexRule& rule,
                          const Scattered& how);

/// The first part of a tensor, of the shape of the index. No history.
AMP_LAZY Tensor part_of(const Tensor& tensor, const Shape& shape);

/// The indices of index() and index_put(): which dimensions of the tensor they index, and in which
/// order the dimensions of the result follow.
struct AdvancedIndex {
  PoolVector<Tensor> indices;  // of the indexed dimensions, in order
  PoolVector<int> dims;        // which these are
  Shape from, broadcast;       // of the tensor, and that of the indices
  int at = 0;                  // of the first dimension of `broadcast` in the result
  bool beside = true;          // whether the indexed dimensions follow each other
};

/// The indices as the caller of an op on x gave them: checked, and masks as the indices of what is
/// true.
AMP_LAZY AdvancedIndex advanced_index(std::string_view op, const Tensor& x,
                                      std::span<const Tensor> given);
/// The shape of the elements that are indexed.
AMP_LAZY Shape shape_of(const AdvancedIndex& by);
/// The same with one extent for all indices.
AMP_LAZY Shape flat_shape_of(const AdvancedIndex& by);

/// The elements that are indexed. No history.
AMP_LAZY Tensor indexed(std::string_view op, const Tensor& x, const AdvancedIndex& by);
/// `base`, or zeros if it is undefined, with the values, of flat_shape_of(by), scattered to it. No
/// history.
AMP_LAZY Tensor put_into(std::string_view op, const Tensor& base, DType dtype,
                         const kernels::Operand& values, Device device, const AdvancedIndex& by,
                         const Scattered& how);

/// Indices that backward needs.
using SavedIndices = PoolVector<autograd::SavedTensor>;
AMP_LAZY SavedIndices saved(const PoolVector<Tensor>& indices);
/// Throws if one of them was written since.
AMP_LAZY void check_saved(std::string_view op, const SavedIndices& indices);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/index_parts.ipp"
#endif
