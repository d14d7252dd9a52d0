// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "amp/nn/sequential.hpp"
#include "amp/tensor/cloning.hpp"

namespace amp::inline v0::nn {

struct Sequential::Steps {
  std::vector<std::pair<std::string, std::unique_ptr<Step>>> list = {};
};

AMP_COLD std::shared_ptr<Sequential::Steps> Sequential::no_steps() {
  return amp::detail::or_out_of_memory([] { return std::make_shared<Steps>(); });
}

AMP_COLD Sequential::Sequential(const Sequential& other)
    : Layer<Sequential>(other),
      steps_(amp::detail::Cloning::copy_of(
          other.steps_, [](const Steps& original, const std::shared_ptr<Steps>& clone) {
            for (const auto& [name, step] : original.list)
              clone->list.emplace_back(name, step->copy());
          })) {}
AMP_COLD Sequential& Sequential::operator=(const Sequential& other) {
  return *this = Sequential(other);
}

AMP_COLD std::string Sequential::next_name() const {
  check_defined();
  return std::to_string(steps_->list.size());
}

AMP_COLD void Sequential::add_step(std::string name, std::unique_ptr<Step> step) const {
  amp::detail::or_out_of_memory(
      [&] { steps_->list.emplace_back(std::move(name), std::move(step)); });
}

AMP_COLD void Sequential::replace_step(const std::string& name, std::unique_ptr<Step> step) const {
  for (auto& [known, call] : steps_->list) {
    if (known == name) call = std::move(step);
  }
}

AMP_INLINE Tensor Sequential::forward(const Tensor& x) const {
  check_defined();
  Tensor y = x;
  for (const auto& [name, step] : steps_->list) y = step->forward(y);
  return y;
}

}  // namespace amp::inline v0::nn
