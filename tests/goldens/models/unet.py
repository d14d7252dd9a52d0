# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Trains a U-Net (Ronneberger et al. 2015, arXiv:1505.04597) with padded convolutions and batch
norm, three levels deep, to find discs and rectangles in images that it draws itself."""

import torch
import torch.nn.functional as F
from torch import nn

from models.run import arguments

SIZE = 64  # pixels, as high as wide


def double_conv(n_in, n_out):
    return nn.Sequential(
        nn.Conv2d(n_in, n_out, 3, padding=1, bias=False),
        nn.BatchNorm2d(n_out),
        nn.ReLU(),
        nn.Conv2d(n_out, n_out, 3, padding=1, bias=False),
        nn.BatchNorm2d(n_out),
        nn.ReLU(),
    )


class Up(nn.Module):
    """Doubles height and width, and joins what the same level saw on the way down."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.up = nn.ConvTranspose2d(n_in, n_out, 2, stride=2)
        self.conv = double_conv(2 * n_out, n_out)

    def forward(self, x, skip):
        return self.conv(torch.cat([skip, self.up(x)], 1))


class UNet(nn.Module):
    def __init__(self, classes=3, width=16):
        super().__init__()
        self.down1 = double_conv(3, width)
        self.down2 = double_conv(width, 2 * width)
        self.down3 = double_conv(2 * width, 4 * width)
        self.bottom = double_conv(4 * width, 8 * width)
        self.up3 = Up(8 * width, 4 * width)
        self.up2 = Up(4 * width, 2 * width)
        self.up1 = Up(2 * width, width)
        self.last = nn.Conv2d(width, classes, 1)

    def forward(self, images):
        x1 = self.down1(images)
        x2 = self.down2(F.max_pool2d(x1, 2))
        x3 = self.down3(F.max_pool2d(x2, 2))
        x = self.bottom(F.max_pool2d(x3, 2))
        return self.last(self.up1(self.up2(self.up3(x, x3), x2), x1))


def dice_loss(logits, classes):
    """1 less the Dice coefficient, the overlap of what is predicted with what is there, averaged
    over images and classes. A class that an image does not have adds nothing if it is not
    predicted."""
    p = logits.softmax(1)
    y = F.one_hot(classes, p.size(1)).movedim(-1, 1)
    overlap = (p * y).sum((2, 3))
    area = (p + y).sum((2, 3))
    return 1 - ((2 * overlap + 1) / (area + 1)).mean()


class Training:
    def __init__(self, model, precision, lr=1e-3):
        self.model = model
        self.autocast = precision["autocast"]
        self.scaler = torch.amp.GradScaler(**precision["scaler"])
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def step(self, images, classes):
        with torch.autocast(**self.autocast):
            logits = self.model(images)
            loss = F.cross_entropy(logits, classes) + dice_loss(logits, classes)
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss


def draw(count):
    """Images with noise, and the classes of their pixels: 1 in discs, 2 in rectangles, else 0. Both
    have bright colours on a dark one, so that only the outline tells which of them it is."""

    def uniform(low, high, channels=1):
        return torch.rand(count, channels, 1, 1) * (high - low) + low

    x = torch.linspace(0, 1, SIZE)
    y = x.unsqueeze(1)
    images = uniform(0, 0.5, 3).expand(count, 3, SIZE, SIZE)
    classes = torch.zeros(count, 1, SIZE, SIZE, dtype=torch.int64)
    for _ in range(2):
        x1, y1 = x - uniform(0.2, 0.8), y - uniform(0.2, 0.8)
        disc = x1.square() + y1.square() < uniform(0.1, 0.25).square()
        images = torch.where(disc, uniform(0.5, 1, 3), images)
        classes = classes.masked_fill(disc, 1)

        x2, y2 = x - uniform(0.2, 0.8), y - uniform(0.2, 0.8)
        box = (x2.abs() < uniform(0.1, 0.25)) & (y2.abs() < uniform(0.1, 0.25))
        images = torch.where(box, uniform(0.5, 1, 3), images)
        classes = classes.masked_fill(box, 2)
    return images + 0.1 * torch.randn_like(images), classes.squeeze(1)


def main(run):
    training = Training(UNet(), run.precision)
    for step in range(run.steps):
        images, classes = draw(16)
        loss = training.step(images, classes)
        if step % 10 == 0:
            print(f"step {step:4}  loss {loss.item():.4f}")

    training.model.eval()
    with torch.no_grad():
        images, classes = draw(100)
        found = training.model(images).argmax(1)
    pairs = torch.bincount((3 * classes + found).flatten(), minlength=9).reshape(3, 3)
    both = pairs.diagonal()
    iou = both / (pairs.sum(0) + pairs.sum(1) - both)
    print(f"mean IoU {iou.mean().item():.3f}")


if __name__ == "__main__":
    main(arguments(steps=300))
