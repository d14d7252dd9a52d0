// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Memory-bound ops, each compared with a copy in the same run, which is the upper limit.
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <amp/cuda.hpp>
#include <amp/device/cuda/context.hpp>

namespace gpu_benchmark {
namespace {

using amp::kCUDA;
using amp::Tensor;

/// Rows of numbers, and ops that work row by row.
class Rows {
 public:
  Rows(const Settings& settings, Report& report, amp::DType dtype)
      : timer_(settings),
        report_(report),
        dtype_(dtype),
        rows_(settings.size(65536, 5)),
        columns_(settings.size(4096, 70)),
        x_(amp::randn({rows_, columns_}, {.dtype = dtype, .device = kCUDA})),
        y_(amp::randn({rows_, columns_}, {.dtype = dtype, .device = kCUDA})) {}

  void measure() {
    op("add", 3, [](const Tensor& x, const Tensor& y) { return x + y; });
    op("gelu", 2, [](const Tensor& x, const Tensor&) { return amp::gelu(x); });
    op("softmax", 2, [](const Tensor& x, const Tensor&) { return amp::softmax(x, -1); });
    const Tensor scale = amp::randn({columns_}), shift = amp::randn({columns_});
    const auto norm = [&](const Tensor& w, const Tensor& b) {
      return [&](const Tensor& x, const Tensor&) { return amp::layer_norm(x, {columns_}, w, b); };
    };
    const Tensor w = scale.to(dtype_), b = shift.to(dtype_);
    const Tensor w64 = w.to(amp::kFloat64), b64 = b.to(amp::kFloat64);
    const Tensor w_there = w.to(kCUDA), b_there = b.to(kCUDA);
    op("layer_norm", 2, norm(w_there, b_there), norm(w64, b64));
    cross_entropy();
  }

 private:
  template <class Op>
  void op(const char* name, int passes, const Op& op) {
    this->op(name, passes, op, op);
  }
  /// Compares three rows with results of the host in float64.
  template <class Op, class Reference>
  void op(const char* name, int passes, const Op& op, const Reference& reference) {
    { const Tensor poison = amp::full(x_.shape(), kNan, {.dtype = dtype_, .device = kCUDA}); }
    const Tensor result = op(x_, y_);
    double error = 0;
    for (const std::int64_t row : {std::int64_t{0}, rows_ / 2, rows_ - 1}) {
      const Tensor expected = reference(exact_row(x_, row), exact_row(y_, row));
      error =
          std::fmax(error, check_close(name, expected, result.narrow(0, row, 1), limit_of(dtype_)));
    }
    add(name, timer_([&] { (void)op(x_, y_); }), passes, error);
  }

  void cross_entropy() {
    const Tensor targets =
        (amp::rand({rows_}) * static_cast<double>(columns_)).to(amp::kInt64).to(kCUDA);
    const Tensor each = amp::cross_entropy(x_, targets, {.reduction = amp::kNone});
    for (const std::int64_t row : {std::int64_t{0}, rows_ / 2, rows_ - 1}) {
      const Tensor expected =
          amp::cross_entropy(exact_row(x_, row), targets.narrow(0, row, 1).to(amp::kCPU));
      check_close("cross_entropy", expected, each.narrow(0, row, 1), limit_of(dtype_));
    }
    const Tensor mean = amp::mean(each.to(amp::kCPU).to(amp::kFloat64));
    const double error =
        check_close("cross_entropy", mean, amp::cross_entropy(x_, targets), limit_of(dtype_));
    add("cross_entropy", timer_([&] { (void)amp::cross_entropy(x_, targets); }), 1, error);
  }

  void add(const std::string& name, const Times& times, int passes, double error) {
    const auto bytes = static_cast<double>(x_.numel() * amp::item_size(dtype_));
    report_.add(name + "_" + short_name(dtype_), times, {.bytes = bytes * passes, .error = error});
  }

  static Tensor exact_row(const Tensor& x, std::int64_t row) {
    return x.narrow(0, row, 1).to(amp::kCPU).to(amp::kFloat64);
  }

  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  Timer timer_;
  Report& report_;
  amp::DType dtype_;
  std::int64_t rows_, columns_;
  Tensor x_, y_;
};

/// Returns the beginning, the middle and the end, on the host.
Tensor sample(const Tensor& x) {
  const std::int64_t part = std::min<std::int64_t>(10000, x.numel() / 3);
  const auto at = [&](std::int64_t i) { return x.narrow(0, i, part).to(amp::kCPU); };
  return amp::cat({at(0), at(x.numel() / 2), at(x.numel() - part)}, 0);
}

void measure_copies(const Settings& settings, Report& report) {
  const Timer timer(settings);
  const std::int64_t count = settings.size(std::int64_t{1} << 28, 1000);
  const Tensor x = amp::randn({count}, {.device = kCUDA});
  Tensor y = amp::zeros({count}, {.device = kCUDA});
  const auto bytes = static_cast<double>(4 * count);
  const auto plain = [&] {
    AMP_CUDA_CALL(cudaMemcpyAsync, y.data<float>(), x.const_data<float>(),
                  static_cast<std::size_t>(4 * count), cudaMemcpyDefault,
                  amp::cuda::current_stream());
  };
  plain();
  double error = check_close("copy", sample(x), sample(y), 0);
  report.add("copy", timer(plain), {.bytes = 2 * bytes, .error = error});
  y.zero_();
  y.copy_(x);
  error = check_close("copy_op", sample(x), sample(y), 0);
  report.add("copy_op_fp32", timer([&] { y.copy_(x); }), {.bytes = 2 * bytes, .error = error});
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16}) {
    error = check_close("cast", sample(x).to(dtype), sample(x.to(dtype)), 0);
    report.add("cast_fp32_to_" + short_name(dtype), timer([&] { (void)x.to(dtype); }),
               {.bytes = 1.5 * bytes, .error = error});
  }
}

}  // namespace

void measure_memory(const Settings& settings, Report& report) {
  measure_copies(settings, report);
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16, amp::kBFloat16})
    Rows(settings, report, dtype).measure();
}

}  // namespace gpu_benchmark
