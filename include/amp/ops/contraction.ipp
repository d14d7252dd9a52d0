// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/ops/combination.hpp"
#include "amp/ops/contraction.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/shape.hpp"

namespace amp::inline v0::detail {

/// A set of labels.
using Labels = std::uint64_t;

AMP_LAZY Labels set_of(const Numbers& labels) {
  Labels set = 0;
  for (const std::int64_t label : labels) set |= Labels{1} << label;
  return set;
}
inline bool has(Labels set, std::int64_t label) { return (set >> label & 1) != 0; }

/// The number of the dimension of a label.
AMP_LAZY int place_of(const Numbers& labels, std::int64_t label) {
  int d = 0;
  while (labels[d] != label) ++d;
  return d;
}

/// The dimensions with the labels, in their order.
AMP_LAZY Tensor permuted(const Labelled& x, const Numbers& order) {
  Numbers dims;
  bool moves = false;
  for (const std::int64_t label : order) {
    dims.push_back(place_of(x.labels, label));
    moves = moves || dims[dims.dims() - 1] != dims.dims() - 1;
  }
  return moves ? permute(x.tensor, dims.span()) : x.tensor;
}

/// The elements whose indices along dimensions of one label are equal: a view with these as one.
AMP_LAZY Labelled diagonal(const Labelled& x) {
  if (std::popcount(set_of(x.labels)) == x.labels.dims()) return x;
  Shape shape;
  Strides strides, dense;
  const Strides steps = contiguous_strides(x.tensor.shape());
  Labelled result;
  for (int d = 0; d < x.labels.dims(); ++d) {
    const std::int64_t label = x.labels[d];
    if (!has(set_of(result.labels), label)) {
      result.labels.push_back(label);
      shape.push_back(x.tensor.shape()[d]);
      strides.push_back(x.tensor.strides()[d]);
      dense.push_back(steps[d]);
    } else {
      const int first = place_of(result.labels, label);
      strides[first] += x.tensor.strides()[d];
      dense[first] += steps[d];
    }
  }
  result.tensor = autograd::view_of(x.tensor, shape, strides, x.tensor.impl().offset);
  if (autograd::recording(x.tensor))
    autograd::record_view("diagonal", result.tensor, x.tensor, dense, 0);
  return result;
}

/// Without the dimensions of extent 1 that others have longer.
AMP_LAZY Labelled without_broadcast(const Labelled& x, const std::int64_t* extents) {
  Labelled result;
  Shape shape;
  for (int d = 0; d < x.labels.dims(); ++d) {
    const std::int64_t extent = x.tensor.shape()[d], label = x.labels[d];
    if (extent == 1 && extents[label] != 1) continue;
    result.labels.push_back(label);
    shape.push_back(extent);
  }
  result.tensor = reshape_or_view(x.tensor, shape);
  return result;
}

/// Sums over the dimensions whose labels are not in `kept`.
AMP_LAZY Labelled summed(std::string_view op, const Labelled& x, Labels kept) {
  Labelled result;
  Dims dims;
  for (int d = 0; d < x.labels.dims(); ++d) {
    if (has(kept, x.labels[d]))
      result.labels.push_back(x.labels[d]);
    else
      dims.push_back(d);
  }
  result.tensor = dims.dims() == 0 ? x.tensor : reduce(op, x.tensor, dims, false, 1);
  return result;
}

/// The product of two, summed over the labels that are not in `kept`.
AMP_LAZY Labelled multiply(std::string_view op, const Labelled& left, const Labelled& right,
                           Labels kept) {
  check_matmul(op, left.tensor, right.tensor, "operands", "operands");
  const Labelled a = summed(op, left, kept | set_of(right.labels)),
                 b = summed(op, right, kept | set_of(left.labels));
  const Labels of_a = set_of(a.labels), of_b = set_of(b.labels);
  Numbers batch, inner, rows, columns;
  Shape batch_shape, shape;
  std::int64_t batches = 1, k = 1, m = 1, n = 1;
  for (int d = 0; d < a.labels.dims(); ++d) {
    const std::int64_t label = a.labels[d], extent = a.tensor.shape()[d];
    const bool shared = has(of_b, label);
    (!shared ? rows : has(kept, label) ? batch : inner).push_back(label);
    (!shared ? m : has(kept, label) ? batches : k) *= extent;
    if (shared && has(kept, label)) batch_shape.push_back(extent);
  }
  for (const std::int64_t label : b.labels) {
    if (has(of_a, label)) continue;
    columns.push_back(label);
    n *= b.tensor.shape()[place_of(b.labels, label)];
  }
  const auto joined = [](const Numbers& x, const Numbers& y, const Numbers& z) {
    Numbers all;
    for (const Numbers* part : {&x, &y, &z}) {
      for (const std::int64_t label : *part) all.push_back(label);
    }
    return all;
  };
  Labelled result{.tensor = {}, .labels = joined(batch, rows, columns)};
  const Tensor x = permuted(a, joined(batch, rows, inner)),
               y = permuted(b, joined(batch, inner, columns));
  shape = batch_shape;
  for (int d = 0; d < rows.dims(); ++d) shape.push_back(x.shape()[batch.dims() + d]);
  for (int d = 0; d < columns.dims(); ++d)
    shape.push_back(y.shape()[batch.dims() + inner.dims() + d]);
  if (inner.dims() == 0) {  // nothing is summed
    Shape of_rows = batch_shape;
    for (int d = 0; d < rows.dims(); ++d) of_rows.push_back(x.shape()[batch.dims() + d]);
    for (int d = 0; d < columns.dims(); ++d) of_rows.push_back(1);
    Shape of_columns = batch_shape;
    for (int d = 0; d < rows.dims(); ++d) of_columns.push_back(1);
    for (int d = 0; d < columns.dims(); ++d) of_columns.push_back(y.shape()[batch.dims() + d]);
    result.tensor = add_product(op, Tensor(), reshape_or_view(x, of_rows),
                                reshape_or_view(y, of_columns), 1, 0, shape, x.dtype());
    return result;
  }
  const bool one = batch.dims() == 0;
  const Tensor product = matmul(op, reshape_or_view(x, one ? Shape(m, k) : Shape(batches, m, k)),
                                reshape_or_view(y, one ? Shape(k, n) : Shape(batches, k, n)));
  result.tensor = reshape_or_view(product, shape);
  return result;
}

AMP_LAZY_DEFINITION Tensor contract(std::string_view op, std::vector<Labelled> operands,
                                    const Numbers& output) {
  std::array<std::int64_t, 64> extents;
  extents.fill(1);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Labelled& x = operands[i];
    std::array<std::int64_t, 64> own;
    own.fill(-1);
    for (int d = 0; d < x.labels.dims(); ++d) {
      const auto label = static_cast<std::size_t>(x.labels[d]);
      const std::int64_t extent = x.tensor.shape()[d];
      AMP_CHECK(own[label] < 0 || own[label] == extent, op, ": a subscript is repeated in operand ",
                i, " ", describe(x.tensor), ", so that its extents must be equal, but they are ",
                own[label], " and ", extent);
      own[label] = extent;
      AMP_CHECK(extent == extents[label] || extent == 1 || extents[label] == 1, op,
                ": the extents of a subscript must be equal or 1, but operand ", i, " ",
                describe(x.tensor), " has ", extent, " in dimension ", d, ", and another has ",
                extents[label]);
      if (extent != 1) extents[label] = extent;
    }
  }
  for (Labelled& x : operands) x = without_broadcast(diagonal(x), extents.data());
  const Labels wanted = set_of(output);
  const auto size_of = [&](Labels labels) {
    double size = 1;
    for (std::size_t label = 0; label < 64; ++label) {
      if (has(labels, static_cast<std::int64_t>(label)))
        size *= static_cast<double>(extents[label]);
    }
    return size;
  };
  while (operands.size() > 1) {
    // The labels that the rest needs of a pair, and what the pair costs.
    const auto needed = [&](std::size_t i, std::size_t j) {
      Labels labels = wanted;
      for (std::size_t k = 0; k < operands.size(); ++k) {
        if (k != i && k != j) labels |= set_of(operands[k].labels);
      }
      return labels;
    };
    std::size_t first = 0, second = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      for (std::size_t j = i + 1; j < operands.size(); ++j) {
        const Labels all = set_of(operands[i].labels) | set_of(operands[j].labels);
        const double cost = size_of(all) + size_of(all & needed(i, j));
        if (cost < least) least = cost, first = i, second = j;
      }
    }
    operands[first] = multiply(op, operands[first], operands[second], needed(first, second));
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(second));
  }
  return permuted(summed(op, operands[0], wanted), output);
}

}  // namespace amp::inline v0::detail
