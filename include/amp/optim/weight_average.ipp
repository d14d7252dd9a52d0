// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/warning.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/average.hpp"
#include "amp/kernels/optim/host.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/weight_average.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/given_tensors.hpp"

namespace amp::inline v0 {

namespace detail {

/// Tensors, with their averages. An optimizer knows it as a follower of its steps.
class AverageOfTensors final : public StepFollower {
 public:
  using Rule = kernels::AverageRule;

  explicit AverageOfTensors(const Rule& rule, std::size_t parameters = 0)
      : StepFollower{}, parameters_(parameters), rule_(rule) {}

  AMP_LAZY void add(const GroupParams& tensors);
  /// The first tensors are the parameters of `optimizer`, if it is given.
  AMP_LAZY void update(const float* found_inf, const Optimizer* optimizer = nullptr);
  AMP_LAZY void load(const NamedTensors& tensors);
  /// Moves the averages to the tensors, if these were moved. Throws if a tensor does not fit its
  /// average any more.
  AMP_LAZY void follow_tensors();

  const std::vector<Tensor>& averages() const { return averages_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const Tensor& n_averaged() const { return n_averaged_; }
  std::string name(std::size_t i) const { return "module." + names_[i]; }
  bool is_shown = false;  // inside an AverageGuard

 private:
  std::size_t parameters_;  // how many of the first tensors are an optimizer's
  Rule rule_;
  std::vector<Tensor> tensors_, averages_;
  std::vector<std::string> names_;
  Tensor n_averaged_, counts_;  // int64, on the device: for all, and for each tensor
  PoolVector<kernels::OptimizerParameter<Rule>> rows_;  // rebuilt in each update
  kernels::DescriptorTable table_;
};

AMP_LAZY_DEFINITION void AverageOfTensors::add(const GroupParams& tensors) {
  AMP_CHECK(!is_shown, "WeightAverage: no tensor can be added inside an AverageGuard");
  or_out_of_memory([&] {
    std::vector<Tensor> added, averages;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& t = tensors[i];
      const std::string name =
          tensors.names().empty() ? std::to_string(tensors_.size() + i) : tensors.names()[i];
      AMP_CHECK(t.defined(), "WeightAverage: tensor \"", name, "\" is undefined");
      if (!is_floating_point(t.dtype())) continue;
      const Device device = tensors_.empty() ? tensors[0].device() : tensors_[0].device();
      AMP_CHECK(t.is_contiguous() && t.device() == device, "WeightAverage: tensor \"", name, "\", ",
                describe(t), ", must be contiguous and on ", device, ", but is on ", t.device(),
                " with strides ", t.strides());
      for (const auto* list : {&names_, &names})
        for (const std::string& other : *list)
          AMP_CHECK(other != name, "WeightAverage: two tensors are named \"", name, '"');
      Tensor average =
          make_tensor(t.shape(), t.dtype() == kFloat64 ? kFloat64 : kFloat32, t.device());
      copy_elements(t, average);
      added.push_back(t);
      averages.push_back(std::move(average));
      names.push_back(name);
    }
    const std::size_t count = tensors_.size() + added.size();
    AMP_CHECK(count > 0, "WeightAverage: there is no floating-point tensor to average");
    const Device device = tensors_.empty() ? added[0].device() : tensors_[0].device();
    Tensor counts = zeros({count}, {.dtype = kInt64, .device = device});
    if (!n_averaged_.defined()) n_averaged_ = zeros({}, {.dtype = kInt64, .device = device});
    AMP_CHECK(n_averaged_.item<std::int64_t>() == 0,
              "WeightAverage: add tensors before the first update");
    tensors_.reserve(count);  // so that what follows allocates nothing
    averages_.reserve(count);
    names_.reserve(count);
    for (std::size_t i = 0; i < added.size(); ++i) {
      tensors_.push_back(std::move(added[i]));
      averages_.push_back(std::move(averages[i]));
      names_.push_back(std::move(names[i]));
    }
    counts_ = std::move(counts);
  });
}

AMP_LAZY_DEFINITION void AverageOfTensors::follow_tensors() {
  const Device device = tensors_[0].device();
  if (n_averaged_.device() != device) [[unlikely]] {
    std::vector<Tensor> moved;
    for (const Tensor& average : averages_) moved.push_back(average.to(device));
    counts_ = counts_.to(device);
    averages_ = std::move(moved);
    n_averaged_ = n_averaged_.to(device);
  }
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const Tensor &t = tensors_[i], &average = averages_[i];
    AMP_CHECK(t.shape() == average.shape() && t.is_contiguous() && t.device() == device &&
                  (t.dtype() == kFloat64) == (average.dtype() == kFloat64),
              "WeightAverage: ", name(i), " is now ", describe(t), " on ", t.device(),
              ", but its average is ", describe(average), " on ", device);
  }
}

AMP_LAZY_DEFINITION void AverageOfTensors::update(const float* found_inf,
                                                  const Optimizer* optimizer) {
  AMP_CHECK(!is_shown,
            "WeightAverage: the averages stand in the place of the weights, and may not "
            "be updated; end the AverageGuard before the next step");
  or_out_of_memory([&] {
    follow_tensors();
    rows_.clear();
    auto* const counts = static_cast<std::int64_t*>(counts_.raw_data());
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const bool is_stored = optimizer != nullptr && i < parameters_;
      const Tensor t = is_stored ? optimizer->stored_weights(i) : tensors_[i];
      const Tensor& average = averages_[i];
      kernels::OptimizerParameter<Rule>& row = rows_.emplace_back();
      row.parameter = average.raw_data();
      row.gradient = t.raw_data();
      row.step = counts + i;
      row.numel = t.numel();
      row.dtype = row.state_dtype = average.dtype();
      row.gradient_dtype = t.dtype();
    }
    const kernels::OptimizerGroup<Rule> group{.parameters = rows_.data(),
                                              .count = static_cast<std::int64_t>(rows_.size()),
                                              .settings = {.lr = {0, {}}, .rule = rule_}};
    kernels::dispatch_step<Rule, kernels::host::optimizer_step<Rule>>(
        tensors_[0].device(),
        {.device = tensors_[0].device(),
         .groups = &group,
         .count = 1,
         .applied = static_cast<std::int64_t*>(n_averaged_.raw_data()),
         .scale = {.found_inf = found_inf},
         .table = &table_},
        "WeightAverage");
  });
}

AMP_LAZY_DEFINITION void AverageOfTensors::load(const NamedTensors& tensors) {
  or_out_of_memory([&] {
    GivenTensors given("average", tensors);
    const Tensor n = given.needed("n_averaged", {}, kInt64);
    std::vector<Tensor> loaded;
    for (std::size_t i = 0; i < averages_.size(); ++i) {
      const Tensor& own = averages_[i];
      loaded.push_back(given.needed(name(i), own.shape(), own.dtype()));
    }
    given.require_fit();
    AMP_CHECK(n.item<std::int64_t>() >= 0,
              "load_state_dict: \"n_averaged\" counts updates, but is below 0");
    for (Tensor& average : loaded) average = average.to(n_averaged_.device());
    for (std::size_t i = 0; i < averages_.size(); ++i) averages_[i].copy_(loaded[i]);
    n_averaged_.copy_(n);
    counts_.copy_(n_averaged_.expand(counts_.shape()));
  });
}

/// Throws if the decay cannot be one.
AMP_COLD kernels::AverageRule average_rule(const ExponentialMovingAverageOptions& options) {
  AMP_CHECK(options.decay >= 0 && options.decay <= 1,
            "ExponentialMovingAverage: `decay` must lie in [0, 1], but is ", options.decay);
  return {.decay = options.decay, .warmup = options.warmup};
}

}  // namespace detail

AMP_LAZY_DEFINITION WeightAverage::WeightAverage(const GroupParams& tensors,
                                                 const kernels::AverageRule& rule)
    : self_(detail::or_out_of_memory(
          [&] { return std::make_shared<detail::AverageOfTensors>(rule); })) {
  self_->add(tensors);
}

AMP_LAZY_DEFINITION WeightAverage::WeightAverage(Optimizer& optimizer,
                                                 const kernels::AverageRule& rule)
    : self_(detail::or_out_of_memory([&] {
        return std::make_shared<detail::AverageOfTensors>(rule, optimizer.parameters().size());
      })) {
  detail::or_out_of_memory([&] {
    NamedTensors named;
    for (const Tensor& p : optimizer.parameters())
      named.emplace_back(optimizer.parameter_names()[named.size()], p);
    self_->add(named);
  });
  self_->after_step = [](detail::StepFollower& self, const Optimizer& of, const float* found_inf) {
    static_cast<detail::AverageOfTensors&>(self).update(found_inf, &of);
  };
  optimizer.add_follower(self_);
}

AMP_LAZY_DEFINITION void WeightAverage::add(const GroupParams& tensors) { self_->add(tensors); }

AMP_LAZY_DEFINITION void WeightAverage::update(const float* found_inf) { self_->update(found_inf); }

AMP_LAZY_DEFINITION const std::vector<Tensor>& WeightAverage::averages() const {
  return self_->averages();
}

AMP_LAZY_DEFINITION std::int64_t WeightAverage::n_averaged() const {
  return self_->n_averaged().item<std::int64_t>();
}

AMP_LAZY_DEFINITION NamedTensors WeightAverage::state_dict() const {
  return detail::or_out_of_memory([&] {
    NamedTensors all{{"n_averaged", self_->n_averaged().clone()}};
    for (std::size_t i = 0; i < averages().size(); ++i)
      all.emplace_back(self_->name(i), averages()[i].clone());
    return all;
  });
}

AMP_LAZY_DEFINITION void WeightAverage::load_state_dict(const NamedTensors& tensors) {
  self_->load(tensors);
}

AMP_LAZY_DEFINITION
ExponentialMovingAverage::ExponentialMovingAverage(Optimizer& optimizer, const Options& options)
    : WeightAverage(optimizer, detail::average_rule(options)) {}

AMP_LAZY_DEFINITION ExponentialMovingAverage::ExponentialMovingAverage(const GroupParams& tensors,
                                                                       const Options& options)
    : WeightAverage(tensors, detail::average_rule(options)) {}

AMP_LAZY_DEFINITION StochasticWeightAverage::StochasticWeightAverage(Optimizer& optimizer)
    : WeightAverage(optimizer, kernels::AverageRule{.equal = true}) {}

AMP_LAZY_DEFINITION
StochasticWeightAverage::StochasticWeightAverage(const GroupParams& tensors)
    : WeightAverage(tensors, kernels::AverageRule{.equal = true}) {}

AMP_LAZY_DEFINITION AverageGuard::AverageGuard(WeightAverage& average) : average_(average.self_) {
  AMP_CHECK(!average_->is_shown,
            "AverageGuard: the averages stand in the place of the weights "
            "already");
  const std::vector<Tensor>& tensors = average_->tensors();
  detail::or_out_of_memory([&] {
    average_->follow_tensors();
    for (const Tensor& t : tensors) weights_.push_back(t.detach().clone());
  });
  average_->is_shown = true;
  try {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      detail::copy_elements(average_->averages()[i], tensors[i]);
      tensors[i].impl().storage->bump_version();
    }
  } catch (...) {
    put_back();
    throw;
  }
}

AMP_LAZY_DEFINITION void AverageGuard::put_back() noexcept {
  try {
    const std::vector<Tensor>& tensors = average_->tensors();
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      detail::copy_elements(weights_[i], tensors[i]);
      tensors[i].impl().storage->bump_version();
    }
  } catch (const std::exception& error) {
    detail::warn("AverageGuard: the weights could not be put back: ", error.what());
  }
  average_->is_shown = false;
}

}  // namespace amp::inline v0
