# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Trains ResNet-18 (He et al. 2015, arXiv:1512.03385) on CIFAR-10 (--data, the folder): the first
convolution is 3 by 3, without pooling. Names of parameters as in torchvision."""

import torch
import torch.nn.functional as F
from torch import nn

from models.run import arguments


def conv(n_in, n_out, kernel, stride):
    return nn.Conv2d(n_in, n_out, kernel, stride=stride, padding=kernel // 2, bias=False)


class BasicBlock(nn.Module):
    def __init__(self, n_in, n_out, stride):
        super().__init__()
        self.conv1 = conv(n_in, n_out, 3, stride)
        self.conv2 = conv(n_out, n_out, 3, 1)
        self.bn1 = nn.BatchNorm2d(n_out)
        self.bn2 = nn.BatchNorm2d(n_out)
        self.downsample = nn.Identity()
        if stride != 1 or n_in != n_out:
            self.downsample = nn.Sequential(conv(n_in, n_out, 1, stride), nn.BatchNorm2d(n_out))

    def forward(self, x):
        y = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
        return (y + self.downsample(x)).relu()


class ResNet18(nn.Module):
    def __init__(self, classes=10, width=64):
        super().__init__()
        self.conv1 = conv(3, width, 3, 1)
        self.bn1 = nn.BatchNorm2d(width)
        self.layer1 = self.layer(width, width, 1)
        self.layer2 = self.layer(width, 2 * width, 2)
        self.layer3 = self.layer(2 * width, 4 * width, 2)
        self.layer4 = self.layer(4 * width, 8 * width, 2)
        self.fc = nn.Linear(8 * width, classes)

    @staticmethod
    def layer(n_in, n_out, stride):
        return nn.Sequential(BasicBlock(n_in, n_out, stride), BasicBlock(n_out, n_out, 1))

    def forward(self, images):
        x = self.bn1(self.conv1(images)).relu()
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))


class Training:
    def __init__(self, model, precision, steps, lr=0.05):
        self.model = model
        self.autocast = precision["autocast"]
        self.scaler = torch.amp.GradScaler(**precision["scaler"])
        self.optimizer = torch.optim.SGD(
            model.parameters(), lr=lr, momentum=0.9, weight_decay=5e-4, nesterov=True
        )
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, steps)

    def step(self, images, classes):
        with torch.autocast(**self.autocast):
            loss = F.cross_entropy(self.model(images), classes)
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        scale = self.scaler.get_scale()
        self.scaler.update()
        if self.scaler.get_scale() >= scale:  # not skipped
            self.schedule.step()
        return loss


def main(run):
    import torchvision
    from torchvision import transforms

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
    batches = torch.utils.data.DataLoader(train, batch_size=128, shuffle=True, num_workers=2)
    tests = torch.utils.data.DataLoader(test, batch_size=256)

    training = Training(ResNet18(), run.precision, run.steps)
    step = 0
    while step < run.steps:
        for images, classes in batches:
            loss = training.step(images, classes)
            if step % 10 == 0:
                print(f"step {step:4}  loss {loss.item():.4f}")
            step += 1
            if step == run.steps:
                break

    training.model.eval()
    correct = 0
    with torch.no_grad():
        for images, classes in tests:
            correct += (training.model(images).argmax(1) == classes).sum().item()
    print(f"accuracy {100 * correct / len(test):.1f} %")


if __name__ == "__main__":
    main(arguments(steps=2000))
