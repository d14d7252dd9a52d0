# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Trains DCGAN (Radford et al. 2015, arXiv:1511.06434) on CIFAR-10 (--data, the folder), and writes
some of what the generator draws to dcgan.png."""

import torch
import torch.nn.functional as F
from torch import nn

from models.run import arguments

NOISE, BATCH = 100, 64


def init_weights(module):
    """The weights that the paper starts with."""
    if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(module.weight, 0, 0.02)
    elif isinstance(module, nn.BatchNorm2d):
        nn.init.normal_(module.weight, 1, 0.02)


def up(n_in, n_out, stride, padding):
    return nn.Sequential(
        nn.ConvTranspose2d(n_in, n_out, 4, stride=stride, padding=padding, bias=False),
        nn.BatchNorm2d(n_out),
        nn.ReLU(),
    )


def make_generator(noise, width):
    """[N, noise, 1, 1] -> [N, 3, 32, 32], with values from -1 to 1."""
    return nn.Sequential(
        up(noise, 4 * width, 1, 0),
        up(4 * width, 2 * width, 2, 1),
        up(2 * width, width, 2, 1),
        nn.ConvTranspose2d(width, 3, 4, stride=2, padding=1, bias=False),
        nn.Tanh(),
    )


def down(n_in, n_out):
    return nn.Sequential(
        nn.Conv2d(n_in, n_out, 4, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(n_out),
        nn.LeakyReLU(0.2),
    )


def make_discriminator(width):
    """[N, 3, 32, 32] -> [N]: how real each image looks, as a logit."""
    return nn.Sequential(
        nn.Conv2d(3, width, 4, stride=2, padding=1, bias=False),
        nn.LeakyReLU(0.2),
        down(width, 2 * width),
        down(2 * width, 4 * width),
        nn.Conv2d(4 * width, 1, 4, bias=False),
        nn.Flatten(0),
    )


def judge(logits, target):
    """The loss of these logits if the images are real (1), or drawn (0)."""
    return F.binary_cross_entropy_with_logits(logits, torch.full_like(logits, target))


class Training:
    def __init__(self, generator, discriminator, precision, lr=2e-4):
        self.generator = generator
        self.discriminator = discriminator
        self.autocast = precision["autocast"]
        self.scaler = torch.amp.GradScaler(**precision["scaler"])
        self.generator_adam = torch.optim.Adam(generator.parameters(), lr=lr, betas=(0.5, 0.999))
        self.discriminator_adam = torch.optim.Adam(
            discriminator.parameters(), lr=lr, betas=(0.5, 0.999)
        )

    def step(self, images, noise):
        with torch.autocast(**self.autocast):
            drawn = self.generator(noise)
            discriminator_loss = judge(self.discriminator(images), 1) + judge(
                self.discriminator(drawn.detach()), 0
            )
        self.discriminator_adam.zero_grad()
        self.scaler.scale(discriminator_loss).backward()
        self.scaler.step(self.discriminator_adam)

        with torch.autocast(**self.autocast):
            generator_loss = judge(self.discriminator(drawn), 1)
        self.generator_adam.zero_grad()
        self.scaler.scale(generator_loss).backward()
        self.scaler.step(self.generator_adam)
        self.scaler.update()
        return generator_loss, discriminator_loss


def main(run):
    import torchvision
    from torchvision import transforms

    scale = transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.5, 0.5)])
    images = torchvision.datasets.CIFAR10(run.data, transform=scale)
    batches = torch.utils.data.DataLoader(
        images, batch_size=BATCH, shuffle=True, num_workers=2, drop_last=True
    )

    generator = make_generator(NOISE, 64).apply(init_weights)
    discriminator = make_discriminator(64).apply(init_weights)
    training = Training(generator, discriminator, run.precision)
    shown = torch.randn(64, NOISE, 1, 1)
    step = 0
    while step < run.steps:
        for real, _ in batches:
            losses = training.step(real, torch.randn(BATCH, NOISE, 1, 1))
            if step % 10 == 0:
                g, d = (loss.item() for loss in losses)
                print(f"step {step:4}  loss of the generator {g:.4f}, of the discriminator {d:.4f}")
            step += 1
            if step == run.steps:
                break

    generator.eval()
    with torch.no_grad():
        drawn = generator(shown)
    torchvision.utils.save_image(drawn, "dcgan.png", normalize=True, value_range=(-1, 1))


if __name__ == "__main__":
    main(arguments(steps=1000))
