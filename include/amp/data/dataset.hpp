// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Data sets: what they are, those made of tensors, and those made of other data sets.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/data/example.hpp"
#include "amp/data/generator.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data {

namespace detail {

/// The example at an index, by get(index, generator), get(index) or operator[].
template <class D>
auto example_of(const D& dataset, std::int64_t index, Generator& generator) requires requires {
  dataset.get(index, generator);
} || requires {
  dataset.get(index);
} || requires {
  dataset[static_cast<std::size_t>(index)];
}
{
  if constexpr (requires { dataset.get(index, generator); })
    return dataset.get(index, generator);
  else if constexpr (requires { dataset.get(index); })
    return dataset.get(index);
  else
    return dataset[static_cast<std::size_t>(index)];
}

template <class D>
std::int64_t size_of(const D& dataset) {
  return static_cast<std::int64_t>(dataset.size());
}

/// `transform` of a whole example, or else of the first part of one: its data.
template <class F, class E>
auto transformed(const F& transform, E example, Generator& generator) {
  if constexpr (std::invocable<const F&, E&&, Generator&>)
    return transform(std::move(example), generator);
  else if constexpr (std::invocable<const F&, E&&>)
    return transform(std::move(example));
  else
    return with_first(std::move(example), [&](auto&& data) {
      return transformed(transform, std::forward<decltype(data)>(data), generator);
    });
}

/// An example with its first part replaced by body(first part).
template <class Data, class Target, class Body>
auto with_first(Example<Data, Target> example, const Body& body) {
  using New = decltype(body(std::move(example.data)));
  return Example<New, Target>{body(std::move(example.data)), std::move(example.target)};
}
template <class First, class Second, class Body>
auto with_first(std::pair<First, Second> example, const Body& body) {
  return std::pair(body(std::move(example.first)), std::move(example.second));
}

}  // namespace detail

/// A data set is anything with `size()` and `get(index)` that may be called from several threads at
/// once; `operator[]` takes the place of `get`, so that a std::vector is one, too. A data set that
/// draws random numbers has `get(index, generator)`. Examples may be of any type that a collate
/// function takes: a Tensor, an Example, a pair, a tuple, a struct.
template <class D>
concept AnyDataset = requires(const D& dataset, std::int64_t index, Generator& generator) {
  { dataset.size() } -> std::convertible_to<std::size_t>;
  detail::example_of(dataset, index, generator);
};

/// The type of a data set's examples.
template <AnyDataset D>
using ExampleOf = std::remove_cvref_t<decltype(detail::example_of(
    std::declval<const D&>(), std::int64_t{}, std::declval<Generator&>()))>;

template <AnyDataset D, class Transform>
class MapDataset;

/// The base of data sets, which gives them map(). A class of the program's own derives from it, as
/// from torch::data::Dataset: `struct Faces : amp::data::Dataset<Faces> { ... };`.
template <class Self>
class Dataset {
 public:
  /// A data set whose examples are `transform(example)`, or `transform(example, generator)` for a
  /// random transform. One that takes no whole example is given the data of an Example, or the
  /// first member of a pair, and the target stays.
  template <class Transform>
  auto map(Transform transform) const& {
    return MapDataset(static_cast<const Self&>(*this), std::move(transform));
  }
  template <class Transform>
  auto map(Transform transform) && {
    return MapDataset(static_cast<Self&&>(*this), std::move(transform));
  }
};

/// What Dataset::map() returns. It may also be made of data sets that have no map().
template <AnyDataset D, class Transform>
class MapDataset : public Dataset<MapDataset<D, Transform>> {
 public:
  /// The data set whose examples are those of `dataset`, transformed.
  MapDataset(D dataset, Transform transform)
      : dataset_(std::move(dataset)), transform_(std::move(transform)) {}

  /// As many examples as the data set has.
  std::int64_t size() const { return detail::size_of(dataset_); }
  /// The transformed example.
  auto get(std::int64_t index, Generator& generator) const {
    return detail::transformed(transform_, detail::example_of(dataset_, index, generator),
                               generator);
  }
  /// The data set without the transform.
  const D& dataset() const { return dataset_; }

 private:
  D dataset_;
  Transform transform_;
};

namespace detail {

/// Throws unless the tensors of a TensorDataset have one length.
void check_lengths(std::span<const Tensor> tensors);
/// The elements of a tensor at these indices of its first dimension.
Tensor rows_of(const Tensor& tensor, std::span<const std::int64_t> indices);
/// Throws, naming `what`, unless 0 <= index < size.
void check_index(const char* what, std::int64_t index, std::int64_t size);

template <std::size_t n>
struct TensorExample;
template <>
struct TensorExample<2> {
  using type = Example<Tensor, Tensor>;
};
template <std::size_t n>
  requires(n != 2)
struct TensorExample<n> {
  using type = decltype(std::tuple_cat(std::array<Tensor, n>()));
};

}  // namespace detail

/// The slices of tensors along their first dimension: of two tensors an Example, of another number
/// a tuple. Examples are views of the tensors; batches are gathered at once.
template <std::size_t n>
class TensorDataset : public Dataset<TensorDataset<n>> {
 public:
  using ExampleType = typename detail::TensorExample<n>::type;

  /// Throws amp::Error unless all tensors have one length.
  template <std::same_as<Tensor>... Tensors>
    requires(sizeof...(Tensors) == n)
  explicit(n == 1) TensorDataset(Tensors... tensors) : tensors_{std::move(tensors)...} {
    detail::check_lengths(tensors_);
  }

  /// The number of slices.
  std::int64_t size() const { return tensors_[0].size(0); }
  /// The slices at an index, as views.
  ExampleType get(std::int64_t index) const {
    return each([&](const Tensor& tensor) { return tensor.select(0, index); });
  }
  /// The batch of these examples.
  ExampleType get_batch(std::span<const std::int64_t> indices) const {
    return each([&](const Tensor& tensor) { return detail::rows_of(tensor, indices); });
  }
  /// The tensors.
  const std::array<Tensor, n>& tensors() const { return tensors_; }

 private:
  template <class Body>
  ExampleType each(const Body& body) const {
    return std::apply([&](const auto&... tensors) { return ExampleType{body(tensors)...}; },
                      tensors_);
  }

  std::array<Tensor, n> tensors_;
};
template <class... Tensors>
TensorDataset(Tensors...) -> TensorDataset<sizeof...(Tensors)>;

/// The examples of a data set at these indices.
template <AnyDataset D>
class Subset : public Dataset<Subset<D>> {
 public:
  /// Throws amp::Error if an index is out of range.
  Subset(D dataset, std::vector<std::int64_t> indices)
      : dataset_(std::move(dataset)), indices_(std::move(indices)) {
    for (const std::int64_t index : indices_)
      detail::check_index("Subset", index, detail::size_of(dataset_));
  }

  /// The number of indices.
  std::int64_t size() const { return static_cast<std::int64_t>(indices_.size()); }
  /// The example that the index of this number names.
  auto get(std::int64_t index, Generator& generator) const {
    detail::check_index("Subset::get", index, size());
    return detail::example_of(dataset_, indices_[static_cast<std::size_t>(index)], generator);
  }
  /// The data set, and the indices.
  const D& dataset() const { return dataset_; }
  const std::vector<std::int64_t>& indices() const { return indices_; }

 private:
  D dataset_;
  std::vector<std::int64_t> indices_;
};

/// Data sets one after the other, of the same type of examples.
template <AnyDataset First, AnyDataset... Others>
class ConcatDataset : public Dataset<ConcatDataset<First, Others...>> {
  static_assert((std::same_as<ExampleOf<First>, ExampleOf<Others>> && ...),
                "the data sets must have examples of one type");

 public:
  /// Of these data sets, in this order.
  explicit ConcatDataset(First first, Others... others)
      : datasets_(std::move(first), std::move(others)...) {}

  /// The number of examples of all.
  std::int64_t size() const {
    return std::apply([](const auto&... datasets) { return (detail::size_of(datasets) + ...); },
                      datasets_);
  }
  /// The example at an index of all.
  ExampleOf<First> get(std::int64_t index, Generator& generator) const {
    detail::check_index("ConcatDataset::get", index, size());
    return get_from<0>(index, generator);
  }

 private:
  template <std::size_t i>
  ExampleOf<First> get_from(std::int64_t index, Generator& generator) const {
    const auto& dataset = std::get<i>(datasets_);
    if constexpr (i < sizeof...(Others)) {
      const std::int64_t size = detail::size_of(dataset);
      if (index >= size) return get_from<i + 1>(index - size, generator);
    }
    return detail::example_of(dataset, index, generator);
  }

  std::tuple<First, Others...> datasets_;
};

namespace detail {

/// The lengths of a split, in examples. Fractions of the whole must add up to 1; what rounding
/// leaves over goes to the first parts, an example each.
std::vector<std::int64_t> split_lengths(std::span<const double> fractions, std::int64_t size);
std::vector<std::int64_t> split_lengths(std::span<const std::int64_t> lengths, std::int64_t size);

}  // namespace detail

/// Divides a data set at random into parts that do not overlap: `auto [train, valid] =
/// random_split(dataset, {50000, 10000})`, or `{0.8, 0.2}` of it. Throws amp::Error unless the
/// lengths add up to the size of the data set, or fractions to 1.
template <AnyDataset D, class Length, std::size_t n>
  requires std::is_arithmetic_v<Length> std::array<Subset<D>, n> random_split(
      const D& dataset, const Length (&lengths)[n], Generator generator = Generator()) {
    using Wide = std::conditional_t<std::floating_point<Length>, double, std::int64_t>;
    std::array<Wide, n> wide;
    for (std::size_t i = 0; i < n; ++i) wide[i] = static_cast<Wide>(lengths[i]);
    const std::vector<std::int64_t> counts =
        detail::split_lengths(std::span<const Wide>(wide), detail::size_of(dataset));
    const std::vector<std::int64_t> order = generator.permutation(detail::size_of(dataset));
    auto begin = order.begin();
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto part = [&](std::size_t i) {
        const auto from = std::exchange(begin, begin + counts[i]);
        return Subset<D>(dataset, {from, begin});
      };
      return std::array<Subset<D>, n>{part(I)...};
    }
    (std::make_index_sequence<n>());
  }

}  // namespace amp::inline v0::data

#if AMP_HEADER_ONLY
#include "amp/data/dataset.ipp"
#endif
