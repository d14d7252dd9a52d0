// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include "models/lstm_text.hpp"

#include "examples/models.hpp"
#include "support/catch.hpp"

#include <memory>

namespace lstm_text_test {

using examples::lstm_text::LanguageModel;
using examples::lstm_text::Training;

TEST_CASE("The language model of characters trains as its PyTorch twin", "[models]") {
  models_test::compare("lstm_text", [](const examples::Precision& precision, amp::DType dtype) {
    // Without dropout, since its random numbers are not PyTorch's.
    const std::shared_ptr<Training> training(
        new Training{models_test::filled(LanguageModel(12, 16, 0), dtype), precision,
                     models_test::kSteps, 0.01, 0.4});
    return [training](int i) {
      return training->step(models_test::classes({4, 10}, 12, i % 4),
                            models_test::classes({4, 10}, 12, (i + 1) % 4));
    };
  });
}

}  // namespace lstm_text_test
