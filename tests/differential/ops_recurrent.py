# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Random recurrent networks and packed sequences, and the same in torch. As ops.py, of which it is a
part."""

import torch
from torch.nn.utils import rnn

from draw import tensor
from ops import Call, op

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
EXTENTS = (1, 2, 3, 5, 8, 17)


def weights(rng, dtype, gates, inputs, units, biases):
    shapes = [[gates * units, inputs], [gates * units, units]]
    shapes += [[gates * units]] * 2 if biases else []
    return [tensor(rng, shape, dtype, "normal") for shape in shapes]


@op(*(f"{name}_cell" for name in GATES))
def cell(name, rng, dtype):
    kind = name.removesuffix("_cell")
    batch, inputs, units = (rng.choice(EXTENTS) for _ in range(3))
    count = 2 if kind == "lstm" else 1
    states = [tensor(rng, [batch, units], dtype, "normal") for _ in range(count)]
    drawn = [tensor(rng, [batch, inputs], dtype), *states]
    drawn += weights(rng, dtype, GATES[kind], inputs, units, rng.random() < 0.8)
    function = getattr(torch, name)

    def run(x, *rest):
        if kind != "lstm":
            return function(x, *rest)
        return torch.cat(function(x, list(rest[:2]), *rest[2:]))

    return Call(name, drawn, [], run, low_inside=True)


@op(*GATES)
def layers(name, rng, dtype):
    batch, inputs, units = (rng.choice(EXTENTS[:5]) for _ in range(3))
    steps, number, count = rng.randint(1, 6), rng.randint(1, 2), 2 if name == "lstm" else 1
    both, first, biases = (rng.random() < p for p in (0.5, 0.4, 0.8))
    directions = 2 if both else 1
    shape = [number * directions, batch, units]
    states = [tensor(rng, shape, dtype, "normal") for _ in range(count)]
    parameters = []
    for layer in range(number):
        for _ in range(directions):
            width = directions * units if layer else inputs
            parameters += weights(rng, dtype, GATES[name], width, units, biases)
    x = [batch, steps, inputs] if first else [steps, batch, inputs]
    numbers = [number, int(both), int(first), int(biases)]
    function = getattr(torch, name)

    def run(x, *rest):
        hx = list(rest[:2]) if count == 2 else rest[0]
        return function(x, hx, list(rest[count:]), biases, number, 0.0, False, both, first)

    return Call(name, [tensor(rng, x, dtype), *states, *parameters], numbers, run, low_inside=True)


@op("pack_padded_sequence")
def packing(name, rng, dtype):
    first, batch, steps = rng.random() < 0.5, rng.randint(1, 5), rng.randint(1, 7)
    lengths = sorted((rng.randint(1, steps) for _ in range(batch)), reverse=True)
    shape = ([batch, steps] if first else [steps, batch]) + [rng.choice(EXTENTS)]

    def run(x):
        packed = rnn.pack_padded_sequence(x, torch.tensor(lengths), first)
        return packed.data, packed.batch_sizes

    return Call(name, [tensor(rng, shape, dtype)], [int(first), 1, *lengths], run, smooth=False,
                copies=True)


@op("pad_packed_sequence")
def padding(name, rng, dtype):
    first, value = rng.random() < 0.5, rng.choice([0, 1, 2])
    lengths = torch.tensor([rng.randint(1, 7) for _ in range(rng.randint(1, 5))])
    total = rng.choice([0, int(lengths.max()) + 2])
    order = torch.sort(lengths, descending=True, stable=True)[1]
    sizes = torch.tensor([int((lengths > t).sum()) for t in range(int(lengths.max()))])

    def run(x):
        sequence = rnn.PackedSequence(x, sizes, order, torch.argsort(order))
        return rnn.pad_packed_sequence(sequence, first, value, total or None)

    return Call(name, [tensor(rng, [int(lengths.sum()), rng.choice(EXTENTS)], dtype)],
                [int(first), value, total, *lengths.tolist()], run, smooth=False, copies=True)


@op("pad_sequence")
def padded(name, rng, dtype):
    first, value, left = rng.random() < 0.5, rng.choice([0, 1, 2]), rng.random() < 0.5
    width = rng.choice(EXTENTS)
    drawn = [tensor(rng, [rng.randint(0, 6), width], dtype) for _ in range(rng.randint(1, 5))]
    side = "left" if left else "right"
    return Call(name, drawn, [int(first), value, int(left)],
                lambda *x: rnn.pad_sequence(list(x), first, value, side), smooth=False, copies=True)
