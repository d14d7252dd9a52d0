// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Uses that the compiler must refuse, with what it must say (compile_fail.sh reads these lines).
#include <amp/amp.hpp>
#include <string>
#include <vector>

void accepted(const amp::Tensor& x, amp::GradScaler& scaler, std::vector<float>& numbers) {
  const amp::AutocastGuard guard(amp::kCPU, {.enabled = false});
  const amp::NoGradGuard no_grad;
  amp::convert(numbers, std::vector<amp::half>(numbers.size(), amp::half(1.0f)));
  static_cast<void>(scaler.scale(x));
  static constexpr amp::CustomOp own("scores", amp::OpPolicy::kFloat32);
  static_cast<void>(own);
}

#if defined(AMP_REFUSED)

void refused(amp::AutocastGuard& guard, amp::GradScaler& scaler, std::vector<float>& numbers) {
  const amp::AutocastGuard copy(guard);                                      // refused: deleted
  const amp::AutocastGuard moved(static_cast<amp::AutocastGuard&&>(guard));  // refused: deleted
  amp::AutocastGuard(amp::kCPU, {.enabled = false});                         // refused: nodiscard
  const amp::AutocastGuard implicit_guard = amp::kCPU;                       // refused: conver

  const amp::NoGradGuard no_grad;
  const amp::NoGradGuard no_grad_copy(no_grad);  // refused: deleted

  const amp::half narrow = 1.0f;                // refused: conver
  const float wide = amp::half(1.0f);           // refused: conver
  const amp::bfloat16 other = amp::half(1.0f);  // refused: conver

  const amp::nn::MaxPool2d pool;  // refused: (default constructor|no matching)

  const amp::CustomOp listed("softmax", amp::OpPolicy::kFloat32);      // refused: CustomOp
  const amp::CustomOp nameless("", amp::OpPolicy::kFloat32);           // refused: CustomOp
  const amp::CustomOp slash("head/softmax", amp::OpPolicy::kFloat32);  // refused: CustomOp

  scaler.step(numbers);                                             // refused: no matching
  amp::convert(numbers, std::vector<std::string>(numbers.size()));  // refused: no matching
}

#endif
