// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The kernels over lists of tensors, device against host, bit for bit: unscale, norm, clip, the
// update of the scale, optimizers. The lists mix dtypes and are longer than one launch takes.
#include <amp/kernels/backend.hpp>
#include <amp/kernels/optim/adadelta.hpp>
#include <amp/kernels/optim/adafactor.hpp>
#include <amp/kernels/optim/adagrad.hpp>
#include <amp/kernels/optim/adam.hpp>
#include <amp/kernels/optim/adamax.hpp>
#include <amp/kernels/optim/average.hpp>
#include <amp/kernels/optim/host.hpp>
#include <amp/kernels/optim/lamb.hpp>
#include <amp/kernels/optim/lion.hpp>
#include <amp/kernels/optim/nadam.hpp>
#include <amp/kernels/optim/radam.hpp>
#include <amp/kernels/optim/rmsprop.hpp>
#include <amp/kernels/optim/sgd.hpp>
#include <amp/kernels/unscale/host.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "cuda/on_both.hpp"
#include "support/catch.hpp"

namespace cuda_optim {
namespace {

namespace k = amp::kernels;
using Tensors = std::vector<amp::Tensor>;

constexpr std::int64_t kSizes[] = {1, 0, 31, 257, 4095, 4096, 4097, 70001, 512, 3};
constexpr amp::DType kDTypes[] = {amp::kFloat32,  amp::kFloat16,    amp::kFloat64,
                                  amp::kBFloat16, amp::kFloat8E5M2, amp::kFloat8E4M3};

/// `count` tensors of different sizes and dtypes. `dtypes`: how many of kDTypes.
Tensors some(std::size_t count, std::size_t dtypes, double factor, std::size_t turn = 0) {
  Tensors list;
  for (std::size_t i = 0; i < count; ++i)
    list.push_back((amp::randn({kSizes[i % 10]}) * factor).to(kDTypes[(i / 2 + turn) % dtypes]));
  return list;
}
Tensors on(amp::Device device, const Tensors& list) {
  Tensors copies;
  for (const amp::Tensor& tensor : list) copies.push_back(tensor.to(device).clone());
  return copies;
}
amp::Tensor number(amp::Device device, double value) { return amp::full({}, value).to(device); }
float* word(const amp::Tensor& tensor) { return tensor.data<float>(); }

std::string bits(const amp::Tensor& tensor) {
  std::string bytes(static_cast<std::size_t>(tensor.numel() * item_size(tensor.dtype())), '\0');
  amp::copy_bytes(amp::kCPU, bytes.data(), tensor.device(), tensor.raw_data(),
                  static_cast<std::int64_t>(bytes.size()));
  return bytes;
}
void check_equal(const Tensors& host, const Tensors& device) {
  REQUIRE(host.size() == device.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    INFO("tensor " << i << ", " << amp::name(host[i].dtype()) << " of " << host[i].numel());
    CHECK(device[i].device() == amp::Device(amp::kCUDA));
    if (cuda_test::kOwnMath && amp::is_floating_point(host[i].dtype())) {  // schedules, powers
      CHECK(cuda_test::difference(host[i], device[i]) <= 4 * cuda_test::tolerance(host[i].dtype()));
    } else {
      CHECK((bits(host[i]) == bits(device[i])));
    }
  }
}

std::vector<k::GradientSpan> spans_of(const Tensors& list) {
  std::vector<k::GradientSpan> spans;
  for (const amp::Tensor& g : list) spans.push_back({g.raw_data(), g.numel(), g.dtype()});
  return spans;
}
std::int64_t size(const std::vector<k::GradientSpan>& spans) {
  return static_cast<std::int64_t>(spans.size());
}

/// The same on host and device: action(device, copies) returns what else is to be equal.
template <class Action>
void compare(const Tensors& list, Action&& action) {
  const Tensors host = on(amp::kCPU, list), device = on(amp::kCUDA, list);
  const Tensors of_host = action(amp::kCPU, host), of_device = action(amp::kCUDA, device);
  check_equal(of_host, of_device);
  check_equal(host, device);
}
/// Calls the kernel of the device.
#define AMP_TEST_RUN(op, args) \
  (device.type == amp::kCPU ? k::host::op(args) : k::backend(amp::kCUDA)->op(args))

template <class Rule>
void step_on(amp::Device device, const k::OptimizerArgs<Rule>& args) {
  device.type == amp::kCPU ? k::host::optimizer_step(args)
                           : k::backend(amp::kCUDA)->optimizers.of<Rule>()(args);
}

TEST_CASE("cuda unscale: values and flag are the host's", "[cuda]") {
  amp::manual_seed(1);
  for (const double inverse : {1.0 / 1024, 1.0 / 3, 1.0, 4096.0}) {
    for (const bool write : {true, false}) {
      for (int bad = 0; bad < 4; ++bad) {
        INFO(inverse << " " << write << " " << bad);
        const Tensors list = some(70, 6, bad == 3 ? 0x1p12 : 1.0);
        if (bad == 1) list[67].narrow(0, 70000, 1).fill_(-HUGE_VAL);
        if (bad == 2) list[4].narrow(0, 5, 1).fill_(std::numeric_limits<double>::quiet_NaN());
        compare(list, [&](amp::Device device, const Tensors& gradients) {
          const auto spans = spans_of(gradients);
          const amp::Tensor factor = number(device, inverse), found = number(device, 0);
          const k::UnscaleArgs args{device,       spans.data(), size(spans),
                                    word(factor), word(found),  write};
          AMP_TEST_RUN(unscale, args);
          if (bad == 1 || bad == 2) CHECK(found.item<float>() == 1);
          return Tensors{found};
        });
      }
    }
  }
}

TEST_CASE("cuda unscale: no gradients leave the flag as it is", "[cuda]") {
  const amp::Tensor found = number(amp::kCUDA, 5), one = number(amp::kCUDA, 1);
  k::backend(amp::kCUDA)->unscale({amp::kCUDA, nullptr, 0, word(one), word(found), true});
  CHECK(found.item<float>() == 5);
}

TEST_CASE("cuda grad_norm and clip: values are the host's", "[cuda]") {
  amp::manual_seed(2);
  for (const std::size_t count : {0U, 1U, 2U, 8U, 33U, 70U}) {
    for (const double max_norm : {0.5, 1e9}) {
      for (const bool bad : {false, true}) {
        for (const bool flags : {false, true}) {
          INFO(count << " " << max_norm << " " << bad << " " << flags);
          const Tensors list = some(count, 4, 3.0);
          if (bad && count > 5) list[5].narrow(0, 9, 1).fill_(HUGE_VAL);
          compare(list, [&](amp::Device device, const Tensors& gradients) {
            const auto spans = spans_of(gradients);
            const amp::Tensor inverse = number(device, 0.3), found = number(device, 0);
            const amp::Tensor norm = number(device, -1), coefficient = number(device, -1);
            float* const flag = flags ? word(found) : nullptr;
            const k::GradNormArgs norm_args{
                device,     spans.data(),      size(spans), flags ? word(inverse) : nullptr,
                word(norm), word(coefficient), flag,        max_norm};
            AMP_TEST_RUN(grad_norm, norm_args);
            if (flags) CHECK(found.item<float>() == (bad && count > 5 ? 1 : 0));
            const k::ClipArgs clip_args{device, spans.data(), size(spans), word(coefficient), flag};
            AMP_TEST_RUN(clip, clip_args);
            CHECK(norm.item<float>() >= 0);
            return Tensors{norm, coefficient, found};
          });
        }
      }
    }
  }
}

TEST_CASE("cuda update_scale: every policy moves as on the host", "[cuda]") {
  for (int policy = 0; policy <= static_cast<int>(amp::ScalePolicy::kNone); ++policy) {
    for (const std::size_t count : {1U, 3U, 64U, 65U, 200U}) {
      INFO(policy << " " << count);
      amp::GradScalerOptions options{.growth_interval = 3, .hysteresis = 2, .overflow_share = 0.3};
      options.policy = static_cast<amp::ScalePolicy>(policy);
      const amp::GradScalerState start = amp::detail::initial_state(options);
      compare({}, [&](amp::Device device, const Tensors&) {
        const k::ScaleState live = amp::detail::live_part(start);
        const amp::Tensor state = amp::empty({static_cast<std::int64_t>(sizeof live)},
                                             {.dtype = amp::kUInt8, .device = device});
        amp::copy_bytes(device, state.raw_data(), amp::kCPU, &live, sizeof live);
        const amp::Tensor good = number(device, 0), bad = number(device, 2);
        Tensors states;
        for (std::size_t step = 0; step < 40; ++step) {
          std::vector<const float*> found(count, nullptr);
          std::vector<k::StepOutcome> counts(count, k::StepOutcome::kStepped);
          for (std::size_t i = 0; i < count; ++i) {
            const std::size_t draw = (step * 7919 + i * 104729) % 13;
            if (step % 11 != 0) found[i] = draw == 1 ? nullptr : word(good);
            if (draw > 10) counts[i] = k::StepOutcome::kSkipped;
            if (draw == 7) counts[i] = k::StepOutcome::kNone;
          }
          if (step % 5 > 2) found[step % count] = word(bad);
          const k::UpdateScaleArgs args{device,
                                        reinterpret_cast<k::ScaleState*>(state.raw_data()),
                                        amp::detail::rule_of(start),
                                        found.data(),
                                        counts.data(),
                                        static_cast<std::int64_t>(count)};
          AMP_TEST_RUN(update_scale, args);
          states.push_back(state.clone());
        }
        return states;
      });
    }
  }
}

const amp::Schedule kSchedules[] = {
    {},
    amp::step_schedule(2, 0.5),
    amp::cosine_schedule(5),
    amp::one_cycle_schedule(6),
    amp::cosine_schedule(9, 0.01).after_warmup(3),
    amp::cosine_restarts_schedule(1, 2).after_warmup(2),
    amp::chained_schedule({amp::multistep_schedule({1, 4}, 0.5), amp::polynomial_schedule(7, 1.5)}),
    amp::sequence_schedule({amp::constant_schedule(0.5, 2), amp::cyclic_schedule(0.2, 2, 3)}, {2})};

/// What a step reads, on one device.
struct Words {
  amp::Tensor inverse, low, clip, found, applied;

  explicit Words(amp::Device device)
      : inverse(number(device, 1.0 / 3)),
        low(number(device, 1.0 / 7)),
        clip(number(device, 0.7)),
        found(number(device, 0)),
        applied(amp::zeros({}, {.dtype = amp::kInt64, .device = device})) {}
  amp::GradScale scale(std::size_t step) const {
    found.fill_(step == 2 ? 1 : 0);  // skipped
    if (step == 0) return {};
    return {.inverse = word(inverse),
            .found_inf = word(found),
            .clip = step % 2 == 0 ? word(clip) : nullptr,
            .inverse_low_precision = step == 3 ? word(low) : nullptr};
  }
};
constexpr std::size_t kSteps = 6;
constexpr std::int64_t kFirst = 34;  // parameters of the first group: more than one launch lists

/// Gradients of the sizes of the parameters, in other dtypes.
Tensors gradients_for(std::size_t step) {
  amp::manual_seed(100 + step);
  return some(70, 6, 0.5, step);
}

/// kSteps of three groups, the last of them empty: parameters, states and counts are the host's.
/// rule(variant, group) gives the hyperparameters.
template <class Rule>
void check_rule(std::size_t variants, Rule (*rule)(std::size_t variant, std::size_t group)) {
  constexpr int kAll = Rule::kStates + 2;  // of each parameter: states, count, product
  for (std::size_t variant = 0; variant < variants; ++variant) {
    INFO("variant " << variant);
    amp::manual_seed(3);
    compare(some(70, 4, 1.0), [&](amp::Device device, const Tensors& parameters) {
      const Words words(device);
      Tensors all;
      for (const amp::Tensor& p : parameters) {
        for (int s = 0; s < Rule::kStates; ++s) all.push_back(amp::zeros_like(p));
        all.push_back(amp::zeros({}, {.dtype = amp::kInt64, .device = device}));
        all.push_back(amp::ones({}, {.dtype = amp::kFloat64, .device = device}));
      }
      for (std::size_t step = 0; step < kSteps; ++step) {
        const Tensors gradients = on(device, gradients_for(step));
        std::vector<k::OptimizerParameter<Rule>> list;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
          if (step == 1 && i % 3 == 0) continue;  // has no gradient: its count stays behind
          const amp::Tensor* const own = &all[i * kAll];
          const Rule of_group = rule(variant, list.size() < kFirst ? 0 : 1);
          std::int64_t* const count = own[Rule::kStates].template data<std::int64_t>();
          list.push_back({.parameter = parameters[i].raw_data(),
                          .gradient = gradients[i].raw_data(),
                          .states = {},
                          .step = k::counts_steps(of_group) ? count : nullptr,
                          .numel = parameters[i].numel(),
                          .dtype = parameters[i].dtype(),
                          .gradient_dtype = gradients[i].dtype(),
                          .state_dtype = parameters[i].dtype()});
          for (int s = 0; s < Rule::kStates; ++s)
            if (of_group.keeps_state(s)) list.back().states[s] = own[s].raw_data();
          list.back().product = own[Rule::kStates + 1].template data<double>();
        }
        const auto remaining = static_cast<std::int64_t>(list.size()) - kFirst;
        k::OptimizerGroup<Rule> groups[3];
        for (std::size_t g = 0; g < 3; ++g) {
          groups[g] = {.parameters = list.data() + (g == 0 ? 0 : kFirst),
                       .count = g == 0   ? kFirst
                                : g == 1 ? remaining
                                         : 0,
                       .settings = {.lr = {g == 0 ? 0.1 : 0.07,
                                           kSchedules[(2 * variant + g) % std::size(kSchedules)]},
                                    .rule = rule(variant, g),
                                    .maximize = variant == 1 && g == 1}};
        }
        step_on<Rule>(device, {.device = device,
                               .groups = groups,
                               .count = 3,
                               .applied = words.applied.data<std::int64_t>(),
                               .scale = words.scale(step)});
      }
      CHECK(words.applied.item<std::int64_t>() == kSteps - 1);
      all.push_back(words.applied);
      return all;
    });
  }
}

TEST_CASE("cuda sgd: parameters, momenta and counts are the host's", "[cuda][values]") {
  check_rule<k::SgdRule>(5, [](std::size_t variant, std::size_t g) {
    return k::SgdRule{.momentum = variant == 0 ? 0 : 0.9,
                      .weight_decay = variant % 2 == g ? 0.05 : 0,
                      .nesterov = variant > 2};
  });
}

TEST_CASE("cuda adam: parameters, moments and counts are the host's", "[cuda][values]") {
  check_rule<k::AdamRule>(5, [](std::size_t variant, std::size_t g) {
    return k::AdamRule{.beta2 = g == 0 ? 0.99 : 0.98,
                       .eps = 1e-6,
                       .weight_decay = variant % 2 == g ? 0.05 : 0,
                       .decoupled = variant > 1};
  });
}

TEST_CASE("cuda lion: parameters, moments and counts are the host's", "[cuda]") {
  check_rule<k::LionRule>(2, [](std::size_t variant, std::size_t g) {
    return k::LionRule{.beta2 = g == 0 ? 0.99 : 0.9, .weight_decay = variant % 2 == g ? 0.05 : 0};
  });
}

TEST_CASE("cuda lamb: parameters, moments and counts are the host's", "[cuda]") {
  check_rule<k::LambRule>(2, [](std::size_t variant, std::size_t g) {
    return k::LambRule{.beta2 = g == 0 ? 0.99 : 0.98, .weight_decay = variant % 2 == g ? 0.05 : 0};
  });
}

TEST_CASE("cuda adafactor: steps along given directions are the host's", "[cuda]") {
  check_rule<k::AdafactorRule>(2, [](std::size_t variant, std::size_t g) {
    return k::AdafactorRule{.eps2 = variant == 0 ? 1e-3 : 2,
                            .d = g == 0 ? 1 : 1.5,
                            .weight_decay = variant % 2 == g ? 0.05 : 0};
  });
}

TEST_CASE("cuda adam: amsgrad and dampening are the host's, beside groups without", "[cuda]") {
  check_rule<k::AdamRule>(4, [](std::size_t variant, std::size_t g) {
    return k::AdamRule{.beta1 = variant == 3 ? 0.3 : 0.9,
                       .beta2 = 0.98,
                       .weight_decay = 0.05,
                       .decoupled = variant == 2,
                       .amsgrad = variant % 2 != g};
  });
  check_rule<k::SgdRule>(2, [](std::size_t variant, std::size_t g) {
    return k::SgdRule{.momentum = 0.9, .dampening = variant != g ? 0.4 : 0};
  });
}

TEST_CASE("cuda optimizers: the bits of all other rules are the host's", "[cuda]") {
  check_rule<k::RMSpropRule>(4, [](std::size_t variant, std::size_t g) {
    return k::RMSpropRule{.eps = 1e-4,
                          .weight_decay = variant % 2 == g ? 0.05 : 0,
                          .momentum = variant > 1 ? 0.8 : 0,
                          .centered = variant % 2 != g};
  });
  check_rule<k::AdagradRule>(2, [](std::size_t variant, std::size_t g) {
    return k::AdagradRule{.lr_decay = static_cast<double>(variant) * 0.1,
                          .weight_decay = g == 0 ? 0.05 : 0};
  });
  check_rule<k::AdadeltaRule>(
      2, [](std::size_t, std::size_t g) { return k::AdadeltaRule{.rho = g == 0 ? 0.9 : 0.4}; });
  check_rule<k::AdamaxRule>(
      2, [](std::size_t, std::size_t g) { return k::AdamaxRule{.beta1 = g == 0 ? 0.9 : 0.4}; });
  check_rule<k::NAdamRule>(2, [](std::size_t variant, std::size_t g) {
    return k::NAdamRule{.weight_decay = g == 0 ? 0.05 : 0, .decoupled = variant == 1};
  });
  check_rule<k::RAdamRule>(2, [](std::size_t variant, std::size_t g) {
    return k::RAdamRule{
        .beta2 = variant == 0 ? 0.999 : 0.6, .weight_decay = 0.05, .decoupled = g == 1};
  });
}

TEST_CASE("cuda averages: the bits are the host's", "[cuda]") {
  check_rule<k::AverageRule>(3, [](std::size_t variant, std::size_t g) {
    return k::AverageRule{
        .decay = g == 0 ? 0.9 : 0.3, .equal = variant == 1, .warmup = variant == 2};
  });
}

template <class... Rules>
void count_all(const k::OptimizerKernels<Rules...>*) {
  for (const amp::Device device : {amp::Device(amp::kCPU), amp::Device(amp::kCUDA)}) {
    const Words words(device);
    const auto step = [&](auto args) {
      args.device = device;
      args.applied = words.applied.data<std::int64_t>();
      step_on(device, args);
    };
    (step(k::OptimizerArgs<Rules>{}), ...);
    CHECK(words.applied.item<std::int64_t>() == sizeof...(Rules));
  }
}

TEST_CASE("cuda optimizers: a step over nothing is counted, as on the host", "[cuda]") {
  count_all(&k::backend(amp::kCUDA)->optimizers);
}

}  // namespace
}  // namespace cuda_optim
