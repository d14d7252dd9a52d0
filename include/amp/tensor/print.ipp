// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/device/memory.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/print.hpp"

namespace amp::inline v0 {

namespace detail {

// torch's default print options.
inline constexpr int kPrintPrecision = 4;
inline constexpr std::int64_t kPrintThreshold = 1000, kPrintEdgeItems = 3;
inline constexpr std::size_t kPrintLineWidth = 80;
inline constexpr std::string_view kPrintPrefix = "tensor(";

/// `length` elements of dimension `d` from `start` on: narrow, without its history.
AMP_COLD Tensor print_section(const Tensor& tensor, int d, std::int64_t start,
                              std::int64_t length) {
  Shape shape = tensor.shape();
  shape[d] = length;
  return tensor.alias(shape, tensor.strides(), tensor.impl().offset + start * tensor.strides()[d]);
}

/// Fills `to` with `from`, of which only the first and last elements are taken if a dimension of
/// `to` is shorter.
AMP_COLD void copy_edges(const Tensor& from, const Tensor& to, int d = 0) {
  if (d == from.dim()) return copy_elements(from, to);
  const std::int64_t extent = from.shape()[d], edge = kPrintEdgeItems;
  if (to.shape()[d] == extent) return copy_edges(from, to, d + 1);
  copy_edges(print_section(from, d, 0, edge), print_section(to, d, 0, edge), d + 1);
  copy_edges(print_section(from, d, extent - edge, edge), print_section(to, d, edge, edge), d + 1);
}

/// The elements of a tensor between their brackets.
class TensorText {
 public:
  explicit TensorText(const Tensor& tensor) : tensor_(tensor), dims_(tensor.dim()) {
    Shape shown = tensor.shape();
    const bool summarize = tensor.numel() > kPrintThreshold;
    for (int d = 0; d < dims_; ++d) {
      if (summarize && shown[d] > 2 * kPrintEdgeItems) shown[d] = 2 * kPrintEdgeItems;
    }
    fetch(shown);
    if (is_floating_point(tensor.dtype())) choose_notation();
    for (std::int64_t i = 0; i < host_.numel(); ++i) {
      if (!counts_for_width(i)) continue;
      if (const std::size_t size = element(i).size(); size > width_) width_ = size;
    }
  }

  void append_to(std::string& out) {
    next_ = 0;
    append(out, 0);
  }

 private:
  /// Only the elements that are shown are copied to the host. There every dtype widens to float64
  /// or int64, which hold the values of all others exactly.
  void fetch(const Shape& shown) {
    const DType dtype = tensor_.dtype();
    const Tensor there = make_tensor(shown, dtype, tensor_.device());
    const Tensor here = make_tensor(shown, dtype, kCPU);
    copy_edges(tensor_, there);
    copy_bytes(kCPU, here.raw_data(), there.device(), there.raw_data(),
               shown.numel() * item_size(dtype));
    host_ = make_tensor(shown, is_floating_point(dtype) ? kFloat64 : kInt64, kCPU);
    copy_elements(here, host_);
  }
  double number(std::int64_t i) const { return static_cast<const double*>(host_.raw_data())[i]; }
  std::int64_t integer(std::int64_t i) const {
    return static_cast<const std::int64_t*>(host_.raw_data())[i];
  }

  /// Chooses the notation by the finite numbers other than zero: integers, fixed-point, or
  /// scientific if they are too large, too small or too far apart for that.
  void choose_notation() {
    double least = 0, greatest = 0;
    for (std::int64_t i = 0; i < host_.numel(); ++i) {
      const double value = number(i), magnitude = std::fabs(value);
      if (!is_finite(value) || value == 0) continue;
      if (value != std::ceil(value)) integers_ = false;
      if (least == 0 || magnitude < least) least = magnitude;
      if (magnitude > greatest) greatest = magnitude;
    }
    scientific_ = least != 0 && (greatest / least > 1000 || greatest > 1e8 || least < 1e-4);
  }

  /// In torch neither zeros nor infinities and NaNs widen the columns.
  bool counts_for_width(std::int64_t i) const {
    if (!is_floating_point(tensor_.dtype())) return true;
    return is_finite(number(i)) && number(i) != 0;
  }

  std::string element(std::int64_t i) const {
    if (tensor_.dtype() == kBool) return integer(i) != 0 ? "True" : "False";
    if (!is_floating_point(tensor_.dtype())) return std::to_string(integer(i));
    const double value = number(i);
    if (is_nan(value)) return "nan";
    if (!is_finite(value)) return std::signbit(value) ? "-inf" : "inf";
    // Not printf, whose decimal point is that of the user's locale.
    char digits[32];
    const bool whole = integers_ && !scientific_;
    const auto end =
        std::to_chars(digits, digits + sizeof digits, value,
                      scientific_ ? std::chars_format::scientific : std::chars_format::fixed,
                      whole ? 0 : kPrintPrecision);
    return std::string(digits, end.ptr) + (whole ? "." : "");
  }

  /// Writes the part of the tensor that `d` indices select, from element next_ on.
  void append(std::string& out, int d) {
    if (d == dims_) {
      const std::string text = element(next_++);
      if (text.size() < width_) out.append(width_ - text.size(), ' ');
      out += text;
      return;
    }
    const bool innermost = d + 1 == dims_;
    const std::size_t indent = kPrintPrefix.size() + static_cast<std::size_t>(d);
    // Never 0: no element is wider than int64's least, of 20 characters.
    const auto per_line = static_cast<std::int64_t>((kPrintLineWidth - indent) / (width_ + 2));
    const bool elided = host_.shape()[d] != tensor_.shape()[d];
    const std::int64_t items = host_.shape()[d] + (elided ? 1 : 0);
    out += '[';
    for (std::int64_t item = 0; item < items; ++item) {
      if (item != 0) {
        out += ',';
        if (innermost && item % per_line != 0) {
          out += ' ';
        } else {  // after a matrix an empty line, after a block of them two, and so on
          out.append(innermost ? 1 : static_cast<std::size_t>(dims_ - d - 1), '\n');
          out.append(indent + 1, ' ');
        }
      }
      if (elided && item == kPrintEdgeItems) {
        out += innermost ? " ..." : "...";
      } else {
        append(out, d + 1);
      }
    }
    out += ']';
  }

  const Tensor& tensor_;
  Tensor host_;  // the elements that are shown
  int dims_;
  bool integers_ = true, scientific_ = false;
  std::size_t width_ = 1;
  std::int64_t next_ = 0;
};

}  // namespace detail

AMP_COLD std::string to_string(const Tensor& tensor) try {
  std::string text(detail::kPrintPrefix);
  if (!tensor.defined()) return text + "undefined)";
  const bool empty = tensor.numel() == 0;
  if (empty) {
    text += "[]";
  } else {
    detail::TensorText(tensor).append_to(text);
  }

  std::size_t column = text.size() - (text.rfind('\n') + 1) + 2;  // counted as torch does
  const auto append = [&](const std::string& suffix) {
    if (column + suffix.size() + 2 > detail::kPrintLineWidth) {
      text += ",\n" + std::string(detail::kPrintPrefix.size(), ' ');
      column = detail::kPrintPrefix.size() + suffix.size();
    } else {
      text += ", ";
      column += suffix.size() + 2;
    }
    text += suffix;
  };
  if (tensor.device().type != kCPU) append("device='" + to_string(tensor.device()) + "'");
  if (empty && tensor.dim() != 1) {
    std::string size = to_string(tensor.shape());
    size.front() = '(';
    size.back() = ')';
    append("size=" + size);
  }
  // The dtypes of literals are not printed, except for an empty tensor, which shows no element.
  const DType dtype = tensor.dtype();
  if (dtype != kFloat32 && (empty || (dtype != kInt64 && dtype != kBool))) {
    append("dtype=" + to_string(dtype));
  }
  if (tensor.requires_grad()) append("requires_grad=True");
  return text + ")";
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

}  // namespace amp::inline v0
