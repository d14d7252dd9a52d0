// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Combinations on the host. The kernel is combination<Function>, for a function of formula.hpp: a
// template, so that a file compiles only those that it uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "amp/kernels/combination/args.hpp"
#include "amp/kernels/combination/formula.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/host/loops.hpp"
#include "amp/kernels/traversal/host/loop.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

template <class Function, class C, std::size_t... K>
void combine(const CombinationArgs& args, std::index_sequence<K...>) {
  constexpr std::size_t kOutput = sizeof...(K);
  auto loop = Loop<kOutput + 1>::in_memory_order(args.output, {&args.inputs[K]..., &args.output});
  if ((is_in_place<C>(args.inputs[K], loop.inner_stride(K)) && ...) &&
      is_in_place<C>(args.output, loop.inner_stride(kOutput)))
    loop.block = kBlockInPlace;
  loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
    C buffers[kOutput + 1][kBlock];
    const std::int64_t step = loop.inner_stride(kOutput);
    C* const y = target(args.output, at[kOutput], step, n, buffers[kOutput]);
    detail::loop<Function, C>(
        args.parameters, y, n,
        fetch_values(args.inputs[K], at[K], loop.inner_stride(K), n, buffers[K])...);
    store(y, args.output, at[kOutput], step, n);
  });
}

}  // namespace detail

template <class Function>
void combination(const CombinationArgs& args) {
  visit_combination_type<Function>(args, [&](auto tag) {
    detail::combine<Function, typename decltype(tag)::type>(
        args, std::make_index_sequence<Function::kOperands>());
  });
}

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void addcmul(Device device, const CombinationArgs& args) {
  dispatch<&Backend::addcmul, host::combination<Addcmul>>(device, args);
}
AMP_LAZY inline void addcdiv(Device device, const CombinationArgs& args) {
  dispatch<&Backend::addcdiv, host::combination<Addcdiv>>(device, args);
}
AMP_LAZY inline void addcdiv_by_divisor(Device device, const CombinationArgs& args) {
  dispatch<&Backend::addcdiv_by_divisor, host::combination<AddcdivByDivisor>>(device, args);
}
AMP_LAZY inline void lerp(Device device, const CombinationArgs& args) {
  dispatch<&Backend::lerp, host::combination<Lerp>>(device, args);
}
AMP_LAZY inline void times_difference(Device device, const CombinationArgs& args) {
  dispatch<&Backend::times_difference, host::combination<TimesDifference>>(device, args);
}
AMP_LAZY inline void determinant(Device device, const CombinationArgs& args) {
  dispatch<&Backend::determinant, host::combination<Determinant>>(device, args);
}
AMP_LAZY inline void sum_of_products(Device device, const CombinationArgs& args) {
  dispatch<&Backend::sum_of_products, host::combination<SumOfProducts>>(device, args);
}
AMP_LAZY inline void distance_of_product(Device device, const CombinationArgs& args) {
  dispatch<&Backend::distance_of_product, host::combination<DistanceOfProduct>>(device, args);
}
AMP_LAZY inline void over_distance(Device device, const CombinationArgs& args) {
  dispatch<&Backend::over_distance, host::combination<OverDistance>>(device, args);
}
AMP_LAZY inline void offset_difference(Device device, const CombinationArgs& args) {
  dispatch<&Backend::offset_difference, host::combination<OffsetDifference>>(device, args);
}

}  // namespace amp::inline v0::kernels
