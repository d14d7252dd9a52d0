// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// DLPack between amp and libtorch, which has its own copy of DLPack's header.
#include "libtorch/torch.hpp"

#include <ATen/DLConvertor.h>

#include <amp/amp.hpp>
#include <amp/dlpack.hpp>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace libtorch_dlpack {
namespace {

using amp::Tensor;

constexpr std::pair<amp::DType, c10::ScalarType> kDTypes[] = {
    {amp::kFloat64, torch::kDouble},      {amp::kFloat32, torch::kFloat},
    {amp::kFloat16, torch::kHalf},        {amp::kBFloat16, torch::kBFloat16},
    {amp::kInt64, torch::kLong},          {amp::kInt32, torch::kInt},
    {amp::kUInt8, torch::kByte},
#if TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR >= 215  // 1.13's DLPack has none of these
    {amp::kBool, torch::kBool},           {amp::kFloat8E4M3, at::kFloat8_e4m3fn},
    {amp::kFloat8E5M2, at::kFloat8_e5m2},
#endif
};

/// Numbers that all dtypes hold.
torch::Tensor numbers(c10::ScalarType dtype) {
  return torch::arange(24).remainder(2).reshape({4, 6}).to(dtype).clone();
}

TEST_CASE("dlpack: torch's tensors come to amp, and their memory stays torch's", "[libtorch]") {
  for (const auto& [dtype, of_torch] : kDTypes) {
    CAPTURE(dtype);
    torch::Tensor theirs = numbers(of_torch);
    {
      const Tensor x = amp::from_dlpack(at::toDLPack(theirs.t()));
      CHECK(x.dtype() == dtype);
      CHECK(x.shape() == amp::Shape(6, 4));
      CHECK(x.raw_data() == theirs.data_ptr());
      CHECK(x.to_vector<double>() ==
            amp::from_dlpack(at::toDLPack(theirs.t().contiguous())).to_vector<double>());
      CHECK(theirs.storage().use_count() > 1);
    }
    CHECK(theirs.storage().use_count() == 1);
  }
}

TEST_CASE("dlpack: amp's tensors go to torch, and torch gives them back", "[libtorch]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  for (const auto& [dtype, of_torch] : kDTypes) {
    CAPTURE(dtype);
    torch::Tensor theirs;
    {
      const Tensor x = amp::from_dlpack(at::toDLPack(numbers(of_torch))).clone();
      theirs = at::fromDLPack(amp::to_dlpack(x.narrow(0, 1, 2).t()));
      CHECK(theirs.data_ptr() == x.narrow(0, 1, 2).raw_data());
    }
    CHECK(theirs.scalar_type() == of_torch);
    CHECK(torch::equal(theirs.to(torch::kDouble),
                       numbers(of_torch).narrow(0, 1, 2).t().to(torch::kDouble)));
  }
  CHECK(amp::memory_stats().current_bytes == before);
}

#if TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR >= 215
TEST_CASE("dlpack: versioned structs of torch, both ways", "[libtorch]") {
  torch::Tensor theirs = numbers(torch::kFloat);
  const Tensor x = amp::from_dlpack(at::toDLPackVersioned(theirs));
  CHECK(x.raw_data() == theirs.data_ptr());
  const torch::Tensor back = at::fromDLPackVersioned(amp::to_dlpack<DLManagedTensorVersioned>(x));
  CHECK(back.data_ptr() == theirs.data_ptr());
  back.fill_(3);
  CHECK(amp::sum(x).item<float>() == 72);
}
#endif

TEST_CASE("dlpack: scalars, and tensors without elements", "[libtorch]") {
  CHECK(amp::from_dlpack(at::toDLPack(torch::tensor(2.5F))).item<float>() == 2.5F);
  CHECK(amp::from_dlpack(at::toDLPack(torch::zeros({0, 3}))).shape() == amp::Shape(0, 3));
  CHECK(at::fromDLPack(amp::to_dlpack(amp::tensor({2.5}, {}))).item<float>() == 2.5F);
  CHECK(at::fromDLPack(amp::to_dlpack(amp::zeros({2, 0}))).sizes() == c10::IntArrayRef({2, 0}));
}

}  // namespace
}  // namespace libtorch_dlpack
