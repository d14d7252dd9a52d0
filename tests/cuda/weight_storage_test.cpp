// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every storage of weights and moments, device against host, bit for bit: what is rounded at random
// too.
#include <cmath>
#include <cstddef>
#include <vector>

#include "cuda/on_both.hpp"
#include "optim/storage_cases.hpp"
#include "support/catch.hpp"

namespace cuda_weight_storage {
namespace {

using namespace storage_test;
using enum WeightStorage;

/// Parameters, all that the optimizer remembers, and gradients after steps of which one is left
/// out.
Tensors outcome(const Case& c, amp::Device device, std::int64_t offset) {
  Tensors params;
  for (const Tensor& p : parameters(c.dtype, device)) {
    // From an odd address on, nothing is taken in vectors.
    const Tensor shifted = amp::zeros({p.numel() + offset}, {.dtype = c.dtype, .device = device})
                               .narrow(0, offset, p.numel());
    params.push_back(shifted.copy_(p.detach()).detach().requires_grad_());
  }
  const auto optimizer = make(c, params);
  const Tensor inverse = amp::full({}, 0.25).to(device), clip = amp::full({}, 0.7).to(device);
  const Tensor found = amp::zeros({}).to(device);
  Tensors all = params;
  for (int step = 0; step < 4; ++step) {
    set_gradients(params, step, step == 3 ? amp::kFloat32 : c.dtype, 4);
    found.fill_(step == 2 ? 1 : 0);
    optimizer->step({.inverse = inverse.const_data<float>(),
                     .found_inf = found.const_data<float>(),
                     .clip = clip.const_data<float>()});
    for (const Tensor& p : params) all.push_back(p.grad());
  }
  CHECK(optimizer->applied_steps() == 3);
  for (const auto& entry : optimizer->state_dict()) all.push_back(entry.second);
  for (const Tensor& weights : optimizer->master_weights()) all.push_back(weights);
  return all;
}

void check_alike(const Case& c, std::int64_t offset) {
  INFO(c.text() << ", offset " << offset);
  const Tensors host = outcome(c, amp::kCPU, offset), device = outcome(c, amp::kCUDA, offset);
  REQUIRE(host.size() == device.size());
  const auto largest = amp::max(amp::abs(host[0].detach().to(amp::kFloat64))).item<double>();
  for (std::size_t i = 0; i < host.size(); ++i) {
    INFO("tensor " << i << " of " << amp::name(host[i].dtype()));
    if (cuda_test::kOwnMath && c.counts_steps() && host[i].dtype() != amp::kUInt8) {  // powers
      const amp::DType dtype = host[i].dtype() == amp::kFloat64 ? amp::kFloat64 : amp::kBFloat16;
      // Where a weight is rounded to its other neighbour, what that left over differs by the step
      // between them: small beside the weights, not beside what is left over.
      const double least = c.storage == kKahan ? largest : 0;
      CHECK(cuda_test::difference(host[i], device[i].to(amp::kCUDA), least) <=
            2 * cuda_test::tolerance(dtype));
    } else if (!(cuda_test::kOwnMath && c.counts_steps())) {
      CHECK((bits_of(host[i]) == bits_of(device[i])));
    }
  }
}

TEST_CASE("cuda weight storage: all that a step writes is the host's", "[cuda]") {
  for (Case c : cases()) {
    for (const bool zero : {false, true}) {
      c.zero_grad = zero;
      check_alike(c, 0);
    }
  }
}

TEST_CASE("cuda weight storage: so it is where nothing is aligned", "[cuda]") {
  for (const Case& c : cases()) check_alike(c, 1);
}

TEST_CASE("cuda weight storage: masters are set and read, wherever they come from", "[cuda]") {
  amp::manual_seed(6);
  const Tensor value = amp::randn({1030});
  for (const WeightStorage storage : {kParameter, kMaster, kRemainder, kStochastic, kKahan}) {
    INFO(amp::name(storage));
    std::vector<Bits> seen;
    for (const amp::Device device : {amp::Device(amp::kCPU), amp::Device(amp::kCUDA)}) {
      for (const amp::Device from : {amp::Device(amp::kCPU), amp::Device(amp::kCUDA)}) {
        const Tensor p =
            amp::zeros({1030}, {.dtype = amp::kBFloat16, .device = device}).requires_grad_();
        amp::SGD sgd({p}, {.lr = 0.1, .storage = storage});
        sgd.set_master_weights(Tensors{value.to(from)});
        const Tensor back = sgd.master_weights()[0];
        CHECK(back.device() == device);
        CHECK(back.dtype() == amp::kFloat32);
        Bits all = bits_of(p);
        for (const unsigned char byte : bits_of(back)) all.push_back(byte);
        seen.push_back(all);
      }
    }
    for (const Bits& bits : seen) CHECK((bits == seen[0]));
  }
}

}  // namespace
}  // namespace cuda_weight_storage
