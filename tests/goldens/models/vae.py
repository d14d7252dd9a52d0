# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Trains a variational autoencoder (Kingma and Welling 2013, arXiv:1312.6114) of convolutions on
MNIST (--data, the folder), and writes images of random codes to vae.ppm. An encoder gives the
normal distribution of an image's code, a decoder the probability that each pixel is white."""

import torch
import torch.nn.functional as F
from torch import nn

from models.run import arguments

LATENTS = 20


class VAE(nn.Module):
    def __init__(self, side=28, width=32, latents=LATENTS):
        super().__init__()
        n = side // 4
        features = 2 * width * n * n
        self.encoder = nn.Sequential(
            nn.Conv2d(1, width, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, 2 * width, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(features, 2 * latents),
        )
        self.decoder = nn.Sequential(
            nn.Linear(latents, features),
            nn.ReLU(),
            nn.Unflatten(1, (2 * width, n, n)),
            nn.ConvTranspose2d(2 * width, width, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1),
        )

    def loss(self, images, noise):
        """The negative of the lower bound of log p(image), averaged over the images. `noise` [N,
        latents] is normal: the code of an image is drawn with it."""
        mean, log_variance = self.encoder(images).chunk(2, dim=1)
        logits = self.decoder(mean + noise * (log_variance / 2).exp())
        error = F.binary_cross_entropy_with_logits(logits, images, reduction="sum")
        divergence = (mean.square() + log_variance.exp() - log_variance - 1).sum() / 2
        return (error + divergence) / len(images)


class Training:
    def __init__(self, model, precision, lr=1e-3):
        self.model = model
        self.autocast = precision["autocast"]
        self.scaler = torch.amp.GradScaler(**precision["scaler"])
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def step(self, images, noise):
        with torch.autocast(**self.autocast):
            loss = self.model.loss(images, noise)
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss


def main(run):
    import torchvision
    from torchvision import transforms

    plain = transforms.ToTensor()
    train = torchvision.datasets.MNIST(run.data, transform=plain)
    test = torchvision.datasets.MNIST(run.data, train=False, transform=plain)
    batches = torch.utils.data.DataLoader(train, batch_size=128, shuffle=True, num_workers=2)
    tests = torch.utils.data.DataLoader(test, batch_size=256)

    training = Training(VAE(), run.precision)
    step = 0
    while step < run.steps:
        for images, _ in batches:
            loss = training.step(images, torch.randn(len(images), LATENTS))
            if step % 100 == 0:
                print(f"step {step:4}  loss {loss.item():.2f}")
            step += 1
            if step == run.steps:
                break

    total = 0
    with torch.no_grad():
        for images, _ in tests:
            noise = torch.randn(len(images), LATENTS)
            total += training.model.loss(images, noise).item() * len(images)
        print(f"test loss {total / len(test):.2f}")
        images = training.model.decoder(torch.randn(64, LATENTS)).sigmoid()
        torchvision.utils.save_image(images, "vae.ppm")


if __name__ == "__main__":
    main(arguments(steps=2000))
