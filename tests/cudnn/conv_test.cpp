// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolution by cuDNN against that by matmuls: what it takes and what not, that its choice
// is made once, and that nothing is lost where a call fails.
#include <amp/cuda.hpp>
#include <amp/device/cuda/dnn_handles.hpp>
#include <amp/kernels/conv/cuda.cuh>
#include <amp/kernels/conv/cuda/cudnn.cuh>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cuda/conv_cases.hpp"
#include "cuda/on_both.hpp"
#include "support/catch.hpp"
#include "support/cuda/standin.hpp"
#include "support/error_of.hpp"

namespace cudnn_conv {
namespace {

namespace kernels = amp::kernels;
namespace detail = amp::kernels::cuda::detail;
using amp::kCUDA;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;
using conv_cases::Case;
using conv_cases::cases;
using conv_cases::inputs_of;
using conv_cases::limit_of;
using cuda_test::kFloats;
using cuda_test::Tensors;

constexpr std::int64_t kBytes = detail::kColumnBytes;
constexpr const char* kHeuristics[] = {"cudnnGetConvolutionForwardAlgorithm_v7",
                                       "cudnnGetConvolutionBackwardDataAlgorithm_v7",
                                       "cudnnGetConvolutionBackwardFilterAlgorithm_v7"};

standin::Toolkit& toolkit() { return standin::toolkit(); }
detail::ConvPlans& plans() { return detail::conv_plans(0); }
amp::cuda::detail::DnnHandles& handles() { return amp::cuda::detail::dnn_handles(0); }

/// cuDNN as if nobody had used it, its heuristics as they are at first.
void forget() {
  plans().release();
  handles().release(0);
  standin::dnn.offers_precomp = true;
  standin::dnn.workspace = 1024;
  toolkit().reset();
}

/// Operands on the device, with the gradient of the output.
struct Convolution {
  Convolution(const Case& c, amp::DType dtype, bool with_bias)
      : window(conv_cases::window_of(c)), groups(c.options.groups) {
    Tensors inputs = inputs_of(c, dtype, with_bias);
    for (Tensor& input : inputs) input = input.to(kCUDA);
    x = inputs[0];
    w = inputs[1];
    if (with_bias) b = inputs[2];
    grad = amp::randn(amp::conv2d(x, w, {}, c.options).shape()).to(dtype).to(kCUDA);
  }
  kernels::Operand bias_of(const Tensor& bias) const {
    return b.defined() ? bias.operand() : kernels::Operand{};
  }

  /// Output and gradients, each by one of two functions; says how many of them cuDNN took.
  template <class Forward, class Input, class Weight>
  Tensors run(const Forward& forward, const Input& backward_input,
              const Weight& backward_weight) const {
    const Tensor y = amp::empty_like(grad), dx = amp::empty_like(x), dw = amp::empty_like(w),
                 db = b.defined() ? amp::empty_like(b) : Tensor();
    forward(kernels::Conv2dArgs{x.operand(), w.operand(), bias_of(b), y.operand(), window, groups});
    backward_input(kernels::Conv2dBackwardInputArgs{grad.operand(), w.operand(), dx.operand(),
                                                    window, groups});
    backward_weight(kernels::Conv2dBackwardWeightArgs{grad.operand(), x.operand(), dw.operand(),
                                                      bias_of(db), window, groups});
    Tensors results = {y, dx, dw};
    if (b.defined()) results.push_back(db);
    return results;
  }
  Tensors by_matmul() const {
    return run([](const auto& args) { detail::conv2d_by_matmul(args); },
               [](const auto& args) { detail::conv2d_backward_input_by_matmul(args); },
               [](const auto& args) { detail::conv2d_backward_weight_by_matmul(args); });
  }
  /// As the table of kernels has it.
  Tensors by_either() const {
    return run([](const auto& args) { kernels::cuda::conv2d(args); },
               [](const auto& args) { kernels::cuda::conv2d_backward_input(args); },
               [](const auto& args) { kernels::cuda::conv2d_backward_weight(args); });
  }
  /// Whether cuDNN takes all three.
  bool is_taken(std::int64_t bytes = kBytes) const {
    int taken = 0;
    (void)run(
        [&](const auto& args) { taken += detail::conv2d_by_dnn(args, bytes); },
        [&](const auto& args) { taken += detail::conv2d_backward_input_by_dnn(args, bytes); },
        [&](const auto& args) { taken += detail::conv2d_backward_weight_by_dnn(args, bytes); });
    REQUIRE((taken == 0 || taken == 3));
    return taken == 3;
  }

  Tensor x, w, b, grad;
  kernels::Window window;
  std::int64_t groups;
};

const Case& usual() { return cases()[1]; }

void check_equal(const Tensors& expected, const Tensors& actual) {
  REQUIRE(expected.size() == actual.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("result " << i << " of " << amp::name(expected[i].dtype()));
    CHECK(cuda_test::difference(expected[i].to(amp::kCPU), actual[i]) <=
          limit_of(expected[i].dtype()));
  }
}

TEST_CASE("cudnn conv2d: results and gradients of the op are the host's", "[cuda]") {
  forget();
  amp::manual_seed(1);
  for (const Case& c : cases()) {
    for (const amp::DType dtype : kFloats) {
      for (const bool bias : {false, true}) {
        INFO("kernel " << c.kernel.height << " x " << c.kernel.width << ", groups "
                       << c.options.groups << (bias ? ", bias" : ""));
        cuda_test::compare(inputs_of(c, dtype, bias), limit_of(dtype), [&](const Tensors& x) {
          return Tensors{amp::conv2d(x[0], x[1], x.size() > 2 ? x[2] : Tensor(), c.options)};
        });
      }
    }
  }
  CHECK(toolkit().calls_of("cudnnConvolutionBiasActivationForward") > 0);
  CHECK(toolkit().calls_of("cudnnConvolutionBackwardData") > 0);
  CHECK(toolkit().calls_of("cudnnConvolutionBackwardFilter") > 0);
}

TEST_CASE("cudnn conv2d: equal to matmuls; float8 and empty tensors are left to them", "[cuda]") {
  amp::manual_seed(2);
  for (const bool precomp : {true, false}) {
    forget();
    standin::dnn.offers_precomp = precomp;
    for (const Case& c : cases()) {
      for (const amp::DType dtype : kFloats) {
        for (const bool bias : {false, true}) {
          INFO(to_string(c.input) << (precomp ? ", fused" : "") << (bias ? ", bias" : ""));
          const Convolution it(c, dtype, bias);
          const bool empty = it.x.numel() == 0 || it.w.numel() == 0;
          CHECK(it.is_taken() == (!empty && amp::item_size(dtype) > 1));
          check_equal(it.by_matmul(), it.by_either());
        }
      }
    }
    CHECK((toolkit().calls_of("cudnnConvolutionBiasActivationForward") > 0) == precomp);
    CHECK(toolkit().calls_of("cudnnConvolutionForward") > 0);
  }
}

TEST_CASE("cudnn conv2d: of what is recommended, what is exact and reproducible is taken",
          "[cuda]") {
  forget();
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
    const cudnnMathType_t math = dtype == amp::kFloat64   ? CUDNN_DEFAULT_MATH
                                 : dtype == amp::kFloat32 ? CUDNN_FMA_MATH
                                                          : CUDNN_TENSOR_OP_MATH;
    const auto check_ran = [&](int algorithm) {
      CHECK(standin::dnn.algorithm == algorithm);
      CHECK(standin::dnn.math == math);
    };
    (void)Convolution(usual(), dtype, false)
        .run(
            [&](const auto& args) {
              REQUIRE(detail::conv2d_by_dnn(args, kBytes));
              check_ran(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
            },
            [&](const auto& args) {
              REQUIRE(detail::conv2d_backward_input_by_dnn(args, kBytes));
              check_ran(CUDNN_CONVOLUTION_BWD_DATA_ALGO_1);
            },
            [&](const auto& args) {
              REQUIRE(detail::conv2d_backward_weight_by_dnn(args, kBytes));
              check_ran(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1);
            });
  }
}

TEST_CASE("cudnn conv2d: float32 is rounded to TF32 only in a scope that allows it", "[cuda]") {
  forget();
  const Convolution it(usual(), amp::kFloat32, true);
  const Tensors expected = it.by_matmul();
  check_equal(expected, it.by_either());
  {
    const amp::MathPrecisionGuard guard({.allow_tf32 = true});
    const Tensors rounded = it.by_either();
    CHECK(standin::dnn.math == CUDNN_DEFAULT_MATH);
    const double far = cuda_test::difference(expected[0].to(amp::kCPU), rounded[0]);
    CHECK(far > limit_of(amp::kFloat32));
    CHECK(far < 2e-3);
  }
  check_equal(expected, it.by_either());
}

TEST_CASE("cudnn conv2d: a bias is added before the one rounding", "[cuda]") {
  // 257 = 256 + 1 lies between two bfloat16; with a bias of -256 it is 1.
  const Tensor x =
      amp::tensor({16.0F, 1.0F}, {1, 2, 1, 1}, {.dtype = amp::kBFloat16, .device = kCUDA});
  const Tensor bias = amp::tensor({-256.0F}, {1}, {.dtype = amp::kBFloat16, .device = kCUDA});
  const auto result = [&] { return amp::conv2d(x, x, bias).to_vector<float>(); };
  forget();
  CHECK(result() == std::vector<float>{1});
  CHECK(toolkit().calls_of("cudnnConvolutionForward") == 0);
  forget();
  standin::dnn.offers_precomp = false;
  CHECK(result() == std::vector<float>{1});
  CHECK(toolkit().calls_of("cudnnConvolutionForward") == 1);
  forget();  // offered, and then refused: not tried again
  toolkit().fail("cudnnConvolutionBiasActivationForward", 0, CUDNN_STATUS_NOT_SUPPORTED);
  CHECK(result() == std::vector<float>{1});
  CHECK(result() == std::vector<float>{1});
  CHECK(toolkit().calls_of("cudnnConvolutionForward") == 2);
  CHECK(toolkit().calls_of("cudnnConvolutionBiasActivationForward") == 1);
}

TEST_CASE("cudnn conv2d: what fails the first time goes to matmuls, and is told", "[cuda]") {
  const Convolution it(usual(), amp::kFloat16, true);
  const Tensors expected = it.by_matmul();
  for (const int status : {static_cast<int>(CUDNN_STATUS_NOT_SUPPORTED),
                           static_cast<int>(CUDNN_STATUS_NOT_SUPPORTED_SHAPE),
                           static_cast<int>(CUDNN_STATUS_BAD_PARAM)}) {
    for (const std::string call :
         {"cudnnSetTensor4dDescriptor", "cudnnSetFilter4dDescriptor",
          "cudnnSetConvolution2dDescriptor", "cudnnSetConvolutionGroupCount",
          "cudnnSetConvolutionMathType", "cudnnSetActivationDescriptor", kHeuristics[0],
          kHeuristics[1], kHeuristics[2], "cudnnConvolutionForward", "cudnnConvolutionBackwardData",
          "cudnnConvolutionBackwardFilter", "cudnnConvolutionBackwardBias"}) {
      CAPTURE(call, status);
      forget();
      standin::dnn.offers_precomp = false;
      amp::cuda::detail::libraries().refusals.clear();
      toolkit().fail(call, 0, status);
      check_equal(expected, it.by_either());
      CHECK(standin::dnn.message.empty());  // else it would be told with the next error
      REQUIRE(amp::cuda::library_info().refusals.size() == 1);
      const amp::cuda::LibraryRefusal refusal = amp::cuda::library_info().refusals[0];
      CHECK_THAT(refusal.problem, ContainsSubstring("conv2d") &&
                                      ContainsSubstring("float16 [2, 3, 5, 7] with weight "));
      CHECK_THAT(refusal.reason,
                 ContainsSubstring(call + ": ") &&
                     ContainsSubstring(cudnnGetErrorString(static_cast<cudnnStatus_t>(status))));
      // Asked once: the other passes are cuDNN's, and that one stays with the matmuls.
      const std::int64_t calls = toolkit().calls_of(call);
      const std::int64_t algorithms = toolkit().calls_of(kHeuristics[0]) +
                                      toolkit().calls_of(kHeuristics[1]) +
                                      toolkit().calls_of(kHeuristics[2]);
      REQUIRE(calls > 0);
      check_equal(expected, it.by_either());
      CHECK(toolkit().calls_of(kHeuristics[0]) + toolkit().calls_of(kHeuristics[1]) +
                toolkit().calls_of(kHeuristics[2]) ==
            algorithms);
      if (call.starts_with("cudnnConvolution")) CHECK(toolkit().calls_of(call) == calls);
    }
  }
  forget();
}

constexpr const char* kCalls[] = {
    "cudnnGetConvolutionForwardAlgorithm_v7", "cudnnConvolutionBackwardData",
    "cudnnConvolutionBiasActivationForward", "cudnnConvolutionBackwardBias"};

TEST_CASE("cudnn conv2d: what fails for want of memory or without a clear reason is tried again",
          "[cuda]") {
  const Convolution it(usual(), amp::kFloat16, true);
  const Tensors expected = it.by_matmul();
  for (const std::string call : kCalls) {
    for (const cudnnStatus_t status :
         {CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, CUDNN_STATUS_INTERNAL_ERROR,
          CUDNN_STATUS_EXECUTION_FAILED}) {
      CAPTURE(call, status);
      forget();
      const std::int64_t before = amp::cuda::library_info().refused;
      const auto tries = [&](cudnnStatus_t then) {
        toolkit().reset();
        if (then != CUDNN_STATUS_SUCCESS) toolkit().fail(call, 0, then);
        check_equal(expected, it.by_either());
        CHECK(amp::cuda::library_info().refused == before + 1);
        return toolkit().calls_of(call);
      };
      for (int i = 0; i < 3; ++i) CHECK(tries(status) == 1);
      const bool passes = status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
      CHECK(tries(CUDNN_STATUS_SUCCESS) == passes);
      CHECK(plans().size() == 3);
    }
  }
  forget();
}

TEST_CASE("cudnn conv2d: nothing is kept of a failure while a graph is recorded", "[cuda]") {
  const Convolution it(usual(), amp::kFloat16, true);
  for (const std::string call : kCalls) {
    for (const cudnnStatus_t status : {CUDNN_STATUS_INTERNAL_ERROR, CUDNN_STATUS_NOT_SUPPORTED}) {
      CAPTURE(call, status);
      forget();
      const auto step = [&] {
        (void)it.by_matmul();  // so that the warm-ups leave behind what they need
        if (amp::detail::in_recording()) {
          plans().release();
          toolkit().fail(call, 0, status);
        }
        (void)it.by_either();
      };
      for (int i = 0; i < 4; ++i) {
        const std::string text =
            amp_test::error_of([&] { (void)amp::cuda::Graph(step, {.warmup = 1}); });
        if (status == CUDNN_STATUS_NOT_SUPPORTED) {
          CHECK(text == "");
        } else {
          CHECK_THAT(text, ContainsSubstring(call + ": CUDNN_STATUS_INTERNAL_ERROR") &&
                               ContainsSubstring("run it once before the capture"));
        }
        toolkit().reset();
        (void)it.by_either();
        CHECK(toolkit().calls_of("cudnnConvolutionBiasActivationForward") == 1);
        CHECK(toolkit().calls_of("cudnnConvolutionBackwardData") == 1);
        CHECK(toolkit().calls_of("cudnnConvolutionBackwardBias") == 1);
      }
    }
  }
  forget();
}

TEST_CASE("cudnn conv2d: relu leaves NaN, and masks the gradient", "[cuda]") {
  forget();
  conv_cases::check_relu();
}

TEST_CASE("cudnn conv2d: mixed dtypes and data that is not aligned go to matmuls", "[cuda]") {
  forget();
  Convolution mixed(usual(), amp::kFloat16, true);
  REQUIRE(mixed.is_taken());
  mixed.x = mixed.x.to(amp::kFloat32);
  CHECK_FALSE(mixed.is_taken());
  check_equal(mixed.by_matmul(), mixed.by_either());

  Convolution unaligned(usual(), amp::kFloat32, false);
  const auto shifted = [](const Tensor& x) {
    return amp::cat({amp::zeros({1}).to(kCUDA), x.flatten()})
        .narrow(0, 1, x.numel())
        .view(x.shape());
  };
  unaligned.x = shifted(unaligned.x);
  unaligned.grad = shifted(unaligned.grad);
  CHECK_FALSE(unaligned.is_taken());
  check_equal(unaligned.by_matmul(), unaligned.by_either());
}

TEST_CASE("cudnn conv2d: float32 gradients of a weight read in 16 bits", "[cuda]") {
  forget();
  const Convolution it(usual(), amp::kFloat16, true);
  const auto gradients = [&](const auto& run) {
    const amp::TensorOptions wide{.dtype = amp::kFloat32, .device = kCUDA};
    const Tensor dw = amp::empty(it.w.shape(), wide), db = amp::empty(it.b.shape(), wide);
    run(kernels::Conv2dBackwardWeightArgs{it.grad.operand(), it.x.operand(), dw.operand(),
                                          db.operand(), it.window, it.groups});
    return Tensors{dw, db};
  };
  const Tensors by_matmul =
      gradients([](const auto& args) { detail::conv2d_backward_weight_by_matmul(args); });
  const Tensors taken = gradients(
      [](const auto& args) { CHECK(detail::conv2d_backward_weight_by_dnn(args, kBytes)); });
  CHECK(cuda_test::difference(by_matmul[0].to(amp::kCPU), taken[0]) <=
        cuda_test::tolerance(amp::kFloat16));
  CHECK(cuda_test::difference(by_matmul[1].to(amp::kCPU), taken[1]) <=
        cuda_test::tolerance(amp::kFloat32));
}

/// A convolution of one filter that nothing is stored of.
kernels::Conv2dArgs imaginary(std::int64_t images, std::int64_t channels, std::int64_t side) {
  const auto operand = [](std::int64_t n, std::int64_t c, std::int64_t h) {
    return detail::array(kCUDA, amp::kFloat32, nullptr, {n, c, h, h});
  };
  return {operand(images, channels, side),
          operand(1, channels, 1),
          {},
          operand(images, 1, side),
          {{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
          1};
}

TEST_CASE("cudnn conv3d, conv_transpose2d: cuDNN takes them, and they are the host's", "[cuda]") {
  forget();
  amp::manual_seed(12);
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16}) {
    cuda_test::compare(
        {amp::randn({2, 4, 3, 5, 6}).to(dtype), amp::randn({6, 2, 2, 3, 3}).to(dtype),
         amp::randn({6}).to(dtype)},
        limit_of(dtype), [](const Tensors& x) {
          return Tensors{amp::conv3d(x[0], x[1], x[2],
                                     {.stride = {1, 2, 1}, .padding = {1, 0, 1}, .groups = 2})};
        });
    cuda_test::compare(
        {amp::randn({2, 4, 3, 5}).to(dtype), amp::randn({4, 3, 4, 4}).to(dtype),
         amp::randn({3}).to(dtype)},
        limit_of(dtype), [](const Tensors& x) {
          return Tensors{amp::conv_transpose2d(x[0], x[1], x[2], {.stride = 2, .padding = 1})};
        });
  }
  CHECK(toolkit().calls_of("cudnnSetConvolutionNdDescriptor") == 9);
  CHECK(toolkit().calls_of("cudnnConvolutionForward") >= 3);  // the gradient of a transposed one
  CHECK(toolkit().calls_of("cudnnConvolutionBackwardData") == 6);
}

TEST_CASE("cudnn conv2d: extents beyond cuDNN's numbers go to matmuls", "[cuda]") {
  forget();
  CHECK_FALSE(detail::conv2d_by_dnn(imaginary(std::int64_t{1} << 31, 1, 1), kBytes));
  CHECK(toolkit().calls() == 0);
  CHECK_FALSE(detail::conv2d_by_dnn(imaginary(2, 1, 1 << 15), kBytes));  // 2^31 elements
  CHECK(toolkit().calls_of("cudnnSetTensor4dDescriptor") == 1);
  CHECK(toolkit().calls_of(kHeuristics[0]) == 0);
}

TEST_CASE("cudnn conv2d: the workspace is bounded", "[cuda]") {
  forget();
  const Convolution it(usual(), amp::kFloat32, true);
  CHECK(it.is_taken(1024));
  CHECK_FALSE(it.is_taken(1023));
  CHECK(it.is_taken(1024));
  forget();
  standin::dnn.workspace = 0;
  CHECK(it.is_taken(0));
  forget();
  standin::dnn.workspace = static_cast<std::size_t>(kBytes) + 1;
  CHECK_FALSE(it.is_taken());
  check_equal(it.by_matmul(), it.by_either());
  forget();
}

TEST_CASE("cudnn conv2d: an algorithm is chosen once for each shape, window and dtype", "[cuda]") {
  forget();
  const Convolution it(usual(), amp::kFloat32, true);
  const auto asked = [] {
    std::int64_t calls = 0;
    for (const char* const call : kHeuristics) calls += toolkit().calls_of(call);
    return calls;
  };
  (void)it.by_either();
  CHECK(asked() == 4);  // one more for its shape without a bias, by which `it` was made
  toolkit().reset();
  (void)it.by_either();
  CHECK(toolkit().calls_of("cudnnConvolutionBiasActivationForward") == 1);
  CHECK(toolkit().calls_of("cudnnConvolutionBackwardData") == 1);
  CHECK(toolkit().calls_of("cudnnConvolutionBackwardFilter") == 1);
  CHECK(toolkit().calls_of("cudnnConvolutionBackwardBias") == 1);
  CHECK(asked() == 0);
  CHECK(toolkit().calls_of("cudnnCreateTensorDescriptor") == 0);
  CHECK(toolkit().calls_of("cudnnSetConvolutionMathType") == 0);
  CHECK(toolkit().calls_of("cudnnCreate") == 0);

  for (std::size_t i = 2; i < 8; ++i) (void)Convolution(cases()[i], amp::kFloat32, true);
  CHECK(asked() == 6);
  (void)Convolution(usual(), amp::kFloat16, true);
  CHECK(asked() == 7);
  const Case padded{usual().input, usual().filters, usual().kernel, {.padding = 1}};
  (void)Convolution(padded, amp::kFloat32, true);
  CHECK(asked() == 8);
}

TEST_CASE("cudnn conv2d: ever new shapes do not take ever more memory", "[cuda]") {
  forget();
  std::size_t largest = 0;
  for (int side = 1; side <= 2500; ++side) {
    const kernels::Conv2dArgs args = imaginary(1, 1, side);
    const auto problem = detail::conv_problem(detail::ConvPass::kForward, args.input, args.weight,
                                              args.bias, args.output, args.window, 1, kBytes);
    REQUIRE(problem);
    handles().with_handle(0, [&](cudnnHandle_t handle) {
      CHECK(plans().with_plan(handle, *problem, [](const auto& plan) { return plan.usable; }));
    });
    largest = (std::max)(largest, plans().size());
  }
  CHECK(largest == detail::ConvPlans::kMost);
  CHECK(plans().size() == 2500 % detail::ConvPlans::kMost);
  CHECK(standin::dnn.descriptors == static_cast<std::int64_t>(6 * plans().size()));
  forget();
  CHECK(standin::dnn.descriptors == 0);
}

TEST_CASE("cudnn conv2d: in the steady state nothing is allocated or waited for",
          "[cuda][cached]") {
  forget();
  const Convolution it(usual(), amp::kBFloat16, true);
  for (int i = 0; i < 2; ++i) (void)it.by_either();
  toolkit().reset();
  (void)it.by_either();
  CHECK(toolkit().counters.launches == 4);
  CHECK(toolkit().counters.allocations == 0);
  CHECK(toolkit().counters.synchronisations == 0);
  CHECK(toolkit().counters.to_device + toolkit().counters.to_host == 0);
}

TEST_CASE("cudnn conv2d: whichever call fails, nothing is lost", "[cuda]") {
  std::set<std::string> named;
  for (const bool precomp : {true, false}) {
    const Convolution it(usual(), amp::kFloat32, true);
    const Tensors expected = it.by_matmul();
    const auto fresh = [&] {
      forget();
      standin::dnn.offers_precomp = precomp;
    };
    fresh();
    (void)it.by_either();
    const auto calls = static_cast<int>(toolkit().calls());
    for (int nth = 0; nth < calls; ++nth) {
      CAPTURE(nth, precomp);
      fresh();
      toolkit().fail("", nth, CUDNN_STATUS_INTERNAL_ERROR);
      Tensors results;
      const std::string text = amp_test::error_of([&] { results = it.by_either(); });
      toolkit().reset();
      if (text.empty()) check_equal(expected, results);  // a call whose failure changes nothing
      if (text.starts_with("cudnn")) {
        const std::string call = text.substr(0, text.find(':'));
        named.insert(call);
        CHECK_THAT(text, ContainsSubstring(call + ": CUDNN_STATUS_INTERNAL_ERROR (4000): " + call +
                                           " was told so"));
      }
      CHECK(standin::dnn.handles <= 1);
      CHECK(standin::dnn.descriptors == static_cast<std::int64_t>(6 * plans().size()));
      check_equal(expected, it.by_either());
    }
  }
  // What is not about one problem.
  const std::set<std::string> all = {"cudnnCreate",
                                     "cudnnSetStream",
                                     "cudnnCreateTensorDescriptor",
                                     "cudnnCreateFilterDescriptor",
                                     "cudnnCreateConvolutionDescriptor",
                                     "cudnnCreateActivationDescriptor"};
  CHECK(named == all);
  forget();
  CHECK(standin::dnn.handles == 0);
  CHECK(standin::dnn.descriptors == 0);
}

TEST_CASE("cudnn conv2d: a convolution that ran once and then fails is an exception", "[cuda]") {
  forget();
  const Convolution it(usual(), amp::kFloat32, true);
  const Tensors expected = it.by_matmul();
  check_equal(expected, it.by_either());
  for (const std::string call :
       {"cudnnConvolutionBiasActivationForward", "cudnnConvolutionBackwardData",
        "cudnnConvolutionBackwardFilter", "cudnnConvolutionBackwardBias"}) {
    toolkit().reset();
    toolkit().fail(call, 0, CUDNN_STATUS_EXECUTION_FAILED);
    CHECK_THROWS_WITH(it.by_either(),
                      ContainsSubstring(call + ": CUDNN_STATUS_EXECUTION_FAILED (5000): " + call +
                                        " was told so"));
    check_equal(expected, it.by_either());
    CHECK(toolkit().calls_of(call) == 2);
  }
  forget();
}

TEST_CASE("cudnn: a program that has it can ask for its version", "[cuda]") {
  CHECK(amp::cuda::has_cudnn());
  CHECK(amp::cuda::cudnn_version() == 90100);
  CHECK(amp::cuda::library_info().cudnn_version == 90100);
}

TEST_CASE("cudnn conv2d: a handle for each stream of each device, all given back", "[cuda]") {
  amp::cuda::shutdown();
  forget();
  const auto convolve = [](int device) {
    const Tensor x = amp::ones({1, 1, 2, 2}, {.device = {kCUDA, device}});
    return amp::conv2d(x, x).to_vector<float>();
  };
  const std::vector<float> four{4};
  CHECK(convolve(0) == four);
  CHECK(standin::dnn.stream == amp::cuda::current_stream(0));
  CHECK(standin::dnn.handles == 1);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  {
    const amp::StreamGuard guard(kCUDA, stream);
    CHECK(convolve(0) == four);
    CHECK(standin::dnn.stream == stream);
  }
  {
    const amp::StreamGuard guard(kCUDA, nullptr);  // the default stream is one too
    CHECK(convolve(0) == four);
    CHECK(standin::dnn.stream == nullptr);
  }
  CHECK(convolve(0) == four);
  CHECK(standin::dnn.handles == 3);
  CHECK(toolkit().calls_of(kHeuristics[0]) == 1);
  CHECK(convolve(1) == four);
  CHECK(standin::dnn.handles == 4);
  CHECK(toolkit().calls_of(kHeuristics[0]) == 2);  // another device may prefer another algorithm
  amp::cuda::shutdown();
  amp::cuda::shutdown();
  CHECK(standin::dnn.handles == 0);
  CHECK(standin::dnn.descriptors == 0);
  CHECK(toolkit().live_blocks() == 0);
  CHECK(convolve(0) == four);
  amp::cuda::shutdown();
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("cudnn conv2d: several threads share plans", "[cuda]") {
  forget();
  const Convolution it(usual(), amp::kFloat32, false);
  std::vector<Tensors> results(4);
  std::vector<std::thread> threads;
  for (Tensors& result : results) threads.emplace_back([&] { result = it.by_either(); });
  for (std::thread& thread : threads) thread.join();
  for (const Tensors& result : results) check_equal(results[0], result);
  CHECK(plans().size() == 3);
  CHECK(standin::dnn.handles == 1);
}

}  // namespace
}  // namespace cudnn_conv
