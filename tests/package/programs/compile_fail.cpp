// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Uses that the compiler must refuse, with what it must say (compile_fail.sh reads these lines).
#include <amp/amp.hpp>
#include <amp/views.hpp>
#include <cstddef>
#include <string>
#include <vector>

/// With the interface of a one-dimensional std::mdspan.
template <class T, class Reference = T&>
struct Span {
  using reference = Reference;
  static constexpr std::size_t rank() { return 1; }
  int extent(std::size_t) const { return 1; }
  int stride(std::size_t) const { return 1; }
  T* data_handle() const { return nullptr; }
};

/// With that of Eigen's matrices: a View of them, or what owns its memory.
template <class T, class Plain>
struct Dense {
  using PlainObject = Plain;
  static constexpr int RowsAtCompileTime = -1, ColsAtCompileTime = -1;
  int rows() const { return 0; }
  int cols() const { return 0; }
  int rowStride() const { return 1; }
  int colStride() const { return 0; }
  T* data() { return nullptr; }
  const T* data() const { return nullptr; }
};
struct Matrix : Dense<float, Matrix> {};
struct View : Dense<double, Matrix> {};  // an error is reported for one type once

void accepted(const amp::Tensor& x, amp::GradScaler& scaler, std::vector<float>& numbers,
              Matrix& matrix) {
  static_cast<void>(amp::from_mdspan(Span<float>()));
  static_cast<void>(amp::from_eigen(View()));
  static_cast<void>(amp::from_eigen(matrix));
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

  const auto constant = amp::from_mdspan(Span<const float>());          // refused: const elements
  const auto letters = amp::from_mdspan(Span<char>());                  // refused: no DType
  const auto computed = amp::from_mdspan(Span<double, double>());       // refused: accessor
  const auto dangling = amp::from_eigen(Matrix());                      // refused: dangle
  const auto kept = amp::from_eigen(static_cast<const View&>(View()));  // refused: const elements

  scaler.step(numbers);                                             // refused: no matching
  amp::convert(numbers, std::vector<std::string>(numbers.size()));  // refused: no matching
}

#endif
