// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Proximal policy optimisation (Schulman et al. 2017, arXiv:1707.06347) on the cart and its pole
// (Barto, Sutton and Anderson 1983): the reward is -1 when the pole falls. There is no limit of
// time. Many carts move at once.
#pragma once

#include "models/run.hpp"

#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace examples::ppo {

namespace nn = amp::nn;
using amp::Tensor;

/// A state is [x, velocity, angle, angular velocity]. A cart is pushed to the left (0) or right.
struct CartPole {
  Tensor states;

  static Tensor random_starts(std::int64_t count) { return 0.1 * amp::rand({count, 4}) - 0.05; }

  /// Returns which poles fell: they go on from `starts`.
  Tensor step(const Tensor& actions, const Tensor& starts) {
    const std::vector<Tensor> parts = states.unbind(1);
    const Tensor &velocity = parts[1], &angle = parts[2], &spin = parts[3];
    const Tensor push = (10 * (2 * actions - 1) + 0.05 * spin.square() * angle.sin()) / 1.1;
    const Tensor torque = 9.8 * angle.sin() - push * angle.cos();
    const Tensor turn = torque / (0.5 * (4. / 3 - 0.1 / 1.1 * angle.cos().square()));
    const Tensor pull = push - 0.05 / 1.1 * turn * angle.cos();
    const Tensor next = states + 0.02 * amp::stack({velocity, pull, spin, turn}, 1);
    const Tensor fell = (next.select(1, 0).abs() > 2.4) | (next.select(1, 2).abs() > 0.21);
    states = amp::where(fell.unsqueeze(1), starts, next);
    return fell;
  }
};

inline nn::Linear linear(std::int64_t in, std::int64_t out, double gain = std::sqrt(2.0)) {
  const nn::Linear layer(in, out);
  nn::init::orthogonal_(layer.weight, gain);
  nn::init::zeros_(layer.bias);
  return layer;
}

inline nn::Sequential mlp(std::int64_t out, double gain, std::int64_t width) {
  return nn::Sequential{linear(4, width), nn::Tanh(), linear(width, width), nn::Tanh(),
                        linear(width, out, gain)};
}

struct ActorCritic : nn::Module {
  nn::Sequential actor, critic;

  explicit ActorCritic(std::int64_t width = 64)
      : actor(register_module("actor", mlp(2, 0.01, width))),
        critic(register_module("critic", mlp(1, 1, width))) {}

  std::pair<Tensor, Tensor> forward(const Tensor& states) const {
    return {actor(states), critic(states).squeeze(-1)};
  }
};

inline Tensor log_prob(const Tensor& logits, const Tensor& actions) {
  return logits.log_softmax(-1).gather(-1, actions.unsqueeze(-1)).squeeze(-1);
}

struct Rollout {
  Tensor states, actions, log_probs, advantages, returns;
};

/// Generalised advantage estimation (Schulman et al. 2015, arXiv:1506.02438). fell[t] is after step
/// t, and values[t] before it; there is one more of these.
inline Tensor advantages(const Tensor& fell, const Tensor& values, double discount = 0.99,
                         double decay = 0.95) {
  const Tensor goes_on = discount * ~fell;
  const Tensor errors = goes_on * values.slice(0, 1) - values.slice(0, 0, -1) - 1.0 * fell;
  const Tensor result = amp::zeros_like(values);
  for (std::int64_t t = fell.size(0) - 1; t >= 0; --t)
    result[t] = errors[t] + decay * goes_on[t] * result[t + 1];
  return result.slice(0, 0, -1);
}

struct Training {
  ActorCritic model;
  Precision precision;
  double lr = 1e-3;
  amp::GradScaler scaler{precision.scaler};
  amp::Adam optimizer{model.named_parameters(), {.lr = lr}};

  Rollout play(CartPole& env, std::int64_t steps) const {
    const amp::NoGradGuard no_grad;
    const amp::AutocastGuard scope(amp::kCPU, precision.autocast);
    std::vector<Tensor> state_list = {env.states}, action_list, fell_list;
    for (std::int64_t t = 0; t < steps; ++t) {
      action_list.push_back(model.actor(env.states).softmax(1).multinomial(1).squeeze(1));
      fell_list.push_back(env.step(action_list.back(), env.random_starts(env.states.size(0))));
      state_list.push_back(env.states);
    }
    const Tensor states = amp::stack(state_list), actions = amp::stack(action_list);
    const auto [logits, outputs] = model.forward(states);
    const Tensor values = outputs.to(amp::kFloat32);
    const Tensor gains = advantages(amp::stack(fell_list), values);
    return {states.slice(0, 0, -1).flatten(0, 1), actions.flatten(),
            log_prob(logits.slice(0, 0, -1), actions).flatten(), gains.flatten(),
            (gains + values.slice(0, 0, -1)).flatten()};
  }

  Tensor step(const Tensor& states, const Tensor& actions, const Tensor& log_probs,
              const Tensor& advantages, const Tensor& returns) {
    Tensor loss;
    {
      const amp::AutocastGuard scope(amp::kCPU, precision.autocast);
      const auto [logits, values] = model.forward(states);
      const Tensor ratio = (log_prob(logits, actions) - log_probs).exp();
      const Tensor gains = (advantages - advantages.mean()) / advantages.std();
      const Tensor clipped = amp::minimum(ratio * gains, ratio.clamp(0.8, 1.2) * gains).mean();
      const Tensor entropy = -(logits.softmax(-1) * logits.log_softmax(-1)).sum(-1).mean();
      loss = 0.5 * amp::mse_loss(values, returns) - clipped - 0.01 * entropy;
    }
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    scaler.unscale_and_clip(optimizer, 0.5);
    scaler.step(optimizer);
    scaler.update();
    return loss;
  }
};

}  // namespace examples::ppo
