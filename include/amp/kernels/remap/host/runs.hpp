// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The runs of which a row of a remapped array consists: elements that are neighbours in the result,
// and equally far apart in the input.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/object_pool.hpp"
#include "amp/kernels/remap/formula.hpp"
#include "amp/kernels/remap/shape.hpp"

namespace amp::inline v0::kernels::host::detail {

struct Run {
  std::int64_t begin, length;  // in the result
  std::int64_t source;         // of the first; in elements
  std::int64_t step;
  bool nowhere = false;
};

/// Returns the run that begins at element o of a dimension.
inline Run run_from(const DimMap& map, std::int64_t o) {
  const std::int64_t i = o - map.shift, left = map.out - o, source = map.source(o);
  const auto run = [&](std::int64_t most, std::int64_t step) -> Run {
    return {o, (std::min)(most, left), source, step, source == DimMap::kNowhere};
  };
  switch (map.kind) {
    case Remapping::kFlipped:
      return run(left, -1);
    case Remapping::kCircular:
      return run(map.in - source, 1);
    default: {
      const std::int64_t outside = map.kind == Remapping::kReflected ? -1 : 0;
      if (i < 0) return run(-i, outside);
      return i < map.in ? run(map.in - i, 1) : run(left, outside);
    }
  }
}

/// A row: the elements of the inner dimensions of the result, as many of these as keep it short.
struct Row {
  static constexpr std::int64_t kShort = 8192, kLongRun = 65536;

  int outer;                     // dimensions
  std::int64_t in = 1, out = 1;  // elements in the array that is mapped, and in the result
  amp::detail::PoolVector<Run> runs;

  explicit Row(const RemapShape& shape) : outer(shape.dims) {
    while (outer > 0) {
      const DimMap& map = shape.map(outer - 1);
      if (outer < shape.dims && out * map.out > kShort) break;
      in *= map.in;
      out *= map.out;
      --outer;
    }
    add(shape, outer, 0, 0, false);
  }

 private:
  /// Adds the runs of the dimensions from d on.
  void add(const RemapShape& shape, int d, std::int64_t begin, std::int64_t source, bool nowhere) {
    const DimMap& map = shape.map(d);
    std::int64_t inside = 1;
    for (int next = d + 1; next < shape.dims; ++next) inside *= shape.map(next).out;
    for (std::int64_t o = 0; o < map.out;) {
      const Run run = run_from(map, o);
      const std::int64_t step = run.step * shape.strides[d],
                         from = source + run.source * shape.strides[d];
      if (nowhere || run.nowhere) {
        append({begin + o * inside, run.length * inside, 0, 0, true});
      } else if (d + 1 == shape.dims) {
        append({begin + o, run.length, from, step});
      } else {
        for (std::int64_t k = 0; k < run.length; ++k)
          add(shape, d + 1, begin + (o + k) * inside, from + k * step, false);
      }
      o += run.length;
    }
  }
  /// Appends a run, or makes the last one longer by it, in pieces that are not too long.
  void append(Run run) {
    if (run.length == 0) return;
    if (!runs.empty()) {
      Run& last = runs.back();
      const bool continues = run.nowhere ? last.nowhere
                                         : !last.nowhere && last.step == run.step &&
                                               last.source + last.length * last.step == run.source;
      if (continues && last.length + run.length <= kLongRun) {
        last.length += run.length;
        return;
      }
    }
    for (; run.length > kLongRun; run.length -= kLongRun) {
      runs.push_back({run.begin, kLongRun, run.source, run.step, run.nowhere});
      run.begin += kLongRun;
      run.source += kLongRun * run.step;
    }
    runs.push_back(run);
  }
};

/// The rows of the outer dimensions, one after the other, in the order of the result.
class RowPlaces {
 public:
  RowPlaces(const RemapShape& shape, int outer, std::int64_t row) : shape_(shape), outer_(outer) {
    for (int d = outer - 1; d >= 0; --d) {
      index_[d] = row % shape.map(d).out;
      row /= shape.map(d).out;
    }
  }
  /// Returns the offset of its source; kNowhere if it has none.
  std::int64_t source() const {
    std::int64_t offset = 0;
    for (int d = 0; d < outer_; ++d) {
      const std::int64_t i = shape_.map(d).source(index_[d]);
      if (i == DimMap::kNowhere) return DimMap::kNowhere;
      offset += i * shape_.strides[d];
    }
    return offset;
  }
  void next() {
    for (int d = outer_ - 1; d >= 0; --d) {
      if (++index_[d] < shape_.map(d).out) return;
      index_[d] = 0;
    }
  }

 private:
  const RemapShape& shape_;
  int outer_;
  std::int64_t index_[kMaxDims];
};

}  // namespace amp::inline v0::kernels::host::detail
