"""Arguments that a message calls by words, not by their keys, such as "the red kite" for an item."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agentgym_tools.desks.words.lexicon.language import Language, spoken
from agentgym_tools.desks.words.lexicon.phrases import content_of
from agentgym_tools.desks.words.lexicon.rows import Row
from agentgym_tools.desks.words.lexicon.sentences import Sentence
from agentgym_tools.desks.words.lexicon.thesaurus import plain
from agentgym_tools.desks.words.lexicon.values import Spotted
from agentgym_tools.desks.words.reading.context import Context
from agentgym_tools.desks.words.reading.fitting import GUESS, assigned, rated

_ROUNDS = 2
"""What is found in the first round may be near what is missing in the second."""


def mentioned(
    language: Language, tool: str, found: Mapping[str, Any], sentences: Sequence[Sentence], context: Context
) -> tuple[dict[str, Any], list[int]]:
    """Arguments that are called by words, and the numbers of the sentences that call them.

    Args:
        language: The desk's language.
        tool: Name of the tool.
        found: Its arguments that are there already; what is missing is looked for near them.
        sentences: The sentences, as for `fill`.
        context: What need not be said.
    """
    new: dict[str, Any] = {}
    sources = []
    for _, (number, sentence) in itertools.product(range(_ROUNDS), enumerate(sentences)):
        there = {**found, **new}
        missing = {
            name: table
            for name in language.parameters[tool]
            if name not in there and (table := language.table_of(tool, name)) is not None
        }
        if not missing:
            break
        if said := _named_in(language, tool, missing, there, sentence, context, is_first=number == 0):
            new |= said
            sources.append(number)
    return new, sources


def _named_in(
    language: Language,
    tool: str,
    missing: Mapping[str, str],
    there: Mapping[str, Any],
    sentence: Sentence,
    context: Context,
    *,
    is_first: bool,
) -> dict[str, Any]:
    """What is missing and called by words in a sentence."""
    takers: dict[Spotted, set[str]] = {}
    for name, table in missing.items():
        known = _known_rows(language, tool, name, there, context)
        if not known or table == language.domain.customers_table:
            continue
        noun = plain(spoken(re.sub(r"^new_|_ids?$", "", name)).rsplit(" ", 1)[-1])
        found = _rows_for(language, tool, (table, noun), known, there, sentence)
        if not found and is_first and name not in context.known:
            found = _alone(language, name, (table, noun), known, there, sentence)
        for value in found:
            takers.setdefault(value, set()).add(name)
    named = list(takers)
    shapes = {name: language.parameters[tool][name] for name in missing}
    best = sorted(rated(shapes, named, sentence, GUESS), key=lambda each: -each[0])
    return assigned(
        language, tool, [(name, number) for _, name, number in best if name in takers[named[number]]], named
    )


def _rows_for(
    language: Language,
    tool: str,
    kind: tuple[str, str],
    known: Sequence[Row],
    there: Mapping[str, Any],
    sentence: Sentence,
) -> list[Spotted]:
    """The rows of a table that a sentence calls by words; a kind is the table and what its rows are."""
    taken = _flat(there.values())
    aside = content_of(spoken(tool)).union(*(content_of(text) for text in taken))
    rows = language.rows.mentions(kind[0], known, sentence, language.vocabulary.spot(sentence), aside, kind[1])
    return [value for value in rows if value.text not in taken]


def _alone(
    language: Language,
    name: str,
    kind: tuple[str, str],
    known: Sequence[Row],
    there: Mapping[str, Any],
    sentence: Sentence,
) -> list[Spotted]:
    """The row of a parameter where there is one alone, and the sentence says what it is."""
    only = language.rows.only(kind[0], known, sentence, kind[1]) if not name.startswith("new_") else None
    return [] if only is None or only.text in _flat(there.values()) else [only]


def _known_rows(language: Language, tool: str, name: str, there: Mapping[str, Any], context: Context) -> list[Row]:
    """Rows near which a parameter's row may be: those of the other arguments, and the customer."""
    twin = name.removeprefix("new_")
    if twin != name and twin in language.parameters[tool]:
        table = language.table_of(tool, twin)
        return [Row(table, str(there[twin]))] if twin in there and table is not None else []
    before = {other: context.known[other] for other in language.parameters[tool] if other in context.known}
    arguments = {other: value for other, value in {**before, **there}.items() if other != name}
    tables = [(language.table_of(tool, other), value) for other, value in arguments.items()]
    known = [Row(table, str(value)) for table, value in tables if table is not None and not isinstance(value, list)]
    return [*known, *([Row(language.domain.customers_table, context.customer)] if context.customer else [])]


def _flat(values: Iterable[Any]) -> set[str]:
    """Values as texts, those of lists one by one."""
    return {str(each) for value in values for each in (value if isinstance(value, list) else [value])}
