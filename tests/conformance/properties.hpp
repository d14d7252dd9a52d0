// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What ops must do on a device in a dtype beyond the golden cases: random masks, inputs of many
// blocks, sums that leave the range of 16 bits, parameters of another dtype, indices.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/dropout_add.hpp"
#include "conformance/dtypes.hpp"
#include "conformance/errors.hpp"
#include "conformance/gradient_dtype.hpp"
#include "conformance/large.hpp"
#include "conformance/views.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace conformance {

/// A property of ops and its check.
struct Property {
  std::string_view name;
  void (*check)(const amp::Device&, amp::DType);
};

namespace properties {

using amp::Tensor;

inline amp::TensorOptions leaf_options(const amp::Device& device, amp::DType dtype) {
  return {.dtype = dtype, .device = device, .requires_grad = true};
}

inline Tensor of(const std::vector<double>& values, const amp::Shape& shape,
                 const amp::Device& device, amp::DType dtype) {
  return amp::tensor(values, shape, leaf_options(device, dtype));
}

inline std::vector<double> numbers(const Tensor& tensor) { return tensor.to_vector<double>(); }

/// The number in the dtype.
inline double rounded(double value, amp::DType dtype) {
  return amp::tensor(std::vector<double>{value}, {1}, {.dtype = dtype}).item<double>();
}

// --- dropout ------------------------------------------------------------------------------------

/// Five standard deviations of the mean of n draws.
inline double tolerance(double p, std::size_t n) {
  return 5 * std::sqrt(p * (1 - p) / static_cast<double>(n));
}

/// The share of elements that are not 0; all these must be `value`.
inline double kept_share(const std::vector<double>& y, double value) {
  const auto kept = y.size() - static_cast<std::size_t>(std::count(y.begin(), y.end(), 0.0));
  const auto right = static_cast<std::size_t>(std::count(y.begin(), y.end(), value));
  CHECK((kept == 0 || kept == right));
  return static_cast<double>(kept) / static_cast<double>(y.size());
}

inline void dropout_statistics(const amp::Device& device, amp::DType dtype) {
  amp::manual_seed(11);
  for (const double p : {0.1, 0.5, 0.75}) {
    CAPTURE(p);
    const Tensor x = amp::ones({40'003}, leaf_options(device, dtype));
    const Tensor y = amp::dropout(x, p);
    const std::vector<double> values = numbers(y);
    CHECK(std::abs(kept_share(values, rounded(1 / (1 - p), dtype)) - (1 - p)) <
          tolerance(p, values.size()));
    for (std::size_t lag = 1; lag <= 5; ++lag) {  // neighbours are kept independently
      CAPTURE(lag);
      std::size_t both = 0;
      for (std::size_t i = 0; i + lag < values.size(); ++i)
        both += values[i] != 0 && values[i + lag] != 0;
      const double share = static_cast<double>(both) / static_cast<double>(values.size() - lag);
      CHECK(std::abs(share - (1 - p) * (1 - p)) < 2 * tolerance(p, values.size()));
    }
    CHECK(numbers(amp::dropout(x, p)) != values);
    y.backward(amp::ones(y.shape(), {.dtype = dtype, .device = device}));
    CHECK(numbers(x.grad()) == values);  // the same mask, the same factor
  }
}

inline void dropout_reproducible(const amp::Device& device, amp::DType dtype) {
  const auto masked = [&](amp::DType of_dtype, const amp::Device& where, bool transposed) {
    amp::manual_seed(12);
    const amp::TensorOptions options{.dtype = of_dtype, .device = where};
    const Tensor x = transposed ? amp::ones({70, 300}, options).t() : amp::ones({300, 70}, options);
    std::vector<double> kept = numbers(amp::dropout(x, 0.3));
    for (double& element : kept) element = element != 0;
    return kept;
  };
  const std::vector<double> expected = masked(dtype, device, false);
  CHECK(masked(dtype, device, false) == expected);
  CHECK(masked(dtype, device, true) == expected);
  CHECK(masked(amp::kFloat32, amp::kCPU, false) == expected);  // every dtype, every device
  amp::manual_seed(13);
  std::vector<double> other = numbers(amp::dropout(
      amp::ones({300, 70}, amp::TensorOptions{.dtype = dtype, .device = device}), 0.3));
  for (double& element : other) element = element != 0;
  CHECK(other != expected);
}

inline void dropout_limits(const amp::Device& device, amp::DType dtype) {
  const Tensor x = of({1, -2, 0.5}, {3}, device, dtype);
  CHECK(numbers(amp::dropout(x, 0.5, false)) == numbers(x));
  CHECK(numbers(amp::dropout(x, 0)) == numbers(x));
  CHECK(numbers(amp::dropout(x, 1)) == std::vector<double>{0, 0, 0});
  const Tensor infinite = of({INFINITY, NAN}, {2}, device, dtype);
  CHECK(numbers(amp::dropout(infinite, 1)) == std::vector<double>{0, 0});
  for (const double p : {-0.1, 1.1, static_cast<double>(NAN)}) {
    CHECK(amp_test::error_of([&] { return amp::dropout(x, p); }) != "");
  }
}

inline void attention_dropout(const amp::Device& device, amp::DType dtype) {
  // All scores are 0 and the values a unit matrix: the result is the dropped probabilities.
  constexpr std::int64_t kKeys = 64, kQueries = 200;
  std::vector<double> unit(kKeys * kKeys);
  for (std::size_t i = 0; i < kKeys; ++i) unit[i * kKeys + i] = 1;
  const amp::TensorOptions options{.dtype = dtype, .device = device};
  const Tensor query = amp::zeros({kQueries, 8}, options), key = amp::zeros({kKeys, 8}, options);
  const Tensor value = of(unit, {kKeys, kKeys}, device, dtype);
  const auto attend = [&](double p) {
    return amp::scaled_dot_product_attention(query, key, value, {}, p);
  };
  amp::manual_seed(14);
  const Tensor y = attend(0.25);
  const std::vector<double> values = numbers(y);
  CHECK(std::abs(kept_share(values, rounded(1 / (kKeys * 0.75), dtype)) - 0.75) <
        tolerance(0.25, values.size()));
  amp::manual_seed(14);
  CHECK(numbers(attend(0.25)) == values);
  CHECK(numbers(attend(0.25)) != values);
  CHECK(kept_share(numbers(attend(0)), 1.0 / kKeys) == 1);
  CHECK(kept_share(numbers(attend(1)), 0) == 0);
  // d sum(y)/d value[k, c] = what the queries gave key k.
  y.backward(amp::ones(y.shape(), options));
  const std::vector<double> grad = numbers(value.grad());
  for (std::size_t k = 0; k < kKeys; ++k) {
    double column = 0;
    for (std::size_t q = 0; q < kQueries; ++q) column += values[q * kKeys + k];
    CHECK(grad[k * kKeys] == Approx(column).epsilon(0.01));
  }
}

// --- large inputs -------------------------------------------------------------------------------

/// In units of the largest magnitude: sums of many float32 terms, and then the dtype's roundings.
inline double large_limit(double limit, amp::DType dtype) {
  if (dtype == amp::kFloat64) return 1e-12 * 0x1p52;
  return dtype == amp::kFloat32 ? 16 : limit + 0.05;
}

inline void large_inputs(const amp::Device& device, amp::DType dtype) {
  std::map<std::string, Worst> worst_of_op;
  for (const LargeCase& large : large_cases()) {
    const Binding* const binding = binding_of(large.op);
    REQUIRE(binding != nullptr);
    INFO(large.op << " of " << to_string(amp::Shape(large.inputs[0])));
    Worst& worst = worst_of_op[std::string(large.op) + ", large"];
    amp::manual_seed(15);
    const LargeResult expected = run_large(large, amp::kCPU, amp::kFloat64);
    for (const Layout layout : {Layout::kContiguous, Layout::kStrided}) {
      INFO((layout == Layout::kStrided ? "strided" : "contiguous"));
      amp::manual_seed(15);
      const LargeResult actual = run_large(large, device, dtype, layout);
      const auto compare = [&](const Tensors& a, const Tensors& b, double limit, Error& of_op) {
        REQUIRE(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
          INFO("tensor " << i);
          REQUIRE(a[i].defined() == b[i].defined());
          if (!a[i].defined()) continue;
          CHECK(a[i].shape() == b[i].shape());
          const Error error = error_of(numbers(a[i]), numbers(b[i]), format_of(dtype));
          const bool real = amp::is_floating_point(b[i].dtype());
          CHECK(error.relative <= (real ? large_limit(limit, dtype) : 0));
          of_op = of_op | error;
        }
      };
      compare(actual.outputs, expected.outputs, binding->limits.value, worst.value);
      compare(actual.gradients, expected.gradients, binding->limits.gradient, worst.gradient);
    }
  }
  for (const auto& [op, worst] : worst_of_op) print(op, device, dtype, worst);
}

// --- range --------------------------------------------------------------------------------------

/// Results that fit into 16 bits, of sums and squares that do not.
inline void range_of_sums(const amp::Device& device, amp::DType dtype) {
  const auto all = [&](double value, const amp::Shape& shape) {
    return amp::full(shape, value, leaf_options(device, dtype));
  };
  const auto of_pattern = [&](double value, const amp::Shape& shape) {  // -v, v, -v, v, ...
    std::vector<double> values(static_cast<std::size_t>(shape.numel()), value);
    for (std::size_t i = 0; i < values.size(); i += 2) values[i] = -value;
    return of(values, shape, device, dtype);
  };
  const double epsilon = std::ldexp(1.0, 1 - format_of(dtype).digits);
  const auto is = [&](const Tensor& y, double value) {
    for (const double element : numbers(y))
      CHECK(element == Approx(value).epsilon(std::max(epsilon, 1e-6)).margin(1e-6));
  };
  is(amp::mean(all(60000, {300})), rounded(60000, dtype));
  is(amp::mean(all(60000, {300, 2}), 0), rounded(60000, dtype));
  is(amp::var(of_pattern(200, {300}), 0, 0), 40000);
  is(amp::avg_pool2d(all(60000, {1, 1, 4, 4}), 2), rounded(60000, dtype));
  is(amp::mse_loss(all(200, {300}), all(0, {300})), 40000);
  is(amp::abs(amp::layer_norm(of_pattern(1024, {2, 400}), {400})), 1);
  is(amp::abs(amp::rms_norm(of_pattern(1024, {2, 400}), {400})), 1);
  is(amp::abs(amp::group_norm(of_pattern(1024, {2, 4, 100}), 2)), 1);
  is(amp::abs(amp::batch_norm(of_pattern(1024, {40, 2, 10}), {}, {}, {}, {}, true)), 1);
  is(amp::softmax(all(60000, {4}), 0), 0.25);
  is(amp::log_softmax(all(60000, {4}), 0), -std::log(4.0));
  is(amp::cross_entropy(all(60000, {2, 4}),
                        amp::zeros({2}, {.dtype = amp::kInt64, .device = device})),
     std::log(4.0));
  is(amp::binary_cross_entropy_with_logits(all(1024, {300}), all(0, {300})), 1024);
  // Scores of 2^20 before they are scaled.
  is(amp::scaled_dot_product_attention(all(256, {2, 16}), all(256, {3, 16}), all(0.5, {3, 2})),
     0.5);
  // Gradients, too: 1/n of a mean is below float16's range, 2^15 / 2^17 of a sum is not.
  const Tensor x = all(1, {1 << 17});
  (amp::mean(x) * 32768).backward();
  is(x.grad(), 0.25);
}

/// Variances of lines of 16 that are rows of vectors, columns of vectors, or neither.
inline void variances_of_any_size(const amp::Device& device, amp::DType dtype) {
  const auto is = [&](const std::vector<double>& line, double variance) {
    for (const std::int64_t lines : {8, 3}) {
      std::vector<double> values;
      for (std::int64_t l = 0; l < lines; ++l)
        values.insert(values.end(), line.begin(), line.end());
      const Tensor rows = of(values, {lines, 16}, device, dtype);
      const std::vector<double> expected(static_cast<std::size_t>(lines), variance);
      CHECK(numbers(amp::var(rows, 1, 0)) == expected);
      CHECK(numbers(amp::var(rows.t(), 0, 0)) == expected);
    }
  };
  std::vector<double> line(16, 0.1F);
  is(line, 0);
  if (dtype == amp::kFloat64) return;
  // Two neighbours, whose mean the dtype does not hold.
  const double large = std::ldexp(1.0, format_of(dtype).digits);
  for (std::size_t i = 0; i < 16; ++i) line[i] = large + (i % 2 == 0 ? 0 : 2);
  is(line, 1);
  if (dtype == amp::kFloat16) return;
  line.assign(16, 0);  // the square of a deviation is above the largest float32
  line[5] = std::ldexp(1.0, 65);
  is(line, std::ldexp(15.0, 122));
}

// --- dtypes and indices -------------------------------------------------------------------------

/// Norms of 16-bit inputs with float32 parameters, as under autocast.
inline void float32_parameters(const amp::Device& device, amp::DType dtype) {
  if (dtype == amp::kFloat64) return;
  const Tensor x = of(large_values(24, 1, Domain::kAny), {2, 4, 3}, device, dtype);
  const Tensor wide = x.detach().to(amp::kFloat32);
  const auto parameter = [&](std::size_t seed, std::int64_t n) {
    return of(large_values(static_cast<std::size_t>(n), seed, Domain::kPositive), {n}, device,
              amp::kFloat32);
  };
  const Tensor w3 = parameter(2, 3), b3 = parameter(3, 3), w4 = parameter(4, 4),
               b4 = parameter(5, 4);
  const auto compare = [&](const Tensor& y, const Tensor& expected, const Tensor& w,
                           const Tensor& b) {
    CHECK(amp::name(y.dtype()) == amp::name(dtype));
    CHECK(error_of(numbers(y), numbers(expected), format_of(dtype)).relative <= 0.51);
    w.set_grad({});
    b.set_grad({});
    amp::sum(y).backward();
    CHECK(amp::name(w.grad().dtype()) == amp::name(amp::kFloat32));
    CHECK(amp::name(b.grad().dtype()) == amp::name(amp::kFloat32));
    CHECK(amp::name(x.grad().dtype()) == amp::name(dtype));
    CHECK(numbers(b.grad()) == std::vector<double>(static_cast<std::size_t>(b.numel()),
                                                   24.0 / static_cast<double>(b.numel())));
  };
  compare(amp::layer_norm(x, {3}, w3, b3), amp::layer_norm(wide, {3}, w3, b3), w3, b3);
  compare(amp::group_norm(x, 2, w4, b4), amp::group_norm(wide, 2, w4, b4), w4, b4);
  const auto batch_norm = [&](const Tensor& input, bool training) {
    const amp::TensorOptions options{.device = device};
    const Tensor mean = amp::zeros({4}, options), var = amp::ones({4}, options);
    const Tensor y = amp::batch_norm(input, mean, var, w4, b4, training);
    return std::pair(y, numbers(mean));
  };
  for (const bool training : {true, false}) {
    CAPTURE(training);
    const auto [y, mean] = batch_norm(x, training);
    const auto [expected, expected_mean] = batch_norm(wide, training);
    compare(y, expected, w4, b4);
    CHECK(mean == expected_mean);  // statistics stay as wide as they are kept
  }
}

/// The epsilon that rms_norm takes if none is given is float32's also for narrower dtypes, as in
/// torch; the result has the dtype of the input, whatever that of the weight.
inline void rms_norm_epsilon(const amp::Device& device, amp::DType dtype) {
  const double gap = std::ldexp(1.0, 1 - format_of(dtype).digits);
  const double epsilon = dtype == amp::kFloat64 ? 0x1p-52 : 0x1p-23;
  const double small = std::ldexp(1.0, -8);
  const Tensor y = amp::rms_norm(amp::full({3}, small, leaf_options(device, dtype)), {3});
  CHECK(numbers(y)[0] == Approx(small / std::sqrt(small * small + epsilon)).epsilon(gap));
  for (const amp::DType weight : {amp::kFloat32, amp::kBFloat16, amp::kFloat64}) {
    const Tensor x = amp::ones({3}, leaf_options(device, dtype));
    const Tensor w = amp::ones({3}, leaf_options(device, weight));
    const Tensor mixed = amp::rms_norm(x, {3}, w);
    CHECK(mixed.dtype() == dtype);
    amp::sum(mixed).backward();
    CHECK(x.grad().dtype() == dtype);
    CHECK(w.grad().dtype() == weight);
  }
}

/// What is normalised alone becomes 0, and passes no gradient on.
inline void norms_of_one_element(const amp::Device& device, amp::DType dtype) {
  const auto check = [&](const auto& norm, const amp::Shape& shape) {
    const Tensor x = of(large_values(6, 1, Domain::kAny), shape, device, dtype);
    const Tensor y = norm(x);
    CHECK(numbers(y) == std::vector<double>(6, 0));
    amp::sum(y * 3).backward();
    CHECK(numbers(x.grad()) == std::vector<double>(6, 0));
  };
  check([](const Tensor& x) { return amp::layer_norm(x, {1}); }, {6, 1});
  check([](const Tensor& x) { return amp::group_norm(x, 3); }, {2, 3});
  const Tensor one = of(large_values(3, 1, Domain::kAny), {1, 3, 1}, device, dtype);
  CHECK_THAT(amp_test::error_of([&] { return amp::group_norm(one, 3); }),
             Catch::Matchers::ContainsSubstring("one value per group"));
}

/// Differences whose double leaves the range, of which the gradient is a small part.
inline void mse_loss_of_large_differences(const amp::Device& device, amp::DType dtype) {
  if (dtype == amp::kFloat16) return;  // its squares and doubles are float32
  const double large = dtype == amp::kFloat64 ? 1.5e308 : std::ldexp(1.5, 127);
  const Tensor x = of({large, -large}, {2}, device, dtype), y = of({0, 0}, {2}, device, dtype);
  amp::mse_loss(x, y, amp::kNone)
      .backward(amp::full({2}, 0.125, {.dtype = dtype, .device = device}));
  CHECK(numbers(x.grad()) == std::vector<double>{large / 4, -large / 4});
  CHECK(numbers(y.grad()) == std::vector<double>{-large / 4, large / 4});
}

/// With fixed statistics the gradient is weight * rstd * grad, whatever x is.
inline void batch_norm_of_infinities(const amp::Device& device, amp::DType dtype) {
  const amp::TensorOptions options{.dtype = dtype, .device = device};
  const Tensor mean = amp::zeros({2}, options), var = amp::full({2}, 4, options);
  const Tensor weight = amp::full({2}, 3, options);
  for (const std::int64_t inner : {1, 3, 8}) {
    CAPTURE(inner);
    std::vector<double> values(static_cast<std::size_t>(4 * inner), 0.5);
    values[1] = INFINITY;
    values[2] = NAN;
    values.back() = -INFINITY;
    const Tensor x = of(values, {2, 2, inner}, device, dtype);
    amp::batch_norm(x, mean, var, weight, {}, false, 0.1, 0)
        .backward(amp::full(x.shape(), 2, options));
    CHECK(numbers(x.grad()) == std::vector<double>(values.size(), 3));  // 3 * 1/2 * 2
  }
}

inline void int32_indices(const amp::Device& device, amp::DType dtype) {
  const Tensor table = of(large_values(12, 1, Domain::kAny), {4, 3}, device, dtype);
  const auto picked = [&](amp::DType index_dtype) {
    return amp::tensor({3, 0, 3, 1}, {2, 2}, {.dtype = index_dtype, .device = device});
  };
  const Tensor wide = picked(amp::kInt64), narrow = picked(amp::kInt32);
  CHECK(numbers(amp::embedding(narrow, table)) == numbers(amp::embedding(wide, table)));
  CHECK(numbers(amp::embedding(narrow.t(), table)) == numbers(amp::embedding(wide.t(), table)));
  CHECK(numbers(amp::index_select(table, 0, narrow.flatten())) ==
        numbers(amp::index_select(table, 0, wide.flatten())));
}

/// On a device nobody looks at indices; on the host they throw.
inline void bad_indices(const amp::Device& device, amp::DType dtype) {
  if (device.type != amp::kCPU) return;
  const Tensor table = of(large_values(12, 1, Domain::kAny), {4, 3}, device, dtype);
  for (const std::int64_t bad : {4, -1, 1000}) {
    CAPTURE(bad);
    const Tensor index = amp::tensor({std::int64_t{0}, bad}, {2});
    const auto error = [](const auto& call) { return amp_test::error_of(call); };
    CHECK(error([&] { return amp::embedding(index, table); }) != "");
    CHECK(error([&] { return amp::index_select(table, 0, index); }) != "");
    const Tensor logits = table.narrow(0, 0, 2);
    CHECK(error([&] { return amp::cross_entropy(logits, index); }) != "");
    CHECK(error([&] { return amp::nll_loss(logits, index); }) != "");
  }
}

/// Views of one tensor, broadcast by stride 0, as inputs.
inline void expanded_inputs(const amp::Device& device, amp::DType dtype) {
  const Tensor row = of({1, -2, 0.5}, {3}, device, dtype);
  const Tensor rows = row.expand({4, 3}), dense = rows.contiguous().detach();
  const auto same = [&](const auto& op) { CHECK(numbers(op(rows)) == numbers(op(dense))); };
  same([](const Tensor& x) { return amp::layer_norm(x, {3}); });
  same([](const Tensor& x) { return amp::rms_norm(x, {3}); });
  same([](const Tensor& x) { return amp::gelu(x); });
  same([](const Tensor& x) { return amp::max(x); });
  same([](const Tensor& x) { return amp::min(x, 1).indices; });
  same([](const Tensor& x) { return amp::cat({x, x}, 1); });
  same([](const Tensor& x) { return amp::stack({x, x}, 1); });
  same([](const Tensor& x) { return amp::mse_loss(x, x * 2); });
  same([](const Tensor& x) { return amp::scaled_dot_product_attention(x, x, x); });
  same([](const Tensor& x) { return amp::batch_norm(x, {}, {}, {}, {}, true); });
  amp::sum(amp::pow(rows, 2)).backward();
  CHECK(numbers(row.grad()) == std::vector<double>{8, -16, 4});
}

inline constexpr Property kOfFloats[] = {
    {"views", views::check_all},
    {"dropout: shares, factor and gradient", dropout_statistics},
    {"dropout: one mask per seed", dropout_reproducible},
    {"dropout: limits of p", dropout_limits},
    {"dropout_add of its parts", dropout_add_of_parts},
    {"attention dropout", attention_dropout},
    {"large inputs", large_inputs},
    {"range of sums", range_of_sums},
    {"variances of any size", variances_of_any_size},
    {"norms with float32 parameters", float32_parameters},
    {"rms_norm: default epsilon", rms_norm_epsilon},
    {"norms of one element", norms_of_one_element},
    {"batch_norm of infinities, evaluated", batch_norm_of_infinities},
    {"mse_loss of large differences", mse_loss_of_large_differences},
    {"int32 indices", int32_indices},
    {"bad indices", bad_indices},
    {"expanded inputs", expanded_inputs},
    {"gradients behind casts", gradients_behind_casts},
    {"promotion", promotion},
};
inline constexpr Property kOfIntegers[] = {
    {"views", views::check_all},
    {"integers", integer_ops},
    {"integers: extremes", integer_extremes},
    {"integers: what is refused", integers_refused},
    {"promotion", promotion},
};
inline constexpr Property kOfBools[] = {
    {"views", views::check_all},
    {"bools", bool_ops},
    {"promotion", promotion},
};

}  // namespace properties

/// The properties of a dtype.
constexpr std::span<const Property> properties_of(amp::DType dtype) {
  if (amp::is_floating_point(dtype)) return properties::kOfFloats;
  if (dtype == amp::kBool) return properties::kOfBools;
  return properties::kOfIntegers;
}

}  // namespace conformance
