#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Runs PyTorch's modules forward and backward; writes nn.hpp beside itself.

    python3 make_nn.py

Parameters, inputs and incoming gradients follow a formula of integers that C++ repeats exactly: see
`number`. So only results are stored.
"""

import pathlib
import platform

import torch
from torch import nn

INPUT, INCOMING, BUFFER = 50, 60, 70  # salts; parameter number k has salt k


def number(i, salt):
    """Element i of a tensor: a multiple of 1/32 in [-1.5, 1.5], exact in every format."""
    return ((i * 37 + salt * 101) * 53 % 97 - 48) / 32


def tensor(shape, salt):
    count = torch.Size(shape).numel()
    values = [number(i, salt) for i in range(count)]
    return torch.tensor(values, dtype=torch.float64).reshape(shape)


def fill(module):
    for k, parameter in enumerate(module.parameters()):
        parameter.data = tensor(parameter.shape, k)


def state_of(module):
    """As C++ literals, one of them to the line."""
    words, lines = [f"{name}{list(t.shape)}" for name, t in module.state_dict().items()], [""]
    for word in words:
        if len(lines[-1]) + len(word) > 85:
            lines.append("")
        lines[-1] += word + " "
    return [f'"{line}"' + " " * (line is not lines[-1]) for line in lines]


def wrapped(words):
    """Joined by commas, adjacent literals by nothing, in lines of at most 100."""
    text, line = "", ""
    for i, word in enumerate(words):
        word += "" if i + 1 == len(words) or word.endswith(" ") else ","
        if len(line) + len(word) > 94:
            text, line = text + line.rstrip() + "\n   ", ""
        line += word + " "
    return text + line.rstrip()


def block():
    return nn.Sequential(
        nn.Conv2d(2, 3, 3, padding=1, bias=False),
        nn.BatchNorm2d(3),
        nn.ReLU(),
        nn.Sequential(nn.MaxPool2d(2), nn.Flatten()),
        nn.Linear(6, 2),
    )


IMAGE = (2, 2, 4, 4)
CASES = [  # name, module, shape of the input
    ("linear", nn.Linear(4, 3), (2, 3, 4)),
    ("linear_no_bias", nn.Linear(4, 3, bias=False), (5, 4)),
    ("conv2d", nn.Conv2d(2, 3, 3), IMAGE),
    ("conv2d_groups", nn.Conv2d(2, 4, (3, 2), (2, 1), (1, 2), (1, 2), groups=2), IMAGE),
    ("conv2d_no_bias", nn.Conv2d(2, 2, 1, bias=False), (1, 2, 3, 3)),
    ("embedding", nn.Embedding(5, 3), None),
    ("layer_norm", nn.LayerNorm(5), (3, 5)),
    ("layer_norm_two", nn.LayerNorm((3, 4), eps=0.1), (2, 3, 4)),
    ("layer_norm_plain", nn.LayerNorm(5, elementwise_affine=False), (3, 5)),
    ("rms_norm", nn.RMSNorm(5), (3, 5)),
    ("rms_norm_eps", nn.RMSNorm((2, 3), eps=0.1), (2, 2, 3)),
    ("rms_norm_plain", nn.RMSNorm(5, elementwise_affine=False), (3, 5)),
    ("group_norm", nn.GroupNorm(2, 4), (2, 4, 3)),
    ("group_norm_plain", nn.GroupNorm(2, 4, eps=0.1, affine=False), (2, 4, 3)),
    ("batch_norm2d", nn.BatchNorm2d(2), (3, 2, 2, 3)),
    ("batch_norm2d_eval", nn.BatchNorm2d(2, eps=0.1).eval(), (3, 2, 2, 3)),
    ("batch_norm2d_plain", nn.BatchNorm2d(2, affine=False), (3, 2, 2, 3)),
    (
        "batch_norm2d_untracked",
        nn.BatchNorm2d(2, track_running_stats=False).eval(),
        (3, 2, 2, 3),
    ),
    ("relu", nn.ReLU(), (3, 4)),
    ("silu", nn.SiLU(), (3, 4)),
    ("gelu", nn.GELU(), (3, 4)),
    ("gelu_tanh", nn.GELU(approximate="tanh"), (3, 4)),
    ("dropout_eval", nn.Dropout(0.7).eval(), (3, 4)),
    ("dropout_0", nn.Dropout(0), (3, 4)),
    ("flatten", nn.Flatten(), (2, 3, 2)),
    ("flatten_inner", nn.Flatten(0, 1), (2, 3, 2)),
    ("max_pool2d", nn.MaxPool2d(2), IMAGE),
    ("max_pool2d_strided", nn.MaxPool2d((3, 2), stride=(2, 1), padding=1), (1, 2, 5, 4)),
    ("avg_pool2d", nn.AvgPool2d(2), IMAGE),
    ("avg_pool2d_strided", nn.AvgPool2d((3, 2), stride=(2, 1), padding=1), (1, 2, 5, 4)),
    ("sequential", block(), (2, 2, 2, 5)),
]


def rows(values, form="{:.13g}"):
    text, line = "", "   "
    for v in values:
        word = f" {form.format(v)},"
        if len(line) + len(word) > 98:
            text, line = text + line + "\n", "   "
        line += word
    return text + line


def array(name, values, comment=None):
    head = f"// {comment}\n" if comment else ""
    if not values:
        return ""
    return f"{head}inline constexpr double {name}[] = {{\n{rows(values)}\n}};\n"


def flat(tensors):
    return [v for t in tensors for v in t.detach().reshape(-1).tolist()]


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def case(name, module, shape):
    module.double()
    fill(module)
    if name == "batch_norm2d_eval":
        module.running_mean.copy_(tensor([2], BUFFER))
        module.running_var.copy_(tensor([2], BUFFER + 1).abs() + 0.5)
    if shape is None:
        shape, x = (2, 3), torch.tensor([[0, 4, 1], [4, 2, 4]])
    else:
        x = tensor(shape, INPUT).requires_grad_()
    y = module(x)
    y.backward(tensor(y.shape, INCOMING))
    results = {
        "Output": flat([y]),
        "Input": flat([x.grad]) if x.requires_grad else [],
        "Grads": flat(p.grad for p in module.parameters()),
    }
    arrays = "".join(array(f"k{camel(name)}{part}", v) for part, v in results.items())
    spans = ", ".join(f"k{camel(name)}{part}" if v else "{}" for part, v in results.items())
    braced = "{" + ", ".join(map(str, shape)) + "}"
    out = "{" + ", ".join(map(str, y.shape)) + "}"
    words = [f'"{name}"', *state_of(module), f"{braced}, {out}", spans]
    return arrays, f"  {{{wrapped(words)}}},\n"


def statistics(name, momentum):
    """Running mean and variance of two channels after each of four batches, then evaluation."""
    module = nn.BatchNorm2d(2, momentum=momentum).double()
    values = []
    for batch in range(4):
        module(tensor((2 + batch, 2, 2, 3), batch) * (batch + 1) + batch)
        assert module.num_batches_tracked == batch + 1
        values += flat([module.running_mean, module.running_var])
    values += flat([module.eval()(tensor((1, 2, 1, 2), INPUT))])
    return array(name, values, f"momentum {momentum}")


HEAD = """\
// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT

/// @file
/// Generated by tests/goldens/{script}; do not edit. What PyTorch's modules compute.
///
/// Command: python3 {script}. PyTorch {torch} on the CPU, float64, 1 thread, Python {python}.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

// clang-format off
namespace goldens {{

/// Element i of a tensor: parameter number k of a module has the salt k, the others those below.
constexpr double number(std::int64_t i, std::int64_t salt) {{
  return static_cast<double>((i * 37 + salt * 101) * 53 % 97 - 48) / 32;
}}
inline constexpr std::int64_t kInput = {input}, kIncoming = {incoming}, kBuffer = {buffer};

struct ModuleCase {{
  std::string_view name;
  std::string_view state;  // names and shapes of torch's state_dict(), a blank after each
  std::vector<std::int64_t> input_shape, output_shape;
  std::span<const double> output, input_grad, grads;  // grads: of all parameters in their order
}};

"""


def main():
    torch.set_num_threads(1)
    script = pathlib.Path(__file__)
    body, entries = "", ""
    for arguments in CASES:
        arrays, entry = case(*arguments)
        body, entries = body + arrays, entries + entry
    body += (
        f"\ninline const std::array<ModuleCase, {len(CASES)}> kModuleCases = {{{{\n{entries}}}}};\n"
        "\n// Of BatchNorm2d(2): running mean and variance of both channels after each of four\n"
        "// batches, number(i, batch) * (batch + 1) + batch of shape [2 + batch, 2, 2, 3], then\n"
        "// what evaluation makes of number(i, kInput) of shape [1, 2, 1, 2].\n"
    )
    body += statistics("kStatistics", 0.1) + statistics("kStatisticsFast", 0.75)
    body += statistics("kStatisticsOfAll", None)
    head = HEAD.format(
        script=script.name,
        torch=torch.__version__.split("+")[0],
        python=platform.python_version(),
        input=INPUT,
        incoming=INCOMING,
        buffer=BUFFER,
    )
    text = head + body + "\n}  // namespace goldens\n// clang-format on\n"
    script.with_name("nn.hpp").write_text(text)


if __name__ == "__main__":
    main()
