# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Golden cases of interpolate, for make_ops.py."""

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
