// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The place in the random stream, as a value: to go back there is to draw the same again.
#include <amp/amp.hpp>

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace rng_state {
namespace {

using amp::RngState;

/// Draws in every way there is.
std::vector<float> draw() {
  std::vector<float> values = amp::rand({5}).to_vector<float>();
  const auto append = [&](const amp::Tensor& tensor) {
    for (const float x : tensor.to_vector<float>()) values.push_back(x);
  };
  append(amp::randn({2, 3}));
  append(amp::dropout(amp::ones({101}), 0.5));
  append(amp::rand({7}, {.dtype = amp::kFloat16}));
  return values;
}

}  // namespace

TEST_CASE("rng state: going back repeats rand, randn and dropout", "[tensor]") {
  amp::manual_seed(3);
  (void)draw();
  const RngState begin = amp::get_rng_state();
  const std::vector<float> first = draw();
  const RngState middle = amp::get_rng_state();
  const std::vector<float> second = draw();
  const RngState end = amp::get_rng_state();
  CHECK(first != second);

  amp::manual_seed(4);
  CHECK(draw() != first);
  amp::set_rng_state(begin);
  CHECK(draw() == first);
  CHECK(amp::get_rng_state() == middle);
  CHECK(draw() == second);
  CHECK(amp::get_rng_state() == end);
  amp::set_rng_state(middle);
  CHECK(draw() == second);
}

TEST_CASE("rng state: to ask draws nothing", "[tensor]") {
  amp::manual_seed(5);
  const std::vector<float> first = draw(), second = draw();
  amp::manual_seed(5);
  CHECK(draw() == first);
  CHECK(amp::get_rng_state() == amp::get_rng_state());
  amp::set_rng_state(amp::get_rng_state());
  CHECK(draw() == second);
}

TEST_CASE("rng state: a seed begins its stream", "[tensor]") {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{6}, UINT64_MAX}) {
    amp::manual_seed(seed);
    CHECK(amp::get_rng_state() == RngState{.seed = seed, .offset = 0});
    const std::vector<float> first = draw();
    CHECK(amp::get_rng_state().seed == seed);
    CHECK(amp::get_rng_state().offset > 0);
    amp::set_rng_state({.seed = seed});
    CHECK(draw() == first);
  }
}

TEST_CASE("rng state: states are equal where seed and offset are", "[tensor]") {
  CHECK(RngState{} == RngState{.seed = 0, .offset = 0});
  CHECK(RngState{.seed = 1, .offset = 2} == RngState{.seed = 1, .offset = 2});
  CHECK(RngState{.seed = 1, .offset = 2} != RngState{.seed = 1, .offset = 3});
  CHECK(RngState{.seed = 1, .offset = 2} != RngState{.seed = 2, .offset = 2});
  amp::set_rng_state({.seed = 8, .offset = 1000});
  CHECK(amp::get_rng_state() == RngState{.seed = 8, .offset = 1000});
  (void)amp::rand({8});
  CHECK(amp::get_rng_state() == RngState{.seed = 8, .offset = 1002});  // two blocks of four
  (void)amp::rand({0});
  (void)amp::zeros({8});
  CHECK(amp::get_rng_state() == RngState{.seed = 8, .offset = 1002});
}

}  // namespace rng_state
