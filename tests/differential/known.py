# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Where amp differs from torch, and is to: what, and why."""

import math

import torch

from draw import FLOAT8, LOW

NORMS = ("layer_norm", "group_norm", "batch_norm", "instance_norm", "rms_norm")
CONVOLUTIONS = ("conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d",
                "conv_transpose3d")
GATED = ("glu", "lstm", "gru", "rnn_tanh", "lstm_cell", "gru_cell", "rnn_tanh_cell")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
ELEMENTWISE = ("add", "sub", "mul", "div", "neg", "abs", "max", "min", "where", "cat", "stack",
               "relu", "embedding", "index_select") + COMPARISONS


class Known:
    """matches(case, difference): whether the difference is this one."""

    def __init__(self, name, why, matches):
        self.name, self.why, self.matches = name, why, matches


def op(case):
    return case.call.key.split(".")[0]


def floats(case):
    return [t.view().to(torch.float64) for t in case.call.tensors
            if t is not None and t.dtype.is_floating_point]


def not_finite(case, index=None):
    """Whether an input (that of this number) has an infinity or NaN."""
    chosen = floats(case) if index is None else \
        [t.view().to(torch.float64) for t in case.call.tensors[index:index + 1] if t is not None]
    return any(not t.isfinite().all() for t in chosen)


def extreme(case):
    """Whether an input is finite, but its square, or twice it, overflows where amp computes."""
    def limit(t):
        return 1e150 if t.dtype == torch.float64 else 1e18
    return any((v.isfinite() & (v.abs() > limit(t))).any() for t, v in (
        (t, t.view().to(torch.float64)) for t in case.call.tensors
        if t is not None and t.dtype.is_floating_point))


def tiny(case):
    """Whether the square of an input underflows in float32."""
    return any(((v != 0) & (v.abs() < 1e-19)).any() for v in floats(case))


def out_of_range(case):
    """A number, or integer tensor without dimensions, that uint8 is compared with."""
    call = case.call
    return torch.uint8 in {t.dtype for t in call.tensors} and (
        call.key.endswith(".number") or [] in [t.sizes for t in call.tensors])


def normalized_elements(case):
    sizes, dims = case.call.tensors[0].sizes, case.call.numbers[2:]
    return math.prod(sizes[d] for d in dims or range(len(sizes)))


DIFFERENCES = [
    Known("cumprod: a gradient that is not finite",
          "torch divides by the elements, which gives NaN beside infinities and after an overflow; "
          "amp multiplies the others.",
          lambda case, difference: op(case) == "cumprod" and not difference.finite),
    Known("logcumsumexp: the gradient of extreme elements",
          "torch adds the logarithm of a gradient to them, where it is lost; -infinity alone is NaN.",
          lambda case, difference: op(case) == "logcumsumexp" and
          difference.name.startswith("gradient") and (extreme(case) or not_finite(case))),
    Known("logcumsumexp: the last places of a gradient in float64",
          "torch computes it from the logarithm of the incoming gradient, and amp without.",
          lambda case, difference: op(case) == "logcumsumexp" and difference.finite and
          difference.name.startswith("gradient") and
          case.call.tensors[0].dtype == torch.float64),
    Known("var_mean, std_mean: the mean of infinite elements",
          "It is infinite, as that of mean(); torch's is NaN.",
          lambda case, difference: op(case) in ("var_mean", "std_mean") and
          difference.name == "result1" and not_finite(case)),
    Known("batch_norm: running statistics that are not contiguous",
          "They are written in place by kernels that take dense ones; amp says so instead.",
          lambda case, difference: op(case) == "batch_norm" and difference.kind == "refuses" and
          "must be contiguous" in difference.text),
    Known("uint8 compared with a number, which may be outside of its range",
          "torch wraps the number to uint8 first: -3 becomes 253. amp compares the numbers.",
          lambda case, difference: op(case) in COMPARISONS and out_of_range(case)),
    Known("an overflow within",
          "Products and sums of extreme numbers overflow in one order of computing and not in "
          "another. Elementwise ops have no such order.",
          lambda case, difference: not difference.finite and op(case) not in ELEMENTWISE and
          extreme(case)),
    Known("clip_grad_norm_: squares beyond float32's range",
          "amp adds up squares, as torch does of more than one element; of one, torch takes the "
          "magnitude.",
          lambda case, difference: op(case) == "clip_grad_norm_" and
          (tiny(case) or extreme(case))),
    Known("norms: a weight that is infinite or NaN",
          "torch folds weight and mean into one factor and one summand, which gives NaN for all "
          "elements; amp multiplies by the weight last.",
          lambda case, difference: op(case) in NORMS and not difference.finite and
          any(not_finite(case, i) for i in range(1, len(case.call.tensors)))),
    Known("convolutions: an infinity or NaN beside the border",
          "Where a tap sees the padding, or a gradient no window, amp multiplies by 0, which gives "
          "NaN; torch leaves the product out, as its engine does.",
          lambda case, difference: op(case) in CONVOLUTIONS and not difference.finite and
          not_finite(case)),
    Known("attention: masked keys beside infinity or NaN",
          "amp's probability of a key that the mask leaves out is 0 also where the scores of "
          "others are not finite; torch's is NaN then.",
          lambda case, difference: op(case) == "scaled_dot_product_attention" and
          not difference.finite and not_finite(case) and
          (case.call.numbers[0] or case.call.tensors[3] is not None or
           (case.call.key.endswith(".options") and case.call.numbers[2]))),
    Known("losses: ignored targets with infinite or NaN logits",
          "amp's gradient of an ignored target is 0 whatever its logits; torch's is NaN times 0.",
          lambda case, difference: op(case) in ("cross_entropy", "nll_loss") and
          not_finite(case, 0) and difference.name == "gradient0" and difference.ours == 0),
    Known("binary_cross_entropy_with_logits of infinite logits",
          "amp's terms are max(x, 0) - x t, torch's (1 - t) x + max(-x, 0): which of them meet as "
          "infinity minus infinity differs.",
          lambda case, difference: op(case) == "binary_cross_entropy_with_logits" and
          not_finite(case) and not difference.finite),
    Known("binary_cross_entropy under autocast",
          "Refused, as PyTorch refuses it on CUDA devices.",
          lambda case, difference: op(case) == "binary_cross_entropy" and
          difference.kind == "refuses" and "kBanned" in difference.text),
    Known("tanhshrink of small numbers, in float64",
          "x - tanh(x) and 1 - (1 - tanh(x)^2) cancel: what is left are the last places of tanh, in "
          "which the libraries differ.",
          lambda case, difference: op(case) == "tanhshrink" and difference.finite and
          case.call.tensors[0].dtype == torch.float64),
    Known("softmin: the last places of a gradient in float64",
          "grad minus its mean cancels, and exponentials differ in their last place.",
          lambda case, difference: op(case) == "softmin" and difference.finite and
          difference.name == "gradient0" and abs(difference.ours - difference.theirs) < 1e-15),
    Known("soft_margin_loss: an exponential that overflows",
          "torch's loss is infinite beyond 88 in float32, and its gradient NaN; amp's are not.",
          lambda case, difference: op(case) == "soft_margin_loss" and not difference.finite),
    Known("multilabel_soft_margin_loss: infinite scores, and the gradient of the target",
          "As binary_cross_entropy_with_logits. torch's gradient of the target is a difference of two "
          "logarithms, amp's is the score itself.",
          lambda case, difference: op(case) == "multilabel_soft_margin_loss" and
          (difference.name == "gradient1" or not_finite(case))),
    Known("margin losses: a NaN among the scores of a sample",
          "torch adds only what is above 0, which NaN is not; amp's loss is NaN.",
          lambda case, difference: op(case) in ("multi_margin_loss", "multilabel_margin_loss") and
          not difference.finite and not_finite(case, 0)),
    Known("16 and 8 bits: an overflow of what is stored within",
          "What lies between two parts of an op, and the result from which backward starts, has "
          "the dtype of the inputs; the float32 or float64 of the other side does not overflow.",
          lambda case, difference: not difference.finite and
          (case.call.low_inside or op(case) in ("exp", "sqrt", "rsqrt")) and
          any(t is not None and t.dtype in FLOAT8 + LOW for t in case.call.tensors)),
    Known("where: a number that the dtype of the result does not hold",
          "torch wraps it around; amp refuses it.",
          lambda case, difference: op(case) == "where" and difference.kind == "refuses" and
          "must be a value of" in difference.text),
    Known("hardsigmoid: the gradient in float64",
          "torch multiplies by a sixth that it rounded to float32.",
          lambda case, difference: op(case) == "hardsigmoid" and difference.name == "gradient0"),
    Known("atan2, softsign: integers that wrap around",
          "torch squares them, and adds 1, before it converts them to floating point.",
          lambda case, difference: op(case) in ("atan2", "softsign") and
          any(not t.dtype.is_floating_point for t in case.call.tensors)),
    Known("activations: the gradient at infinity or NaN",
          "torch's depends on the position (hardtanh, relu6, softshrink, hardshrink, hardswish: 0 or "
          "NaN of the elements that its vectors hold, 1 of the last few), or is infinity over "
          "infinity; amp's is the limit.",
          lambda case, difference: op(case) in ("hardtanh", "relu6", "selu", "elu", "celu", "mish",
                                            "softshrink", "softsign", "hardshrink", "hardswish") and
          not_finite(case) and difference.name == "gradient0"),
    Known("prod: the gradient of a line with an infinity or NaN",
          "amp's is the product over the element, as torch's is unless there is a zero anywhere in "
          "the tensor; then torch multiplies the others.",
          lambda case, difference: op(case) == "prod" and not difference.finite and
          not_finite(case) and difference.name == "gradient0"),
    Known("prod: a subnormal product",
          "It has lost digits, and with it the gradient, product over element.",
          lambda case, difference: op(case) == "prod" and difference.name == "gradient0" and
          difference.finite and abs(difference.theirs) < 1e-290 and
          case.call.tensors[0].dtype == torch.float64),
    Known("prod: an underflow within",
          "A product of extreme numbers underflows in one order and not in another.",
          lambda case, difference: op(case) == "prod" and difference.finite and
          0 in (difference.ours, difference.theirs)),
    Known("norm of one float64",
          "torch takes the magnitude, amp the root of the power, which underflows or overflows.",
          lambda case, difference: op(case) in ("norm", "normalize") and
          case.call.tensors[0].dtype == torch.float64 and
          (tiny(case) or extreme(case))),
    Known("norms of float64",
          "torch adds powers up one after another, and loses digits of its own.",
          lambda case, difference: op(case) in ("norm", "normalize") and difference.finite and
          case.call.tensors[0].dtype == torch.float64 and
          abs(difference.ours - difference.theirs) <= 1e-13 * abs(difference.theirs)),
    Known("normalize: a gradient of 0 beside infinity or NaN",
          "By way of a norm of infinite order; torch's is NaN times 0.",
          lambda case, difference: op(case) == "normalize" and not_finite(case) and
          difference.name == "gradient0" and difference.ours == 0),
    Known("normalize of one element",
          "Its gradient is 0: two terms that cancel up to their last digits.",
          lambda case, difference: op(case) == "normalize" and difference.finite and
          difference.name == "gradient0" and normalized_elements(case) == 1),
    Known("var, std of NaN alone",
          "torch's gradient is infinite where n <= correction, unless the element is the mean.",
          lambda case, difference: op(case) in ("var", "std") and not_finite(case) and
          not difference.finite and difference.name == "gradient0"),
    Known("Adam: exp_avg with a small beta1",
          "m + (1 - beta1) (g - m) is rounded to the last place of the old m, which beta1 = 0 "
          "forgets; torch's lerp turns the formula round there.",
          lambda case, difference: op(case) in ("Adam", "AdamW") and case.call.numbers[2] <= 0.5 and
          difference.name.endswith(".exp_avg")),
    Known("clamp of NaN by a tensor",
          "Neither bounds the other: torch gives the gradient to both, amp to none.",
          lambda case, difference: case.call.key == "clamp.tensors" and not_finite(case) and
          difference.name.startswith("gradient") and difference.ours == 0),
    Known("scatter_reduce: the gradient of an extremum",
          "torch counts the elements of the input that equal it among those that share the gradient "
          "also where include_self leaves them out, and divides by no shares where it is NaN.",
          lambda case, difference: op(case) == "scatter_reduce" and case.call.numbers[1] > 2 and
          difference.name in ("gradient0", "gradient2") and
          (not case.call.numbers[2] or not_finite(case))),
    Known("scatter_reduce: products",
          "of extreme numbers overflow or underflow in one order and not in another; the gradient "
          "of a factor 0 is the product of the others, of which torch makes NaN beside infinity.",
          lambda case, difference: op(case) == "scatter_reduce" and case.call.numbers[1] == 1 and
          (not difference.finite or extreme(case) or tiny(case))),
    Known("cosine_similarity: a gradient of 0",
          "amp adds its two terms, which cancel to a last digit of each; torch divides both vectors "
          "by their lengths first.",
          lambda case, difference: op(case) == "cosine_similarity" and
          difference.kind == "values" and difference.name.startswith("gradient") and
          difference.finite and abs(difference.ours) < 0.01),
    Known("cdist: NaN beside orders 0 and infinity",
          "amp counts a NaN as a difference of order 0, and gives the gradient of a NaN distance to "
          "the NaN alone.",
          lambda case, difference: op(case) in ("cdist", "pdist") and
          case.call.numbers[0] in (0, math.inf) and not_finite(case)),
    Known("cdist: the last places of a gradient in float64",
          "torch multiplies matrices, whose sums cancel; amp adds the differences themselves.",
          lambda case, difference: op(case) == "cdist" and difference.finite and
          case.call.numbers[0] == 2 and difference.name.startswith("gradient") and
          case.call.tensors[0].dtype == torch.float64 and
          abs(difference.ours - difference.theirs) < 1e-12),
    Known("addcmul, addcdiv: integers in a gradient",
          "torch rounds an integer factor of a gradient to float32, amp to the dtype of the result.",
          lambda case, difference: op(case) in ("addcmul", "addcdiv") and
          difference.name.startswith("gradient") and
          any(t is not None and not t.dtype.is_floating_point for t in case.call.tensors)),
    Known("unique: the order of NaN", "amp keeps the order of several NaN, torch does not.",
          lambda case, difference: op(case) == "unique" and not_finite(case)),
    Known("huber_loss of two dtypes", "amp promotes them, torch takes that of the input.",
          lambda case, difference: op(case) == "huber_loss" and difference.kind == "dtype"),
    Known("atan2 under autocast, of both 16-bit dtypes",
          "amp promotes them to float32; torch casts one without dimensions to the other.",
          lambda case, difference: op(case) == "atan2" and difference.kind == "dtype" and
          case.autocast is not None),
    Known("var_mean: the mean of elements that cancel",
          "amp adds in float32 what torch adds in pairs: a sum of the largest numbers of both signs "
          "loses the others.",
          lambda case, difference: op(case) in ("var_mean", "std_mean") and
          difference.name == "result1" and extreme(case)),
    Known("linalg_vecdot: an infinity beside a NaN",
          "Where one operand is constant along the dimension, amp sums the other before it "
          "multiplies.",
          lambda case, difference: op(case) in ("linalg_vecdot", "einsum") and
          not difference.finite and (not_finite(case) or extreme(case))),
    Known("gates: a gradient where they are saturated",
          "1 - s of a sigmoid and 1 - t^2 of a tanh beside 1 are the last places of s and t, in "
          "which the libraries differ.",
          lambda case, difference: op(case) in GATED and difference.finite and
          difference.name.startswith("gradient") and abs(difference.ours - difference.theirs) <
          (1e-11 if case.call.tensors[0].dtype == torch.float64 else 2e-5)),
    Known("group_norm: the last places of a gradient in float64",
          "Its terms cancel if a group has few elements.",
          lambda case, difference: op(case) in NORMS and difference.finite and
          difference.name == "gradient0" and case.call.tensors[0].dtype == torch.float64 and
          abs(difference.ours - difference.theirs) < 1e-13),
    Known("interpolate: the last places in float64",
          "By a scale that is no fraction, the places between two elements differ in theirs.",
          lambda case, difference: op(case) == "interpolate" and difference.finite and
          case.call.tensors[0].dtype == torch.float64 and
          abs(difference.ours - difference.theirs) <= 1e-12 * abs(difference.theirs)),
    Known("norms of negative order: the gradient beside 0, infinity or NaN",
          "torch multiplies 0 by infinity where amp's is the limit: 1 of the element that decides, 0 "
          "of the others.",
          lambda case, difference: op(case) in ("linalg_vector_norm", "linalg_matrix_norm") and
          case.call.numbers[0] < 0 and not difference.finite and difference.name == "gradient0" and
          (not_finite(case) or tiny(case))),
    Known("chain_matmul: an infinity among the matrices",
          "It meets zeros and other infinities in one order of the products and not in another.",
          lambda case, difference: op(case) in ("chain_matmul", "linalg_multi_dot") and
          not difference.finite and not_finite(case)),
    Known("kl_div: an exponential of the target that overflows",
          "amp multiplies it by the logarithms before it divides by the count.",
          lambda case, difference: op(case) == "kl_div" and case.call.numbers[1] != 0 and
          not difference.finite),
    Known("histc: counts in 16 bits", "The result has the dtype of the input, which rounds counts.",
          lambda case, difference: op(case) == "histc" and case.call.tensors[0].dtype in LOW and
          abs(difference.ours - difference.theirs) <= 0.004 * difference.theirs),
    Known("cosine_similarity: a result beside float32's smallest numbers",
          "The sum of products is subnormal before it is divided by small lengths.",
          lambda case, difference: op(case) == "cosine_similarity" and difference.finite and
          difference.name == "result0" and abs(difference.theirs) < 1e-30),
]
