# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Cases of recurrent networks and of packed sequences, for make_ops.py."""

import torch
from torch.nn.utils import rnn

from cases import INFINITY, NAN, case, floats, values

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def small(shape, seed):
    """Multiples of 1/64 in [-1/2, 1/2], so that few gates saturate."""
    return values(shape, seed) / 4


def weights(gates, inputs, units, seed, biases=True):
    result = [small((gates * units, inputs), seed), small((gates * units, units), seed + 1)]
    return result + [small((gates * units,), seed + k) for k in (2, 3) if biases]


def cells():
    def cell(op, detail, batch=2, inputs=3, units=3, biases=True):
        count = 2 if op == "lstm" else 1
        states = [small((batch, units), 5 + k) for k in range(count)]
        function = getattr(torch, f"{op}_cell")

        def call(x, *rest):
            hx = rest[0] if count == 1 else list(rest[:2])
            result = function(x, hx, *rest[count:])
            return result if count == 1 else torch.cat(result)

        case(f"{op}_cell", detail, call, values((batch, inputs), 1), *states,
             *weights(GATES[op], inputs, units, 7, biases))

    for op in GATES:
        cell(op, "with biases")
        cell(op, "without biases", batch=3, inputs=2, units=5, biases=False)
        cell(op, "of one number", 1, 1, 1)
        cell(op, "of an empty batch", 0)
        cell(op, "of no inputs", 2, 0, 2)


def layers():
    def network(op, detail, batch=2, steps=3, inputs=2, units=3, number=1, bidirectional=False,
                batch_first=False, biases=True, lengths=None):
        gates, directions = GATES[op], 2 if bidirectional else 1
        count = 2 if op == "lstm" else 1
        shape = (batch, steps, inputs) if batch_first else (steps, batch, inputs)
        states = [small((number * directions, batch, units), 5 + k) for k in range(count)]
        parameters = []
        for layer in range(number):
            for d in range(directions):
                width = inputs if layer == 0 else directions * units
                parameters += weights(gates, width, units, 7 + 5 * layer + 11 * d, biases)
        function = getattr(torch, op)

        def run(x, rest, packed=None):
            hx = rest[0] if count == 1 else list(rest[:2])
            options = (biases, number, 0.0, False, bidirectional)
            if packed is None:
                return function(x, hx, list(rest[count:]), *options, batch_first)
            return function(packed.data, packed.batch_sizes, hx, list(rest[count:]), *options)

        attributes = (number, bidirectional, batch_first, biases)
        operands = [values(shape, 1), *states, *parameters]
        if lengths is None:
            case(op, detail, lambda x, *rest: run(x, rest), *operands, attributes=attributes)
            last = lambda x, *rest: torch.cat(run(x, rest)[1:])
            if number == 2 or steps == 9:
                case(f"{op}(last states)", detail, last, *operands, attributes=attributes)
            return

        order = torch.sort(lengths, descending=True, stable=True)[1]
        back = torch.argsort(order)
        sizes = torch.tensor([int((lengths > t).sum()) for t in range(steps)])

        def of_packed(x, *rest):
            rest = [s.index_select(1, order) for s in rest[:count]] + list(rest[count:])
            data, *last = run(None, rest, rnn.PackedSequence(x, sizes))
            return [data, *(s.index_select(1, back) for s in last)]

        operands[0] = values((int(lengths.sum()), inputs), 1)
        case(f"{op}(packed)", detail, of_packed, *operands,
             attributes=(*attributes, *lengths.tolist()))

    for op in GATES:
        network(op, "of one layer")
        network(op, "of two layers in two directions", number=2, bidirectional=True)
        network(op, "in two directions, batch first, without biases", bidirectional=True,
                batch_first=True, biases=False)
        network(op, "of many steps", steps=9, batch=3, units=2, bidirectional=True)
        network(op, "of one number", 1, 1, 1, 1)
        network(op, "of an empty batch", 0, bidirectional=True)
        network(op, "of two directions", 3, 4, bidirectional=True, number=2,
                lengths=torch.tensor([2, 4, 1]))
        network(op, "of many steps", 4, 6, units=2, bidirectional=True,
                lengths=torch.tensor([3, 6, 1, 3]))
        network(op, "of one sequence", 1, 1, 1, 1, lengths=torch.tensor([1]))


def packed_sequences():
    def packing(detail, shape, lengths, batch_first=False, enforce_sorted=False, x=None):
        lengths = torch.tensor(lengths)

        def pack(x):
            packed = rnn.pack_padded_sequence(x, lengths, batch_first, enforce_sorted)
            orders = [packed.sorted_indices, packed.unsorted_indices]
            return [packed.data, packed.batch_sizes, *([] if enforce_sorted else orders)]

        case("pack_padded_sequence", detail, pack, values(shape, 1) if x is None else x,
             attributes=(batch_first, enforce_sorted, *lengths.tolist()))

    packing("sorted", (4, 3, 2), [4, 2, 1], enforce_sorted=True)
    packing("unsorted, batch first", (3, 4, 2), [2, 4, 3], batch_first=True)
    packing("of numbers, not up to the end", (5, 3), [2, 3, 3])
    packing("of one number", (1, 1), [1])
    packing("of more dimensions", (2, 2, 2, 3), [1, 2])
    # PyTorch refuses to pack tensors without elements.
    case("pack_padded_sequence", "of empty elements",
         lambda x: [x.flatten(0, 1)[[1, 0, 3]], *(torch.tensor(n) for n in ([2, 1], [1, 0], [1, 0]))],
         values((2, 2, 0), 1), attributes=(False, False, 1, 2))
    packing("of no numbers", None, [1, 2], x=floats([[NAN, 1], [INFINITY, NAN]]))

    def padding(detail, lengths, more=(2,), batch_first=False, value=0.0, total=0):
        lengths = torch.tensor(lengths)
        order = torch.sort(lengths, descending=True, stable=True)[1]
        sizes = [int((lengths > t).sum()) for t in range(int(lengths.max()))]

        def pad(x):
            sequence = rnn.PackedSequence(x, torch.tensor(sizes), order, torch.argsort(order))
            padded = rnn.pad_packed_sequence(sequence, batch_first, value, total or None)
            return [padded[0], padded[1]]

        case("pad_packed_sequence", detail, pad, values((sum(sizes), *more), 2),
             attributes=(batch_first, value, total, *lengths.tolist()))

    padding("in general", [2, 4, 1])
    padding("batch first, with a value", [3, 1, 3], batch_first=True, value=-1.5)
    padding("to a total length, of numbers", [1, 2], (), value=0.5, total=4)
    padding("of one number", [1], (1,))
    padding("of empty elements", [2, 1], (0,))

    def pads(detail, lengths, more=(2,), batch_first=False, value=0.0, left=False):
        case("pad_sequence", detail,
             lambda *x: rnn.pad_sequence(list(x), batch_first, value, "left" if left else "right"),
             *(values((n, *more), k) for k, n in enumerate(lengths)),
             attributes=(batch_first, value, left))

    pads("in general", [2, 4, 1])
    pads("batch first, with a value", [3, 1, 3], batch_first=True, value=-1.5)
    pads("on the left, of numbers", [1, 3], (), left=True, value=2)
    pads("of one sequence", [1], (1,))
    pads("of empty sequences", [0, 2, 0])
