#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Runs PyTorch's layers with weights forward and backward; writes nets.txt beside itself.

    python3 make_nets.py

Parameters, buffers, inputs and incoming gradients follow the formula of make_nn.py, which C++
repeats exactly. So only results are stored.
"""

import warnings

import blocks
import torch
from make_nn import flat, tensor
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence

INPUT, INCOMING, BUFFER = 50, 60, 70  # salts; parameter number k has salt k

cases = []


def fill(module):
    for k, parameter in enumerate(module.parameters()):
        parameter.data = tensor(parameter.shape, k) / 2
    for k, (name, buffer) in enumerate(module.named_buffers()):
        if buffer.is_floating_point():
            values = tensor(buffer.shape, BUFFER + k)
            buffer.copy_(values.abs() + 0.5 if name.endswith("running_var") else values)


def tensors_of(result):
    """All tensors in a result, in order."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, PackedSequence):
        return [result.data]
    return [t for part in result if part is not None for t in tensors_of(part)]


def printed(module):
    """What print shows, with the names that amp has for classes of which torch makes others, and without what print says shorter of modules that repeat in a list."""
    text = str(module).replace("NonDynamicallyQuantizableLinear", "Linear").replace("Parametrized", "")
    return [] if " x " in text else blocks.texts("text", text)


def values(tensors):
    """The numbers, in as many digits as the test needs."""
    return [float(f"{v:.13g}") for v in flat(tensors)]


def words(named):
    return " ".join(f"{name}{list(t.shape)}" for name, t in named)


def case(name, module, *shapes, call=None, inputs=None):
    """Records a module. `call` gets the module and its inputs, which have these shapes."""
    module.double()
    fill(module)
    x = [tensor(s, INPUT + k).requires_grad_() for k, s in enumerate(shapes)]
    results = tensors_of((call or (lambda m, *args: m(*args)))(module, *x))
    loss = sum((y * tensor(y.shape, INCOMING + k)).sum() for k, y in enumerate(results))
    loss.backward()
    buffers = [b for b in module.buffers() if b.is_floating_point()]
    lines = [
        *printed(module),
        (f"parameters {words(module.named_parameters())}".rstrip(), []),
        (f"buffers {words(module.named_buffers())}".rstrip(), []),
        *((f"input{k} [{' '.join(map(str, s))}]", []) for k, s in enumerate(shapes)),
        *((f"output{k} [{' '.join(map(str, y.shape))}]", values([y])) for k, y in enumerate(results)),
        *(("input_gradient%d" % k, values([v.grad])) for k, v in enumerate(x) if v.grad is not None),
        ("gradients", values(p.grad for p in module.parameters())),
        ("buffers_after", values(buffers)),
    ]
    cases.append((f"{group}: {name}", [line for line in lines if line[1] or " " in line[0]]))


def convolutions():
    case("conv1d", nn.Conv1d(2, 3, 3), (2, 2, 5))
    case("conv1d without batch", nn.Conv1d(2, 2, 2, stride=2, bias=False), (2, 5))
    case("conv1d same", nn.Conv1d(2, 2, 4, padding="same", dilation=2), (1, 2, 7))
    case("conv1d same reflect", nn.Conv1d(1, 2, 4, padding="same", padding_mode="reflect"), (1, 1, 5))
    case("conv1d replicate", nn.Conv1d(2, 2, 3, padding=2, padding_mode="replicate"), (2, 2, 4))
    case("conv2d circular", nn.Conv2d(1, 2, (2, 3), padding=(1, 2), padding_mode="circular"), (1, 1, 3, 3))
    case("conv2d reflect", nn.Conv2d(1, 1, 3, padding=(2, 1), stride=2, padding_mode="reflect"), (1, 1, 3, 4))
    case("conv3d", nn.Conv3d(2, 2, 2), (1, 2, 3, 2, 3))
    case(
        "conv3d with all options",
        nn.Conv3d(2, 4, (1, 2, 2), (1, 2, 1), (0, 1, 1), (1, 1, 2), groups=2, bias=False),
        (1, 2, 2, 3, 3),
    )
    case("conv3d circular", nn.Conv3d(1, 1, 2, padding=1, padding_mode="circular"), (1, 1, 2, 2, 2))
    case("conv_transpose1d", nn.ConvTranspose1d(2, 3, 3), (2, 2, 4))
    case("conv_transpose1d sized", nn.ConvTranspose1d(2, 2, 3, 2, 1), (1, 2, 3), call=lambda m, x: m(x, [6]))
    case("conv_transpose2d", nn.ConvTranspose2d(2, 3, 4, 2, 1), (1, 2, 2, 3))
    case(
        "conv_transpose2d with all options",
        nn.ConvTranspose2d(2, 4, (2, 3), (2, 1), (1, 0), (1, 0), groups=2, bias=False, dilation=(2, 1)),
        (1, 2, 3, 2),
    )
    case("conv_transpose3d", nn.ConvTranspose3d(1, 2, 2, 2), (1, 1, 2, 1, 2))


def norms():
    case("batch_norm1d", nn.BatchNorm1d(3), (4, 3))
    case("batch_norm1d of sequences", nn.BatchNorm1d(3, bias=False), (2, 3, 3))
    case("batch_norm1d in evaluation", nn.BatchNorm1d(3).eval(), (2, 3))
    case("batch_norm1d cumulative", nn.BatchNorm1d(3, momentum=None), (4, 3))
    case("batch_norm3d", nn.BatchNorm3d(2, eps=0.1, momentum=0.3), (2, 2, 1, 2, 2))
    case("batch_norm3d in evaluation", nn.BatchNorm3d(2, affine=False).eval(), (2, 2, 1, 2, 2))
    case("instance_norm1d", nn.InstanceNorm1d(3), (2, 3, 4))
    case("instance_norm1d without batch", nn.InstanceNorm1d(3, affine=True), (3, 4))
    case("instance_norm2d", nn.InstanceNorm2d(2, affine=True, track_running_stats=True), (2, 2, 2, 3))
    case(
        "instance_norm2d in evaluation",
        nn.InstanceNorm2d(2, eps=0.1, affine=True, bias=False, track_running_stats=True).eval(),
        (2, 2, 2, 2),
    )
    case("instance_norm3d", nn.InstanceNorm3d(2, momentum=0.5, track_running_stats=True), (2, 2, 1, 2, 2))
    case("layer_norm without bias", nn.LayerNorm(4, bias=False), (2, 4))
    case("group_norm without bias", nn.GroupNorm(2, 4, bias=False), (2, 4))


def packed(x, lengths):
    return pack_padded_sequence(x, lengths, enforce_sorted=False)


def recurrent():
    case("lstm", nn.LSTM(2, 2), (3, 2, 2))
    case("lstm from states", nn.LSTM(2, 1), (2, 1, 2), (1, 1, 1), (1, 1, 1), call=lambda m, x, h, c: m(x, (h, c)))
    case(
        "lstm with all options",
        nn.LSTM(2, 1, num_layers=2, bias=False, batch_first=True, dropout=0.5, bidirectional=True).eval(),
        (2, 3, 2),
    )
    case("lstm packed", nn.LSTM(1, 2), (3, 3, 1), call=lambda m, x: m(packed(x, [2, 3, 1])))
    case("lstm without batch", nn.LSTM(2, 2, batch_first=True), (3, 2))
    case("gru", nn.GRU(2, 2), (3, 2, 2))
    case("gru from a state", nn.GRU(1, 2, num_layers=2), (2, 1), (2, 2))
    case("gru packed", nn.GRU(1, 2, bidirectional=True), (3, 2, 1), call=lambda m, x: m(packed(x, [1, 3])))
    case("rnn", nn.RNN(2, 2, num_layers=2, bidirectional=True), (2, 2, 2))
    case("rnn of relu", nn.RNN(2, 3, nonlinearity="relu", batch_first=True), (2, 2, 2), (1, 2, 3))
    case("lstm_cell", nn.LSTMCell(2, 3), (2, 2))
    case("lstm_cell from states", nn.LSTMCell(2, 2, bias=False), (2,), (2,), (2,), call=lambda m, x, h, c: m(x, (h, c)))
    case("gru_cell", nn.GRUCell(2, 3), (2, 2), (2, 3))
    case("rnn_cell", nn.RNNCell(2, 3), (2,), (3,))
    case("rnn_cell of relu", nn.RNNCell(2, 3, bias=False, nonlinearity="relu"), (2, 2))


def mask(*shape):
    """Some true elements, but not in the first column: so no query is without keys."""
    chosen = tensor(shape, 3) > 0.5
    chosen[..., 0] = False
    return chosen


def added(*shape):
    return tensor(shape, 4).masked_fill(mask(*shape), -torch.inf)


def causal(size):
    return nn.Transformer.generate_square_subsequent_mask(size, dtype=torch.float64)


def to_itself(**options):
    return lambda m, x: m(x, x, x, **options)


def to_one(**options):
    return lambda m, q, x: m(q, x, x, **options)


def to_all(**options):
    return lambda m, q, k, v: m(q, k, v, **options)


def attention():
    mha = nn.MultiheadAttention
    case("to itself", mha(4, 2, batch_first=True), (2, 3, 4), call=to_itself())
    case("without batch", mha(4, 2), (3, 4), (2, 4), call=to_one(average_attn_weights=False))
    case("padded", mha(4, 2), (2, 2, 4), (3, 2, 4), call=to_one(need_weights=False, key_padding_mask=mask(2, 3)))
    case(
        "other extents",
        mha(4, 2, bias=False, kdim=3, vdim=2),
        (2, 2, 4),
        (3, 2, 3),
        (3, 2, 2),
        call=to_all(average_attn_weights=False, attn_mask=mask(2, 3)),
    )
    case(
        "more keys",
        mha(4, 2, add_bias_kv=True, add_zero_attn=True, batch_first=True),
        (2, 2, 4),
        (2, 3, 4),
        call=to_one(key_padding_mask=mask(2, 3), attn_mask=mask(4, 2, 3)),
    )
    case(
        "more keys and added masks",
        mha(2, 1, add_bias_kv=True, add_zero_attn=True),
        (2, 1, 2),
        (3, 1, 2),
        (3, 1, 2),
        call=to_all(need_weights=False, key_padding_mask=added(1, 3), attn_mask=added(2, 3)),
    )
    case(
        "causal", mha(4, 4), (3, 1, 4), call=to_itself(need_weights=False, attn_mask=causal(3), is_causal=True)
    )
    case("causal weights", mha(2, 1), (3, 1, 2), call=to_itself(attn_mask=causal(3), is_causal=True))


def transformers():
    small = {"dim_feedforward": 2, "dropout": 0.0}
    case("encoder layer", nn.TransformerEncoderLayer(4, 2, **small), (2, 1, 4))
    case(
        "encoder layer with all options",
        nn.TransformerEncoderLayer(
            2, 1, 3, 0.5, "gelu", layer_norm_eps=0.5, batch_first=True, norm_first=True, bias=False
        ).eval(),
        (2, 3, 2),
        call=lambda m, x: m(x, src_mask=mask(3, 3), src_key_padding_mask=mask(2, 3)),
    )
    case("decoder layer", nn.TransformerDecoderLayer(4, 2, **small), (2, 1, 4), (3, 1, 4))
    case(
        "decoder layer with all options",
        nn.TransformerDecoderLayer(
            2, 1, 3, 0.5, "gelu", layer_norm_eps=0.5, batch_first=True, norm_first=True, bias=False
        ).eval(),
        (1, 3, 2),
        (1, 2, 2),
        call=lambda m, x, memory: m(
            x, memory, causal(3), mask(3, 2), added(1, 3), mask(1, 2), tgt_is_causal=True
        ),
    )
    encoder = nn.TransformerEncoderLayer(2, 1, 2, 0.0, layer_norm_eps=0.5, batch_first=True)
    case("encoder", nn.TransformerEncoder(encoder, 2, nn.LayerNorm(2, 0.5)), (1, 3, 2), call=lambda m, x: m(x, mask(3, 3)))
    decoder = nn.TransformerDecoderLayer(2, 1, 2, 0.0, layer_norm_eps=0.5)
    case("decoder", nn.TransformerDecoder(decoder, 2), (2, 1, 2), (3, 1, 2))
    case(
        "transformer",
        nn.Transformer(2, 1, 1, 1, 1, 0.0, layer_norm_eps=0.5),
        (3, 1, 2),
        (2, 1, 2),
        call=lambda m, x, y: m(
            x,
            y,
            tgt_mask=causal(2),
            src_key_padding_mask=mask(1, 3),
            memory_key_padding_mask=mask(1, 3),
            tgt_is_causal=True,
        ),
    )


def parametrizations():
    def weight(module, *options):
        return nn.utils.parametrizations.weight_norm(module, *options)

    def spectral(module, **options):
        return nn.utils.parametrizations.spectral_norm(module, **options)

    case("weight_norm", weight(nn.Conv1d(2, 2, 2)), (1, 2, 3))
    case("weight_norm of columns", weight(nn.Linear(3, 2, bias=False), "weight", 1), (2, 3))
    case("weight_norm of all", weight(nn.ConvTranspose1d(2, 1, 2), "weight", None), (1, 2, 2))
    case("weight_norm of a bias", weight(weight(nn.Linear(2, 2), "bias")), (1, 2))
    case("weight_norm of recurrence", weight(nn.GRU(1, 1), "weight_hh_l0"), (2, 1, 1))
    case("spectral_norm", spectral(nn.Linear(3, 2)), (2, 3))
    case("spectral_norm in evaluation", spectral(nn.Conv2d(1, 2, 2)).eval(), (1, 1, 2, 3))
    case(
        "spectral_norm of columns",
        spectral(nn.ConvTranspose1d(2, 3, 2), n_power_iterations=3),
        (1, 2, 2),
    )
    case("spectral_norm of a bias", spectral(nn.Linear(2, 2), name="bias"), (1, 2))


ABOUT = """\
What PyTorch's layers with weights compute.
What print shows of a layer; names and shapes of its parameters, in their order, and of its buffers;
shapes of the inputs; results; gradients of the inputs and of all parameters; floating-point buffers
after forward.
Parameters, buffers, inputs and incoming gradients are made by formulas of the script."""

if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for make in (convolutions, norms, recurrent, attention, transformers, parametrizations):
        group = make.__name__
        make()
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch.__version__.split('+')[0]} on the CPU, float64, 1 thread",
        cases,
    )
