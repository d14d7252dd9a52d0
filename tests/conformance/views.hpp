// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every op on every kind of view: values and gradients are those that the op gives for contiguous
// copies of its inputs, its indices and the incoming gradient. The golden cases are what is called
// (table_test.cpp: every op has some), with their shapes and, if the op takes that, with all
// operands as 1-d tensors, as tensors of one element and as numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/calls.hpp"
#include "conformance/errors.hpp"
#include "conformance/large.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace conformance {
namespace views {

using amp::Shape;
using amp::Tensor;

// --- the kinds ----------------------------------------------------------------------------------

/// How a tensor's elements lie in that of another shape: `base` is that shape, `view` finds them.
struct Kind {
  std::string_view name;
  int least_dims;
  Shape (*base)(Shape);
  Tensor (*view)(const Tensor& base, const Shape& shape);
  bool repeats = false;   // elements of the base are several of the view's
  bool lays_out = false;  // no view: the elements lie channels-last
};

inline Shape with(Shape shape, int dim, std::int64_t extent) {
  shape[dim] = extent;
  return shape;
}
inline Shape inserted(Shape shape, int dim, std::int64_t extent) {
  shape.insert(dim, extent);
  return shape;
}
inline Tensor expanded(const Tensor& base, const Shape& shape) { return base.expand(shape); }

inline constexpr Kind kKinds[] = {
    {"transposed", 2,
     [](Shape s) {
       std::swap(s[0], s[s.dims() - 1]);
       return s;
     },
     [](const Tensor& x, const Shape&) { return x.transpose(0, -1); }},
    {"permuted", 3,  // [..., a] lies as [a, ...]
     [](Shape s) {
       const std::int64_t last = s[s.dims() - 1];
       s.erase(s.dims() - 1);
       return inserted(s, 0, last);
     },
     [](const Tensor& x, const Shape& s) {
       std::vector<std::int64_t> dims;
       for (int d = 1; d < s.dims(); ++d) dims.push_back(d);
       dims.push_back(0);
       return x.permute(dims);
     }},
    {"every second element", 0, [](Shape s) { return inserted(s, s.dims(), 2); },
     [](const Tensor& x, const Shape&) { return x.select(-1, 1); }},
    {"narrowed in the first dimension", 1, [](Shape s) { return with(s, 0, s[0] + 2); },
     [](const Tensor& x, const Shape& s) { return x.narrow(0, 1, s[0]); }},
    {"narrowed in the last dimension", 1,
     [](Shape s) { return with(s, s.dims() - 1, s[s.dims() - 1] + 3); },
     [](const Tensor& x, const Shape& s) { return x.narrow(-1, 2, s[s.dims() - 1]); }},
    {"selected", 0, [](Shape s) { return inserted(s, 0, 3); },
     [](const Tensor& x, const Shape&) { return x.select(0, 1); }},
    {"selected behind the first dimension", 1, [](Shape s) { return inserted(s, 1, 3); },
     [](const Tensor& x, const Shape&) { return x.select(1, 2); }},
    {"expanded in the first dimension", 1, [](Shape s) { return with(s, 0, 1); }, expanded, true},
    {"expanded in the last dimension", 1, [](Shape s) { return with(s, s.dims() - 1, 1); },
     expanded, true},
    {"expanded from a number", 1, [](Shape) { return Shape(); }, expanded, true},
    {"laid out channels-last", 4, [](Shape s) { return s; },
     [](const Tensor& x, const Shape&) { return x; }, false, true},
};
inline constexpr std::size_t kCount = std::size(kKinds);

/// A tensor that has the numbers in the view of it, and `beside` where that does not look.
inline Tensor base_of(const Kind& kind, std::span<const double> values, const Shape& shape,
                      amp::DType dtype, double beside) {
  const Shape base = kind.base(shape);
  if (kind.repeats) {
    std::vector<double> first(values.begin(), values.end());
    first.resize(static_cast<std::size_t>(base.numel()), 1);
    return amp::tensor(first, base, {.dtype = dtype});
  }
  if (kind.lays_out)
    return amp::detail::channels_last(amp::tensor(values, shape, {.dtype = dtype}));
  const Tensor result = amp::full(base, beside, {.dtype = dtype});
  kind.view(result, shape).copy_(amp::tensor(values, shape, {.dtype = dtype}));
  return result;
}

// --- one call -----------------------------------------------------------------------------------

/// Which shapes the operands of a case get.
enum class Form { kAsItIs, kLines, kOneElement, kNumbers };
inline constexpr std::pair<Form, std::string_view> kForms[] = {
    {Form::kAsItIs, "as it is"},
    {Form::kLines, "1-d"},
    {Form::kOneElement, "of one element"},
    {Form::kNumbers, "0-dim"}};

inline Shape shape_in(Form form, const Shape& shape) {
  return form == Form::kAsItIs       ? shape
         : form == Form::kLines      ? Shape(shape.numel())
         : form == Form::kOneElement ? Shape(1)
                                     : Shape();
}

/// The operands of one call: number i is of kind (first + i) % kCount, or a contiguous copy of
/// that.
class Operands {
 public:
  Operands(Form form, std::size_t first, bool copied, const amp::Device& device)
      : form_(form), first_(first), copied_(copied), device_(device) {}

  /// Operand i: the tensor that it looks at, to differentiate for, and itself.
  std::pair<Tensor, Tensor> make(std::size_t i, std::span<const double> values, const Shape& like,
                                 amp::DType dtype, double beside, bool differentiated) const {
    const Kind& kind = kKinds[(first_ + i) % kCount];
    const Shape shape = shape_in(form_, like);
    const bool is_view =
        kind.lays_out ? shape.dims() == 4 : shape.dims() >= kind.least_dims;  // no volumes
    std::vector<double> own(values.begin(), values.begin() + shape.numel());
    if (!amp::is_floating_point(dtype))  // integers have no infinities and no NaN
      std::replace_if(
          own.begin(), own.end(), [](double x) { return !std::isfinite(x); }, 3);
    const bool has_base = is_view && !(kind.lays_out && copied_);
    const Tensor base = (has_base ? base_of(kind, own, shape, dtype, beside)
                                  : amp::tensor(own, shape, {.dtype = dtype}))
                            .to(device_);
    if (differentiated) base.requires_grad_();
    const Tensor view = is_view ? kind.view(base, shape) : base;
    return {base, copied_ ? view.clone() : view};
  }

 private:
  Form form_;
  std::size_t first_;
  bool copied_;
  amp::Device device_;
};

/// What a call returns, and the gradients of what its operands look at.
struct Result {
  Tensors outputs, gradients;
};

/// The case called with views, or with copies of them. The index and the incoming gradient are the
/// last operands. masked: becomes whether the index is a mask.
inline Result call(const Binding& binding, const OpCase& c, Form form, std::size_t first,
                   bool copied, const amp::Device& device, amp::DType dtype, bool& masked) {
  const bool real = amp::is_floating_point(dtype);
  const double beside = real ? std::numeric_limits<double>::quiet_NaN() : 1;
  const Operands operands(form, first, copied, device);
  const std::size_t n = c.inputs.size();
  Inputs inputs;
  Tensors bases;
  for (std::size_t i = 0; i < n; ++i) {
    const goldens::Operand& operand = c.inputs[i];
    auto [base, input] = operands.make(i, operand.values, Shape(operand.shape), dtype, beside,
                                       operand.differentiated && real);
    bases.push_back(base);
    inputs.push_back(input);
  }
  inputs.as_index = [&](const Tensor& index) {
    masked = index.dtype() == amp::kBool;
    return operands.make(n, index.to_vector<double>(), index.shape(), index.dtype(), 0, false)
        .second;
  };
  amp::manual_seed(16);
  Result result;
  result.outputs = binding.call(inputs, c);
  const Tensor& y = result.outputs[0];
  if (!y.requires_grad()) return result;
  const Operands gradient(Form::kAsItIs, first + n + 1, copied, device);
  y.backward(gradient.make(0, large_incoming(y), y.shape(), y.dtype(), beside, false).second);
  for (const Tensor& leaf : bases) result.gradients.push_back(leaf.grad());
  return result;
}

// --- comparison ---------------------------------------------------------------------------------

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) ||
           (std::isnan(x) && std::isnan(y));
  });
}

inline void compare(const Tensors& views, const Tensors& copies, double limit) {
  REQUIRE(views.size() == copies.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    INFO("tensor " << i);
    REQUIRE(views[i].defined() == copies[i].defined());
    if (!views[i].defined()) continue;
    CHECK(views[i].dtype() == copies[i].dtype());
    REQUIRE(views[i].shape() == copies[i].shape());
    const auto of_views = views[i].to_vector<double>(), of_copies = copies[i].to_vector<double>();
    if (same_bits(of_views, of_copies)) continue;
    CHECK(limit > 0);  // else the bits are to be the same
    CHECK(error_of(of_views, of_copies, format_of(views[i].dtype())).relative <= limit);
  }
}

/// In units of the largest magnitude. A device adds up in another order where operands are aligned
/// otherwise; the host does not, but a compiler may join the division of an
/// adaptive mean with its sum.
inline double limit_of(const Binding& binding, const amp::Device& device, amp::DType dtype) {
  if (device.type == amp::kCPU && !binding.op.starts_with("adaptive_avg_pool")) return 0;
  return 2 * (dtype == amp::kFloat32 ? binding.limits.float32 : binding.limits.gradient);
}

/// Each operand as each kind of view. What copies are refused, views are, in the same words.
inline void check(const Binding& binding, const OpCase& c, Form form, const amp::Device& device,
                  amp::DType dtype) {
  for (std::size_t first = 0; first < kCount; ++first) {
    INFO("operand 0: " << kKinds[first].name);
    Result views, copies;
    bool masked = false;
    const auto run = [&](Result& result, bool copied) {
      return amp_test::error_of([&] {
        result = call(binding, c, form, first, copied, device, dtype, masked);
        return 0;
      });
    };
    const std::string refused = run(copies, true);
    INFO("refused: " << refused);
    CHECK(run(views, false) == refused);
    if (!refused.empty()) {
      if (masked) continue;  // its elements repeat, and other numbers of them are true
      CHECK_FALSE((amp::is_floating_point(dtype) && form == Form::kAsItIs));
      return;
    }
    compare(views.outputs, copies.outputs, limit_of(binding, device, dtype));
    compare(views.gradients, copies.gradients, limit_of(binding, device, dtype));
  }
}

// --- what is called -----------------------------------------------------------------------------

/// What golden cases of one form of an op have in common: two of them are enough.
inline std::string likeness(const OpCase& c) {
  std::string text(c.op);
  for (const goldens::Operand& operand : c.inputs) {
    text += ' ' + std::to_string(operand.shape.size()) + (operand.values.empty() ? " empty" : "") +
            (operand.values.size() == 1 ? " one" : "");
  }
  return text;
}

inline void golden_cases(const amp::Device& device, amp::DType dtype) {
  std::map<std::string, int> seen;
  for (const OpCase& c : goldens::op_cases()) {
    if (++seen[likeness(c)] > 2) continue;
    const bool has_elements = (!has_index(c) || !c.index.empty()) &&
                              std::none_of(c.inputs.begin(), c.inputs.end(),
                                           [](const auto& x) { return x.values.empty(); });
    for (const auto& [form, text] : kForms) {
      if (form != Form::kAsItIs && !has_elements) continue;
      INFO(c.op << ": " << c.detail << ", " << text);
      check(*binding_of(c.op), c, form, device, dtype);
    }
  }
}

/// Extents that a device reads in vectors where they lie dense.
inline void vectors(const amp::Device& device, amp::DType dtype) {
  static const LargeCase cases[] = {
      {"matmul", {{16, 24}, {24, 8}}},
      {"add", {{8, 16}, {8, 16}}},
      {"where", {{8, 16}, {16}}, {}, {8, 1}, 2},
      {"gelu", {{8, 16}}},
      {"dropout", {{8, 16}}, {0.25, 1}},
      {"sum", {{8, 16}}},
      {"sum(x, dim)", {{8, 16}}, {0, 0}},
      {"mean(x, dim)", {{8, 16}}, {1, 0}},
      {"var", {{8, 16}}, {1, 1, 0}},
      {"var", {{8, 16}}, {0, 0, 1}},
      {"max", {{8, 16}}},
      {"min(x, dim)", {{8, 16}}, {0, 0}},
      {"max(x, dim)", {{8, 16}}, {1, 0}},
      {"argmax", {{8, 16}}},
      {"sum(x, dims)", {{2, 8, 16}}, {0, 0, 2}},
      {"std(x, dims)", {{2, 8, 16}}, {1, 0, 0, 1}},
      {"amax(x, dims)", {{2, 8, 16}}, {0, 0, 2}},
      {"amin", {{8, 16}}},
      {"prod(x, dim)", {{8, 16}}, {0, 0}},
      {"logsumexp(x, dims)", {{8, 16}}, {0, 0}},
      {"logsumexp(x, dims)", {{8, 16}}, {0, 1}},
      {"norm(x, p, dims)", {{2, 8, 16}}, {2, 0, 1, 2}},
      {"normalize", {{8, 16}}, {2, 1e-12, 1}},
      {"softmax", {{8, 16}}, {1}},
      {"log_softmax", {{8, 16}}, {0}},
      {"layer_norm", {{8, 16}, {16}, {16}}, {1e-5, 16}},
      {"group_norm", {{2, 8, 8}, {8}, {8}}, {4, 1e-5}},
      {"batch_norm", {{4, 8, 8}, {8}, {8}}, {1, 0.1, 1e-5, 2, 0}},
      {"batch_norm", {{2, 18, 3, 4}, {18}, {18}}, {1, 0.1, 1e-5, 2, 0}},
      {"cross_entropy", {{8, 16}}, {1, -100, 0.125}, {8}, 16},
      {"cross_entropy(probabilities)", {{8, 16}, {8, 16}}, {1, 0.125}},
      {"mse_loss", {{8, 16}, {8, 16}}, {1}},
      {"max_pool2d", {{2, 8, 8}}, {2, 2, 2, 2, 0, 0}},
      {"max_pool2d", {{2, 18, 5, 6}}, {3, 3, 2, 2, 1, 1}},
      {"avg_pool2d", {{2, 18, 5, 6}}, {2, 3, 1, 2, 1, 0}},
      {"interpolate", {{2, 18, 3, 5}}, {3, 0, 0, 0, 1, 7, 4}},
      {"interpolate", {{2, 18, 5, 4}}, {5, 0, 0, 1, 1, 3, 6}},
      {"interpolate(nearest)", {{2, 18, 3, 5}}, {0, 0, 0, 0, 0, 2}},
      {"mul", {{2, 18, 3, 4}, {2, 18, 3, 4}}},
      {"conv2d", {{2, 18, 5, 6}, {4, 18, 3, 2}, {4}}, {2, 1, 1, 0, 1, 1, 1}},
      {"embedding", {{8, 16}}, {}, {4, 2}, 8},
      {"index_select", {{8, 16}}, {1}, {8}, 16},
      {"cat", {{8, 16}, {8, 8}}, {1}},
  };
  for (const LargeCase& large : cases) {
    INFO(large.op << " of " << to_string(Shape(large.inputs[0])));
    check(*binding_of(large.op), op_case(large), Form::kAsItIs, device, dtype);
  }
}

// --- members that are no ops
// ----------------------------------------------------------------------

inline constexpr Binding kMembers[] = {
    {"Tensor::clone", [](const Inputs& x, const OpCase&) -> Outputs { return x[0].clone(); }, {}},
    {"Tensor::contiguous",
     [](const Inputs& x, const OpCase&) -> Outputs { return x[0].contiguous(); },
     {}},
    {"Tensor::detach", [](const Inputs& x, const OpCase&) -> Outputs { return x[0].detach(); }, {}},
    {"Tensor::to",
     [](const Inputs& x, const OpCase&) -> Outputs { return x[0].to(amp::kFloat64); },
     {}},
    {"Tensor::squeeze",
     [](const Inputs& x, const OpCase&) -> Outputs { return x[0].squeeze(); },
     {}},
    {"Tensor::copy_",
     [](const Inputs& x, const OpCase&) -> Outputs {
       return amp::zeros(x[0].shape(), {.dtype = x[0].dtype(), .device = x[0].device()})
           .copy_(x[0].detach());
     },
     {}},
};

/// Writes reach the elements of the view, and no others.
inline void writes(const amp::Device& device, amp::DType dtype) {
  for (const Shape& shape : {Shape(3, 4), Shape(2, 3, 4), Shape(5), Shape()}) {
    for (const Kind& kind : kKinds) {
      if (kind.repeats || shape.dims() < kind.least_dims) continue;
      INFO(kind.name << " " << to_string(shape));
      const Tensor base = amp::zeros(kind.base(shape), {.dtype = dtype, .device = device});
      const Tensor view = kind.view(base, shape);
      const auto check = [&](double sum_of_base) {
        CHECK(amp::sum(base.to(amp::kFloat64)).item<double>() == sum_of_base);
        CHECK(amp::sum(view.to(amp::kFloat64)).item<double>() == sum_of_base);
      };
      view.fill_(1);
      check(static_cast<double>(shape.numel()));
      view.zero_();
      check(0);
      view.copy_(amp::ones({}, {.dtype = dtype, .device = device}));
      check(static_cast<double>(shape.numel()));
    }
  }
}

inline void members(const amp::Device& device, amp::DType dtype) {
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{3, 4}, {2, 1, 3}, {5}, {1}, {}, {0, 2}}) {
    for (const Binding& member : kMembers) {
      INFO(member.op << " of " << to_string(Shape(shape)));
      check(member, op_case({member.op, {shape}}), Form::kAsItIs, device, dtype);
    }
  }
  writes(device, dtype);
}

/// Of the dtypes that share kernels, one is enough. A simulated device takes its time, and reads
/// float32 and 16 bits in the same way.
inline void check_all(const amp::Device& device, amp::DType dtype) {
  if (dtype == amp::kFloat64 || dtype == amp::kFloat16 || dtype == amp::kInt32) return;
  members(device, dtype);
  if (device.type == amp::kCPU || dtype != amp::kBFloat16) golden_cases(device, dtype);
  if (amp::is_floating_point(dtype)) vectors(device, dtype);
}

}  // namespace views
}  // namespace conformance
