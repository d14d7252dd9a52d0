// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include "models/dcgan.hpp"

#include "examples/models.hpp"
#include "support/catch.hpp"

#include <memory>

namespace dcgan_test {

namespace dcgan = examples::dcgan;

TEST_CASE("DCGAN trains as its PyTorch twin", "[models]") {
  models_test::compare("dcgan", [](const examples::Precision& precision, amp::DType dtype) {
    const std::shared_ptr<dcgan::Training> training(new dcgan::Training{
        models_test::filled(dcgan::make_generator(8, 4), dtype),
        models_test::filled(dcgan::make_discriminator(4), dtype), precision, 0.001});
    return [training, dtype](int i) {
      const dcgan::Losses losses = training->step(models_test::inputs({8, 3, 32, 32}, i % 4, dtype),
                                                  models_test::inputs({8, 8, 1, 1}, 4 + i, dtype));
      return losses.generator + 2 * losses.discriminator;  // so that both count
    };
  });
}

}  // namespace dcgan_test
