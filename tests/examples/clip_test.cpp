// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include "models/clip.hpp"

#include "examples/models.hpp"
#include "support/catch.hpp"

#include <memory>
#include <string>
#include <vector>

namespace clip_test {

using examples::clip::CLIP;
using examples::clip::Training;

TEST_CASE("CLIP trains as its PyTorch twin", "[models]") {
  std::vector<std::string> captions;  // "a", "bb", "ccc"
  for (char letter = 'a'; letter <= 'p'; ++letter)
    captions.emplace_back(captions.size() + 1, letter);
  const amp::Tensor tokens = examples::clip::tokenize(captions);
  models_test::compare("clip", [&](const examples::Precision& precision, amp::DType dtype) {
    const std::shared_ptr<Training> training(new Training{
        models_test::filled(CLIP(16, 2, 2), dtype), precision, models_test::kSteps, 0.002, 5});
    return [training, dtype, tokens](int i) {
      return training->step(models_test::inputs({16, 3, 16, 16}, i % 4, dtype), tokens);
    };
  });
}

}  // namespace clip_test
