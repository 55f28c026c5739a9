"""Fixed phrases of desks, single tokens of tiny models: keys of results, openings of acts and pieces of rules.

The words between them are those of demonstrated and random episodes; the tokenizer itself is made elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

NUMBERS = (*range(130), 555, *range(200, 30_001, 100), *range(2_001, 2_050))
"""Numbers that should be single tokens: those of ids, days, years and telephones, and sums in cents."""
_DAYS = [f"-{number:02d}" for number in range(1, 32)]
_KEY = re.compile(r'[\]}"]*(?:, )?[\[{]*"[a-z_]+": ?(?:[\[{]*"(?![a-z_]+":))?')
"""A key of a result, from the end of the value before it."""
_ACT = re.compile(r"(?:\b[a-z_]+\()?(?:'?, )?\b[a-z_]+='?|'\)")
"""What opens an act of the customer, stands between its values, or ends it."""
_RULE = re.compile(r"^- .+$", re.MULTILINE)
_NUMBER = re.compile(r"(?<= )\d+")
_LEAST, _LEAST_OF_RULE = 5, 9
"""How often a phrase occurs at least, and the length of the shortest piece of a rule."""


def phrases_in(texts: Iterable[str]) -> list[str]:
    """The phrases that recur in texts of episodes; rules are cut at their numbers, which are drawn."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(phrase for pattern in (_KEY, _ACT) for phrase in pattern.findall(text) if len(phrase) > 1)
        pieces = (piece for rule in _RULE.findall(text) for piece in _NUMBER.split(rule))
        counts.update(piece for piece in pieces if len(piece) >= _LEAST_OF_RULE)
    return sorted({*_DAYS, *(phrase for phrase, count in counts.items() if count >= _LEAST)})
