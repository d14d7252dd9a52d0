#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Writes torch_cpu.txt: the dtypes of results under torch.autocast("cpu", torch.bfloat16).

Has every op that PyTorch's lists for CUDA or the CPU name and amp has, or may get, and some that no
list names. Needs PyTorch 2.15.
"""

import itertools
import warnings

import blocks
import torch
import torch.nn.functional as F

N = 4


def some(*shape):
    """A maker of a tensor between 0.1 and 0.9, of a dtype. (Inputs that are tensors stay as they are.)"""
    return lambda dtype: torch.linspace(0.1, 0.9, torch.Size(shape).numel()).reshape(shape).to(dtype)


vector, row, square, batch = some(N), some(1, N), some(N, N), some(N, N, N)
image, volume = some(1, N, N, N), some(1, N, N, N, N)
indices, ones = torch.arange(N), torch.ones(N, dtype=torch.int64)

UNARY = """acos asin atan ceil cos cosh erf erfinv exp expm1 floor log log10 log1p log2 neg abs
    reciprocal round rsqrt sigmoid sign sin sinh sqrt square tan tanh trunc relu
    cumsum:0 cumprod:0 sum mean prod var std amax amin softmax:0 log_softmax:0 logsumexp:0 norm
    renorm:2:0:1 trace median:0 sort:0 topk:2"""
FUNCTIONAL = """celu elu gelu glu hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish
    relu6 selu silu softmin:0 softplus softshrink softsign tanhshrink normalize"""
BINARY = "add sub mul div pow atan2 fmod remainder maximum minimum matmul mm dist tensordot:1"
LOSSES = """l1_loss smooth_l1_loss huber_loss mse_loss kl_div binary_cross_entropy
    binary_cross_entropy_with_logits poisson_nll_loss soft_margin_loss multilabel_soft_margin_loss"""


def calls():
    """Pairs of a name and a call: a function, and makers of its inputs."""
    def called(word, module):
        name, *numbers = word.split(":")
        return name, lambda *x: getattr(module, name)(*x, *(int(n) for n in numbers))

    for words, module in ((UNARY, torch), (FUNCTIONAL, F)):
        for word in words.split():
            yield *called(word, module), square
    for word in BINARY.split():
        yield *called(word, torch), square, square
    yield "cross", torch.linalg.cross, some(N, 3), some(N, 3)
    for name in LOSSES.split():
        yield name, getattr(F, name), square, square
    yield "bmm", torch.bmm, batch, batch
    yield "baddbmm", torch.baddbmm, batch, batch, batch
    yield "addmm", torch.addmm, square, square, square
    yield "addbmm", torch.addbmm, square, batch, batch
    yield "addmv", torch.addmv, vector, square, vector
    yield "addr", torch.addr, square, vector, vector
    yield "mv", torch.mv, square, vector
    yield "dot", torch.dot, vector, vector
    yield "vdot", torch.vdot, vector, vector
    yield "outer", torch.outer, vector, vector
    yield "einsum", lambda x, y: torch.einsum("ij,jk->ik", x, y), square, square
    yield "chain_matmul", lambda *x: torch.linalg.multi_dot(x), square, square, square
    yield "linalg_multi_dot", lambda *x: torch.linalg.multi_dot(x), square, square, square
    yield "linalg_vecdot", torch.linalg.vecdot, square, square
    yield "linear", F.linear, square, square
    yield "bilinear", F.bilinear, square, square, batch
    yield "prelu", F.prelu, square, some(1)
    yield "conv1d", F.conv1d, batch, batch
    yield "conv2d", F.conv2d, image, image
    yield "conv3d", F.conv3d, volume, volume
    yield "conv_tbc", torch.conv_tbc, batch, batch, some(N)
    yield "conv_transpose1d", F.conv_transpose1d, batch, batch
    yield "conv_transpose2d", F.conv_transpose2d, image, some(N, N, 2, 2)
    yield "conv_transpose3d", F.conv_transpose3d, volume, some(N, N, 2, 2, 2)
    yield "scaled_dot_product_attention", F.scaled_dot_product_attention, image, image, image
    for name, gates, function in (("lstm_cell", 4, torch.lstm_cell), ("gru_cell", 3, torch.gru_cell),
                                  ("rnn_tanh_cell", 1, torch.rnn_tanh_cell),
                                  ("rnn_relu_cell", 1, torch.rnn_relu_cell)):
        def run(x, h, c, w, u, function=function, name=name):
            return function(x, (h, c) if name == "lstm_cell" else h, w, u)
        yield name, run, square, square, square, some(gates * N, N), some(gates * N, N)
    for name, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
        def layer(x, h, c, w, u, name=name):
            return getattr(torch, name)(x, (h, c) if name == "lstm" else h, [w, u], False, 1, 0.0,
                                        False, False, False)
        yield name, layer, batch, some(1, N, N), some(1, N, N), some(gates * N, N), some(gates * N, N)
    yield "layer_norm", lambda x, w: F.layer_norm(x, (N,), w), square, vector
    yield "rms_norm", lambda x, w: F.rms_norm(x, (N,), w), square, vector
    yield "group_norm", lambda x, w: F.group_norm(x, 2, w), image, vector
    yield "batch_norm", lambda x: F.batch_norm(x, None, None, training=True), image
    yield "instance_norm", F.instance_norm, image
    yield "cross_entropy", F.cross_entropy, square, indices
    yield "nll_loss", F.nll_loss, square, indices
    yield "multi_margin_loss", F.multi_margin_loss, square, indices
    yield "multilabel_margin_loss", F.multilabel_margin_loss, square, \
        torch.zeros(N, N, dtype=torch.int64)
    yield "hinge_embedding_loss", F.hinge_embedding_loss, vector, ones
    yield "margin_ranking_loss", F.margin_ranking_loss, vector, vector, vector
    yield "cosine_embedding_loss", F.cosine_embedding_loss, square, square, ones
    yield "triplet_margin_loss", F.triplet_margin_loss, square, square, square
    yield "gaussian_nll_loss", F.gaussian_nll_loss, square, square, square
    yield "ctc_loss", F.ctc_loss, batch, torch.ones(N, 2, dtype=torch.int64), \
        torch.full((N,), N), torch.full((N,), 2)
    yield "gumbel_softmax", F.gumbel_softmax, square
    yield "threshold", lambda x: F.threshold(x, 0.5, 0), square
    yield "rrelu", F.rrelu, square
    yield "cosine_similarity", F.cosine_similarity, square, square
    yield "pairwise_distance", F.pairwise_distance, square, square
    yield "pdist", F.pdist, square
    yield "cdist", torch.cdist, square, square
    yield "linalg_matrix_norm", torch.linalg.matrix_norm, square
    yield "linalg_vector_norm", torch.linalg.vector_norm, square
    yield "quantile", lambda x: torch.quantile(x, 0.5), square
    yield "interpolate", lambda x: F.interpolate(x, scale_factor=2), image
    yield "grid_sample", lambda x, g: F.grid_sample(x, g, align_corners=False), image, some(1, N, N, 2)
    yield "pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), image
    for d, x in (("1d", batch), ("2d", image), ("3d", volume)):
        yield *called(f"max_pool{d}:2", F), x
        yield *called(f"avg_pool{d}:2", F), x
        yield *called(f"adaptive_avg_pool{d}:2", F), x
        yield *called(f"adaptive_max_pool{d}:2", F), x
    yield "embedding", F.embedding, indices, square
    yield "index_select", lambda x, i: torch.index_select(x, 0, i), square, indices
    yield "index_copy", lambda x, i, y: torch.index_copy(x, 0, i, y), square, indices, square
    yield "index_put", lambda x, i, y: torch.index_put(x, (i,), y), square, indices, square
    yield "scatter_add", lambda x, i, y: torch.scatter_add(x, 0, i, y), vector, indices, vector
    yield "cat", lambda x, y: torch.cat((x, y)), square, square
    yield "stack", lambda x, y: torch.stack((x, y)), square, square
    yield "addcmul", torch.addcmul, square, square, square
    yield "addcdiv", torch.addcdiv, square, square, square
    yield "lerp", lambda x, y: torch.lerp(x, y, 0.5), square, square


def outcome(run, makers, *dtypes):
    """The dtype of the result for inputs of these dtypes in turn; "refused" if there is none."""
    turn = itertools.cycle(dtypes)
    inputs = [x if isinstance(x, torch.Tensor) else x(next(turn)) for x in makers]
    try:
        with torch.autocast("cpu", torch.bfloat16):
            result = run(*inputs)
    except RuntimeError:
        return "refused"
    result = result if isinstance(result, torch.Tensor) else result[0]
    return str(result.dtype).removeprefix("torch.")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    rows = []
    for name, run, *makers in calls():
        rows.append((name, [
            ("of_float32 " + outcome(run, makers, torch.float32), []),
            ("of_bfloat16 " + outcome(run, makers, torch.bfloat16), []),
            ("of_both " + outcome(run, makers, torch.bfloat16, torch.float32), []),
        ]))
    torch_version = torch.__version__.split("+")[0]
    blocks.write(
        __file__,
        'The dtypes of results under torch.autocast("cpu", torch.bfloat16): of inputs that are all\n'
        "float32, all bfloat16, and both in turn, the first bfloat16.",
        f"PyTorch {torch_version} on the CPU",
        rows,
    )
