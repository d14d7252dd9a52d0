// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors as text: what PyTorch's print shows of the same tensors (tests/goldens/print.txt), on the
// host and on a device, and what printing leaves alone.
#include <amp/amp.hpp>
#include <amp/kernels/backend.hpp>
#include <amp/kernels/elementwise/host.hpp>

#include <clocale>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace {

amp::DType dtype_named(std::string_view name) {
  for (int i = 0; i < amp::kDTypeCount; ++i) {
    if (amp::name(static_cast<amp::DType>(i)) == name) return static_cast<amp::DType>(i);
  }
  FAIL("no dtype is named " << name);
  return {};
}

amp::Tensor tensor_of(const goldens::Block& c) {
  const bool listed = c.has("values");
  auto [extents, values] = c[listed ? "values" : "sequence"];
  const amp::Shape shape(extents);
  if (!listed) {  // element i is first + step * (factor * i mod modulus)
    const double first = values[0], step = values[1], factor = values[2], modulus = values[3];
    values.resize(static_cast<std::size_t>(shape.numel()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = first + step * std::fmod(factor * static_cast<double>(i), modulus);
  }
  return amp::tensor(values, shape, {.dtype = dtype_named(c.text("dtype"))});
}

/// A device whose memory is the host's, and which can only copy. Registered for the rest of the
/// program.
struct Pretend {
  static inline std::int64_t fetched = 0;  // bytes brought to the host

  static void copy(amp::Device to_device, void* to, amp::Device, const void* from,
                   std::int64_t bytes) {
    if (to_device.type == amp::kCPU) fetched += bytes;
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
  static void run(const amp::kernels::UnaryArgs& args) { amp::kernels::host::copy(args); }

  Pretend() {
    static const amp::DeviceMemory memory = {
        .allocate = [](amp::Device, std::int64_t bytes) -> void* {
          return std::malloc(static_cast<std::size_t>(bytes));
        },
        .deallocate = [](amp::Device, void* block, std::int64_t) noexcept { std::free(block); },
        .copy = copy,
        .is_available = [] { return true; }};
    static const amp::kernels::Backend backend = [] {
      amp::kernels::Backend kernels{};
      kernels.copy = run;
      return kernels;
    }();
    amp::register_device_memory(amp::kCUDA, &memory);
    amp::kernels::register_backend(amp::kCUDA, &backend);
    fetched = 0;
  }
};

std::string streamed(const auto& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

}  // namespace

TEST_CASE("print: as PyTorch", "[tensor]") {
  for (const goldens::Block& c : goldens::read_blocks("print.txt")) {
    if (c.has("on_cuda")) continue;
    CAPTURE(c.title);
    const amp::Tensor x = tensor_of(c).requires_grad_(c.has("requires_grad"));
    CHECK(amp::to_string(x) == c.text("text"));
    CHECK(streamed(x) == c.text("text"));
  }
  const std::int64_t ends[] = {INT64_MIN, INT64_MAX, (std::int64_t{1} << 53) + 1};  // no double
  CHECK(amp::to_string(amp::tensor(ends, {3})) ==
        "tensor([-9223372036854775808,  9223372036854775807,     9007199254740993])");
}

TEST_CASE("print: on a device, of which only what is shown is fetched", "[tensor]") {
  const Pretend device;
  for (const goldens::Block& c : goldens::read_blocks("print.txt")) {
    if (!c.has("on_cuda")) continue;
    CAPTURE(c.title);
    const amp::Tensor x = tensor_of(c).to(amp::kCUDA).requires_grad_(c.has("requires_grad"));
    CHECK(amp::to_string(x) == c.text("text"));
  }
  const amp::Tensor matrix = amp::arange(1000000).reshape({1000, 1000}).to(amp::kCUDA);
  Pretend::fetched = 0;
  (void)amp::to_string(matrix);
  CHECK(Pretend::fetched == 6 * 6 * 8);
}

TEST_CASE("print: a view shows its elements in their order", "[tensor]") {
  const amp::Tensor x = amp::arange(6).reshape({2, 3});
  CHECK(amp::to_string(x.t()) ==
        "tensor([[0, 3],\n"
        "        [1, 4],\n"
        "        [2, 5]])");
  CHECK(amp::to_string(x.narrow(1, 1, 2)) ==
        "tensor([[1, 2],\n"
        "        [4, 5]])");
  CHECK(amp::to_string(x.select(1, 2)) == "tensor([2, 5])");
  CHECK(amp::to_string(x.select(0, 1).select(0, 0)) == "tensor(3)");
  CHECK(amp::to_string(x.select(0, 1).unsqueeze(0).expand({2, 3})) ==
        "tensor([[3, 4, 5],\n"
        "        [3, 4, 5]])");
}

TEST_CASE("print: the summary of a view is that of its copy", "[tensor]") {
  const amp::Tensor x = amp::arange(20 * 30 * 40).reshape({20, 30, 40});
  for (const amp::Tensor& view :
       {x.transpose(0, 2), x.permute({1, 2, 0}), x.narrow(1, 5, 10).narrow(2, 3, 9),
        x.select(1, 7).t(), x.narrow(0, 3, 1).expand({50, 30, 40})}) {
    CHECK(amp::to_string(view) == amp::to_string(view.clone()));
  }
  CHECK(amp::to_string(x.transpose(0, 2)) != amp::to_string(x));
}

TEST_CASE("print: what a summary leaves out does not choose the notation", "[tensor]") {
  const amp::Tensor x = amp::ones({2000});
  x.narrow(0, 3, 1994).fill_(1.5e-7);
  CHECK(amp::to_string(x) == "tensor([1., 1., 1.,  ..., 1., 1., 1.])");
  x.narrow(0, 1997, 1).fill_(1.5);
  CHECK(amp::to_string(x) == "tensor([1.0000, 1.0000, 1.0000,  ..., 1.5000, 1.0000, 1.0000])");
}

TEST_CASE("print: an undefined tensor", "[tensor]") {
  CHECK(amp::to_string(amp::Tensor()) == "tensor(undefined)");
  CHECK(streamed(amp::Tensor()) == "tensor(undefined)");
}

TEST_CASE("print: leaves and computed tensors require gradients alike", "[tensor]") {
  const amp::Tensor x = amp::full({2}, 1.5, {.requires_grad = true});
  CHECK(amp::to_string(x) == "tensor([1.5000, 1.5000], requires_grad=True)");
  CHECK(amp::to_string(x + 1) == "tensor([2.5000, 2.5000], requires_grad=True)");
  CHECK(amp::to_string(amp::sum(x)) == "tensor(3., requires_grad=True)");
  CHECK(amp::to_string(x.detach()) == "tensor([1.5000, 1.5000])");
  const amp::NoGradGuard guard;
  CHECK(amp::to_string(x + 1) == "tensor([2.5000, 2.5000])");
}

TEST_CASE("print: changes neither the tensor nor its history", "[tensor]") {
  const amp::Tensor x = amp::ones({40, 40}, {.requires_grad = true});
  const amp::Tensor y = x * 2;
  const std::uint64_t version = y.version();
  const std::int64_t bytes = amp::memory_stats().current_bytes;
  (void)amp::to_string(y);
  (void)amp::to_string(x.t());
  CHECK(y.version() == version);
  CHECK(x.is_leaf());
  CHECK_FALSE(y.is_leaf());
  CHECK(amp::memory_stats().current_bytes == bytes);
  amp::sum(y).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>(1600, 2.0F));
}

TEST_CASE("print: whatever autocast does around it", "[tensor]") {
  const amp::Tensor x = amp::tensor({0.1F, 0.3333F}, {2});
  const amp::AutocastGuard guard(amp::kCPU, {.dtype = amp::kBFloat16});
  CHECK(amp::to_string(x) == "tensor([0.1000, 0.3333])");
}

TEST_CASE("print: whatever the locale's decimal point is", "[tensor]") {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* const locale : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
    std::setlocale(LC_ALL, locale);  // stays as it is where this is not installed
    CHECK(amp::to_string(amp::full({}, 2.5)) == "tensor(2.5000)");
  }
  std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("print: to streams of any characters, padded as they say", "[tensor]") {
  std::wostringstream wide;
  wide << amp::tensor({1, 2}, {2}) << amp::Shape(2, 3);
  CHECK(wide.str() == L"tensor([1, 2])[2, 3]");
  std::ostringstream narrow;
  narrow << std::setw(12) << amp::full({}, 3) << std::setw(8) << amp::Shape(2, 3);
  CHECK(narrow.str() == "  tensor(3.)  [2, 3]");
}

TEST_CASE("print: shapes and strides", "[tensor]") {
  CHECK(streamed(amp::Shape(2, 3)) == "[2, 3]");
  CHECK(streamed(amp::Shape()) == "[]");
  CHECK(streamed(amp::ones({2, 3}).strides()) == "[3, 1]");
}

TEST_CASE("print: error messages describe a tensor rather than print it", "[tensor]") {
  const amp::Tensor x = amp::ones({2, 3});
  const std::string message = amp_test::error_of([&] { return x.view({7}); });
  CHECK(message.find("tensor(") == std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
}
