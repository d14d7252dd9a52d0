// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One element that is not finite among those of 5,000 tensors of every dtype: found wherever it
// stands, and nothing else changes.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "scaler/reference.hpp"
#include "support/catch.hpp"

namespace planted_inf {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kTensors = 5000;
constexpr std::int64_t kChunk = std::int64_t{1} << 16;
constexpr amp::DType kDTypes[] = {amp::kFloat64,  amp::kFloat32,    amp::kFloat16,
                                  amp::kBFloat16, amp::kFloat8E4M3, amp::kFloat8E5M2};

/// Sizes from 1 element on; with `large`, some of several chunks in the middle of the list.
std::int64_t size_of(std::size_t i, bool large, scaler_test::Dice& dice) {
  constexpr std::int64_t kLarge[] = {kChunk - 1, kChunk, kChunk + 1, 2 * kChunk, 1, 3 * kChunk + 7};
  constexpr std::size_t kFirstLarge = 2400;  // a multiple of 6: one of each dtype
  if (large && i >= kFirstLarge && i < kFirstLarge + std::size(kLarge))
    return kLarge[i - kFirstLarge];
  if (i % 499 == 0) return static_cast<std::int64_t>(1 + dice.below(3000));
  return static_cast<std::int64_t>(1 + dice.below(16));
}

/// 5,000 gradients in one piece of memory, and one parameter of a byte for each byte of them.
struct Arena {
  std::vector<amp::TensorView> views;
  Bytes memory, parameters;

  explicit Arena(bool large) {
    scaler_test::Dice dice(1);
    std::vector<std::size_t> offsets;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < kTensors; ++i) {
      const amp::DType dtype = kDTypes[i % std::size(kDTypes)];
      const std::int64_t numel = size_of(i, large, dice);
      bytes = (bytes + 7) / 8 * 8;
      offsets.push_back(bytes);
      bytes += static_cast<std::size_t>(numel * amp::item_size(dtype));
      views.push_back({nullptr, numel, dtype});
    }
    memory.resize(bytes);
    parameters.assign(bytes, 7);
    for (std::size_t i = 0; i < kTensors; ++i) {
      views[i].data = memory.data() + offsets[i];
      amp::visit_dtype(views[i].dtype, [&](auto tag) { fill<typename decltype(tag)::type>(i); });
    }
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

 private:
  template <class T>
  void fill(std::size_t i) {
    T* const data = static_cast<T*>(views[i].data);
    for (std::int64_t j = 0; j < views[i].numel; ++j) {
      // Subnormal, small, ordinary and the largest finite numbers, of both signs.
      constexpr float kValues[] = {0, 1, -1.5F, 0.25F, -0.0F, 3, -100, 0x1p-9F};
      data[j] = static_cast<T>(kValues[static_cast<std::size_t>(j + static_cast<int>(i)) % 8]);
    }
    if (i % 5 == 0) data[views[i].numel / 3] = std::numeric_limits<T>::max();
    if (i % 7 == 0) data[views[i].numel / 4] = std::numeric_limits<T>::lowest();
    if (i % 11 == 0) data[views[i].numel / 5] = std::numeric_limits<T>::denorm_min();
  }
};

/// An optimizer over some of them. A step that is taken changes every parameter there is.
struct Part {
  Arena* arena;
  std::span<const amp::TensorView> views;
  int steps = 0;

  std::span<const amp::TensorView> gradients() const { return views; }
  void step() {
    ++steps;
    if (arena == nullptr) return;
    for (std::uint8_t& byte : arena->parameters) ++byte;
  }
};
struct AwarePart : Part {
  using Part::step;
  void step(const amp::GradScale& scale) {
    if (*scale.found_inf == 0) step();
  }
};

/// Every value that is not finite, as the bytes of an element; a few of the NaN.
std::vector<Bytes> bad_values(amp::DType dtype) {
  std::vector<Bytes> all;
  const auto add = [&](auto bits) {
    Bytes bytes(sizeof bits);
    std::memcpy(bytes.data(), &bits, sizeof bits);
    all.push_back(bytes);
  };
  const auto add_all = [&](auto infinity, auto sign) {  // positive infinity's bits
    using Bits = decltype(infinity);
    const auto quiet = static_cast<Bits>(infinity | (sign - infinity) >> 1);
    for (const Bits bits : {infinity, static_cast<Bits>(infinity | sign), quiet,
                            static_cast<Bits>(infinity + 1), static_cast<Bits>(~Bits{0})})
      add(bits);
  };
  switch (dtype) {
    case amp::kFloat64:
      add_all(std::uint64_t{0x7ff0'0000'0000'0000}, std::uint64_t{1} << 63);
      break;
    case amp::kFloat32:
      add_all(std::uint32_t{0x7f80'0000}, std::uint32_t{1} << 31);
      break;
    case amp::kFloat16:
      add_all(std::uint16_t{0x7c00}, std::uint16_t{0x8000});
      break;
    case amp::kBFloat16:
      add_all(std::uint16_t{0x7f80}, std::uint16_t{0x8000});
      break;
    case amp::kFloat8E5M2:
      add_all(std::uint8_t{0x7c}, std::uint8_t{0x80});
      break;
    default:  // float8_e4m3fn: two NaN, no infinity
      add(std::uint8_t{0x7f});
      add(std::uint8_t{0xff});
  }
  return all;
}

/// The places of a tensor where an element is planted: first, middle, last, and beside the seams of
/// chunks.
std::vector<std::int64_t> places(std::int64_t numel) {
  std::vector<std::int64_t> all = {0, numel / 2, numel - 1};
  for (std::int64_t seam = kChunk; seam < numel; seam += kChunk) {
    all.push_back(seam - 1);
    all.push_back(seam);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// An element to plant.
struct Plant {
  std::size_t tensor;
  std::int64_t place;
  Bytes value;
};

/// All plants in the tensors [first, last), the values by turns.
std::vector<Plant> plants(const Arena& arena, std::size_t first, std::size_t last) {
  std::vector<Plant> all;
  for (std::size_t t = first; t < last; ++t) {
    const std::vector<Bytes> values = bad_values(arena.views[t].dtype);
    for (const std::int64_t place : places(arena.views[t].numel))
      all.push_back({t, place, values[all.size() % values.size()]});
  }
  return all;
}

/// Takes every stride-th plant: `parts` optimizers share the tensors, and a cycle plants one
/// element in each.
template <class Optimizer>
void plant_everywhere(bool large, std::size_t parts, std::size_t stride) {
  Arena arena(large);
  const Bytes gradients = arena.memory, parameters = arena.parameters;
  // A scale-aware optimizer's gradients are only read. With a scale of 1 unscaling in place is to
  // change no bit either.
  constexpr bool kAware = amp::ScaleAwareOptimizer<Optimizer>;
  amp::GradScaler scaler(
      {.init_scale = kAware ? 4.0 : 1.0, .policy = amp::ScalePolicy::kStatic, .on_skips = {}});
  scaler_test::start(scaler);
  std::vector<Optimizer> optimizers;
  std::vector<std::vector<Plant>> to_plant;
  std::size_t cycles = 0;
  for (std::size_t k = 0; k < parts; ++k) {
    const std::size_t first = k * kTensors / parts, last = (k + 1) * kTensors / parts;
    optimizers.push_back({&arena, std::span(arena.views).subspan(first, last - first)});
    to_plant.push_back(plants(arena, first, last));
    cycles = std::max(cycles, to_plant.back().size());
  }

  std::string wrong;
  std::int64_t planted = 0;
  for (std::size_t i = 0; i < cycles && wrong.empty(); i += stride) {
    std::vector<std::pair<std::uint8_t*, Bytes>> before;
    for (std::size_t k = 0; k < parts; ++k) {
      if (i >= to_plant[k].size()) continue;
      const Plant& plant = to_plant[k][i];
      const amp::TensorView& view = arena.views[plant.tensor];
      auto* const at =
          static_cast<std::uint8_t*>(view.data) + plant.place * amp::item_size(view.dtype);
      before.emplace_back(at, Bytes(at, at + plant.value.size()));
      std::copy(plant.value.begin(), plant.value.end(), at);
      if (!scaler.step(optimizers[k]).skipped() || optimizers[k].steps != 0) {
        wrong = std::string(amp::name(view.dtype)) + ", tensor " + std::to_string(plant.tensor) +
                ", element " + std::to_string(plant.place) + " of " + std::to_string(view.numel);
      }
      ++planted;
    }
    scaler.update();
    // The planted elements themselves may have become other NaN.
    for (const auto& [at, bytes] : before) std::copy(bytes.begin(), bytes.end(), at);
    if (arena.memory != gradients) wrong += " changed another gradient";
    if (arena.parameters != parameters) wrong += " changed a parameter";
  }
  CHECK(wrong == "");
  CHECK(scaler.counters().skipped == planted);
  CHECK(scaler.counters().applied == 0);
  // And without one, nothing is found.
  for (Optimizer& optimizer : optimizers) {
    CHECK_FALSE(scaler.step(optimizer).skipped());
    CHECK(optimizer.steps == 1);
  }
  CHECK((arena.memory == gradients));  // in brackets: not to be printed
}

}  // namespace

TEST_CASE("planted: at the first, a middle and the last element of any of 5,000 tensors") {
  plant_everywhere<AwarePart>(false, 10, 1);
}

TEST_CASE("planted: in 5,000 tensors of one optimizer, some of several chunks") {
  plant_everywhere<AwarePart>(true, 1, 61);
}

TEST_CASE("planted: unscaled in place, the other gradients keep every bit") {
  plant_everywhere<Part>(true, 1, 67);
}

TEST_CASE("planted: in a tensor of several chunks, at every seam") {
  constexpr std::size_t kLargest = 2405;
  Arena arena(true);
  for (const Plant& plant : plants(arena, 2400, kLargest + 1)) {
    const amp::TensorView& view = arena.views[plant.tensor];
    INFO(amp::name(view.dtype) << ", element " << plant.place << " of " << view.numel);
    AwarePart optimizer{{&arena, std::span(&view, 1)}};
    auto* const at =
        static_cast<std::uint8_t*>(view.data) + plant.place * amp::item_size(view.dtype);
    const Bytes before(at, at + plant.value.size());
    std::copy(plant.value.begin(), plant.value.end(), at);
    amp::GradScaler scaler;
    scaler_test::start(scaler);
    CHECK(scaler.step(optimizer).skipped());
    std::copy(before.begin(), before.end(), at);
  }
  CHECK(arena.views[kLargest].numel > 3 * kChunk);
}

TEST_CASE("planted: every value that is not finite, of every dtype, alone and among others") {
  for (const amp::DType dtype : kDTypes) {
    for (const Bytes& bad : bad_values(dtype)) {
      for (const std::int64_t numel : {1, 2, 1000}) {
        Bytes memory(static_cast<std::size_t>(numel * amp::item_size(dtype)), 1);
        std::copy(bad.begin(), bad.end(), memory.end() - static_cast<std::ptrdiff_t>(bad.size()));
        const amp::TensorView view{memory.data(), numel, dtype};
        AwarePart optimizer{{nullptr, std::span(&view, 1)}};
        amp::GradScaler scaler;
        scaler_test::start(scaler);
        INFO(amp::name(dtype) << ", bits " << int{bad[0]} << " " << int{bad.back()});
        CHECK(scaler.step(optimizer).skipped());
        CHECK(optimizer.steps == 0);
      }
    }
  }
}

TEST_CASE("planted: no finite value of 8 or 16 bits is taken for one that is not") {
  const auto check_all = [](auto tag) {
    using T = typename decltype(tag)::type;
    using Bits = decltype(T{}.bits());
    std::vector<T> all;
    for (std::uint32_t bits = 0; bits < (std::uint32_t{1} << 8 * sizeof(T)); ++bits) {
      const T value = T::from_bits(static_cast<Bits>(bits));
      if (std::isfinite(static_cast<float>(value))) all.push_back(value);
    }
    auto optimizer = scaler_test::make_raw<scaler_test::AwareSGD<T>>({}, {});
    optimizer.gradient = all;
    optimizer.weights.assign(all.size(), 0);
    amp::GradScaler scaler;
    scaler_test::start(scaler);
    INFO(amp::name(amp::dtype_of<T>));
    CHECK_FALSE(scaler.step(optimizer).skipped());
  };
  check_all(std::type_identity<amp::half>{});
  check_all(std::type_identity<amp::bfloat16>{});
  check_all(std::type_identity<amp::float8_e4m3fn>{});
  check_all(std::type_identity<amp::float8_e5m2>{});
}

TEST_CASE("planted: in one of 5,000 parameters of Adam, none of them moves") {
  constexpr amp::DType kOwn[] = {amp::kFloat32, amp::kFloat16, amp::kBFloat16, amp::kFloat64};
  scaler_test::Dice dice(2);
  std::vector<amp::Tensor> parameters;
  for (std::size_t i = 0; i < kTensors; ++i) {
    const amp::Shape shape(1 + dice.below(5));
    const amp::Tensor p = amp::full(shape, 0.5, {.dtype = kOwn[i % 4], .requires_grad = true});
    p.set_grad(amp::full(shape, 4, {.dtype = kOwn[i % 4]}));
    parameters.push_back(p);
  }
  amp::Adam adam(parameters);
  amp::GradScaler scaler({.init_scale = 4, .policy = amp::ScalePolicy::kStatic, .on_skips = {}});
  scaler_test::start(scaler);
  const auto all_are = [&](double value) {
    return std::all_of(parameters.begin(), parameters.end(), [&](const amp::Tensor& p) {
      const std::vector<double> values = p.to_vector<double>();
      return std::all_of(values.begin(), values.end(), [&](double v) { return v == value; });
    });
  };
  for (const std::size_t t : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3},
                              kTensors / 2, kTensors - 2, kTensors - 1}) {
    for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      INFO("tensor " << t << ", " << bad);
      const amp::Tensor last = parameters[t].grad().narrow(0, parameters[t].numel() - 1, 1);
      last.fill_(bad);
      CHECK(scaler.step(adam).skipped());
      scaler.update();
      CHECK(all_are(0.5));
      last.fill_(4);
    }
  }
  CHECK_FALSE(scaler.step(adam).skipped());
  CHECK_FALSE(all_are(0.5));
}

}  // namespace planted_inf
