# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Denoising diffusion (Ho et al. 2020, arXiv:2006.11239) on CIFAR-10 (--data, the folder) at 16 by 16
pixels: a small U-Net predicts the noise. Samples with the averaged weights, in few steps (Song et al.
2020, arXiv:2010.02502)."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from models.run import arguments


class ResidualBlock(nn.Module):
    def __init__(self, n_in, n_out, n_time):
        super().__init__()
        self.norm1 = nn.GroupNorm(8, n_in)
        self.norm2 = nn.GroupNorm(8, n_out)
        self.conv1 = nn.Conv2d(n_in, n_out, 3, padding=1)
        self.conv2 = nn.Conv2d(n_out, n_out, 3, padding=1)
        self.time = nn.Linear(n_time, n_out)
        self.skip = nn.Identity() if n_in == n_out else nn.Conv2d(n_in, n_out, 1)

    def forward(self, x, time):
        y = self.conv1(F.silu(self.norm1(x))) + self.time(time)[..., None, None]
        return self.conv2(F.silu(self.norm2(y))) + self.skip(x)


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.GroupNorm(8, width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        pixels = self.norm(x).flatten(2).mT
        y = F.scaled_dot_product_attention(*self.qkv(pixels).chunk(3, dim=-1))
        return x + self.out(y).mT.reshape(x.shape)


class UNet(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        n_time = 4 * width
        self.width = width
        self.time = nn.Sequential(
            nn.Linear(width, n_time), nn.SiLU(), nn.Linear(n_time, n_time), nn.SiLU()
        )
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.before = ResidualBlock(width, width, n_time)
        self.down = nn.Conv2d(width, 2 * width, 3, stride=2, padding=1)
        self.middle1 = ResidualBlock(2 * width, 2 * width, n_time)
        self.attention = Attention(2 * width)
        self.middle2 = ResidualBlock(2 * width, 2 * width, n_time)
        self.up = nn.Conv2d(2 * width, width, 3, padding=1)
        self.after = ResidualBlock(2 * width, width, n_time)
        self.norm = nn.GroupNorm(8, width)
        self.last = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, images, t):
        angles = t[:, None] * torch.logspace(0, -4, self.width // 2, dtype=images.dtype)
        time = self.time(torch.cat((angles.sin(), angles.cos()), dim=1))
        x = self.before(self.first(images), time)
        y = self.attention(self.middle1(self.down(x), time))
        y = self.up(F.interpolate(self.middle2(y, time), scale_factor=2))
        y = self.after(torch.cat((x, y), dim=1), time)
        return self.last(F.silu(self.norm(y)))


class Diffusion:
    """Images at times from 0, without noise, to `times`, where only noise is left."""

    def __init__(self, times=1000):
        betas = torch.linspace(1e-4, 0.02, times, dtype=torch.float64)
        self.times = times
        self.signal = F.pad((1 - betas).cumprod(0), (1, 0), value=1)  # its share of the variance

    def factors(self, t, dtype):
        signal = self.signal[t][:, None, None, None]
        return signal.sqrt().to(dtype), (1 - signal).sqrt().to(dtype)

    def add_noise(self, images, t, noise):
        signal, sigma = self.factors(t, images.dtype)
        return signal * images + sigma * noise

    def sample(self, model, noise, steps):
        x = noise
        times = torch.linspace(self.times, 0, steps + 1).long()[:, None].expand(-1, len(x))
        for now, following in zip(times[:-1], times[1:]):
            predicted = model(x, now)
            signal, sigma = self.factors(now, x.dtype)
            images = ((x - sigma * predicted) / signal).clamp(-1, 1)
            x = self.add_noise(images, following, predicted)
        return x


class Training:
    def __init__(self, model, precision, lr=1e-3, warmup=100, decay=0.995):
        self.model = model
        self.diffusion = Diffusion()
        self.autocast = precision["autocast"]
        self.scaler = torch.amp.GradScaler(**precision["scaler"])
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.schedule = torch.optim.lr_scheduler.LinearLR(self.optimizer, total_iters=warmup)
        self.average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(decay))

    def loss(self, model, images, t, noise):
        with torch.autocast(**self.autocast):
            return F.mse_loss(model(self.diffusion.add_noise(images, t, noise), t), noise)

    def step(self, images, t, noise):
        loss = self.loss(self.model, images, t, noise)
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.scaler.step(self.optimizer)
        scale = self.scaler.get_scale()
        self.scaler.update()
        if self.scaler.get_scale() >= scale:  # not skipped
            self.schedule.step()
            self.average.update_parameters(self.model)
        return loss

    @torch.no_grad
    def test(self, images, t, noise):
        return self.loss(self.average, images, t, noise)

    @torch.no_grad
    def sample(self, noise, steps):
        return self.diffusion.sample(self.average, noise, steps)


def main(run):
    import torchvision
    from torchvision import transforms

    prepare = transforms.Compose(
        [transforms.Resize(16), transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.5] * 3)]
    )
    train = torchvision.datasets.CIFAR10(run.data, transform=prepare)
    test = torchvision.datasets.CIFAR10(run.data, train=False, transform=prepare)
    batches = torch.utils.data.DataLoader(train, batch_size=64, shuffle=True, num_workers=2)
    tests = torch.utils.data.DataLoader(test, batch_size=256)

    training = Training(UNet(), run.precision)
    times = training.diffusion.times
    step = 0
    while step < run.steps:
        for images, _ in batches:
            t = torch.randint(1, times + 1, (len(images),))
            loss = training.step(images, t, torch.randn_like(images))
            if step % 50 == 0:
                print(f"step {step:4}  loss {loss.item():.4f}")
            step += 1
            if step == run.steps:
                break

    images, _ = next(iter(tests))
    t = torch.randint(1, times + 1, (len(images),))
    loss = training.test(images, t, torch.randn_like(images))
    print(f"averaged weights, other images: loss {loss.item():.4f}")
    samples = training.sample(torch.randn(32, *images.shape[1:]), steps=50)
    torchvision.utils.save_image(samples, "diffusion.png", normalize=True, value_range=(-1, 1))


if __name__ == "__main__":
    main(arguments(steps=5000))
