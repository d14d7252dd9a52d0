# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""amp's op list beside PyTorch's autocast lists for CUDA, name by name.

The names come from ATen/autocast_mode.h, from which PyTorch registers its casts, and from
torch/testing/_internal/autocast_test_lists.py, with which PyTorch tests them. Each is run: amp's
op with operands of the dtypes that PyTorch's test gives it, in a scope of float16.
"""

import pathlib
import re
import subprocess
import sys
import types

import torch

# The lists need two names of a module that imports packages which few have.
sys.modules.setdefault("torch.testing._internal.common_utils",
                       types.SimpleNamespace(TEST_WITH_ROCM=False, TestCase=object))
from torch.testing._internal.autocast_test_lists import AutocastTestLists  # noqa: E402

LISTS = {"low_precision": ("torch_fp16", "nn_fp16", "linalg_fp16", "methods_fp16"),
         "float32": ("torch_fp32", "nn_fp32", "methods_fp32"),
         "promote": ("torch_need_autocast_promote",),
         "banned": ("banned",),
         "passthrough": ("torch_expect_builtin_promote", "methods_expect_builtin_promote")}
MACROS = {"AT_FORALL_LOWER_PRECISION_FP": "low_precision", "AT_FORALL_FP32": "float32",
          "AT_FORALL_FP32_SET_OPT_DTYPE": "float32",
          "AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE": "float32", "AT_FORALL_PROMOTE": "promote"}

# What PyTorch's registration calls otherwise than its documentation, or implements a function with.
PUBLIC = {"nll_loss2d": "nll_loss", "native_layer_norm": "layer_norm", "frobenius_norm": "norm",
          "grid_sampler": "grid_sample", "convolution": "conv2d",
          "__matmul__": "matmul", "__pow__": "pow", "__div__": "div"}
# Without an op of amp, and why.
ABSENT = {"cudnn_convolution": "cuDNN by name", "cudnn_convolution_transpose": "cuDNN by name",
          "nuclear_norm": "needs singular values",
          "equal": "a bool of the host, not a tensor"}


def public_name(name):
    """The name under which amp has the function; None for what is not public."""
    if name in PUBLIC:
        return PUBLIC[name]
    if re.match("_?upsample_", name):
        return "interpolate"
    if re.fullmatch("__[a-z]+__", name):
        return name.strip("_")
    return None if name.startswith("_") or name in ABSENT else name


def dtypes_of(arguments):
    """The dtypes of the floating-point tensors among an entry's arguments."""
    for argument in arguments:
        if isinstance(argument, torch.Tensor):
            if argument.is_floating_point():
                yield str(argument.dtype).removeprefix("torch.")
        elif isinstance(argument, (tuple, list)):
            yield from dtypes_of(argument)


def entries():
    """(name, policy, dtypes) of both sources; the header has no dtypes."""
    lists = AutocastTestLists("cpu")
    for policy, members in LISTS.items():
        for entry in (e for member in members for e in getattr(lists, member)):
            yield entry[0], policy, list(dtypes_of(entry[1:]))
    header = pathlib.Path(torch.__file__).parent / "include/ATen/autocast_mode.h"
    for macro, lines in re.findall(r"#define (AT_FORALL_\w+)\(_\)((?:.*\\\n)*.*)",
                                   header.read_text()):
        for name in re.findall(r"_\((?:ADD_NS\()?(\w+)", lines) if macro in MACROS else ():
            yield name, MACROS[macro], []


def expected_dtype(policy, dtypes):
    if policy == "banned":
        return "error"
    if policy in ("promote", "passthrough"):
        return "float32" if "float32" in dtypes else "float16"
    return "float16" if policy == "low_precision" else "float32"


def answers_of(program, asked):
    """[(policy, dtypes of the results)] of each (name, dtypes); no results for a name amp lacks."""
    lines = "".join(f"{name} {' '.join(dtypes)}\n" for name, dtypes in asked)
    ran = subprocess.run([program, "--autocast"], input=lines, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"evaluate --autocast ended with {ran.returncode}: {ran.stderr.strip()}")
    blocks = ran.stdout.split("end\n")[:-1]
    return [[line.split() for line in block.splitlines()] for block in blocks]


def check(program):
    """Prints each name that differs, and returns their number."""
    wanted = {}  # (public name, dtypes) -> policy
    for name, policy, dtypes in entries():
        if public := public_name(name):
            for given in [dtypes] if dtypes else [["float16"], ["float32"]]:
                wanted[public, tuple(given)] = policy
    missing, different = set(), set()
    for ((name, dtypes), policy), forms in zip(wanted.items(), answers_of(program, wanted)):
        if not forms:
            missing.add(name)
        for amps_policy, dtype in forms:
            expected = expected_dtype(policy, dtypes)
            if amps_policy != policy or dtype not in (expected, "bool"):
                different.add(name)
                print(f"autocast: {name} of {', '.join(dtypes)}: {policy}, {expected} in PyTorch; "
                      f"{amps_policy}, {dtype} in amp")
    for name in sorted(missing):
        print(f"autocast: PyTorch lists {name}, amp has no such op")
    names = {name for name, _ in wanted}
    print(f"autocast: {len(names) - len(missing)} of the {len(names)} functions that PyTorch lists "
          f"are there; {len(different)} differ")
    return len(missing) + len(different)
