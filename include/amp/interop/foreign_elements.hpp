// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elements of other libraries' views: the code that from_mdspan and from_eigen share.
#pragma once

#include <limits>
#include <string_view>
#include <type_traits>

#include "amp/tensor/shape.hpp"
#include "amp/tensor/tensor.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::detail {

/// Returns a tag of amp's element type with the bits of T: T itself, or amp's format if T is
/// another library's float16 or bfloat16, such as Eigen::half or c10::BFloat16. These are
/// recognised by std::numeric_limits, so that no library needs to be named. The tag is of void if
/// there is no such type.
template <class T>
consteval auto own_element() {
  using Limits = std::numeric_limits<T>;
  constexpr bool has_16_bits = sizeof(T) == 2 && Limits::is_specialized && !Limits::is_integer;
  if constexpr (Element<T>)
    return type_tag<T>{};
  else if constexpr (has_16_bits && Limits::digits == 11 && Limits::max_exponent == 16)
    return type_tag<half>{};
  else if constexpr (has_16_bits && Limits::digits == 8 && Limits::max_exponent == 128)
    return type_tag<bfloat16>{};
  else
    return type_tag<void>{};
}
template <class T>
using OwnElement = typename decltype(own_element<std::remove_const_t<T>>())::type;

/// Calls tensor_over() for elements of a known dtype. Throws if `options` has another dtype.
Tensor tensor_over_elements(std::string_view call, void* data, DType dtype, const Shape& shape,
                            const Strides& strides, const TensorOptions& options);

template <class T>
Tensor tensor_over_elements(std::string_view call, T* data, const Shape& shape,
                            const Strides& strides, const TensorOptions& options) {
  using Own = OwnElement<T>;
  static_assert(!std::is_const_v<T>,
                "amp: a tensor can be written, so none is made over const elements; copy them, or "
                "pass a view whose elements are not const");
  static_assert(Element<Own>,
                "amp: no DType has elements of this type; copy them to one that amp has, such as "
                "float, or to amp::half if they are another library's type with the same bits");
  if constexpr (!std::is_const_v<T> && Element<Own>)  // else only the above is reported
    return tensor_over_elements(call, data, dtype_of<Own>, shape, strides, options);
  else
    return {};
}

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/interop/foreign_elements.ipp"
#endif
