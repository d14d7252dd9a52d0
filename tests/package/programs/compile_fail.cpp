// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Uses that the compiler must refuse, with what it must say (compile_fail.sh reads these lines).
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>
#include <amp/scaler/train_step.hpp>
#include <amp/views.hpp>
#include <cstddef>
#include <string>
#include <type_traits>
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

/// Modules with a mistake in their forward.
struct NotConst : amp::nn::Layer<NotConst> {
  amp::Tensor forward(const amp::Tensor& x) { return x; }
};
struct OtherArguments : amp::nn::Layer<OtherArguments> {
  amp::Tensor forward(const amp::Tensor& x, int) const { return x; }
};
struct NotALayer : amp::nn::Module {
  amp::Tensor forward(const amp::Tensor& x) const { return x; }
};

/// Converts to what an optimizer takes.
struct Convertible {
  operator std::vector<amp::Tensor>() const { return {}; }
  operator amp::AdamOptions() const { return {}; }
};

/// What the deleted overloads must leave as it is.
void options(const std::vector<amp::Tensor>& params, const amp::Tensor& w,
             const amp::AdamOptions& adam, const Convertible& convertible) {
  static_cast<void>(amp::AdamW(params));
  static_cast<void>(amp::AdamW(params, {}));
  static_cast<void>(amp::AdamW({w}, {.lr = 1e-3}));
  static_cast<void>(amp::AdamW({{"w", w}}, {.lr = 1e-3, .beta1 = 0.9}));
  static_cast<void>(amp::AdamW(params, adam));
  static_cast<void>(amp::AdamW(params, convertible));
  static_cast<void>(amp::AdamW(convertible, {.lr = 1e-3}));
  static_cast<void>(amp::AdamW({{params, {.lr = 1e-3}}, {params, adam}}));
  static_cast<void>(amp::nn::Conv2d(3, 16, {3, 3}, {.stride = {2, 2}}));
  static_cast<void>(amp::nn::Conv2d(3, 16, 3, {2}));
  static_cast<void>(amp::nn::LayerNorm({4}, {}));
  static_cast<void>(amp::nn::Linear(nullptr));
  amp::nn::Linear linear;
  linear = {3, 4};
  amp::nn::Sequential sequence(linear, NotALayer());
  sequence.push_back("last", linear);
}
static_assert(!std::is_constructible_v<amp::AdamW, std::vector<amp::Tensor>, double>);
static_assert(!std::is_constructible_v<amp::nn::Linear, int, int, bool>);
static_assert(!std::is_constructible_v<amp::GradScaler, double>);
static_assert(!std::is_constructible_v<amp::nn::Sequential, int>);
static_assert(!std::is_invocable_v<NotALayer, amp::Tensor>);

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

  const amp::nn::MaxPool2d pool;  // refused: (deleted|no matching)

  const amp::CustomOp listed("softmax", amp::OpPolicy::kFloat32);      // refused: CustomOp
  const amp::CustomOp nameless("", amp::OpPolicy::kFloat32);           // refused: CustomOp
  const amp::CustomOp slash("head/softmax", amp::OpPolicy::kFloat32);  // refused: CustomOp

  const auto constant = amp::from_mdspan(Span<const float>());          // refused: const elements
  const auto letters = amp::from_mdspan(Span<char>());                  // refused: no DType
  const auto computed = amp::from_mdspan(Span<double, double>());       // refused: accessor
  const auto dangling = amp::from_eigen(Matrix());                      // refused: dangle
  const auto kept = amp::from_eigen(static_cast<const View&>(View()));  // refused: const elements

  const std::vector<amp::Tensor> params;
  const amp::NamedTensors named;
  amp::AdamW(params, 3e-4);                            // refused: write \{.lr = 3e-4\}
  amp::SGD(named, 0.1, 0.9);                           // refused: write \{.lr = 3e-4\}
  amp::Adam({amp::Tensor()}, true);                    // refused: write \{.lr = 3e-4\}
  amp::AdamW(params, {.learning_rate = 1e-3});         // refused: names are .lr, .beta1
  amp::AdamW(named, {.lr = 1, .betas = {0.9, 0.95}});  // refused: names are .lr, .beta1
  amp::Lion(named, {.lr = 1e-4, .maximize = true});    // refused: names are .lr, .beta1
  amp::LAMB(params, {.epsilon = 1e-6});                // refused: names are .lr, .beta1
  amp::nn::Linear(3, 4, false);                        // refused: write \{.bias = false\}
  amp::nn::Conv2d(3, 16, 3, 2, 1);                     // refused: write \{.stride = 2\}
  amp::nn::Conv2d(3, 16, 3, {.strides = 2});           // refused: ConvLayerOptions
  amp::nn::Embedding(10, 3, 0);                        // refused: write \{.padding_idx = 0\}
  amp::nn::LayerNorm(64, 1e-6);                        // refused: write \{.eps = 1e-6
  amp::nn::LayerNorm({64}, 1e-6);                      // refused: write \{.eps = 1e-6
  amp::nn::RMSNorm({64}, 1e-6);                        // refused: write \{.eps = 1e-6
  amp::nn::GroupNorm(8, 64, 1e-6);                     // refused: write \{.eps = 1e-6
  amp::nn::BatchNorm2d(64, 1e-3, 0.01);                // refused: write \{.eps = 1e-3
  amp::nn::ConvTranspose1d(3, 16, 3, 2);               // refused: write \{.stride = 2\}
  amp::nn::LSTM(3, 16, 2);                             // refused: write \{.num_layers = 2\}
  amp::nn::GRUCell(3, 16, false);                      // refused: write \{.bias = false\}
  amp::nn::MultiheadAttention(16, 4, 0.1);             // refused: write \{.dropout = 0.1\}
  amp::nn::TransformerEncoderLayer(16, 4, 64);         // refused: write \{.dropout = 0.1\}
  amp::nn::ReLU(true);                                 // refused: no inplace
  amp::nn::Dropout(0.1, true);                         // refused: no inplace
  amp::nn::LeakyReLU(0.2, true);                       // refused: no inplace
  amp::nn::CrossEntropyLoss(0.1);                      // refused: write \{.reduction = kSum\}
  amp::nn::Softmax();                                  // refused: (deleted|no matching)
  amp::AutocastGuard(amp::kCPU, amp::kFloat16);        // refused: write \{.dtype = amp::kFloat16\}
  amp::autocast(amp::kCPU, amp::kFloat16, [] {});      // refused: write \{.dtype = amp::kFloat16\}
  amp::GradScaler(65536.0);                            // refused: write \(\{.init_scale = 65536\}\)
  amp::GradScaler("cuda", 65536.0);                    // refused: write \(\{.init_scale = 65536\}\)
  amp::TrainStep(scaler, 1.0);                         // refused: write \{.max_norm = 1\}
  const amp::Tensor x;
  amp::conv2d(x, x, x, 1);         // refused: Conv2dOptions
  amp::cross_entropy(x, x, 0.1);   // refused: CrossEntropyOptions
  amp::zeros({3}, amp::kFloat16);  // refused: TensorOptions

  NotConst()(x);                               // refused: must be const: Tensor forward
  OtherArguments()(x);                         // refused: no public .forward. that takes these
  NotALayer().register_buffer("b", x, false);  // refused: write \{.persistent = false\}
  NotALayer()(x);                              // refused: derive from Layer<Net>
  amp::nn::Sequential{amp::relu};              // refused: each must be a module
  amp::nn::Sequential().push_back(amp::relu);  // refused: each must be a module

  amp::LossScaleTimeline();             // refused: examples/trainer/chart.hpp
  amp::GradientHistogram().to_svg("");  // refused: examples/trainer/histogram_picture.hpp

  scaler.step(numbers);                                             // refused: no matching
  amp::convert(numbers, std::vector<std::string>(numbers.size()));  // refused: no matching
}

#endif
