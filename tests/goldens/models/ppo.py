# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Proximal policy optimisation (Schulman et al. 2017, arXiv:1707.06347) on the cart and its pole
(Barto, Sutton and Anderson 1983): the reward is -1 when the pole falls. There is no limit of time.
Many carts move at once."""

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical

from models.run import arguments


class CartPole:
    """A state is [x, velocity, angle, angular velocity]. A cart is pushed to the left (0) or right."""

    def __init__(self, starts):
        self.states = starts

    @staticmethod
    def random_starts(count):
        return 0.1 * torch.rand(count, 4) - 0.05

    def step(self, actions, starts):
        """Returns which poles fell: they go on from `starts`."""
        x, velocity, angle, spin = self.states.unbind(1)
        push = (10 * (2 * actions - 1) + 0.05 * spin.square() * angle.sin()) / 1.1
        torque = 9.8 * angle.sin() - push * angle.cos()
        turn = torque / (0.5 * (4 / 3 - 0.1 / 1.1 * angle.cos().square()))
        pull = push - 0.05 / 1.1 * turn * angle.cos()
        change = torch.stack([velocity, pull, spin, turn], 1)
        states = self.states + 0.02 * change
        fell = (states[:, 0].abs() > 2.4) | (states[:, 2].abs() > 0.21)
        self.states = torch.where(fell.unsqueeze(1), starts, states)
        return fell


def linear(n_in, n_out, gain=math.sqrt(2)):
    layer = nn.Linear(n_in, n_out)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def mlp(n_out, gain, width):
    return nn.Sequential(
        linear(4, width), nn.Tanh(), linear(width, width), nn.Tanh(), linear(width, n_out, gain)
    )


class ActorCritic(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.actor = mlp(2, 0.01, width)
        self.critic = mlp(1, 1, width)

    def forward(self, states):
        return self.actor(states), self.critic(states).squeeze(-1)


class Rollout(NamedTuple):
    states: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    advantages: torch.Tensor
    returns: torch.Tensor


def advantages(fell, values, discount=0.99, decay=0.95):
    """Generalised advantage estimation (Schulman et al. 2015, arXiv:1506.02438). fell[t] is after
    step t, and values[t] before it; there is one more of these."""
    goes_on = discount * ~fell
    errors = goes_on * values[1:] - values[:-1] - 1.0 * fell
    result = torch.zeros_like(values)
    for t in reversed(range(len(fell))):
        result[t] = errors[t] + decay * goes_on[t] * result[t + 1]
    return result[:-1]


class Training:
    def __init__(self, model, precision, lr=1e-3):
        self.model = model
        self.autocast = precision["autocast"]
        self.scaler = torch.amp.GradScaler(**precision["scaler"])
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    @torch.no_grad()
    def play(self, env, steps):
        states, actions, fell = [env.states], [], []
        with torch.autocast(**self.autocast):
            for _ in range(steps):
                actions.append(Categorical(logits=self.model.actor(env.states)).sample())
                fell.append(env.step(actions[-1], env.random_starts(len(env.states))))
                states.append(env.states)
            states, actions = torch.stack(states), torch.stack(actions)
            logits, values = self.model(states)
            log_probs = Categorical(logits=logits[:-1]).log_prob(actions)
        gains = advantages(torch.stack(fell), values.float())
        parts = states[:-1], actions, log_probs, gains, gains + values[:-1]
        return Rollout(*(part.flatten(0, 1) for part in parts))

    def step(self, states, actions, log_probs, advantages, returns):
        with torch.autocast(**self.autocast):
            logits, values = self.model(states)
            policy = Categorical(logits=logits)
            ratio = (policy.log_prob(actions) - log_probs).exp()
            gains = (advantages - advantages.mean()) / advantages.std()
            clipped = torch.minimum(ratio * gains, ratio.clamp(0.8, 1.2) * gains).mean()
            loss = 0.5 * F.mse_loss(values, returns) - clipped - 0.01 * policy.entropy().mean()
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss


@torch.no_grad()
def balanced_steps(model):
    """How long the likelier actions keep the poles up, on average."""
    env = CartPole(CartPole.random_starts(200))
    up, steps = torch.ones(200, dtype=torch.bool), torch.zeros(200)
    for _ in range(500):
        up &= ~env.step(model.actor(env.states).argmax(1), env.states)
        steps += up
    return steps.mean().item()


def main(run):
    training = Training(ActorCritic(), run.precision)
    env = CartPole(CartPole.random_starts(64))
    for step in range(run.steps):
        rollout = training.play(env, 32)
        for _ in range(4):
            for rows in torch.randperm(len(rollout.actions)).split(256):
                loss = training.step(*(part[rows] for part in rollout))
        if step % 10 == 0:
            balanced = balanced_steps(training.model)
            print(f"step {step:4}  loss {loss.item():.4f}  balanced for {balanced:.0f} steps")
    print(f"balanced for {balanced_steps(training.model):.0f} of 500 steps")


if __name__ == "__main__":
    main(arguments(steps=100))
