// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loss and accuracy over many batches.
#pragma once

#include "trainer/ranks.hpp"

#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace examples {

struct Prediction {
  amp::Tensor logits, loss;
};

/// Sums on the device of the tensors, so that add() does not synchronise.
class Meter {
 public:
  struct Means {
    double loss = 0, accuracy = 0;
  };

  void add(const Prediction& prediction, const amp::Tensor& targets) {
    const amp::NoGradGuard no_grad;
    const auto images = static_cast<double>(targets.size(0));
    const amp::Tensor predicted = amp::argmax(prediction.logits, 1);
    const amp::Tensor correct = amp::sum(amp::eq(predicted, targets)).to(amp::kFloat64);
    const amp::Tensor loss = prediction.loss.to(amp::kFloat64) * images;
    sums_ = sums_.to(loss.device()) + amp::stack({loss, correct}, 0);
    count_ += targets.size(0);
  }

  [[nodiscard]] std::int64_t count() const { return count_; }

  /// Adds the sums of all ranks to the first rank's meter, and resets the others. Synchronises.
  void move_to_first(const Ranks& ranks) {
    amp::Communicator* const host = ranks.host();
    if (host == nullptr) return;
    const amp::Tensor all =
        amp::cat({sums_.to(amp::kCPU), amp::full({1}, count_, {.dtype = amp::kFloat64})}, 0);
    host->all_reduce(all).wait();
    *this = {};
    if (!ranks.is_first()) return;
    sums_ = all.narrow(0, 0, 2).clone();
    count_ = static_cast<std::int64_t>(all.select(0, 2).item<double>());
  }

  /// Returns the means over the images so far. Synchronises.
  [[nodiscard]] Means means() const {
    const std::vector<double> sums = sums_.to_vector<double>();
    const auto images = static_cast<double>(count_);
    return {.loss = sums[0] / images, .accuracy = sums[1] / images};
  }

  /// Adds the sums to the checkpoint, which this object must outlive.
  void add_to(amp::Checkpoint& checkpoint, const std::string& name) {
    checkpoint.add(name, sums_).add(name + "_count", count_);
  }

 private:
  amp::Tensor sums_ = amp::zeros({2}, {.dtype = amp::kFloat64});  // loss, right predictions
  std::int64_t count_ = 0;                                        // images
};

}  // namespace examples
