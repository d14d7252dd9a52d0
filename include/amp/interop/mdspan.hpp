// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors over the memory of std::mdspan and of types with its interface, such as those of Kokkos
// and cuda::std, and such views of tensors. This header includes none of them; the program does.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/interop/foreign_elements.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// A type with the interface of std::mdspan and a pointer as its data handle.
template <class M>
concept MdspanLike = requires(const M& view) {
  { M::rank() } -> std::convertible_to<std::size_t>;
  requires std::is_pointer_v<std::remove_cvref_t<decltype(view.data_handle())>>;
  requires M::rank()
  == 0 || requires {
    { view.extent(std::size_t{}) } -> std::integral;
    { view.stride(std::size_t{}) } -> std::integral;
  };
};

namespace detail {

/// Returns whether the accessor of an mdspan returns references to the elements in memory.
template <class M, class T>
consteval bool accesses_memory() {
  if constexpr (requires { typename M::reference; })
    return std::is_same_v<typename M::reference, T&>;
  else
    return true;
}

/// Returns the strides of a tensor for an mdspan with elements of `dtype`, `static_extents` (-1:
/// dynamic) and an index_type with the maximum `largest_index`, such that std::layout_stride
/// accepts them. Throws if the tensor does not fit.
Strides strides_for_mdspan(const Tensor& tensor, DType dtype,
                           std::span<const std::int64_t> static_extents,
                           std::uint64_t largest_index);
/// Throws if the strides of the layout are not those of the tensor.
void check_layout_of_mdspan(const Tensor& tensor, const Strides& strides,
                            const Strides& strides_of_layout);

/// Returns the mapping of a layout, with these strides if the layout accepts strides.
template <class Mapping, class Extents>
Mapping mapping_of_mdspan(const Extents& extents, const Strides& strides) {
  if constexpr (requires(const Mapping& mapping) { Mapping(extents, mapping.strides()); }) {
    // The array type belongs to the mdspan's library, and may differ from std::array.
    std::remove_cvref_t<decltype(std::declval<const Mapping&>().strides())> steps{};
    for (int d = 0; d < strides.dims(); ++d)
      steps[static_cast<std::size_t>(d)] = static_cast<typename Extents::index_type>(strides[d]);
    return Mapping(extents, steps);
  } else {
    return Mapping(extents);
  }
}

}  // namespace detail

/// Returns a tensor over the elements of `view`, with its extents and strides. Nothing is copied;
/// the memory must outlive the tensor and every view of it. amp cannot see writes to it: see
/// Tensor::mark_modified.
///
/// The dtype is that of the elements, which must not be const; `options.dtype` may be left unset.
/// `options.device` is the device of the memory. Throws amp::Error if `options.dtype` differs, if
/// there are more than 8 dimensions, if a stride is negative or the layout has no strides, if the
/// pointer is null but there are elements, or if the memory is not aligned to the element's size.
/// Does not synchronise.
///
/// ```text
/// std::mdspan matrix(numbers.data(), 2, 3);
/// const amp::Tensor x = amp::from_mdspan(matrix);
/// const amp::Tensor y = amp::from_mdspan(on_device, {.device = amp::kCUDA});
/// ```
template <MdspanLike M>
[[nodiscard]] Tensor from_mdspan(const M& view, const TensorOptions& options = {}) {
  using T = std::remove_pointer_t<std::remove_cvref_t<decltype(view.data_handle())>>;
  static_assert(detail::accesses_memory<M, T>(),
                "amp: the accessor of this mdspan computes what it gives, and a tensor would show "
                "the memory behind it; copy the elements");
  constexpr std::size_t rank = M::rank();
  AMP_CHECK(rank <= kMaxDims, "from_mdspan: a tensor has at most ", kMaxDims,
            " dimensions, but the mdspan has ", rank);
  if constexpr (requires { view.is_strided(); })
    AMP_CHECK(view.is_strided(),
              "from_mdspan: the mdspan's layout has no strides; copy the elements");
  Shape shape;
  Strides strides;
  if constexpr (rank > 0) {
    std::array<std::remove_cvref_t<decltype(view.extent(0))>, rank> extents{};
    std::array<std::remove_cvref_t<decltype(view.stride(0))>, rank> steps{};
    for (std::size_t r = 0; r < rank; ++r) {
      extents[r] = view.extent(r);
      steps[r] = view.stride(r);
    }
    shape = Shape(extents);
    strides = Strides(steps);
  }
  return detail::tensor_over_elements("from_mdspan", view.data_handle(), shape, strides, options);
}

/// Returns a view of the elements of `tensor` as an M, which is a std::mdspan or a similar type.
/// Nothing is copied; the view must not outlive the tensor's memory, and holds a pointer to memory
/// of the tensor's device.
///
/// If M's elements are not const, this counts as a write, like Tensor::data; if they are const, as
/// a read, like Tensor::const_data. Throws amp::Error if dtype, rank or static extents differ from
/// those of the tensor, if M's layout does not support the tensor's strides (std::layout_stride
/// supports those of elements that neither share memory nor interleave), or if M's index_type is
/// too small. Does not synchronise.
///
/// ```text
/// using Matrix = std::mdspan<const float, std::dextents<int, 2>>;
/// const Matrix weight = amp::to_mdspan<Matrix>(model.weight);
/// ```
template <MdspanLike M>
[[nodiscard]] M to_mdspan(const Tensor& tensor) {
  using T = typename M::element_type;
  using Own = detail::OwnElement<T>;
  using Extents = typename M::extents_type;
  using Mapping = typename M::mapping_type;
  using Index = typename M::index_type;
  static_assert(Element<Own>, "amp: no DType has elements of this type");
  static_assert(detail::accesses_memory<M, T>(),
                "amp: the accessor of this mdspan computes what it gives; use one with the default "
                "accessor");
  constexpr std::size_t rank = M::rank();
  std::array<std::int64_t, rank> static_extents{};
  for (std::size_t r = 0; r < static_extents.size(); ++r) {
    const std::size_t extent = Extents::static_extent(r);
    static_extents[r] = extent == (std::numeric_limits<std::size_t>::max)()
                            ? -1
                            : static_cast<std::int64_t>(extent);
  }
  const Strides strides =
      detail::strides_for_mdspan(tensor, dtype_of<Own>, static_extents,
                                 static_cast<std::uint64_t>((std::numeric_limits<Index>::max)()));

  const Shape& shape = tensor.shape();
  const auto extents = [&]<std::size_t... r>(std::index_sequence<r...>) {
    return Extents(static_cast<Index>(shape[static_cast<int>(r)])...);
  }
  (std::make_index_sequence<rank>());
  const Mapping mapping = detail::mapping_of_mdspan<Mapping>(extents, strides);
  if constexpr (rank > 0) {
    std::array<Index, rank> strides_of_layout{};
    for (std::size_t r = 0; r < rank; ++r) strides_of_layout[r] = mapping.stride(r);
    detail::check_layout_of_mdspan(tensor, strides, Strides(strides_of_layout));
  }
  if constexpr (std::is_const_v<T>)
    return M(reinterpret_cast<T*>(tensor.const_data<Own>()), mapping);
  else
    return M(reinterpret_cast<T*>(tensor.data<Own>()), mapping);
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/interop/mdspan.ipp"
#endif
