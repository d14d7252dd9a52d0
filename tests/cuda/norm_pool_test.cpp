// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation and pooling on the CUDA device against the host, results and gradients. Pooling
// adds in the host's order, and has to give its bits.
#include <amp/kernels/backend.hpp>
#include <amp/kernels/norm/host.hpp>
#include <amp/kernels/pool/host.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "cuda/on_both.hpp"
#include "support/catch.hpp"

namespace cuda_norm_pool {
namespace {

using cuda_test::compare;
using cuda_test::difference;
using cuda_test::Tensors;
using cuda_test::tolerance;

amp::Tensor normal(const amp::Shape& shape, amp::DType dtype) {
  return amp::randn(shape).to(dtype);
}

TEST_CASE("cuda norm: layer_norm and rms_norm are the host's", "[cuda]") {
  amp::manual_seed(1);
  for (const amp::DType dtype : cuda_test::kFloats) {
    for (const auto& [rows, length] : std::vector<std::pair<int, int>>{
             {1, 1}, {3, 7}, {2, 256}, {33, 40}, {2, 1000}, {0, 5}, {70, 1}}) {
      INFO(amp::name(dtype) << " [" << rows << ", " << length << "]");
      const amp::Shape shape{length};
      const amp::Tensor x = normal({rows, length}, dtype), w = normal(shape, dtype),
                        b = normal(shape, amp::kFloat32);
      const auto layer = [&](const Tensors& t) { return amp::layer_norm(t[0], shape, t[1], t[2]); };
      compare({x, w, b}, tolerance(dtype), layer);
      compare({x, {}, {}}, tolerance(dtype), layer);
      compare({x, {}, b}, tolerance(dtype), layer);
      // A length of 1 leaves nothing but what was rounded, times 1 / |x|.
      compare(
          {x, w}, tolerance(dtype),
          [&](const Tensors& t) { return amp::rms_norm(t[0], shape, t[1]); }, length == 1 ? 30 : 0);
    }
  }
}

TEST_CASE("cuda norm: views are read by their strides", "[cuda]") {
  amp::manual_seed(2);
  compare({normal({9, 12}, amp::kFloat32), normal({7}, amp::kFloat32)}, 1e-6, [](const Tensors& t) {
    return amp::layer_norm(t[0].narrow(1, 2, 7).narrow(0, 1, 8), {7}, t[1]);
  });
  compare({normal({5, 9, 6}, amp::kFloat32)}, 1e-6, [](const Tensors& t) {
    return amp::batch_norm(t[0].permute({2, 0, 1}), {}, {}, {}, {}, true);
  });
}

TEST_CASE("cuda norm: group_norm is the host's", "[cuda]") {
  amp::manual_seed(3);
  for (const amp::DType dtype : cuda_test::kFloats) {
    for (const amp::Shape& shape :
         {amp::Shape{2, 6, 5}, amp::Shape{3, 4, 7, 9}, amp::Shape{2, 4}, amp::Shape{1, 4, 1, 1},
          amp::Shape{0, 4, 3}, amp::Shape{70, 2, 3}, amp::Shape{40, 2, 33}}) {
      INFO(amp::name(dtype) << " " << to_string(shape));
      const amp::Tensor x = normal(shape, dtype), w = normal({shape[1]}, amp::kFloat32),
                        b = normal({shape[1]}, dtype);
      const auto group = [](const Tensors& t) { return amp::group_norm(t[0], 2, t[1], t[2]); };
      compare({x, w, b}, tolerance(dtype), group);
      compare({x, w, {}}, tolerance(dtype), group);
    }
  }
  compare({normal({5, 48}, amp::kFloat32), normal({48}, amp::kFloat32)}, 1e-6,
          [](const Tensors& t) { return amp::group_norm(t[0], 2, t[1]); });
}

TEST_CASE("cuda norm: batch_norm and its running statistics are the host's", "[cuda]") {
  amp::manual_seed(4);
  for (const amp::DType dtype : cuda_test::kFloats) {
    for (const amp::Shape& shape : {amp::Shape{5, 3}, amp::Shape{4, 3, 7}, amp::Shape{2, 5, 9, 11},
                                    amp::Shape{300, 1}, amp::Shape{0, 3, 2}}) {
      for (const bool training : {true, false}) {
        INFO(amp::name(dtype) << " " << to_string(shape) << " " << training);
        const amp::Tensor x = normal(shape, dtype), w = normal({shape[1]}, dtype),
                          b = normal({shape[1]}, amp::kFloat32);
        const amp::Tensor mean = normal({shape[1]}, amp::kFloat32),
                          var = amp::abs(normal({shape[1]}, dtype));
        Tensors running;  // of the host, then of the device
        const auto batch = [&](const Tensors& t) {
          running.push_back(mean.to(t[0].device()).clone());
          running.push_back(var.to(t[0].device()).clone());
          const amp::Tensor& m = running[running.size() - 2];
          return amp::batch_norm(t[0], m, running.back(), t[1], t[2], training, 0.3);
        };
        compare({x, w, b}, tolerance(dtype), batch);
        CHECK(difference(running[0], running[2]) <= tolerance(amp::kFloat32));
        CHECK(difference(running[1], running[3]) <= tolerance(dtype));
      }
    }
  }
}

TEST_CASE("cuda norm: what is not finite stays in its row", "[cuda]") {
  amp::manual_seed(5);
  const amp::Tensor x = normal({4, 50}, amp::kFloat32);
  x.narrow(0, 1, 1).narrow(1, 7, 1).fill_(HUGE_VAL);
  x.narrow(0, 2, 1).narrow(1, 9, 1).fill_(std::numeric_limits<double>::quiet_NaN());
  compare({x}, 1e-6, [](const Tensors& t) { return amp::layer_norm(t[0], {50}); });
}

struct Pool {
  amp::Shape shape;
  amp::Size2d kernel, stride, padding;
};
const std::vector<Pool> kPools = {
    {{1, 1, 1, 1}, 1, 1, 0},
    {{2, 3, 8, 8}, 2, 2, 0},
    {{2, 3, 9, 7}, 3, 2, 1},
    {{1, 2, 17, 5}, 3, 1, 1},
    {{3, 13, 4}, {5, 2}, {3, 1}, {2, 1}},
    {{2, 2, 30, 31}, {3, 5}, 4, {0, 2}},
    {{0, 3, 8, 8}, 2, 2, 0},
    {{1, 40, 6, 6}, 6, 6, 0},
    // In vectors: of an even and an odd height, of one row, of several vectors.
    {{2, 3, 9, 8}, 2, 2, 0},
    {{2, 3, 8, 24}, 3, 2, 1},
    {{2, 3, 9, 16}, 3, 2, 1},
    {{1, 2, 2, 40}, 2, 2, 0},
    {{1, 2, 2, 8}, 3, 2, 1},
    {{1, 2, 1, 16}, {3, 3}, 2, 1},
};

TEST_CASE("cuda pool: max_pool2d and avg_pool2d are the host's, bit for bit", "[cuda]") {
  amp::manual_seed(6);
  for (const amp::DType dtype : cuda_test::kFloats) {
    for (const Pool& pool : kPools) {
      INFO(amp::name(dtype) << " " << to_string(pool.shape));
      const amp::Tensor x = normal(pool.shape, dtype);
      compare({x}, 0, [&](const Tensors& t) {
        return amp::max_pool2d(t[0], pool.kernel, pool.stride, pool.padding);
      });
      compare({x}, 0, [&](const Tensors& t) {
        return amp::avg_pool2d(t[0], pool.kernel, pool.stride, pool.padding);
      });
    }
  }
}

TEST_CASE("cuda pool: ties, NaN and views", "[cuda]") {
  amp::manual_seed(7);
  const amp::Tensor x = amp::zeros({2, 6, 6});
  x.narrow(2, 3, 1).narrow(1, 2, 2).fill_(std::numeric_limits<double>::quiet_NaN());
  compare({x}, 0, [](const Tensors& t) { return amp::max_pool2d(t[0], 3, 1, 1); });
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16}) {
    amp::Tensor wide = amp::zeros({2, 9, 24}, {.dtype = dtype});
    wide.narrow(2, 5, 4).narrow(1, 3, 2).fill_(std::numeric_limits<double>::quiet_NaN());
    wide.narrow(2, 0, 3).narrow(1, 0, 3).fill_(-HUGE_VAL);
    wide.narrow(2, 20, 4).fill_(-HUGE_VAL);
    wide.narrow(2, 7, 2).narrow(1, 7, 2).fill_(1);
    compare({wide}, 0, [](const Tensors& t) { return amp::max_pool2d(t[0], 2); });
    compare({wide}, 0, [](const Tensors& t) { return amp::max_pool2d(t[0], 3, 2, 1); });
  }
  compare({normal({7, 5, 2, 3}, amp::kFloat32)}, 0, [](const Tensors& t) {
    return amp::max_pool2d(t[0].permute({3, 2, 0, 1}), 3, 2);
  });
}

/// No op makes dilated windows of means; the contract has them.
TEST_CASE("cuda pool: dilated windows", "[cuda]") {
  namespace k = amp::kernels;
  amp::manual_seed(8);
  const k::PoolWindow window{{{3, 2, 1}, {2, 1, 1}, {1, 1, 0}, {2, 3, 1}}};
  const auto run_all = [&](amp::Device device, auto max, auto max_backward, auto avg,
                           auto avg_backward) {
    amp::manual_seed(9);
    const amp::Tensor x = amp::randn({2, 3, 9, 8}).to(device);
    const amp::TensorOptions options{.device = device};
    const amp::Shape out{2, 3, 4, 7};
    const amp::Tensor grad = amp::randn(out).to(device);
    const amp::Tensor y = amp::empty(out, options), z = amp::empty(out, options);
    const amp::Tensor indices = amp::empty(out, {.dtype = amp::kInt32, .device = device});
    const amp::Tensor grad_y = amp::empty(x.shape(), options), grad_z = amp::empty_like(x);
    max(k::MaxPool2dArgs{x.operand(), y.operand(), indices.operand(), window});
    max_backward(
        k::MaxPool2dBackwardArgs{grad.operand(), indices.operand(), grad_y.operand(), window});
    avg(k::AvgPool2dArgs{x.operand(), z.operand(), window, {0.25}});
    avg_backward(k::AvgPool2dBackwardArgs{grad.operand(), grad_z.operand(), window, {0.25}});
    return Tensors{y, indices, grad_y, z, grad_z};
  };
  const Tensors host = run_all(amp::kCPU, k::host::max_pool2d, k::host::max_pool2d_backward,
                               k::host::avg_pool2d, k::host::avg_pool2d_backward);
  const k::Backend& cuda = *k::backend(amp::kCUDA);
  const Tensors device = run_all(amp::kCUDA, cuda.max_pool2d, cuda.max_pool2d_backward,
                                 cuda.avg_pool2d, cuda.avg_pool2d_backward);
  for (std::size_t i = 0; i < host.size(); ++i) CHECK(difference(host[i], device[i]) == 0);
}

}  // namespace
}  // namespace cuda_norm_pool
