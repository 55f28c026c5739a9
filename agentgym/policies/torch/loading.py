"""Loading a saved model and its tokenizer, whole or not at all: nothing is downloaded, and no weight is made up.

Where the model then runs, and what is put on it, is said elsewhere.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoTokenizer, PreTrainedModel
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
)
from transformers.utils import logging as transformers_logging

from agentgym.errors import WrongModelError
from agentgym.policies.torch.sight import Sight, give_sight
from agentgym.prompting.picture_tokens import count_picture_tokens_with

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_MAX_NAMED = 3
_KINDS = {
    "missing_keys": "missing",
    "unexpected_keys": "not of this model",
    "mismatched_keys": "of another shape",
}


def load_saved(
    folder: Path | str, *, trust_remote_code: bool = False, allow_incomplete: bool = False, **options: Any
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """A model and its tokenizer from a folder that `save_pretrained` wrote; one that sees comes with its `Sight`.

    Args:
        folder: The folder, which holds a config.json.
        trust_remote_code: Whether Python code in the folder may run.
        allow_incomplete: Whether weights may be missing, superfluous or of another shape. Those that the folder does
            not have are drawn at random.
        options: Further arguments of `from_pretrained` for the model, such as dtype.

    Raises:
        WrongModelError: The model or the tokenizer cannot be loaded, weights and model differ, or the tokenizer has
            more tokens than the model.
    """
    how: dict[str, Any] = {"local_files_only": True, "trust_remote_code": trust_remote_code}
    sight = Sight.load(folder, trust_remote_code) if _reads_pictures(Path(folder)) else None
    loader: Any = AutoModelForCausalLM if sight is None else AutoModelForImageTextToText
    tokenizer: Any = None
    try:
        with _quiet():
            tokenizer = AutoTokenizer.from_pretrained(folder, **how)
            model, found = loader.from_pretrained(
                folder, output_loading_info=True, ignore_mismatched_sizes=True, **options, **how
            )
    except Exception as error:  # what reads a damaged file raises errors of any kind
        reason = (str(error).splitlines() or [type(error).__name__])[0].strip(" .:")
        if tokenizer is None and not (Path(folder) / "tokenizer.json").is_file():
            reason = "there is no tokenizer.json in it"
        raise WrongModelError(
            f"the model in {str(folder)!r} cannot be loaded: {reason}; save it again with its tokenizer, or name "
            "another folder"
        ) from error
    if not allow_incomplete:
        _require_whole(folder, found)
    num_tokens = max(tokenizer.get_vocab().values(), default=-1) + 1
    num_embedded = model.get_input_embeddings().weight.shape[0]
    if num_tokens > num_embedded:
        raise WrongModelError(
            f"the tokenizer in {str(folder)!r} has {num_tokens} tokens, and the model has embeddings for "
            f"{num_embedded}; put the tokenizer beside it that the model was trained with"
        )
    if sight is not None:
        give_sight(model, sight)
        count_picture_tokens_with(tokenizer, sight.num_tokens)
    return cast(PreTrainedModel, model), tokenizer


def _reads_pictures(folder: Path) -> bool:
    """Whether a folder's config is that of a model of pictures and text that is no causal language model."""
    try:
        kind = json.loads((folder / "config.json").read_text(encoding="utf-8"))["model_type"]
        return kind in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES and kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _require_whole(folder: Path | str, found: dict[str, Any]) -> None:
    """Refuse weights that are not those of the model, which would otherwise be random ones in part."""
    faults = []
    for key, kind in _KINDS.items():
        names = sorted(each if isinstance(each, str) else each[0] for each in found.get(key, ()))
        if names:
            more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
            verb = "is" if len(names) == 1 else "are"
            faults.append(f"{len(names)} {verb} {kind} ({', '.join(names[:_MAX_NAMED])}{more})")
    if faults:
        raise WrongModelError(
            f"the weights in {str(folder)!r} do not fit their config.json: {'; '.join(faults)}. Save the model again. "
            "Or draw at random what is missing: --option allow_incomplete=true for a policy, "
            "model.allow_incomplete=true for training"
        )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without transformers' progress bars and tables of weights; what is wrong is said in the error."""
    was_shown, level = transformers_logging.is_progress_bar_enabled(), transformers_logging.get_verbosity()
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        transformers_logging.set_verbosity(level)
        if was_shown:
            transformers_logging.enable_progress_bar()  # type: ignore[no-untyped-call]
