// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The C interface of oneDNN, versions 2.6 to 3.x under one set of names: descriptions of memory,
// matmuls, convolutions and reorders, as objects that clean up after themselves. A call that
// oneDNN refuses gives an empty object: the caller then uses amp's own kernels.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/types/dtype.hpp"

#if AMP_USE_ONEDNN

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>

#if DNNL_VERSION_MAJOR < 2 || (DNNL_VERSION_MAJOR == 2 && DNNL_VERSION_MINOR < 6)
#error "amp needs oneDNN 2.6 or newer: compile with AMP_USE_ONEDNN=0, or update oneDNN"
#endif
#if defined(DNNL_CPU_RUNTIME) && \
    (DNNL_CPU_RUNTIME == DNNL_RUNTIME_SYCL || DNNL_CPU_RUNTIME == DNNL_RUNTIME_TBB)
#error "amp needs a oneDNN built for OpenMP, for a thread pool or without threads"
#endif

namespace amp::inline v0::kernels::host::onednn {

/// Returns whether the call succeeded. Throws if memory ran out.
inline bool succeeded(dnnl_status_t status) {
  if (status == dnnl_out_of_memory) throw amp::detail::OutOfMemory();
  return status == dnnl_success;
}

/// For calls that fail only on serious errors.
inline void require(dnnl_status_t status, const char* call) {
  AMP_CHECK(succeeded(status), "oneDNN: ", call, " failed with status ", static_cast<int>(status));
}

template <auto Destroy>
struct Destroyer {
  template <class Object>
  void operator()(Object* object) const {
    (void)Destroy(object);
  }
};
template <class Handle, auto Destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroyer<Destroy>>;

using Primitive = Owned<dnnl_primitive_t, dnnl_primitive_destroy>;
using PrimitiveDesc = Owned<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using Memory = Owned<dnnl_memory_t, dnnl_memory_destroy>;
using Attributes = Owned<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;
using PostOps = Owned<dnnl_post_ops_t, dnnl_post_ops_destroy>;

inline dnnl_data_type_t data_type(DType dtype) {
  switch (dtype) {
    case kFloat32:
      return dnnl_f32;
    case kBFloat16:
      return dnnl_bf16;
    case kFloat16:
      return dnnl_f16;
    default:
      return dnnl_data_type_undef;
  }
}

/// oneDNN's engine, and two functions of the OpenMP library that oneDNN was linked with. amp does
/// not link OpenMP, so it looks them up by name; they are null if oneDNN has other threads, or
/// none.
struct AMP_EXPORT Library {
  dnnl_engine_t engine = nullptr;  // its handle of the processor
  unsigned instructions = 0;
  int (*max_threads)() = find<int (*)()>("omp_get_max_threads");
  void (*set_threads)(int) = find<void (*)(int)>("omp_set_num_threads");
  std::atomic<std::int64_t> primitives_made = 0;

  Library() {
    // oneDNN's first calls initialise statics. A child that is forked meanwhile would wait for ever
    // for their guards; the lock lets a fork wait instead.
    const amp::detail::ProcessLock lock(amp::detail::LockOf::kPrimitives);
    instructions = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
    require(dnnl_engine_create(&engine, dnnl_cpu, 0), "dnnl_engine_create");
  }
  ~Library() { (void)dnnl_engine_destroy(engine); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

 private:
  template <class Function>
  static Function find(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  }
};
inline Library& library() { return process_state<Library>(); }

/// Whether oneDNN uses these instructions: the processor has them, and ONEDNN_MAX_CPU_ISA in the
/// environment allows them.
inline bool has_instructions(dnnl_cpu_isa_t wanted) {
  return (library().instructions & static_cast<unsigned>(wanted)) == static_cast<unsigned>(wanted);
}

/// Whether matmuls and convolutions multiply the dtype directly, with instructions for it.
inline bool is_native(DType dtype) {
  if (dtype == kBFloat16) return has_instructions(dnnl_cpu_isa_avx512_core_bf16);
#if DNNL_VERSION_MAJOR >= 3
  if (dtype == kFloat16) return has_instructions(dnnl_cpu_isa_avx512_core_fp16);
#endif
  return dtype == kFloat32;
}

/// Returns the widest instructions that oneDNN uses.
inline const char* instructions() {
  if (has_instructions(dnnl_cpu_isa_avx512_core_amx)) return "AMX";
  if (has_instructions(dnnl_cpu_isa_avx512_core_bf16)) return "AVX512_BF16";
  if (has_instructions(dnnl_cpu_isa_avx512_core)) return "AVX-512";
  if (has_instructions(dnnl_cpu_isa_avx2)) return "AVX2";
  return "baseline";
}

/// Returns the version in use, as "3.13.2".
inline std::string version() {
  const dnnl_version_t* const v = dnnl_version();
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}

/// The layout of a tensor in memory. With dnnl_format_tag_any the primitive chooses.
class MemoryDesc {
 public:
#if DNNL_VERSION_MAJOR >= 3
  using Pointer = const_dnnl_memory_desc_t;
#else
  using Pointer = const dnnl_memory_desc_t*;
#endif

  MemoryDesc() = default;
  MemoryDesc(DType dtype, std::initializer_list<std::int64_t> sizes,
             std::initializer_list<std::int64_t> strides)
      : MemoryDesc(dtype, static_cast<int>(sizes.size()), sizes.begin(), strides.begin()) {}
  MemoryDesc(DType dtype, int count, const std::int64_t* sizes, const std::int64_t* strides) {
    dnnl_dims_t dims = {}, steps = {};
    std::copy(sizes, sizes + count, dims);
    std::copy(strides, strides + count, steps);
#if DNNL_VERSION_MAJOR >= 3
    dnnl_memory_desc_t made = nullptr;
    present_ = succeeded(
        dnnl_memory_desc_create_with_strides(&made, count, dims, data_type(dtype), steps));
    desc_.reset(made);
#else
    present_ =
        succeeded(dnnl_memory_desc_init_by_strides(&desc_, count, dims, data_type(dtype), steps));
#endif
  }
  MemoryDesc(DType dtype, std::initializer_list<std::int64_t> sizes, dnnl_format_tag_t tag)
      : MemoryDesc(dtype, static_cast<int>(sizes.size()), sizes.begin(), tag) {}
  MemoryDesc(DType dtype, int count, const std::int64_t* sizes, dnnl_format_tag_t tag) {
    dnnl_dims_t dims = {};
    std::copy(sizes, sizes + count, dims);
#if DNNL_VERSION_MAJOR >= 3
    dnnl_memory_desc_t made = nullptr;
    present_ =
        succeeded(dnnl_memory_desc_create_with_tag(&made, count, dims, data_type(dtype), tag));
    desc_.reset(made);
#else
    present_ = succeeded(dnnl_memory_desc_init_by_tag(&desc_, count, dims, data_type(dtype), tag));
#endif
  }

#if DNNL_VERSION_MAJOR >= 3
  Pointer get() const { return desc_.get(); }
#else
  Pointer get() const { return present_ ? &desc_ : nullptr; }
#endif

 private:
#if DNNL_VERSION_MAJOR >= 3
  Owned<dnnl_memory_desc_t, dnnl_memory_desc_destroy> desc_;
#else
  dnnl_memory_desc_t desc_ = {};
#endif
  bool present_ = false;
};

inline bool do_equal(MemoryDesc::Pointer a, MemoryDesc::Pointer b) {
  return dnnl_memory_desc_equal(a, b) != 0;
}

/// Returns the layout that a primitive expects for `what`: dnnl_query_src_md,
/// dnnl_query_weights_md, ...
inline MemoryDesc::Pointer expected(const PrimitiveDesc& desc, dnnl_query_t what) {
  return dnnl_primitive_desc_query_md(desc.get(), what, 0);
}
inline std::int64_t bytes_of(MemoryDesc::Pointer desc) {
  return static_cast<std::int64_t>(dnnl_memory_desc_get_size(desc));
}

/// Returns the attributes of every primitive here: float32 is multiplied as float32, whatever the
/// environment allows, and the caller provides the memory for intermediate results.
inline Attributes attributes(bool accumulate = false) {
  dnnl_primitive_attr_t made = nullptr;
  require(dnnl_primitive_attr_create(&made), "dnnl_primitive_attr_create");
  Attributes attributes(made);
  require(dnnl_primitive_attr_set_scratchpad_mode(made, dnnl_scratchpad_mode_user),
          "dnnl_primitive_attr_set_scratchpad_mode");
  require(dnnl_primitive_attr_set_fpmath_mode(made, dnnl_fpmath_mode_strict),
          "dnnl_primitive_attr_set_fpmath_mode");
  if (!accumulate) return attributes;
  dnnl_post_ops_t ops = nullptr;
  require(dnnl_post_ops_create(&ops), "dnnl_post_ops_create");
  const PostOps owner(ops);
#if DNNL_VERSION_MAJOR >= 3
  require(dnnl_post_ops_append_sum(ops, 1.0F, 0, dnnl_data_type_undef), "dnnl_post_ops_append_sum");
#else
  require(dnnl_post_ops_append_sum(ops, 1.0F), "dnnl_post_ops_append_sum");
#endif
  require(dnnl_primitive_attr_set_post_ops(made, ops), "dnnl_primitive_attr_set_post_ops");
  return attributes;
}

/// destination = source @ weights (+ bias)
inline PrimitiveDesc matmul_desc(const MemoryDesc& source, const MemoryDesc& weights,
                                 const MemoryDesc& bias, const MemoryDesc& destination,
                                 const Attributes& attributes) {
  dnnl_primitive_desc_t made = nullptr;
#if DNNL_VERSION_MAJOR >= 3
  const bool fine = succeeded(
      dnnl_matmul_primitive_desc_create(&made, library().engine, source.get(), weights.get(),
                                        bias.get(), destination.get(), attributes.get()));
#else
  dnnl_matmul_desc_t op;
  const bool fine = succeeded(dnnl_matmul_desc_init(&op, source.get(), weights.get(), bias.get(),
                                                    destination.get())) &&
                    succeeded(dnnl_primitive_desc_create(&made, &op, attributes.get(),
                                                         library().engine, nullptr));
#endif
  return PrimitiveDesc(fine ? made : nullptr);
}

/// The arrays of a convolution, or their gradients, and its window in oneDNN's terms: a dilation of
/// 0 has no gaps, and padding_end is that behind the last pixel.
struct ConvolutionDescs {
  const MemoryDesc &source, &weights, &bias, &destination;
  dnnl_dims_t strides, dilation, padding, padding_end;
};

/// destination = source * weights (+ bias)
inline PrimitiveDesc convolution_desc(const ConvolutionDescs& c, const Attributes& attributes) {
  dnnl_primitive_desc_t made = nullptr;
#if DNNL_VERSION_MAJOR >= 3
  const bool fine = succeeded(dnnl_convolution_forward_primitive_desc_create(
      &made, library().engine, dnnl_forward_training, dnnl_convolution_direct, c.source.get(),
      c.weights.get(), c.bias.get(), c.destination.get(), c.strides, c.dilation, c.padding,
      c.padding_end, attributes.get()));
#else
  dnnl_convolution_desc_t op;
  const bool fine =
      succeeded(dnnl_dilated_convolution_forward_desc_init(
          &op, dnnl_forward_training, dnnl_convolution_direct, c.source.get(), c.weights.get(),
          c.bias.get(), c.destination.get(), c.strides, c.dilation, c.padding, c.padding_end)) &&
      succeeded(
          dnnl_primitive_desc_create(&made, &op, attributes.get(), library().engine, nullptr));
#endif
  return PrimitiveDesc(fine ? made : nullptr);
}

/// The gradient of the source. `forward` is the convolution that it belongs to.
inline PrimitiveDesc convolution_backward_data_desc(const ConvolutionDescs& c,
                                                    const PrimitiveDesc& forward,
                                                    const Attributes& attributes) {
  dnnl_primitive_desc_t made = nullptr;
#if DNNL_VERSION_MAJOR >= 3
  const bool fine = succeeded(dnnl_convolution_backward_data_primitive_desc_create(
      &made, library().engine, dnnl_convolution_direct, c.source.get(), c.weights.get(),
      c.destination.get(), c.strides, c.dilation, c.padding, c.padding_end, forward.get(),
      attributes.get()));
#else
  dnnl_convolution_desc_t op;
  const bool fine = succeeded(dnnl_dilated_convolution_backward_data_desc_init(
                        &op, dnnl_convolution_direct, c.source.get(), c.weights.get(),
                        c.destination.get(), c.strides, c.dilation, c.padding, c.padding_end)) &&
                    succeeded(dnnl_primitive_desc_create(&made, &op, attributes.get(),
                                                         library().engine, forward.get()));
#endif
  return PrimitiveDesc(fine ? made : nullptr);
}

/// The gradients of weights and bias.
inline PrimitiveDesc convolution_backward_weights_desc(const ConvolutionDescs& c,
                                                       const PrimitiveDesc& forward,
                                                       const Attributes& attributes) {
  dnnl_primitive_desc_t made = nullptr;
#if DNNL_VERSION_MAJOR >= 3
  const bool fine = succeeded(dnnl_convolution_backward_weights_primitive_desc_create(
      &made, library().engine, dnnl_convolution_direct, c.source.get(), c.weights.get(),
      c.bias.get(), c.destination.get(), c.strides, c.dilation, c.padding, c.padding_end,
      forward.get(), attributes.get()));
#else
  dnnl_convolution_desc_t op;
  const bool fine = succeeded(dnnl_dilated_convolution_backward_weights_desc_init(
                        &op, dnnl_convolution_direct, c.source.get(), c.weights.get(), c.bias.get(),
                        c.destination.get(), c.strides, c.dilation, c.padding, c.padding_end)) &&
                    succeeded(dnnl_primitive_desc_create(&made, &op, attributes.get(),
                                                         library().engine, forward.get()));
#endif
  return PrimitiveDesc(fine ? made : nullptr);
}

/// Whether oneDNN would use its reference loops, which are slower than any other way.
inline bool is_reference(const PrimitiveDesc& desc) {
  const char* name = nullptr;
  return dnnl_primitive_desc_query(desc.get(), dnnl_query_impl_info_str, 0,
                                   static_cast<void*>(&name)) == dnnl_success &&
         name != nullptr && std::string_view(name).substr(0, 3) == "ref";
}

/// destination = source in another layout, at another address
inline PrimitiveDesc reorder_desc(MemoryDesc::Pointer source, MemoryDesc::Pointer destination,
                                  const Attributes& attributes) {
  dnnl_primitive_desc_t made = nullptr;
  const bool fine = succeeded(dnnl_reorder_primitive_desc_create(
      &made, source, library().engine, destination, library().engine, attributes.get()));
  return PrimitiveDesc(fine ? made : nullptr);
}

}  // namespace amp::inline v0::kernels::host::onednn

#endif
