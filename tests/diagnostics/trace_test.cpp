// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The trace: which entries a network gives, what they say, and how two traces compare.
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>
#include <amp/diagnostics/text.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace trace {

using amp::CastKind;
using amp::OpPolicy;
using amp::PolicyRule;
using amp::Tensor;
using amp::TraceEntry;
using amp::TracePhase;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Texts = std::vector<std::string>;

namespace {

struct Cnn : amp::nn::Layer<Cnn> {
  amp::nn::Conv2d conv{register_module("conv", amp::nn::Conv2d(3, 8, 3))};
  amp::nn::BatchNorm2d norm{register_module("norm", amp::nn::BatchNorm2d(8))};
  amp::nn::Linear head{register_module("head", amp::nn::Linear(8, 4))};
  Tensor forward(const Tensor& x) const {
    return head(amp::avg_pool2d(amp::relu(norm(conv(x))), 6).flatten(1));
  }
  Tensor loss() const {
    return amp::cross_entropy((*this)(amp::ones({2, 3, 8, 8})),
                              amp::zeros({2}, {.dtype = amp::kInt64}));
  }
};

struct Attention : amp::nn::Layer<Attention> {
  amp::nn::LayerNorm norm{register_module("norm", amp::nn::LayerNorm({8}))};
  amp::nn::Linear qkv{register_module("qkv", amp::nn::Linear(8, 24))};
  amp::nn::Linear out{register_module("out", amp::nn::Linear(8, 8))};
  Tensor forward(const Tensor& x) const {
    const Tensor y = qkv(norm(x));
    const Tensor q = y.narrow(-1, 0, 8), k = y.narrow(-1, 8, 8), v = y.narrow(-1, 16, 8);
    const Tensor scores = amp::softmax(amp::bmm(q, k.transpose(1, 2)) * 0.35, -1);
    return x + out(amp::bmm(scores, v));
  }
};

/// The trace of body() under autocast to float16.
template <class Body>
amp::Trace traced(const Body& body, const amp::OpPolicies& policies = {}) {
  amp::Trace trace;
  const amp::TraceGuard tracing(trace);
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16, .policies = policies});
  (void)body();
  return trace;
}

/// The entries of a name.
std::vector<TraceEntry> named(const amp::Trace& trace, std::string_view name,
                              TracePhase phase = TracePhase::kForward) {
  std::vector<TraceEntry> found;
  for (const TraceEntry& entry : trace.entries()) {
    if (entry.name == name && entry.phase == phase) found.push_back(entry);
  }
  return found;
}

/// In the order of their bytes: arguments are cast in the order that the compiler chooses.
std::vector<amp::TracedCast> sorted_casts(const TraceEntry& entry) {
  std::vector<amp::TracedCast> all = entry.casts;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  return all;
}
std::vector<CastKind> kinds(const TraceEntry& entry) {
  std::vector<CastKind> all;
  for (const amp::TracedCast& cast : sorted_casts(entry)) all.push_back(cast.kind);
  return all;
}

constexpr std::string_view kCnn =
    R"(module  op             policy         decided by  dtypes                                        casts                   calls
conv    conv2d         low_precision  op list     float32 x3 -> float16 x3 => float16           1 converted, 2 copies       1
norm    batch_norm     passthrough    op list     float16, float32 x2 => float16                -                           1
norm    add            passthrough    op list     int64 => int64                                -                           1
-       relu           passthrough    op list     float16 => float16                            -                           1
-       avg_pool2d     passthrough    op list     float16 => float16                            -                           1
head    linear         low_precision  op list     float16, float32 x2 -> float16 x3 => float16  2 copies                    1
-       cross_entropy  float32        op list     float16 -> float32 => float32                 -                           1
)";

}  // namespace

TEST_CASE("trace: the precisions of a small CNN", "[golden]") {
  const Cnn net;
  const amp::Trace trace = traced([&] { net.loss().backward(); });
  CHECK(trace.precisions() == kCnn);
  CHECK(trace.difference(kCnn) == "");
}

TEST_CASE("trace: the precisions of an attention block", "[golden]") {
  const Attention net;
  const std::string precisions = traced([&] { return net(amp::ones({2, 4, 8})); }).precisions();
  CHECK(
      precisions ==
      R"(module  op          policy         decided by  dtypes                                        casts                   calls
norm    layer_norm  float32        op list     float32 x3 => float32                         -                           1
qkv     linear      low_precision  op list     float32 x3 -> float16 x3 => float16           1 converted, 2 copies       1
-       bmm         low_precision  op list     float16 x2 => float16                         -                           1
-       mul         passthrough    op list     float16 => float16                            -                           1
-       softmax     float32        op list     float16 -> float32 => float32                 -                           1
-       bmm         low_precision  op list     float32, float16 -> float16 x2 => float16     1 converted                 1
out     linear      low_precision  op list     float16, float32 x2 -> float16 x3 => float16  2 copies                    1
-       add         passthrough    op list     float32, float16 => float32                   -                           1
)");
}

TEST_CASE("trace: a changed policy changes its line, and those after it that read the result") {
  const Cnn net;
  const std::string golden = traced([&] { return net.loss(); }).precisions();
  const amp::Trace changed =
      traced([&] { return net.loss(); }, {{"head/linear", OpPolicy::kFloat32}});
  const std::string difference = changed.difference(golden);
  INFO(difference);
  CHECK(difference.starts_with("- head linear low_precision op list "));
  CHECK_THAT(difference, ContainsSubstring("\n+ head linear float32 module float16, float32 x2 -> "
                                           "float32 x3 => float32 1 converted 1\n"));
  CHECK_THAT(difference, ContainsSubstring("\n- - cross_entropy"));
  CHECK_THAT(difference, ContainsSubstring("\n+ - cross_entropy"));
  CHECK(std::count(difference.begin(), difference.end(), '\n') == 4);
  CHECK(changed.difference(changed.precisions()) == "");
  CHECK_THAT(changed.difference(""), ContainsSubstring("+ conv conv2d"));
  CHECK(amp::Trace().difference(golden).starts_with("- "));
}

TEST_CASE("trace: casts have bytes, and copies of weights are made once") {
  const amp::nn::Linear layer(8, 16);
  const Tensor x = amp::ones({4, 8});
  amp::Trace trace;
  const amp::TraceGuard tracing(trace);
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const auto call = [&] {
    trace.clear();
    (void)layer(x);
    return named(trace, "linear").at(0);
  };
  const TraceEntry first = call();
  using enum CastKind;
  CHECK(kinds(first) == std::vector<CastKind>{kCopyRefreshed, kConverted, kCopyRefreshed});
  const std::vector<amp::TracedCast> casts = sorted_casts(first);
  CHECK(casts[0].bytes == 16 * (4 + 2));
  CHECK(casts[1].bytes == 4 * 8 * (4 + 2));
  CHECK(casts[2].bytes == 8 * 16 * (4 + 2));
  CHECK(casts[0].from == amp::kFloat32);
  CHECK(casts[0].to == amp::kFloat16);
  CHECK(first.bytes == 2 * (4 * 8 + 8 * 16 + 16 + 4 * 16));
  const TraceEntry second = call();
  CHECK(kinds(second) == std::vector<CastKind>{kCopyReused, kCopyReused, kConverted});
  CHECK(sorted_casts(second)[1].bytes == 0);
  {
    const amp::NoGradGuard no_grad;
    layer.weight.fill_(1);
  }
  CHECK(kinds(call()) == std::vector<CastKind>{kCopyReused, kConverted, kCopyRefreshed});
}

TEST_CASE("trace: float64 and integers are left alone") {
  const amp::Trace trace = traced([] {
    const Tensor wide = amp::ones({2, 2}, {.dtype = amp::kFloat64});
    (void)amp::matmul(wide, wide);
    (void)amp::add(amp::arange(3).to(amp::kInt64), amp::arange(3).to(amp::kInt64));
    return 0;
  });
  const TraceEntry product = named(trace, "matmul").at(0);
  CHECK(product.compute == std::vector<amp::DType>{amp::kFloat64, amp::kFloat64});
  CHECK(product.casts.empty());
  CHECK(product.off_multiples.empty());
  CHECK(product.ineligible == 2);
  CHECK(trace.precisions().find("op list, 2 inputs not eligible") != std::string::npos);
  CHECK(named(trace, "add").at(0).output->dtype == amp::kInt64);
  CHECK(named(trace, "add").at(0).ineligible == 0);
}

TEST_CASE("trace: the extents of matmuls that are no multiples of 8") {
  const auto off = [](std::string_view name, auto&& body) {
    return named(traced(body), name).at(0).off_multiples;
  };
  const auto ones = [](auto... extents) { return amp::ones({extents...}); };
  CHECK(off("matmul", [&] { return amp::matmul(ones(3, 12), ones(12, 10)); }) ==
        Texts{"M = 3", "K = 12", "N = 10"});
  CHECK(off("matmul", [&] { return amp::matmul(ones(16, 8), ones(8, 24)); }).empty());
  CHECK(off("matmul", [&] { return amp::matmul(ones(16, 12), ones(12)); }) == Texts{"K = 12"});
  CHECK(off("matmul", [&] { return amp::matmul(ones(12), ones(12, 3)); }) ==
        Texts{"K = 12", "N = 3"});
  CHECK(off("bmm", [&] { return amp::bmm(ones(3, 8, 9), ones(3, 9, 16)); }) == Texts{"K = 9"});
  CHECK(off("linear", [&] { return amp::linear(ones(2, 3, 8), ones(5, 8)); }) ==
        Texts{"M = 6", "N = 5"});
  CHECK(off("linear", [&] { return amp::linear(ones(2, 4, 7), ones(8, 7)); }) == Texts{"K = 7"});
  CHECK(off("conv2d", [&] { return amp::conv2d(ones(1, 3, 4, 4), ones(6, 3, 3, 3)); }) ==
        Texts{"input channels = 3", "output channels = 6"});
  CHECK(off("feed_forward", [&] {
          return amp::feed_forward(ones(3, 8), ones(20, 8), ones(20), ones(12, 20), ones(12));
        }) == Texts{"M = 3", "hidden N = 20", "N = 12"});
  CHECK(off("scaled_dot_product_attention", [&] {
          return amp::scaled_dot_product_attention(ones(1, 5, 8), ones(1, 6, 8), ones(1, 6, 8));
        }) == Texts{"L = 5", "S = 6"});

  amp::Trace outside;
  const amp::TraceGuard tracing(outside);
  (void)amp::matmul(ones(3, 3), ones(3, 3));
  CHECK(outside.entries().at(0).off_multiples.empty());  // float32 has no such rule
}

TEST_CASE("trace: each reason for a policy") {
  amp::register_op("trace_own", OpPolicy::kFloat32);
  const auto rule = [](std::string_view name, auto&& body, const amp::AutocastOptions& options) {
    amp::Trace trace;
    const amp::TraceGuard tracing(trace);
    const amp::AutocastGuard autocast(amp::kCPU, options);
    (void)body();
    const TraceEntry entry = named(trace, name).at(0);
    CHECK_THAT(
        trace.precisions(),
        ContainsSubstring(entry.rule == PolicyRule::kNoScope            ? "no scope"
                          : entry.rule == PolicyRule::kList             ? "op list"
                          : entry.rule == PolicyRule::kRegistered       ? "register_op"
                          : entry.rule == PolicyRule::kScope            ? "scope"
                          : entry.rule == PolicyRule::kModule           ? "module"
                          : entry.rule == PolicyRule::kOnlyLowPrecision ? "only_low_precision"
                                                                        : "none"));
    return entry.rule;
  };
  const auto exp = [] { return amp::exp(amp::ones({2})); };
  const auto own = [] {
    return amp::autocast_call(
        "trace_own", [](const Tensor& x) { return x * 2; }, amp::ones({2}));
  };
  const amp::nn::Sequential net{amp::nn::ReLU()};
  const auto relu = [&] { return net(amp::ones({2})); };
  CHECK(rule("exp", exp, {.enabled = false}) == PolicyRule::kNoScope);
  CHECK(rule("exp", exp, {}) == PolicyRule::kList);
  CHECK(rule("trace_own", own, {}) == PolicyRule::kRegistered);
  CHECK(rule("exp", exp, {.policies = {{"exp", OpPolicy::kFloat32}}}) == PolicyRule::kScope);
  CHECK(rule("relu", relu, {.policies = {{"0/", OpPolicy::kFloat32}}}) == PolicyRule::kModule);
  CHECK(rule("exp", exp, {.only_low_precision = true}) == PolicyRule::kOnlyLowPrecision);
  CHECK(rule("exp", exp, {.policies = {{"exp", OpPolicy::kFloat32}}, .only_low_precision = true}) ==
        PolicyRule::kScope);
  amp::register_op("exp", OpPolicy::kPassthrough);
  CHECK(rule("exp", exp, {}) == PolicyRule::kRegistered);
  amp::register_op("exp", OpPolicy::kFloat32);
  CHECK(rule("exp", exp, {}) == PolicyRule::kList);
}

TEST_CASE("trace: ops within an op are entries of their own, a level deeper") {
  const amp::Trace trace = traced([] {
    return amp::autocast_call(
        "matmul", [](const Tensor& a) { return amp::relu(amp::matmul(a, a)); }, amp::ones({2, 2}));
  });
  REQUIRE(trace.entries().size() == 3);
  CHECK(trace.entries()[0].depth == 0);
  CHECK(trace.entries()[0].casts.size() == 1);
  CHECK(trace.entries()[1].name == "matmul");
  CHECK(trace.entries()[1].depth == 1);
  CHECK(trace.entries()[1].rule == PolicyRule::kNoScope);
  CHECK(trace.entries()[2].depth == 1);
}

TEST_CASE("trace: an op that throws has failed, and the trace goes on") {
  const amp::Trace trace = traced([] {
    CHECK(error_of([] {
            (void)amp::autocast_call(
                "add", [](const Tensor&) -> Tensor { throw amp::Error("thrown in an op"); },
                amp::ones({2}));
          }) == "thrown in an op");
    return amp::relu(amp::ones({2}));
  });
  REQUIRE(trace.entries().size() == 2);
  CHECK(trace.entries()[0].failed);
  CHECK_FALSE(trace.entries()[0].output.has_value());
  CHECK_FALSE(trace.entries()[1].failed);
  CHECK(trace.entries()[1].depth == 0);
  CHECK_THAT(trace.precisions(), ContainsSubstring("=> failed"));
}

TEST_CASE("trace: conversions of the user's are entries") {
  const amp::Trace trace = traced([] { return amp::ones({2, 3}).to(amp::kBFloat16); });
  REQUIRE(trace.entries().size() == 1);
  const TraceEntry& entry = trace.entries()[0];
  CHECK(entry.name == "to");
  CHECK(entry.casts.at(0).bytes == 6 * (4 + 2));
  CHECK(entry.output->dtype == amp::kBFloat16);
  CHECK_FALSE(entry.recomputed);
}

TEST_CASE("trace: backward functions carry the modules of their ops") {
  const Cnn net;
  amp::Trace trace;
  {
    const amp::TraceGuard tracing(trace);
    Tensor loss;
    {
      const amp::AutocastGuard autocast(amp::kCPU);
      loss = net.loss();
    }
    loss.backward();
  }
  const auto module_of = [&](std::string_view op) {
    return named(trace, op, TracePhase::kBackward).at(0).module;
  };
  CHECK(module_of("conv2d") == "conv");
  CHECK(module_of("batch_norm") == "norm");
  CHECK(module_of("linear") == "head");
  CHECK(module_of("relu") == "");
  CHECK(module_of("cross_entropy") == "");
  const TraceEntry conv = named(trace, "conv2d", TracePhase::kBackward).at(0);
  CHECK(conv.inputs.at(0).dtype == amp::kBFloat16);
  CHECK(conv.inputs.at(0).shape == amp::Shape(2, 8, 6, 6));
  for (const TraceEntry& entry : trace.entries()) CHECK_FALSE(entry.recomputed);
  CHECK_THAT(trace.to_string(), ContainsSubstring("conv2d (backward)"));
  CHECK(trace.precisions().find("backward") == std::string::npos);
}

TEST_CASE("trace: what hooks compute belongs to backward, and is no recomputation") {
  const Tensor x = amp::ones({2}, {.requires_grad = true});
  const Tensor y = x * 2;
  y.register_hook([](const Tensor& g) { return amp::exp(g).to(amp::kFloat64); });
  amp::Trace trace;
  {
    const amp::TraceGuard tracing(trace);
    amp::sum(y).backward();
  }
  CHECK(named(trace, "exp").empty());
  CHECK(named(trace, "exp", TracePhase::kBackward).size() == 1);
  CHECK(named(trace, "to").empty());
  for (const TraceEntry& entry : trace.entries()) CHECK_FALSE(entry.recomputed);
  CHECK(trace.precisions().find("exp") == std::string::npos);
}

TEST_CASE("trace: times are not negative and lie within what encloses them") {
  const Cnn net;
  amp::Trace trace;
  for (int step = 0; step < 2; ++step) {
    const amp::TraceGuard tracing(trace);
    net.loss().backward();
  }
  double last = 0;
  std::optional<TraceEntry> module;
  for (const TraceEntry& entry : trace.entries()) {
    CHECK(entry.start >= last);  // in the order in which they began, through both guards
    CHECK(entry.seconds >= 0);
    last = entry.start;
    if (entry.phase == TracePhase::kModule && entry.name == "conv") module = entry;
    if (entry.name == "conv2d" && entry.phase == TracePhase::kForward) {
      REQUIRE(module.has_value());
      CHECK(entry.start >= module->start);
      CHECK(entry.start + entry.seconds <= module->start + module->seconds);
    }
  }
}

TEST_CASE("trace: an empty one, and one that is appended to") {
  amp::Trace trace;
  { const amp::TraceGuard tracing(trace); }
  CHECK(trace.entries().empty());
  CHECK(trace.precisions() == "module  op  policy  decided by  dtypes  casts   calls\n");
  CHECK_THAT(trace.to_string(), ContainsSubstring("0 ops and 0 backward functions"));
  for (int i = 0; i < 2; ++i) {
    const amp::TraceGuard tracing(trace, {.synchronise = true});
    (void)amp::relu(amp::ones({2}));
  }
  (void)amp::relu(amp::ones({2}));
  CHECK(trace.entries().size() == 2);
  CHECK_THAT(trace.precisions(), ContainsSubstring("  2\n"));
  std::ostringstream out;
  out << trace;
  CHECK(out.str() == trace.to_string());
  CHECK(out.str() == amp::diagnostics::table(trace.rows()) + trace.totals() + "\n");
  trace.clear();
  CHECK(trace.entries().empty());
}

TEST_CASE("trace: two at once, and two guards of one") {
  amp::Trace outer, inner;
  {
    const amp::TraceGuard outer_guard(outer);
    (void)amp::relu(amp::ones({2}));
    {
      const amp::TraceGuard inner_guard(inner), again(inner);
      (void)amp::exp(amp::ones({2}));
    }
    (void)amp::neg(amp::ones({2}));
  }
  CHECK(outer.entries().size() == 3);
  REQUIRE(inner.entries().size() == 2);
  CHECK(inner.entries()[0].name == "exp");
  CHECK(inner.entries()[1].output.has_value());
}

TEST_CASE("trace: a guard that begins, or ends, within an op and a module") {
  amp::Trace trace;
  std::optional<amp::TraceGuard> guard;
  struct Opens : amp::nn::Layer<Opens> {
    std::optional<amp::TraceGuard>* guard = nullptr;
    amp::Trace* trace = nullptr;
    Tensor forward(const Tensor& x) const {
      return amp::autocast_call(
          "add",
          [&](const Tensor& y) {
            guard->emplace(*trace);
            return amp::relu(y);
          },
          x);
    }
  } opens;
  opens.guard = &guard;
  opens.trace = &trace;
  (void)opens(amp::ones({2}));
  (void)amp::exp(amp::ones({2}));
  (void)amp::autocast_call(
      "add",
      [&](const Tensor& y) {
        guard.reset();
        return y * 2;
      },
      amp::ones({2}));
  (void)amp::neg(amp::ones({2}));
  REQUIRE(trace.entries().size() == 3);
  CHECK(trace.entries()[0].name == "relu");
  CHECK(trace.entries()[1].name == "exp");
  CHECK(trace.entries()[1].depth == 0);
  CHECK(trace.entries()[2].name == "add");
}

TEST_CASE("trace: modules are entries with their paths") {
  const Cnn net;
  const amp::Trace trace = traced([&] { return net(amp::ones({2, 3, 8, 8})); });
  const TraceEntry& whole = trace.entries().at(0);
  CHECK(whole.phase == TracePhase::kModule);
  CHECK(whole.name == "");
  CHECK(trace.entries().at(1).name == "conv");
  CHECK(trace.entries().at(2).name == "conv2d");
  CHECK(trace.entries().at(2).depth == 0);  // modules are no depth
  CHECK(trace.entries().at(2).module == "conv");
}

}  // namespace trace
