// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Import and export of tensors by DLPack: memory is shared, freed once, and refused if amp cannot
// represent the tensor.
#include <amp/amp.hpp>
#include <amp/dlpack.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

// A copy of DLPack's header that comes after amp's.
extern "C" {
typedef enum : int32_t { kDLCPU = 1, kDLCUDA = 2 } DLDeviceType;
typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;
typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} DLDataType;
typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;
}

namespace dlpack_test {
namespace {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Managed = amp::dlpack::DLManagedTensor;
using Versioned = amp::dlpack::DLManagedTensorVersioned;

/// The tensor of another library: 2 x 3 floats on the CPU, until a test changes it.
template <class M>
struct Producer {
  Producer() {
    tensor().data = numbers.data();
    tensor().device = {1, 0};
    tensor().ndim = 2;
    tensor().dtype = {2, 32, 1};
    tensor().shape = shape.data();
    tensor().strides = nullptr;
    tensor().byte_offset = 0;
    managed.manager_ctx = this;
    managed.deleter = [](M* self) { ++static_cast<Producer*>(self->manager_ctx)->deleted; };
    if constexpr (std::is_same_v<M, Versioned>) {
      managed.version = {1, 3};
      managed.flags = 0;
    }
  }
  auto& tensor() { return managed.dl_tensor; }
  std::string refusal(const amp::FromDLPackOptions& options = {}) {
    return error_of([&] { return amp::from_dlpack(&managed, options); });
  }

  alignas(8) std::array<float, 16> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  std::array<std::int64_t, 9> shape = {2, 3, 1, 1, 1, 1, 1, 1, 1}, strides = {};
  M managed = {};
  int deleted = 0;
};

TEMPLATE_TEST_CASE("from_dlpack: the memory is shared, and given back once", "[interop]", Managed,
                   Versioned) {
  Producer<TestType> producer;
  {
    Tensor view;
    {
      const Tensor x = amp::from_dlpack(&producer.managed);
      CHECK(x.shape() == amp::Shape(2, 3));
      CHECK(x.dtype() == amp::kFloat32);
      CHECK(x.device() == amp::Device(amp::kCPU));
      CHECK(x.const_data<float>() == producer.numbers.data());
      producer.numbers[4] = -4;
      CHECK(x.to_vector<float>() == std::vector<float>{0, 1, 2, 3, -4, 5});
      x.select(0, 0).fill_(8);
      CHECK(producer.numbers[2] == 8);
      CHECK(producer.numbers[3] == 3);
      view = x.t();
    }
    CHECK(producer.deleted == 0);
    CHECK(amp::sum(view).item<float>() == 28);
  }
  CHECK(producer.deleted == 1);
}

TEST_CASE("from_dlpack: any declaration of DLPack's struct will do", "[interop]") {
  std::array<double, 2> numbers = {1, 2};
  std::array<std::int64_t, 1> shape = {2};
  int deleted = 0;
  ::DLManagedTensor managed{
      .dl_tensor = {.data = numbers.data(),
                    .device = {kDLCPU, 0},
                    .ndim = 1,
                    .dtype = {2, 64, 1},
                    .shape = shape.data(),
                    .strides = nullptr,
                    .byte_offset = 0},
      .manager_ctx = &deleted,
      .deleter = [](::DLManagedTensor* self) { ++*static_cast<int*>(self->manager_ctx); }};
  CHECK(amp::from_dlpack(&managed).to_vector<double>() == std::vector<double>{1, 2});
  CHECK(deleted == 1);

  ::DLManagedTensor* const exported = amp::to_dlpack(amp::tensor({7.0, 8.0, 9.0}, {3}));
  CHECK(exported->dl_tensor.device.device_type == kDLCPU);
  CHECK(static_cast<const float*>(exported->dl_tensor.data)[2] == 9);
  exported->deleter(exported);
}

TEST_CASE("from_dlpack: a producer may have nothing to delete", "[interop]") {
  Producer<Managed> producer;
  producer.managed.deleter = nullptr;
  CHECK(amp::from_dlpack(&producer.managed).numel() == 6);
}

TEST_CASE("from_dlpack: strides count elements, the offset counts bytes", "[interop]") {
  Producer<Managed> producer;
  const auto values = [&] { return amp::from_dlpack(&producer.managed).to_vector<float>(); };
  producer.tensor().strides = producer.strides.data();
  producer.strides = {1, 2};
  CHECK(values() == std::vector<float>{0, 2, 4, 1, 3, 5});
  producer.strides = {0, 5};
  CHECK(values() == std::vector<float>{0, 5, 10, 0, 5, 10});
  producer.tensor().byte_offset = 16;
  CHECK(values() == std::vector<float>{4, 9, 14, 4, 9, 14});
  producer.tensor().strides = nullptr;
  CHECK(values() == std::vector<float>{4, 5, 6, 7, 8, 9});
  producer.tensor().ndim = 0;
  producer.tensor().shape = nullptr;
  CHECK(values() == std::vector<float>{4});
  CHECK(producer.deleted == 5);
}

TEST_CASE("from_dlpack: tensors without elements have no data", "[interop]") {
  Producer<Managed> producer;
  producer.shape[0] = 0;
  producer.tensor().data = nullptr;
  producer.tensor().byte_offset = 3;
  CHECK(amp::from_dlpack(&producer.managed).shape() == amp::Shape(0, 3));
  CHECK(producer.deleted == 1);
}

TEST_CASE("from_dlpack: pinned memory is the host's", "[interop]") {
  Producer<Managed> producer;
  producer.tensor().device = {3, 2};
  CHECK(amp::from_dlpack(&producer.managed).device() == amp::Device(amp::kCPU));
}

TEST_CASE("dlpack: every dtype of amp goes and comes back bit for bit", "[interop]") {
  struct Expected {
    amp::DType dtype;
    int code, bits;
  };
  const Expected all[] = {
      {amp::kFloat64, 2, 64},  {amp::kFloat32, 2, 32},    {amp::kFloat16, 2, 16},
      {amp::kBFloat16, 4, 16}, {amp::kFloat8E4M3, 10, 8}, {amp::kFloat8E5M2, 12, 8},
      {amp::kInt64, 0, 64},    {amp::kInt32, 0, 32},      {amp::kUInt8, 1, 8},
      {amp::kBool, 6, 8},
  };
  static_assert(std::size(all) == amp::kDTypeCount);
  for (const Expected& expected : all) {
    CAPTURE(expected.dtype);
    const Tensor x = amp::tensor({0.0, 1.0, 3.0, 250.0}, {2, 2}, {.dtype = expected.dtype});
    auto* const exported = amp::to_dlpack<Versioned>(x);
    CHECK(exported->dl_tensor.dtype.code == expected.code);
    CHECK(exported->dl_tensor.dtype.bits == expected.bits);
    CHECK(exported->dl_tensor.dtype.lanes == 1);
    const Tensor back = amp::from_dlpack(exported);
    CHECK(back.dtype() == x.dtype());
    CHECK(back.raw_data() == x.raw_data());
  }
}

TEMPLATE_TEST_CASE("to_dlpack: says what the tensor is, and keeps its memory", "[interop]", Managed,
                   Versioned) {
  TestType* exported = nullptr;
  const std::int64_t before = amp::memory_stats().current_bytes;
  {
    const Tensor x = amp::arange(24.0).reshape({4, 6});
    exported = amp::to_dlpack<TestType>(x.narrow(0, 1, 2).t());
  }
  CHECK(amp::memory_stats().current_bytes - before == 24 * 4);
  const auto& tensor = exported->dl_tensor;
  CHECK(tensor.device.device_type == 1);
  CHECK(tensor.device.device_id == 0);
  REQUIRE(tensor.ndim == 2);
  CHECK(tensor.shape[0] == 6);
  CHECK(tensor.shape[1] == 2);
  CHECK(tensor.strides[0] == 1);
  CHECK(tensor.strides[1] == 6);
  CHECK(tensor.byte_offset == 0);
  CHECK(static_cast<const float*>(tensor.data)[5 + 6] == 17);
  if constexpr (std::is_same_v<TestType, Versioned>) {
    CHECK(exported->version.major == 1);
    CHECK(exported->flags == 0);
  }
  exported->deleter(exported);
  CHECK(amp::memory_stats().current_bytes == before);
}

TEST_CASE("to_dlpack: the memory stays, also if the tensor gets other memory", "[interop]") {
  const amp::nn::Linear layer(2, 2);
  layer.weight.set_data(amp::full({2, 2}, 5));
  auto* const exported = amp::to_dlpack<Managed>(layer.weight.detach());
  const Tensor buffer = amp::full({3}, 6);
  auto* const second = amp::to_dlpack<Managed>(buffer);
  layer.to(amp::kFloat64);
  buffer.set_data(amp::zeros({3}));
  const Tensor elsewhere = amp::full({2, 2}, 77), other = amp::full({3}, 77);
  CHECK(static_cast<const float*>(exported->dl_tensor.data)[3] == 5);
  CHECK(static_cast<const float*>(second->dl_tensor.data)[2] == 6);
  exported->deleter(exported);
  second->deleter(second);
}

TEST_CASE("to_dlpack: scalars have no dimension, and empty tensors no data", "[interop]") {
  Managed* exported = amp::to_dlpack<Managed>(amp::tensor({5.0}, {}));
  CHECK(exported->dl_tensor.ndim == 0);
  CHECK(*static_cast<const float*>(exported->dl_tensor.data) == 5);
  exported->deleter(exported);
  exported = amp::to_dlpack<Managed>(amp::zeros({2, 0}));
  CHECK(exported->dl_tensor.data == nullptr);
  CHECK(exported->dl_tensor.shape[1] == 0);
  exported->deleter(exported);
}

TEST_CASE("to_dlpack: what amp exported may be deleted in another thread", "[interop]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  auto* const exported = amp::to_dlpack<Managed>(amp::ones({100}));
  std::thread([=] { exported->deleter(exported); }).join();
  CHECK(amp::memory_stats().current_bytes == before);
}

TEST_CASE("to_dlpack: a consumer's writes count after mark_modified()", "[interop]") {
  const Tensor w = amp::ones({2, 2}, {.requires_grad = true}), x = amp::ones({1, 2});
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  CHECK(amp::matmul(x, w).to_vector<float>() == std::vector<float>{2, 2});
  auto* const exported = amp::to_dlpack<Managed>(w.detach());
  static_cast<float*>(exported->dl_tensor.data)[1] = 5;
  w.mark_modified();
  CHECK(amp::matmul(x, w).to_vector<float>() == std::vector<float>{2, 6});
  exported->deleter(exported);
}

TEST_CASE("to_dlpack: a channels-last activation is exported row-major", "[interop]") {
  const Tensor x = amp::relu(
      amp::conv2d(amp::arange(2.0 * 3 * 8 * 8).reshape({2, 3, 8, 8}), amp::ones({4, 3, 3, 3})));
  const std::vector<float> values = x.to_vector<float>();
  auto* const exported = amp::to_dlpack<Managed>(x);
  CHECK(std::memcmp(exported->dl_tensor.data, values.data(), values.size() * sizeof(float)) == 0);
  exported->deleter(exported);
}

TEST_CASE("to_dlpack: what DLPack cannot say is refused", "[interop]") {
  CHECK_THAT(error_of([] { return amp::to_dlpack<Managed>(Tensor()); }),
             ContainsSubstring("to_dlpack: `tensor` is undefined"));
  const Tensor w = amp::ones({2}, {.requires_grad = true});
  CHECK_THAT(error_of([&] { return amp::to_dlpack<Managed>(w); }),
             ContainsSubstring("float32[2]") && ContainsSubstring("detach()"));
  CHECK_THAT(error_of([&] { return amp::to_dlpack<Managed>(w.detach(), {.read_only = true}); }),
             ContainsSubstring("DLManagedTensorVersioned"));
}

TEST_CASE("dlpack: read-only tensors are taken only if the caller says so", "[interop]") {
  auto* const exported = amp::to_dlpack<Versioned>(amp::ones({2}), {.read_only = true});
  CHECK(exported->flags == 1);
  CHECK_THAT(error_of([&] { return amp::from_dlpack(exported); }),
             ContainsSubstring("read-only") && ContainsSubstring("allow_read_only"));
  CHECK(amp::from_dlpack(exported, {.allow_read_only = true}).numel() == 2);

  Producer<Versioned> producer;
  producer.managed.flags = 2 | 4;  // copied, padded
  CHECK(amp::from_dlpack(&producer.managed).numel() == 6);
}

TEST_CASE("from_dlpack: versions other than 1 are refused unread", "[interop]") {
  for (const std::uint32_t major : {0U, 2U, 0xFFFFFFFFU}) {
    Producer<Versioned> producer;
    producer.managed.version = {major, 7};
    producer.managed.flags = 1;
    producer.tensor().ndim = -1;
    CHECK_THAT(producer.refusal(),
               ContainsSubstring("DLPack 1") && ContainsSubstring(std::to_string(major) + ".7"));
    CHECK(producer.deleted == 0);
  }
}

TEST_CASE("from_dlpack: what amp has no tensors for is refused, and stays the caller's",
          "[interop]") {
  using Change = void (*)(Producer<Managed>&);
  struct Bad {
    Change change;
    const char* text;
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const Bad all[] = {
      {[](auto& p) { p.tensor().ndim = -1; }, "`ndim` must lie in [0, 8], but is -1"},
      {[](auto& p) { p.tensor().ndim = 9; }, "`ndim` must lie in [0, 8], but is 9"},
      {[](auto& p) { p.tensor().ndim = INT32_MAX; }, "2147483647"},
      {[](auto& p) { p.tensor().shape = nullptr; }, "`shape` is null, but `ndim` is 2"},
      {[](auto& p) { p.shape[1] = -3; }, "`shape[1]` must not be negative, but is -3"},
      {[](auto& p) {
         p.shape = {kMost, 2};
       },
       "shape"},
      {[](auto& p) { p.shape[0] = kMost / 3; }, "63 bits"},
      {[](auto& p) { p.tensor().data = nullptr; }, "`data` is null"},
      {[](auto& p) { p.tensor().byte_offset = 2; }, "multiple of the 4 bytes of float32"},
      {[](auto& p) { p.tensor().byte_offset = ~std::uint64_t{7}; }, "`byte_offset`"},
      {[](auto& p) {
         p.strides = {-3, 1};
         p.tensor().strides = p.strides.data();
       },
       "`strides` must not be negative, but is [-3, 1]"},
      {[](auto& p) {
         p.strides = {kMost, 1};
         p.tensor().strides = p.strides.data();
       },
       "63 bits"},
      {[](auto& p) {
         p.tensor().device = {10, 0};
       },
       "`device_type` is 10"},
      {[](auto& p) {
         p.tensor().device = {0, 0};
       },
       "`device_type` is 0"},
      {[](auto& p) {
         p.tensor().device = {-2, 0};
       },
       "`device_type` is -2"},
      {[](auto& p) {
         p.tensor().device = {2, 64};
       },
       "`device_id` must lie in [0, 64), but is 64"},
      {[](auto& p) {
         p.tensor().device = {2, -1};
       },
       "`device_id`"},
      {[](auto& p) {
         p.tensor().device = {2, 0};
       },
       "cuda"},
      {[](auto& p) {
         p.tensor().dtype = {0, 16, 1};
       },
       "is int16, a dtype"},
      {[](auto& p) {
         p.tensor().dtype = {1, 64, 1};
       },
       "is uint64, a dtype"},
      {[](auto& p) {
         p.tensor().dtype = {5, 64, 1};
       },
       "is complex64, a dtype"},
      {[](auto& p) {
         p.tensor().dtype = {2, 32, 4};
       },
       "is float32 with lanes 4, a dtype"},
      {[](auto& p) {
         p.tensor().dtype = {2, 32, 0};
       },
       "is float32 with lanes 0, a dtype"},
      {[](auto& p) {
         p.tensor().dtype = {6, 1, 1};
       },
       "is bool1, a dtype"},
      {[](auto& p) {
         p.tensor().dtype = {11, 8, 1};
       },
       "of type code 11 with bits 8, a dtype"},
      {[](auto& p) {
         p.tensor().dtype = {255, 255, 1};
       },
       "of type code 255 with bits 255"},
  };
  for (const Bad& bad : all) {
    CAPTURE(bad.text);
    Producer<Managed> producer;
    bad.change(producer);
    CHECK_THAT(producer.refusal(), ContainsSubstring(bad.text));
    CHECK(producer.deleted == 0);
  }
  CHECK_THAT(error_of([] { return amp::from_dlpack(static_cast<Managed*>(nullptr)); }),
             ContainsSubstring("from_dlpack: `managed` is null"));
}

TEST_CASE("dlpack: a stream has no meaning for memory of the host", "[interop]") {
  auto* const exported = amp::to_dlpack<Managed>(amp::ones({2}), {.stream = nullptr});
  CHECK(amp::from_dlpack(exported, {.stream = nullptr}).numel() == 2);
}

}  // namespace
}  // namespace dlpack_test
