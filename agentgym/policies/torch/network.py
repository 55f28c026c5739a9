"""The model of a policy in this process: its weights, and a pass through it, the shorter way if there is one.

What is decoded with it is the work of `agentgym.policies.torch.decoder` and `branches`.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import PreTrainedModel

from agentgym.errors import ConfigError, ContractError
from agentgym.policies.torch.cache import Window
from agentgym.policies.torch.decoder import Masks
from agentgym.policies.torch.llama import LlamaForward

_ATTENTION = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


def attention_of_many_shapes() -> contextlib.AbstractContextManager[None]:
    """Attention without cuDNN's, which makes a plan for each new shape."""
    manager: contextlib.AbstractContextManager[None] = sdpa_kernel(_ATTENTION)
    return manager


class Network:
    """A causal language model and the version of its weights.

    Args:
        model: The model, which a trainer may change in place.
        version: Version of its weights.
        autocast: Compute in bfloat16 autocast.
    """

    def __init__(self, model: PreTrainedModel, version: int, *, autocast: bool = False) -> None:
        self.model, self.version, self.autocast = model, version, autocast
        self.llama = LlamaForward(model) if LlamaForward.fits(model) and not autocast else None
        self._writes_seen = self._count_writes()

    def load(self, source: Mapping[str, Tensor] | nn.Module, version: int) -> None:
        """Take new weights.

        Args:
            source: A state dict or a module; where its tensors are the model's own, they are announced, not copied.
            version: Their version.

        Raises:
            ConfigError: Names or shapes do not fit.
        """
        if source is not self.model:
            state = source.state_dict() if isinstance(source, nn.Module) else source
            if not _is_same(state, self.model.state_dict()):
                try:
                    self.model.load_state_dict(state)
                except RuntimeError as error:
                    raise ConfigError(
                        f"weights of version {version} do not fit {type(self.model).__name__}: {error}"
                    ) from error
        self.version = version
        if self.llama is not None:
            self.llama = LlamaForward(self.model)
        self._writes_seen = self._count_writes()

    def require_announced(self) -> None:
        """Refuse to sample from weights of unknown version.

        Raises:
            ContractError: An optimiser wrote to the weights, and `load` was not called.
        """
        if self._count_writes() != self._writes_seen:
            raise ContractError(
                f"the weights changed in place after version {self.version} was announced; call "
                "load_weights(model, version) after each update"
            )

    @property
    def fingerprint(self) -> str:
        """Digest of the weights; reads all of them."""
        digest = hashlib.blake2b(digest_size=8)
        for parameter in self.model.parameters():
            digest.update(parameter.detach().cpu().reshape(-1).view(torch.uint8).numpy().tobytes())
        return digest.hexdigest()

    @contextlib.contextmanager
    def decoding(self) -> Iterator[None]:
        """No gradients, evaluation mode, and attention for many shapes; afterwards all is as it was."""
        module = cast(nn.Module, self.model)
        training = [part for part in module.modules() if part.training]
        module.eval()
        try:
            with (
                torch.no_grad(),
                torch.autocast(self.model.device.type, torch.bfloat16, enabled=self.autocast),
                attention_of_many_shapes(),
            ):
                yield
        finally:
            for part in training:
                part.training = True

    def next(self, ids: Tensor, positions: Tensor, masks: Masks, window: Window) -> Tensor:
        """Logits [B, V] of the last column."""
        return self.last(ids, positions, masks, window, 1)[:, 0]

    def last(self, ids: Tensor, positions: Tensor, masks: Masks | None, window: Window, count: int) -> Tensor:
        """Logits [B, count, V] of the last columns."""
        if self.llama is not None:
            return self.llama.last(ids, positions, masks, window, count)
        return self.transformers(ids, positions, masks, window, count)

    def transformers(self, ids: Tensor, positions: Tensor, masks: Masks | None, window: Window, count: int) -> Tensor:
        """`last` by the model's own code; at least one column."""
        output = self.model(
            input_ids=ids,
            attention_mask=masks,
            position_ids=positions,
            past_key_values=window,
            use_cache=True,
            logits_to_keep=max(1, count),  # 0 stands for all
        )
        return cast(Tensor, output.logits)

    def _count_writes(self) -> int:
        """A number that changes when an optimiser writes to the weights."""
        return sum(parameter._version for parameter in self.model.parameters())


def _is_same(state: Mapping[str, Tensor], own: Mapping[str, Tensor]) -> bool:
    """Whether all tensors are the model's own."""
    return state.keys() == own.keys() and all(
        tensor.data_ptr() == own[name].data_ptr() and tensor.shape == own[name].shape for name, tensor in state.items()
    )
