# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Inputs and cases of ops, for make_ops.py and its families of ops.

Every input and every incoming gradient is exactly representable in bfloat16, float16 and wider, so
one golden serves every dtype: the only error of a 16-bit op is its own rounding.
Inputs are multiples of 1/16 in [-2, 2], distinct among any 65 consecutive elements (see `values`),
so that no maximum is tied by chance; products of two are exact in float32, and so are the sums of
them here.

The name of an op describes its call: `pow` is the plain form, `pow(number, x)` another one. An
op that starts with `Tensor::` is a member function.
"""

import torch

cases = []

REDUCTIONS = ("none", "mean", "sum")  # numbered 0, 1, 2 in the attributes
INFINITY = float("inf")
NAN = float("nan")


def values(shape, seed):
    """Multiples of 1/16 in [-2, 2] in an order that `seed` rotates; 37 is prime to 65."""
    count = torch.Size(shape).numel()
    flat = [((37 * i + 11 * seed) % 65 - 32) / 16 for i in range(count)]
    return torch.tensor(flat, dtype=torch.float64).reshape(shape)


def nonzero(shape, seed):
    """Multiples of 1/16 in [-2.5, -0.5] and [0.5, 2.5]."""
    x = values(shape, seed)
    return torch.where(x < 0, x - 0.5, x + 0.5)


def positive(shape, seed):
    """Multiples of 1/16 in [1/16, 65/16]."""
    return values(shape, seed) + 33 / 16


def unit(shape, seed):
    """Multiples of 1/64 in [0, 1]."""
    return values(shape, seed) / 4 + 0.5


def wide(shape, seed):
    """Multiples of 2 in [-64, 64]: logits whose exponentials leave the range of 16 bits."""
    return values(shape, seed) * 32


def coarse(shape, seed):
    """Integers in [-2, 2]: many ties."""
    return values(shape, seed).round()


def floats(rows):
    return torch.tensor(rows, dtype=torch.float64)


def incoming(shape):
    """The incoming gradient: multiples of 1/8 in [-1, 1]; 3/4 for a scalar."""
    count = torch.Size(shape).numel()
    flat = [((5 * i + 3) % 17 - 8) / 8 for i in range(count)] if len(shape) else [0.75]
    return torch.tensor(flat, dtype=torch.float64).reshape(shape)


def exact(tensor):
    """Returns whether the 16-bit formats represent the tensor exactly."""
    return all(
        torch.allclose(tensor.to(t).double(), tensor, rtol=0, atol=0, equal_nan=True)
        for t in (torch.bfloat16, torch.half)
    )


def case(op, detail, function, *inputs, attributes=(), index=None, constants=()):
    """Runs `function` on inputs, of which gradients are recorded, and then `constants`.

    Attributes and the index, a tensor of integers or bools, are what C++ needs to call the same op.
    `function` returns one tensor, or several, of which the first is differentiated if it is real.
    """
    given = [x.clone() for x in (*inputs, *constants)]
    inputs = [x.clone().requires_grad_() for x in inputs]
    outputs = function(*inputs, *(x.clone() for x in constants))
    outputs = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
    gradient = incoming(outputs[0].shape)
    real = outputs[0].dtype == torch.float64
    if real:
        outputs[0].backward(gradient)
    assert all(exact(x) for x in (*given, gradient)), (op, detail)
    assert all(x.numel() <= 120 for x in (*given, *outputs)), (op, detail)
    cases.append(
        {
            "op": op,
            "detail": detail,
            "operands": [
                (x, inputs[k].grad if real and k < len(inputs) else None)
                for k, x in enumerate(given)
            ],
            "attributes": attributes,
            "index": index,
            "outputs": [x.detach() for x in outputs],
            "gradient": gradient if real else torch.empty(0),
        }
    )


def random_case(op, detail, shape, operands, attributes):
    """An op whose values depend on the generator: only dtype and shape can be compared."""
    cases.append(
        {
            "op": op,
            "detail": detail,
            "operands": [(x, torch.empty(0)) for x in operands],
            "attributes": attributes,
            "index": None,
            "outputs": [torch.empty(shape, dtype=torch.complex128)],
            "gradient": incoming(shape),
        }
    )
