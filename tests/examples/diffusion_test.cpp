// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include "models/diffusion.hpp"

#include "examples/models.hpp"
#include "support/catch.hpp"

#include <memory>

namespace diffusion_test {

using examples::diffusion::Training;
using examples::diffusion::UNet;
using models_test::inputs;

// The loss before each update, and that of the averaged weights after it.
TEST_CASE("a diffusion model trains as its PyTorch twin", "[models]") {
  models_test::compare("diffusion", [](const examples::Precision& precision, amp::DType dtype) {
    const std::shared_ptr<Training> training(
        new Training{models_test::filled(UNet(8), dtype), precision, 0.002, 5, 0.8});
    return [training, dtype](int i) {
      const amp::Tensor images = inputs({8, 3, 8, 8}, i % 4, dtype);
      const amp::Tensor noise = inputs({8, 3, 8, 8}, 4 + i % 4, dtype);
      const amp::Tensor t = 1 + models_test::classes({8}, training->diffusion.times, i % 4);
      const amp::Tensor loss = training->step(images, t, noise);
      return loss + training->test(images, t, noise);
    };
  });
}

}  // namespace diffusion_test
