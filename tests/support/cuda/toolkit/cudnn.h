// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for cuDNN 9: what amp calls of it, as plain loops, with the arguments checked as the
// cuDNN documentation says. Before what can be used, its heuristics recommend what cannot.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

#define CUDNN_MAJOR 9

inline std::size_t cudnnGetVersion() { return 90100; }

enum cudnnStatus_t : int {
  CUDNN_STATUS_SUCCESS = 0,
  CUDNN_STATUS_NOT_INITIALIZED = 1001,
  CUDNN_STATUS_BAD_PARAM = 2000,
  CUDNN_STATUS_NOT_SUPPORTED = 3000,
  CUDNN_STATUS_NOT_SUPPORTED_SHAPE = 3002,
  CUDNN_STATUS_INTERNAL_ERROR = 4000,
  CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED = 4004,
  CUDNN_STATUS_EXECUTION_FAILED = 5000,
};
inline const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_NOT_SUPPORTED_SHAPE:
      return "CUDNN_STATUS_NOT_SUPPORTED_SHAPE";
    case CUDNN_STATUS_INTERNAL_ERROR:
      return "CUDNN_STATUS_INTERNAL_ERROR";
    case CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED:
      return "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
  }
  return "CUDNN_STATUS_UNKNOWN";
}
enum cudnnDataType_t {
  CUDNN_DATA_FLOAT = 0,
  CUDNN_DATA_DOUBLE = 1,
  CUDNN_DATA_HALF = 2,
  CUDNN_DATA_BFLOAT16 = 9,
};
enum cudnnMathType_t {
  CUDNN_DEFAULT_MATH = 0,
  CUDNN_TENSOR_OP_MATH = 1,
  CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION = 2,
  CUDNN_FMA_MATH = 3,
};
enum cudnnNanPropagation_t { CUDNN_NOT_PROPAGATE_NAN = 0, CUDNN_PROPAGATE_NAN = 1 };
enum cudnnTensorFormat_t { CUDNN_TENSOR_NCHW = 0, CUDNN_TENSOR_NHWC = 1 };
enum cudnnActivationMode_t { CUDNN_ACTIVATION_RELU = 1, CUDNN_ACTIVATION_IDENTITY = 5 };
enum cudnnConvolutionMode_t { CUDNN_CONVOLUTION = 0, CUDNN_CROSS_CORRELATION = 1 };
enum cudnnDeterminism_t { CUDNN_NON_DETERMINISTIC = 0, CUDNN_DETERMINISTIC = 1 };
enum cudnnConvolutionFwdAlgo_t {
  CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM = 0,
  CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM = 1,
  CUDNN_CONVOLUTION_FWD_ALGO_GEMM = 2,
  CUDNN_CONVOLUTION_FWD_ALGO_DIRECT = 3,
  CUDNN_CONVOLUTION_FWD_ALGO_FFT = 4,
  CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING = 5,
  CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD = 6,
  CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED = 7,
};
enum cudnnConvolutionBwdFilterAlgo_t {
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 = 0,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1 = 1,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT = 2,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3 = 3,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD = 4,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED = 5,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING = 6,
};
enum cudnnConvolutionBwdDataAlgo_t {
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_0 = 0,
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_1 = 1,
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT = 2,
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING = 3,
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD = 4,
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED = 5,
};

template <class Algorithm>
struct cudnnAlgoPerf {
  Algorithm algo;
  cudnnStatus_t status;
  float time;
  std::size_t memory;
  cudnnDeterminism_t determinism;
  cudnnMathType_t mathType;
  int reserved[3];
};
using cudnnConvolutionFwdAlgoPerf_t = cudnnAlgoPerf<cudnnConvolutionFwdAlgo_t>;
using cudnnConvolutionBwdDataAlgoPerf_t = cudnnAlgoPerf<cudnnConvolutionBwdDataAlgo_t>;
using cudnnConvolutionBwdFilterAlgoPerf_t = cudnnAlgoPerf<cudnnConvolutionBwdFilterAlgo_t>;

struct cudnnContext {
  int device = 0;
  cudaStream_t stream = nullptr;
};
struct cudnnTensorStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int n = 0, c = 0, h = 0, w = 0, d = 1;
};
struct cudnnFilterStruct : cudnnTensorStruct {};  // n filters
struct cudnnConvolutionStruct {
  int pad_h = 0, pad_w = 0, stride_h = 0, stride_w = 0, dilation_h = 0, dilation_w = 0, groups = 1;
  int pad_d = 0, stride_d = 1, dilation_d = 1;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};
struct cudnnActivationStruct {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_RELU;
  cudnnNanPropagation_t nan = CUDNN_PROPAGATE_NAN;
};
using cudnnHandle_t = cudnnContext*;
using cudnnTensorDescriptor_t = cudnnTensorStruct*;
using cudnnFilterDescriptor_t = cudnnFilterStruct*;
using cudnnConvolutionDescriptor_t = cudnnConvolutionStruct*;
using cudnnActivationDescriptor_t = cudnnActivationStruct*;

namespace standin {

/// What exists of cuDNN, what its heuristics are to find, and what ran last.
struct Dnn {
  std::int64_t handles = 0, descriptors = 0;
  bool offers_precomp = true;    // the one forward algorithm that adds a bias
  std::size_t workspace = 1024;  // of every algorithm that can be used
  int algorithm = -1;
  cudaStream_t stream = nullptr;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  std::string message;  // of the last error, until it is read
};
inline Dnn dnn;

inline cudnnStatus_t begin_dnn(const char* name) {
  const int status = toolkit().begin(name);
  if (status != 0) (void)toolkit().take_last_error();
  if (status != 0) dnn.message = std::string(name) + " was told so";
  return static_cast<cudnnStatus_t>(status);
}

}  // namespace standin

/// Forgets what it gives; a status that nothing was said of leaves an older message.
inline void cudnnGetLastErrorString(char* message, std::size_t size) {
  const standin::races::Quiet quiet;
  const std::lock_guard lock(standin::toolkit().mutex);
  std::snprintf(message, size, "%s", standin::dnn.message.c_str());
  standin::dnn.message.clear();
}

#define STANDIN_DNN_CALL(name)                                       \
  const standin::races::Quiet standin_quiet;                         \
  const std::lock_guard standin_lock(standin::toolkit().mutex);      \
  if (const cudnnStatus_t standin_status = standin::begin_dnn(name); \
      standin_status != CUDNN_STATUS_SUCCESS)                        \
  return standin_status

inline cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  STANDIN_DNN_CALL("cudnnCreate");
  standin::toolkit().contexts.set(static_cast<std::size_t>(standin_device));
  *handle = new cudnnContext{.device = standin_device};
  ++standin::dnn.handles;
  return CUDNN_STATUS_SUCCESS;
}
/// Waits for the device. Releases the handle even if it was made to fail.
inline cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  const std::lock_guard standin_outer_lock(standin::toolkit().mutex);
  if (handle != nullptr) {
    if (handle->device != standin_device) standin::stop("a cuDNN handle of another device");
    ++standin::toolkit().counters.synchronisations;
    if (!standin::toolkit().breaks_capture(standin_device))
      standin::toolkit().schedule.finish(standin_device);
    --standin::dnn.handles;
    delete handle;
  }
  STANDIN_DNN_CALL("cudnnDestroy");
  return handle == nullptr ? CUDNN_STATUS_BAD_PARAM : CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  STANDIN_DNN_CALL("cudnnSetStream");
  if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM;
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

// --- descriptors ---------------------------------------------------------------------------------

#define STANDIN_DNN_DESCRIPTOR(name)                                                          \
  inline cudnnStatus_t cudnnCreate##name##Descriptor(cudnn##name##Descriptor_t* descriptor) { \
    STANDIN_DNN_CALL("cudnnCreate" #name "Descriptor");                                       \
    *descriptor = new cudnn##name##Struct;                                                    \
    ++standin::dnn.descriptors;                                                               \
    return CUDNN_STATUS_SUCCESS;                                                              \
  }                                                                                           \
  inline cudnnStatus_t cudnnDestroy##name##Descriptor(cudnn##name##Descriptor_t descriptor) { \
    if (descriptor != nullptr) --standin::dnn.descriptors;                                    \
    delete descriptor;                                                                        \
    STANDIN_DNN_CALL("cudnnDestroy" #name "Descriptor");                                      \
    return CUDNN_STATUS_SUCCESS;                                                              \
  }
STANDIN_DNN_DESCRIPTOR(Tensor)
STANDIN_DNN_DESCRIPTOR(Filter)
STANDIN_DNN_DESCRIPTOR(Convolution)
STANDIN_DNN_DESCRIPTOR(Activation)

namespace standin {
inline cudnnStatus_t dnn_set(cudnnTensorStruct* descriptor, cudnnTensorFormat_t format,
                             cudnnDataType_t type, int n, int c, int h, int w, int d = 1) {
  if (descriptor == nullptr || format != CUDNN_TENSOR_NCHW || n < 1 || c < 1 || h < 1 || w < 1 ||
      d < 1)
    return CUDNN_STATUS_BAD_PARAM;
  descriptor->type = type;
  descriptor->n = n;
  descriptor->c = c;
  descriptor->h = h;
  descriptor->w = w;
  descriptor->d = d;
  return CUDNN_STATUS_SUCCESS;
}
}  // namespace standin

inline cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t descriptor,
                                                cudnnTensorFormat_t format, cudnnDataType_t type,
                                                int n, int c, int h, int w) {
  STANDIN_DNN_CALL("cudnnSetTensor4dDescriptor");
  std::int64_t elements = 1;  // fewer than 2^31; of filters cuDNN asks nothing like that
  for (const int extent : {n, c, h, w}) {
    if (extent > 0 && elements > 0x7fffffff / extent) return CUDNN_STATUS_NOT_SUPPORTED;
    elements *= extent;
  }
  return standin::dnn_set(descriptor, format, type, n, c, h, w);
}
inline cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t descriptor,
                                                cudnnDataType_t type, cudnnTensorFormat_t format,
                                                int k, int c, int h, int w) {
  STANDIN_DNN_CALL("cudnnSetFilter4dDescriptor");
  return standin::dnn_set(descriptor, format, type, k, c, h, w);
}
inline cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t descriptor,
                                                     int pad_h, int pad_w, int stride_h,
                                                     int stride_w, int dilation_h, int dilation_w,
                                                     cudnnConvolutionMode_t mode,
                                                     cudnnDataType_t compute) {
  STANDIN_DNN_CALL("cudnnSetConvolution2dDescriptor");
  if (descriptor == nullptr || pad_h < 0 || pad_w < 0 || stride_h < 1 || stride_w < 1 ||
      dilation_h < 1 || dilation_w < 1)
    return CUDNN_STATUS_BAD_PARAM;
  if (mode != CUDNN_CROSS_CORRELATION) standin::stop("cuDNN would flip the filters");
  *descriptor = {.pad_h = pad_h,
                 .pad_w = pad_w,
                 .stride_h = stride_h,
                 .stride_w = stride_w,
                 .dilation_h = dilation_h,
                 .dilation_w = dilation_w,
                 .compute = compute};
  return CUDNN_STATUS_SUCCESS;
}
// Of the descriptors for any number of dimensions, those for three beside N and C.
inline cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t descriptor,
                                                  cudnnTensorFormat_t format, cudnnDataType_t type,
                                                  int count, const int* e) {
  STANDIN_DNN_CALL("cudnnSetTensorNdDescriptorEx");
  if (count != 5) return CUDNN_STATUS_NOT_SUPPORTED;
  return standin::dnn_set(descriptor, format, type, e[0], e[1], e[3], e[4], e[2]);
}
inline cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t descriptor,
                                                cudnnDataType_t type, cudnnTensorFormat_t format,
                                                int count, const int* e) {
  STANDIN_DNN_CALL("cudnnSetFilterNdDescriptor");
  if (count != 5) return CUDNN_STATUS_NOT_SUPPORTED;
  return standin::dnn_set(descriptor, format, type, e[0], e[1], e[3], e[4], e[2]);
}
inline cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t descriptor,
                                                     int count, const int* pad, const int* stride,
                                                     const int* dilation,
                                                     cudnnConvolutionMode_t mode,
                                                     cudnnDataType_t compute) {
  STANDIN_DNN_CALL("cudnnSetConvolutionNdDescriptor");
  if (count != 3) return CUDNN_STATUS_NOT_SUPPORTED;
  for (int i = 0; i < count; ++i) {
    if (descriptor == nullptr || pad[i] < 0 || stride[i] < 1 || dilation[i] < 1)
      return CUDNN_STATUS_BAD_PARAM;
  }
  if (mode != CUDNN_CROSS_CORRELATION) standin::stop("cuDNN would flip the filters");
  *descriptor = {.pad_h = pad[1],
                 .pad_w = pad[2],
                 .stride_h = stride[1],
                 .stride_w = stride[2],
                 .dilation_h = dilation[1],
                 .dilation_w = dilation[2],
                 .pad_d = pad[0],
                 .stride_d = stride[0],
                 .dilation_d = dilation[0],
                 .compute = compute};
  return CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t descriptor,
                                                   int groups) {
  STANDIN_DNN_CALL("cudnnSetConvolutionGroupCount");
  if (descriptor == nullptr || groups < 1) return CUDNN_STATUS_BAD_PARAM;
  descriptor->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t descriptor,
                                                 cudnnMathType_t math) {
  STANDIN_DNN_CALL("cudnnSetConvolutionMathType");
  if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM;
  descriptor->math = math;
  return CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t descriptor,
                                                  cudnnActivationMode_t mode,
                                                  cudnnNanPropagation_t nan, double) {
  STANDIN_DNN_CALL("cudnnSetActivationDescriptor");
  if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM;
  descriptor->mode = mode;
  descriptor->nan = nan;
  return CUDNN_STATUS_SUCCESS;
}

// --- convolution ---------------------------------------------------------------------------------

namespace standin {

/// One convolution as its descriptors say: x and y are the input and the output of the forward
/// pass.
struct DnnConvolution {
  const cudnnContext* handle;
  const cudnnTensorStruct* x;
  const cudnnFilterStruct* w;
  const cudnnConvolutionStruct* c;
  const cudnnTensorStruct* y;

  cudnnStatus_t verify() const {
    if (handle == nullptr || x == nullptr || w == nullptr || c == nullptr || y == nullptr)
      return CUDNN_STATUS_BAD_PARAM;
    const auto outputs = [](int in, int pad, int kernel, int stride, int dilation) {
      return 1 + (in + 2 * pad - ((kernel - 1) * dilation + 1)) / stride;
    };
    if (x->type != w->type || x->type != y->type || x->c != w->c * c->groups || y->c != w->n ||
        w->n % c->groups != 0 || y->n != x->n ||
        y->h != outputs(x->h, c->pad_h, w->h, c->stride_h, c->dilation_h) ||
        y->w != outputs(x->w, c->pad_w, w->w, c->stride_w, c->dilation_w) ||
        y->d != outputs(x->d, c->pad_d, w->d, c->stride_d, c->dilation_d))
      return CUDNN_STATUS_BAD_PARAM;
    const bool wide = x->type == CUDNN_DATA_DOUBLE;
    if (c->compute != (wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT))
      return CUDNN_STATUS_NOT_SUPPORTED;
    if (handle->device != standin_device) stop("a cuDNN handle of another device");
    return CUDNN_STATUS_SUCCESS;
  }
};

inline cudaDataType dnn_type(cudnnDataType_t type) {
  return type == CUDNN_DATA_DOUBLE     ? CUDA_R_64F
         : type == CUDNN_DATA_HALF     ? CUDA_R_16F
         : type == CUDNN_DATA_BFLOAT16 ? CUDA_R_16BF
                                       : CUDA_R_32F;
}
inline std::int64_t dnn_elements(const cudnnTensorStruct& t) {
  return std::int64_t{t.n} * t.c * t.d * t.h * t.w;
}

/// Stops the program if cuDNN would read invalid memory: memory that is not on the device, or that
/// is not aligned for its vectors (some versions report that, others read all the same).
inline void dnn_check(const cudnnTensorStruct& t, const void* data) {
  if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0 ||
      !toolkit().on_device(data,
                           static_cast<std::size_t>(dnn_elements(t) * blas_size(dnn_type(t.type)))))
    stop("cuDNN was given memory that is not on the device, or not aligned");
}

/// Numbers on the device.
template <class C>
class DnnData {
 public:
  DnnData(const cudnnTensorStruct& t, const void* data)
      : type_(dnn_type(t.type)), elements_(dnn_elements(t)), data_(data) {}
  C load(std::int64_t i) const { return blas_load<C>(data_, type_, i); }
  /// A factor: of float32, default math keeps 10 bits of the mantissa.
  C factor(std::int64_t i, cudnnMathType_t math) const {
    const C value = load(i);
    if (type_ != CUDA_R_32F || math == CUDNN_FMA_MATH) return value;
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return static_cast<C>(std::bit_cast<float>(bits & ~std::uint32_t{0x1fff}));
  }
  /// alpha * sums + beta * what is there (which is not read if beta is 0) + bias of the channel.
  void blend(const std::vector<C>& sums, C a, C b, const DnnData* bias = nullptr,
             std::int64_t inner = 1) const {
    for (std::int64_t i = 0; i < elements_; ++i) {
      C value = a * sums[static_cast<std::size_t>(i)];
      if (b != C{}) value += b * load(i);
      if (bias != nullptr) value += bias->load(i / inner % bias->elements_);
      blas_store<C>(const_cast<void*>(data_), type_, i, value);
    }
  }

 private:
  cudaDataType type_;
  std::int64_t elements_;
  const void* data_;
};

/// Calls product(index in x, in w, in y) for every product of a convolution.
template <class Product>
void dnn_for_each_product(const DnnConvolution& d, const Product& product) {
  const auto &x = *d.x, &y = *d.y;
  const auto& w = *d.w;
  const auto& c = *d.c;
  const int filters = w.n / c.groups;
  for (int n = 0; n < y.n; ++n)
    for (int k = 0; k < y.c; ++k)
      for (int op = 0; op < y.d * y.h; ++op)
        for (int q = 0; q < y.w; ++q)
          for (int channel = 0; channel < w.c; ++channel)
            for (int tr = 0; tr < w.d * w.h; ++tr)
              for (int s = 0; s < w.w; ++s) {
                const int z = op / y.h * c.stride_d - c.pad_d + tr / w.h * c.dilation_d;
                const int i = op % y.h * c.stride_h - c.pad_h + tr % w.h * c.dilation_h;
                const int j = q * c.stride_w - c.pad_w + s * c.dilation_w;
                if (z < 0 || z >= x.d || i < 0 || i >= x.h || j < 0 || j >= x.w) continue;
                const std::int64_t plane = std::int64_t{n} * x.c + k / filters * w.c + channel;
                product(((plane * x.d + z) * x.h + i) * x.w + j,
                        ((std::int64_t{k} * w.c + channel) * w.d * w.h + tr) * w.w + s,
                        ((std::int64_t{n} * y.c + k) * y.d * y.h + op) * y.w + q);
              }
}

/// The numbers that results are blended with; the host's, read when the call is made.
struct DnnScale {
  double alpha, beta;
  DnnScale(cudnnDataType_t type, const void* alpha_at, const void* beta_at)
      : alpha(read(type, alpha_at)), beta(read(type, beta_at)) {}
  static double read(cudnnDataType_t type, const void* at) {
    return type == CUDNN_DATA_DOUBLE ? *static_cast<const double*>(at)
                                     : static_cast<double>(*static_cast<const float*>(at));
  }
};

/// output = alpha * sums + beta * output, where sums are of a * b by `pass`: 0 y, 1 x, 2 w.
template <class C>
void dnn_run(const DnnConvolution& d, int pass, const DnnScale& scale, const void* a_data,
             const void* b_data, const void* output_data, const cudnnTensorStruct& bias,
             const void* bias_data) {
  const auto shape_of = [&d](int role) -> const cudnnTensorStruct& {
    return role == 0 ? *d.y : role == 1 ? *d.x : static_cast<const cudnnTensorStruct&>(*d.w);
  };
  const cudnnTensorStruct& shape = shape_of(pass);
  const DnnData<C> a(shape_of(pass == 1 ? 2 : 1), a_data), b(shape_of(pass == 0 ? 2 : 0), b_data),
      output(shape, output_data), values(bias, bias_data);
  std::vector<C> sums(static_cast<std::size_t>(dnn_elements(shape)));
  dnn_for_each_product(d, [&](std::int64_t x, std::int64_t w, std::int64_t y) {
    const std::int64_t in_a = pass == 1 ? w : x, in_b = pass == 0 ? w : y;
    sums[static_cast<std::size_t>(pass == 0   ? y
                                  : pass == 1 ? x
                                              : w)] +=
        a.factor(in_a, d.c->math) * b.factor(in_b, d.c->math);
  });
  output.blend(sums, static_cast<C>(scale.alpha), static_cast<C>(scale.beta),
               bias_data == nullptr ? nullptr : &values, std::int64_t{shape.d} * shape.h * shape.w);
}

/// Checks what runs, takes note of it, and does it in the stream's turn, of everything its value
/// now. The workspace is written, as cuDNN may.
inline cudnnStatus_t dnn_enqueue(const DnnConvolution& d, int pass, int algorithm, void* workspace,
                                 std::size_t bytes, const DnnScale& scale, const void* a,
                                 const void* b, const void* output,
                                 const cudnnTensorStruct& bias = {},
                                 const void* bias_data = nullptr) {
  if (bytes < dnn.workspace || (dnn.workspace > 0 && workspace == nullptr))
    return CUDNN_STATUS_BAD_PARAM;
  if (bytes > 0 && !toolkit().on_device(workspace, bytes))
    stop("a workspace that is not on the device");
  dnn_check(pass == 1 ? static_cast<const cudnnTensorStruct&>(*d.w) : *d.x, a);
  dnn_check(pass == 0 ? static_cast<const cudnnTensorStruct&>(*d.w) : *d.y, b);
  dnn_check(pass == 0   ? *d.y
            : pass == 1 ? *d.x
                        : static_cast<const cudnnTensorStruct&>(*d.w),
            output);
  if (bias_data != nullptr) dnn_check(bias, bias_data);
  const Capture* const capture = capture_of(d.handle->stream);
  if (capture != nullptr && capture->invalid) return CUDNN_STATUS_EXECUTION_FAILED;
  dnn.algorithm = algorithm;
  dnn.stream = d.handle->stream;
  dnn.math = d.c->math;
  record_or_run(d.handle->stream, true,
                [=, x = *d.x, w = *d.w, c = *d.c, y = *d.y, wide = d.x->type == CUDNN_DATA_DOUBLE] {
                  if (bytes > 0) std::memset(workspace, 0x77, bytes);
                  const DnnConvolution at_call{nullptr, &x, &w, &c, &y};
                  (wide ? dnn_run<double> : dnn_run<float>)(at_call, pass, scale, a, b, output,
                                                            bias, bias_data);
                });
  return CUDNN_STATUS_SUCCESS;
}

/// A list of recommendations, the fastest first: by a transform, one that cannot run, one with too
/// much workspace, one that rounds float32 and one that is not deterministic come before what can
/// be used.
template <class Algorithm>
cudnnStatus_t dnn_recommend(const DnnConvolution& d, Algorithm transform, Algorithm random,
                            std::initializer_list<Algorithm> usable, int most, int* count,
                            cudnnAlgoPerf<Algorithm>* list) {
  if (const cudnnStatus_t status = d.verify(); status != CUDNN_STATUS_SUCCESS) return status;
  if (most < 1 || count == nullptr || list == nullptr) return CUDNN_STATUS_BAD_PARAM;
  const Algorithm first = *usable.begin();
  std::vector<cudnnAlgoPerf<Algorithm>> all;
  const auto add = [&](Algorithm algorithm, std::size_t memory, cudnnDeterminism_t determinism,
                       cudnnStatus_t status = CUDNN_STATUS_SUCCESS) {
    all.push_back({.algo = algorithm,
                   .status = status,
                   .time = -1,
                   .memory = memory,
                   .determinism = determinism,
                   .mathType = d.c->math,
                   .reserved = {}});
  };
  add(transform, dnn.workspace, CUDNN_DETERMINISTIC);
  add(random, dnn.workspace, CUDNN_DETERMINISTIC, CUDNN_STATUS_NOT_SUPPORTED);
  add(first, std::size_t{1} << 40, CUDNN_DETERMINISTIC);
  add(first, dnn.workspace, CUDNN_DETERMINISTIC);
  all.back().mathType = CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
  add(random, dnn.workspace, CUDNN_NON_DETERMINISTIC);
  for (const Algorithm algorithm : usable) add(algorithm, dnn.workspace, CUDNN_DETERMINISTIC);
  *count = 0;
  for (const auto& it : all) {
    if (*count < most) list[(*count)++] = it;
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace standin

inline cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
    cudnnConvolutionDescriptor_t c, cudnnTensorDescriptor_t y, int most, int* count,
    cudnnConvolutionFwdAlgoPerf_t* list) {
  STANDIN_DNN_CALL("cudnnGetConvolutionForwardAlgorithm_v7");
  const auto first = standin::dnn.offers_precomp ? CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM
                                                 : CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  return standin::dnn_recommend({handle, x, w, c, y}, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD,
                                CUDNN_CONVOLUTION_FWD_ALGO_DIRECT,
                                {first, CUDNN_CONVOLUTION_FWD_ALGO_GEMM}, most, count, list);
}
inline cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t c, cudnnTensorDescriptor_t dx, int most, int* count,
    cudnnConvolutionBwdDataAlgoPerf_t* list) {
  STANDIN_DNN_CALL("cudnnGetConvolutionBackwardDataAlgorithm_v7");
  return standin::dnn_recommend({handle, dx, w, c, dy}, CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT,
                                CUDNN_CONVOLUTION_BWD_DATA_ALGO_0,
                                {CUDNN_CONVOLUTION_BWD_DATA_ALGO_1}, most, count, list);
}
inline cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t c, cudnnFilterDescriptor_t dw, int most, int* count,
    cudnnConvolutionBwdFilterAlgoPerf_t* list) {
  STANDIN_DNN_CALL("cudnnGetConvolutionBackwardFilterAlgorithm_v7");
  return standin::dnn_recommend({handle, x, dw, c, dy}, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT,
                                CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0,
                                {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1}, most, count, list);
}

#define STANDIN_DNN_REQUIRE(call)                                                        \
  if (const cudnnStatus_t standin_status = call; standin_status != CUDNN_STATUS_SUCCESS) \
  return standin_status

inline cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha,
                                             cudnnTensorDescriptor_t x_shape, const void* x,
                                             cudnnFilterDescriptor_t w_shape, const void* w,
                                             cudnnConvolutionDescriptor_t c,
                                             cudnnConvolutionFwdAlgo_t algorithm, void* workspace,
                                             std::size_t bytes, const void* beta,
                                             cudnnTensorDescriptor_t y_shape, void* y) {
  STANDIN_DNN_CALL("cudnnConvolutionForward");
  const standin::DnnConvolution d{handle, x_shape, w_shape, c, y_shape};
  STANDIN_DNN_REQUIRE(d.verify());
  return standin::dnn_enqueue(d, 0, algorithm, workspace, bytes, {x_shape->type, alpha, beta}, x, w,
                              y);
}
/// The checks are those of the documentation. z is not read if alpha2 is 0.
inline cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void* alpha1, cudnnTensorDescriptor_t x_shape, const void* x,
    cudnnFilterDescriptor_t w_shape, const void* w, cudnnConvolutionDescriptor_t c,
    cudnnConvolutionFwdAlgo_t algorithm, void* workspace, std::size_t bytes, const void* alpha2,
    cudnnTensorDescriptor_t z_shape, const void* z, cudnnTensorDescriptor_t bias_shape,
    const void* bias, cudnnActivationDescriptor_t activation, cudnnTensorDescriptor_t y_shape,
    void* y) {
  STANDIN_DNN_CALL("cudnnConvolutionBiasActivationForward");
  const standin::DnnConvolution d{handle, x_shape, w_shape, c, y_shape};
  STANDIN_DNN_REQUIRE(d.verify());
  if (z_shape == nullptr || bias_shape == nullptr || activation == nullptr ||
      bias_shape->type != y_shape->type || bias_shape->n != 1 || bias_shape->c != w_shape->n ||
      bias_shape->h != 1 || bias_shape->w != 1 || z_shape->type != y_shape->type ||
      z_shape->n != y_shape->n || z_shape->c != y_shape->c || z_shape->h != y_shape->h ||
      z_shape->w != y_shape->w || activation->nan != CUDNN_NOT_PROPAGATE_NAN)
    return CUDNN_STATUS_BAD_PARAM;
  if (activation->mode != CUDNN_ACTIVATION_IDENTITY ||
      algorithm != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM)
    return CUDNN_STATUS_NOT_SUPPORTED;
  if (z != y) standin::stop("the stand-in cuDNN adds no other array");
  return standin::dnn_enqueue(d, 0, algorithm, workspace, bytes, {x_shape->type, alpha1, alpha2}, x,
                              w, y, *bias_shape, bias);
}
inline cudnnStatus_t cudnnConvolutionBackwardData(
    cudnnHandle_t handle, const void* alpha, cudnnFilterDescriptor_t w_shape, const void* w,
    cudnnTensorDescriptor_t dy_shape, const void* dy, cudnnConvolutionDescriptor_t c,
    cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace, std::size_t bytes, const void* beta,
    cudnnTensorDescriptor_t dx_shape, void* dx) {
  STANDIN_DNN_CALL("cudnnConvolutionBackwardData");
  const standin::DnnConvolution d{handle, dx_shape, w_shape, c, dy_shape};
  STANDIN_DNN_REQUIRE(d.verify());
  return standin::dnn_enqueue(d, 1, algorithm, workspace, bytes, {dx_shape->type, alpha, beta}, w,
                              dy, dx);
}
inline cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x_shape, const void* x,
    cudnnTensorDescriptor_t dy_shape, const void* dy, cudnnConvolutionDescriptor_t c,
    cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace, std::size_t bytes, const void* beta,
    cudnnFilterDescriptor_t dw_shape, void* dw) {
  STANDIN_DNN_CALL("cudnnConvolutionBackwardFilter");
  const standin::DnnConvolution d{handle, x_shape, dw_shape, c, dy_shape};
  STANDIN_DNN_REQUIRE(d.verify());
  return standin::dnn_enqueue(d, 2, algorithm, workspace, bytes, {x_shape->type, alpha, beta}, x,
                              dy, dw);
}

namespace standin {
template <class C>
void dnn_sum_channels(const cudnnTensorStruct& from, const void* from_data,
                      const cudnnTensorStruct& to, void* to_data, const DnnScale& scale) {
  const DnnData<C> input(from, from_data), output(to, to_data);
  std::vector<C> sums(static_cast<std::size_t>(from.c));
  const std::int64_t plane = std::int64_t{from.d} * from.h * from.w;
  for (std::int64_t i = 0; i < dnn_elements(from); ++i)
    sums[static_cast<std::size_t>(i / plane % from.c)] += input.load(i);
  output.blend(sums, static_cast<C>(scale.alpha), static_cast<C>(scale.beta));
}
}  // namespace standin

inline cudnnStatus_t cudnnConvolutionBackwardBias(cudnnHandle_t handle, const void* alpha,
                                                  cudnnTensorDescriptor_t dy_shape, const void* dy,
                                                  const void* beta,
                                                  cudnnTensorDescriptor_t db_shape, void* db) {
  STANDIN_DNN_CALL("cudnnConvolutionBackwardBias");
  if (handle == nullptr || dy_shape == nullptr || db_shape == nullptr ||
      dy_shape->type != db_shape->type || dy_shape->c != db_shape->c || db_shape->n != 1 ||
      db_shape->h != 1 || db_shape->w != 1)
    return CUDNN_STATUS_BAD_PARAM;
  if (handle->device != standin_device) standin::stop("a cuDNN handle of another device");
  standin::dnn_check(*dy_shape, dy);
  standin::dnn_check(*db_shape, db);
  const standin::Capture* const capture = standin::capture_of(handle->stream);
  if (capture != nullptr && capture->invalid) return CUDNN_STATUS_EXECUTION_FAILED;
  const standin::DnnScale scale(dy_shape->type, alpha, beta);
  standin::record_or_run(handle->stream, true, [=, from = *dy_shape, to = *db_shape] {
    if (from.type == CUDNN_DATA_DOUBLE) {
      standin::dnn_sum_channels<double>(from, dy, to, db, scale);
    } else {
      standin::dnn_sum_channels<float>(from, dy, to, db, scale);
    }
  });
  return CUDNN_STATUS_SUCCESS;
}
