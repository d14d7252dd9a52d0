#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Transforms small images with torchvision; writes transforms.txt beside itself.

    python3 make_transforms.py

Needs torchvision beside PyTorch. The images are made by a formula, which the test repeats: element i
of the uint8 image is (37 i + 11 i^2) mod 251, and the float image is that divided by 250.
"""

import blocks
import torch
import torchvision
from torchvision.transforms import functional as v1
from torchvision.transforms.v2 import InterpolationMode as Mode
from torchvision.transforms.v2 import functional as F


def image(*shape):
    i = torch.arange(torch.Size(shape).numel())
    return ((37 * i + 11 * i * i) % 251).to(torch.uint8).reshape(shape)


def floats(*shape):
    return image(*shape).to(torch.float32) / 250


cases = []


def case(title, result):
    cases.append((title, [blocks.tensor("result", result)]))


for name, x in [("uint8", image(3, 4, 5)), ("float32", floats(3, 4, 5))]:
    for factor in [0, 0.4, 1.7]:
        case(f"{name} adjust_brightness {factor}", F.adjust_brightness(x, factor))
        case(f"{name} adjust_contrast {factor}", F.adjust_contrast(x, factor))
        case(f"{name} adjust_saturation {factor}", F.adjust_saturation(x, factor))
    for factor in [-0.5, -0.2, 0.13]:
        case(f"{name} adjust_hue {factor}", F.adjust_hue(x, factor))
    case(f"{name} rgb_to_grayscale 1", F.rgb_to_grayscale(x, 1))
    case(f"{name} rgb_to_grayscale 3", F.rgb_to_grayscale(x, 3))
    for mode in ["constant", "edge", "reflect", "symmetric"]:
        fill = {"fill": 3} if mode == "constant" else {}
        case(f"{name} pad {mode}", F.pad(x, [1, 2, 3, 3], padding_mode=mode, **fill))
    case(f"{name} hflip", F.horizontal_flip(x))
    case(f"{name} vflip", F.vertical_flip(x))
    case(f"{name} crop", F.crop(x, 1, -2, 5, 7))
    case(f"{name} center_crop smaller", F.center_crop(x, [2, 4]))
    case(f"{name} center_crop larger", F.center_crop(x, [8, 4]))
    case(f"{name} erase", F.erase(x, 1, 2, 3, 3, torch.tensor([5], dtype=x.dtype)[:, None, None]))
    case(f"{name} resize shorter", F.resize(x, [3]))
    case(f"{name} resize longest", F.resize(x, [9], max_size=11))
    for mode in [Mode.BILINEAR, Mode.BICUBIC, Mode.NEAREST, Mode.NEAREST_EXACT]:
        case(f"{name} resize smaller {mode.value}", F.resize(x, [2, 4], mode))
        case(f"{name} resize larger {mode.value}", F.resize(x, [6, 11], mode))
    case(f"{name} resize aliased", F.resize(x, [2, 4], antialias=False))

case("uint8 to float32", v1.convert_image_dtype(image(3, 4, 5), torch.float32))  # as ToTensor
case("float32 to uint8", v1.convert_image_dtype(floats(3, 4, 5), torch.uint8))
case("normalize", F.normalize(floats(3, 4, 5), [0.1, 0.2, 0.3], [0.5, 0.25, 2]))
case("grid", torchvision.utils.make_grid(floats(5, 3, 2, 3), nrow=3, padding=1, pad_value=0.5))
case(
    "grid normalized",
    torchvision.utils.make_grid(floats(2, 1, 2, 3), normalize=True, scale_each=True),
)

blocks.write(
    __file__,
    "What torchvision makes of images of 4 x 5 with three channels, and of several images.",
    f"torchvision {torchvision.__version__.split('+')[0]}, PyTorch {torch.__version__.split('+')[0]} on the CPU",
    cases,
)
