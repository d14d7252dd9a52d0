// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trains an actor and a critic by proximal policy optimisation until they balance the pole.
#include "models/ppo.hpp"

#include "models/run.hpp"

#include <amp/amp.hpp>

#include <cstdint>
#include <cstdio>

namespace {

using amp::Tensor;
using examples::ppo::CartPole;

/// How long the likelier actions keep the poles up, on average.
double balanced_steps(const examples::ppo::ActorCritic& model) {
  const amp::NoGradGuard no_grad;
  CartPole env{CartPole::random_starts(200)};
  const Tensor up = amp::ones({200}, {.dtype = amp::kBool}), steps = amp::zeros({200});
  for (int t = 0; t < 500; ++t) {
    up.logical_and_(~env.step(model.actor(env.states).argmax(1), env.states));
    steps += up;
  }
  return steps.mean().item();
}

void train(const examples::Run& run) {
  examples::ppo::Training training{examples::ppo::ActorCritic(), run.precision};
  CartPole env{CartPole::random_starts(64)};
  for (std::int64_t step = 0; step < run.steps; ++step) {
    const auto [states, actions, log_probs, advantages, returns] = training.play(env, 32);
    Tensor loss;
    for (int epoch = 0; epoch < 4; ++epoch) {
      for (const Tensor& rows : amp::randperm(actions.numel()).split(256))
        loss = training.step(states[rows], actions[rows], log_probs[rows], advantages[rows],
                             returns[rows]);
    }
    if (step % 10 == 0)
      std::printf("step %4lld  loss %.4f  balanced for %.0f steps\n", static_cast<long long>(step),
                  loss.item(), balanced_steps(training.model));
  }
  std::printf("balanced for %.0f of 500 steps\n", balanced_steps(training.model));
}

}  // namespace

int main(int argc, char** argv) { return examples::main(argc, argv, {.steps = 100}, train); }
