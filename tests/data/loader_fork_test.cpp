// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A process that forks while the workers of a DataLoader run.
#include <optional>
#include <string>
#include <utility>

#include "data/numbers.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/error_of.hpp"

namespace data_loader_fork {
namespace {

namespace data = amp::data;
using amp_test::epoch_of;
using amp_test::error_of;
using amp_test::Numbers;

TEST_CASE("data: a forked process makes a loader of its own") {
  data::DataLoader loader(Numbers(20), {.batch_size = 2, .workers = 2});
  auto it = loader.begin();
  const std::optional<int> status = amp_test::status_of_child([&] {
    const std::string error = error_of([&] {
      for (int i = 0; i < 10; ++i) ++it;
    });
    if (error.find("forked") == error.npos) return 1;
    { auto gone = std::move(it); }
    data::DataLoader own(Numbers(20), {.batch_size = 2, .workers = 2});
    return epoch_of(own).size() == 20 ? 0 : 2;
  });
  CHECK(status == 0);
  ++it;
  CHECK((*it).target.to_vector<std::int64_t>() == amp_test::Indices{2, 3});
}

}  // namespace
}  // namespace data_loader_fork
