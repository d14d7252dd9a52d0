// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Single operations, the time of one:
//   matmul-N            of N x N tensors of the precision's dtype
//   matmul_weight-N     by a float32 weight that requires a gradient; not fp32: under autocast
//   chain-N             a node of a chain of N: relu forward and backward, of one element
//   narrow-N, widen-N   copy_ of N float32 to the 16 bits of the precision, and back
//   unscale-resnet50    unscale_ of gradients of the precision's dtype
#include <cmath>
#include <memory>

#include "memory.hpp"
#include "on_amp.hpp"

namespace cpu_benchmark {
namespace {

Workload matmul(std::int64_t n, amp::DType dtype) {
  const Tensor a = numbers({n, n}, 1).to(dtype), b = numbers({n, n}, 2).to(dtype);
  return {.call = [a, b] { static_cast<void>(amp::matmul(a, b)); },
          .results = some_elements(amp::matmul(a, b))};
}

/// Many calls in one scope, as in a network.
Workload matmul_weight(std::int64_t n, amp::DType dtype) {
  constexpr int kCount = 100;
  const Tensor x = numbers({n, n}, 1), weight = numbers({n, n}, 2).requires_grad_();
  const auto scope = [dtype](const auto& body) {
    const amp::AutocastGuard autocast(amp::kCPU,
                                      {.dtype = dtype, .enabled = dtype != amp::kFloat32});
    return body();
  };
  const auto many = [=] {
    for (int i = 0; i < kCount; ++i) static_cast<void>(amp::matmul(x, weight));
  };
  return {.call = [=] { scope(many); },
          .results = some_elements(scope([&] { return amp::matmul(x, weight); }).detach()),
          .count = kCount};
}

Workload chain(int nodes) {
  const Tensor x = amp::full({1}, 0.5).requires_grad_();
  const auto call = [=] {
    Tensor y = x;
    for (int i = 0; i < nodes; ++i) y = amp::relu(y);
    y.backward();
  };
  call();
  const double gradient = x.grad().item<double>();
  require(gradient == 1, "the gradient of a chain, " + std::to_string(gradient));
  return {.call = call, .results = {gradient}, .count = static_cast<double>(nodes)};
}

Workload conversion(const Tensor& source, amp::DType target) {
  const Tensor result = source.to(target);
  return {.call = [source, result] { result.copy_(source); }, .results = some_elements(result)};
}

/// Unscales with a scale of 1, which does not change the gradients, so that all calls are alike.
class Unscaling {
 public:
  Unscaling(const std::vector<std::int64_t>& sizes, amp::DType dtype)
      : optimizer_(parameters(sizes, dtype)) {
    scaler_.scale(amp::ones({}));
    const Tensor last = optimizer_.parameters().back().grad();
    last.fill_(HUGE_VAL);
    scaler_.unscale_(optimizer_);
    require(scaler_.step(optimizer_).skipped(), "the check for infinities");
    scaler_.update(1.0);
    last.fill_(1.0);
  }
  void operator()() {
    scaler_.unscale_(optimizer_);
    scaler_.skip_step(optimizer_);
    scaler_.update(1.0);
  }

 private:
  static std::vector<Tensor> parameters(const std::vector<std::int64_t>& sizes, amp::DType dtype) {
    std::vector<Tensor> all;
    for (const std::int64_t n : sizes) {
      all.push_back(amp::zeros({n}, {.dtype = dtype, .requires_grad = true}));
      all.back().set_grad(amp::ones({n}, {.dtype = dtype}));
    }
    return all;
  }

  amp::SGD optimizer_;
  amp::GradScaler scaler_{{.init_scale = 1}};
};

}  // namespace

std::optional<Workload> load_operation(const Request& request) {
  const std::string& name = request.name;
  const amp::DType dtype = dtype_of(request.precision);
  if (const int n = number_after("matmul-", name)) return matmul(n, dtype);
  if (const int n = number_after("matmul_weight-", name)) return matmul_weight(n, dtype);
  if (const int n = number_after("chain-", name)) return chain(n);
  if (const int n = number_after("narrow-", name)) return conversion(numbers({n}, 1), dtype);
  if (const int n = number_after("widen-", name))
    return conversion(numbers({n}, 1).to(dtype), amp::kFloat32);
  if (name == "unscale-resnet50") {
    const auto unscaling = std::make_shared<Unscaling>(resnet50(), dtype);
    return Workload{.call = [unscaling] { (*unscaling)(); }};
  }
  return {};
}

}  // namespace cpu_benchmark
