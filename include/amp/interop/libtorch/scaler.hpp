// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// amp::GradScaler for losses that are torch::Tensors and for the optimizers of torch::optim:
//
//   amp::GradScaler scaler;
//   scaler.scale(loss).backward();    // loss: a torch::Tensor
//   scaler.step(optimizer);           // optimizer: any torch::optim::Optimizer except LBFGS
//   scaler.update();
#pragma once

#include <ATen/Functions.h>
#include <ATen/autocast_mode.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/optimizer.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "amp/interop/libtorch/convert.hpp"
#include "amp/scaler/concepts.hpp"

namespace amp::inline v0 {
namespace libtorch::detail {

/// The dimensions of a gradient, ordered by stride from the smallest on. Dimensions of one element
/// and of stride 0 are omitted, so that each element in memory is visited once.
struct Layout {
  explicit Layout(const at::Tensor& tensor) {
    for (std::int64_t d = 0; d < tensor.dim(); ++d)
      if (tensor.size(d) != 1 && tensor.stride(d) != 0)
        dims.push_back({tensor.size(d), tensor.stride(d)});
    std::sort(dims.begin(), dims.end(),
              [](const Dim& a, const Dim& b) { return a.stride < b.stride; });
    for (outer = 0; outer < dims.size() && dims[outer].stride == run; ++outer)
      run *= dims[outer].size;
  }

  struct Dim {
    std::int64_t size, stride;
  };
  std::vector<Dim> dims = {};
  std::int64_t run = 1;   // the number of contiguous elements
  std::size_t outer = 0;  // the first dimension that is not part of a run
};

/// Calls body(view) for each run of contiguous elements of `layout`, from dimension `d` down.
template <class Body>
void visit_runs(const Layout& layout, std::size_t d, char* data, std::int64_t item_size,
                const TensorView& like, const Body& body) {
  if (d == layout.outer) {
    TensorView view = like;
    view.data = data;
    view.numel = layout.run;
    body(view);
    return;
  }
  const Layout::Dim& dim = layout.dims[d - 1];
  for (std::int64_t i = 0; i < dim.size; ++i)
    visit_runs(layout, d - 1, data + i * dim.stride * item_size, item_size, like, body);
}

/// Returns the values of a gradient: all elements if it is dense, the stored ones if it is sparse.
/// A sparse gradient is coalesced in place first, so that the sum of entries with the same index
/// cannot overflow after the test.
inline at::Tensor values_of(const at::Tensor& parameter) {
  at::Tensor grad = parameter.grad();
  if (grad.layout() == at::kStrided) return grad;
  if (grad.layout() != at::kSparse)
    fail("GradScaler: gradients must be strided or sparse (COO), but one has another layout");
  if (!grad.is_coalesced()) {
    grad = grad.coalesce();
    parameter.mutable_grad() = grad;
  }
  return grad._values();
}

template <class Body>
void visit_gradient(const at::Tensor& parameter, std::string_view name, const Body& body) {
  const at::Tensor values = values_of(parameter);
  const std::optional<DType> dtype = dtype_of(values.scalar_type());
  if (!dtype)
    fail("GradScaler: gradients must be floating point, but ", name, " is ",
         std::string_view(c10::toString(values.scalar_type())));
  TensorView view{values.data_ptr(), values.numel(), *dtype,
                  device_of("GradScaler", values.device()), name};
  if (values.is_non_overlapping_and_dense()) {
    body(view);
  } else if (values.numel() > 0) {
    const Layout layout(values);
    visit_runs(layout, layout.dims.size(), static_cast<char*>(view.data), values.element_size(),
               view, body);
  }
}

/// Calls body(parameter, name) for each parameter that has a gradient. The name is that of the
/// gradient, for messages, and valid during the call.
template <class Body>
void visit_trained(torch::optim::Optimizer& optimizer, const Body& body) {
  if (dynamic_cast<torch::optim::LBFGS*>(&optimizer) != nullptr)
    fail(
        "GradScaler: LBFGS cannot be used with gradient scaling: it calls a closure several times "
        "within a step, and what that computes is neither scaled nor tested. Use another "
        "optimizer, or bfloat16, which needs no scaling");
  const auto& groups = optimizer.param_groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<at::Tensor>& parameters = groups[g].params();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i].grad().defined()) continue;
      const std::string name = "group " + std::to_string(g) + ", parameter " + std::to_string(i);
      body(parameters[i], std::string_view(name));
    }
  }
}

}  // namespace libtorch::detail

/// Losses of torch. The scaled loss has torch's history, so that its backward() computes the
/// gradients of the loss. A 16-bit loss is scaled in float32, so that it stays finite.
template <>
struct LossAdapter<at::Tensor> {
  static Device device(const at::Tensor& loss) {
    if (!loss.defined()) detail::fail("scale: `loss` is undefined");
    if (!c10::isFloatingType(loss.scalar_type()))
      detail::fail("scale: `loss` must be floating point, but is ",
                   std::string_view(c10::toString(loss.scalar_type())));
    return libtorch::device_of("scale", loss.device());
  }
  static at::Tensor multiply(const at::Tensor& loss, const Tensor& scale) {
    const bool low_precision = loss.element_size() < 4;
    return (low_precision ? loss.to(at::kFloat) : loss) * libtorch::to_torch(scale);
  }
  static Tensor view(const at::Tensor& loss) { return libtorch::from_torch(loss); }
};

/// All optimizers of torch::optim except LBFGS. A step reads one scalar from the device, because
/// these optimizers cannot skip on the device; PyTorch reads one from each device with gradients.
/// Gradients that share memory with each other, or whose elements do, are refused, except expanded
/// ones: an element of memory is multiplied once.
template <std::derived_from<torch::optim::Optimizer> O>
struct OptimizerAdapter<O> {
  static void visit_gradients(torch::optim::Optimizer& optimizer,
                              FunctionRef<void(const TensorView&)> body) {
    libtorch::detail::visit_trained(optimizer,
                                    [&](const at::Tensor& parameter, std::string_view name) {
                                      libtorch::detail::visit_gradient(parameter, name, body);
                                    });
  }
  static void step(torch::optim::Optimizer& optimizer) {
    optimizer.step();
    at::autocast::clear_cache();  // of weights as they were
  }
  static void mark_unscaled(torch::optim::Optimizer& optimizer) {
    libtorch::detail::visit_trained(optimizer, [](const at::Tensor& parameter, std::string_view) {
      parameter.grad().unsafeGetTensorImpl()->bump_version();
    });
  }
};

}  // namespace amp::inline v0
