"""The arguments of a call that a sentence describes: each value goes to the parameter that it fits best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym_tools.desks.words.lexicon.language import Language
from agentgym_tools.desks.words.lexicon.phrases import content_of
from agentgym_tools.desks.words.lexicon.sentences import Sentence
from agentgym_tools.desks.words.lexicon.values import Shape, Spotted, free_text
from agentgym_tools.desks.words.reading.context import Context
from agentgym_tools.desks.words.reading.fitting import GUESS, MAX_CHOICES, assigned, rated
from agentgym_tools.desks.words.reading.mentions import mentioned


@dataclass(frozen=True)
class Filled:
    """Arguments that were found.

    Attributes:
        arguments: By parameter.
        missing: Parameters without a value.
        num_said: How many stand in the first sentence that has any.
        sources: Numbers of the sentences that they stand in.
        called: Parameters whose values are called by words.
    """

    arguments: Mapping[str, Any]
    missing: Sequence[str]
    num_said: int
    sources: Sequence[int] = ()
    called: Sequence[str] = ()


def fill(language: Language, tool: str, sentences: Sequence[Sentence], context: Context) -> Filled:
    """The arguments of a call.

    Args:
        language: The desk's language.
        tool: Name of the tool.
        sentences: The sentence that describes the call, then others of the message, for what is missing there.
        context: What need not be said.
    """
    shapes = language.parameters[tool]
    found, num_said, sources = _in_order(language, tool, {}, sentences, GUESS)
    named, others = mentioned(language, tool, found, sentences, context)
    guessed, num_guessed, more = _in_order(language, tool, {**found, **named}, sentences, 0.0)
    found = {**found, **named, **guessed}
    num_said = num_said + len(named) or num_guessed
    sources += [*others, *more]
    called = [*named, *(name for name in found if str(found[name]).casefold() in shapes[name].words)]
    for name, shape in shapes.items():
        if name not in found and (value := _unsaid(language, tool, name, shape, context)) is not None:
            found[name] = value
    ordered = {name: found[name] for name in shapes if name in found}
    return Filled(ordered, [name for name in shapes if name not in found], num_said, sources, called)


def _in_order(
    language: Language, tool: str, there: Mapping[str, Any], sentences: Sequence[Sentence], least: float
) -> tuple[dict[str, Any], int, list[int]]:
    """What sentences say of the arguments that are not there yet; how many the first says; and which sentences."""
    new: dict[str, Any] = {}
    num_said = 0
    sources = []
    for number, sentence in enumerate(sentences):
        shapes = {name: shape for name, shape in language.parameters[tool].items() if name not in {**there, **new}}
        if not shapes:
            break
        said = _said(language, tool, shapes, sentence, least)
        if not least:
            said = {name: value for name, value in said.items() if value not in [*there.values(), *new.values()]}
        new |= said
        sources += [number] if said else []
        num_said = num_said or len(new)
    return new, num_said, sources


def _unsaid(language: Language, tool: str, name: str, shape: Shape, context: Context) -> Any:
    """A value that need not be said: told before, the customer's own key, or nothing where that is a value."""
    if name in context.known:
        text = str(context.known[name])
        told = Spotted("code", text, 0, 1)
        if shape.is_number or shape.is_money or shape.is_free or shape.takes(told):
            return language.value(tool, name, text)
    if context.customer and shape.forms and shape.forms <= language.customer_forms:
        return context.customer
    return "" if "an empty text" in language.described(tool, name) else None


def _said(
    language: Language, tool: str, shapes: Mapping[str, Shape], sentence: Sentence, least: float
) -> dict[str, Any]:
    values = language.vocabulary.spot(sentence)
    values += free_text(sentence, values)
    fitting = sorted(rated(shapes, values, sentence, least), key=lambda each: -each[0])
    found = assigned(language, tool, [(name, number) for _, name, number in fitting], values)
    words = {token.plain for token in sentence.tokens}
    for name, shape in shapes.items():
        if name not in found and (chosen := _chosen(shape, words)) is not None:
            found[name] = language.value(tool, name, chosen)
    return found


def _chosen(shape: Shape, words: set[str]) -> str | None:
    """The one of a few known values whose words all stand somewhere in the sentence."""
    if not shape.words or len(shape.words) > MAX_CHOICES:
        return None
    fitting = [text for text in shape.words if content_of(text) <= words]
    return max(fitting, key=lambda text: (len(content_of(text)), text)) if fitting else None
