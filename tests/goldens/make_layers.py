#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Computes and prints layers without weights, and losses, with PyTorch; writes layers.txt beside
itself.

    python3 make_layers.py
"""

import blocks
import torch
from torch import nn

torch.set_num_threads(1)

# float32 of few digits, that are not in order
def values(*shape, scale=0.25, offset=-2.0, modulus=17):
    count = torch.Size(shape).numel()
    return (torch.arange(count) * 7 % modulus).reshape(shape).float() * scale + offset


def probabilities(*shape):
    return values(*shape, scale=0.0625, offset=0.03125, modulus=15)


def signs(*shape):
    return (torch.arange(torch.Size(shape).numel()) * 5 % 3 % 2 * 2 - 1).reshape(shape).float()


def classes(*values):
    return torch.tensor(values)


w3 = torch.tensor([0.5, 1.0, 2.0])
line, image, volume = values(2, 2, 6), values(1, 2, 4, 5), values(1, 1, 4, 3, 4)
two = [values(2, 3), values(2, 3, scale=0.5, modulus=11)]
three = two + [values(2, 3, scale=0.125, offset=-1.0, modulus=13)]
probs = [probabilities(2, 3), probabilities(2, 3).flip(1)]

# The layer as Python writes it, and its inputs.
cases = [(text, [values(3, 6)]) for text in (
    "Tanh()", "Sigmoid()", "SiLU()", "GELU()", "GELU(approximate='tanh')", "LeakyReLU()", "LeakyReLU(0.2)",
    "ELU()", "ELU(0.5)", "SELU()", "CELU()", "CELU(2.0)", "Softplus()", "Softplus(2.0, 1.0)", "ReLU()", "ReLU6()",
    "Hardswish()", "Hardsigmoid()", "Hardtanh()", "Hardtanh(-0.5, 1.5)", "Hardshrink()", "Softshrink(0.75)",
    "Tanhshrink()", "Mish()", "GLU()", "GLU(dim=1)", "LogSigmoid()", "Softsign()", "Threshold(0.25, -3.0)",
    "Softmax(dim=1)", "Softmax(dim=0)", "LogSoftmax(dim=-1)", "Softmin(dim=1)", "RReLU(0.25, 0.25)",
    "PReLU()", "PReLU(6, 0.5)", "Identity()", "Identity(54, unused=True)", "Flatten(0)", "Unflatten(1, (2, -1))",
    "Dropout()", "AlphaDropout(0.0)")]
cases += [
    ("Softmax2d()", [image]),
    ("Flatten()", [image]),
    ("MaxPool1d(3)", [line]),
    ("MaxPool1d(3, stride=2, padding=1)", [line]),
    ("MaxPool2d(2, 2)", [image]),
    ("MaxPool2d((2, 3), stride=(1, 2), padding=1)", [image]),
    ("MaxPool2d(2, dilation=2, ceil_mode=True)", [image]),
    ("MaxPool3d(2)", [volume]),
    ("AvgPool1d(2, 1, 1)", [line]),
    ("AvgPool2d((2, 3))", [image]),
    ("AvgPool2d(3, stride=2, padding=1, ceil_mode=True, count_include_pad=False)", [image]),
    ("AvgPool3d((1, 2, 2))", [volume]),
    ("LPPool1d(2.0, 3)", [line]),
    ("LPPool2d(3.0, (2, 3), stride=2)", [image.abs() + 0.25]),
    ("LPPool3d(1.0, 2)", [volume]),
    ("LPPool1d(float('inf'), 2)", [line]),
    ("AdaptiveAvgPool1d(4)", [line]),
    ("AdaptiveAvgPool2d(1)", [image]),
    ("AdaptiveAvgPool2d((2, None))", [image]),
    ("AdaptiveAvgPool3d((1, 2, 3))", [volume]),
    ("AdaptiveMaxPool1d(4)", [line]),
    ("AdaptiveMaxPool2d((3, 2))", [image]),
    ("AdaptiveMaxPool3d(2)", [volume]),
    ("Upsample(scale_factor=2)", [values(1, 1, 2, 3)]),
    ("Upsample(scale_factor=(2, 1.5), mode='bilinear')", [values(1, 1, 2, 4)]),
    ("Upsample(size=(3, 4), mode='bicubic', align_corners=True)", [image]),
    ("UpsamplingNearest2d(scale_factor=2)", [values(1, 1, 2, 2)]),
    ("UpsamplingBilinear2d(size=(3, 4))", [values(1, 1, 2, 2)]),
    ("PixelShuffle(2)", [values(1, 4, 2, 1)]),
    ("PixelUnshuffle(2)", [values(1, 1, 4, 2)]),
    ("ChannelShuffle(2)", [values(1, 6, 2)]),
    ("ConstantPad1d(1, 3.5)", [line]),
    ("ConstantPad2d((1, 0, 0, 1), -1.0)", [values(1, 2, 2)]),
    ("ConstantPad3d((0, 1, 0, 0, 1, 0), 2.0)", [values(1, 1, 2, 2, 1)]),
    ("ZeroPad1d((1, 2))", [values(1, 1, 2)]),
    ("ZeroPad2d(1)", [values(1, 1, 2, 2)]),
    ("ZeroPad3d((0, 0, 1, 0, 0, 1))", [values(1, 1, 2, 2)]),
    ("ReflectionPad1d(2)", [values(1, 1, 4)]),
    ("ReflectionPad2d((1, 0, 2, 1))", [values(1, 1, 3, 3)]),
    ("ReflectionPad3d(1)", [values(1, 1, 2, 2, 2)]),
    ("ReplicationPad1d((2, 0))", [values(1, 1, 3)]),
    ("ReplicationPad2d(1)", [values(1, 1, 2, 2)]),
    ("ReplicationPad3d((1, 0, 0, 1, 0, 0))", [values(1, 1, 1, 2, 2)]),
    ("CircularPad1d(2)", [values(1, 1, 3)]),
    ("CircularPad2d((1, 1, 2, 0))", [values(1, 1, 2, 2)]),
    ("CircularPad3d((1, 0, 0, 0, 0, 1))", [values(1, 1, 2, 2, 2)]),
    ("Unfold(2, padding=1, stride=2)", [values(1, 1, 4, 4)]),
    ("Fold((3, 4), 2)", [values(1, 4, 6)]),
    ("CosineSimilarity()", two),
    ("CosineSimilarity(0, 0.5)", two),
    ("PairwiseDistance()", two),
    ("PairwiseDistance(1.0, 0.5, True)", two),
    ("CrossEntropyLoss()", [two[0], classes(2, 0)]),
    ("CrossEntropyLoss(weight=w3, ignore_index=1, label_smoothing=0.25)", [values(3, 3), classes(2, 1, 0)]),
    ("NLLLoss(weight=w3, reduction='none')", [two[0], classes(1, 2)]),
    ("MSELoss()", two),
    ("MSELoss(reduction='sum')", two),
    ("L1Loss()", two),
    ("SmoothL1Loss(beta=0.5)", two),
    ("HuberLoss(delta=0.5, reduction='none')", two),
    ("BCELoss(weight=w3)", probs),
    ("BCEWithLogitsLoss()", [two[0], probs[0]]),
    ("BCEWithLogitsLoss(weight=w3, pos_weight=w3.flip(0))", [two[0], probs[0]]),
    ("KLDivLoss(reduction='batchmean')", [two[0], probs[0]]),
    ("KLDivLoss(log_target=True)", two),
    ("PoissonNLLLoss(full=True)", [two[0], two[1] + 4]),
    ("PoissonNLLLoss(log_input=False, eps=0.5)", [probs[0], two[1] + 4]),
    ("GaussianNLLLoss(full=True)", two + [probs[0]]),
    ("SoftMarginLoss()", [two[0], signs(2, 3)]),
    ("MultiLabelSoftMarginLoss(weight=w3)", [two[0], (signs(2, 3) + 1) / 2]),
    ("MultiLabelMarginLoss()", [two[0], classes([2, -1, 0], [0, 1, -1])]),
    ("MultiMarginLoss(p=2, margin=0.5, weight=w3)", [two[0], classes(0, 2)]),
    ("HingeEmbeddingLoss(margin=2.0)", [two[0], signs(2, 3)]),
    ("MarginRankingLoss(margin=0.5)", two + [signs(2, 3)]),
    ("CosineEmbeddingLoss(margin=0.25)", two + [signs(2)]),
    ("TripletMarginLoss(margin=2.0, swap=True)", three),
    ("CTCLoss(zero_infinity=True)", [values(4, 2, 3).log_softmax(2), classes([1, 2], [2, 0]), classes(4, 3), classes(2, 1)]),
]


def block(text, inputs):
    layer = eval("nn." + text)
    inputs = [x.detach().clone() for x in inputs]
    for x in inputs:
        x.requires_grad_(x.is_floating_point())
    # Targets of some losses get no gradient, or must not ask for one.
    if text.split("(")[0] in ("SoftMarginLoss", "HingeEmbeddingLoss", "MarginRankingLoss", "CosineEmbeddingLoss"):
        inputs[-1].requires_grad_(False)
    lines = blocks.texts("print", str(layer))
    lines += [(f"state {name}", []) for name in layer.state_dict()]
    if text not in ("Dropout()",):
        output = layer(*inputs)
        weights = (torch.arange(output.numel()) % 5).reshape(output.shape) * 0.5 + 0.5
        (output * weights).sum().backward()
        for i, x in enumerate(inputs):
            lines.append(blocks.tensor(f"{'input' if x.is_floating_point() else 'integers'}{i}", x.detach()))
        lines.append(blocks.tensor("output", output.detach()))
        lines += [blocks.tensor(f"gradient{i}", x.grad) for i, x in enumerate(inputs) if x.grad is not None]
    return text, lines


if __name__ == "__main__":
    blocks.write(
        __file__,
        "Layers as print shows them, their outputs, and the gradients of a weighted sum of these.",
        f"PyTorch {torch.__version__.split('+')[0]} on the CPU",
        [block(*case) for case in cases],
    )
