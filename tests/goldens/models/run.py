# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""What the programs of this folder have in common: precision, number of steps and data, which the
command line chooses.

    resnet18.py [--precision fp32|bf16|fp16] [--steps N] [--data PATH]
"""

import argparse

import torch


def precision(name):
    """The options of autocast and of the scaler, for a training in float32, bfloat16 or float16."""
    dtype = torch.float16 if name == "fp16" else torch.bfloat16
    return {
        "autocast": {"device_type": "cpu", "dtype": dtype, "enabled": name != "fp32"},
        "scaler": {"device": "cpu", "enabled": name == "fp16"},
    }


def arguments(steps):
    parser = argparse.ArgumentParser()
    parser.add_argument("--precision", choices=["fp32", "bf16", "fp16"], default="bf16")
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--data")
    run = parser.parse_args()
    run.precision = precision(run.precision)
    return run
