// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A device other than the host is one Backend: a table of its kernels, a member per op. Host
// kernels need no table: they are called directly, so that a program pays only for the ops it uses.
// A new kernel is a member here, and a line in the table of each device (backend.cuh, backend/); a
// function of elements is a row in kernels/functions.hpp.
#pragma once

#include "amp/kernels/batch_norm/args.hpp"
#include "amp/kernels/combination/args.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/kernels/ctc/args.hpp"
#include "amp/kernels/distance/args.hpp"
#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/elementwise/function_kernels.hpp"
#include "amp/kernels/extremum/args.hpp"
#include "amp/kernels/fold/args.hpp"
#include "amp/kernels/grid_sample/args.hpp"
#include "amp/kernels/hash/args.hpp"
#include "amp/kernels/histogram/args.hpp"
#include "amp/kernels/indexing/args.hpp"
#include "amp/kernels/masking/args.hpp"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/multilabel_margin/args.hpp"
#include "amp/kernels/norm/args.hpp"
#include "amp/kernels/order/args.hpp"
#include "amp/kernels/pool/args.hpp"
#include "amp/kernels/random/args.hpp"
#include "amp/kernels/recurrent/args.hpp"
#include "amp/kernels/reduce/args.hpp"
#include "amp/kernels/remap/args.hpp"
#include "amp/kernels/resample/args.hpp"
#include "amp/kernels/scan/args.hpp"
#include "amp/kernels/softmax/args.hpp"
#include "amp/kernels/unscale/args.hpp"
#include "amp/kernels/unscale/scale_state.hpp"
#include "amp/kernels/var/args.hpp"

namespace amp::inline v0::kernels {

template <class Rule>
struct OptimizerArgs;

/// The step of each optimizer.
template <class Rule>
struct OptimizerKernel {
  Kernel<OptimizerArgs<Rule>> step;
};
template <class... Rules>
struct OptimizerKernels : OptimizerKernel<Rules>... {
  template <class Rule>
  Kernel<OptimizerArgs<Rule>> of() const {
    return static_cast<const OptimizerKernel<Rule>&>(*this).step;
  }
};
using AllOptimizerKernels =
    OptimizerKernels<struct SgdRule, struct AdamRule, struct LionRule, struct LambRule,
                     struct RMSpropRule, struct AdagradRule, struct AdadeltaRule, struct AdamaxRule,
                     struct NAdamRule, struct RAdamRule, struct MuonRule, struct AdafactorRule,
                     struct AverageRule>;

/// A kernel takes every dtype that its op takes. Initialise a table with braces: members without an
/// initialiser are null.
struct Backend {
  Kernel<FillArgs> fill;
  Kernel<RandomArgs> random;
  Kernel<RandintArgs> randint;
  Kernel<RandpermArgs> randperm;
  Kernel<MultinomialArgs> multinomial;
  Kernel<UnaryArgs> copy;

  ElementwiseKernels elementwise;
  Kernel<WhereArgs> where;
  Kernel<DropoutArgs> dropout;

  Kernel<ReduceArgs> sum;
  Kernel<VarArgs> var;
  Kernel<VarBackwardArgs> var_backward;
  Kernel<ExtremumArgs> max, min;
  Kernel<ExtremumBackwardArgs> extremum_backward;
  Kernel<FoldArgs> prod, cofactor, amax, amin, logsumexp, vector_norm;
  Kernel<FoldBackwardArgs> prod_backward, logsumexp_backward, vector_norm_backward;
  Kernel<CombinationArgs> addcmul, addcdiv, addcdiv_by_divisor, lerp, times_difference, determinant,
      sum_of_products, distance_of_product, over_distance, offset_difference;
  Kernel<DistanceArgs> distance;
  Kernel<DistanceBackwardArgs> distance_backward;
  Kernel<MatmulArgs> matmul;
  Kernel<Conv2dArgs> conv2d;
  Kernel<Conv2dBackwardInputArgs> conv2d_backward_input;
  Kernel<Conv2dBackwardWeightArgs> conv2d_backward_weight;
  Kernel<UnfoldArgs> unfold_patches, fold_patches;
  Kernel<MaxPool2dArgs> max_pool2d;
  Kernel<MaxPool2dBackwardArgs> max_pool2d_backward;
  Kernel<AvgPool2dArgs> avg_pool2d;
  Kernel<AvgPool2dBackwardArgs> avg_pool2d_backward;
  Kernel<ResampleArgs> resample;
  Kernel<GridSampleArgs> grid_sample;
  Kernel<GridSampleBackwardArgs> grid_sample_backward;
  Kernel<NormArgs> norm;
  Kernel<NormBackwardArgs> norm_backward;
  Kernel<BatchNormArgs> batch_norm;
  Kernel<BatchNormBackwardArgs> batch_norm_backward;
  Kernel<SoftmaxArgs> softmax, log_softmax;
  Kernel<SoftmaxBackwardArgs> softmax_backward, log_softmax_backward;
  Kernel<CrossEntropyArgs> cross_entropy;
  Kernel<CrossEntropyBackwardArgs> cross_entropy_backward;
  Kernel<CtcLossArgs> ctc_loss;
  Kernel<CtcLossBackwardArgs> ctc_loss_backward;
  Kernel<MultilabelMarginArgs> multilabel_margin;
  Kernel<MultilabelMarginBackwardArgs> multilabel_margin_backward;
  Kernel<SortArgs> sort;
  Kernel<SelectArgs> select;
  Kernel<PutArgs> put;
  Kernel<RunsArgs> begin_runs;
  Kernel<SearchArgs> search;
  Kernel<CountArgs> count_in_bins;
  Kernel<ScanArgs> cumsum, cumprod, logcumsumexp;
  Kernel<ExtremumScanArgs> cummax, cummin;
  Kernel<ScanBackwardArgs> cumprod_backward, logcumsumexp_backward, extremum_scan_backward;
  Kernel<RemapArgs> remap;
  Kernel<RemapBackwardArgs> remap_backward;
  Kernel<TriangleArgs> triangle;
  Kernel<GatherArgs> gather;
  Kernel<ScatterArgs> scatter;
  Kernel<LinearIndexArgs> linear_index;
  Kernel<MaskRanksArgs> mask_ranks;
  Kernel<MaskPlacesArgs> mask_places;
  Kernel<MaskedSelectArgs> masked_select;
  Kernel<MaskedScatterArgs> masked_scatter;
  Kernel<RecurrentArgs> recurrent;
  Kernel<RecurrentBackwardArgs> recurrent_backward;

  Kernel<UnscaleArgs> unscale;
  Kernel<UpdateScaleArgs> update_scale;
  Kernel<GradNormArgs> grad_norm;
  Kernel<ClipArgs> clip;
  Kernel<RecordLossArgs> record_loss;
  Kernel<HistogramArgs> exponent_histogram;
  Kernel<HashArgs> hash;
  AllOptimizerKernels optimizers;

  /// Enqueues *to = value.
  void (*store_rng_state)(Device device, RngState* to, RngState value);
  /// Releases what the kernels' libraries hold of a device: handles, workspaces and plans. Waits
  /// for the device.
  void (*release)(int device) noexcept;
};

/// Returns the backend of a device type; null for the host, and if the program has no such backend.
const Backend* backend(DeviceType type);

/// Registers a backend. Idempotent: the first registration stays.
void register_backend(DeviceType type, const Backend* backend);

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/backend.ipp"
#endif
