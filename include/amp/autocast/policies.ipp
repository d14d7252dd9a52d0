// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autocast/policies.hpp"
#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/process_lock.hpp"
#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0 {
namespace autocasting {

/// All lists that joined() has made.
struct AMP_EXPORT ModulePolicyLists {
  std::vector<std::unique_ptr<ModulePolicies>> lists;
};

inline constexpr std::pair<std::string_view, OpPolicy> kPolicyNames[] = {
    {"low_precision", OpPolicy::kLowPrecision}, {"float32", OpPolicy::kFloat32},
    {"float32_math", OpPolicy::kFloat32Math},   {"promote", OpPolicy::kPromote},
    {"passthrough", OpPolicy::kPassthrough},
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

/// The list of these entries, made if there is none yet.
AMP_COLD const ModulePolicies* kept_list(std::vector<OpPolicies::Entry> entries) {
  auto& known = process_state<ModulePolicyLists>();
  const amp::detail::ProcessLock lock(amp::detail::LockOf::kOps);
  for (const auto& list : known.lists) {
    if (list->entries == entries) return list.get();
  }
  auto made = std::make_unique<ModulePolicies>();
  made->entries = std::move(entries);
  return known.lists.emplace_back(std::move(made)).get();
}

AMP_COLD EnteredPolicies joined(EnteredPolicies outer, std::vector<OpPolicies::Entry> entries) {
  std::vector<std::pair<OpPolicies::Entry, bool>> all;  // and whether it is in force
  const auto is_replaced = [&](const OpPolicies::Entry& entry) {
    return std::any_of(entries.begin(), entries.end(), [&](const OpPolicies::Entry& inner) {
      return inner.module == entry.module && inner.op == entry.op;
    });
  };
  for (std::size_t i = 0; outer.list != nullptr && i < outer.list->entries.size(); ++i) {
    const OpPolicies::Entry& entry = outer.list->entries[i];
    if (!is_replaced(entry)) all.emplace_back(entry, (outer.entered >> i & 1) != 0);
  }
  for (OpPolicies::Entry& entry : entries) all.emplace_back(std::move(entry), false);
  AMP_CHECK(all.size() <= ModulePolicies::kMost,
            "AutocastGuard: scopes that enclose each other may have ", ModulePolicies::kMost,
            " policies by module, but have ", all.size());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return order_of(a.first) < order_of(b.first);
  });
  EnteredPolicies result;
  std::vector<OpPolicies::Entry> sorted;
  for (std::size_t i = 0; i < all.size(); ++i) {
    result.entered |= std::uint64_t{all[i].second} << i;
    sorted.push_back(std::move(all[i].first));
  }
  result.list = kept_list(std::move(sorted));
  return result;
}

AMP_COLD void check_path(std::string_view name, std::string_view path) {
  bool valid = !path.empty() && path.back() != '.' && path.find('/') == path.npos;
  while (valid && !path.empty()) {
    const std::string_view part = next_part(path);
    valid = part == "*" || (!part.empty() && part.find('*') == part.npos);
  }
  AMP_CHECK(valid, "OpPolicies: in \"", name,
            "\", the part before the slash must be the path of a module, such as \"block2.conv1\", "
            "with * for any one part");
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
  amp::detail::fail("there is no policy named \"", name,
                    "\"; there are low_precision, float32, float32_math, promote and passthrough");
}

AMP_COLD void parse_line(std::string_view line, OpPolicies& policies) {
  line = trimmed(line.substr(0, line.find('#')));
  if (line.empty()) return;
  const std::size_t equals = line.find('=');
  AMP_CHECK(equals != line.npos, "expected \"name = policy\", but got \"", line, "\"");
  policies.set(trimmed(line.substr(0, equals)), policy_of(trimmed(line.substr(equals + 1))));
}

AMP_COLD OpPolicies parse_lines(std::string_view source, std::string_view text) {
  OpPolicies policies;
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
    AMP_CHECK(entry.module != path || entry.op != index, "OpPolicies: \"", name,
              "\" already has a policy here, ", to_string(entry.policy));
  }
  detail::or_out_of_memory([&] { policies_.push_back({std::string(path), index, policy}); });
}

AMP_COLD OpPolicies OpPolicies::parse(std::string_view text) {
  return autocasting::parse_lines("OpPolicies::parse", text);
}

AMP_COLD OpPolicies OpPolicies::load(const std::string& path) {
  return detail::or_out_of_memory([&] {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               &std::fclose);
    AMP_CHECK(file != nullptr, "OpPolicies::load: the file ", path, " cannot be opened");
    std::string text;
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get()))
      text.append(buffer, count);
    AMP_CHECK(std::ferror(file.get()) == 0, "OpPolicies::load: the file ", path, " cannot be read");
    return autocasting::parse_lines(path, text);
  });
}

AMP_PROCESS_STATE(autocasting::ModulePolicyLists);

}  // namespace amp::inline v0
