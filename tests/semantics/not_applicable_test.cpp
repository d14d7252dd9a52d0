// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// PyTorch's tests of mixed precision that have no test here, each with the reason. All others are
// test cases of this folder, by their names.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace not_applicable {
namespace {

constexpr std::string_view kCpuList =
    "tests PyTorch's separate list for the CPU; CUDA's holds on every device here";
constexpr std::string_view kNoSuchOp = "its op is none of amp's";
constexpr std::string_view kNoSuchFeature = "tests a feature that amp has not";
constexpr std::string_view kCompiler =
    "tests that a traced, scripted, compiled or transformed program computes what Python does";
constexpr std::string_view kPython =
    "tests Python's spelling: warnings, argument types, decorators";
constexpr std::string_view kNeedsGpu = "needs CUDA graphs or kernels, or several processes";

struct Listed {
  std::string_view name, file, reason;
};

constexpr Listed kListed[] = {
    {"test_jit_autocast_softmax_cpu", "test_jit_autocast.py", kCpuList},

    // RNN cells; binary_cross_entropy, which nothing bans where it is absent; norms of vectors.
    {"test_autocast_rnn", "test_autocast.py", kNoSuchOp},
    {"test_autocast_rnn", "test_cuda.py", kNoSuchOp},
    {"test_autocast_banned", "test_cuda.py", kNoSuchOp},
    {"test_autocast_operator_not_supported", "openreg, test_autocast.py", kNoSuchOp},
    {"test_autocast_linalg_fp16", "test_cuda.py", kNoSuchOp},
    {"test_vector_norm", "test_linalg.py", kNoSuchOp},
    {"test_transformerencoder_fastpath", "test_transformers.py", kNoSuchOp},
    {"test_multihead_self_attn_two_masks_fast_path", "test_multihead_attention.py", kNoSuchOp},
    {"test_multihead_self_attn_two_masks_fast_path_mock", "test_multihead_attention.py", kNoSuchOp},

    // Gradients of gradients; training for quantisation; backends that plug in at run time.
    {"test_grad_scaling_penalty", "test_torch.py", kNoSuchFeature},
    {"test_forward_backward_per_tensor_with_amp", "test_workflow_ops.py", kNoSuchFeature},
    {"test_external_module_register_with_renamed_backend", "test_utils.py", kNoSuchFeature},

    {"test_cpu_autocast_deprecated_warning", "test_autocast.py", kPython},
    {"test_non_string_device", "test_autocast.py", kPython},
    {"test_autocast_called_with_non_callable", "test_autocast.py", kPython},
    {"test_autocast_methods_fp16", "test_cuda.py", kPython},  // the operator @
    {"test_autocast_custom_deprecated_warning", "test_cuda.py", kPython},
    {"test_cuda_autocast_deprecated_warning", "test_cuda.py", kPython},
    {"test_grad_scaler_deprecated_warning", "test_torch.py", kPython},
    {"test_autocast_api", "test_jit_autocast.py", kPython},
    {"test_autocast_api_not_supported", "test_jit_autocast.py", kPython},
    {"test_cuda_amp_autocast", "test_ctx_manager.py", kPython},
    {"test_autocast_device", "test_ctx_manager.py", kPython},
    {"test_autocast_arguments_binding", "test_ctx_manager.py", kPython},

    {"test_graph_make_graphed_callables", "test_cuda.py", kNeedsGpu},
    {"test_graph_make_graphed_callables_parameterless_nograd_module", "test_cuda.py", kNeedsGpu},
    {"test_flash_autocast_fp32_float16", "test_transformers.py", kNeedsGpu},
    {"test_flash_autocast_fp32_bfloat16", "test_transformers.py", kNeedsGpu},
    {"test_checkpointing_non_reentrant_autocast_gpu", "test_autograd.py", kNeedsGpu},
    {"test_fsdp_ddp_parity_with_grad_scaler", "test_fsdp_sharded_grad_scaler.py", kNeedsGpu},
    {"test_sharded_grad_scaler_found_inf", "test_fsdp_sharded_grad_scaler.py", kNeedsGpu},
    {"test_mixed_precision_e2e_full_shard", "test_fsdp_mixed_precision.py", kNeedsGpu},

    {"test_autocast_cat_jit", "test_cuda.py", kCompiler},
    {"test_vmap_autocast_cpu", "test_vmap.py", kCompiler},
    {"test_vmap_autocast_cuda", "test_vmap.py", kCompiler},
    {"test_fake_crossref_backward_amp", "test_ops.py", kCompiler},
    {"test_fake_dispatch_keys", "test_fake_tensor.py", kCompiler},
    {"test_amp_cache", "test_proxy_tensor.py", kCompiler},
    {"test_nonidempotent_amp", "test_aotdispatch.py", kCompiler},
    {"TestPartitioning.test_autocast", "test_aotdispatch.py", kCompiler},
    {"test_runtime_autocast_state", "test_jit_autocast.py", kCompiler},
    {"test_runtime_autocast_state_expr", "test_jit_autocast.py", kCompiler},
    {"test_reused_autocast_expr", "test_jit_autocast.py", kCompiler},
    {"test_script_and_tracing", "test_jit_autocast.py", kCompiler},
    {"test_script_and_tracing_with_autocast", "test_jit_autocast.py", kCompiler},
    {"test_tracing_and_script", "test_jit_autocast.py", kCompiler},
    {"test_tracing_with_autocast_and_script", "test_jit_autocast.py", kCompiler},
    {"test_autocast_decorator", "test_jit_autocast.py", kCompiler},
    {"test_jit_call_method_under_autocast", "test_jit_autocast.py", kCompiler},
    {"test_jit_freeze_autocast_basic", "test_jit_autocast.py", kCompiler},
    {"test_jit_freeze_autocast_constants", "test_jit_autocast.py", kCompiler},
    {"test_ignore_amp", "test_jit_autocast.py", kCompiler},
    {"test_jit_generic_autocast", "test_jit_autocast.py", kCompiler},
    {"test_scripted_aliasing", "test_jit_autocast.py", kCompiler},
    {"test_generate_autocast_jit_trace_model", "test_jit_autocast.py", kCompiler},
    {"test_nchw_autocast_jit_trace_model", "test_jit_autocast.py", kCompiler},
    {"test_nhwc_autocast_jit_trace_model", "test_jit_autocast.py", kCompiler},
    {"test_cat_promote", "test_jit_autocast.py", kCompiler},
    {"test_autocast_cpu", "test_ctx_manager.py", kCompiler},
    {"test_is_autocast_cpu_enabled", "test_ctx_manager.py", kCompiler},
    {"test_autocast_decorator", "test_ctx_manager.py", kCompiler},
    {"test_graph_break_inlining_autocast", "test_ctx_manager.py", kCompiler},
    {"test_get_autocast_gpu_dtype", "test_functions.py", kCompiler},
    {"test_is_any_autocast_enabled", "test_functions.py", kCompiler},
    {"test_autocast_simple", "test/dynamo", kCompiler},
    {"test_norm_dtype", "test/dynamo", kCompiler},
    {"test_autocast_flash_attention", "test/dynamo", kCompiler},
    {"test_predispatch_autocast", "test/export", kCompiler},
    {"test_predispatch_autocast_and_set_grad", "test/export", kCompiler},
    {"test_export_with_autocast", "test/export", kCompiler},
    {"test_conv2d_autocast", "test/inductor", kCompiler},
    {"test_disabled_amp", "test/inductor", kCompiler},
    {"test_autocast_up", "test_jit_fuser_te.py", kCompiler},
    {"test_autocast_down", "test_jit_fuser_te.py", kCompiler},
};

std::string title(const Listed& listed) {
  return std::string(listed.name) + " (" + std::string(listed.file) + ")";
}

/// The sources of this folder, one behind the other.
std::string sources() {
  std::string all;
  const std::filesystem::path folder = std::filesystem::path(AMP_SOURCE_DIR) / "tests/semantics";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    all.append(std::istreambuf_iterator<char>(file), {});
  }
  return all;
}

}  // namespace

TEST_CASE("PyTorch's tests that do not apply: each is listed once, and is no test here") {
  const std::string all = sources();
  REQUIRE(all.find("\"test_autocast_torch_fp16 (test_cuda.py)") != all.npos);  // what a test is
  std::set<std::string> titles;
  for (const Listed& listed : kListed) {
    INFO(title(listed));
    CHECK(titles.insert(title(listed)).second);
    CHECK(all.find('"' + title(listed)) == all.npos);
    CHECK_FALSE(listed.reason.empty());
  }
}

}  // namespace not_applicable
