// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// PyTorch's own tests of GradScaler, under their names, on torch's tensors and optimizers.
#include <functional>
#include <optional>

#include "libtorch/torch.hpp"

namespace semantics_test {

using namespace libtorch_test;
using Optimizer = torch::optim::Optimizer;

/// Two Linear(8, 8) in a row, four batches, SGD with rate 1, and an infinite gradient at batch 2
/// (_run_scaling_case).
struct Case {
  torch::nn::Linear first = torch::nn::Linear(8, 8), last = torch::nn::Linear(8, 8);
  torch::nn::Sequential net{first, last};
  torch::optim::SGD optimizer{net->parameters(), torch::optim::SGDOptions(1)};

  explicit Case(double phase = 0) {
    const torch::NoGradGuard no_grad;
    int i = 0;
    for (auto& p : net->parameters())
      p.copy_((waves(8, 8, 0.7 + ++i, 1.1 + phase) * 0.35)
                  .flatten()
                  .slice(0, 0, p.numel())
                  .view(p.sizes()));
  }
  torch::Tensor loss(int batch) {
    return torch::mse_loss(net->forward(waves(8, 8, 0.3 * (batch + 1), 0.9)),
                           waves(8, 8, 0.5, 0.2 * (batch + 1)));
  }
  void poison() {
    const torch::NoGradGuard no_grad;
    last->weight.mutable_grad().fill_(kInf);
  }
  double largest_difference(Case& other) {
    double largest = 0;
    const auto a = net->parameters(), b = other.net->parameters();
    for (std::size_t i = 0; i < a.size(); ++i)
      largest = std::max(largest, (a[i] - b[i]).abs().max().item<double>());
    return largest;
  }
};

constexpr int kBatches = 4, kSkipped = 2;

/// train(case, scaler) with the scaler enabled and disabled; control(case) knows of none.
void run(double expected_scale, double tolerance, const std::function<void(Case&)>& control,
         const std::function<void(Case&, amp::GradScaler&)>& train) {
  for (const bool enabled : {true, false}) {
    Case reference, scaled, start;
    amp::GradScaler scaler({.init_scale = 128, .growth_interval = 1, .enabled = enabled});
    control(reference);
    train(scaled, scaler);
    CHECK(scaler.get_scale() == (enabled ? expected_scale : 1));
    if (enabled) CHECK(scaled.largest_difference(reference) <= tolerance);
    CHECK(scaled.largest_difference(start) > 0.01);
  }
}

void clip(Case& c, double max_norm) {
  torch::nn::utils::clip_grad_norm_(c.net->parameters(), max_norm);
}

TEST_CASE("test_grad_scaling_autocast") {
  run(
      128 * 8 * 0.5, 1e-3,
      [](Case& c) {
        for (int i = 0; i < kBatches; ++i) {
          c.optimizer.zero_grad();
          c.loss(i).backward();
          if (i != kSkipped) c.optimizer.step();
        }
      },
      [](Case& c, amp::GradScaler& scaler) {
        for (int i = 0; i < kBatches; ++i) {
          c.optimizer.zero_grad();
          scaler.scale(c.loss(i)).backward();
          if (i == kSkipped && scaler.is_enabled()) c.poison();
          if (i == kSkipped && !scaler.is_enabled()) continue;
          scaler.step(c.optimizer);
          scaler.update();
        }
      });
}

TEST_CASE("test_grad_scaling_clipping and test_grad_scaling_clipping_separate_unscale") {
  const double max_norm = 0.2;
  for (const int way : {0, 1, 2}) {
    run(
        128 * 8 * 0.5, 1e-5,
        [&](Case& c) {
          for (int i = 0; i < kBatches; ++i) {
            c.optimizer.zero_grad();
            c.loss(i).backward();
            clip(c, max_norm);
            if (i != kSkipped) c.optimizer.step();
          }
        },
        [&](Case& c, amp::GradScaler& scaler) {
          for (int i = 0; i < kBatches; ++i) {
            c.optimizer.zero_grad();
            scaler.scale(c.loss(i)).backward();
            if (way == 0) clip(c, max_norm * scaler.get_scale());
            if (i == kSkipped && scaler.is_enabled()) c.poison();
            if (i == kSkipped && !scaler.is_enabled()) continue;
            if (way == 1) {
              scaler.unscale_(c.optimizer);
              clip(c, max_norm);
            }
            if (way == 2) scaler.unscale_and_clip(c.optimizer, max_norm);
            scaler.step(c.optimizer);
            scaler.update();
          }
        });
  }
}

torch::Tensor with_penalty(Case& c, int batch, amp::GradScaler* scaler) {
  torch::Tensor loss = c.loss(batch);
  const auto grads = torch::autograd::grad({scaler ? scaler->scale(loss) : loss},
                                           c.net->parameters(), {}, true, true);
  const double inverse = scaler ? 1 / scaler->get_scale() : 1;
  torch::Tensor norm = torch::zeros({});
  for (const auto& grad : grads) norm = norm + (grad * inverse).pow(2).sum();
  return loss + norm.sqrt();
}

TEST_CASE("test_grad_scaling_penalty") {
  run(
      128 * 8 * 0.5, 1e-5,
      [](Case& c) {
        for (int i = 0; i < kBatches; ++i) {
          c.optimizer.zero_grad();
          with_penalty(c, i, nullptr).backward();
          if (i != kSkipped) c.optimizer.step();
        }
      },
      [](Case& c, amp::GradScaler& scaler) {
        for (int i = 0; i < kBatches; ++i) {
          c.optimizer.zero_grad();
          scaler.scale(with_penalty(c, i, &scaler)).backward();
          if (i == kSkipped && scaler.is_enabled()) c.poison();
          if (i == kSkipped && !scaler.is_enabled()) continue;
          scaler.step(c.optimizer);
          scaler.update();
        }
      });
}

TEST_CASE("test_grad_scaling_accumulation") {
  run(
      128 * 4, 0,
      [](Case& c) {
        for (int i = 0; i < kBatches; ++i) {
          c.loss(i).div(2).backward();
          if (i % 2 == 0) continue;
          c.optimizer.step();
          c.optimizer.zero_grad();
        }
      },
      [](Case& c, amp::GradScaler& scaler) {
        for (int i = 0; i < kBatches; ++i) {
          scaler.scale(c.loss(i).div(2)).backward();
          if (i % 2 == 0) continue;
          scaler.step(c.optimizer);
          scaler.update();
          c.optimizer.zero_grad();
        }
      });
}

TEST_CASE("test_grad_scaling_multiple") {
  Case control[2] = {Case(0), Case(0.4)}, scaled[2] = {Case(0), Case(0.4)};
  const auto losses = [](Case(&c)[2], int i) {
    const torch::Tensor a = c[0].loss(i), b = c[1].loss(i);
    return std::vector<torch::Tensor>{0.6 * a + 0.4 * b, 0.3 * a + 0.7 * b};
  };
  amp::GradScaler scaler({.init_scale = 128, .growth_interval = 1});
  for (int i = 0; i < kBatches; ++i) {
    for (auto* both : {&control, &scaled})
      for (Case& c : *both) c.optimizer.zero_grad();
    const auto plain = losses(control, i);
    plain[0].backward({}, true);
    plain[1].backward();
    if (i != kSkipped) control[0].optimizer.step();
    control[1].optimizer.step();

    const auto scaled_losses = scaler.scale(losses(scaled, i));
    scaled_losses[0].backward({}, true);
    scaled_losses[1].backward();
    if (i == kSkipped) scaled[0].poison();
    scaler.unscale_(scaled[0].optimizer);
    CHECK(scaler.step(scaled[0].optimizer).skipped() == (i == kSkipped));
    CHECK(!scaler.step(scaled[1].optimizer).skipped());
    scaler.update();
  }
  CHECK(scaler.get_scale() == 512);
  CHECK(scaled[0].largest_difference(control[0]) < 1e-5);
  CHECK(scaled[1].largest_difference(control[1]) < 1e-5);
}

TEST_CASE("test_params_invalidated_with_grads_invalidated_between_unscale_and_step") {
  Case c;
  amp::GradScaler scaler({.init_scale = 128, .growth_interval = 1});
  scaler.scale(c.loss(0)).backward();
  scaler.unscale_(c.optimizer);
  {
    const torch::NoGradGuard no_grad;
    for (const auto& p : c.net->parameters()) p.mutable_grad().fill_(kNan);
  }
  scaler.step(c.optimizer);
  scaler.update();
  for (const auto& p : c.net->parameters()) CHECK(!torch::isfinite(p).any().item<bool>());
}

TEST_CASE("test_grad_scaling_unscale: layouts, dtypes, and one bad value among them") {
  for (const double bad : {0.0, double(kInf), double(kNan)}) {
    for (const int where : {0, 1, 2, 3}) {
      std::vector<torch::Tensor> parameters;
      for (int i = 0; i < 4; ++i) {
        const auto type = i == 1 ? torch::kDouble : i == 2 ? torch::kHalf : torch::kFloat;
        torch::Tensor grad = torch::full({20, 20}, 4, type);
        if (i == where && bad != 0) grad.index_put_({2, 2}, bad);
        if (i == 0) grad = grad.t();
        if (i == 3) grad = grad.slice(1, 0, 5);
        parameters.push_back(parameter(torch::zeros(grad.sizes(), type)));
        parameters.back().mutable_grad() = grad;
      }
      torch::optim::SGD optimizer(parameters, torch::optim::SGDOptions(1));
      amp::GradScaler scaler({.init_scale = 4});
      scaler.scale(torch::ones({}));
      scaler.unscale_(optimizer);
      CHECK(scaler.step(optimizer).skipped() == (bad != 0));
      for (const auto& p : parameters) CHECK(p.grad()[0][0].item<double>() == 1);
    }
  }
}

TEST_CASE("test_grad_scaling_unscale_sparse") {
  const auto indices = torch::tensor({{0, 1, 1}, {2, 0, 2}});
  for (const float bad : {16.0f, kInf, kNan}) {
    const auto values = torch::tensor({bad, 32.0f, 64.0f});
    const auto p = with_gradient(torch::sparse_coo_tensor(indices, values, {2, 3}));
    torch::optim::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
    amp::GradScaler scaler({.init_scale = 4});
    scaler.scale(torch::ones({}));
    scaler.unscale_(optimizer);
    CHECK(scaler.step(optimizer).skipped() == (bad != 16));
    CHECK(p.grad().is_sparse());
    CHECK(p.grad()._values()[1].item<float>() == 8);
  }
}

TEST_CASE("test_grad_scaling_update_scale, test_grad_scale_will_not_overflow") {
  const auto p = parameter(torch::zeros({2}));
  torch::optim::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  const auto step = [&](amp::GradScaler& scaler, float gradient) {
    scaler.scale(torch::ones({}));
    p.mutable_grad() = torch::full({2}, gradient);
    scaler.step(optimizer);
    scaler.update();
    return scaler.get_scale();
  };
  amp::GradScaler scaler({.init_scale = 4, .backoff_factor = 0.25, .growth_interval = 2});
  CHECK(step(scaler, 1) == 4);
  CHECK(step(scaler, 1) == 8);
  CHECK(step(scaler, kInf) == 2);
  amp::GradScaler high({.init_scale = 0x1p126, .growth_factor = 16, .growth_interval = 1});
  CHECK(step(high, 1) == 0x1p126);
}

TEST_CASE("test_grad_scaling_state_dict") {
  const amp::GradScaler saved({.init_scale = 3, .growth_factor = 4, .growth_interval = 2});
  for (const bool started : {false, true}) {
    amp::GradScaler scaler({.init_scale = 6, .growth_factor = 7, .growth_interval = 8});
    if (started) scaler.scale(torch::ones({}));
    scaler.load_state_dict(saved.state_dict());
    CHECK(scaler.get_scale() == 3);
    CHECK(scaler.get_growth_factor() == 4);
    CHECK(scaler.get_growth_interval() == 2);
    CHECK(scaler.scale(torch::full({}, 4.0f)).item<float>() == 12);
  }
}

}  // namespace semantics_test
