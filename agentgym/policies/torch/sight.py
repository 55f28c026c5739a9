"""How a vision-language model sees: the tokens of a picture, its pixels as the model reads them, and positions.

Models are those whose pictures are grids of patches with rotary positions in time, height and width, as in Qwen2-VL
(Wang et al. 2024, arXiv:2409.12191), Qwen2.5-VL and Qwen3-VL.
"""

from __future__ import annotations

import hashlib
import io
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import torch
from PIL import Image, ImageOps
from torch import Tensor, nn
from transformers import AutoConfig

from agentgym.errors import ConfigError, ContractError, WrongModelError
from agentgym.picture import read_image

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_KEPT_BYTES = 256 * 2**20
"""Of pixels that were read last; a group shows the same pictures many times."""
_SUPPORTED = (
    "name a model such as Qwen2-VL, Qwen2.5-VL or Qwen3-VL, or serve it and name it as the policy endpoint:URL#MODEL"
)


class Pixels(NamedTuple):
    """A picture as a model reads it.

    Attributes:
        patches: float32[N, P], N patches of P numbers.
        grid: int64[3], the number of patches in time, height and width.
    """

    patches: Tensor
    grid: Tensor


class Sight:
    """What goes with the weights of a model that sees.

    Threads may share it: prompts are rendered while a policy answers others.

    Args:
        processor: Turns a picture into patches: an image processor of transformers.
        token: Id of the token that stands for a part of a picture.
        merge: Rows and columns of patches that become one token.
        stand_in: Id of a token of text, which is read in the place of `token` where a policy sampled that.
    """

    def __init__(self, processor: Any, token: int, merge: int, stand_in: int = 0) -> None:
        self.token = token
        self._processor, self._merge, self._stand_in = processor, merge, stand_in
        self._kept: OrderedDict[str, Pixels] = OrderedDict()
        self._num_bytes = 0
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # of copies of the same model

    @classmethod
    def load(cls, folder: Path | str, trust_remote_code: bool = False) -> Sight:
        """That of a model in a folder; its weights are not read.

        Args:
            folder: Holds config.json and preprocessor_config.json.
            trust_remote_code: Whether Python code in the folder may run.

        Raises:
            WrongModelError: The model reads pictures in another way, or the folder does not say how.
        """
        from transformers import AutoImageProcessor  # takes a second to import

        how: dict[str, Any] = {"local_files_only": True, "trust_remote_code": trust_remote_code}
        try:
            config: Any = AutoConfig.from_pretrained(folder, **how)
            token = getattr(config, "image_token_id", None)
            merge = getattr(getattr(config, "vision_config", None), "spatial_merge_size", None)
            if token is None or merge is None:
                raise WrongModelError(
                    f"the model in {str(folder)!r} reads pictures as {config.model_type} does, which is not supported "
                    f"in this process; {_SUPPORTED}"
                )
            loader: Any = AutoImageProcessor
            stand_in = getattr(config, "video_token_id", None) or 0  # no prompt has a video
            return cls(loader.from_pretrained(folder, backend="pil", **how), int(token), int(merge), int(stand_in))
        except WrongModelError:
            raise
        except Exception as error:  # what reads a damaged file raises errors of any kind
            reason = (str(error).splitlines() or [type(error).__name__])[0].strip(" .:")
            raise WrongModelError(
                f"the model in {str(folder)!r} reads pictures, and its image processor cannot be loaded: {reason}; "
                "copy preprocessor_config.json there from where the model comes from"
            ) from error

    def save(self, folder: Path) -> None:
        """Write the image processor beside the weights."""
        self._processor.save_pretrained(folder)

    @property
    def fingerprint(self) -> str:
        """Digest of how pictures are read."""
        return hashlib.blake2b(self._processor.to_json_string().encode(), digest_size=8).hexdigest()

    def num_tokens(self, url: str) -> int:
        """The number of tokens of a picture.

        Args:
            url: Its data URL.
        """
        return int(self.read(url).grid.prod()) // self._merge**2

    def read(self, url: str) -> Pixels:
        """A picture as the model reads it.

        Args:
            url: Its data URL.

        Raises:
            ContractError: It is no picture, or one that is too narrow or too large.
        """
        with self._lock:
            kept = self._kept.get(url)
            if kept is not None:
                self._kept.move_to_end(url)
                return kept
        read = self._read(url)
        with self._lock:
            if url not in self._kept:
                self._kept[url] = read
                self._num_bytes += read.patches.nbytes + len(url)
            while self._num_bytes > _KEPT_BYTES and len(self._kept) > 1:
                dropped, pixels = self._kept.popitem(last=False)
                self._num_bytes -= pixels.patches.nbytes + len(dropped)
        return read

    def readable(self, ids: Tensor, places: Sequence[tuple[int, str]]) -> Tensor:
        """Ids in which the token of pictures stands for pictures alone.

        A policy can sample that token. Models take each for a part of a picture, of which there are no pixels.

        Args:
            ids: int64[L].
            places: Of each picture in them the index of its first token and its data URL.

        Returns:
            int64[L], the stand-in in the place of each token that is no part of a picture.

        Raises:
            ContractError: A picture has not as many tokens there as the model reads.
        """
        is_alone = ids == self.token
        for start, url in places:
            size = self.num_tokens(url)
            own = is_alone[start : start + size]
            if start < 0 or len(own) != size or not bool(own.all()):
                raise ContractError(
                    f"a picture that the model reads as {size} tokens has fewer from token {start} on; its prompt was "
                    "rendered for another image processor or chat template: render it again"
                )
            own[:] = False
        return ids.masked_fill(is_alone, self._stand_in)

    def inputs(self, urls: Sequence[str], device: torch.device) -> dict[str, Tensor]:
        """What a model takes for pictures, in the order of their tokens; nothing where there are none.

        Args:
            urls: Their data URLs.
            device: Where the model is.
        """
        if not urls:
            return {}
        read = [self.read(url) for url in urls]
        return {
            "pixel_values": torch.cat([each.patches for each in read]).to(device),
            "image_grid_thw": torch.stack([each.grid for each in read]).to(device),
        }

    def positions(self, model: nn.Module, ids: Tensor, urls: Sequence[str]) -> Tensor:
        """The positions of tokens in time, height and width: int64[3, L].

        Args:
            model: The model, or its transformer alone.
            ids: int64[L], from the start of a conversation, as `readable` returns them.
            urls: The data URLs of the pictures in it, in order.
        """
        # Adapters wrap the model that knows.
        transformer: Any = next(filter(_places_tokens, model.modules()))
        is_picture = (ids == self.token).long()
        grids = torch.stack([self.read(url).grid for url in urls]).to(ids.device) if urls else None
        found, _ = transformer.get_rope_index(ids[None], mm_token_type_ids=is_picture[None], image_grid_thw=grids)
        return cast(Tensor, found[:, 0])

    def _read(self, url: str) -> Pixels:
        image = read_image(url)
        if image is None:
            raise ContractError(f"a message has a picture that is no data URL: {url[:40]!r}; put its pixels in there")
        try:
            with Image.open(io.BytesIO(image.content)) as opened:
                upright = ImageOps.exif_transpose(opened).convert("RGB")
            found = self._processor(upright, return_tensors="pt")
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            raise ContractError(f"a picture of {len(image.content)} bytes cannot be read: {error}") from error
        return Pixels(found["pixel_values"], found["image_grid_thw"][0])


def sight_of(model: nn.Module) -> Sight | None:
    """How a model sees; None for one that reads text alone."""
    found = getattr(model, "agentgym_sight", None)
    return found if isinstance(found, Sight) else None


def give_sight(model: nn.Module, sight: Sight) -> None:
    """Join a model with how it sees; copies of the model keep it.

    Raises:
        WrongModelError: The model does not place its tokens in time, height and width.
    """
    if not any(map(_places_tokens, model.modules())):
        raise WrongModelError(
            f"{type(model).__name__} reads pictures without positions in time, height and width, which is not "
            f"supported in this process; {_SUPPORTED}"
        )
    cast(Any, model).agentgym_sight = sight


def _places_tokens(module: nn.Module) -> bool:
    return hasattr(type(module), "get_rope_index")


def vision_of(model: PreTrainedModel) -> nn.Module:
    """The part of a model that sees which turns patches into vectors.

    Raises:
        ConfigError: It has none.
    """
    for name, module in cast(nn.Module, model).named_modules():
        if name.rpartition(".")[2] == "visual":
            return cast(nn.Module, module)
    raise ConfigError(f"{type(model).__name__} has no part that reads pictures; set model.freeze_vision to false")
