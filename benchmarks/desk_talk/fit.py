"""Fits the weights by which sentences of agents are weighed, to the phrasings that the grammar was tuned on.

    python -m benchmarks.desk_talk.fit

A sentence is one example; its acts are those that the rules hear in it, as far as they are right. What they miss goes
to the sentence that fits it best by phrases and by the weights of before, so a second fit differs a little. Messages
that say nothing are examples, too. Logistic regression, or softmax where a sentence names one thing or nothing. Squared
weights are penalised; Adam (Kingma and Ba, 2015, arXiv 1412.6980) goes over all examples at once.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]

from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import DESKS, desk
from agentgym_tools.desks.words.lexicon.language import Language, language_of
from agentgym_tools.desks.words.lexicon.sentences import Sentence
from agentgym_tools.desks.words.reading.agent import read_agent
from agentgym_tools.desks.words.reading.context import Context
from agentgym_tools.desks.words.reading.message import Understood
from agentgym_tools.desks.words.weighing.cues import subject_cues, use_cues
from agentgym_tools.desks.words.weighing.weights import (
    FAMILIES,
    FOLDER,
    NOTHING,
    SINGLE,
    USES,
    phrase_fits,
    weights_of,
)
from agentgym_tools.worlds.calls import Call
from benchmarks.desk_talk.phrasings import TUNED, Phrasing, phrasings, says_nothing
from benchmarks.report import progress

USE_PENALTY, SUBJECT_PENALTY = 0.3, 0.0025
USE_ROUNDS, SUBJECT_ROUNDS = 120, 150
USE_RATE, SUBJECT_RATE = 0.1, 0.15
LEAST_SEEN, LEAST_USE_WEIGHT, LEAST_SUBJECT_WEIGHT = 3, 0.08, 0.8
"""Cues seen less often, and weights smaller than these, are left out."""
SURE = 2.0
"""What weights that are sure of a subject count where a phrase's fit is its score."""
JOINED, MERGED = 0.5, 0.3
"""The share of examples that are learned beside another one, too; and of questions, in one sentence with another."""
Array = np.ndarray[Any, np.dtype[np.float64]]


class Example(NamedTuple):
    """A sentence with the acts that it says.

    Attributes:
        sentences: The message.
        number: Number of the sentence.
        acts: Its acts, as pairs of kind and subject.
    """

    sentences: Sequence[Sentence]
    number: int
    acts: frozenset[tuple[str, str]]


def examples_of(phrasing: Phrasing, language: Language) -> Iterator[Example]:
    """The sentences of a phrasing with their acts; one that the rules miss goes where it fits best."""
    reading = read_agent(language, phrasing.text, Context(customer=phrasing.customer))
    numbers = range(len(reading.sentences))
    heard = {number: {_key(act) for at, act in reading.acts if at == number} for number in numbers}
    if not phrasing.is_right(Understood(tuple(act for _, act in reading.acts))):
        right = {_key(act) for act in (*phrasing.acts, *phrasing.may)}
        heard = {number: acts & right for number, acts in heard.items()}
        for act in {_key(act) for act in phrasing.acts}.difference(*heard.values()):
            heard[max(numbers, key=lambda number: _fit(language, act, reading.sentences[number]))].add(act)
    for number, acts in heard.items():
        yield Example(reading.sentences, number, frozenset(acts))


def joined(examples: Sequence[Example]) -> Iterator[Example]:
    """A share of a desk's examples, each beside another one, as messages say several things."""
    rng = random.Random(len(examples))
    for example in examples:
        if rng.random() < JOINED:
            other = rng.choice(examples).sentences
            before, after = (other, ()) if rng.random() < 0.5 else ((), other)
            yield Example([*before, *example.sentences, *after], len(before) + example.number, example.acts)


def merged(examples: Sequence[Example]) -> Iterator[Example]:
    """Pairs of questions of a desk as one sentence, since a sentence may ask for several facts."""
    questions = [each for each in examples if each.acts and all(act == talk.ASK for act, _ in each.acts)]
    rng = random.Random(len(questions))
    for example in questions:
        if rng.random() < MERGED:
            other = rng.choice(questions)
            parts = [each.sentences[each.number] for each in (example, other)]
            tokens = [token for part in parts for token in part.tokens]
            text = " and ".join(part.text for part in parts)
            yield Example([Sentence(tokens, text, parts[-1].is_question)], 0, example.acts | other.acts)


def _fit(language: Language, act: tuple[str, str], sentence: Sentence) -> float:
    """How well the desk's phrases and the present weights for an act's subject fit a sentence."""
    family, weights = FAMILIES.get(act[0]), weights_of(language.domain.name)
    if family is None:
        return 0.0
    by_weights = {} if weights is None else weights.subjects_of(language, family, sentence)
    return phrase_fits(language, family, sentence).get(act[1], (0.0, 0.0))[0] + SURE * by_weights.get(act[1], 0.0)


def _is_named_here(language: Language, example: Example, act: tuple[str, str]) -> bool:
    """Whether no other sentence of the message fits the subject better; one that says "I hand you over" names none."""
    fits = [_fit(language, act, sentence) for sentence in example.sentences]
    return act[0] not in (talk.REFUSE, talk.TRANSFER) or fits[example.number] == max(fits)


def _key(act: Call) -> tuple[str, str]:
    given = act.arguments
    return act.tool, given.get("fact") or given.get("action") or given.get("reason") or ""


def fit_uses(examples: Sequence[Example]) -> dict[str, Any]:
    """Weights of cues for each kind of act."""
    cues = [use_cues(example.sentences, example.number) for example in examples]
    places = _places(cues)
    pairs = [(row, places[cue]) for row, each in enumerate(cues) for cue in sorted(each) if cue in places]
    rows, columns = zip(*pairs, strict=True)
    seen = sparse.csr_array((np.ones(len(rows)), (rows, columns)), (len(examples), len(places)))
    by_place = seen.T.tocsr()
    right = np.array([[any(act == use for act, _ in each.acts) for use in USES] for each in examples], float)
    weights, base = np.zeros((len(places), len(USES))), np.full(len(USES), -2.0)

    def gradients() -> list[Array]:
        error = _logistic(seen @ weights + base) - right
        return [by_place @ error + 2 * USE_PENALTY * weights, error.sum(0)]

    _descend([weights, base], gradients, USE_ROUNDS, USE_RATE)
    return {"base": np.round(base, 2).tolist(), "cues": _sparse(places, weights, LEAST_USE_WEIGHT, 2)}


def fit_subjects(examples: Sequence[Example], language: Language) -> dict[str, Any]:
    """Weights of cues for the facts, tools and reasons of a desk."""
    cues = [subject_cues(example.sentences[example.number]) for example in examples]
    places = _places(cues)
    counted = [
        (count, row, places[cue]) for row, each in enumerate(cues) for cue, count in each.items() if cue in places
    ]
    counts, rows, columns = zip(*counted, strict=True)
    seen = sparse.csr_array((counts, (rows, columns)), (len(examples), len(places)))
    found = {}
    for family, names in _families(language).items():
        fits = [phrase_fits(language, family, each.sentences[each.number]) for each in examples]
        spoken = [{name for act, name in each.acts if FAMILIES.get(act) == family} for each in examples]
        kept, shares = np.full(len(examples), True), _logistic
        if family in SINGLE:
            names, shares = [*names, NOTHING], _softmax
            spoken = [each or {NOTHING} for each in spoken]
            kept = np.array([len(each) == 1 for each in spoken])
            kept &= [all(_is_named_here(language, each, act) for act in each.acts) for each in examples]
        by_phrase = np.array([[fit.get(name, (0.0, 0.0)) for name in names] for fit in fits])
        right = np.array([[name in each for name in names] for each in spoken], float)
        found[family] = {"names": names} | _fit_family(places, seen[kept], by_phrase[kept], right[kept], shares)
    return found


def _fit_family(
    places: Mapping[str, int], seen: sparse.csr_array, by_phrase: Array, right: Array, shares: Callable[[Array], Array]
) -> dict[str, Any]:
    by_place = seen.T.tocsr()
    weights, base, phrase = np.zeros((len(places), right.shape[1])), np.full(right.shape[1], -4.0), np.array([0.7, 1.5])

    def gradients() -> list[Array]:
        error = shares(seen @ weights + base + by_phrase @ phrase) - right
        by_fit = (by_phrase * error[..., None]).sum((0, 1))
        return [by_place @ error + 2 * SUBJECT_PENALTY * weights, error.sum(0) + 0.02 * (base + 4.0), by_fit]

    _descend([weights, base, phrase], gradients, SUBJECT_ROUNDS, SUBJECT_RATE)
    return {
        "base": np.round(base, 2).tolist(),
        "by_phrase": np.round(phrase, 2).tolist(),
        "cues": _sparse(places, weights, LEAST_SUBJECT_WEIGHT, 1),
    }


def _descend(parameters: Sequence[Array], gradients: Callable[[], list[Array]], rounds: int, rate: float) -> None:
    """Adam in place, with a rate that falls to nothing."""
    means, squares = ([np.zeros_like(each) for each in parameters] for _ in range(2))
    for number in range(1, rounds + 1):
        step = rate * (1 - number / (rounds + 1))
        for value, slope, mean, square in zip(parameters, gradients(), means, squares, strict=True):
            mean *= 0.9
            mean += 0.1 * slope
            square *= 0.99
            square += 0.01 * slope**2
            value -= step * (mean / (1 - 0.9**number)) / (np.sqrt(square / (1 - 0.99**number)) + 1e-6)


def _logistic(sums: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-np.clip(sums, -30.0, 30.0)))


def _softmax(sums: Array) -> Array:
    raised = np.exp(sums - sums.max(1, keepdims=True))
    return np.asarray(raised / raised.sum(1, keepdims=True))


def _places(cues: Sequence[Any]) -> dict[str, int]:
    counts = Counter(cue for each in cues for cue in each)
    return {cue: place for place, cue in enumerate(sorted(cue for cue, seen in counts.items() if seen >= LEAST_SEEN))}


def _sparse(places: Mapping[str, int], weights: Array, least: float, digits: int) -> dict[str, list[float]]:
    """By cue a flat list of places and rounded weights."""
    found = {}
    for cue, row in places.items():
        kept = [(place, round(float(weights[row, place]), digits)) for place in range(weights.shape[1])]
        flat = [number for place, weight in kept if abs(weight) >= least for number in (place, weight)]
        if flat:
            found[cue] = flat
    return found


def _families(language: Language) -> dict[str, list[str]]:
    """The names of each family of a desk, as the kinds of acts speak of them."""
    domain = language.domain
    named = {
        FAMILIES[talk.ASK]: list(dict.fromkeys([*language.facts.names, *language.told.names])),
        FAMILIES[talk.REPORT]: list(domain.writing),
        FAMILIES[talk.REFUSE]: list(domain.reasons),
    }
    return named | ({FAMILIES[talk.INSTRUCT]: list(domain.user_tools)} if domain.user_tools else {})


def main() -> int:
    """Write the weights beside the code that reads them."""
    FOLDER.mkdir(exist_ok=True)
    found = [each for each in phrasings() if each.part == TUNED and not each.is_joined]
    found += [Phrasing(TUNED, name, text, ()) for name in DESKS for text in says_nothing()]
    examples = {}
    for name in DESKS:
        progress(name)
        language = language_of(desk(name), "full")
        examples[name] = [example for each in found if each.desk == name for example in examples_of(each, language)]
        examples[name] += merged(examples[name])
        _write(name, fit_subjects(examples[name], language))
    _write("uses", fit_uses([example for each in examples.values() for example in (*each, *joined(each))]))
    return 0


def _write(name: str, fields: Mapping[str, Any]) -> None:
    text = json.dumps(fields, separators=(",", ":"), ensure_ascii=False)
    (FOLDER / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    sys.exit(main())
