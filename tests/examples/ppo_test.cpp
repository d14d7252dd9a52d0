// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include "models/ppo.hpp"

#include "examples/models.hpp"
#include "support/catch.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace ppo_test {

using amp::Tensor;
using examples::ppo::ActorCritic;
using examples::ppo::CartPole;
using examples::ppo::Training;

TEST_CASE("PPO trains as its PyTorch twin", "[models]") {
  models_test::compare(
      "ppo",
      [](const examples::Precision& precision, amp::DType dtype) {
        const std::shared_ptr<Training> training(
            new Training{models_test::filled(ActorCritic(16), dtype), precision, 0.003});
        CartPole env{models_test::inputs({16, 4}, 0, dtype) / 20};
        std::vector<Tensor> states, actions, fell;
        for (int t = 0; t < 32; ++t) {
          states.push_back(env.states);
          actions.push_back(models_test::classes({16}, 2, t));
          fell.push_back(env.step(actions.back(), models_test::inputs({16, 4}, 1 + t, dtype) / 20));
        }
        const Tensor values = models_test::inputs({33, 16}, 33, dtype);
        const Tensor gains = examples::ppo::advantages(amp::stack(fell), values);
        const Tensor log_probs = models_test::inputs({32, 16}, 34, dtype) / 4 - 0.7;
        CHECK(amp::stack(fell).any().item<bool>());
        return [=, s = amp::stack(states).chunk(4), a = amp::stack(actions).chunk(4),
                l = log_probs.chunk(4), g = gains.chunk(4),
                r = (gains + values.slice(0, 0, -1)).chunk(4)](int i) {
          const auto k = static_cast<std::size_t>(i % 4);
          return training->step(s[k], a[k], l[k], g[k], r[k]);
        };
      },
      {.fp32 = 1e-6, .bf16 = 5e-3, .fp16 = 1e-3});
}

}  // namespace ppo_test
