// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How ops that move elements are called (conformance/calls.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/binding.hpp"

namespace conformance::bindings {

/// Several views: the first is differentiated.
inline Outputs all_of(const std::vector<amp::Tensor>& views) {
  Outputs outputs(views.at(0));
  outputs.insert(outputs.end(), views.begin() + 1, views.end());
  return outputs;
}
/// `count` attributes from number `first` on.
inline std::vector<std::int64_t> integers_of(const OpCase& c, std::size_t first,
                                             std::size_t count) {
  std::vector<std::int64_t> all = integers_from(c, first);
  all.resize(count);
  return all;
}
inline amp::PadOptions pad_options(const OpCase& c) {
  constexpr amp::PadMode kModes[] = {amp::PadMode::kConstant, amp::PadMode::kReflect,
                                     amp::PadMode::kReplicate, amp::PadMode::kCircular};
  return {.mode = kModes[integer(c, 0)], .value = c.attributes[1]};
}

// clang-format off
inline constexpr Binding kMoving[] = {
    {"Tensor::chunk", [](In x, Case c) -> Outputs { return all_of(x[0].chunk(integer(c, 0), integer(c, 1))); }, kOneRounding},
    {"Tensor::split", [](In x, Case c) -> Outputs { return all_of(x[0].split(integer(c, 0), integer(c, 1))); }, kOneRounding},
    {"Tensor::split(sizes)", [](In x, Case c) -> Outputs { return all_of(x[0].split(integers_from(c, 1), integer(c, 0))); }, kOneRounding},
    {"Tensor::tensor_split", [](In x, Case c) -> Outputs { return all_of(x[0].tensor_split(integer(c, 0), integer(c, 1))); }, kOneRounding},
    {"Tensor::tensor_split(indices)", [](In x, Case c) -> Outputs { return all_of(x[0].tensor_split(integers_from(c, 1), integer(c, 0))); }, kOneRounding},
    {"Tensor::unbind", [](In x, Case c) -> Outputs { return all_of(x[0].unbind(integer(c, 0))); }, kOneRounding},
    {"Tensor::movedim", [](In x, Case c) -> Outputs { const std::size_t n = c.attributes.size() / 2; return x[0].movedim(integers_of(c, 0, n), integers_from(c, n)); }, kOneRounding},
    {"Tensor::swapaxes", [](In x, Case c) -> Outputs { return x[0].swapaxes(integer(c, 0), integer(c, 1)); }, kOneRounding},
    {"Tensor::swapdims", [](In x, Case c) -> Outputs { return x[0].swapdims(integer(c, 0), integer(c, 1)); }, kOneRounding},
    {"Tensor::unflatten", [](In x, Case c) -> Outputs { return x[0].unflatten(integer(c, 0), integers_from(c, 1)); }, kOneRounding},
    {"Tensor::diagonal", [](In x, Case c) -> Outputs { return x[0].diagonal(integer(c, 0), integer(c, 1), integer(c, 2)); }, kOneRounding},
    {"Tensor::slice", [](In x, Case c) -> Outputs { return x[0].slice(integer(c, 0), integer(c, 1), integer(c, 2), integer(c, 3)); }, kOneRounding},
    {"Tensor::broadcast_to", [](In x, Case c) -> Outputs { return x[0].broadcast_to(integers_from(c, 0)); }, kOneRounding},
    {"flip", [](In x, Case c) -> Outputs { return amp::flip(x[0], integers_from(c, 0)); }, kOneRounding, "input", kAnything},
    {"fliplr", unary<amp::fliplr>, kOneRounding, "input", kAnything},
    {"flipud", unary<amp::flipud>, kOneRounding, "input", kAnything},
    {"roll(x, shifts, dims)", [](In x, Case c) -> Outputs { const std::size_t n = c.attributes.size() / 2; return amp::roll(x[0], integers_of(c, 0, n), integers_from(c, n)); }, kOneRounding, "input", kAnything},
    {"roll(x, shift)", [](In x, Case c) -> Outputs { return amp::roll(x[0], integer(c, 0)); }, kOneRounding, "input", kAnything},
    {"rot90", [](In x, Case c) -> Outputs { return amp::rot90(x[0], integer(c, 0), integers_from(c, 1)); }, kOneRounding, "input", kAnything},
    {"pad", [](In x, Case c) -> Outputs { return amp::pad(x[0], integers_from(c, 2), pad_options(c)); }, kOneRounding, "input", kAnything},
    {"repeat", [](In x, Case c) -> Outputs { return amp::repeat(x[0], integers_from(c, 0)); }, kOneRounding, "input", kAnything},
    {"tile", [](In x, Case c) -> Outputs { return amp::tile(x[0], integers_from(c, 0)); }, kOneRounding, "input", kAnything},
    {"repeat_interleave(x, n, dim)", [](In x, Case c) -> Outputs { return amp::repeat_interleave(x[0], integer(c, 0), integer(c, 1)); }, kOneRounding, "input", kAnything},
    {"repeat_interleave(x, n)", [](In x, Case c) -> Outputs { return amp::repeat_interleave(x[0], integer(c, 0)); }, kOneRounding, "input", kAnything},
    {"pixel_shuffle", [](In x, Case c) -> Outputs { return amp::pixel_shuffle(x[0], integer(c, 0)); }, kOneRounding, "input", kAnything},
    {"pixel_unshuffle", [](In x, Case c) -> Outputs { return amp::pixel_unshuffle(x[0], integer(c, 0)); }, kOneRounding, "input", kAnything},
    {"channel_shuffle", [](In x, Case c) -> Outputs { return amp::channel_shuffle(x[0], integer(c, 0)); }, kOneRounding, "input", kAnything},
    {"tril", [](In x, Case c) -> Outputs { return amp::tril(x[0], integer(c, 0)); }, kOneRounding, "input", kAnything},
    {"triu", [](In x, Case c) -> Outputs { return amp::triu(x[0], integer(c, 0)); }, kOneRounding, "input", kAnything},
    {"trace", unary<amp::trace>, kOneRounding, "input", kNumbers},
    {"diag", [](In x, Case c) -> Outputs { return amp::diag(x[0], integer(c, 0)); }, kOneRounding, "input", kAnything},
    {"diag_embed", [](In x, Case c) -> Outputs { return amp::diag_embed(x[0], integer(c, 0), integer(c, 1), integer(c, 2)); }, kOneRounding, "input", kAnything},
    {"diff", [](In x, Case c) -> Outputs { return amp::diff(x[0], integer(c, 0), integer(c, 1)); }, kOneRounding, "input", kAnything},
    {"clamp(x, numbers)", [](In x, Case c) -> Outputs { return amp::clamp(x[0], number(c), c.attributes[1]); }, kOneRounding, "input", kNumbers},
    {"clamp(x, min)", [](In x, Case c) -> Outputs { return amp::clamp_min(x[0], number(c)); }, kOneRounding, "input", kNumbers},
    {"clamp(x, max)", [](In x, Case c) -> Outputs { return amp::clamp_max(x[0], number(c)); }, kOneRounding, "input", kNumbers},
    {"clamp(tensors)", [](In x, Case) -> Outputs { return amp::clamp(x[0], x[1], x[2]); }, kOneRounding, "input min? max?", kNumbers},
    {"clamp(x, min tensor)", [](In x, Case) -> Outputs { return amp::clamp(x[0], x[1]); }, kOneRounding, "input min", kNumbers},
    {"clamp(x, max tensor)", [](In x, Case) -> Outputs { return amp::clamp(x[0], amp::Tensor(), x[1]); }, kOneRounding, "input max", kNumbers},
    {"masked_fill(x, mask, number)", [](In x, Case c) -> Outputs { return amp::masked_fill(x[0], index(c, x, amp::kBool), number(c)); }, kOneRounding, "input mask", kAnything},
    {"hstack", [](In x, Case) -> Outputs { return amp::hstack(x); }, kOneRounding, "tensors", kAnything},
    {"vstack", [](In x, Case) -> Outputs { return amp::vstack(x); }, kOneRounding, "tensors", kAnything},
    {"dstack", [](In x, Case) -> Outputs { return amp::dstack(x); }, kOneRounding, "tensors*", kAnything},
    {"cartesian_prod", [](In x, Case) -> Outputs { return amp::cartesian_prod(x); }, kOneRounding, "tensors*", kAnything},
};
// clang-format on

}  // namespace conformance::bindings
