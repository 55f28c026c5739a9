"""Which words of some texts a tokenizer does not know, so that a model has to read them byte by byte.

Numbers and words of one or two letters are not counted: many tokenizers spell them on purpose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_WORD = re.compile(r"[^\W\d_]{3,}")
_NUM_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class UnknownWords:
    """How many words of some texts a tokenizer does not know.

    Attributes:
        share: Share of the words, each counted as often as it occurs, in [0, 1]; 0 if there are no words.
        examples: The most frequent ones.
        num_words: Words that were looked up.
    """

    share: float = 0.0
    examples: tuple[str, ...] = ()
    num_words: int = 0

    def __str__(self) -> str:
        """Such as `42.0% of the words, such as 'beacon', 'rock'`."""
        named = f", such as {', '.join(map(repr, self.examples))}" if self.examples else ""
        return f"{self.share:.1%} of the words{named}"


def unknown_words(tokenizer: PreTrainedTokenizerFast, texts: Iterable[str]) -> UnknownWords:
    """Count the words that a tokenizer spells: with one token or more for each byte, or with its unknown token.

    Args:
        tokenizer: What the model reads with.
        texts: Whole messages, because a tokenizer may know a phrase and not the words in it.
    """
    known, unknown = 0, Counter[str]()
    for text in texts:
        encoding = tokenizer.backend_tokenizer.encode(text, add_special_tokens=False)
        at = [0] * len(text)
        for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
            is_unknown = tokenizer.unk_token_id is not None and token == tokenizer.unk_token_id
            for place in range(start, end):
                at[place] += len(text[place].encode()) if is_unknown else end - start == 1
        for word in _WORD.finditer(text):
            is_spelt = all(at[place] >= len(text[place].encode()) for place in range(*word.span()))
            unknown[word[0]] += is_spelt
            known += not is_spelt
    total = known + unknown.total()
    common = sorted((word for word, count in unknown.items() if count), key=lambda word: (-unknown[word], word))
    return UnknownWords(unknown.total() / total if total else 0.0, tuple(common[:_NUM_EXAMPLES]), total)
