// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include "models/unet.hpp"

#include "examples/models.hpp"
#include "support/catch.hpp"

#include <memory>

namespace unet_test {

using examples::unet::Training;
using examples::unet::UNet;

TEST_CASE("U-Net trains as its PyTorch twin", "[models]") {
  models_test::compare("unet", [](const examples::Precision& precision, amp::DType dtype) {
    const std::shared_ptr<Training> training(
        new Training{models_test::filled(UNet(3, 4), dtype), precision});
    return [training, dtype](int i) {
      return training->step(models_test::inputs({4, 3, 32, 32}, i % 4, dtype),
                            models_test::classes({4, 32, 32}, 3, i % 4));
    };
  });
}

}  // namespace unet_test
