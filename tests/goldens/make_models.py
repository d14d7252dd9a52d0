#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Runs the PyTorch twins of examples/models, which are in models/, for 20 steps in each precision;
writes models.txt beside itself.

    python3 make_models.py

Weights and batches are made by formulas that tests/examples/models.hpp repeats exactly.
"""

import math

import blocks
import numpy as np
import torch
from make_train_cnn import splitmix64
from models import clip, dcgan, diffusion, lstm_text, ppo, resnet18, run, unet, vae

STEPS = 20
PRECISIONS = ("fp64", "fp32", "bf16", "fp16")


def uniform(shape, salt):
    """Multiples of 2^-23 in [-1, 1), by the generator of make_train_cnn.py."""
    counter = (np.uint64(salt) << np.uint64(32)) | np.arange(math.prod(shape), dtype=np.uint64)
    bits = (splitmix64(counter) >> np.uint64(40)).astype(np.float64)
    return torch.from_numpy(bits * 2.0**-23 - 1).reshape(shape)


def inputs(shape, salt, dtype):
    """The same in a dtype, for batches."""
    return uniform(shape, 1000 + salt).to(dtype)


def classes(shape, count, salt):
    """Numbers from 0 to count - 1."""
    return ((uniform(shape, 2000 + salt) + 1) / 2 * count).long()


def filled(module, dtype):
    """The module in this dtype. Weights of matrices and kernels are by the formula, as small as
    their inputs are many, and so are biases; other vectors are 1."""
    for k, (name, p) in enumerate(module.named_parameters()):
        values = uniform(p.shape, k)
        if p.dim() > 1:
            values /= math.sqrt(p[0].numel())
        elif name.endswith("bias"):
            values /= 8
        else:
            values.fill_(1)
        p.data.copy_(values)
    return module.to(dtype)


def resnet18_losses(precision, dtype):
    model = filled(resnet18.ResNet18(classes=4, width=8), dtype)
    training = resnet18.Training(model, precision, STEPS, lr=0.0005)
    for i in range(STEPS):
        yield training.step(inputs((16, 3, 16, 16), i % 4, dtype), classes((16,), 4, i % 4))


def lstm_text_losses(precision, dtype):
    model = filled(lstm_text.LanguageModel(12, 16, 0), dtype)
    training = lstm_text.Training(model, precision, STEPS, lr=0.01, max_norm=0.4)
    for i in range(STEPS):
        yield training.step(classes((4, 10), 12, i % 4), classes((4, 10), 12, (i + 1) % 4))


def vae_losses(precision, dtype):
    training = vae.Training(filled(vae.VAE(8, 8, 4), dtype), precision, lr=0.01)
    for i in range(STEPS):
        images = inputs((16, 1, 8, 8), i % 4, dtype).square()
        yield training.step(images, inputs((16, 4), 4 + i, dtype))


def ppo_losses(precision, dtype):
    training = ppo.Training(filled(ppo.ActorCritic(width=16), dtype), precision, lr=0.003)
    env = ppo.CartPole(inputs((16, 4), 0, dtype) / 20)
    states, fell = [], []
    actions = [classes((16,), 2, t) for t in range(32)]
    for t in range(32):
        states.append(env.states)
        fell.append(env.step(actions[t], inputs((16, 4), 1 + t, dtype) / 20))
    values = inputs((33, 16), 33, dtype)
    gains = ppo.advantages(torch.stack(fell), values)
    log_probs = inputs((32, 16), 34, dtype) / 4 - 0.7
    rollout = torch.stack(states), torch.stack(actions), log_probs, gains, gains + values[:-1]
    for i in range(STEPS):
        yield training.step(*(part.chunk(4)[i % 4] for part in rollout))


def unet_losses(precision, dtype):
    model = filled(unet.UNet(width=4), dtype)
    training = unet.Training(model, precision)
    for i in range(STEPS):
        yield training.step(inputs((4, 3, 32, 32), i % 4, dtype), classes((4, 32, 32), 3, i % 4))


def dcgan_losses(precision, dtype):
    generator = filled(dcgan.make_generator(noise=8, width=4), dtype)
    discriminator = filled(dcgan.make_discriminator(width=4), dtype)
    training = dcgan.Training(generator, discriminator, precision, lr=0.001)
    for i in range(STEPS):
        images = inputs((8, 3, 32, 32), i % 4, dtype)
        of_generator, of_discriminator = training.step(images, inputs((8, 8, 1, 1), 4 + i, dtype))
        yield of_generator + 2 * of_discriminator  # so that both count


def clip_losses(precision, dtype):
    model = filled(clip.CLIP(width=16, heads=2, layers=2), dtype)
    training = clip.Training(model, precision, STEPS, lr=0.002, warmup=5)
    tokens = clip.tokenize([chr(97 + k) * (k + 1) for k in range(16)])  # "a", "bb", "ccc"
    for i in range(STEPS):
        yield training.step(inputs((16, 3, 16, 16), i % 4, dtype), tokens)


def diffusion_losses(precision, dtype):
    """The loss before each update, and that of the averaged weights after it."""
    training = diffusion.Training(
        filled(diffusion.UNet(width=8), dtype), precision, lr=0.002, warmup=5, decay=0.8
    )
    for i in range(STEPS):
        images, noise = (inputs((8, 3, 8, 8), k + i % 4, dtype) for k in (0, 4))
        t = 1 + classes((8,), training.diffusion.times, i % 4)
        yield training.step(images, t, noise) + training.test(images, t, noise)


LOSSES = {n.removesuffix("_losses"): f for n, f in sorted(globals().items()) if n.endswith("_losses")}


def lines(losses, precision):
    """Of a run: fp64 is float32's with a model of float64."""
    dtype = torch.float64 if precision == "fp64" else torch.float32
    options = run.precision("fp32" if precision == "fp64" else precision)
    options["scaler"]["init_scale"] = 1024  # far from overflow, where last digits would decide
    digits = 13 if precision == "fp64" else 8
    return [("losses", [float(f"{loss.item():.{digits}g}") for loss in losses(options, dtype)])]


ABOUT = "Losses of the programs in models/ over 20 steps, before each update."

if __name__ == "__main__":
    torch.set_num_threads(1)
    blocks.write(
        __file__,
        ABOUT,
        f"PyTorch {torch.__version__.split('+')[0]} on the CPU, 1 thread",
        [(f"{name} {p}", lines(losses, p)) for name, losses in LOSSES.items() for p in PRECISIONS],
    )
