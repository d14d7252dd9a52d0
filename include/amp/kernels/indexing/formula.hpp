// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What joins elements that are scattered to one place: apply(what is there, what comes).
#pragma once

#include "amp/kernels/functions/binary.hpp"
#include "amp/kernels/indexing/args.hpp"

namespace amp::inline v0::kernels {

/// The last one stays.
struct Replace {
  AMP_FORMULA apply(C, C b) { return b; }
};

/// Calls visitor(Function{}) with the function of the op.
template <class Visitor>
void visit_scatter(ScatterOp op, Visitor&& visitor) {
  switch (op) {
    case ScatterOp::kCopy:
      return visitor(Replace{});
    case ScatterOp::kSum:
      return visitor(functions::Add{});
    case ScatterOp::kProd:
      return visitor(functions::Mul{});
    case ScatterOp::kAmax:
      return visitor(functions::Maximum{});
    case ScatterOp::kAmin:
      return visitor(functions::Minimum{});
  }
}

/// The place that an index means, or -1 if it is out of range.
AMP_HOST_DEVICE inline std::int64_t place_of(std::int64_t index, std::int64_t length,
                                             bool from_end) {
  const std::int64_t place = index < 0 && from_end ? index + length : index;
  return place >= 0 && place < length ? place : -1;
}

}  // namespace amp::inline v0::kernels
