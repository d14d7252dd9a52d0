// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizers over the user's memory: they equal optimizers over tensors bit for bit, gradients stay
// at their addresses, and views that do not fit are refused. Norms and clipping of such gradients.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optim/view_memory.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace parameter_views {
namespace {

using namespace storage_test;
using amp::half;
using amp::kCPU;
using amp::kFloat16;
using amp::kFloat32;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

/// Three cycles of a scaler with clipping, one of them skipped, then a plain step. Gradients are
/// multiples of powers of two, so that scaling them is exact.
void train(const Case& c, DType gradient_dtype) {
  const Tensors params = parameters(c.dtype, kCPU);
  const auto tensors = make(c, params);
  const ViewedModel viewed(c, params, gradient_dtype);
  amp::GradScaler scalers[2] = {amp::GradScaler({.init_scale = 64}),
                                amp::GradScaler({.init_scale = 64})};
  for (amp::GradScaler& scaler : scalers) (void)scaler.scale_data(kCPU);
  for (int step = 0; step < 4; ++step) {
    set_gradients(params, step, gradient_dtype, step == 3 ? 1 : scalers[0].get_scale());
    if (step == 1) params[1].grad().fill_(HUGE_VAL);
    viewed.set_gradients(params);
    if (step == 3) {
      tensors->step();
      viewed.optimizer->step();
    } else {
      for (int k = 0; k < 2; ++k) {
        amp::Optimizer& optimizer = k == 0 ? *tensors : *viewed.optimizer;
        if (step == 0) (void)scalers[k].unscale_and_clip(optimizer, 1.0);
        if (step == 2) scalers[k].unscale_(optimizer);
        CHECK(scalers[k].step(optimizer).skipped() == (step == 1));
        scalers[k].update();
      }
    }
    const Tensors shown(viewed.weights.parts.begin(), viewed.weights.parts.end());
    CHECK(bits_of(shown, *viewed.optimizer) == bits_of(params, *tensors));
    for (std::size_t i = 0; i < params.size(); ++i)
      CHECK(bits_of(viewed.gradients.parts[i]) == bits_of(params[i].grad()));
  }
}

/// A parameter of four float32 elements with gradients of type T.
template <class T = float>
struct Four {
  float weights[4] = {1, 2, 3, 4};
  T gradients[4] = {T(1.0F), T(2.0F), T(3.0F), T(4.0F)};
  half low[4] = {};

  amp::ParameterView view() {
    return {.weight = {weights, 4, kFloat32, kCPU, "w"},
            .gradient = {gradients, 4, amp::dtype_of<T>}};
  }
  amp::ParameterView view_with_copy() {
    amp::ParameterView all = view();
    all.low_precision = {low, 4, kFloat16};
    return all;
  }
  bool copy_is_current() const {
    for (int i = 0; i < 4; ++i)
      if (!(low[i] == half(weights[i]))) return false;
    return true;
  }
};

}  // namespace

TEST_CASE("parameter views: every optimizer steps as over tensors, bit for bit") {
  for (Case c : cases()) {
    for (const DType gradient_dtype : {kFloat32, c.dtype == kFloat32 ? kFloat16 : c.dtype}) {
      for (const bool zero : {false, true}) {
        if (zero && c.formula != Formula::kAdam) continue;
        c.zero_grad = zero;
        INFO(c.text() << ", gradients " << name(gradient_dtype) << ", zero " << zero);
        train(c, gradient_dtype);
      }
    }
  }
}

TEST_CASE("parameter views: a 16-bit copy follows its float32 weight") {
  Four memory;
  amp::SGD optimizer({memory.view_with_copy()}, {.lr = 0.25});
  CHECK(memory.copy_is_current());
  CHECK(memory.low[3] == half(4.0F));
  optimizer.step();
  CHECK(memory.weights[3] == 3);
  CHECK(memory.copy_is_current());
  memory.gradients[0] = HUGE_VALF;  // a skipped step writes nothing
  memory.low[1] = half(7.0F);
  amp::GradScaler scaler;
  (void)scaler.scale_data(kCPU);
  CHECK(scaler.step(optimizer).skipped());
  CHECK(memory.low[1] == half(7.0F));
  optimizer.set_master_weights(std::vector<Tensor>{amp::tensor({9.0F, 8.0F, 7.0F, 6.0F}, {4})});
  CHECK(memory.weights[0] == 9);
  CHECK(memory.copy_is_current());

  amp::bfloat16 other[4];
  Four second;
  amp::ParameterView view = second.view();
  view.low_precision = {other, 4, amp::kBFloat16};
  amp::AdamW adam({view}, {.lr = 0.1});
  adam.step();
  for (int i = 0; i < 4; ++i) CHECK(other[i] == amp::bfloat16(second.weights[i]));
}

TEST_CASE("parameter views: zero_grad writes zeros into the user's memory, and keeps the list") {
  Four<half> memory;
  amp::Adam optimizer({memory.view()});
  optimizer.zero_grad();
  for (const half g : memory.gradients) CHECK(g == half(0.0F));
  const std::vector<amp::TensorView> views = optimizer.gradients();
  REQUIRE(views.size() == 1);
  CHECK(views[0].data == memory.gradients);
  CHECK(views[0].name == "w");
  CHECK(views[0].dtype == kFloat16);
  memory.gradients[0] = half(5.0F);
  optimizer.options().zero_grad = true;
  optimizer.step();
  CHECK(memory.gradients[0] == half(0.0F));
}

TEST_CASE("parameter views: groups have options of their own, and names of views") {
  Four first, second;
  amp::ParameterView unnamed = second.view();
  unnamed.weight.name = {};
  amp::SGD optimizer({{.options = {.lr = 1}, .views = {first.view()}},
                      {.options = {.lr = 0.5}, .views = {unnamed}}});
  CHECK(optimizer.parameter_names() == std::vector<std::string>{"w", "1"});
  CHECK(optimizer.param_groups()[1].params[0].raw_data() == second.weights);
  optimizer.step();
  CHECK(first.weights[3] == 0);
  CHECK(second.weights[3] == 2);
  const Tensor tensor = amp::ones({2}, {.requires_grad = true});  // tensors may be among them
  optimizer.add_param_group({.params = {tensor}, .options = {.lr = 1}});
  tensor.set_grad(amp::ones({2}));
  optimizer.zero_grad();
  CHECK_FALSE(tensor.grad().defined());
  CHECK(second.gradients[3] == 0);
}

TEST_CASE("parameter views: the name may end with the call") {
  Four memory;
  auto name = std::make_unique<std::string>("a name that is longer than a small string holds");
  amp::ParameterView view = memory.view();
  view.weight.name = *name;
  amp::SGD optimizer({view});
  name.reset();
  CHECK(optimizer.gradients()[0].name == "a name that is longer than a small string holds");
}

TEST_CASE("parameter views: a state goes on where it was saved, bit for bit") {
  const Case c{Formula::kAdamW, kFloat16, WeightStorage::kMaster};
  const Tensors params = parameters(c.dtype, kCPU);
  const ViewedModel one(c, params, kFloat16);
  const auto step = [&](const ViewedModel& model, int i) {
    set_gradients(params, i, kFloat16);
    model.set_gradients(params);
    model.optimizer->step();
  };
  for (int i = 0; i < 3; ++i) step(one, i);
  const ViewedModel other(c, one.weights.parts, kFloat16);
  other.optimizer->load_state_dict(one.optimizer->state_dict());
  for (int i = 3; i < 6; ++i) {
    step(one, i);
    step(other, i);
  }
  CHECK(bits_of(one.weights.parts, *one.optimizer) ==
        bits_of(other.weights.parts, *other.optimizer));
  const auto tensors = make(c, parameters(c.dtype, kCPU));  // and in an optimizer over tensors
  CHECK_NOTHROW(tensors->load_state_dict(one.optimizer->state_dict()));
}

TEST_CASE("parameter views: after unscale_, 16-bit gradients wait for the scaler's step") {
  Four<half> memory;
  amp::SGD optimizer({memory.view()}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 4});
  (void)scaler.scale_data(kCPU);
  scaler.unscale_(optimizer);
  CHECK(memory.gradients[3] == half(4.0F));
  CHECK_THAT(error_of([&] { optimizer.step(); }), ContainsSubstring("scaler.step(optimizer)"));
  CHECK(memory.weights[3] == 4);
  scaler.step(optimizer);
  scaler.update();
  CHECK(memory.weights[3] == 3);
  CHECK_NOTHROW(optimizer.step());  // gradients written since have no scale
  CHECK(memory.weights[3] == -1);

  Four<float> plain;  // unscaled in place, so that optimizer.step() is right
  amp::SGD other({plain.view()}, {.lr = 1});
  scaler.unscale_(other);
  other.step();
  scaler.skip_step(other);
  scaler.update();
  CHECK(plain.weights[3] == 3);
}

TEST_CASE("parameter views: a norm is not remembered for memory whose writes go unseen") {
  Four memory;
  amp::SGD optimizer({memory.view()}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 1});
  (void)scaler.scale_data(kCPU);
  for (int cycle = 0; cycle < 2; ++cycle) {  // the second computes the norm with unscale_
    for (float& g : memory.gradients) g = 1;
    scaler.unscale_(optimizer);
    for (float& g : memory.gradients) g = 3;
    CHECK(amp::clip_grad_norm_(optimizer.parameters(), 100.0).item<float>() == 6);
    scaler.step(optimizer);
    scaler.update();
  }
}

TEST_CASE("parameter views: parts that do not fit are refused, and nothing changes") {
  Four memory, second;
  half halves[4] = {};
  std::int32_t integers[4] = {};
  using View = amp::ParameterView;
  const std::pair<const char*, View> bad[] = {
      {"the weight of views[1] bad has 4 elements, but no data",
       {.weight = {nullptr, 4, kFloat32, kCPU, "bad"}, .gradient = {second.gradients, 4}}},
      {"the gradient of views[1] w has 4 elements, but no data",
       {.weight = second.view().weight, .gradient = {nullptr, 4}}},
      {"the gradient of views[1] w has 3 elements on cpu, but the weight has 4",
       {.weight = second.view().weight, .gradient = {second.gradients, 3}}},
      {"has -1 elements", {.weight = {second.weights, -1}, .gradient = {second.gradients, -1}}},
      {"elements on cuda",
       {.weight = second.view().weight,
        .gradient = {second.gradients, 4, kFloat32, amp::Device(amp::kCUDA)}}},
      {"the weight of views[1]  must be floating point, but is int32",
       {.weight = {integers, 4, amp::kInt32}, .gradient = {second.gradients, 4}}},
      {"the gradient of views[1] w must be floating point, but is int32",
       {.weight = second.view().weight, .gradient = {integers, 4, amp::kInt32}}},
      {"at a multiple of the 4 bytes of float32",
       {.weight = second.view().weight,
        .gradient = {reinterpret_cast<char*>(second.gradients) + 2, 3}}},
      {"must be a float16 or bfloat16 copy of a float32 weight, but is float32 beside float32",
       {.weight = second.view().weight,
        .gradient = second.view().gradient,
        .low_precision = {integers, 4, kFloat32}}},
      {"but is float16 beside float16; a 16-bit weight needs none",
       {.weight = {halves, 4, kFloat16},
        .gradient = second.view().gradient,
        .low_precision = {second.low, 4, kFloat16}}},
      {"`low_precision` of views[1] w has 2 elements",
       {.weight = second.view().weight,
        .gradient = second.view().gradient,
        .low_precision = {second.low, 2, kFloat16}}},
      {"the weight of views[1] w shares memory with the weight of views[0]", memory.view()},
      {"the gradient of views[1]  shares memory with the gradient of views[0]",
       {.weight = {second.weights, 1}, .gradient = {memory.gradients + 3, 1}}},
      {"the weight of views[1]  shares memory with the gradient of views[1]",
       {.weight = {second.weights, 3}, .gradient = {second.weights + 2, 3}}},
      {"`low_precision` of views[1]  shares memory with the gradient of views[0]",
       {.weight = {second.weights, 4},
        .gradient = {second.gradients, 4},
        .low_precision = {memory.gradients, 4, kFloat16}}},
      {"two parameters are named \"w\"", second.view()},
  };
  for (const auto& known : bad) {
    const std::string says = known.first;
    const View& view = known.second;
    CHECK_THAT(error_of([&] { amp::Adam({memory.view(), view}); }), ContainsSubstring(says));
    amp::SGD optimizer({memory.view_with_copy()}, {.lr = 1});
    CHECK_THAT(error_of([&] { optimizer.add_param_group({.views = {view}}); }),
               ContainsSubstring(says));
    CHECK(optimizer.parameters().size() == 1);
    CHECK(optimizer.gradients().size() == 1);
    CHECK(optimizer.param_groups().size() == 1);
  }
  const std::vector<View> none;
  CHECK_THAT(error_of([&] { amp::Adam optimizer(none); }), ContainsSubstring("`params` is empty"));
  const Tensor tensor = amp::ones({2}, {.requires_grad = true});
  CHECK_THAT(error_of([&] { amp::Adam({{.params = {tensor}, .views = {memory.view()}}}); }),
             ContainsSubstring("both `params` and `views`"));
  CHECK_THAT(error_of([&] { amp::Adam({{.names = {"a"}, .views = {memory.view()}}}); }),
             ContainsSubstring("a view has its own"));
  CHECK_NOTHROW(amp::Adam({{.weight = {nullptr, 0}, .gradient = {nullptr, 0}}}).step());
}

TEST_CASE("parameter views: neighbours in one buffer do not overlap") {
  float weights[8] = {}, gradients[8] = {};
  CHECK_NOTHROW(amp::SGD({{.weight = {weights, 4}, .gradient = {gradients, 4}},
                          {.weight = {weights + 4, 4}, .gradient = {gradients + 4, 4}},
                          {.weight = {weights + 4, 0}, .gradient = {gradients, 0}}}));
}

TEST_CASE("gradient views: norm and clipping are those of the tensors") {
  const Tensors params = parameters(kFloat32, kCPU);
  for (const DType dtype : {kFloat32, kFloat16, amp::kFloat64}) {
    set_gradients(params, 3, dtype);
    Tensors copies;
    std::vector<amp::TensorView> views;
    for (const Tensor& p : params) {
      copies.push_back(p.grad().clone());
      views.push_back({copies.back().raw_data(), p.numel(), dtype});
    }
    CHECK(amp::grad_norm(views).dtype() == (dtype == amp::kFloat64 ? dtype : kFloat32));
    const double before = amp::grad_norm(views).item<double>();
    const Tensor norm = amp::clip_grad_norm_(params, 0.5),
                 viewed = amp::clip_grad_norm_(views, 0.5);
    CHECK(viewed.item<double>() == norm.item<double>());
    CHECK(before == norm.item<double>());
    for (std::size_t i = 0; i < params.size(); ++i)
      CHECK(bits_of(copies[i]) == bits_of(params[i].grad()));
  }
}

TEST_CASE("gradient views: none has norm 0; what cannot be used is refused") {
  float values[2] = {3, 4};
  std::int32_t integers[2] = {};
  const std::vector<amp::TensorView> none;
  CHECK(amp::grad_norm(none).item<float>() == 0);
  CHECK(amp::clip_grad_norm_(none, 1.0).item<float>() == 0);
  CHECK(amp::grad_norm({{values, 2}}).item<float>() == 5);
  const std::pair<const char*, amp::TensorView> bad[] = {
      {"gradient 1 wte must be floating point", {integers, 2, amp::kInt32, kCPU, "wte"}},
      {"gradient 1 wte has 2 elements, but no data", {nullptr, 2, kFloat32, kCPU, "wte"}},
      {"gradient 1 wte is on cuda", {values, 2, kFloat32, amp::Device(amp::kCUDA), "wte"}},
  };
  for (const auto& known : bad) {
    const std::string says = known.first;
    const amp::TensorView& view = known.second;
    CHECK_THAT(error_of([&] {
                 (void)amp::clip_grad_norm_({{values, 2}, view}, 1.0);
               }),
               ContainsSubstring("clip_grad_norm_: ") && ContainsSubstring(says));
    CHECK_THAT(error_of([&] {
                 (void)amp::grad_norm({{values, 2}, view});
               }),
               ContainsSubstring("grad_norm: ") && ContainsSubstring(says));
  }
  for (const double max_norm : {0.0, -1.0, std::nan("")})
    CHECK_THAT(error_of([&] {
                 (void)amp::clip_grad_norm_({{values, 2}}, max_norm);
               }),
               ContainsSubstring("`max_norm` must be above 0"));
  CHECK(values[0] == 3);
}

}  // namespace parameter_views
