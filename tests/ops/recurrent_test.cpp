// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Recurrent networks beyond the golden cases: layers large enough for all threads, against cells
// step by step; states that are undefined; dropout; what is refused.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace recurrent_ops {
namespace {

using amp::Tensor;
using Tensors = std::vector<Tensor>;

/// The parameters of one layer in one direction.
Tensors parameters(std::int64_t gates, std::int64_t inputs, std::int64_t units, amp::DType dtype) {
  Tensors result;
  for (const amp::Shape& shape :
       {amp::Shape(gates * units, inputs), amp::Shape(gates * units, units),
        amp::Shape(gates * units), amp::Shape(gates * units)})
    result.push_back((amp::randn(shape) * 0.1).to(dtype).detach().requires_grad_());
  return result;
}

/// The largest difference of two tensors' elements.
double difference(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  return amp::max(amp::abs(a.detach().to(amp::kFloat64) - b.detach().to(amp::kFloat64)))
      .item<double>();
}

struct Gradients {
  Tensor output;
  Tensors gradients;
};
template <class Network>
Gradients differentiated(const Tensor& x, const Tensors& params, const Network& network) {
  x.set_grad({});
  for (const Tensor& p : params) p.set_grad({});
  const Tensor y = network();
  amp::sum(
      amp::mul(
          y,
          amp::sin(
              amp::arange(y.numel(), {.dtype = amp::kFloat64}).reshape(y.shape()).to(y.dtype()))))
      .backward();
  Gradients result{y, {x.grad()}};
  for (const Tensor& p : params) result.gradients.push_back(p.grad());
  return result;
}

void check_same(const Gradients& a, const Gradients& b, double limit) {
  CHECK(difference(a.output, b.output) <= limit);
  for (std::size_t i = 0; i < a.gradients.size(); ++i) {
    INFO("gradient " << i);
    const double scale = amp::max(amp::abs(b.gradients[i])).to(amp::kFloat64).item<double>();
    CHECK(difference(a.gradients[i], b.gradients[i]) <= limit * std::fmax(scale, 1));
  }
}

constexpr std::int64_t kSteps = 6, kBatch = 37, kInputs = 50, kUnits = 150;

/// A layer and its cell, one step after the other, in units beyond a block, not a multiple of any.
template <class Layer, class Cell>
void check_steps(std::int64_t gates, amp::DType dtype, double limit, const Layer& layer,
                 const Cell& cell) {
  amp::manual_seed(3);
  const Tensor x = amp::randn({kSteps, kBatch, kInputs}).to(dtype).detach().requires_grad_();
  const Tensors params = parameters(gates, kInputs, kUnits, dtype);
  const Gradients all = differentiated(x, params, [&] { return layer(x, params); });
  const Gradients steps = differentiated(x, params, [&] {
    Tensors outputs;
    amp::LstmState state;
    for (std::int64_t t = 0; t < kSteps; ++t) {
      state = cell(x.select(0, t), state, params);
      outputs.push_back(state.h);
    }
    return amp::stack(outputs);
  });
  check_same(all, steps, limit);
}

void check_all_cells(amp::DType dtype, double limit) {
  using amp::LstmState;
  check_steps(
      4, dtype, limit, [](const Tensor& x, const Tensors& p) { return amp::lstm(x, {}, p).output; },
      [](const Tensor& x, const LstmState& s, const Tensors& p) {
        return amp::lstm_cell(x, s, p[0], p[1], p[2], p[3]);
      });
  check_steps(
      3, dtype, limit, [](const Tensor& x, const Tensors& p) { return amp::gru(x, {}, p).output; },
      [](const Tensor& x, const LstmState& s, const Tensors& p) {
        return LstmState{amp::gru_cell(x, s.h, p[0], p[1], p[2], p[3])};
      });
  check_steps(
      1, dtype, limit,
      [](const Tensor& x, const Tensors& p) { return amp::rnn_tanh(x, {}, p).output; },
      [](const Tensor& x, const LstmState& s, const Tensors& p) {
        return LstmState{amp::rnn_tanh_cell(x, s.h, p[0], p[1], p[2], p[3])};
      });
  check_steps(
      1, dtype, limit,
      [](const Tensor& x, const Tensors& p) { return amp::rnn_relu(x, {}, p).output; },
      [](const Tensor& x, const LstmState& s, const Tensors& p) {
        return LstmState{amp::rnn_relu_cell(x, s.h, p[0], p[1], p[2], p[3])};
      });
}

}  // namespace

TEST_CASE("recurrent: a layer is its cell, step by step", "[ops]") {
  check_all_cells(amp::kFloat64, 1e-12);
  check_all_cells(amp::kFloat32, 2e-5);
  check_all_cells(amp::kBFloat16, 0.08);
  check_all_cells(amp::kFloat16, 0.01);
}

TEST_CASE("recurrent: results do not change from call to call", "[ops]") {
  amp::manual_seed(4);
  const Tensor x = amp::randn({kSteps, kBatch, kInputs}).requires_grad_();
  const Tensors params = parameters(4, kInputs, kUnits, amp::kFloat32);
  const auto run = [&] {
    return differentiated(x, params, [&] { return amp::lstm(x, {}, params).output; });
  };
  const Gradients first = run(), second = run();
  check_same(first, second, 0);
}

TEST_CASE("recurrent: packed sequences are those that each gives alone", "[ops]") {
  amp::manual_seed(5);
  const std::vector<std::int64_t> lengths = {3, 7, 1, 7, 4};
  const Tensor x = amp::randn({7, 5, 6}, {.dtype = amp::kFloat64});
  Tensors params = parameters(4, 6, 9, amp::kFloat64);
  for (const Tensor& p : parameters(4, 6, 9, amp::kFloat64)) params.push_back(p);
  const Tensor h = amp::randn({2, 5, 9}, {.dtype = amp::kFloat64}),
               c = amp::randn({2, 5, 9}, {.dtype = amp::kFloat64});
  const amp::PackedLstmResult all =
      amp::lstm(amp::pack_padded_sequence(x, lengths, {.enforce_sorted = false}), {h, c}, params,
                {.bidirectional = true});
  const amp::PaddedSequences padded = amp::pad_packed_sequence(all.output);
  CHECK(padded.lengths.to_vector<std::int64_t>() == lengths);
  for (std::int64_t b = 0; b < 5; ++b) {
    const std::int64_t length = lengths[static_cast<std::size_t>(b)];
    const amp::LstmResult one =
        amp::lstm(x.narrow(1, b, 1).narrow(0, 0, length), {h.narrow(1, b, 1), c.narrow(1, b, 1)},
                  params, {.bidirectional = true});
    CHECK(difference(padded.output.narrow(1, b, 1).narrow(0, 0, length), one.output) < 1e-14);
    CHECK(difference(all.h.narrow(1, b, 1), one.h) < 1e-14);
    CHECK(difference(all.c.narrow(1, b, 1), one.c) < 1e-14);
  }
}

TEST_CASE("recurrent: under autocast, weights are 16 bits and gradients are not", "[ops]") {
  amp::manual_seed(6);
  const Tensor x = amp::randn({5, 4, 8});
  const Tensors params = parameters(4, 8, 16, amp::kFloat32);
  amp::LstmResult y;
  {
    const amp::AutocastGuard autocast(amp::kCPU);
    y = amp::lstm(x, {}, params);
  }
  CHECK(y.output.dtype() == amp::kBFloat16);
  CHECK(y.h.dtype() == amp::kBFloat16);
  CHECK(y.c.dtype() == amp::kBFloat16);
  CHECK(difference(y.output, amp::lstm(x, {}, params).output) < 0.02);
  amp::sum(y.output).backward();
  for (const Tensor& p : params) CHECK(p.grad().dtype() == amp::kFloat32);
}

TEST_CASE("recurrent: dropout between layers, in training only", "[ops]") {
  const Tensor x = amp::randn({5, 4, 8});
  Tensors params = parameters(1, 8, 8, amp::kFloat32);
  for (const Tensor& p : parameters(1, 8, 8, amp::kFloat32)) params.push_back(p);
  const auto run = [&](double p, bool training) {
    return amp::rnn_tanh(x, {}, params, {.num_layers = 2, .dropout = p, .training = training});
  };
  const amp::RecurrentResult without = run(0, true);
  CHECK(difference(run(0.5, false).output, without.output) == 0);
  CHECK(difference(run(0.5, true).output, without.output) > 0);
  CHECK(difference(run(0.5, true).h.select(0, 0), without.h.select(0, 0)) == 0);
}

TEST_CASE("recurrent: what is refused", "[ops]") {
  const auto refuses = [](const auto& call, const std::string& op, const std::string& part) {
    const std::string error = amp_test::error_of(call);
    INFO(error);
    CHECK(error.starts_with(op + ":"));
    CHECK(error.find(part) != error.npos);
  };
  const Tensor x = amp::ones({3, 2, 4});
  const Tensors params = parameters(4, 4, 5, amp::kFloat32);
  const auto lstm = [&](const Tensor& input, const Tensors& p, const amp::RecurrentOptions& o) {
    return [=] { return amp::lstm(input, {}, p, o); };
  };
  refuses(lstm(amp::ones({0, 2, 4}), params, {}), "lstm", "T > 0");
  refuses(lstm(amp::ones({3, 4}), params, {}), "lstm", "[T, B, I]");
  refuses(lstm(x, params, {.num_layers = 0}), "lstm", "`num_layers`");
  refuses(lstm(x, params, {.num_layers = 2}), "lstm", "`params`");
  refuses(lstm(x, params, {.num_layers = std::int64_t{1} << 62, .bidirectional = true}), "lstm",
          "`params`");
  refuses(lstm(x, params, {.has_biases = false}), "lstm", "`params`");
  refuses(lstm(x, params, {.dropout = 1.5}), "lstm", "`dropout`");
  refuses([&] { return amp::gru(x, {}, params); }, "gru", "`params`[0] must have shape [15, 4]");
  refuses([&] { return amp::lstm(x, {amp::ones({1, 3, 5})}, params); }, "lstm", "`hx.h`");
  refuses([&] { return amp::lstm(x, {{}, amp::ones({1, 2, 6})}, params); }, "lstm", "`hx.c`");
  refuses([&] { return amp::lstm_cell(x, {}, params[0], params[1]); }, "lstm_cell", "[B, I]");
  refuses([&] { return amp::lstm_cell(x.select(0, 0), {}, params[0], params[1], params[2]); },
          "lstm_cell", "`b_hh`");
  const auto pack = [&](const std::vector<std::int64_t>& lengths) {
    return [&, lengths] { return amp::pack_padded_sequence(x, lengths); };
  };
  refuses(pack({3}), "pack_padded_sequence", "`lengths`");
  refuses(pack({3, 0}), "pack_padded_sequence", "[1, 3]");
  refuses(pack({4, 1}), "pack_padded_sequence", "[1, 3]");
  refuses(pack({1, 2}), "pack_padded_sequence", "`enforce_sorted`");
  refuses([&] { return amp::pack_padded_sequence(x, amp::ones({2})); }, "pack_padded_sequence",
          "integers");
  const amp::PackedSequence packed = amp::pack_padded_sequence(x, {3, 1});
  refuses([&] { return amp::pad_packed_sequence(packed, {.total_length = 2}); },
          "pad_packed_sequence", "`total_length`");
  const std::int64_t many = std::int64_t{1} << 62;
  CHECK_THROWS_AS(amp::pad_packed_sequence(packed, {.total_length = many}), amp::Error);
  const auto with_sizes = [&](const std::vector<std::int64_t>& sizes) {
    return [&, sizes] {
      return amp::lstm(amp::PackedSequence{packed.data, amp::tensor(sizes, {sizes.size()})}, {},
                       params);
    };
  };
  refuses(with_sizes({1, 3}), "lstm", "`batch_sizes`");
  refuses(with_sizes({2, 1}), "lstm", "`data`");
  refuses(with_sizes({4, 0}), "lstm", "`batch_sizes`");
  refuses([] { return amp::pad_sequence({}); }, "pad_sequence", "`sequences`");
  refuses(
      [] {
        return amp::pad_sequence({amp::ones({2, 3}), amp::ones({2, 4})});
      },
      "pad_sequence", "`sequences`");
}

}  // namespace recurrent_ops
