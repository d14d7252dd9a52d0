// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// As much of std::mdspan's interface as the tests need, for compilers without <mdspan>.
#pragma once

#include <array>
#include <cstddef>

namespace small_mdspan {

inline constexpr std::size_t dynamic_extent = static_cast<std::size_t>(-1);

template <class Index, std::size_t... Extents>
class extents {
 public:
  using index_type = Index;
  static constexpr std::size_t rank() { return sizeof...(Extents); }
  static constexpr std::size_t static_extent(std::size_t r) {
    return std::array<std::size_t, rank()>{Extents...}[r];
  }
  template <class... Values>
    requires(sizeof...(Values) == rank())
  explicit extents(Values... values) : values_{static_cast<Index>(values)...} {}
  Index extent(std::size_t r) const { return values_[r]; }

 private:
  std::array<Index, rank()> values_;
};

/// What the mappings of all layouts here are made of.
template <class Extents>
class strided_mapping {
 public:
  using index_type = typename Extents::index_type;
  using Indices = std::array<index_type, Extents::rank()>;
  const Extents& extents() const { return extents_; }
  index_type stride(std::size_t r) const { return strides_[r]; }

 protected:
  const Indices& strides() const { return strides_; }
  strided_mapping(const Extents& extents, const Indices& strides)
      : extents_(extents), strides_(strides) {}
  static Indices dense(const Extents& extents, bool last_is_dense) {
    Indices strides{};
    index_type stride = 1;
    for (std::size_t i = 0; i < strides.size(); ++i) {
      const std::size_t r = last_is_dense ? strides.size() - 1 - i : i;
      strides[r] = stride;
      stride = static_cast<index_type>(stride * extents.extent(r));
    }
    return strides;
  }

 private:
  Extents extents_;
  Indices strides_;
};

struct layout_right {
  template <class Extents>
  struct mapping : strided_mapping<Extents> {
    using Base = strided_mapping<Extents>;
    explicit mapping(const Extents& extents) : Base(extents, Base::dense(extents, true)) {}
  };
};
struct layout_left {
  template <class Extents>
  struct mapping : strided_mapping<Extents> {
    using Base = strided_mapping<Extents>;
    explicit mapping(const Extents& extents) : Base(extents, Base::dense(extents, false)) {}
  };
};
struct layout_stride {
  template <class Extents>
  struct mapping : strided_mapping<Extents> {
    using Base = strided_mapping<Extents>;
    mapping(const Extents& extents, const typename Base::Indices& steps) : Base(extents, steps) {}
    using Base::strides;
  };
};

template <class T, class Extents, class Layout = layout_right>
class mdspan {
 public:
  using element_type = T;
  using extents_type = Extents;
  using layout_type = Layout;
  using mapping_type = typename Layout::template mapping<Extents>;
  using index_type = typename Extents::index_type;
  using reference = T&;

  mdspan(T* data, const mapping_type& mapping) : data_(data), mapping_(mapping) {}
  static constexpr std::size_t rank() { return Extents::rank(); }
  static constexpr std::size_t static_extent(std::size_t r) { return Extents::static_extent(r); }
  index_type extent(std::size_t r) const { return mapping_.extents().extent(r); }
  index_type stride(std::size_t r) const { return mapping_.stride(r); }
  T* data_handle() const { return data_; }
  const mapping_type& mapping() const { return mapping_; }

 private:
  T* data_;
  mapping_type mapping_;
};

}  // namespace small_mdspan
