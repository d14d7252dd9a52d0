// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autocast/policies.hpp"
#include "amp/core/error.hpp"
#include "amp/core/input_file.hpp"

namespace amp::inline v0 {
namespace autocasting {

inline constexpr std::pair<std::string_view, OpPolicy> kPolicyNames[] = {
    {"low_precision", OpPolicy::kLowPrecision}, {"float32", OpPolicy::kFloat32},
    {"float32_math", OpPolicy::kFloat32Math},   {"promote", OpPolicy::kPromote},
    {"passthrough", OpPolicy::kPassthrough},    {"banned", OpPolicy::kBanned},
};

/// Removes the part of a path before the next dot, and returns it.
AMP_COLD std::string_view next_part(std::string_view& path) {
  const std::size_t dot = (std::min)(path.find('.'), path.size());
  const std::string_view part = path.substr(0, dot);
  path.remove_prefix((std::min)(dot + 1, path.size()));
  return part;
}

AMP_COLD bool matches_module(std::string_view pattern, std::string_view path) {
  while (!pattern.empty()) {
    if (path.empty()) return false;
    const std::string_view wanted = next_part(pattern), part = next_part(path);
    if (wanted != "*" && wanted != part) return false;
  }
  return true;
}

AMP_COLD std::ptrdiff_t order_of(const OpPolicies::Entry& entry) {
  const std::ptrdiff_t dots = std::count(entry.module.begin(), entry.module.end(), '.');
  return 2 * dots + (entry.op == OpPolicies::kAllOps ? 0 : 1);
}

AMP_COLD EnteredPolicies joined(const EnteredPolicies& outer,
                                std::vector<OpPolicies::Entry> entries) {
  std::vector<std::pair<OpPolicies::Entry, bool>> all;  // and whether it is in force
  const auto is_replaced = [&](const OpPolicies::Entry& entry) {
    return std::any_of(entries.begin(), entries.end(), [&](const OpPolicies::Entry& inner) {
      return inner.module == entry.module && inner.op == entry.op;
    });
  };
  for (std::size_t i = 0; outer.list && i < outer.list->entries.size(); ++i) {
    const OpPolicies::Entry& entry = outer.list->entries[i];
    if (!is_replaced(entry)) all.emplace_back(entry, (outer.entered >> i & 1) != 0);
  }
  for (OpPolicies::Entry& entry : entries) all.emplace_back(std::move(entry), false);
  AMP_CHECK(all.size() <= ModulePolicies::kMost,
            "AutocastGuard: scopes that enclose each other may have ", ModulePolicies::kMost,
            " policies by module, but have ", all.size());
  const auto before = [](const auto& a, const auto& b) {
    return order_of(a.first) < order_of(b.first);
  };
  for (auto next = all.begin(); next != all.end(); ++next)  // sorts by insertion: they are few
    std::rotate(std::upper_bound(all.begin(), next, *next, before), next, next + 1);
  EnteredPolicies result{.list = make_ref<ModulePolicies>()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    result.entered |= std::uint64_t{all[i].second} << i;
    result.list->entries.push_back(std::move(all[i].first));
  }
  return result;
}

AMP_COLD void check_path(std::string_view name, std::string_view path) {
  bool valid = !path.empty() && path.back() != '.' && path.find('/') == path.npos;
  while (valid && !path.empty()) {
    const std::string_view part = next_part(path);
    valid = part == "*" || (!part.empty() && part.find('*') == part.npos);
  }
  AMP_CHECK(valid, "OpPolicies: in ", quoted(name),
            ", the part before the slash must be the path of a module, such as \"block2.conv1\", "
            "with * for any one part");
}

/// Throws for a text that is no list of policies: only its encoding and size are tested.
AMP_COLD std::string_view checked_text(std::string_view source, std::string_view text) {
  AMP_CHECK(text.size() <= OpPolicies::kMostBytes, source, ": a text of policies has at most ",
            OpPolicies::kMostBytes, " bytes, but this one has ", text.size());
  AMP_CHECK(!text.starts_with("\xFF\xFE") && !text.starts_with("\xFE\xFF"), source,
            ": the text begins with the byte order mark of UTF-16; save it as UTF-8");
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  return text;
}

AMP_COLD std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

AMP_COLD OpPolicy policy_of(std::string_view name) {
  for (const auto& [known, policy] : kPolicyNames) {
    if (known == name) return policy;
  }
  amp::detail::fail(
      "there is no policy named ", quoted(name),
      "; there are low_precision, float32, float32_math, promote, passthrough and banned");
}

AMP_COLD void parse_line(std::string_view line, OpPolicies& policies) {
  line = trimmed(line.substr(0, line.find('#')));
  if (line.empty()) return;
  const std::size_t equals = line.find('=');
  AMP_CHECK(equals != line.npos, "expected \"name = policy\", but got ", quoted(line));
  policies.set(trimmed(line.substr(0, equals)), policy_of(trimmed(line.substr(equals + 1))));
}

AMP_COLD OpPolicies parse_lines(std::string_view source, std::string_view text) {
  OpPolicies policies;
  text = checked_text(source, text);
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = (std::min)(text.find('\n'), text.size());
    try {
      parse_line(text.substr(0, end), policies);
    } catch (const Error& error) {
      amp::detail::fail(source, ", line ", number, ": ", error.what());
    }
    text.remove_prefix((std::min)(end + 1, text.size()));
  }
  return policies;
}

// PyTorch's lists for the CPU (2.15, aten/src/ATen/autocast_mode.cpp), as far as they name ops and
// not their parts, with ops that are made of these. All other ops take their inputs as they are.
inline constexpr std::string_view kLowPrecisionOnTorchCpu[] = {"matmul",
                                                               "mm",
                                                               "bmm",
                                                               "addmm",
                                                               "addbmm",
                                                               "baddbmm",
                                                               "linear",
                                                               "feed_forward",
                                                               "einsum",
                                                               "tensordot",
                                                               "chain_matmul",
                                                               "linalg_multi_dot",
                                                               "linalg_vecdot",
                                                               "conv1d",
                                                               "conv2d",
                                                               "conv3d",
                                                               "conv_tbc",
                                                               "conv_transpose1d",
                                                               "conv_transpose2d",
                                                               "conv_transpose3d",
                                                               "prelu",
                                                               "scaled_dot_product_attention",
                                                               "rnn_tanh_cell",
                                                               "rnn_relu_cell",
                                                               "lstm",
                                                               "rnn_tanh",
                                                               "rnn_relu"};
inline constexpr std::string_view kFloat32OnTorchCpu[] = {"prod",
                                                          "trace",
                                                          "quantile",
                                                          "cdist",
                                                          "grid_sample",
                                                          "max_pool3d",
                                                          "avg_pool3d",
                                                          "adaptive_max_pool3d",
                                                          "adaptive_avg_pool3d",
                                                          "cross_entropy",
                                                          "nll_loss",
                                                          "mse_loss",
                                                          "l1_loss",
                                                          "smooth_l1_loss",
                                                          "huber_loss",
                                                          "kl_div",
                                                          "binary_cross_entropy",
                                                          "binary_cross_entropy_with_logits",
                                                          "poisson_nll_loss",
                                                          "soft_margin_loss",
                                                          "multi_margin_loss",
                                                          "multilabel_margin_loss",
                                                          "margin_ranking_loss",
                                                          "hinge_embedding_loss",
                                                          "cosine_embedding_loss",
                                                          "triplet_margin_loss",
                                                          "ctc_loss"};
inline constexpr std::string_view kPromoteOnTorchCpu[] = {"cat", "stack", "index_copy"};

consteval bool are_listed(std::span<const std::string_view> names) {
  return std::all_of(names.begin(), names.end(), is_listed);
}
static_assert(are_listed(kLowPrecisionOnTorchCpu) && are_listed(kFloat32OnTorchCpu) &&
              are_listed(kPromoteOnTorchCpu));

AMP_COLD OpPolicy torch_cpu_policy(std::string_view op) {
  const auto is_in = [op](std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), op) != names.end();
  };
  if (is_in(kLowPrecisionOnTorchCpu)) return OpPolicy::kLowPrecision;
  if (is_in(kFloat32OnTorchCpu)) return OpPolicy::kFloat32;
  return is_in(kPromoteOnTorchCpu) ? OpPolicy::kPromote : OpPolicy::kPassthrough;
}

}  // namespace autocasting

AMP_COLD std::string_view to_string(OpPolicy policy) {
  for (const auto& [name, known] : autocasting::kPolicyNames) {
    if (known == policy) return name;
  }
  return "?";
}

AMP_COLD OpPolicies::OpPolicies(
    std::initializer_list<std::pair<std::string_view, OpPolicy>> policies) {
  for (const auto& [name, policy] : policies) set(name, policy);
}

AMP_COLD void OpPolicies::set(std::string_view name, OpPolicy policy) {
  const std::size_t slash = name.rfind('/');
  std::string_view path, op = name;
  if (slash != name.npos) {
    path = name.substr(0, slash);
    op = name.substr(slash + 1);
    autocasting::check_path(name, path);
  }
  const int index = slash != name.npos && op.empty() ? kAllOps : autocasting::find_op(op);
  for (const Entry& entry : policies_) {
    AMP_CHECK(entry.module != path || entry.op != index, "OpPolicies: ", autocasting::quoted(name),
              " already has a policy here, ", to_string(entry.policy));
  }
  detail::or_out_of_memory([&] { policies_.push_back({std::string(path), index, policy}); });
}

AMP_COLD OpPolicies OpPolicies::torch_cpu() {
  return detail::or_out_of_memory([] {
    OpPolicies policies;
    for (const autocasting::ListedOp& listed : autocasting::kOpList) {
      const OpPolicy policy = autocasting::torch_cpu_policy(listed.name);
      if (policy != listed.policy) policies.set(listed.name, policy);
    }
    return policies;
  });
}

AMP_COLD OpPolicies OpPolicies::parse(std::string_view text) {
  return autocasting::parse_lines("OpPolicies::parse", text);
}

AMP_COLD OpPolicies OpPolicies::load(const std::string& path) {
  return detail::or_out_of_memory([&] {
    detail::InputFile file("OpPolicies::load", path);
    AMP_CHECK(file.size() <= kMostBytes, "OpPolicies::load: ", path, " has ", file.size(),
              " bytes, but a file of policies has at most ", kMostBytes);
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    file.read(text.data(), text.size());
    return autocasting::parse_lines(path, text);
  });
}

}  // namespace amp::inline v0
