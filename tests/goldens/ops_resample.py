# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Golden cases of interpolate, grid_sample and affine_grid, for make_ops.py."""

import torch.nn.functional as F

from cases import INFINITY, NAN, case, floats, values

# Numbered as InterpolateMode.
MODES = ("nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area")


def interpolation():
    def resize(detail, x, mode, size=None, scale_factor=None, align_corners=False,
               recompute=False, antialias=False, data=None):
        """Attributes: mode, align_corners, recompute_scale_factor, antialias, whether sizes follow."""
        nearest = mode.startswith("nearest")
        one = lambda n: n[0] if n is not None and len(n) == 1 else n  # for all dimensions
        aligns = {} if nearest or mode == "area" else {"align_corners": align_corners}
        case(
            "interpolate(nearest)" if nearest else "interpolate",
            f"{mode}, {detail}",
            lambda t: F.interpolate(
                t, size=one(size), scale_factor=one(scale_factor), mode=mode,
                antialias=antialias, recompute_scale_factor=recompute or None, **aligns),
            values(x, len(mode)) if data is None else data,
            attributes=(MODES.index(mode), align_corners, recompute, antialias,
                        size is not None, *(size or scale_factor)),
        )

    plane, line, box = (1, 2, 3, 4), (2, 2, 5), (1, 1, 2, 3, 2)
    for mode in ("nearest", "nearest-exact", "area"):
        resize("to 2 by its factor", plane, mode, scale_factor=(2,))
        resize("to a size", plane, mode, size=(5, 3))
        resize("of a line", line, mode, size=(7,))
        resize("of a volume", box, mode, size=(3, 2, 5))
        resize("smaller", (1, 2, 5, 7), mode, size=(2, 3))
        resize("of no images", (0, 2, 3, 4), mode, size=(2, 2))
        resize("of one pixel", (1, 1, 1, 1), mode, size=(2, 2))
        resize("to one pixel", plane, mode, size=(1, 1))
        resize("of no numbers", plane, mode, size=(5, 4),
               data=floats([[[[1, NAN, 2], [INFINITY, 1, 3], [0, -INFINITY, 2]]]]))
    # To the same size, "nearest" of a line or volume is no identity in torch, though its gradient is,
    # and "bicubic" has the gradient of an identity.
    for mode, x in (("nearest", plane), ("nearest-exact", line)):
        resize("by a factor that is not 1, to the same size", x, mode, scale_factor=(1.125,))
    for mode in ("nearest", "nearest-exact"):
        resize("by a factor between", line, mode, scale_factor=(1.625,))
        resize("by a recomputed factor", line, mode, scale_factor=(1.625,), recompute=True)
    for mode, x in (("linear", line), ("bilinear", plane), ("trilinear", box), ("bicubic", plane)):
        dims = len(x) - 2
        for aligned in (False, True):
            ends = ", aligned" if aligned else ""
            resize(f"by 2{ends}", x, mode, scale_factor=(2,), align_corners=aligned)
            resize(f"to a size{ends}", x, mode, size=(5, 3, 2)[:dims], align_corners=aligned)
            resize(f"by factors between{ends}", x, mode, scale_factor=(1.625, 0.75, 1.5)[:dims],
                   align_corners=aligned)
            resize(f"to one{ends}", x, mode, size=(1,) * dims, align_corners=aligned)
            resize(f"of one{ends}", (1, 2) + (1,) * dims, mode, size=(3,) * dims,
                   align_corners=aligned)
        resize("smaller", (1, 1) + (9, 7, 1)[:dims], mode, size=(3, 2, 1)[:dims])
        resize("by a recomputed factor", x, mode, scale_factor=(1.625,), recompute=True)
        resize("to the same size", x, mode, size=x[2:])
        if mode != "bicubic":
            resize("by a factor that is not 1, to the same size", x, mode, scale_factor=(1.125,))
        resize("of no images", (0,) + x[1:], mode, size=(2,) * dims)
    for mode in ("bilinear", "bicubic"):
        for aligned in (False, True):
            ends = ", aligned" if aligned else ""
            resize(f"antialiased, smaller{ends}", (1, 1, 9, 11), mode, size=(4, 3),
                   align_corners=aligned, antialias=True)
            resize(f"antialiased, larger{ends}", (1, 2, 3, 4), mode, size=(5, 7),
                   align_corners=aligned, antialias=True)
        resize("antialiased, by factors", (1, 1, 9, 11), mode, scale_factor=(0.375, 0.75),
               antialias=True)
        resize("antialiased, to the same size", plane, mode, size=(3, 4), antialias=True)
        resize("antialiased, of one pixel", (1, 2, 1, 1), mode, size=(2, 2), antialias=True)


def sampling():
    def points(shape, seed):
        """Multiples of 1/32 from -1.25 to 1.25: not all of them within the image."""
        x = values(shape, seed)
        return (x * 20).round() / 32

    def sample(detail, x, grid, mode="bilinear", padding="zeros", aligned=False, data=None):
        case(
            "grid_sample",
            f"{mode}, {padding}, {detail}",
            lambda a, b: F.grid_sample(a, b, mode=mode, padding_mode=padding, align_corners=aligned),
            values(x, 3),
            points(grid, 4) if data is None else data,
            attributes=(("bilinear", "nearest", "bicubic").index(mode),
                        ("zeros", "border", "reflection").index(padding), aligned),
        )

    for mode in ("bilinear", "nearest", "bicubic"):
        for padding in ("zeros", "border", "reflection"):
            for aligned in (False, True):
                ends = "aligned" if aligned else "by edges"
                sample(ends, (2, 2, 3, 4), (2, 3, 3, 2), mode, padding, aligned)
                far = points((1, 3, 3, 2), 5) * 4
                sample(f"far, {ends}", (1, 1, 4, 3), (1, 3, 3, 2), mode, padding, aligned, far)
                if mode != "bicubic":
                    sample(f"volume, {ends}", (1, 2, 2, 3, 4), (1, 2, 3, 2, 3), mode, padding, aligned)
        sample("one pixel", (1, 1, 1, 1), (1, 1, 1, 2), mode)
        sample("no images", (0, 2, 3, 4), (0, 2, 2, 2), mode)
        sample("no points", (1, 2, 3, 4), (1, 0, 2, 2), mode)

    def affine(detail, theta, size, aligned=False):
        case("affine_grid", detail, lambda t: F.affine_grid(t, size, align_corners=aligned),
             values(theta, 5), attributes=(aligned, *size))

    for aligned in (False, True):
        ends = ", aligned" if aligned else ""
        affine(f"of images{ends}", (2, 2, 3), (2, 3, 3, 4), aligned)
        affine(f"of volumes{ends}", (1, 3, 4), (1, 2, 2, 3, 4), aligned)
        affine(f"of one pixel{ends}", (1, 2, 3), (1, 1, 1, 1), aligned)
