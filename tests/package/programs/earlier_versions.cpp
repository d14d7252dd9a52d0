// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The public names of versions 0.1 and 0.2, each after the header that has to reach it, and calls. A
// program of these versions compiles until 1.0: what is here may be deprecated, but it stays. When a
// version is published, its new names are added. One part left: LossScaleTimeline, which drew pictures.
#include <amp/amp.hpp>
#include <array>
#include <cstdio>
#include <tuple>
#include <utility>

namespace names_of_amp {

using amp::Activation, amp::Adam, amp::AdamOptions, amp::AdamW, amp::AgreeCallback,
    amp::AutocastCacheStats, amp::AutocastCallable, amp::AutocastGuard, amp::AutocastOptions,
    amp::AutocastState, amp::BinaryCrossEntropyOptions, amp::BlobDeleter, amp::CastKind,
    amp::Conv2dOptions, amp::CpuCapabilities, amp::CrossEntropyOptions, amp::CustomFunctionOptions,
    amp::CustomOp, amp::DType, amp::Device, amp::DeviceType, amp::Error, amp::ForeignLoss,
    amp::ForeignOptimizer, amp::GeluForm, amp::GradScale, amp::GradScaler, amp::GradScalerCounters,
    amp::GradScalerOptions, amp::GradScalerState, amp::GradientLedger, amp::GradientStatistics,
    amp::GradientSummary, amp::HasGradients, amp::HasShards, amp::HookHandle, amp::LAMB,
    amp::LAMBOptions, amp::LedgerEntry, amp::LedgerPass, amp::Lion, amp::LionOptions,
    amp::LossAdapter, amp::MathPrecision, amp::MathPrecisionGuard, amp::MemoryStats,
    amp::NamedTensors, amp::NllLossOptions, amp::NoGradGuard, amp::NonFinite, amp::Number,
    amp::OpPolicies, amp::OpPolicy, amp::OptLevel, amp::Optimizer, amp::OptimizerAdapter,
    amp::OptimizerLike, amp::OverflowPolicy, amp::ParamGroup, amp::ParameterView,
    amp::PlainOptimizer, amp::PolicyRule, amp::Precision, amp::PrecisionOptions, amp::Reduction,
    amp::RngState, amp::RuleOptimizer, amp::SGD, amp::SGDOptions, amp::ScaleAwareOptimizer,
    amp::ScalePolicy, amp::Schedule, amp::Shape, amp::Size2d, amp::SkipCallback, amp::SmallFloat,
    amp::StatisticsResult, amp::StepResult, amp::StreamGuard, amp::Strides, amp::Tensor,
    amp::TensorOptions, amp::TensorView, amp::WarningHandler, amp::WeightStorage, amp::abs,
    amp::add, amp::arange, amp::argmax, amp::autocast, amp::autocast_cache_stats,
    amp::autocast_call, amp::autocast_dtype, amp::autocast_state, amp::avg_pool2d, amp::batch_norm,
    amp::bfloat16, amp::binary_cross_entropy_with_logits, amp::bmm, amp::cat, amp::ceil,
    amp::checkpoint, amp::clear_autocast_cache, amp::clip_grad_norm_, amp::conv2d, amp::convert,
    amp::copysign, amp::cos, amp::cosine_schedule, amp::cpu_capabilities, amp::cross_entropy,
    amp::custom_function, amp::div, amp::dropout, amp::dtype_of, amp::embedding, amp::empty,
    amp::empty_like, amp::enable_cuda, amp::eq, amp::exp, amp::fabs, amp::feed_forward,
    amp::float8_e4m3fn, amp::float8_e5m2, amp::floor, amp::fma, amp::fmax, amp::fmin,
    amp::from_blob, amp::full, amp::ge, amp::gelu, amp::get_rng_state, amp::grad_norm,
    amp::group_norm, amp::gt, amp::half, amp::index_select, amp::initialize,
    amp::is_autocast_enabled, amp::is_available, amp::is_finite, amp::is_floating_point,
    amp::is_grad_enabled, amp::is_low_precision, amp::is_nan, amp::isfinite, amp::isinf, amp::isnan,
    amp::isnormal, amp::layer_norm, amp::le, amp::linear, amp::log, amp::log1p, amp::log_softmax,
    amp::lt, amp::manual_seed, amp::math_precision, amp::matmul, amp::max, amp::max_pool2d,
    amp::mean, amp::memory_stats, amp::min, amp::mse_loss, amp::mul, amp::ne, amp::neg,
    amp::nll_loss, amp::num_threads, amp::one_cycle_schedule, amp::ones, amp::op_policy,
    amp::parallel_for, amp::parallel_ranges, amp::parse, amp::parse_grad_scaler_state, amp::pow,
    amp::promote_types, amp::rand, amp::randn, amp::register_op, amp::relu, amp::replay,
    amp::reset_peak_memory, amp::rms_norm, amp::round, amp::rsqrt, amp::saturate_cast,
    amp::saturate_stochastic_cast, amp::scaled_dot_product_attention, amp::set_rng_state,
    amp::set_warning_handler, amp::sigmoid, amp::signbit, amp::silu, amp::sin, amp::small_float,
    amp::softmax, amp::sqrt, amp::stack, amp::step_schedule, amp::stochastic_cast, amp::sub,
    amp::sum, amp::tanh, amp::tensor, amp::to_string, amp::trunc, amp::var, amp::warmup_schedule,
    amp::warn_of_skips, amp::where, amp::zeros, amp::zeros_like, amp::kBFloat16, amp::kBool,
    amp::kFloat16, amp::kFloat32, amp::kFloat64, amp::kFloat8E4M3, amp::kFloat8E5M2, amp::kInt32,
    amp::kInt64, amp::kUInt8, amp::kCPU, amp::kCUDA;

namespace nn {
using amp::nn::AvgPool2d, amp::nn::BatchNorm2d, amp::nn::BatchNorm2dOptions, amp::nn::Conv2d,
    amp::nn::Conv2dLayerOptions, amp::nn::Dropout, amp::nn::Embedding, amp::nn::Flatten,
    amp::nn::GELU, amp::nn::GroupNorm, amp::nn::Layer, amp::nn::LayerNorm, amp::nn::Linear,
    amp::nn::LinearOptions, amp::nn::MaxPool2d, amp::nn::Module, amp::nn::NormOptions,
    amp::nn::PoolOptions, amp::nn::RMSNorm, amp::nn::RMSNormOptions, amp::nn::ReLU,
    amp::nn::Sequential, amp::nn::SiLU, amp::nn::to_string;
}

namespace nn::init {
using amp::nn::init::fan_in_uniform, amp::nn::init::uniform;
}

struct ActivationNames {
  using amp::Activation::kGelu, amp::Activation::kRelu;
};
struct AdamOptionsNames : amp::AdamOptions {
  using AdamOptions::beta1, AdamOptions::beta2, AdamOptions::eps, AdamOptions::lr,
      AdamOptions::moments, AdamOptions::schedule, AdamOptions::seed, AdamOptions::storage,
      AdamOptions::weight_decay, AdamOptions::zero_grad;
};
struct AutocastCacheStatsNames : amp::AutocastCacheStats {
  using AutocastCacheStats::bytes, AutocastCacheStats::entries, AutocastCacheStats::hits,
      AutocastCacheStats::refreshes;
};
struct AutocastOptionsNames : amp::AutocastOptions {
  using AutocastOptions::cache_enabled, AutocastOptions::dtype, AutocastOptions::enabled,
      AutocastOptions::only_low_precision, AutocastOptions::policies;
};
struct AutocastStateNames : amp::AutocastState {
  using AutocastState::cache_enabled, AutocastState::dtype, AutocastState::is_enabled;
};
struct BinaryCrossEntropyOptionsNames : amp::BinaryCrossEntropyOptions {
  using BinaryCrossEntropyOptions::pos_weight, BinaryCrossEntropyOptions::reduction,
      BinaryCrossEntropyOptions::weight;
};
struct CastKindNames {
  using amp::CastKind::kConverted, amp::CastKind::kCopyRefreshed, amp::CastKind::kCopyReused;
};
struct Conv2dOptionsNames : amp::Conv2dOptions {
  using Conv2dOptions::dilation, Conv2dOptions::groups, Conv2dOptions::padding, Conv2dOptions::relu,
      Conv2dOptions::stride;
};
struct CpuCapabilitiesNames : amp::CpuCapabilities {
  using CpuCapabilities::bfloat16, CpuCapabilities::float16, CpuCapabilities::instructions,
      CpuCapabilities::library;
};
struct CrossEntropyOptionsNames : amp::CrossEntropyOptions {
  using CrossEntropyOptions::ignore_index, CrossEntropyOptions::label_smoothing,
      CrossEntropyOptions::reduction, CrossEntropyOptions::weight;
};
struct CustomFunctionOptionsNames : amp::CustomFunctionOptions {
  using CustomFunctionOptions::cast_inputs;
};
struct DTypeNames {
  using amp::DType::kBFloat16, amp::DType::kBool, amp::DType::kFloat16, amp::DType::kFloat32,
      amp::DType::kFloat64, amp::DType::kFloat8E4M3, amp::DType::kFloat8E5M2, amp::DType::kInt32,
      amp::DType::kInt64, amp::DType::kUInt8;
};
struct DeviceNames : amp::Device {
  using Device::index, Device::type;
};
struct DeviceTypeNames {
  using amp::DeviceType::kCPU, amp::DeviceType::kCUDA;
};
struct GeluFormNames {
  using amp::GeluForm::kErf, amp::GeluForm::kTanh;
};
struct GradScaleNames : amp::GradScale {
  using GradScale::clip, GradScale::factor, GradScale::found_inf, GradScale::inverse,
      GradScale::inverse_low_precision, GradScale::skips;
};
struct GradScalerNames : amp::GradScaler {
  using GradScaler::counters, GradScaler::found_inf_data, GradScaler::get_backoff_factor,
      GradScaler::get_growth_factor, GradScaler::get_growth_interval, GradScaler::get_scale,
      GradScaler::inverse_scale_data, GradScaler::is_enabled, GradScaler::keeps_ledgers,
      GradScaler::ledger, GradScaler::ledgers, GradScaler::load_state_dict, GradScaler::scale,
      GradScaler::scale_data, GradScaler::set_backoff_factor, GradScaler::set_growth_factor,
      GradScaler::set_growth_interval, GradScaler::skip_step, GradScaler::state_dict,
      GradScaler::statistics, GradScaler::step, GradScaler::unscale_and_clip, GradScaler::update;
};
struct GradScalerCountersNames : amp::GradScalerCounters {
  using GradScalerCounters::applied, GradScalerCounters::consecutive_skips,
      GradScalerCounters::sanitized, GradScalerCounters::skipped;
};
struct GradScalerOptionsNames : amp::GradScalerOptions {
  using GradScalerOptions::agree, GradScalerOptions::backoff_factor, GradScalerOptions::device,
      GradScalerOptions::enabled, GradScalerOptions::growth_factor,
      GradScalerOptions::growth_interval, GradScalerOptions::hysteresis,
      GradScalerOptions::init_scale, GradScalerOptions::ledger, GradScalerOptions::max_scale,
      GradScalerOptions::min_scale, GradScalerOptions::on_overflow, GradScalerOptions::on_skips,
      GradScalerOptions::overflow_share, GradScalerOptions::policy,
      GradScalerOptions::skips_in_a_row, GradScalerOptions::statistics;
};
struct GradScalerStateNames : amp::GradScalerState {
  using GradScalerState::applied, GradScalerState::backoff_factor,
      GradScalerState::bad_since_backoff, GradScalerState::consecutive_skips,
      GradScalerState::growth_factor, GradScalerState::growth_interval,
      GradScalerState::growth_tracker, GradScalerState::hysteresis,
      GradScalerState::hysteresis_left, GradScalerState::max_scale, GradScalerState::min_scale,
      GradScalerState::overflow_share, GradScalerState::policy, GradScalerState::scale,
      GradScalerState::skipped, GradScalerState::updates_since_change;
};
struct GradientLedgerNames : amp::GradientLedger {
  using GradientLedger::read;
};
struct GradientStatisticsNames : amp::GradientStatistics {
  using GradientStatistics::elements, GradientStatistics::flushed, GradientStatistics::found_inf,
      GradientStatistics::max_abs, GradientStatistics::norm, GradientStatistics::underflows,
      GradientStatistics::zeros;
};
struct GradientSummaryNames : amp::GradientSummary {
  using GradientSummary::elements, GradientSummary::first_bad, GradientSummary::infs,
      GradientSummary::is_bad, GradientSummary::lost, GradientSummary::max_abs,
      GradientSummary::nans, GradientSummary::norm, GradientSummary::underflows,
      GradientSummary::zeros;
};
struct HookHandleNames : amp::HookHandle {
  using HookHandle::remove;
};
struct LAMBOptionsNames : amp::LAMBOptions {
  using LAMBOptions::beta1, LAMBOptions::beta2, LAMBOptions::eps, LAMBOptions::lr,
      LAMBOptions::moments, LAMBOptions::schedule, LAMBOptions::seed, LAMBOptions::storage,
      LAMBOptions::weight_decay, LAMBOptions::zero_grad;
};
struct LedgerEntryNames : amp::LedgerEntry {
  using LedgerEntry::name;
};
struct LedgerPassNames : amp::LedgerPass {
  using LedgerPass::bad_gradients, LedgerPass::found_inf, LedgerPass::gradients, LedgerPass::loss,
      LedgerPass::loss_finite, LedgerPass::losses, LedgerPass::number, LedgerPass::sanitized,
      LedgerPass::scale, LedgerPass::scaled_loss_finite;
};
struct LionOptionsNames : amp::LionOptions {
  using LionOptions::beta1, LionOptions::beta2, LionOptions::lr, LionOptions::moments,
      LionOptions::schedule, LionOptions::seed, LionOptions::storage, LionOptions::weight_decay,
      LionOptions::zero_grad;
};
struct MathPrecisionNames : amp::MathPrecision {
  using MathPrecision::allow_reduced_precision_reduction, MathPrecision::allow_tf32;
};
struct MemoryStatsNames : amp::MemoryStats {
  using MemoryStats::allocations, MemoryStats::current_bytes, MemoryStats::peak_bytes;
};
struct NllLossOptionsNames : amp::NllLossOptions {
  using NllLossOptions::ignore_index, NllLossOptions::reduction, NllLossOptions::weight;
};
struct NonFiniteNames {
  using amp::NonFinite::kIeee, amp::NonFinite::kNanOnly;
};
struct OpPoliciesNames : amp::OpPolicies {
  using OpPolicies::kAllOps, OpPolicies::load, OpPolicies::parse, OpPolicies::set;
};
struct OpPolicyNames {
  using amp::OpPolicy::kFloat32, amp::OpPolicy::kFloat32Math, amp::OpPolicy::kLowPrecision,
      amp::OpPolicy::kPassthrough, amp::OpPolicy::kPromote;
};
struct OptLevelNames {
  using amp::OptLevel::kO0, amp::OptLevel::kO1, amp::OptLevel::kO2, amp::OptLevel::kO3;
};
struct OptimizerNames : amp::Optimizer {
  using Optimizer::applied_steps, Optimizer::check_trains, Optimizer::gradients,
      Optimizer::load_state_dict, Optimizer::master_weights, Optimizer::parameter_names,
      Optimizer::parameters, Optimizer::set_master_weights, Optimizer::state_dict, Optimizer::step,
      Optimizer::zero_grad;
};
struct OverflowPolicyNames {
  using amp::OverflowPolicy::kSanitize, amp::OverflowPolicy::kSkip;
};
struct ParameterViewNames : amp::ParameterView {
  using ParameterView::gradient, ParameterView::low_precision, ParameterView::weight;
};
struct PolicyRuleNames {
  using amp::PolicyRule::kList, amp::PolicyRule::kModule, amp::PolicyRule::kNoScope,
      amp::PolicyRule::kOnlyLowPrecision, amp::PolicyRule::kRegistered, amp::PolicyRule::kScope;
};
struct PrecisionNames : amp::Precision {
  using Precision::autocast, Precision::cast_model, Precision::device, Precision::dtype,
      Precision::forward, Precision::input, Precision::keep_norms_float32, Precision::level,
      Precision::scaler, Precision::storage;
};
struct PrecisionOptionsNames : amp::PrecisionOptions {
  using PrecisionOptions::autocast, PrecisionOptions::cast_model, PrecisionOptions::dtype,
      PrecisionOptions::keep_norms_float32, PrecisionOptions::loss_scale, PrecisionOptions::moments,
      PrecisionOptions::storage;
};
struct ReductionNames {
  using amp::Reduction::kMean, amp::Reduction::kNone, amp::Reduction::kSum;
};
struct RngStateNames : amp::RngState {
  using RngState::offset, RngState::seed;
};
struct SGDOptionsNames : amp::SGDOptions {
  using SGDOptions::lr, SGDOptions::moments, SGDOptions::momentum, SGDOptions::nesterov,
      SGDOptions::schedule, SGDOptions::seed, SGDOptions::storage, SGDOptions::weight_decay,
      SGDOptions::zero_grad;
};
struct ScheduleNames : amp::Schedule {
  using Schedule::after_warmup;
};
struct ShapeNames : amp::Shape {
  using Shape::numel;
};
struct Size2dNames : amp::Size2d {
  using Size2d::height, Size2d::width;
};
struct StatisticsResultNames : amp::StatisticsResult {
  using StatisticsResult::allocate, StatisticsResult::get, StatisticsResult::make_words;
};
struct StepResultNames : amp::StepResult {
  using StepResult::skipped, StepResult::skipped_data;
};
struct TensorNames : amp::Tensor {
  using Tensor::backward, Tensor::clone, Tensor::const_data, Tensor::contiguous, Tensor::copy_,
      Tensor::data, Tensor::defined, Tensor::detach, Tensor::device, Tensor::dim, Tensor::dtype,
      Tensor::expand, Tensor::fill_, Tensor::flatten, Tensor::grad, Tensor::is_contiguous,
      Tensor::is_leaf, Tensor::item, Tensor::narrow, Tensor::numel, Tensor::permute,
      Tensor::register_hook, Tensor::requires_grad, Tensor::requires_grad_, Tensor::reshape,
      Tensor::select, Tensor::set_grad, Tensor::shape, Tensor::size, Tensor::squeeze,
      Tensor::strides, Tensor::t, Tensor::to, Tensor::to_vector, Tensor::transpose, Tensor::unique,
      Tensor::unsqueeze, Tensor::view, Tensor::zero_;
};
struct TensorOptionsNames : amp::TensorOptions {
  using TensorOptions::device, TensorOptions::dtype, TensorOptions::requires_grad;
};
struct TensorViewNames : amp::TensorView {
  using TensorView::data, TensorView::device, TensorView::dtype, TensorView::name,
      TensorView::numel;
};
struct WeightStorageNames {
  using amp::WeightStorage::kKahan, amp::WeightStorage::kMaster, amp::WeightStorage::kParameter,
      amp::WeightStorage::kRemainder, amp::WeightStorage::kStochastic;
};
struct BatchNorm2dNames : amp::nn::BatchNorm2d {
  using BatchNorm2d::bias, BatchNorm2d::forward, BatchNorm2d::num_batches_tracked,
      BatchNorm2d::running_mean, BatchNorm2d::running_var, BatchNorm2d::weight;
};
struct BatchNorm2dOptionsNames : amp::nn::BatchNorm2dOptions {
  using amp::nn::BatchNorm2dOptions::affine, amp::nn::BatchNorm2dOptions::eps,
      amp::nn::BatchNorm2dOptions::momentum, amp::nn::BatchNorm2dOptions::track_running_stats;
};
struct Conv2dNames : amp::nn::Conv2d {
  using Conv2d::bias, Conv2d::forward, Conv2d::weight;
};
struct Conv2dLayerOptionsNames : amp::nn::Conv2dLayerOptions {
  using amp::nn::Conv2dLayerOptions::bias, amp::nn::Conv2dLayerOptions::dilation,
      amp::nn::Conv2dLayerOptions::groups, amp::nn::Conv2dLayerOptions::padding,
      amp::nn::Conv2dLayerOptions::relu, amp::nn::Conv2dLayerOptions::stride;
};
struct EmbeddingNames : amp::nn::Embedding {
  using Embedding::forward, Embedding::weight;
};
struct GroupNormNames : amp::nn::GroupNorm {
  using GroupNorm::bias, GroupNorm::forward, GroupNorm::weight;
};
struct LayerNormNames : amp::nn::LayerNorm {
  using LayerNorm::bias, LayerNorm::forward, LayerNorm::weight;
};
struct LinearNames : amp::nn::Linear {
  using Linear::bias, Linear::forward, Linear::weight;
};
struct LinearOptionsNames : amp::nn::LinearOptions {
  using LinearOptions::bias;
};
struct ModuleNames : amp::nn::Module {
  using Module::BackwardHook, Module::ForwardHook, Module::buffers, Module::check_policies,
      Module::check_registered, Module::defined, Module::eval, Module::is_training,
      Module::load_state_dict, Module::named_buffers, Module::named_modules,
      Module::named_parameters, Module::parameters, Module::register_backward_hook,
      Module::register_buffer, Module::register_forward_hook, Module::register_module,
      Module::register_parameter, Module::replace_module, Module::replace_parameter,
      Module::state_dict, Module::to, Module::to_mixed, Module::train, Module::zero_grad;
};
struct NormOptionsNames : amp::nn::NormOptions {
  using NormOptions::affine, NormOptions::eps;
};
struct PoolOptionsNames : amp::nn::PoolOptions {
  using PoolOptions::padding, PoolOptions::stride;
};
struct RMSNormNames : amp::nn::RMSNorm {
  using RMSNorm::forward, RMSNorm::weight;
};
struct RMSNormOptionsNames : amp::nn::RMSNormOptions {
  using RMSNormOptions::affine, RMSNormOptions::eps;
};
struct SequentialNames : amp::nn::Sequential {
  using Sequential::forward, Sequential::push_back, Sequential::replace_module;
};
}  // namespace names_of_amp

#include <amp/scaler/train_step.hpp>  // up to 0.2: amp/amp.hpp

namespace names_of_train_step {

using amp::OnSkip, amp::TrainStep, amp::TrainStepOptions, amp::TrainStepResult,
    amp::TrainableOptimizer;

struct OnSkipNames {
  using amp::OnSkip::kFloat32, amp::OnSkip::kRerun, amp::OnSkip::kSkip, amp::OnSkip::kStop;
};
struct TrainStepNames : amp::TrainStep {
  using TrainStep::float32_steps_left;
};
struct TrainStepOptionsNames : amp::TrainStepOptions {
  using TrainStepOptions::autocast, TrainStepOptions::device, TrainStepOptions::float32_steps,
      TrainStepOptions::max_norm, TrainStepOptions::max_reruns, TrainStepOptions::on_skip,
      TrainStepOptions::report;
};
struct TrainStepResultNames : amp::TrainStepResult {
  using TrainStepResult::float32, TrainStepResult::loss, TrainStepResult::norm,
      TrainStepResult::reruns, TrainStepResult::skipped, TrainStepResult::step;
};

}  // namespace names_of_train_step

#include <amp/diagnostics.hpp>

namespace names_of_diagnostics {

using amp::AnomalyGuard, amp::AnomalyOptions, amp::Diagnosis, amp::DiagnosisKind,
    amp::ExponentHistogram, amp::GradientHistogram, amp::GradientHistogramGuard,
    amp::GradientHistogramOptions, amp::GradientReport, amp::LossScaleTimeline,
    amp::PrecisionReport, amp::PrecisionReportOptions, amp::ReportKind, amp::ScaleRecommendation,
    amp::ShadowEntry, amp::ShadowReport, amp::TensorReport, amp::Trace, amp::TraceEntry,
    amp::TraceGuard, amp::TraceOptions, amp::TracePhase, amp::TracedCast, amp::TracedTensor,
    amp::diagnose, amp::exponent_histogram, amp::gradient_histogram, amp::precision_report,
    amp::shadow_run;

struct AnomalyOptionsNames : amp::AnomalyOptions {
  using AnomalyOptions::backward;
};
struct DiagnosisNames : amp::Diagnosis {
  using Diagnosis::bad_gradients, Diagnosis::element, Diagnosis::elements, Diagnosis::gradient,
      Diagnosis::gradients, Diagnosis::infs, Diagnosis::kind, Diagnosis::last_parameter,
      Diagnosis::loss, Diagnosis::losses, Diagnosis::nans, Diagnosis::optimizer,
      Diagnosis::parameter, Diagnosis::pass, Diagnosis::passes, Diagnosis::passes_ago,
      Diagnosis::scale, Diagnosis::skips_in_a_row, Diagnosis::weight, Diagnosis::weight_element,
      Diagnosis::weight_is_nan;
};
struct DiagnosisKindNames {
  using amp::DiagnosisKind::kBackward, amp::DiagnosisKind::kInfinities, amp::DiagnosisKind::kLoss,
      amp::DiagnosisKind::kNoSkip, amp::DiagnosisKind::kNorm, amp::DiagnosisKind::kScaledLoss,
      amp::DiagnosisKind::kWeight;
};
struct ExponentHistogramNames : amp::ExponentHistogram {
  using ExponentHistogram::count, ExponentHistogram::counts, ExponentHistogram::flushed_share,
      ExponentHistogram::infs, ExponentHistogram::kBins, ExponentHistogram::kMaxExponent,
      ExponentHistogram::kMinExponent, ExponentHistogram::max_exponent,
      ExponentHistogram::min_exponent, ExponentHistogram::nans, ExponentHistogram::nonzero,
      ExponentHistogram::overflow_share, ExponentHistogram::recommended_scale,
      ExponentHistogram::share_below, ExponentHistogram::shifted,
      ExponentHistogram::subnormal_share, ExponentHistogram::total, ExponentHistogram::zeros;
};
struct GradientHistogramNames : amp::GradientHistogram {
  using GradientHistogram::Entry, GradientHistogram::add, GradientHistogram::all,
      GradientHistogram::by_name, GradientHistogram::recommended_scale, GradientHistogram::scale,
      GradientHistogram::set_scale, GradientHistogram::to_string, GradientHistogram::to_svg;
};
struct GradientHistogramOptionsNames : amp::GradientHistogramOptions {
  using GradientHistogramOptions::only;
};
struct GradientReportNames : amp::GradientReport {
  using GradientReport::bytes, GradientReport::dtype, GradientReport::elements,
      GradientReport::infs, GradientReport::max_abs, GradientReport::nans, GradientReport::norm,
      GradientReport::underflows, GradientReport::zeros;
};
struct PrecisionReportNames : amp::PrecisionReport {
  using PrecisionReport::bytes, PrecisionReport::loss_scale, PrecisionReport::tensors,
      PrecisionReport::to_json, PrecisionReport::to_string, PrecisionReport::weight_copy_bytes;
};
struct PrecisionReportOptionsNames : amp::PrecisionReportOptions {
  using PrecisionReportOptions::loss_scale, PrecisionReportOptions::optimizer;
};
struct ReportKindNames {
  using amp::ReportKind::kBuffer, amp::ReportKind::kMaster, amp::ReportKind::kOptimizerState,
      amp::ReportKind::kParameter;
};
struct ScaleRecommendationNames : amp::ScaleRecommendation {
  using ScaleRecommendation::flushed_share, ScaleRecommendation::overflow_share,
      ScaleRecommendation::reason, ScaleRecommendation::scale, ScaleRecommendation::subnormal_share;
};
struct ShadowEntryNames : amp::ShadowEntry {
  using ShadowEntry::backward, ShadowEntry::dtype, ShadowEntry::finite, ShadowEntry::max_error,
      ShadowEntry::module, ShadowEntry::name, ShadowEntry::reference_dtype,
      ShadowEntry::reference_finite, ShadowEntry::relative_error, ShadowEntry::worst;
};
struct ShadowReportNames : amp::ShadowReport {
  using ShadowReport::entries, ShadowReport::first_divergence, ShadowReport::to_string,
      ShadowReport::unmatched;
};
struct TensorReportNames : amp::TensorReport {
  using TensorReport::bytes, TensorReport::dtype, TensorReport::gradient, TensorReport::kind,
      TensorReport::module, TensorReport::name, TensorReport::requires_grad, TensorReport::shape;
};
struct TraceNames : amp::Trace {
  using Trace::clear, Trace::difference, Trace::entries, Trace::to_chrome_trace, Trace::to_json,
      Trace::to_string;
};
struct TraceEntryNames : amp::TraceEntry {
  using TraceEntry::bytes, TraceEntry::casts, TraceEntry::compute, TraceEntry::depth,
      TraceEntry::failed, TraceEntry::ineligible, TraceEntry::inputs, TraceEntry::module,
      TraceEntry::name, TraceEntry::off_multiples, TraceEntry::output, TraceEntry::phase,
      TraceEntry::policy, TraceEntry::recomputed, TraceEntry::rule, TraceEntry::seconds,
      TraceEntry::start;
};
struct TraceOptionsNames : amp::TraceOptions {
  using TraceOptions::synchronise;
};
struct TracePhaseNames {
  using amp::TracePhase::kBackward, amp::TracePhase::kForward, amp::TracePhase::kModule;
};
struct TracedCastNames : amp::TracedCast {
  using TracedCast::bytes, TracedCast::from, TracedCast::kind, TracedCast::to;
};
struct TracedTensorNames : amp::TracedTensor {
  using TracedTensor::dtype, TracedTensor::shape;
};
}  // namespace names_of_diagnostics

#include <amp/distributed.hpp>

namespace names_of_distributed {

using amp::Collective, amp::CommunicationError, amp::Communicator, amp::DataParallel,
    amp::DataParallelOptions, amp::DataParallelStatistics, amp::LaunchInfo, amp::NoSyncGuard,
    amp::ReduceOp, amp::ShardedOptimizer, amp::ThreadGroup, amp::ThreadGroupOptions, amp::agreement,
    amp::launch_info;

struct CollectiveNames : amp::Collective {
  using Collective::Work, Collective::is_finished, Collective::wait;
};
struct CommunicatorNames : amp::Communicator {
  using Communicator::all_gather, Communicator::all_reduce, Communicator::barrier,
      Communicator::broadcast, Communicator::rank, Communicator::reduce_scatter, Communicator::size;
};
struct DataParallelNames : amp::DataParallel {
  using DataParallel::communicator, DataParallel::statistics;
};
struct DataParallelOptionsNames : amp::DataParallelOptions {
  using DataParallelOptions::broadcast_buffers, DataParallelOptions::bucket_bytes,
      DataParallelOptions::check_every, DataParallelOptions::find_unused,
      DataParallelOptions::first_bucket_bytes, DataParallelOptions::wire;
};
struct DataParallelStatisticsNames : amp::DataParallelStatistics {
  using DataParallelStatistics::buckets, DataParallelStatistics::buckets_early,
      DataParallelStatistics::bytes, DataParallelStatistics::bytes_early,
      DataParallelStatistics::passes;
};
struct LaunchInfoNames : amp::LaunchInfo {
  using LaunchInfo::local_rank, LaunchInfo::processes;
};
struct ReduceOpNames {
  using amp::ReduceOp::kAny, amp::ReduceOp::kSum;
};
struct ThreadGroupNames : amp::ThreadGroup {
  using ThreadGroup::communicator, ThreadGroup::run, ThreadGroup::size;
};
struct ThreadGroupOptionsNames : amp::ThreadGroupOptions {
  using ThreadGroupOptions::timeout;
};
}  // namespace names_of_distributed

#include <amp/dlpack.hpp>

namespace names_of_dlpack {

using amp::FromDLPackOptions, amp::ToDLPackOptions, amp::from_dlpack, amp::to_dlpack;

struct FromDLPackOptionsNames : amp::FromDLPackOptions {
  using FromDLPackOptions::allow_read_only, FromDLPackOptions::stream;
};
struct ToDLPackOptionsNames : amp::ToDLPackOptions {
  using ToDLPackOptions::read_only, ToDLPackOptions::stream;
};
}  // namespace names_of_dlpack

#include <amp/safetensors.hpp>

namespace names_of_safetensors {

using amp::Checkpoint, amp::FilePath, amp::SafeTensors, amp::SafeTensorsOptions,
    amp::load_safetensors, amp::save_safetensors;

struct CheckpointNames : amp::Checkpoint {
  using Checkpoint::add, Checkpoint::add_random_stream, Checkpoint::load, Checkpoint::save;
};
struct SafeTensorsNames : amp::SafeTensors {
  using SafeTensors::at, SafeTensors::metadata, SafeTensors::tensors, SafeTensors::unsupported;
};
struct SafeTensorsOptionsNames : amp::SafeTensorsOptions {
  using SafeTensorsOptions::memory_map;
};
}  // namespace names_of_safetensors

#include <amp/views.hpp>

namespace names_of_views {

using amp::EigenLike, amp::MdspanLike, amp::from_eigen, amp::from_mdspan, amp::to_mdspan;

}

// Calls as the examples of version 0.1 write them.
namespace calls {

struct Network : amp::nn::Module {
  amp::nn::Linear first{register_module("first", amp::nn::Linear(2, 128))};
  amp::nn::Sequential rest{register_module(
      "rest",
      amp::nn::Sequential{amp::nn::LayerNorm({128}), amp::nn::ReLU(), amp::nn::Linear(128, 3)})};
  amp::Tensor forward(const amp::Tensor& x) const { return rest(amp::gelu(first(x))); }
};

amp::Tensor log_sum_exp(const amp::Tensor& input) {
  return amp::autocast_call(
      "log_sum_exp",
      [](const amp::Tensor& differentiable) {
        return amp::custom_function(
            [](const amp::Tensor& x) {
              const amp::Tensor highest = std::get<0>(amp::max(x, -1, true));
              const amp::Tensor sums = amp::sum(amp::exp(x - highest), -1, true);
              return std::pair{(amp::log(sums) + highest).squeeze(-1),
                               [x](const amp::Tensor& grad) {
                                 return std::array{grad.unsqueeze(-1) * amp::softmax(x, -1)};
                               }};
            },
            differentiable);
      },
      input);
}

void train(const amp::Tensor& points, const amp::Tensor& classes) {
  amp::register_op("log_sum_exp", amp::OpPolicy::kFloat32);
  amp::manual_seed(1);
  const Network net;
  amp::Adam adam(net.named_parameters(), {.lr = 1e-2});
  amp::SGD sgd{net.parameters(), {.lr = 0.05, .momentum = 0.9}};
  amp::GradScaler scaler({.init_scale = 1024, .growth_interval = 100});
  amp::Tensor loss, other;
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    loss = amp::cross_entropy(net.forward(points.narrow(0, 0, 50)), classes);
    other = amp::mean(log_sum_exp(amp::pow(net.forward(points), 2))) * 0.5;
  }
  for (const amp::Tensor& scaled : scaler.scale({loss, other})) scaled.backward();
  scaler.unscale_(sgd);
  amp::clip_grad_norm_(net.parameters(), 1.0);
  const amp::Tensor norm = scaler.unscale_and_clip(adam, 1.0);
  const amp::StepResult of_sgd = scaler.step(sgd), of_adam = scaler.step(adam);
  scaler.update();
  if (of_sgd.skipped() || scaler.counters().skipped > 0) std::printf("%g\n", norm.item<double>());
  for (const amp::Tensor& parameter : net.parameters()) parameter.set_grad(amp::Tensor());
  adam.zero_grad();
  net.load_state_dict(net.state_dict());
  adam.load_state_dict(adam.state_dict());
  scaler.load_state_dict(scaler.state_dict());
  const amp::NoGradGuard no_grad;
  const amp::Tensor right = amp::eq(amp::argmax(net.forward(points), 1), classes).to(amp::kFloat32);
  std::printf("%g of %s, %g\n", amp::mean(right).item<double>(),
              amp::to_string(right.dtype()).c_str(), scaler.get_scale());
}

}  // namespace calls
