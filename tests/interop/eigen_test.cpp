// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors over Eigen's matrices.
#include <Eigen/Core>

#include <amp/amp.hpp>
#include <amp/views.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace eigen {
namespace {

using amp::Shape;
using amp::Strides;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// element (i, j) is 10 i + j
template <class M>
M numbered(Eigen::Index rows, Eigen::Index cols) {
  M matrix(rows, cols);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < cols; ++j)
      matrix(i, j) = static_cast<typename M::Scalar>(10 * i + j);
  return matrix;
}

const std::vector<float> kTwoByThree = {0, 1, 2, 10, 11, 12};

TEST_CASE("from_eigen: matrices and arrays of either order", "[interop]") {
  auto columns = numbered<Eigen::MatrixXf>(2, 3);
  const Tensor x = amp::from_eigen(columns);
  CHECK(x.shape() == Shape(2, 3));
  CHECK(x.strides() == Strides(1, 2));
  CHECK(x.to_vector<float>() == kTwoByThree);
  CHECK(x.const_data<float>() == columns.data());
  x.select(0, 1).fill_(7);
  CHECK(columns(1, 0) == 7);
  CHECK(columns(0, 1) == 1);
  columns(0, 2) = 5;
  CHECK(x.to_vector<float>() == std::vector<float>{0, 1, 5, 7, 7, 7});

  auto rows = numbered<RowMajor>(2, 3);
  CHECK(amp::from_eigen(rows).is_contiguous());
  CHECK(amp::from_eigen(rows).to_vector<float>() == kTwoByThree);
  auto fixed = numbered<Eigen::Matrix<float, 2, 3>>(2, 3);
  CHECK(amp::from_eigen(fixed).to_vector<float>() == kTwoByThree);
  auto array = numbered<Eigen::ArrayXXf>(2, 3);
  CHECK(amp::from_eigen(array).to_vector<float>() == kTwoByThree);
  Eigen::MatrixXf empty(0, 3);
  CHECK(amp::from_eigen(empty).shape() == Shape(0, 3));
}

TEST_CASE("from_eigen: vectors are one-dimensional", "[interop]") {
  Eigen::VectorXf column = Eigen::VectorXf::LinSpaced(3, 1, 3);
  Eigen::RowVector3f row(1, 2, 3);
  CHECK(amp::from_eigen(column).shape() == Shape(3));
  CHECK(amp::from_eigen(row).shape() == Shape(3));
  CHECK(amp::from_eigen(column).to_vector<float>() == std::vector<float>{1, 2, 3});
  CHECK(amp::from_eigen(row).to_vector<float>() == std::vector<float>{1, 2, 3});
  Eigen::Matrix<float, 1, 1> one(4);
  CHECK(amp::from_eigen(one).shape() == Shape(1));

  auto matrix = numbered<Eigen::MatrixXf>(4, 3);
  CHECK(amp::from_eigen(matrix.row(1)).to_vector<float>() == std::vector<float>{10, 11, 12});
  CHECK(amp::from_eigen(matrix.col(2)).to_vector<float>() == std::vector<float>{2, 12, 22, 32});
  CHECK(amp::from_eigen(matrix.diagonal()).to_vector<float>() == std::vector<float>{0, 11, 22});
  auto one_row = numbered<Eigen::MatrixXf>(1, 3);  // not a vector at compile time
  CHECK(amp::from_eigen(one_row).shape() == Shape(1, 3));
}

TEST_CASE("from_eigen: views may be temporaries", "[interop]") {
  auto matrix = numbered<Eigen::MatrixXf>(4, 5);
  const Tensor block = amp::from_eigen(matrix.block(1, 2, 2, 3));
  CHECK(block.to_vector<float>() == std::vector<float>{12, 13, 14, 22, 23, 24});
  block.fill_(-1);
  CHECK(matrix(2, 4) == -1);
  CHECK(matrix(3, 4) == 34);
  CHECK(amp::from_eigen(matrix.topRows(1).transpose()).shape() == Shape(5, 1));
  CHECK(amp::from_eigen(Eigen::Ref<Eigen::MatrixXf>(matrix)).strides() == Strides(1, 4));

  std::vector<double> numbers = {0, 1, 2, 3, 4, 5, 6, 7};
  using Spread = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  const Tensor spread =
      amp::from_eigen(Eigen::Map<Eigen::MatrixXd, 0, Spread>(numbers.data(), 2, 2, Spread(4, 2)));
  CHECK(spread.dtype() == amp::kFloat64);
  CHECK(spread.to_vector<double>() == std::vector<double>{0, 4, 2, 6});
}

TEST_CASE("from_eigen: dtypes and options", "[interop]") {
  auto integers = numbered<Eigen::Matrix<std::int64_t, 2, 3>>(2, 3);
  CHECK(amp::from_eigen(integers).dtype() == amp::kInt64);
  CHECK(amp::from_eigen(integers).to_vector<float>() == kTwoByThree);
  auto halves = numbered<Eigen::Matrix<Eigen::half, 2, 3>>(2, 3);
  CHECK(amp::from_eigen(halves).dtype() == amp::kFloat16);
  CHECK(amp::from_eigen(halves).to_vector<float>() == kTwoByThree);
  auto brains = numbered<Eigen::Matrix<Eigen::bfloat16, 2, 3>>(2, 3);
  CHECK(amp::from_eigen(brains).dtype() == amp::kBFloat16);
  CHECK(amp::from_eigen(brains).to_vector<float>() == kTwoByThree);
  auto own = Eigen::Matrix<amp::bfloat16, 2, 1>(amp::bfloat16(1.0F), amp::bfloat16(2.0F));
  CHECK(amp::from_eigen(own).to_vector<float>() == std::vector<float>{1, 2});

  auto weight = numbered<Eigen::MatrixXf>(2, 3);
  const Tensor leaf = amp::from_eigen(weight, {.dtype = amp::kFloat32, .requires_grad = true});
  amp::sum(amp::mul(leaf, leaf)).backward();
  CHECK(leaf.grad().to_vector<float>() == std::vector<float>{0, 2, 4, 20, 22, 24});
  CHECK_THAT(error_of([&] { return amp::from_eigen(weight, {.device = amp::kCUDA}); }),
             ContainsSubstring("cuda:0"));
  CHECK_THAT(error_of([&] { return amp::from_eigen(weight, {.dtype = amp::kFloat16}); }),
             ContainsSubstring("from_eigen") && ContainsSubstring("float16") &&
                 ContainsSubstring("float32"));
}

TEST_CASE("from_eigen: what cannot be a tensor is refused", "[interop]") {
  alignas(float) std::array<unsigned char, 32> bytes{};
  auto* const beside = reinterpret_cast<float*>(bytes.data() + 2);
  using Vector = Eigen::Map<Eigen::VectorXf>;
  CHECK_THAT(error_of([&] { return amp::from_eigen(Vector(beside, 2)); }),
             ContainsSubstring("from_eigen") && ContainsSubstring("multiple"));
  std::vector<float> numbers(3);
  using Backwards = Eigen::Map<Eigen::VectorXf, 0, Eigen::InnerStride<>>;
  CHECK_THAT(error_of([&] {
               return amp::from_eigen(Backwards(&numbers[2], 3, Eigen::InnerStride<>(-1)));
             }),
             ContainsSubstring("from_eigen") && ContainsSubstring("negative"));
}

TEST_CASE("from_eigen: and back through a Map", "[interop]") {
  auto weight = numbered<Eigen::MatrixXf>(2, 3);
  const Tensor y = amp::matmul(amp::from_eigen(weight), amp::ones({3, 2}));
  const Eigen::Map<const RowMajor> product(y.const_data<float>(), y.size(0), y.size(1));
  CHECK(product == weight * Eigen::MatrixXf::Ones(3, 2));
}

template <class M>
concept Accepted = requires(M matrix) {
  amp::from_eigen(matrix);
};
using Sum = decltype(Eigen::MatrixXf() + Eigen::MatrixXf());
static_assert(Accepted<Eigen::MatrixXf&>);
static_assert(!Accepted<Sum>);
static_assert(!Accepted<Sum&>);
static_assert(!Accepted<std::vector<float>&>);

}  // namespace
}  // namespace eigen
