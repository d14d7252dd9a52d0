// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Modules whose forward returns a struct: calls, hooks, errors.
#include <amp/amp.hpp>

#include <string>
#include <type_traits>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace module_results {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::error_of;

struct Encoded {
  Tensor output, norm;
};
struct Encoder : nn::Layer<Encoder> {
  nn::Linear fc{register_module("fc", nn::Linear(2, 2))};
  Encoded forward(const Tensor& x) const { return {fc(x), amp::sum(x)}; }
};
struct Nameless {
  Tensor mean, deviation;
};
struct Policy : nn::Layer<Policy> {
  Nameless forward(const Tensor& x) const { return {x, amp::exp(x)}; }
};
struct Wrapper {
  Tensor inner;
  operator Tensor() const { return inner; }
};
struct Wrapping : nn::Layer<Wrapping> {
  Wrapper forward(const Tensor& x) const { return {x * 2}; }
};
struct Net : nn::Layer<Net> {
  Encoder encoder{register_module("encoder", Encoder())};
  Tensor forward(const Tensor& x) const { return encoder(x).output; }
};

}  // namespace

TEST_CASE("results of modules: a call returns what forward returns", "[nn]") {
  static_assert(std::is_same_v<decltype(Encoder()(Tensor())), Encoded>);
  static_assert(std::is_same_v<decltype(Wrapping()(Tensor())), Tensor>);
  const Encoder encoder;
  const auto [output, norm] = encoder(amp::ones({3, 2}));
  CHECK(output.shape() == amp::Shape(3, 2));
  CHECK(norm.item<float>() == 6);
  CHECK(encoder->forward(amp::ones({1, 2})).norm.item<float>() == 2);
}

TEST_CASE("results of modules: hooks see and replace the output", "[nn]") {
  const Encoder encoder;
  encoder.register_forward_hook([](const nn::Module&, const Tensor& y) { return y * 0 + 7; });
  int backward = 0;
  encoder.register_backward_hook([&](const nn::Module&, const Tensor&) {
    ++backward;
    return Tensor();
  });
  const Encoded y = encoder(amp::ones({1, 2}));
  CHECK(y.output.to_vector<float>() == std::vector<float>{7, 7});
  CHECK(y.norm.item<float>() == 2);
  amp::sum(y.output).backward();
  CHECK(backward == 1);
}

TEST_CASE("results of modules: hooks see the data of packed sequences, and h of states", "[nn]") {
  const auto seven = [](const nn::Module&, const Tensor& y) { return y * 0 + 7; };
  const nn::LSTM lstm(1, 1);
  lstm.register_forward_hook(seven);
  const amp::PackedSequence packed =
      amp::pack_padded_sequence(amp::ones({2, 1, 1}), std::vector<std::int64_t>{2});
  CHECK(lstm(packed).output.data.to_vector<float>() == std::vector<float>{7, 7});
  const nn::LSTMCell cell(1, 1);
  cell.register_forward_hook(seven);
  const amp::LstmState state = cell(amp::ones({1, 1}));
  CHECK(state.h.item<float>() == 7);
  CHECK(state.c.item<float>() != 7);
}

TEST_CASE("results of modules: hooks of a module without an output are refused", "[nn]") {
  const Policy policy;
  CHECK(policy(amp::zeros({1})).deviation.item<float>() == 1);
  amp::HookHandle handle =
      policy.register_forward_hook([](const nn::Module&, const Tensor&) { return Tensor(); });
  CHECK(error_of([&] { (void)policy(amp::zeros({1})); }) ==
        "Policy: hooks of a module see the tensor that it returns, or the member `output` of a "
        "struct, but this module returns neither");
}

TEST_CASE("results of modules: errors name the path, as those of other modules", "[nn]") {
  const std::string error = error_of([] { (void)Net()(amp::ones({1, 3})); });
  CHECK(error.starts_with("encoder.fc: linear: "));
}

}  // namespace module_results
