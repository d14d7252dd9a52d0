// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A table of the layers of a model, as they run. Not part of <amp/amp.hpp>.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "amp/core/function_ref.hpp"
#include "amp/nn/module.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::nn {

/// A call of a layer.
struct SummaryRow {
  std::string path = {};           // "block2.conv1"; empty for the outermost
  std::string type = {};           // empty for a layer that is not within the model
  bool returned_tensor = false;    // so that there are a shape and a dtype
  Shape output = {};               // the shape of the result
  DType dtype = kFloat32;          // of the result
  std::int64_t parameters = 0;     // elements of the layer's own parameters, without those within
  std::int64_t bytes = 0;          // of these
  std::int64_t multiply_adds = 0;  // of its own ops, without those of layers within
};

/// What summary() returns; to_string() and << show it as a table.
struct Summary {
  std::vector<SummaryRow> rows = {};  // in the order in which the calls began
  std::int64_t parameters = 0;        // of the whole model; one that is there twice counts once
  std::int64_t trained = 0;           // those among them that require gradients
  std::int64_t bytes = 0;             // of parameters
  std::int64_t buffer_bytes = 0;
  std::int64_t multiply_adds = 0;  // of all rows
};

/// The table, and a line with the totals.
std::string to_string(const Summary& summary);
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& stream,
                                             const Summary& summary) {
  return stream << to_string(summary).c_str();
}

namespace detail {
AMP_LAZY Summary summarise(const Module& model, FunctionRef<void()> call);
}

/// Calls the model with these inputs, in evaluation mode and without gradients, and lists the calls
/// of layers that this made, within and in the order of the call. The modes of modules are then as
/// before. The multiplications with an addition are counted in linear, convolutions, matmuls and
/// their kin, bilinear and scaled_dot_product_attention, by shapes; other ops count none.
///
/// ```cpp
/// const amp::nn::Sequential net{amp::nn::Linear(4, 8), amp::nn::ReLU(), amp::nn::Linear(8, 2)};
/// const amp::nn::Summary summary = amp::nn::summary(net, amp::ones({3, 4}));
/// assert(summary.parameters == 58);
/// assert(summary.rows[1].type == "Linear" && summary.rows[1].multiply_adds == 3 * 4 * 8);
/// ```
template <std::derived_from<Module> M, class... Inputs>
[[nodiscard]] Summary summary(const M& model, const Inputs&... inputs) {
  return detail::summarise(model, [&] {
    if constexpr (requires { model(inputs...); }) {
      static_cast<void>(model(inputs...));
    } else {
      static_cast<void>(model.forward(inputs...));
    }
  });
}

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/summary.ipp"
#endif
