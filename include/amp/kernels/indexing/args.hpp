// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of the kernels that move elements by indices.
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// What the indices of a call mean, and what is said of one that is out of range.
struct IndexRule {
  std::string_view subject;  // the op and its argument
  int dim = 0;               // of the tensor that is indexed
  bool from_end = false;     // whether -1 is the last
};

/// output[p] = input[p, with index[p] in the place of p[dim]]. `index` is int64 or int32, and has
/// the shape of the output; `input` may be larger.
struct GatherArgs {
  Operand input, index, output;
  int dim;
  IndexRule rule;
};

/// What becomes of several elements that are scattered to one place. They come in the order of
/// their positions, row-major, so that kCopy leaves the last.
enum class ScatterOp : std::uint8_t { kCopy, kSum, kProd, kAmax, kAmin };

/// output[p, with index[p] in the place of p[dim]] = op(that, source[p]), computed in float32
/// (float64) and rounded once. `source` and `index` have one shape; the output is contiguous and
/// may be larger.
struct ScatterArgs {
  Operand source, index, output;
  int dim;
  IndexRule rule;
  ScatterOp op = ScatterOp::kSum;
  bool include_self = true;  // else the first that comes takes the place of what is there
  bool from_zero = false;    // the output is not initialised, and starts from 0
};

/// output = sum over k of indices[k] steps[k], each index in [-sizes[k], sizes[k]); the indices
/// broadcast to the output, which is int64 and contiguous. Devices give -1 for one out of range.
struct LinearIndexArgs {
  Operand output;
  int count = 0;
  Operand indices[kMaxDims];
  std::int64_t sizes[kMaxDims], steps[kMaxDims];
  int dims[kMaxDims];  // for messages
  std::string_view subject;
};

/// A contiguous array as slices [outer, length, inner]; the index selects along `length`.
struct Slices {
  std::int64_t outer = 1, length, inner = 1;

  Slices(const Operand& array, int dim) : length(array.sizes[dim]) {
    for (int d = 0; d < dim; ++d) outer *= array.sizes[d];
    for (int d = dim + 1; d < array.dims; ++d) inner *= array.sizes[d];
  }
};

/// Whether the elements lie row-major, without gaps.
inline bool is_dense(const Operand& array) {
  std::int64_t step = 1;
  for (int d = array.dims - 1; d >= 0; --d) {
    if (array.sizes[d] != 1 && array.strides[d] != step) return false;
    step *= array.sizes[d];
  }
  return !array.immediate;
}

/// Whether whole slices are scattered: the index varies along `dim` only, and both arrays are
/// dense.
inline bool by_slices(const ScatterArgs& args) {
  for (int d = 0; d < args.index.dims; ++d) {
    if (d == args.dim) continue;
    if (args.index.strides[d] != 0 && args.index.sizes[d] != 1) return false;
    if (args.index.sizes[d] != args.output.sizes[d]) return false;
  }
  return is_dense(args.source) && is_dense(args.output);
}

/// An array that is seen along the other dimensions of `shape` only, each with its extent there.
inline Operand without_dim(Operand array, const Operand& shape, int dim) {
  for (int d = 0; d < array.dims; ++d) array.sizes[d] = d == dim ? 1 : shape.sizes[d];
  return array;
}

}  // namespace amp::inline v0::kernels
