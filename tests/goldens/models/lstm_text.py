# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Trains a language model of characters on a text (--data, a file), or on this program itself, and
lets it write: an LSTM of two layers (Hochreiter and Schmidhuber 1997), whose last layer shares its
weights with the embedding (Press and Wolf 2016, arXiv:1608.05859)."""

from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from models.run import arguments

BATCH, LENGTH = 16, 64


class LanguageModel(nn.Module):
    def __init__(self, characters, width=256, p=0.2):
        super().__init__()
        self.embedding = nn.Embedding(characters, width)
        self.lstm = nn.LSTM(width, width, num_layers=2, batch_first=True, dropout=p)
        self.dropout = nn.Dropout(p)
        self.head = nn.Linear(width, characters)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        self.head.weight = self.embedding.weight

    def forward(self, x, state):
        """The scores [N, T, characters] of the characters that follow on each of these [N, T], and
        the state behind them."""
        output, state = self.lstm(self.dropout(self.embedding(x)), state)
        return self.head(self.dropout(output)), state


class Training:
    def __init__(self, model, precision, steps, lr=3e-3, max_norm=1):
        self.model = model
        self.autocast = precision["autocast"]
        self.scaler = torch.amp.GradScaler(**precision["scaler"])
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, steps)
        self.max_norm = max_norm
        self.state = None  # behind the characters of the last step

    def step(self, x, y):
        """`x` [N, T] goes on where the last step ended, but gradients stop there; `y` is one
        character ahead."""
        has_fp16 = self.autocast["dtype"] == torch.float16  # of which oneDNN has no LSTM
        with torch.autocast(**self.autocast), torch.backends.mkldnn.flags(enabled=not has_fp16):
            scores, (h, c) = self.model(x, self.state)
            loss = F.cross_entropy(scores.flatten(0, 1), y.flatten())
            self.state = h.detach(), c.detach()
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.scaler.step(self.optimizer)
        scale = self.scaler.get_scale()
        self.scaler.update()
        if self.scaler.get_scale() >= scale:  # not skipped
            self.schedule.step()
        return loss


@torch.no_grad()
def write(model, characters, count, temperature):
    """Text that the model draws, at a temperature: below 1, likely characters become likelier. It
    begins with the first character of all, the end of a line."""
    model.eval()
    text = [torch.zeros(1, 1, dtype=torch.long)]
    state = None
    for _ in range(count):
        scores, state = model(text[-1], state)
        text.append((scores[0] / temperature).softmax(1).multinomial(1))
    return bytes(characters[torch.cat(text).flatten()].tolist()).decode(errors="replace")


def main(run):
    text = bytearray(Path(run.data or __file__).read_bytes())
    characters, numbers = torch.frombuffer(text, dtype=torch.uint8).unique(return_inverse=True)
    # Each row of a batch goes on with the text of the same row of the batch before.
    batches = (len(numbers) - 1) // (BATCH * LENGTH)
    used = BATCH * batches * LENGTH
    x = numbers[:used].view(BATCH, batches, LENGTH).transpose(0, 1)
    y = numbers[1 : used + 1].view(BATCH, batches, LENGTH).transpose(0, 1)

    training = Training(LanguageModel(len(characters)), run.precision, run.steps)
    for step in range(run.steps):
        if step % batches == 0:
            training.state = None
        loss = training.step(x[step % batches], y[step % batches])
        if step % 20 == 0:
            print(f"step {step:4}  loss {loss.item():.4f}")
    print(write(training.model, characters, 500, 0.7))


if __name__ == "__main__":
    main(arguments(steps=500))
