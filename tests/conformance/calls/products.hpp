// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How sums of products, distances, and functions of three tensors are called.
#pragma once

#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "conformance/binding.hpp"

namespace conformance::bindings {

/// As EQUATIONS of goldens/ops_products.py.
inline constexpr std::string_view kEquations[] = {"ij,jk->ik",
                                                  "bij,bjk->bik",
                                                  "ij,jk",
                                                  "ij->ji",
                                                  "ij->j",
                                                  "ij->",
                                                  "ii->i",
                                                  "ii",
                                                  "i,j->ij",
                                                  "bi,bi->b",
                                                  "b...i,i...j->b...j",
                                                  "...i,...i",
                                                  "bqhd,bkhd->bhqk",
                                                  "ij,jk,kl->il",
                                                  "iij,ji->i",
                                                  "aB,Bc->ca",
                                                  "ij,ij->ij",
                                                  "...ij->...ji",
                                                  "i...->..."};

template <class Options>
using OfThree = amp::Tensor (*)(const amp::Tensor&, const amp::Tensor&, const amp::Tensor&,
                                const Options&);
template <OfThree<amp::AddmmOptions> Op>
Outputs add_product(In x, Case c) {
  return Op(x[0], x[1], x[2], {.beta = c.attributes[0], .alpha = c.attributes[1]});
}
template <class Options, OfThree<Options> Op>
Outputs of_three(In x, Case) {
  return Op(x[0], x[1], x[2], {});
}
template <amp::Tensor (*Op)(std::span<const amp::Tensor>)>
Outputs of_list(In x, Case) {
  return Op(std::span<const amp::Tensor>(x));
}
template <OfThree<amp::AddcmulOptions> Op>
Outputs with_value(In x, Case c) {
  return Op(x[0], x[1], x[2], amp::AddcmulOptions{.value = number(c)});
}
inline std::vector<std::int64_t> half_of(const std::vector<std::int64_t>& all, bool second) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  return second ? std::vector(middle, all.end()) : std::vector(all.begin(), middle);
}

// A product is rounded before it is multiplied or summed again.
inline constexpr Limits kChain{1.51, 2.01, 12};
// Sums of products that cancel.
inline constexpr Limits kCancelling{0.51, 0.51, 24};

// clang-format off
inline constexpr Binding kProducts[] = {
    {"mm", binary<amp::mm>, kOneRounding, "input mat2"},
    {"mv", binary<amp::mv>, kOneRounding, "input vec"},
    {"dot", binary<amp::dot>, kOneRounding, "input tensor"},
    {"vdot", binary<amp::vdot>, kOneRounding, "input other"},
    {"linalg_vecdot", [](In x, Case c) -> Outputs { return amp::linalg_vecdot(x[0], x[1], integer(c, 0)); }, kOneRounding, "x y"},
    {"linalg_vecdot(default)", [](In x, Case) -> Outputs { return amp::linalg_vecdot(x[0], x[1]); }, kOneRounding, "x y"},
    {"addmm", add_product<amp::addmm>, kFloat32Math, "input mat1 mat2"},
    {"addmm(default)", of_three<amp::AddmmOptions, amp::addmm>, kFloat32Math, "input mat1 mat2"},
    {"addmv", add_product<amp::addmv>, kFloat32Math, "input mat vec"},
    {"addmv(default)", of_three<amp::AddmmOptions, amp::addmv>, kFloat32Math, "input mat vec"},
    {"addr", add_product<amp::addr>, kFloat32Math, "input* vec1* vec2*", kAnything},
    {"addr(default)", of_three<amp::AddmmOptions, amp::addr>, kFloat32Math, "input* vec1* vec2*", kAnything},
    {"addbmm", add_product<amp::addbmm>, kFloat32Math, "input batch1 batch2"},
    {"addbmm(default)", of_three<amp::AddmmOptions, amp::addbmm>, kFloat32Math, "input batch1 batch2"},
    {"baddbmm", add_product<amp::baddbmm>, kFloat32Math, "input batch1 batch2"},
    {"baddbmm(default)", of_three<amp::AddmmOptions, amp::baddbmm>, kFloat32Math, "input batch1 batch2"},
    {"chain_matmul", of_list<amp::chain_matmul>, kChain, "matrices"},
    {"linalg_multi_dot", of_list<amp::linalg_multi_dot>, kChain, "tensors"},
    {"einsum", [](In x, Case c) -> Outputs { return amp::einsum(kEquations[integer(c, 0)], std::span<const amp::Tensor>(x)); }, kChain, "operands*"},
    {"tensordot", [](In x, Case c) -> Outputs { return amp::tensordot(x[0], x[1], integer(c, 0)); }, kOneRounding, "a b"},
    {"tensordot(default)", [](In x, Case) -> Outputs { return amp::tensordot(x[0], x[1]); }, kOneRounding, "a b"},
    {"tensordot(a, b, lists)", [](In x, Case c) -> Outputs {
       const std::vector<std::int64_t> all = integers_from(c, 0);
       return amp::tensordot(x[0], x[1], half_of(all, false), half_of(all, true));
     }, kOneRounding, "a b"},
    {"outer", binary<amp::outer>, kTwoRoundings, "input* vec2*", kAnything},
    {"kron", binary<amp::kron>, kTwoRoundings, "input* other*", kAnything},
    {"cross", [](In x, Case c) -> Outputs { return amp::cross(x[0], x[1], integer(c, 0)); }, kFloat32Math, "input other", kAnything},
    {"cross(default)", [](In x, Case) -> Outputs { return amp::cross(x[0], x[1]); }, kFloat32Math, "input other", kAnything},
    {"bilinear", [](In x, Case) -> Outputs { return amp::bilinear(x[0], x[1], x[2], optional(x, 3)); }, kFloat32Math, "input1 input2 weight bias?"},
    {"addcmul", with_value<amp::addcmul>, kFloat32Math, "input tensor1 tensor2", kAnything},
    {"addcmul(default)", of_three<amp::AddcmulOptions, amp::addcmul>, kFloat32Math, "input tensor1 tensor2", kAnything},
    {"addcdiv", with_value<amp::addcdiv>, kFloat32Math, "input tensor1 tensor2", kAnything},
    {"addcdiv(default)", of_three<amp::AddcmulOptions, amp::addcdiv>, kFloat32Math, "input tensor1 tensor2", kAnything},
    {"lerp", [](In x, Case) -> Outputs { return amp::lerp(x[0], x[1], x[2]); }, kFloat32Math, "input end weight"},
    {"lerp(input, end, number)", [](In x, Case c) -> Outputs { return amp::lerp(x[0], x[1], number(c)); }, kFloat32Math, "input end"},
    {"dist", [](In x, Case c) -> Outputs { return amp::dist(x[0], x[1], number(c)); }, kCancelling, "input other"},
    {"dist(default)", [](In x, Case) -> Outputs { return amp::dist(x[0], x[1]); }, kCancelling, "input other"},
    {"pairwise_distance", [](In x, Case c) -> Outputs { return amp::pairwise_distance(x[0], x[1], number(c), c.attributes[1], flag(c, 2)); }, kCancelling, "x1 x2"},
    {"pairwise_distance(default)", [](In x, Case) -> Outputs { return amp::pairwise_distance(x[0], x[1]); }, kCancelling, "x1 x2"},
    {"cdist", [](In x, Case c) -> Outputs { return amp::cdist(x[0], x[1], number(c), static_cast<amp::EuclideanMode>(integer(c, 1))); }, kCancelling, "x1 x2"},
    {"cdist(default)", [](In x, Case) -> Outputs { return amp::cdist(x[0], x[1]); }, kCancelling, "x1 x2"},
    {"pdist", [](In x, Case c) -> Outputs { return amp::pdist(x[0], number(c)); }, kCancelling},
    {"pdist(default)", [](In x, Case) -> Outputs { return amp::pdist(x[0]); }, kCancelling},
    {"cosine_similarity", [](In x, Case c) -> Outputs { return amp::cosine_similarity(x[0], x[1], integer(c, 0), c.attributes[1]); }, kCancelling, "x1 x2"},
    {"cosine_similarity(default)", [](In x, Case) -> Outputs { return amp::cosine_similarity(x[0], x[1]); }, kCancelling, "x1 x2"},
    {"renorm", [](In x, Case c) -> Outputs { return amp::renorm(x[0], number(c), integer(c, 1), c.attributes[2]); }, kCancelling},
    {"linalg_vector_norm", [](In x, Case c) -> Outputs { return amp::linalg_vector_norm(x[0], number(c), integers_from(c, 2), flag(c, 1)); }, kFloat32Math, "x"},
    {"linalg_vector_norm(default)", [](In x, Case) -> Outputs { return amp::linalg_vector_norm(x[0]); }, kFloat32Math, "x"},
    {"linalg_matrix_norm", [](In x, Case c) -> Outputs { return amp::linalg_matrix_norm(x[0], number(c), integers_from(c, 2), flag(c, 1)); }, kFloat32Math, "A"},
    {"linalg_matrix_norm(fro)", [](In x, Case) -> Outputs { return amp::linalg_matrix_norm(x[0]); }, kFloat32Math, "A"},
};
// clang-format on

}  // namespace conformance::bindings
