// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls through oneDNN: values for every order of the operands, sizes around those of tiles, and
// primitives that are kept.
#include <amp/kernels/matmul/host.hpp>
#include <amp/kernels/matmul/host/onednn.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "onednn/reference.hpp"
#include "support/catch.hpp"

using amp_test::difference;
using amp_test::kEngineDTypes;
using amp_test::tolerance;

namespace {

namespace onednn = amp::kernels::host::onednn;

amp::Tensor exact(const amp::Tensor& a, const amp::Tensor& b) {
  return amp::matmul(a.to(amp::kFloat64), b.to(amp::kFloat64));
}

}  // namespace

TEST_CASE("onednn: matmuls of all sizes around those of tiles", "[onednn]") {
  struct Size {
    std::int64_t m, n, k;
  };
  for (const amp::DType dtype : kEngineDTypes) {
    for (const Size s :
         {Size{16, 16, 16}, Size{1, 512, 64}, Size{512, 1, 64}, Size{64, 64, 1}, Size{257, 513, 33},
          Size{300, 40, 70}, Size{31, 1030, 17}, Size{1000, 530, 65}, Size{1025, 64, 129}}) {
      CAPTURE(dtype, s.m, s.n, s.k);
      const amp::Tensor a = amp::randn({s.m, s.k}).to(dtype), b = amp::randn({s.k, s.n}).to(dtype);
      CHECK(difference(amp::matmul(a, b), exact(a, b)) < tolerance(dtype));
    }
  }
}

TEST_CASE("onednn: operands that lie transposed, apart, or once for a whole batch", "[onednn]") {
  for (const amp::DType dtype : kEngineDTypes) {
    CAPTURE(dtype);
    const amp::Tensor a = amp::randn({48, 80}).to(dtype), b = amp::randn({80, 64}).to(dtype);
    const auto agree = [&](const amp::Tensor& x, const amp::Tensor& y) {
      CHECK(difference(amp::matmul(x, y), exact(x, y)) < tolerance(dtype));
    };
    agree(b.t(), a.t());
    agree(a, a.t());
    agree(a.narrow(1, 7, 40), b.narrow(0, 3, 40));  // rows further apart than they are long
    agree(a.t().narrow(0, 5, 30).t(), b.narrow(0, 5, 30));
    const amp::Tensor tall = amp::randn({80, 900}).to(dtype);  // several tiles
    agree(tall.t(), b);
    agree(tall.t(), amp::randn({64, 80}).to(dtype).t());
    agree(tall.t(), amp::randn({80, 200}).to(dtype));
    agree(tall.narrow(1, 10, 500).t(), amp::randn({80, 200}).to(dtype));
    // Sums of odd and of even length, rows or columns apart from each other.
    const amp::Tensor rows = amp::randn({900, 77}).to(dtype);
    agree(rows, amp::randn({70, 81}).to(dtype).narrow(1, 3, 77).t());
    agree(rows, amp::randn({77, 91}).to(dtype).narrow(1, 5, 70));
    agree(rows.narrow(1, 0, 74), amp::randn({70, 81}).to(dtype).narrow(1, 3, 74).t());
    const amp::Tensor apart = amp::randn({48, 160}).to(dtype).reshape({48, 80, 2}).select(2, 1);
    agree(apart, b);  // no dimension is dense
    const amp::Tensor batch = amp::randn({3, 48, 80}).to(dtype);
    agree(batch, b);
    agree(batch, amp::randn({3, 80, 20}).to(dtype));
    agree(amp::randn({1, 48, 80}).to(dtype), amp::randn({5, 80, 20}).to(dtype));
    agree(a.unsqueeze(0).expand({4, 48, 80}), amp::randn({4, 80, 20}).to(dtype));
  }
}

TEST_CASE("onednn: few rows and much work, cut into columns as well", "[onednn]") {
  struct Case {
    amp::DType dtype;
    std::int64_t m, n, k;
  };
  for (const Case& c : {Case{amp::kFloat32, 300, 577, 769}, Case{amp::kFloat32, 64, 1090, 1025},
                        Case{amp::kBFloat16, 256, 1601, 1537}}) {
    CAPTURE(c.dtype, c.m, c.n, c.k);
    const amp::Tensor x = amp::randn({c.m, c.k}).to(c.dtype),
                      w = amp::randn({c.n, c.k}).to(c.dtype),
                      b = (amp::randn({c.n}) * 100).to(c.dtype);
    CHECK(difference(amp::linear(x, w, b), amp::linear(x.to(amp::kFloat64), w.to(amp::kFloat64),
                                                       b.to(amp::kFloat64))) < tolerance(c.dtype));
    const amp::Tensor turned = w.t().contiguous();
    CHECK(difference(amp::matmul(x, turned), exact(x, turned)) < tolerance(c.dtype));
  }
}

TEST_CASE("onednn: linear adds its bias before it rounds", "[onednn]") {
  for (const amp::DType dtype : kEngineDTypes) {
    CAPTURE(dtype);
    const amp::Tensor x = amp::randn({40, 72}).to(dtype), w = amp::randn({33, 72}).to(dtype),
                      b = (amp::randn({33}) * 100).to(dtype);
    const amp::Tensor wanted =
        amp::linear(x.to(amp::kFloat64), w.to(amp::kFloat64), b.to(amp::kFloat64));
    CHECK(difference(amp::linear(x, w, b), wanted) < tolerance(dtype));
  }
}

TEST_CASE("onednn: feed_forward applies its activation tile by tile", "[onednn]") {
  // Eighths, so that float32 sums are exact and both sides agree on the sign of what relu sees.
  const auto eighths = [](const amp::Shape& shape) {
    return (amp::randn(shape) * 4).to(amp::kInt64).to(amp::kFloat64) / 8;
  };
  for (const amp::Activation activation : {amp::Activation::kRelu, amp::Activation::kGelu}) {
    struct Size {
      std::int64_t rows, hidden, in;
    };
    for (const auto& [rows, hidden, in] :
         {Size{40, 72, 24}, Size{600, 1050, 24}, Size{300, 577, 769}}) {
      const std::vector<amp::Tensor> values = {eighths({rows, in}), eighths({hidden, in}),
                                               eighths({hidden}), eighths({20, hidden}),
                                               eighths({20})};
      const amp::Tensor incoming = eighths({rows, 20});
      const auto run = [&](amp::DType dtype) {
        std::vector<amp::Tensor> leaves;
        for (const amp::Tensor& value : values)
          leaves.push_back(value.to(dtype).detach().requires_grad_());
        const amp::Tensor y =
            amp::feed_forward(leaves[0], leaves[1], leaves[2], leaves[3], leaves[4], activation);
        y.backward(incoming.to(dtype));
        std::vector<amp::Tensor> results = {y.detach()};
        for (const amp::Tensor& leaf : leaves) results.push_back(leaf.grad());
        return results;
      };
      const std::vector<amp::Tensor> exact = run(amp::kFloat64);
      for (const amp::DType dtype : kEngineDTypes) {
        const std::vector<amp::Tensor> results = run(dtype);
        for (std::size_t i = 0; i < results.size(); ++i) {
          CAPTURE(dtype, rows, static_cast<int>(activation), i);
          CHECK(difference(results[i], exact[i]) < 2 * tolerance(dtype));
        }
      }
    }
  }
}

TEST_CASE("onednn: infinities and NaN are seen in the result", "[onednn]") {
  for (const amp::DType dtype : kEngineDTypes) {
    CAPTURE(dtype);
    std::vector<float> values(32 * 32, 1);
    values[5] = INFINITY;
    values[32 + 5] = NAN;
    const amp::Tensor a = amp::tensor(values, {32, 32}).to(dtype),
                      ones = amp::ones({32, 32}).to(dtype);
    const std::vector<double> c = amp::matmul(a, ones).to_vector<double>();
    CHECK(c[0] == INFINITY);
    CHECK(std::isnan(c[32]));
    CHECK(c[64] == 32);
  }
}

TEST_CASE("onednn: float32 is multiplied as float32", "[onednn]") {
  // 1 + 2^-12 has no bfloat16 and no tf32: in either the result would be 32.
  const amp::Tensor a = amp::full({32, 32}, 1 + 0x1p-12), b = amp::ones({32, 32});
  CHECK(amp::matmul(a, b).to_vector<double>()[0] == 32 * (1 + 0x1p-12));
}

TEST_CASE("onednn: a step that was taken before makes no primitives", "[onednn]") {
  const amp::Tensor x = amp::randn({64, 96}), images = amp::randn({8, 4, 12, 12});
  const amp::Tensor w = amp::randn({32, 96}).requires_grad_(),
                    kernel = amp::randn({8, 4, 3, 3}).requires_grad_();
  const auto step = [&] {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
    (amp::sum(amp::linear(x, w)) + amp::sum(amp::conv2d(images, kernel))).backward();
  };
  step();
  const std::int64_t before = onednn::library().primitives_made;
  CHECK(before > 0);
  step();
  step();
  CHECK(onednn::library().primitives_made == before);
}

TEST_CASE("onednn: values on this processor, which runs as one with AVX2 only", "[.avx2]") {
  REQUIRE(std::string(onednn::instructions()) == "AVX2");
  const std::int64_t before = onednn::library().primitives_made;
  for (const bool turned : {false, true}) {
    CAPTURE(turned);
    const amp::Tensor a = turned ? amp::randn({301, 801}).t() : amp::randn({801, 301}),
                      b = turned ? amp::randn({523, 301}).t() : amp::randn({301, 523});
    CHECK(difference(amp::matmul(a, b), exact(a, b)) < tolerance(amp::kFloat32));
  }
  CHECK(onednn::library().primitives_made == before);
  CHECK(amp::cpu_capabilities().bfloat16 ==
        (amp::detail::instruction_set() >= amp::detail::InstructionSet::kAvx512Bf16));
}

TEST_CASE("onednn: with AVX2 only, matmuls are amp's own, which are as fast", "[onednn]") {
  if (amp::detail::instruction_set() < amp::detail::InstructionSet::kAvx2) return;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  CHECK(std::system(("ONEDNN_MAX_CPU_ISA=AVX2 '" + self + "' '[.avx2]' >&2").c_str()) == 0);
}

TEST_CASE("onednn: the primitives that are kept are bounded", "[onednn]") {
  std::thread([] {  // with a store of its own
    for (std::int64_t n = 0; n < static_cast<std::int64_t>(onednn::Calls::kMost) + 20; ++n) {
      const amp::Tensor b = amp::ones({20, 20 + n});
      REQUIRE(amp::matmul(amp::ones({20, 20}), b).to_vector<float>().back() == 20);
    }
    CHECK(onednn::Calls::of_this_thread().size() <= onednn::Calls::kMost);
  })
      .join();
}

TEST_CASE("onednn: what runs as it is can be asked", "[onednn]") {
  const amp::CpuCapabilities& cpu = amp::cpu_capabilities();
  CHECK(cpu.library.rfind("oneDNN ", 0) == 0);
  CHECK(!cpu.instructions.empty());
#if AMP_X86
  std::ifstream processor("/proc/cpuinfo");
  const std::string flags((std::istreambuf_iterator<char>(processor)), {});
  if (!flags.empty() && std::getenv("ONEDNN_MAX_CPU_ISA") == nullptr)
    CHECK(cpu.bfloat16 == (flags.find("avx512_bf16") != std::string::npos));
#endif
}
