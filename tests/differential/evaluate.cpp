// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// evaluate < CASES > RESULTS: what amp computes of cases that run.py drew. A case is a line each of
//
//   case NUMBER KEY AUTOCAST         KEY as in the table of calls; AUTOCAST a dtype, or "none"
//   tensors COUNT {DTYPE REQUIRES_GRAD DIMS {SIZE}... {STRIDE}... OFFSET BYTES}...
//   numbers COUNT {"i" INTEGER | "f" FLOAT}...
//
// where BYTES are the whole storage in hexadecimal ("-": empty) and DTYPE "undefined" ends a
// tensor. Its result is "case NUMBER", and for each tensor "NAME DTYPE DIMS {SIZE}... BYTES", or
// "error MESSAGE". evaluate --keys prints the keys. evaluate --autocast answers autocast_lists.py:
// evaluate_in_scope below.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "conformance/calls.hpp"
#include "differential/calls/indexing.hpp"
#include "differential/calls/losses.hpp"
#include "differential/calls/moving.hpp"
#include "differential/calls/products.hpp"
#include "differential/calls/windows.hpp"
#include "differential/case.hpp"

namespace {

using amp::DType;
using amp::Tensor;
using differential::Call;
using differential::Calls;
using differential::Case;
using differential::Number;
using differential::pair;
using differential::real_or_unset;
using differential::reduction;
using differential::Results;
using differential::with;

// --- text ------------------------------------------------------------------------------------

template <class T = std::int64_t>
T next(std::istream& in) {
  T value{};
  if (!(in >> value)) throw std::runtime_error("evaluate: the case ends early");
  return value;
}

DType dtype_named(std::string_view name) {
  for (int d = 0; d < amp::kDTypeCount; ++d) {
    if (amp::name(static_cast<DType>(d)) == name) return static_cast<DType>(d);
  }
  throw std::runtime_error("evaluate: no dtype is called " + std::string(name));
}

unsigned char byte_at(const std::string& hex, std::size_t i) {
  return static_cast<unsigned char>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
}

Tensor read_tensor(std::istream& in) {
  const auto name = next<std::string>(in);
  if (name == "undefined") return {};
  const DType dtype = dtype_named(name);
  const bool requires_grad = next(in) != 0;
  std::vector<std::int64_t> sizes(next<std::size_t>(in));
  for (auto& size : sizes) size = next(in);
  const amp::Shape shape(sizes);
  amp::Strides strides = amp::contiguous_strides(shape);
  for (std::size_t d = 0; d < sizes.size(); ++d) strides[static_cast<int>(d)] = next(in);
  const std::int64_t offset = next(in);
  auto hex = next<std::string>(in);
  if (hex == "-") hex.clear();
  const std::size_t bytes = hex.size() / 2;
  const Tensor storage =
      amp::empty({static_cast<std::int64_t>(bytes) / item_size(dtype)}, {.dtype = dtype});
  for (std::size_t i = 0; i < bytes; ++i)
    static_cast<unsigned char*>(storage.raw_data())[i] = byte_at(hex, i);
  const Tensor view = storage.alias(shape, strides, offset);
  return requires_grad ? view.requires_grad_() : view;
}

bool read_case(std::istream& in, Case& drawn) {
  std::string word;
  if (!(in >> word)) return false;
  drawn = {next<std::string>(in), next<std::string>(in), next<std::string>(in), {}, {}};
  (void)next<std::string>(in);
  for (auto left = next(in); left > 0; --left) drawn.tensors.push_back(read_tensor(in));
  (void)next<std::string>(in);
  for (auto left = next(in); left > 0; --left) {
    const bool is_integer = next<std::string>(in) == "i";
    const auto text = next<std::string>(in);
    const double real = std::strtod(text.c_str(), nullptr);
    drawn.numbers.push_back({is_integer, is_integer ? std::stoll(text) : 0, real});
  }
  return true;
}

void print(std::ostream& out, std::string_view name, const Tensor& tensor) {
  const Tensor dense = tensor.detach().contiguous();
  out << name << ' ' << amp::name(dense.dtype()) << ' ' << dense.dim();
  for (int d = 0; d < dense.dim(); ++d) out << ' ' << dense.shape()[d];
  out << ' ';
  const auto* const bytes = static_cast<const unsigned char*>(dense.raw_data());
  const std::int64_t count = dense.numel() * item_size(dense.dtype());
  for (std::int64_t i = 0; i < count; ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out << kDigits[bytes[i] >> 4U] << kDigits[bytes[i] & 15U];
  }
  out << (count == 0 ? "-\n" : "\n");
}

// --- ops -------------------------------------------------------------------------------------

// clang-format off
void add_elementwise(Calls& calls) {
#define AMP_NUMBER(op) calls[#op ".number"] = [](const Case& c) -> Results { \
    return {with(c.numbers.at(0), [&](auto n) { return amp::op(c[0], n); })}; }
#define AMP_NUMBER_FIRST(op) calls[#op ".number_first"] = [](const Case& c) -> Results { \
    return {with(c.numbers.at(0), [&](auto n) { return amp::op(n, c[0]); })}; }
  AMP_NUMBER(add); AMP_NUMBER(sub); AMP_NUMBER(mul); AMP_NUMBER(div); AMP_NUMBER(pow);
  AMP_NUMBER(eq); AMP_NUMBER(ne); AMP_NUMBER(lt); AMP_NUMBER(le); AMP_NUMBER(gt); AMP_NUMBER(ge);
  AMP_NUMBER_FIRST(sub); AMP_NUMBER_FIRST(div); AMP_NUMBER_FIRST(pow);
#undef AMP_NUMBER
#undef AMP_NUMBER_FIRST
  calls["add.number_first"] = [](const Case& c) -> Results { return {with(c.numbers.at(0), [&](auto n) { return n + c[0]; })}; };
  calls["mul.number_first"] = [](const Case& c) -> Results { return {with(c.numbers.at(0), [&](auto n) { return n * c[0]; })}; };
  calls["gelu"] = [](const Case& c) -> Results { return {amp::gelu(c[0], static_cast<amp::GeluForm>(c.integer(0)))}; };
  calls["where.tensors"] = [](const Case& c) -> Results { return {amp::where(c[0], c[1], c[2])}; };
  calls["where.number"] = [](const Case& c) -> Results { return {with(c.numbers.at(0), [&](auto n) { return amp::where(c[0], c[1], n); })}; };
  calls["where.number_first"] = [](const Case& c) -> Results { return {with(c.numbers.at(0), [&](auto n) { return amp::where(c[0], n, c[1]); })}; };
}

void add_products(Calls& calls) {
  calls["feed_forward"] = [](const Case& c) -> Results {
    return {amp::feed_forward(c[0], c[1], c[2], c[3], c[4], static_cast<amp::Activation>(c.integer(0)))};
  };
  calls["conv2d"] = [](const Case& c) -> Results {
    return {amp::conv2d(c[0], c[1], c[2], {.stride = pair(c, 0), .padding = pair(c, 2), .dilation = pair(c, 4),
                                           .groups = c.integer(6), .relu = c.numbers.at(7).truth()})};
  };
  calls["scaled_dot_product_attention.options"] = [](const Case& c) -> Results {
    const std::int64_t window = c.integer(2);
    return {amp::scaled_dot_product_attention(
        c[0], c[1], c[2],
        {.attn_mask = c[3],
         .is_causal = c.numbers.at(0).truth(),
         .scale = real_or_unset(c, 3),
         .enable_gqa = c.numbers.at(1).truth(),
         .window = window == 0 ? std::nullopt : std::optional(window)})};
  };
  calls["rotary_embedding"] = [](const Case& c) -> Results {
    return {amp::rotary_embedding(c[0], c[1], c[2], {.interleaved = c.numbers.at(0).truth()})};
  };
  calls["scaled_dot_product_attention"] = [](const Case& c) -> Results {
    return {amp::scaled_dot_product_attention(c[0], c[1], c[2], c[3], 0.0, c.numbers.at(0).truth(), real_or_unset(c, 1))};
  };
}

/// The last `count` extents of x.
amp::Shape last_extents(const Tensor& x, std::int64_t count) {
  std::vector<std::int64_t> extents;
  for (std::int64_t d = x.dim() - count; d < x.dim(); ++d) extents.push_back(x.size(d));
  return amp::Shape(extents);
}

void add_norms(Calls& calls) {
  calls["layer_norm"] = [](const Case& c) -> Results { return {amp::layer_norm(c[0], last_extents(c[0], c.integer(0)), c[1], c[2], c.real(1))}; };
  calls["rms_norm"] = [](const Case& c) -> Results { return {amp::rms_norm(c[0], last_extents(c[0], c.integer(0)), c[1], real_or_unset(c, 1))}; };
  calls["batch_norm"] = [](const Case& c) -> Results {
    const Tensor y = amp::batch_norm(c[0], c[1], c[2], c[3], c[4], c.numbers.at(0).truth(), c.real(1), c.real(2));
    if (!c[1].defined()) return {y};
    return {y, c[1], c[2]};
  };
}

void add_losses(Calls& calls) {
  calls["cross_entropy"] = [](const Case& c) -> Results {
    return {amp::cross_entropy(c[0], c[1], {.ignore_index = c.integer(0), .label_smoothing = c.real(1), .reduction = reduction(c, 2), .weight = c[2]})};
  };
  calls["nll_loss"] = [](const Case& c) -> Results { return {amp::nll_loss(c[0], c[1], {.ignore_index = c.integer(0), .reduction = reduction(c, 1), .weight = c[2]})}; };
  calls["mse_loss"] = [](const Case& c) -> Results { return {amp::mse_loss(c[0], c[1], reduction(c, 0))}; };
  calls["binary_cross_entropy_with_logits"] = [](const Case& c) -> Results {
    return {amp::binary_cross_entropy_with_logits(c[0], c[1], amp::BinaryCrossEntropyOptions{.reduction = reduction(c, 0), .weight = c[2], .pos_weight = c[3]})};
  };
}

void add_others(Calls& calls) {
  calls["max.tensors"] = [](const Case& c) -> Results { return {(amp::max)(c[0], c[1])}; };
  calls["min.tensors"] = [](const Case& c) -> Results { return {(amp::min)(c[0], c[1])}; };
  calls["embedding"] = [](const Case& c) -> Results { return {amp::embedding(c[0], c[1])}; };
  calls["index_select"] = [](const Case& c) -> Results { return {amp::index_select(c[0], c.integer(0), c[1])}; };
}

/// Numbers: for each member its place in the list of ops.py, the count of its arguments, and these.
Results members(const Case& c) {
  Tensor x = c[0];
  for (std::size_t i = 0; i < c.numbers.size();) {
    const std::int64_t member = c.integer(i);
    const auto count = static_cast<std::size_t>(c.integer(i + 1));
    std::vector<std::int64_t> n;
    for (std::size_t k = 0; k < count; ++k) n.push_back(c.integer(i + 2 + k));
    i += 2 + count;
    switch (member) {
      case 0: x = x.transpose(n[0], n[1]); break;
      case 1: x = x.permute(std::span<const std::int64_t>(n)); break;
      case 2: x = x.narrow(n[0], n[1], n[2]); break;
      case 3: x = x.select(n[0], n[1]); break;
      case 4: x = x.squeeze(n[0]); break;
      case 5: x = x.unsqueeze(n[0]); break;
      case 6: x = x.flatten(n[0], n[1]); break;
      case 7: x = x.expand(amp::Shape(n)); break;
      case 8: x = x.reshape(amp::Shape(n)); break;
      case 9: x = x.view(amp::Shape(n)); break;
      case 10: x = x.contiguous(); break;
      case 11: x = x.clone(); break;
      case 12: x = x.to(static_cast<DType>(n[0])); break;
      case 13: x = x.squeeze(); break;
      case 14: x = x.slice(n[0], n[1], n[2], n[3]); break;
      case 15: x = x.diagonal(n[0], n[1], n[2]); break;
      case 16: x = x.movedim(n[0], n[1]); break;
      case 17: x = x.unflatten(n[0], {n[1], n[2]}); break;
      case 18: x = x.chunk(n[0], n[1]).at(static_cast<std::size_t>(n[2])); break;
      case 19: { const auto parts = x.tensor_split(n[0], n[1]); x = parts[0] + parts.back(); break; }
      default: throw std::runtime_error("evaluate: no such member");
    }
  }
  return {x};
}
// clang-format on

/// The key of a form of conformance/calls.hpp whose operands and attributes are the case's tensors
/// and numbers: sum.dim of "sum(x, dim)". Others have none.
std::string key_of(std::string_view form) {
  static constexpr std::pair<std::string_view, std::string_view> kForms[] = {
      {"(x, dim)", ".dim"},
      {"(x, dims)", ".dims"},
      {"(x, p, dims)", ".dims"},
      {"(x, numbers)", ""},
      {"(x)", ".all"}};
  for (const auto& [ending, key] : kForms) {
    if (form.ends_with(ending))
      return std::string(form.substr(0, form.size() - ending.size())) + std::string(key);
  }
  return form.find_first_of("(:") == form.npos ? std::string(form) : std::string();
}

/// What follows from the table; the functions above have what differs.
void add_common(Calls& calls) {
  for (const conformance::Binding& binding : conformance::kBindings) {
    const std::string key = key_of(binding.op);
    if (!key.empty())
      calls[key] = [&binding](const Case& c) {
        conformance::Inputs inputs;
        inputs.assign(c.tensors.begin(), c.tensors.end());
        goldens::OpCase attributes;
        for (const Number& n : c.numbers)
          attributes.attributes.push_back(n.is_integer ? static_cast<double>(n.integer) : n.real);
        return Results(binding.call(inputs, attributes));
      };
  }
}

Calls all_calls() {
  Calls calls;
  add_common(calls);
  add_elementwise(calls);
  add_products(calls);
  add_norms(calls);
  add_losses(calls);
  differential::add_losses_of_classes(calls);
  add_others(calls);
  differential::add_sums_of_products(calls);
  differential::add_moving(calls);
  differential::add_indexing(calls);
  differential::add_windows(calls);
  calls["Tensor"] = members;
  return calls;
}

/// The gradient to begin with: numbers that every dtype has.
Tensor upstream(const Tensor& y) {
  constexpr double kValues[] = {1, -0.5, 2, 0.25, -1.5, 0.75, -1, 0.5, 3, -0.25, 1.5};
  std::vector<double> values;
  for (std::int64_t i = 0; i < y.numel(); ++i)
    values.push_back(kValues[static_cast<std::size_t>(i) % std::size(kValues)]);
  return amp::tensor(values, y.shape(), {.dtype = y.dtype()});
}

void evaluate_op(const Case& c, const Call& call, std::ostream& out) {
  Results results;
  if (c.autocast == "none") {
    results = call(c);
  } else {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = dtype_named(c.autocast)});
    results = call(c);
  }
  if (results[0].requires_grad()) results[0].backward(upstream(results[0]));
  for (std::size_t i = 0; i < results.size(); ++i)
    print(out, "result" + std::to_string(i), results[i]);
  for (std::size_t i = 0; i < c.tensors.size(); ++i) {
    if (c[i].defined() && c[i].requires_grad() && c[i].grad().defined())
      print(out, "gradient" + std::to_string(i), c[i].grad());
  }
}

// --- training --------------------------------------------------------------------------------

/// Numbers: initial scale, growth and backoff factor, growth interval, then for each step 0 or 1
/// (not finite), or a scale to set. The result is the scale after each.
void evaluate_scaler(const Case& c, std::ostream& out) {
  const Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD optimizer({p}, {.lr = 0});
  amp::GradScaler scaler({.init_scale = c.real(0),
                          .growth_factor = c.real(1),
                          .backoff_factor = c.real(2),
                          .growth_interval = c.integer(3),
                          .on_skips = {}});
  std::vector<double> scales;
  for (std::size_t i = 4; i < c.numbers.size(); ++i) {
    (void)scaler.scale(amp::ones({}));
    if (c.numbers[i].is_integer) {
      p.set_grad(amp::full({1}, c.integer(i) != 0 ? HUGE_VAL : 1.0));
      scaler.step(optimizer);
      scaler.update();
    } else {
      scaler.update(c.real(i));
    }
    scales.push_back(scaler.get_scale());
  }
  print(out, "scales", amp::tensor(scales, {scales.size()}));
}

/// Tensors: parameters, then the gradients of each step. The results are parameters and state.
template <class Optimizer, class Options>
void evaluate_optimizer(const Case& c, std::size_t parameters, const Options& options,
                        std::ostream& out) {
  std::vector<Tensor> params(c.tensors.begin(),
                             c.tensors.begin() + static_cast<std::ptrdiff_t>(parameters));
  Optimizer optimizer(params, options);
  for (std::size_t i = parameters; i < c.tensors.size(); i += parameters) {
    for (std::size_t p = 0; p < parameters; ++p) params[p].set_grad(c[i + p]);
    optimizer.step();
  }
  for (std::size_t p = 0; p < parameters; ++p)
    print(out, "parameter" + std::to_string(p), params[p]);
  for (const auto& [name, tensor] : optimizer.state_dict()) {
    if (name.starts_with("groups.")) continue;
    if (name.find(".momentum") != std::string::npos || name.find(".exp_avg") != std::string::npos)
      print(out, name, tensor);
  }
}

void evaluate_sgd(const Case& c, std::ostream& out) {
  evaluate_optimizer<amp::SGD>(c, static_cast<std::size_t>(c.integer(0)),
                               amp::SGDOptions{.lr = c.real(1),
                                               .momentum = c.real(2),
                                               .weight_decay = c.real(3),
                                               .nesterov = c.numbers.at(4).truth()},
                               out);
}
template <class Optimizer>
void evaluate_adam(const Case& c, std::ostream& out) {
  evaluate_optimizer<Optimizer>(c, static_cast<std::size_t>(c.integer(0)),
                                amp::AdamOptions{.lr = c.real(1),
                                                 .beta1 = c.real(2),
                                                 .beta2 = c.real(3),
                                                 .eps = c.real(4),
                                                 .weight_decay = c.real(5)},
                                out);
}

/// Tensors: gradients.
void evaluate_clip(const Case& c, std::ostream& out) {
  std::vector<Tensor> params;
  for (const Tensor& grad : c.tensors) {
    params.push_back(amp::zeros(grad.shape(), {.dtype = grad.dtype(), .requires_grad = true}));
    params.back().set_grad(grad.clone());
  }
  print(out, "norm", amp::clip_grad_norm_(params, c.real(0)));
  for (std::size_t i = 0; i < params.size(); ++i)
    print(out, "gradient" + std::to_string(i), params[i].grad());
}

using Evaluation = std::function<void(const Case&, std::ostream&)>;

std::map<std::string, Evaluation, std::less<>> all_evaluations() {
  std::map<std::string, Evaluation, std::less<>> all{{"GradScaler", evaluate_scaler},
                                                     {"SGD", evaluate_sgd},
                                                     {"Adam", evaluate_adam<amp::Adam>},
                                                     {"AdamW", evaluate_adam<amp::AdamW>},
                                                     {"clip_grad_norm_", evaluate_clip}};
  for (const auto& [key, call] : all_calls())
    all[key] = [call = call](const Case& c, std::ostream& out) { evaluate_op(c, call, out); };
  return all;
}

void evaluate(const Case& c, const Evaluation& evaluation) {
  std::ostringstream results;
  try {
    evaluation(c, results);
  } catch (const amp::Error& error) {
    results.str("");
    results << "error " << error.what() << '\n';
  }
  std::cout << "case " << c.number << '\n' << results.str() << std::flush;
}

/// Lines "OP {DTYPE}...", the dtypes of the operands, the last for all that follow. For each form of
/// the op prints "POLICY DTYPE", what a scope of float16 makes of it, or "POLICY error"; then "end".
void evaluate_in_scope(const std::string& line) {
  std::istringstream words(line);
  const auto op = next<std::string>(words);
  std::vector<DType> dtypes;
  for (std::string name; words >> name;) dtypes.push_back(dtype_named(name));
  for (const conformance::Binding& binding : conformance::kBindings) {
    if (conformance::op_of(binding.op) != op) continue;
    const goldens::OpCase& c = conformance::example(binding);
    conformance::Inputs inputs = conformance::inexact_inputs(c, amp::kFloat32);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      inputs[i] = inputs[i].to(dtypes[std::min(i, dtypes.size() - 1)]);
    std::cout << to_string(amp::op_policy(op)) << ' ';
    try {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      std::cout << amp::name(binding.call(inputs, c)[0].dtype()) << '\n';
    } catch (const amp::Error&) {
      std::cout << "error\n";
    }
  }
  std::cout << "end\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--autocast") {
    for (std::string line; std::getline(std::cin, line);) evaluate_in_scope(line);
    return 0;
  }
  const auto evaluations = all_evaluations();
  if (argc > 1 && std::string_view(argv[1]) == "--keys") {
    for (const auto& [key, evaluation] : evaluations) std::cout << key << '\n';
    return 0;
  }
  for (Case c; read_case(std::cin, c);) evaluate(c, evaluations.at(c.key));
}
