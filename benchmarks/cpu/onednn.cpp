// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// matmul-N by oneDNN, called directly: square row-major matrices, with everything prepared before
// the timed call. OMP_NUM_THREADS is the number of threads. The results are some elements.
#include <oneapi/dnnl/dnnl_version.h>
#include <oneapi/dnnl/dnnl.hpp>

#include <cstring>
#include <memory>

#include "numbers.hpp"
#include "worker.hpp"

namespace cpu_benchmark {
namespace {

using dnnl::memory;

dnnl::matmul make_matmul(const dnnl::engine& engine, const memory::desc& matrix,
                         const memory::desc& output) {
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::matmul(dnnl::matmul::primitive_desc(engine, matrix, matrix, output));
#else
  return dnnl::matmul(dnnl::matmul::primitive_desc({matrix, matrix, output}, engine));
#endif
}

class Matmul {
 public:
  Matmul(std::int64_t n, memory::data_type type)
      : n_(n), a_(matrix(type)), b_(matrix(type)), output_(matrix(type)) {
    fill(a_, 1);
    fill(b_, 2);
    matmul_ = make_matmul(engine_, a_.get_desc(), output_.get_desc());
  }
  void operator()() {
    matmul_.execute(stream_, {{DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, b_}, {DNNL_ARG_DST, output_}});
    stream_.wait();
  }
  [[nodiscard]] std::vector<double> some() {
    memory wide = matrix(memory::data_type::f32);
    dnnl::reorder(output_, wide).execute(stream_, output_, wide);
    stream_.wait();
    std::vector<double> elements;
    for (const std::int64_t i : some_of(n_ * n_))
      elements.push_back(static_cast<float*>(wide.get_data_handle())[i]);
    return elements;
  }

 private:
  memory matrix(memory::data_type type) {
    return {{{n_, n_}, type, memory::format_tag::ab}, engine_};
  }
  void fill(memory& to, std::uint32_t seed) {
    memory from = matrix(memory::data_type::f32);
    const std::vector<float> values = numbers_in(n_ * n_, seed);
    std::memcpy(from.get_data_handle(), values.data(), values.size() * sizeof(float));
    dnnl::reorder(from, to).execute(stream_, from, to);
    stream_.wait();
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::int64_t n_;
  memory a_, b_, output_;
  dnnl::matmul matmul_;
};

memory::data_type type_of(const std::string& precision) {
  if (precision == "bf16") return memory::data_type::bf16;
  if (precision == "fp16") return memory::data_type::f16;
  require(precision == "fp32", "the precision '" + precision + "'; there are fp32, bf16 and fp16");
  return memory::data_type::f32;
}

Workload load(const Request& request) {
  const int n = number_after("matmul-", request.name);
  if (n == 0) throw std::runtime_error("no such workload: " + request.name);
  const auto matmul = std::make_shared<Matmul>(n, type_of(request.precision));
  (*matmul)();
  return {.call = [matmul] { (*matmul)(); }, .results = matmul->some()};
}

std::string version() {
  const dnnl_version_t* const v = dnnl_version();
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}

}  // namespace
}  // namespace cpu_benchmark

int main(int argc, char** argv) {
  using namespace cpu_benchmark;
  return serve(argc, argv, {{"oneDNN called directly", version()}}, load);
}
