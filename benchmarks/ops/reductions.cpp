// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Reductions, norms, softmax and losses. If there is a first number, it is the dimension;
// but p comes first in `norm`.
#include "ops.hpp"

namespace cpu_benchmark {
namespace {

/// Returns the dimensions to reduce: all, if the name has no number from the i-th on.
amp::Dims dims(const Numbers& n, std::size_t i = 0) {
  return i < n.size() ? amp::Dims{whole(n, i)} : amp::Dims{};
}

}  // namespace

Ops reductions() {
  return {
      {"amax", [](const Inputs& x, const Numbers& n) { return amp::amax(x.at(0), dims(n)); }},
      {"amin", [](const Inputs& x, const Numbers& n) { return amp::amin(x.at(0), dims(n)); }},
      {"argmax",
       [](const Inputs& x, const Numbers& n) {
         return n.empty() ? amp::argmax(x.at(0)) : amp::argmax(x.at(0), whole(n));
       }},
      {"batch_norm",
       [](const Inputs& x, const Numbers&) {
         return amp::batch_norm(x.at(0), x.at(1), x.at(2), x.at(3), x.at(4), true);
       }},
      {"binary_cross_entropy_with_logits",
       [](const Inputs& x, const Numbers&) {
         return amp::binary_cross_entropy_with_logits(x.at(0), x.at(1));
       }},
      {"cross_entropy",
       [](const Inputs& x, const Numbers&) { return amp::cross_entropy(x.at(0), x.at(1)); }},
      {"group_norm",
       [](const Inputs& x, const Numbers& n) {
         return amp::group_norm(x.at(0), whole(n), x.at(1), x.at(2));
       }},
      {"layer_norm",
       [](const Inputs& x, const Numbers&) {
         return amp::layer_norm(x.at(0), x.at(1).shape(), x.at(1), x.at(2));
       }},
      {"log_softmax",
       [](const Inputs& x, const Numbers& n) { return amp::log_softmax(x.at(0), whole(n)); }},
      {"logsumexp",
       [](const Inputs& x, const Numbers& n) { return amp::logsumexp(x.at(0), dims(n)); }},
      {"mean",
       [](const Inputs& x, const Numbers& n) {
         return n.empty() ? amp::mean(x.at(0)) : amp::mean(x.at(0), dims(n));
       }},
      {"mse_loss", [](const Inputs& x, const Numbers&) { return amp::mse_loss(x.at(0), x.at(1)); }},
      {"nll_loss", [](const Inputs& x, const Numbers&) { return amp::nll_loss(x.at(0), x.at(1)); }},
      {"norm",
       [](const Inputs& x, const Numbers& n) { return amp::norm(x.at(0), n.at(0), dims(n, 1)); }},
      {"normalize", [](const Inputs& x,
                       const Numbers& n) { return amp::normalize(x.at(0), n.at(0), dims(n, 1)); }},
      {"prod",
       [](const Inputs& x, const Numbers& n) {
         return n.empty() ? amp::prod(x.at(0)) : amp::prod(x.at(0), whole(n));
       }},
      {"rms_norm", [](const Inputs& x,
                      const Numbers&) { return amp::rms_norm(x.at(0), x.at(1).shape(), x.at(1)); }},
      {"softmax",
       [](const Inputs& x, const Numbers& n) { return amp::softmax(x.at(0), whole(n)); }},
      {"std",
       [](const Inputs& x, const Numbers& n) {
         return n.empty() ? amp::std(x.at(0)) : amp::std(x.at(0), dims(n));
       }},
      {"sum",
       [](const Inputs& x, const Numbers& n) {
         return n.empty() ? amp::sum(x.at(0)) : amp::sum(x.at(0), dims(n));
       }},
      {"var",
       [](const Inputs& x, const Numbers& n) {
         return n.empty() ? amp::var(x.at(0)) : amp::var(x.at(0), dims(n));
       }},
  };
}

}  // namespace cpu_benchmark
