"""The model being trained: loading or building it, options such as LoRA, and its scoring forward pass.

Sampling from it is the work of `agentgym.policies.torch.policy`, which shares its module.
"""

from __future__ import annotations

import contextlib
import copy
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from agentgym.errors import ConfigError, MissingExtraError
from agentgym.policies.model_folder import require_model
from agentgym.policies.torch.layout import masks_for
from agentgym.policies.torch.loading import load_saved
from agentgym.policies.torch.network import attention_of_many_shapes
from agentgym.policies.torch.sight import sight_of, vision_of
from agentgym_rl.core.config.tables import ModelConfig
from agentgym_rl.core.logprobs import Entropy, states_before, token_logprobs
from agentgym_rl.core.micro_batch import PICTURES_MISSING, MicroBatch

_PROBE_TOKENS = 4
NOTHING_SEEN: Mapping[str, Tensor] = MappingProxyType({})


def trained_dtype(config: ModelConfig) -> torch.dtype:
    """Of weights that an optimiser changes: float32, unless pure bfloat16 was chosen.

    bfloat16 keeps 8 significant bits, so that an update below 1/512 of a weight is rounded away.
    """
    return torch.bfloat16 if config.dtype == "pure_bfloat16" else torch.float32


def computes_in_bfloat16(config: ModelConfig) -> bool:
    """Whether the model runs in bfloat16 autocast, in sampling as in learning: float32 weights may be trained so."""
    return config.autocast or (config.dtype == "bfloat16" and not config.lora_rank)


def _dtype(config: ModelConfig) -> torch.dtype:
    """Of the model as a whole; low-rank adapters are float32 beside frozen bfloat16 weights."""
    is_frozen_in_bfloat16 = config.dtype != "float32" and config.lora_rank > 0
    return torch.bfloat16 if is_frozen_in_bfloat16 else trained_dtype(config)


class PolicyModel(nn.Module):
    """A causal language model that scores sampled tokens, with a value head where the algorithm has one.

    Args:
        causal_lm: Any Hugging Face causal language model whose logits are its output weights times its last hidden
            state, with nothing added, capped or scaled.
        has_value_head: Whether to add a head V(state) on the last hidden state.
        autocast: Run the transformer in bfloat16 autocast.

    Raises:
        ConfigError: The model bends its logits in a way that scoring does not follow.
    """

    def __init__(self, causal_lm: PreTrainedModel, *, has_value_head: bool = False, autocast: bool = False) -> None:
        super().__init__()
        for name in ("final_logit_softcapping", "logit_scale", "logits_scaling"):
            if getattr(causal_lm.config, name, None) not in (None, 1.0):
                raise ConfigError(f"the model's config sets {name}, which the scoring forward pass does not support")
        self.causal_lm = causal_lm
        self.autocast = autocast
        self.sight = sight_of(causal_lm)
        self._require_plain_logits()
        self.value_head: nn.Linear | None = None
        if has_value_head:
            self.value_head = nn.Linear(causal_lm.config.get_text_config().hidden_size, 1)
            nn.init.zeros_(self.value_head.weight)
            nn.init.zeros_(self.value_head.bias)
            self.value_head.to(causal_lm.device)

    def forward(
        self,
        tokens: Int[Tensor, "R L"],
        position_ids: Int[Tensor, "R L"],
        attention_mask: Bool[Tensor, "R 1 L L"] | None,
        completion_mask: Bool[Tensor, "R L"],
        temperature: float = 1.0,
        entropy: Entropy = "value",
        *,
        seen: Mapping[str, Tensor] = NOTHING_SEEN,
    ) -> tuple[Float[Tensor, " T"], Float[Tensor, " E"], Float[Tensor, " T"] | None]:
        """Log-probability, entropy (nats) and value at each sampled token, in row-major order; float32 or wider.

        `entropy` is as in `token_logprobs`.
        """
        hidden = self.hidden_states(tokens, position_ids, attention_mask, seen)
        logprobs, entropies = self.read(hidden, tokens, completion_mask, temperature, entropy)
        values = None
        if self.value_head is not None:
            states = states_before(hidden, completion_mask)
            values = self.value_head(states.to(self.value_head.weight.dtype)).squeeze(-1)
        return logprobs, entropies, values

    def read(
        self,
        hidden: Float[Tensor, "R L D"],
        tokens: Int[Tensor, "R L"],
        completion_mask: Bool[Tensor, "R L"],
        temperature: float = 1.0,
        entropy: Entropy = "value",
    ) -> tuple[Float[Tensor, " T"], Float[Tensor, " E"]]:
        """Log-probability and entropy (nats) at each sampled token, from hidden states."""
        weight = self._output_weight()
        return token_logprobs(
            hidden.to(weight.dtype),
            weight,
            tokens,
            completion_mask,
            temperature=temperature,
            entropy=entropy,
        )

    def hidden_states(
        self,
        tokens: Int[Tensor, "R L"],
        position_ids: Int[Tensor, "R L"],
        attention_mask: Bool[Tensor, "R 1 L L"] | None,
        seen: Mapping[str, Tensor] = NOTHING_SEEN,
    ) -> Float[Tensor, "R L D"]:
        """Last hidden states, after the final norm.

        A token attends to what the mask says, within its window where a layer has one.

        Without gradient they are read in batches of many shapes: stored actions and observations are not packed.

        Args:
            tokens: Of rows.
            position_ids: From 0 in every segment.
            attention_mask: True: may attend.
            seen: Pictures, ids and positions, as `seen_in` finds them.

        Raises:
            ConfigError: Tokens stand for pictures, and there are none.
        """
        self._require_pictures(tokens, seen)
        attention = contextlib.nullcontext() if torch.is_grad_enabled() else attention_of_many_shapes()
        with torch.autocast(tokens.device.type, torch.bfloat16, enabled=self.autocast), attention:
            transformer = self._transformer()
            masks = masks_for(transformer, attention_mask, position_ids)
            inputs = {"input_ids": tokens, "position_ids": position_ids, "attention_mask": masks, **seen}
            hidden: Tensor = transformer(**inputs, use_cache=False).last_hidden_state
        return hidden

    def score(
        self, batch: MicroBatch, temperature: float = 1.0, entropy: Entropy = "value"
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """`forward` of a micro-batch."""
        scores = self(
            batch.tokens,
            batch.position_ids,
            batch.attention_mask(),
            batch.completion_mask,
            temperature,
            entropy,
            seen=self.seen_in(batch),
        )
        return cast(tuple[Tensor, Tensor, Tensor | None], scores)

    def seen_in(self, batch: MicroBatch) -> dict[str, Tensor]:
        """What a model that sees takes of a micro-batch beside its masks; nothing for one that reads text alone.

        Raises:
            ConfigError: Tokens of a prompt stand for pictures, and there are none.
            ContractError: A picture cannot be read, or has another number of tokens than the model reads.
        """
        return {} if self.sight is None else batch.seen_by(self._transformer(), self.sight)

    def _require_pictures(self, tokens: Tensor, seen: Mapping[str, Tensor]) -> None:
        if self.sight is not None and not seen and bool((tokens == self.sight.token).any()):
            raise ConfigError(PICTURES_MISSING)

    @torch.no_grad()
    def _require_plain_logits(self) -> None:
        model = cast(Any, self.causal_lm)
        weight, was_training = self._output_weight(), model.training
        tokens = torch.arange(_PROBE_TOKENS, device=model.device)[None] % weight.shape[0]
        model.eval()
        try:
            hidden = self._transformer()(input_ids=tokens, use_cache=False).last_hidden_state
            logits = model(input_ids=tokens, use_cache=False).logits
        finally:
            model.train(was_training)
        expected = (hidden.to(weight.dtype) @ weight.T).to(logits.dtype)
        share = 1e-4 if weight.dtype in (torch.float32, torch.float64) else 2e-2
        tolerance = share * max(1.0, float(logits.abs().max()))
        if not torch.allclose(logits, expected, rtol=0.0, atol=tolerance, equal_nan=True):
            raise ConfigError(
                f"{type(model).__name__} does more to its logits than multiply hidden states by the weights of its "
                "output layer, such as to add a bias, which the scoring forward pass does not support; train a model "
                "without it"
            )

    def _output_weight(self) -> Tensor:
        return cast(Tensor, cast(Any, self.causal_lm).get_output_embeddings().weight)

    def _transformer(self) -> PreTrainedModel:
        inner = self.causal_lm
        if hasattr(inner, "peft_config"):
            inner = cast(Any, inner).get_base_model()
        return cast(PreTrainedModel, inner.base_model)


def load_causal_lm(path: str, config: ModelConfig) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """A checkpoint and its tokenizer from a local folder; nothing is downloaded.

    Raises:
        ConfigError: There is no model in the folder.
        WrongModelError: It cannot be loaded, or its weights or its tokenizer do not fit.
    """
    require_model(path, "model.path ")
    return load_saved(
        path,
        trust_remote_code=config.trust_remote_code,
        allow_incomplete=config.allow_incomplete,
        dtype=_dtype(config),
    )


def apply_options(model: PreTrainedModel, config: ModelConfig) -> PreTrainedModel:
    """Put on what the configuration asks for: data type, LoRA, gradient checkpointing; dropout is taken off.

    With dropout the trained policy would be another one than the one that sampled, and ratios would not start at 1.
    """
    cast(nn.Module, model).to(_dtype(config))
    _take_off_dropout(model)
    freezes_vision = sight_of(cast(nn.Module, model)) is not None and config.freeze_vision
    if freezes_vision:
        vision_of(model).requires_grad_(False)
    if config.lora_rank:
        model = _with_lora(model, config)
    if config.gradient_checkpointing:
        enable = getattr(model, "activation_checkpointing_enable", None)  # the name in newer transformers
        (enable or cast(Any, model).gradient_checkpointing_enable)({"use_reentrant": False})
        cast(Any, model).enable_input_require_grads()
    if freezes_vision:
        _keep_gradients_out(vision_of(model))
    return model


def _keep_gradients_out(vision: nn.Module) -> None:
    """Let no gradient pass through a frozen part: checkpointing asks for that of all that is embedded, patches too."""
    with contextlib.suppress(NotImplementedError):  # of what does not say what it embeds, nothing is asked
        embedding = cast(nn.Module, cast(Any, vision).get_input_embeddings())
        embedding.register_forward_hook(lambda module, inputs, output: output.detach())


def frozen_copy(model: nn.Module) -> nn.Module:
    """A copy whose weights do not change: the reference policy."""
    twin = copy.deepcopy(model)
    twin.requires_grad_(False)
    return twin.eval()


def trainable_groups(model: PolicyModel) -> dict[str, list[nn.Parameter]]:
    """The parameters that are trained, of the policy and of the value head apart."""
    head = [] if model.value_head is None else list(model.value_head.parameters())
    ids = {id(parameter) for parameter in head}
    policy = [p for p in model.parameters() if p.requires_grad and id(p) not in ids]
    return {"policy": policy, "value": head} if head else {"policy": policy}


def _take_off_dropout(model: nn.Module) -> None:
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        for name, value in vars(module).items():
            if name.endswith("dropout") and isinstance(value, float):  # of attention, a number in most families
                setattr(module, name, 0.0)


def with_adapters(model: PreTrainedModel, rank: int) -> PreTrainedModel:
    """The model itself with low-rank adapters in all its linear layers, which alone are trained; scaled by 2.

    Raises:
        MissingExtraError: LoRA is not installed.
    """
    try:
        from peft import LoraConfig, inject_adapter_in_model
    except ImportError:
        raise MissingExtraError("LoRA", "train") from None
    lora = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM")
    return cast(PreTrainedModel, inject_adapter_in_model(lora, cast(nn.Module, model)))


def _with_lora(model: PreTrainedModel, config: ModelConfig) -> PreTrainedModel:
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError:
        raise MissingExtraError("LoRA", "train") from None
    takes_all = sight_of(cast(nn.Module, model)) is None or not config.freeze_vision
    lora = LoraConfig(
        r=config.lora_rank,
        lora_alpha=config.lora_alpha,
        target_modules="all-linear",
        exclude_modules=None if takes_all else r".*\bvisual\b.*",
        task_type="CAUSAL_LM",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft asks the model by names that transformers deprecates
        return cast(PreTrainedModel, get_peft_model(model, lora))
