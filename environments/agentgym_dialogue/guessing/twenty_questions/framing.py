"""Brings an English question to one of three openings (`be it`, `do it`, `do you`), in word stems.

Which attribute the rest asks for is the work of `grammar`.
"""

from __future__ import annotations

import re
from functools import cache

from agentgym_dialogue.phrases import stem, stems

_ARTICLES = frozenset(["a", "an", "the", "your", "my", "their", "his", "her", "our", "its"])
_FILLER_WORDS = """
usually normally typically often generally commonly really actually maybe perhaps please so ok okay well then hmm um
also ever just mostly mainly primarily very quite rather probably possibly likely sometimes currently considered
called got some any own certain particular specific now hi ah oh right correct regularly frequently partially average
typical basically essentially naturally simply definitely alright great
"""
_FILLERS = frozenset(stem(word) for word in _FILLER_WORDS.split())
_EMPTY_PHRASES = re.compile(
    r"\b(?:(?:kinds?|sorts?|types?) of|by any chance|at all|in general|more or less|of course|of (?:some|any) "
    r"(?:kind|sort|type)|most of the time|for example|in some way|classified as|regarded as|known as|as a rule|"
    r"(?:let me|i will|i'll) (?:ask|see|think)|next question|my (?:next |first |last )?question is|question)\b"
)
_REFERENCE = re.compile(
    r"\b(?:this|that|the|your)(?: secret| hidden| mystery| unknown)? (?:thing|object|item|animal|creature|word|secret|"
    r"answer|one|fruit|vegetable|vehicle|instrument|tool|device|bird|garment|appliance|gadget|food)\b(?! kingdom)"
    r"(?:(?: that| which)? (?:you are|you're|you have|you had|i am|we are)(?: thinking of| thinking about| in mind"
    r"| looking for| talking about| trying to guess))?"
    r"|\bwhat (?:you are|you're|you have) (?:thinking of|thinking about|in mind)\b"
)
"""What names the secret in other words than `it`."""
_FRUIT_ORANGE = re.compile(r"\ban orange\b(?! \w)")
_LEADS = """
can you tell me if, can you tell me whether, tell me if, tell me whether, tell me, i wonder if, i wonder whether
i want to know if, i want to know whether, i would like to know if, i would like to know whether, i am wondering if
i was wondering whether, i am asking if, do you think that, do you think, do you believe, do you agree that, say
would you say that, would you say, would you call, is it true that, is it correct that, is it fair to say that
is it fair to say, is it possible that, is it the case that, does it happen that, i think, i believe, i suppose
if, whether, and, but
"""
_GUESS_LEADS = """
are you thinking of, are we talking about, are you talking about, do you have in mind, do you mean, is it by chance
my guess is, i guess it is, i guess, my final guess is, my answer is, final answer, i say it is, is your word
are we dealing with, it has to be, are we looking for, guess, i am going to guess, i bet it is, i bet, i would guess
i would say it is, i reckon it is, final guess, i am going to say, let us guess, my final answer is
"""
_TAILS = ("or not", "is not it", "is it not", "does not it", "is that it", "do you think", "would you say", "yes or no")
_PEOPLE = r"(?:i|we|peopl|person|one|someon|somebody|human|human be|man|anyon|anybody|folk|everyon|most peopl)"
_NOUN = r"(?:something|thing|object|item|one)"


def bare(text: str) -> str:
    """Stems of a text without articles and fillers."""
    text = _EMPTY_PHRASES.sub(" ", text.lower().replace("’", "'"))
    return " ".join(word for word in stems(text) if word not in _ARTICLES and word not in _FILLERS)


_ONE = re.compile(r"\b(see|find|meet|keep|buy|own|hav|use|wear|eat|rid|get) one\b")


def with_one_subject(text: str) -> str:
    """The sentence with no `it` but the subject."""
    opening = "be it" if text.startswith("be it ") else "do it" if text.startswith("do it ") else ""
    rest = _ONE.sub(r"\1", text[len(opening) :]).split()
    return " ".join([*opening.split(), *(word for word in rest if word != "it")])


def _listed(text: str) -> list[str]:
    return re.split(r", |\n", text.strip())


@cache
def _prefixes() -> tuple[tuple[str, str], ...]:
    """Leading phrases and what stands for them, the longest first."""
    pairs = {bare(lead) + " ": "" for lead in _listed(_LEADS)}
    pairs |= {bare(lead) + " ": "be it " for lead in _listed(_GUESS_LEADS)}
    return tuple(sorted(pairs.items(), key=lambda pair: -len(pair[0])))


@cache
def _suffixes() -> tuple[str, ...]:
    return tuple(" " + bare(tail) for tail in _TAILS)


_NOT_ASKED = re.compile(r"^(be|do|hav) not (it|you|i|we|peopl)\b")
_REWRITES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"^(be|do|hav) (?:thing|object|item|word|animal|creature)\b(?= \w)(?! (?:that|which|you))", r"\1 it"),
        (rf"^do {_PEOPLE}\b", "do you"),
        (r"^hav it (?:hav )?", "do it hav "),
        (r"^it (?:hav|do it hav)\b", "do it hav"),
        (r"^it be\b", "be it"),
        (r"^it do\b", "do it"),
        (rf"^(?:you|{_PEOPLE}) do (?!it)", "do you "),
        (rf"^(?:you|{_PEOPLE}) (?!be\b)", "do you "),
        (r"^it (?!be\b|do\b)", "do it "),
        (r"^do it be\b", "be it"),
        (r"^do it not be\b", "be it not"),
        (rf"^be it {_NOUN}(?: that| which| with which)? (?:you|{_PEOPLE})(?: do| be able to)?\b", "do you"),
        (rf"^be it (?:that|which) (?:you|{_PEOPLE})(?: do)?\b", "do you"),
        (rf"^be it (?:{_NOUN} )?(?:that|which|who) be\b", "be it"),
        (rf"^be it (?:{_NOUN} )?(?:that|which|who) do\b", "do it"),
        (rf"^be it (?:{_NOUN} )?(?:that|which|who)\b", "do it"),
        (rf"^be it {_NOUN} with\b", "do it hav"),
        (rf"^be it {_NOUN} (?=\w)", "be it "),
        (r"^do it be\b", "be it"),
        (r"^be it do\b", "do it"),
        (r"^be it be\b", "be it"),
        (r"^be it it be\b", "be it"),
        (r"^be it use by (.+)", r"do \1 use"),
        (r"^do it weigh over\b", "do it weigh mor than"),
        (r"^do it weigh under\b", "do it weigh less than"),
    )
)
_NEGATION = re.compile(r"^(be it|do it|do you) (?:not|never|no)\b")
_LACKING = re.compile(r"^(?:be it without|do it lack|do it hav no|do it com without)\b")


def frame(text: str) -> tuple[str, bool]:
    """A sentence brought to one of the three openings where it can be, and whether it is positive."""
    text = _strip_leads(text)
    text = _NOT_ASKED.sub(r"\1 \2", text)  # "Isn't it …?" asks for what "Is it …?" asks for
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    is_positive = True
    if _NEGATION.match(text):
        text, is_positive = _NEGATION.sub(r"\1", text), False
        text = text.replace("do it be ", "be it ", 1) if text.startswith("do it be ") else text
    if _LACKING.match(text):
        text, is_positive = _LACKING.sub("do it hav", text), not is_positive
    return with_one_subject(text), is_positive


def _strip_leads(text: str) -> str:
    is_shorter = True
    while is_shorter:
        is_shorter = False
        for prefix, replacement in _prefixes():
            if text.startswith(prefix) and len(text) > len(prefix):
                text, is_shorter = replacement + text[len(prefix) :], True
        for suffix in _suffixes():
            if text.endswith(suffix) and len(text) > len(suffix):
                text, is_shorter = text[: -len(suffix)], True
    return text


def plain(sentence: str) -> str:
    """Stems of a sentence in which whatever names the secret, such as "the thing you are thinking of", is `it`."""
    lowered = sentence.lower().replace("’", "'")
    return bare(_REFERENCE.sub("it", _FRUIT_ORANGE.sub("orangefruit", lowered)))
