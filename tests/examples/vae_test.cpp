// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include "models/vae.hpp"

#include "examples/models.hpp"
#include "support/catch.hpp"

#include <memory>

namespace vae_test {

using examples::vae::Training;
using examples::vae::VAE;

TEST_CASE("The variational autoencoder trains as its PyTorch twin", "[models]") {
  models_test::compare("vae", [](const examples::Precision& precision, amp::DType dtype) {
    const std::shared_ptr<Training> training(
        new Training{models_test::filled(VAE(8, 8, 4), dtype), precision, 0.01});
    return [training, dtype](int i) {
      const amp::Tensor images = models_test::inputs({16, 1, 8, 8}, i % 4, dtype).square();
      return training->step(images, models_test::inputs({16, 4}, 4 + i, dtype));
    };
  });
}

}  // namespace vae_test
