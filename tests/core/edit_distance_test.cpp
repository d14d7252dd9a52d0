// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The distance by which the nearest name is suggested.
#include "amp/core/edit_distance.hpp"

#include "support/catch.hpp"

namespace edit_distances {
namespace {

using amp::detail::edit_distance;

TEST_CASE("edit distance: characters to insert, delete or replace") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("--epoch", "--epochs") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("sitting", "kitten") == 3);
}

}  // namespace
}  // namespace edit_distances
