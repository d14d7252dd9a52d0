// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions through oneDNN: activations are channels-last, amp's threads share the images, and
// weights are packed once for all of them. Gradients of weights are summed in float32 over parts of
// the batch. The parts depend on sizes only and are added in order, so results do not depend on the
// number of threads. 16-bit formats that the processor cannot multiply directly are widened part by
// part.
#pragma once

#include "amp/kernels/onednn/call.hpp"

#if AMP_USE_ONEDNN

#include <algorithm>
#include <cstdint>
#include <optional>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/host/conv_by_matmul.hpp"
#include "amp/kernels/conv/host/onednn_convolution.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/elementwise/host/relu_mask.hpp"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels::host::onednn {

namespace detail {

/// Applies relu on the calling thread. oneDNN's own relu turns NaN into 0, which would hide an
/// overflow.
inline void relu_in_place(void* data, DType dtype, std::int64_t n) {
  if (dtype != kFloat32) {
    return relu_of_codes(static_cast<std::uint16_t*>(data), n,
                         dtype == kBFloat16 ? 0x7f80 : 0x7c00);
  }
  const Operand all = Operand::array(data, dtype, {n}, {1});
  host::unary<functions::Relu>({all, all});
}

/// Adds the bias to n numbers, which lie channels-last.
inline void add_to_channels(const float* bias, std::int64_t channels, float* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += channels)
    for (std::int64_t c = 0; c < channels; ++c) to[i + c] += bias[c];
}

/// Memory for n elements in the working dtype; none if the operand has that dtype itself.
class Part {
 public:
  Part(const Operand& operand, std::int64_t n, DType dtype)
      : operand_(operand), dtype_(dtype), buffer_(operand.dtype == dtype ? 0 : n) {}

  const void* read(std::int64_t offset, std::int64_t n) const {
    if (operand_.dtype == dtype_) return element(operand_, offset);
    return fetch(element(operand_, offset), operand_.dtype, n, buffer_.data());
  }
  void* to_write(std::int64_t offset) const {
    return operand_.dtype == dtype_ ? const_cast<void*>(element(operand_, offset)) : buffer_.data();
  }
  void written(std::int64_t offset, std::int64_t n) const {
    if (operand_.dtype == dtype_) return;
    store(buffer_.data(), const_cast<void*>(element(operand_, offset)), operand_.dtype, n);
  }

 private:
  const Operand& operand_;
  DType dtype_;
  HostBuffer<float> buffer_;
};

/// The images of a convolution in parts of at most two sizes.
struct Parts {
  std::int64_t count, images;

  Parts(const Convolution& c, std::int64_t most) : images(c.images) {
    constexpr std::int64_t kLeastWork = std::int64_t{1} << 20;
    const std::int64_t worth = c.images * c.work_per_image() / kLeastWork;
    count = (std::clamp)(worth, std::int64_t{1}, (std::min)(most, c.images));
    count = ceil_div(c.images, ceil_div(c.images, count));
  }
  std::int64_t begin(std::int64_t part) const { return part * images / count; }
  Convolution of(const Convolution& whole, std::int64_t part) const {
    Convolution c = whole;
    c.images = begin(part + 1) - begin(part);
    return c;
  }
};

inline constexpr std::int64_t kMostParts = 64;
/// Returns the number of parts: as many as 32 MiB of sums allow, up to 16.
inline std::int64_t most_weight_parts(const Convolution& c) {
  const std::int64_t affordable = (std::int64_t{1} << 25) / (4 * (c.weights() + c.filters) + 1);
  return (std::clamp)(affordable, std::int64_t{1}, std::int64_t{16});
}

/// Whether oneDNN supports the convolution and both of its gradients.
inline bool has_all_passes(const Convolution& c) {
  const Parts parts(c, kMostParts), sums(c, most_weight_parts(c));
  const auto has = [&](const Parts& cut, Pass pass) {
    return call_of(cut.of(c, 0), pass) && call_of(cut.of(c, cut.count - 1), pass);
  };
  return has(parts, Pass::kForward) && has(parts, Pass::kBackwardData) &&
         has(sums, Pass::kBackwardWeights);
}

/// Returns the problem in the dtype of the input if oneDNN supports all passes in that dtype
/// directly, else in float32.
inline Convolution convolution_of(const Operand& input, const Operand& weight,
                                  const Operand& output, const Window& window, std::int64_t groups,
                                  bool bias, bool is_transposed) {
  Convolution c{.dtype = input.dtype,
                .images = input.sizes[0],
                .channels = input.sizes[1],
                .height = input.sizes[2] / window.slices,
                .width = input.sizes[3],
                .filters = weight.sizes[0],
                .out_height = output.sizes[2] / window.out_slices,
                .out_width = output.sizes[3],
                .groups = groups,
                .window = window,
                .bias = bias,
                .is_transposed = is_transposed};
  if (c.dtype != kFloat32 && !(is_native(c.dtype) && has_all_passes(c))) c.dtype = kFloat32;
  return c;
}

/// Returns the weights in the order that a call expects.
inline PackedCopies::Copy pack_weights(const Convolution& c, Pass pass, const Call& call,
                                       const Operand& weight, const PackedAt& packed) {
  const MemoryDesc::Pointer order = call.expects(dnnl_query_weights_md);
  const auto pack = [&](std::byte* to) {
    const Part plain(weight, c.weights(), c.dtype);
    reorder_weights(c, pass, order, plain.read(0, c.weights()), to);
  };
  if (packed.copies == nullptr) return PackedCopies::make(bytes_of(order), pack);
  CallKey key = key_of(c, pass, true);
  key[0] += 16 * static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(weight.data));
  return packed.copies->get(packed.version, key, bytes_of(order), pack);
}

/// Calls body(part, convolution of the part, its call, weights) for all parts, on all threads.
template <class Body>
void for_each_part(const Convolution& whole, Pass pass, const Operand& weight,
                   const PackedAt& packed, const Body& body) {
  const Parts parts(whole, kMostParts);
  const Convolution first = parts.of(whole, 0);
  const Call& first_call = call_of(first, pass);
  const MemoryDesc::Pointer order = first_call.expects(dnnl_query_weights_md);
  const PackedCopies::Copy weights = pack_weights(first, pass, first_call, weight, packed);
  parallel_for(parts.count, [&](std::int64_t part) {
    const Convolution c = parts.of(whole, part);
    const Call& call = call_of(c, pass);
    AMP_CHECK(call, "oneDNN: a convolution that it had is missing");
    if (do_equal(call.expects(dnnl_query_weights_md), order)) {
      body(parts.begin(part), c, call, weights->data());
    } else {
      body(parts.begin(part), c, call, pack_weights(c, pass, call, weight, {})->data());
    }
  });
}

}  // namespace detail

/// Returns the convolution if oneDNN computes it and its gradients. Tiny problems and those that
/// exceed oneDNN's integers are excluded. So are wide ones: oneDNN generates code for each column
/// of the output.
inline std::optional<Convolution> taken(const Operand& input, const Operand& weight,
                                        const Operand& output, const Window& window,
                                        std::int64_t groups, bool bias,
                                        bool is_transposed = false) {
  constexpr std::int64_t kWidest = 4096, kMost = std::int64_t{1} << 31;
  constexpr std::int64_t kLeastWork = std::int64_t{1} << 14;
  const DType dtype = input.dtype;
  const bool has_dtype = dtype == kFloat32 || dtype == kBFloat16 || dtype == kFloat16;
  const auto is_countable = [&](const Operand& x) {
    return x.sizes[1] < kMost && x.sizes[2] < kMost && x.sizes[3] <= kWidest &&
           x.sizes[2] * x.sizes[3] < kMost && x.sizes[1] * x.sizes[2] * x.sizes[3] < kMost;
  };
  if (!has_dtype || output.numel() == 0 || weight.numel() == 0) return {};
  if (!is_countable(input) || !is_countable(output)) return {};
  const std::int64_t patch = weight.numel() / weight.sizes[0];
  if (output.numel() < ceil_div(kLeastWork, patch)) return {};
  const Convolution whole =
      detail::convolution_of(input, weight, output, window, groups, bias, is_transposed);
  return detail::has_all_passes(whole) ? std::optional(whole) : std::nullopt;
}

// These return false, with nothing written, if oneDNN does not compute the convolution, or can no
// longer be called.

inline bool conv2d(const Conv2dArgs& args) {
  const Session session;
  if (!session) return false;
  const std::optional<Convolution> whole =
      taken(args.input, args.weight, args.output, args.window, args.groups, args.bias.present);
  if (!whole) return false;
  const HostBuffer<float> bias(whole->bias ? whole->filters : 0);
  const float* const shift =
      whole->bias ? fetch(args.bias, 0, 1, whole->filters, bias.data()) : nullptr;
  detail::for_each_part(
      *whole, detail::Pass::kForward, args.weight, args.packed,
      [&](std::int64_t first, const Convolution& c, const Call& call, const void* weights) {
        const std::int64_t in = c.images * c.in_image(), out = c.images * c.out_image();
        const detail::Part input(args.input, in, c.dtype), output(args.output, out, c.dtype);
        const OnThisThread guard;
        const void* const x = input.read(first * c.in_image(), in);
        void* const y = output.to_write(first * c.out_image());
        call.run(Calls::of_this_thread().stream(), {x, weights, y, shift});
        if (args.relu) detail::relu_in_place(y, c.dtype, out);
        output.written(first * c.out_image(), out);
      });
  return true;
}

inline bool conv2d_backward_input(const Conv2dBackwardInputArgs& args) {
  const Session session;
  if (!session) return false;
  const std::optional<Convolution> whole =
      taken(args.grad_input, args.weight, args.grad_output, args.window, args.groups, false,
            args.bias.present);
  if (!whole) return false;
  const std::int64_t channels = whole->channels;
  const HostBuffer<float> bias(args.bias.present ? channels : 0);
  const float* const shift =
      args.bias.present ? fetch(args.bias, 0, 1, channels, bias.data()) : nullptr;
  detail::for_each_part(
      *whole, detail::Pass::kBackwardData, args.weight, args.packed,
      [&](std::int64_t first, const Convolution& c, const Call& call, const void* weights) {
        const std::int64_t in = c.images * c.in_image(), out = c.images * c.out_image();
        const detail::Part grad(args.grad_output, out, c.dtype),
            grad_input(args.grad_input, in, shift != nullptr ? kFloat32 : c.dtype);
        const OnThisThread guard;
        void* const to = grad_input.to_write(first * c.in_image());
        call.run(Calls::of_this_thread().stream(),
                 {to, weights, grad.read(first * c.out_image(), out)});
        if (shift != nullptr) detail::add_to_channels(shift, channels, static_cast<float*>(to), in);
        grad_input.written(first * c.in_image(), in);
      });
  return true;
}

inline bool conv2d_backward_weight(const Conv2dBackwardWeightArgs& args) {
  const Session session;
  if (!session) return false;
  const std::optional<Convolution> whole = taken(args.input, args.grad_weight, args.grad_output,
                                                 args.window, args.groups, args.grad_bias.present);
  if (!whole) return false;
  using detail::Pass;
  const detail::Parts parts(*whole, detail::most_weight_parts(*whole));
  const MemoryDesc::Pointer desc = detail::call_of(parts.of(*whole, 0), Pass::kBackwardWeights)
                                       .expects(dnnl_query_diff_weights_md);
  const std::int64_t weights = bytes_of(desc) / 4,
                     sums = round_up(weights, 16) + round_up(whole->filters, 16);
  const HostBuffer<float> partial(parts.count * sums);
  parallel_for(parts.count, [&](std::int64_t part) {
    const Convolution c = parts.of(*whole, part);
    const Call& call = detail::call_of(c, Pass::kBackwardWeights);
    AMP_CHECK(call && do_equal(call.expects(dnnl_query_diff_weights_md), desc),
              "oneDNN: two parts of a batch have weights in different orders");
    const std::int64_t first = parts.begin(part), in = c.images * c.in_image(),
                       out = c.images * c.out_image();
    const detail::Part input(args.input, in, c.dtype), grad(args.grad_output, out, c.dtype);
    const OnThisThread guard;
    float* const to = partial.data() + part * sums;
    const void* const x = input.read(first * c.in_image(), in);
    const void* const g = grad.read(first * c.out_image(), out);
    call.run(Calls::of_this_thread().stream(),
             {x, to, g, c.bias ? to + round_up(weights, 16) : nullptr});
  });
  parallel_ranges(sums, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = 1; part < parts.count; ++part) {
      const float* const from = partial.data() + part * sums;
      for (std::int64_t i = begin; i < end; ++i) partial[i] += from[i];
    }
  });
  const detail::Part plain(args.grad_weight, whole->weights(), kFloat32);
  detail::reorder_weights(parts.of(*whole, 0), Pass::kBackwardWeights, desc, partial.data(),
                          plain.to_write(0));
  plain.written(0, whole->weights());
  if (whole->bias)
    store(partial.data() + round_up(weights, 16), args.grad_bias, 0, 1, whole->filters);
  return true;
}

}  // namespace amp::inline v0::kernels::host::onednn

#endif
