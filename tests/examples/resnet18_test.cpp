// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include "models/resnet18.hpp"

#include "examples/models.hpp"
#include "support/catch.hpp"

#include <memory>

namespace resnet18_test {

using examples::resnet18::ResNet18;
using examples::resnet18::Training;

TEST_CASE("ResNet-18 trains as its PyTorch twin", "[models]") {
  models_test::compare("resnet18", [](const examples::Precision& precision, amp::DType dtype) {
    const std::shared_ptr<Training> training(new Training{
        models_test::filled(ResNet18(4, 8), dtype), precision, models_test::kSteps, 0.0005});
    return [training, dtype](int i) {
      return training->step(models_test::inputs({16, 3, 16, 16}, i % 4, dtype),
                            models_test::classes({16}, 4, i % 4));
    };
  });
}

}  // namespace resnet18_test
