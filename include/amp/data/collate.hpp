// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// From examples to a batch, as torch's default_collate.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/data/example.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data {

namespace detail {

/// A tensor whose slices along a new first dimension are these.
Tensor stack_examples(const std::vector<Tensor>& examples);

/// The number type in which a batch of numbers is stored: integers as int64, as Python's.
template <class T>
using Stored = std::conditional_t<std::integral<T> && !std::same_as<T, bool>, std::int64_t, T>;

/// Whether a type is one of the numbers of which tensors are made.
template <class T>
concept Number = std::is_arithmetic_v<T> || Element<T>;

template <class T>
struct Collation;

template <class T>
using Collated = decltype(Collation<T>::of(std::declval<std::vector<T>>()));

template <class T>
constexpr bool is_vector = false;
template <class T, class A>
constexpr bool is_vector<std::vector<T, A>> = true;

/// Collates the members of examples one by one; the result is made of what each has become.
template <class T, class Batch>
Batch collate_parts(std::vector<T> examples) {
  using Parts = decltype(parts_of(std::declval<T&>()));
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto members = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
      using Member = std::remove_cvref_t<std::tuple_element_t<i, Parts>>;
      std::vector<Member> all;
      all.reserve(examples.size());
      for (T& example : examples) all.push_back(std::move(std::get<i>(parts_of(example))));
      return Collation<Member>::of(std::move(all));
    };
    return Batch{members(std::integral_constant<std::size_t, I>())...};
  }
  (std::make_index_sequence<std::tuple_size_v<Parts>>());
}

/// The types that the members of T become, as a tuple, and whether these are the same types.
template <class Parts>
struct CollatedMembers;
template <class... Members>
struct CollatedMembers<std::tuple<Members&...>> {
  using Tuple = std::tuple<Collated<std::remove_cv_t<Members>>...>;
  static constexpr bool are_same =
      (std::same_as<std::remove_cv_t<Members>, Collated<std::remove_cv_t<Members>>> && ...);
};

template <class T>
struct CollatedWhole {
  using Members = CollatedMembers<decltype(parts_of(std::declval<T&>()))>;
  using type = std::conditional_t<Members::are_same, T, typename Members::Tuple>;
};
template <class Data, class Target>
struct CollatedWhole<Example<Data, Target>> {
  using type = Example<Collated<Data>, Collated<Target>>;
};
template <class A, class B>
struct CollatedWhole<std::pair<A, B>> {
  using type = std::pair<Collated<A>, Collated<B>>;
};

template <class T>
struct Collation {
  static auto of(std::vector<T> examples) {
    if constexpr (std::same_as<T, Tensor>) {
      return stack_examples(examples);
    } else if constexpr (Number<T>) {
      using S = Stored<T>;
      const Tensor batch = empty({examples.size()}, {.dtype = dtype_of<S>});
      S* to = static_cast<S*>(batch.raw_data());
      for (const T number : examples) *to++ = static_cast<S>(number);
      return batch;
    } else if constexpr (std::same_as<T, std::string>) {
      return examples;
    } else if constexpr (is_vector<T>) {
      using Element = typename T::value_type;
      std::vector<Collated<Element>> batch;
      for (std::size_t place = 0; place < examples.front().size(); ++place) {
        std::vector<Element> elements;
        elements.reserve(examples.size());
        for (T& example : examples) {
          AMP_CHECK(example.size() == examples.front().size(),
                    "collate: the examples are lists of different lengths, ",
                    examples.front().size(), " and ", example.size());
          elements.push_back(std::move(example[place]));
        }
        batch.push_back(Collation<Element>::of(std::move(elements)));
      }
      return batch;
    } else if constexpr (requires { typename T::mapped_type; }) {
      using Element = typename T::mapped_type;
      std::map<typename T::key_type, Collated<Element>> batch;
      for (const auto& entry : examples.front()) {
        std::vector<Element> elements;
        elements.reserve(examples.size());
        for (T& example : examples) {
          const auto found = example.find(entry.first);
          AMP_CHECK(found != example.end() && example.size() == examples.front().size(),
                    "collate: the examples have different keys");
          elements.push_back(found->second);
        }
        batch.emplace(entry.first, Collation<Element>::of(std::move(elements)));
      }
      return batch;
    } else {
      static_assert(Parted<T>,
                    "there is no rule that makes a batch of these examples: give DataLoader a "
                    "function std::vector<Example> -> batch as its third argument");
      return collate_parts<T, typename CollatedWhole<T>::type>(std::move(examples));
    }
  }
};

}  // namespace detail

/// Makes a batch of examples. Tensors of equal shape are stacked; numbers become a tensor [N],
/// integers in int64 and bools and floating-point numbers in their own dtype. Pairs, tuples, an
/// Example, lists and maps are collated part by part, as are structs of up to eight members: into
/// the same struct if all members are tensors, else into a tuple. Texts become a
/// list. Throws amp::Error if there are no examples, or if shapes, dtypes, lengths or keys differ.
template <class T>
auto collate(std::vector<T> examples) {
  AMP_CHECK(!examples.empty(), "collate: there are no examples");
  return detail::Collation<T>::of(std::move(examples));
}

/// The collate() function as an object: what a DataLoader uses unless it is given another one.
struct DefaultCollate {
  template <class T>
  auto operator()(std::vector<T> examples) const {
    return collate(std::move(examples));
  }
};

}  // namespace amp::inline v0::data

#if AMP_HEADER_ONLY
#include "amp/data/collate.ipp"
#endif
