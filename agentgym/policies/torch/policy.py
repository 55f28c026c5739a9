"""A Hugging Face causal language model in this process as a policy.

Decoding is in `agentgym.policies.torch.decoder`, weights and passes through the model in `network`, keys and values in
`cache`, drawing in `sampling`; the caller renders messages to token ids, with `agentgym.prompting`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from agentgym.errors import ConfigError, ContextOverflowError, ContractError
from agentgym.policies.model_folder import require_model
from agentgym.policies.torch.branches import BranchDecoder, TorchBranches
from agentgym.policies.torch.cache import EpisodeStore
from agentgym.policies.torch.decoder import Decoder, Row
from agentgym.policies.torch.device import device_of, dtype_of
from agentgym.policies.torch.layout import attention_of, layout_of
from agentgym.policies.torch.loading import load_saved
from agentgym.policies.torch.network import Network
from agentgym.policies.torch.seeing import SeeingDecoder
from agentgym.policies.torch.sight import sight_of
from agentgym.policies.torch.steering import load_steering
from agentgym.policy import Reply, Request, Seen
from agentgym.prompting.renderer import ChatRenderer
from agentgym.ranges import Range, Ranged

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_BRANCHES = 4
"""Columns of messages that a column of an episode makes room for, where messages go on from within it."""
_NO_IDS, _NO_LOGPROBS = np.zeros(0, np.int32), np.zeros(0, np.float32)


SEEN_FILE = "agentgym.json"
"""File beside exported weights that says which tasks they were trained on, and how long their messages could be."""
MESSAGE_LIMIT = "max_message_tokens"
"""Key of that file: the largest number of sampled tokens of a message in the run that exported the weights."""


KNOWS_SEEN = "knows_seen"
"""Key of that file: whether the tasks that it names are all. They are not if the run began with weights that do not say
what they were trained on."""


def read_seen(folder: Path) -> Seen:
    """Which tasks exported weights were trained on; nothing is known of weights from elsewhere.

    Raises:
        ConfigError: The file is there and damaged.
    """
    path = folder / SEEN_FILE
    if not path.exists():
        return Seen()
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        return Seen(frozenset(facts["seen_hashes"]), bool(facts.get(KNOWS_SEEN, True)))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} does not list the tasks trained on: {error}; export the model again") from error


def read_message_limit(folder: Path) -> int | None:
    """The largest number of sampled tokens of a message that exported weights were trained with.

    Weights that were exported before their file had that key take it from the configuration of their run.

    Args:
        folder: The folder of the weights, such as runs/demo/models/trained.

    Returns:
        At least 1; None for weights from elsewhere.
    """
    try:
        facts = json.loads((folder / SEEN_FILE).read_text(encoding="utf-8"))
        if MESSAGE_LIMIT in facts:
            return int(facts[MESSAGE_LIMIT])
        run = json.loads((folder.resolve().parents[1] / "config.json").read_text(encoding="utf-8"))
        return int(run["config"]["rollout"]["sampling"]["max_tokens"])
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


@dataclass(frozen=True)
class TorchLimits(Ranged):
    """What decoding may use up."""

    max_context: Annotated[int | None, Range(2)] = None
    """Tokens of prompt and message together; None: what the model was made for."""
    batch_tokens: Annotated[int, Range(1)] = 131_072
    """Tokens of all rows of one batch, padding included; more requests are decoded one batch after another."""
    prefill_tokens: Annotated[int, Range(1)] = 8_192
    """Prompt tokens, padding included, in one pass through the model."""
    cache_tokens: Annotated[int, Range(0)] = 524_288
    """Tokens whose keys and values are kept between turns, over all episodes; 0 keeps none."""


class TorchPolicy:
    """Samples messages from a causal language model, whole batches at a time.

    Keys and values of an episode are kept from turn to turn: a turn's prompt is checked against them, and only what is
    new passes through the model. A request's draws depend on its seed alone, and its distribution on its prompt alone,
    but for rounding.

    In training the policy may share the trainer's module: then `load_weights(model, version)` after each update says
    that the weights are new. The module's training mode is restored after each call.

    Args:
        model: A causal language model with plain attention layers (keys and values per token), such as Llama, Qwen,
            Gemma, Mistral or GPT-2; or a model that sees, such as Qwen2.5-VL, which keeps nothing
            between turns.
        tokenizer: Decodes what was sampled.
        stop_ids: Tokens that end a message; None asks the tokenizer's chat template.
        name: What results are reported under.
        version: Version of the weights that the model holds.
        limits: What decoding may use up.
        autocast: Compute in bfloat16 autocast, as a trainer does that keeps float32 weights.

    Raises:
        ConfigError: The model's layers, attention implementation or weights are not supported.
        TemplateError: `stop_ids` is None and the tokenizer has no chat template.
    """

    uses_tokens = True
    concurrency = 1

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerFast,
        *,
        stop_ids: Collection[int] | None = None,
        name: str = "torch",
        version: int = 0,
        limits: TorchLimits | None = None,
        autocast: bool = False,
    ) -> None:
        self.name, self.model, self.tokenizer = name, model, tokenizer
        self.seen_hashes, self.knows_seen = Seen()
        self.message_limit: int | None = None
        self.limits = limits or TorchLimits()
        self.stop_ids = frozenset(ChatRenderer(tokenizer).stop_ids if stop_ids is None else stop_ids)
        if not self.stop_ids:
            raise ConfigError("the policy needs the ids of tokens that end a message: got none; pass stop_ids")
        config = model.config.get_text_config()
        own = getattr(config, "max_position_embeddings", None)
        self.max_context = min(filter(None, (self.limits.max_context, own)), default=0)
        if not self.max_context:
            raise ConfigError(f"{type(model).__name__} states no max_position_embeddings; pass limits with max_context")
        self._store = EpisodeStore(self.limits.cache_tokens)
        self._network = Network(model, version, autocast=autocast)
        self._branches: TorchBranches | None = None
        sight = sight_of(model)
        if sight is not None:
            self._decoder: Decoder | SeeingDecoder = SeeingDecoder(
                model,
                sight,
                vocab_size=config.vocab_size,
                stop_ids=self.stop_ids,
                prefill_tokens=self.limits.prefill_tokens,
            )
            return
        with self._network.decoding():
            layout, attention = layout_of(model), attention_of(model, self.max_context)
            layout = replace(layout, dtype=torch.bfloat16) if autocast else layout
            decoder = Decoder(
                self._network.next,
                layout,
                attention,
                vocab_size=config.vocab_size,
                stop_ids=self.stop_ids,
                store=self._store,
                prefill_tokens=self.limits.prefill_tokens,
            )
        self._decoder = decoder
        if attention.window is None and decoder.record is None:
            branching = BranchDecoder(
                self._network.last,
                layout,
                vocab_size=config.vocab_size,
                stop_ids=self.stop_ids,
                batch_tokens=self.limits.batch_tokens // _BRANCHES,
                prefill_tokens=self.limits.prefill_tokens,
            )
            self._branches = TorchBranches(self._network, branching, self.max_context)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        device: str | torch.device = "cpu",
        dtype: torch.dtype | str | None = None,
        trust_remote_code: bool = False,
        allow_incomplete: bool = False,
        **options: Any,
    ) -> TorchPolicy:
        """A policy from a folder written by `save_pretrained`, tokenizer included, steered where there is a critic.

        No hub is asked.

        Args:
            path: The folder.
            device: Where the model runs.
            dtype: Such as torch.bfloat16 or "bfloat16"; None: float32 on a CPU, else bfloat16.
            trust_remote_code: Whether Python code in the folder may run.
            allow_incomplete: Whether weights may be missing, superfluous or of another shape; see `load_saved`.
            options: Further arguments of the class, and fields of `TorchLimits`.

        Raises:
            ConfigError: The folder holds no model, or there is no such device or dtype.
            WrongModelError: Model or tokenizer cannot be loaded, or do not fit.
        """
        folder, place = Path(path), device_of(device)
        require_model(path)
        model, tokenizer = load_saved(
            folder,
            trust_remote_code=trust_remote_code,
            allow_incomplete=allow_incomplete,
            dtype=dtype_of(dtype, place),
            attn_implementation="sdpa",
        )
        options.setdefault("name", f"torch:{path}")
        limits = {key: options.pop(key) for key in TorchLimits.__dataclass_fields__ if key in options}
        if limits:
            options["limits"] = TorchLimits(**limits)
        cast(nn.Module, model).to(place)
        load_steering(model, folder)
        policy = cls(cast(PreTrainedModel, cast(nn.Module, model).eval()), tokenizer, **options)
        policy.seen_hashes, policy.knows_seen = read_seen(folder)
        policy.message_limit = read_message_limit(folder)
        return policy

    def generate(self, requests: Sequence[Request], *, keeps_states: bool = True) -> list[Reply]:
        """One message for each request.

        The log-probabilities are those of the distribution at the request's temperature. Greedy and nucleus sampling
        draw from another one: there they are None.

        Args:
            requests: Any number; prompts that begin alike pass through the model once as far as one has all of another.
            keeps_states: Keep keys and values for the next turns of the episodes; False: there are none.

        Raises:
            ContextOverflowError: A prompt leaves no room for a token.
            ContractError: A request has no prompt ids; the weights changed without `load_weights`; or they diverged.
        """
        if not requests:
            return []
        self._network.require_announced()
        rows = [self._row(request) for request in requests]
        with self._network.decoding():
            for batch in self._batches(rows):
                self._decoder.decode(batch, keeps_states=keeps_states)
        texts = self.tokenizer.backend_tokenizer.decode_batch(
            [row.ids[:-1].tolist() if row.ids[-1] in self.stop_ids else row.ids.tolist() for row in rows],
            skip_special_tokens=False,
        )
        return [self._reply(row, text) for row, text in zip(rows, texts, strict=True)]

    @property
    def version(self) -> int:
        """Version of the weights."""
        return self._network.version

    @property
    def branches(self) -> TorchBranches | None:
        """Samples messages in mid-episode; None for models with layers that do not see all that came before.

        It is None on a GPU, too: there, recorded steps save more than what messages of an episode can share.
        """
        return self._branches

    @property
    def fingerprint(self) -> str:
        """Digest of the weights, and of how pictures are read; evaluations resume by it. It reads all weights."""
        sight = sight_of(self.model)
        return self._network.fingerprint + (sight.fingerprint if sight is not None else "")

    def forget(self, episode: str) -> None:
        """Drop the keys and values of an episode that ended."""
        self._store.forget(episode)

    def load_weights(self, source: Mapping[str, Tensor] | nn.Module, version: int) -> None:
        """Take new weights, and drop what was computed with the old ones.

        Args:
            source: A state dict, another module of the same shape, or the policy's own module, whose weights have
                been changed in place.
            version: Their version, recorded with each sampled message.

        Raises:
            ConfigError: Names or shapes do not fit.
        """
        self._network.load(source, version)
        self._store.clear()

    @property
    def cached_tokens(self) -> int:
        """Number of tokens whose keys and values are kept between turns."""
        return self._store.num_tokens

    def _row(self, request: Request) -> Row:
        if request.prompt_ids is None:
            raise ContractError(
                f"request of episode {request.episode!r} has no prompt_ids; this policy takes token ids"
            )
        prompt = np.asarray(request.prompt_ids, np.int64)
        room = self.max_context - len(prompt)
        if room < 1 or not len(prompt):
            raise ContextOverflowError(
                f"episode {request.episode!r}, turn {request.turn}: the prompt has {len(prompt)} tokens, expected 1 to "
                f"{self.max_context - 1}; shorten the history or raise max_context"
            )
        return Row(request, prompt, min(request.sampling.max_tokens, room), _NO_IDS, _NO_LOGPROBS)

    def _reply(self, row: Row, text: str) -> Reply:
        sampling = row.request.sampling
        is_trainable = not sampling.is_greedy and sampling.top_p == 1
        usage = {"prompt_tokens": float(len(row.prompt)), "completion_tokens": float(len(row.ids))}
        return Reply(
            text,
            row.ids,
            row.logprobs if is_trainable else None,
            self.version,
            was_cut=int(row.ids[-1]) not in self.stop_ids,
            usage=usage,
        )

    def _batches(self, rows: Sequence[Row]) -> Iterator[list[Row]]:
        """Rows of like length, none padded to more than twice its own, as many at once as the budget holds.

        Where it does not hold all of them, prompts that begin alike stay together: they are computed once a batch.
        """
        alike: list[list[Row]] = []
        longest = 0
        for row in sorted(rows, key=lambda row: -len(row.prompt)):
            size = len(row.prompt) + row.budget
            if not alike or 2 * size <= longest:
                alike.append([])
                longest = 0
            alike[-1].append(row)
            longest = max(longest, size)
        for part in alike:
            most = max(1, self.limits.batch_tokens // max(len(row.prompt) + row.budget for row in part))
            if len(part) > most:
                part.sort(key=lambda row: row.prompt.tobytes())
            yield from (part[at : at + most] for at in range(0, len(part), most))
