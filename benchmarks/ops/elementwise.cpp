// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Functions of elements.
#include "ops.hpp"

namespace cpu_benchmark {

Ops elementwise_ops() {
  return {
      {"abs", unary<amp::abs>},
      {"acos", unary<amp::acos>},
      {"add", binary<amp::add>},
      {"asin", unary<amp::asin>},
      {"atan", unary<amp::atan>},
      {"atan2", binary<amp::atan2>},
      {"ceil", unary<amp::ceil>},
      {"celu", with_number<amp::celu>},
      {"cos", unary<amp::cos>},
      {"cosh", unary<amp::cosh>},
      {"div", binary<amp::div>},
      {"elu", with_number<amp::elu>},
      {"eq", binary<amp::eq>},
      {"erf", unary<amp::erf>},
      {"erfinv", unary<amp::erfinv>},
      {"exp", unary<amp::exp>},
      {"expm1", unary<amp::expm1>},
      {"floor", unary<amp::floor>},
      {"fmod", binary<amp::fmod>},
      {"gelu", [](const Inputs& x, const Numbers&) { return amp::gelu(x.at(0)); }},
      {"gelu_tanh",
       [](const Inputs& x, const Numbers&) { return amp::gelu(x.at(0), amp::GeluForm::kTanh); }},
      {"hardsigmoid", unary<amp::hardsigmoid>},
      {"hardswish", unary<amp::hardswish>},
      {"hardtanh", with_numbers<amp::hardtanh>},
      {"isfinite", unary<amp::isfinite>},
      {"isnan", unary<amp::isnan>},
      {"leaky_relu", with_number<amp::leaky_relu>},
      {"log", unary<amp::log>},
      {"log10", unary<amp::log10>},
      {"log1p", unary<amp::log1p>},
      {"log2", unary<amp::log2>},
      {"logical_and", binary<amp::logical_and>},
      {"logsigmoid", unary<amp::logsigmoid>},
      {"lt", [](const Inputs& x, const Numbers& n) { return amp::lt(x.at(0), n.at(0)); }},
      {"maximum", binary<amp::maximum>},
      {"minimum", binary<amp::minimum>},
      {"mish", unary<amp::mish>},
      {"mul", binary<amp::mul>},
      {"mul_number", [](const Inputs& x, const Numbers& n) { return amp::mul(x.at(0), n.at(0)); }},
      {"neg", unary<amp::neg>},
      {"pow",
       [](const Inputs& x, const Numbers& n) {
         return n.empty() ? amp::pow(x.at(0), x.at(1)) : amp::pow(x.at(0), n[0]);
       }},
      {"reciprocal", unary<amp::reciprocal>},
      {"relu", unary<amp::relu>},
      {"relu6", unary<amp::relu6>},
      {"remainder", binary<amp::remainder>},
      {"round", [](const Inputs& x, const Numbers&) { return amp::round(x.at(0)); }},
      {"rsqrt", unary<amp::rsqrt>},
      {"selu", unary<amp::selu>},
      {"sigmoid", unary<amp::sigmoid>},
      {"sign", unary<amp::sign>},
      {"silu", unary<amp::silu>},
      {"sin", unary<amp::sin>},
      {"sinh", unary<amp::sinh>},
      {"softplus", [](const Inputs& x, const Numbers&) { return amp::softplus(x.at(0)); }},
      {"softshrink", with_number<amp::softshrink>},
      {"softsign", unary<amp::softsign>},
      {"sqrt", unary<amp::sqrt>},
      {"square", unary<amp::square>},
      {"sub", binary<amp::sub>},
      {"tan", unary<amp::tan>},
      {"tanh", unary<amp::tanh>},
      {"trunc", unary<amp::trunc>},
      {"where",
       [](const Inputs& x, const Numbers&) { return amp::where(x.at(0), x.at(1), x.at(2)); }},
  };
}

}  // namespace cpu_benchmark
