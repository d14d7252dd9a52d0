# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Contrastive training of images and captions (CLIP: Radford et al. 2021, arXiv:2103.00020) on
CIFAR-10 (--data, the folder). Classifies test images by the captions of the classes."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.lr_scheduler import ChainedScheduler, CosineAnnealingLR, LinearLR

from models.run import arguments

LENGTH = 24  # tokens of a caption
END = "\x7f"  # the token with the highest number


def tokenize(captions):
    """A token for each character, the end token, and zeros."""
    return torch.tensor([list((c + END).ljust(LENGTH, "\0").encode()) for c in captions])


def halve(n_in, n_out):
    return nn.Sequential(
        nn.Conv2d(n_in, n_out, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(n_out), nn.GELU()
    )


class CLIP(nn.Module):
    def __init__(self, width=64, heads=4, layers=2):
        super().__init__()
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))
        self.positions = nn.Parameter(torch.randn(LENGTH, width))
        self.embedding = nn.Embedding(128, width)
        layer = nn.TransformerEncoderLayer(
            width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True
        )
        self.transformer = nn.TransformerEncoder(
            layer, layers, nn.LayerNorm(width), enable_nested_tensor=False
        )
        self.image_encoder = nn.Sequential(
            halve(3, width),
            halve(width, 2 * width),
            halve(2 * width, 4 * width),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(4 * width, width, bias=False),
        )
        self.projection = nn.Linear(width, width, bias=False)

    def encode_text(self, tokens):
        mask = nn.Transformer.generate_square_subsequent_mask(LENGTH)
        x = self.transformer(self.embedding(tokens) + self.positions, mask, is_causal=True)
        x = x[torch.arange(len(x)), tokens.argmax(1)]  # at the end token
        return F.normalize(self.projection(x), dim=1)

    def encode_images(self, images):
        return F.normalize(self.image_encoder(images), dim=1)

    def forward(self, images, tokens):
        return self.logit_scale.exp() * self.encode_images(images) @ self.encode_text(tokens).T


class Training:
    def __init__(self, model, precision, steps, lr=1e-3, warmup=50):
        self.model = model
        self.autocast = precision["autocast"]
        self.scaler = torch.amp.GradScaler(**precision["scaler"])
        matrices = [p for p in model.parameters() if p.dim() > 1]
        others = [p for p in model.parameters() if p.dim() <= 1]
        self.optimizer = torch.optim.AdamW(
            [{"params": matrices}, {"params": others, "weight_decay": 0}], lr=lr, weight_decay=0.2
        )
        rise = LinearLR(self.optimizer, total_iters=warmup)
        self.schedule = ChainedScheduler([rise, CosineAnnealingLR(self.optimizer, steps)])

    def step(self, images, tokens):
        with torch.autocast(**self.autocast):
            logits = self.model(images, tokens)
            pairs = torch.arange(len(logits))
            loss = (F.cross_entropy(logits, pairs) + F.cross_entropy(logits.T, pairs)) / 2
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        scale = self.scaler.get_scale()
        self.scaler.update()
        if self.scaler.get_scale() >= scale:  # not skipped
            self.schedule.step()
        with torch.no_grad():
            self.model.logit_scale.clamp_(0, math.log(100))
        return loss


def main(run):
    import torchvision
    from torchvision import transforms

    names = ["plane", "car", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
    captions = tokenize([f"a {name}" for name in names])
    normalize = transforms.Normalize((0.491, 0.482, 0.447), (0.247, 0.243, 0.262))
    augment = transforms.Compose(
        [
            transforms.RandomCrop(32, padding=4),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            normalize,
        ]
    )
    plain = transforms.Compose([transforms.ToTensor(), normalize])
    train = torchvision.datasets.CIFAR10(run.data, transform=augment)
    test = torchvision.datasets.CIFAR10(run.data, train=False, transform=plain)
    batches = torch.utils.data.DataLoader(train, batch_size=64, shuffle=True, num_workers=2)
    tests = torch.utils.data.DataLoader(test, batch_size=256)

    training = Training(CLIP(), run.precision, run.steps)
    step = 0
    while step < run.steps:
        for images, classes in batches:
            loss = training.step(images, captions[classes])
            if step % 50 == 0:
                print(f"step {step:4}  loss {loss.item():.4f}")
            step += 1
            if step == run.steps:
                break

    model = training.model.eval()
    correct = 0
    with torch.no_grad():
        texts = model.encode_text(captions)
        for images, classes in tests:
            correct += ((model.encode_images(images) @ texts.T).argmax(1) == classes).sum().item()
    print(f"accuracy by captions {100 * correct / len(test):.1f} %")


if __name__ == "__main__":
    main(arguments(steps=1000))
