// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "amp/core/error.hpp"
#include "amp/data/sampler.hpp"

namespace amp::inline v0::data {

namespace detail {

AMP_COLD void check_indices(const char* sampler, const std::vector<std::int64_t>& indices,
                            std::int64_t size) {
  for (const std::int64_t index : indices)
    AMP_CHECK(index >= 0 && index < size, sampler, ": the index ", index,
              " is out of range: the data set has ", size, " examples");
}

}  // namespace detail

AMP_COLD auto Sampler::operator()(std::int64_t size, Generator& generator) const -> Indices {
  Indices indices = function_(size, generator);
  detail::check_indices("Sampler", indices, size);
  return indices;
}

AMP_COLD BatchSampler::BatchSampler(Sampler sampler, std::int64_t batch_size, bool drop_last) {
  AMP_CHECK(!sampler.empty() && batch_size >= 1,
            "BatchSampler: `sampler` must be one, and `batch_size` at least 1, but is ",
            batch_size);
  function_ = [sampler = std::move(sampler), batch_size, drop_last](std::int64_t size,
                                                                    Generator& generator) {
    const Sampler::Indices indices = sampler(size, generator);
    const std::int64_t count = std::ssize(indices);
    Batches batches;
    for (std::int64_t at = 0; at < count; at += batch_size) {
      if (drop_last && count - at < batch_size) break;
      batches.emplace_back(indices.begin() + at,
                           indices.begin() + (std::min)(at + batch_size, count));
    }
    return batches;
  };
}

AMP_COLD auto BatchSampler::operator()(std::int64_t size, Generator& generator) const -> Batches {
  Batches batches = function_(size, generator);
  for (const std::vector<std::int64_t>& batch : batches)
    detail::check_indices("BatchSampler", batch, size);
  return batches;
}

AMP_COLD Sampler SequentialSampler() {
  return [](std::int64_t size, Generator&) {
    Sampler::Indices indices(static_cast<std::size_t>(size));
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
  };
}

AMP_COLD Sampler RandomSampler(const RandomSamplerOptions& options) {
  AMP_CHECK(options.num_samples.value_or(1) > 0, "RandomSampler: `num_samples` is ",
            options.num_samples.value_or(0), "; expected at least 1");
  return [options](std::int64_t size, Generator& generator) {
    const std::int64_t count = options.num_samples.value_or(size);
    Sampler::Indices indices;
    AMP_CHECK(size > 0 || count == 0, "RandomSampler: the data set is empty");
    indices.reserve(static_cast<std::size_t>(count));
    while (std::ssize(indices) < count) {
      if (options.replacement) {
        indices.push_back(generator.randint(0, size));
      } else {
        const Sampler::Indices order = generator.permutation(size);
        indices.insert(indices.end(), order.begin(),
                       order.begin() + (std::min)(size, count - std::ssize(indices)));
      }
    }
    return indices;
  };
}

AMP_COLD Sampler SubsetRandomSampler(std::vector<std::int64_t> indices) {
  return [indices = std::move(indices)](std::int64_t, Generator& generator) {
    Sampler::Indices shuffled;
    for (const std::int64_t place : generator.permutation(std::ssize(indices)))
      shuffled.push_back(indices[static_cast<std::size_t>(place)]);
    return shuffled;
  };
}

AMP_COLD Sampler WeightedRandomSampler(std::vector<double> weights, std::int64_t num_samples,
                                       bool replacement) {
  std::int64_t positive = 0;
  for (const double weight : weights) {
    AMP_CHECK(weight >= 0 && std::isfinite(weight), "WeightedRandomSampler: a weight is ", weight,
              "; expected a finite number that is not negative");
    positive += weight > 0 ? 1 : 0;
  }
  AMP_CHECK(num_samples > 0 && positive > 0 && (replacement || num_samples <= positive),
            "WeightedRandomSampler: ", num_samples, " samples cannot be taken ",
            replacement ? "with" : "without", " replacement of ", positive,
            " examples with a weight above 0");
  return [weights = std::move(weights), num_samples, replacement](std::int64_t size,
                                                                  Generator& generator) {
    AMP_CHECK(size == std::ssize(weights), "WeightedRandomSampler: there are ", weights.size(),
              " weights, but the data set has ", size, " examples");
    Sampler::Indices indices;
    if (replacement) {
      std::vector<double> sums(weights.size());
      std::partial_sum(weights.begin(), weights.end(), sums.begin());
      for (std::int64_t i = 0; i < num_samples; ++i) {
        // The first example whose sum is above the number: one of weight 0 never is, but at the end.
        const auto above =
            std::upper_bound(sums.begin(), sums.end(), generator.uniform(0, sums.back()));
        auto at = (std::min)(above - sums.begin(), std::ssize(sums) - 1);
        while (weights[static_cast<std::size_t>(at)] == 0) --at;
        indices.push_back(at);
      }
      return indices;
    }
    // The least of the exponentially distributed numbers with the weights as rates are such a
    // sample (Efraimidis and Spirakis, 2006).
    std::vector<std::pair<double, std::int64_t>> keys;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] > 0)
        keys.emplace_back(-std::log1p(-generator.uniform()) / weights[i],
                          static_cast<std::int64_t>(i));
    }
    std::partial_sort(keys.begin(), keys.begin() + num_samples, keys.end());
    for (std::int64_t i = 0; i < num_samples; ++i)
      indices.push_back(keys[static_cast<std::size_t>(i)].second);
    return indices;
  };
}

}  // namespace amp::inline v0::data
