"""A small convolutional policy: a grey picture and a name become a distribution over cells of the screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.grounding.screens import STEP, Grey

STRIDE = 2
CELL = STRIDE * STEP
"""Side of a cell, in pixels of the screen."""


class PixelPolicy(nn.Module):
    """A distribution over cells.

    Args:
        names: The instructions that it knows.
        width: Channels.
    """

    def __init__(self, names: Sequence[str], width: int = 24) -> None:
        super().__init__()
        self.numbers = {name: number for number, name in enumerate(names)}
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 5, stride=STRIDE, padding=2),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=2, dilation=2),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=4, dilation=4),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
        )
        self.queries = nn.Embedding(len(names), width)
        self.biases = nn.Embedding(len(names), 1)
        nn.init.zeros_(self.biases.weight)

    def forward(self, pictures: Tensor, owners: Tensor, names: Tensor) -> Tensor:
        """Log-probabilities of cells.

        Args:
            pictures: float32[B, H, W], from 0 to 1.
            owners: int64[Q], the picture of each question.
            names: int64[Q], the name of each question.

        Returns:
            float32[Q, rows * columns].
        """
        maps = self.features(pictures[:, None]).flatten(2)
        logits = torch.einsum("qw,qwc->qc", self.queries(names), maps[owners]) / maps.shape[1] ** 0.5
        return torch.log_softmax(logits + self.biases(names), dim=-1)

    def cells(self, grey: Grey) -> tuple[int, int]:
        """Rows and columns of cells of a picture."""
        height, width = grey.shape
        return (height + STRIDE - 1) // STRIDE, (width + STRIDE - 1) // STRIDE

    @torch.no_grad()
    def point(self, grey: Grey, name: str) -> tuple[int, int] | None:
        """The pixel in the middle of the likeliest cell; None for a name that it does not know."""
        if name not in self.numbers:
            return None
        zero = torch.zeros(1, dtype=torch.long)
        chosen = int(self(as_tensor([grey]), zero, zero + self.numbers[name]).argmax())
        _, columns = self.cells(grey)
        return middle(chosen, columns)


def middle(cell: int, columns: int) -> tuple[int, int]:
    """The pixel in the middle of a cell."""
    row, column = divmod(cell, columns)
    return column * CELL + CELL // 2, row * CELL + CELL // 2


def as_tensor(pictures: Sequence[Grey]) -> Tensor:
    """Pictures as float32[B, H, W]."""
    return torch.from_numpy(np.stack(pictures).astype(np.float32) / 255)
