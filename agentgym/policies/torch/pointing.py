"""A small convolutional policy: a grey picture and a description become a distribution over cells of the picture.

Descriptions are numbers to it: it knows those that it was made with, and cannot read others.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from agentgym.authoring.players import call_text
from agentgym.errors import CheckpointError
from agentgym.message import Message, content_text
from agentgym.picture import is_picture, read_image
from agentgym.policies.model_folder import POINTER_FILE
from agentgym.policy import Reply, Request

Grey = NDArray[np.uint8]
"""A picture as its brightness, uint8[H, W]."""
CELL = 2
"""Side of a cell, in pixels of the sent picture."""
_LAYOUT = torch.channels_last
"""Layout of pictures in memory: on a CPU, updates take half the time of the usual one."""
_BRIGHTNESS = np.array([0.299, 0.587, 0.114], np.float32)
_WEIGHTS = "model.safetensors"


class PixelPolicy(nn.Module):
    """A distribution over cells.

    Args:
        names: The descriptions that it knows.
        width: Channels.
    """

    def __init__(self, names: Sequence[str], width: int = 16) -> None:
        super().__init__()
        self.names, self.width = list(names), width
        self.numbers = {name: number for number, name in enumerate(names)}
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 5, stride=CELL, padding=2),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=2, dilation=2),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=4, dilation=4),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
        )
        self.features.to(memory_format=_LAYOUT)  # type: ignore[call-overload]  # torch's stubs do not know it
        self.queries = nn.Embedding(len(names), width)

    def forward(self, pictures: Tensor, owners: Tensor, names: Tensor) -> Tensor:
        """Log-probabilities of cells.

        Args:
            pictures: float32[B, H, W], from 0 to 1.
            owners: int64[Q], the picture of each question, ascending.
            names: int64[Q], the description of each question.

        Returns:
            float32[Q, rows * columns].
        """
        maps = self.features(pictures[:, None].contiguous(memory_format=_LAYOUT)).flatten(2)
        # A picture's map serves all its questions; a copy for each of them would take most of the time.
        logits = torch.cat([self.queries(names[owners == number]) @ each for number, each in enumerate(maps)])
        return torch.log_softmax(logits / self.width**0.5, dim=-1)

    @torch.no_grad()
    def points(self, grey: Grey, names: Sequence[str]) -> list[tuple[int, int]]:
        """The pixel of the sent picture in the middle of the likeliest cell, for each description.

        Args:
            grey: uint8[H, W].
            names: Descriptions that it knows.
        """
        numbers = torch.tensor([self.numbers[name] for name in names], dtype=torch.long)
        chosen = self(as_tensor([grey]), torch.zeros_like(numbers), numbers).argmax(dim=-1)
        columns, rows = middles(grey)
        places = [divmod(int(cell), len(columns)) for cell in chosen]
        return [(int(columns[column]), int(rows[row])) for row, column in places]


class Pointer:
    """A policy that answers with the likeliest point; it calls `absent` for a description that it does not know.

    Args:
        model: What points.
        name: The name under which results are reported.
        seen_hashes: Content hashes of the tasks that it was trained on.
    """

    uses_tokens = False
    concurrency = 1

    def __init__(self, model: PixelPolicy, name: str, seen_hashes: Iterable[str] = ()) -> None:
        self.model, self.name, self.seen_hashes = model, name, frozenset(seen_hashes)

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """One point for each request."""
        return [Reply(self._answer(request.messages)) for request in requests]

    def forget(self, episode: str) -> None:
        """Nothing is kept."""

    def _answer(self, messages: Sequence[Message]) -> str:
        shown = next(message for message in messages if message["role"] == "user")
        name = content_text(shown).partition("\n")[0]
        grey = _picture_in(shown)
        if grey is None or name not in self.model.numbers:
            return call_text("absent")
        [(x, y)] = self.model.points(grey, [name])
        return call_text("point", x=x, y=y)


def save(model: PixelPolicy, folder: Path, scale: float, seen_hashes: Iterable[str]) -> None:
    """Write the weights, and beside them what is needed to make the policy again."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: weights.contiguous() for name, weights in model.state_dict().items()}, folder / _WEIGHTS)
    facts = {"names": model.names, "width": model.width, "scale": scale, "seen_hashes": sorted(seen_hashes)}
    (folder / POINTER_FILE).write_text(json.dumps(facts, ensure_ascii=False, indent=2), encoding="utf-8")


def load_pointer(folder: Path) -> Pointer:
    """The policy of a folder that `save` wrote; its environment must send pictures of the same scale.

    Raises:
        CheckpointError: The folder has none, or a damaged one.
    """
    try:
        facts = json.loads((folder / POINTER_FILE).read_text(encoding="utf-8"))
        model = PixelPolicy(facts["names"], facts["width"])
        model.load_state_dict(load_file(folder / _WEIGHTS))
        return Pointer(model.eval(), folder.name, facts["seen_hashes"])
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise CheckpointError(f"{folder} holds no policy that points at pixels: {error}") from error


def middles(grey: Grey) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Columns and rows of the middles of cells, int64[columns] and int64[rows], in pixels of the sent picture."""
    height, width = grey.shape
    return _along(width), _along(height)


def grey_of(pixels: NDArray[np.uint8]) -> Grey:
    """The brightness of a picture, uint8[H, W], from uint8[H, W, 3]."""
    return (pixels.astype(np.float32) @ _BRIGHTNESS).astype(np.uint8)


def as_tensor(pictures: Sequence[Grey]) -> Tensor:
    """Pictures as float32[B, H, W]."""
    return torch.from_numpy(np.stack(pictures).astype(np.float32) / 255)


def _along(size: int) -> NDArray[np.int64]:
    return np.minimum(np.arange(0, size, CELL) + CELL // 2, size - 1)


def _picture_in(message: Message) -> Grey | None:
    parts = message["content"] if isinstance(message["content"], list) else []
    for part in parts:
        image = read_image(part["image_url"]["url"]) if is_picture(part) else None
        if image is not None:
            with Image.open(io.BytesIO(image.content)) as picture:
                return grey_of(np.asarray(picture.convert("RGB"), np.uint8))
    return None
