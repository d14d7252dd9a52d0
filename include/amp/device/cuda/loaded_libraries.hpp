// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The functions of cuBLAS, cuBLASLt and cuDNN that amp calls, loaded at their first call. They bear
// the libraries' own names, and calls within namespace amp find them first: so all other headers
// are the same as for programs that link the libraries. A new call of these libraries needs a line
// here; without it, programs that link amp::compiled lack a symbol.
#pragma once

#include "amp/core/config.hpp"

#if AMP_LOAD_CUDA_LIBRARIES

#include <cublasLt.h>
#include <cublas_v2.h>
#if AMP_USE_CUDNN
#include <cudnn.h>
#endif

#include <cstddef>
#include <cstdint>

#include "amp/core/error.hpp"
#include "amp/core/warning.hpp"
#include "amp/device/cuda/loaded_library.hpp"

#define AMP_TEXT_OF(number) #number
#define AMP_LIBRARY_NAME(name, version) "lib" name ".so." AMP_TEXT_OF(version)
#define AMP_LOADED(library, function) \
  inline constinit const LoadedFunction<&::function> function { library, #function }

namespace amp::inline v0::cuda::detail {

inline constinit LoadedLibrary cublas{AMP_LIBRARY_NAME("cublas", CUBLAS_VER_MAJOR)};
inline constinit LoadedLibrary cublasLt{AMP_LIBRARY_NAME("cublasLt", CUBLAS_VER_MAJOR)};

/// Loads what each device needs.
inline void load_blas() {
  cublas.load();
  cublasLt.load();
}

namespace loaded {

AMP_LOADED(cublas, cublasCreate_v2);
AMP_LOADED(cublas, cublasDestroy_v2);
AMP_LOADED(cublas, cublasGemmStridedBatchedEx_64);
AMP_LOADED(cublas, cublasGetMathMode);
AMP_LOADED(cublas, cublasGetPointerMode_v2);
AMP_LOADED(cublas, cublasGetStatusName);
AMP_LOADED(cublas, cublasGetStatusString);
AMP_LOADED(cublas, cublasGetStream_v2);
AMP_LOADED(cublas, cublasSetMathMode);
AMP_LOADED(cublas, cublasSetPointerMode_v2);
AMP_LOADED(cublas, cublasSetStream_v2);
AMP_LOADED(cublas, cublasSetWorkspace_v2);

AMP_LOADED(cublasLt, cublasLtMatmul);
AMP_LOADED(cublasLt, cublasLtMatmulAlgoGetHeuristic);
AMP_LOADED(cublasLt, cublasLtMatmulDescInit_internal);
AMP_LOADED(cublasLt, cublasLtMatmulDescSetAttribute);
AMP_LOADED(cublasLt, cublasLtMatmulPreferenceInit_internal);
AMP_LOADED(cublasLt, cublasLtMatmulPreferenceSetAttribute);
AMP_LOADED(cublasLt, cublasLtMatrixLayoutInit_internal);

// The header defines these, with calls of functions of the library in them.
inline constexpr auto cublasLtMatrixLayoutInit = [](cublasLtMatrixLayout_t layout,
                                                    cudaDataType type, std::uint64_t rows,
                                                    std::uint64_t columns, std::int64_t leading) {
  return cublasLtMatrixLayoutInit_internal(layout, sizeof *layout, type, rows, columns, leading);
};
inline constexpr auto cublasLtMatmulDescInit =
    [](cublasLtMatmulDesc_t operation, cublasComputeType_t compute, cudaDataType_t scale) {
      return cublasLtMatmulDescInit_internal(operation, sizeof *operation, compute, scale);
    };
inline constexpr auto cublasLtMatmulPreferenceInit = [](cublasLtMatmulPreference_t preference) {
  return cublasLtMatmulPreferenceInit_internal(preference, sizeof *preference);
};

#if AMP_USE_CUDNN
inline constinit LoadedLibrary cudnn{AMP_LIBRARY_NAME("cudnn", CUDNN_MAJOR)};
inline constinit const LoadedFunction<&::cudnnGetVersion> loaded_cudnn_version{cudnn,
                                                                               "cudnnGetVersion"};

/// Whether cuDNN can be loaded. If not, a warning says why, once.
inline bool has_loaded_cudnn() {
  static const bool loaded = [] {
    try {
      cudnn.load();
      return true;
    } catch (const Error& error) {
      amp::detail::warn(
          "convolutions on CUDA are computed without cuDNN, as im2col and matmuls, which takes "
          "more time and memory: ",
          error.what());
      return false;
    }
  }();
  return loaded;
}

/// 0 if there is no cuDNN on this machine: a program does without it.
inline constexpr auto cudnnGetVersion = [] {
  return has_loaded_cudnn() ? loaded_cudnn_version() : std::size_t{0};
};

AMP_LOADED(cudnn, cudnnConvolutionBackwardBias);
AMP_LOADED(cudnn, cudnnConvolutionBackwardData);
AMP_LOADED(cudnn, cudnnConvolutionBackwardFilter);
AMP_LOADED(cudnn, cudnnConvolutionBiasActivationForward);
AMP_LOADED(cudnn, cudnnConvolutionForward);
AMP_LOADED(cudnn, cudnnCreate);
AMP_LOADED(cudnn, cudnnCreateActivationDescriptor);
AMP_LOADED(cudnn, cudnnCreateConvolutionDescriptor);
AMP_LOADED(cudnn, cudnnCreateFilterDescriptor);
AMP_LOADED(cudnn, cudnnCreateTensorDescriptor);
AMP_LOADED(cudnn, cudnnDestroy);
AMP_LOADED(cudnn, cudnnDestroyActivationDescriptor);
AMP_LOADED(cudnn, cudnnDestroyConvolutionDescriptor);
AMP_LOADED(cudnn, cudnnDestroyFilterDescriptor);
AMP_LOADED(cudnn, cudnnDestroyTensorDescriptor);
AMP_LOADED(cudnn, cudnnGetConvolutionBackwardDataAlgorithm_v7);
AMP_LOADED(cudnn, cudnnGetConvolutionBackwardFilterAlgorithm_v7);
AMP_LOADED(cudnn, cudnnGetConvolutionForwardAlgorithm_v7);
AMP_LOADED(cudnn, cudnnGetErrorString);
#if CUDNN_MAJOR >= 9
AMP_LOADED(cudnn, cudnnGetLastErrorString);
#endif
AMP_LOADED(cudnn, cudnnSetActivationDescriptor);
AMP_LOADED(cudnn, cudnnSetConvolution2dDescriptor);
AMP_LOADED(cudnn, cudnnSetConvolutionNdDescriptor);
AMP_LOADED(cudnn, cudnnSetConvolutionGroupCount);
AMP_LOADED(cudnn, cudnnSetConvolutionMathType);
AMP_LOADED(cudnn, cudnnSetFilter4dDescriptor);
AMP_LOADED(cudnn, cudnnSetFilterNdDescriptor);
AMP_LOADED(cudnn, cudnnSetStream);
AMP_LOADED(cudnn, cudnnSetTensor4dDescriptor);
AMP_LOADED(cudnn, cudnnSetTensorNdDescriptorEx);
#endif

}  // namespace loaded
}  // namespace amp::inline v0::cuda::detail

namespace amp::inline v0 {
using namespace cuda::detail::loaded;
}

#endif
