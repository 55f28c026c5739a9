"""Templates for Xournal++, a journal of pages. They are for the test split alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from agentgym_gui.templates.making import journal_file
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Steps, click, finish, press
from agentgym_gui.templates.words import TOPICS, sentences, some

APP = "xournalpp"
KEEPING = (".config/xournalpp/*",)
_STYLES = ("lined", "graph", "plain", "ruled")
Pages = list[tuple[str, str]]


def _drawn(rng: random.Random) -> tuple[str, Pages]:
    """A path, and pages that differ in paper and text."""
    styles = some(rng, _STYLES, 4)
    return f"Documents/{rng.choice(TOPICS)}.xopp", list(zip(styles, sentences(rng, 4), strict=True))


def _plan(words: str, path: str, old: Pages, new: Pages, wrong: Sequence[Pages], steps: Steps, **rest: Any) -> Plan:
    source = {"path": path, "element": "background", "attribute": "style"}
    return Plan(
        goal=f"{words} Save the journal.",
        applications=(APP,),
        start=((APP, f"~/{path}"),),
        files={path: journal_file(old)},
        goals=(
            goal("pages", "xml", **source, equals=[style for style, _ in new]),
            goal("texts", "xml", path=path, element="text", equals=[line for _, line in new]),
        ),
        may_change=(path, *KEEPING),
        ending=Ending({path: journal_file(new)}),
        near_misses=tuple(Ending({path: journal_file(each)}) for each in wrong),
        oracle=(*steps, press("ctrl+s"), finish()),
        **rest,
    )


def _turned(count: int) -> Steps:
    """Further pages of the journal."""
    return (click("push button", "Next"),) * count


def _swapped(pages: Pages, place: int) -> Pages:
    return [*pages[:place], pages[place + 1], pages[place], *pages[place + 2 :]]


def _delete(rng: random.Random) -> Plan:
    path, pages = _drawn(rng)
    place = rng.randrange(1, 4)
    steps = (*_turned(place), click("push button", "Delete current page"))
    words = f"Delete page {place + 1} of the open journal."
    return _plan(
        words, path, pages, pages[:place] + pages[place + 1 :], [pages[:-1] if place < 3 else pages[1:]], steps
    )


def _swap(rng: random.Random) -> Plan:
    path, pages = _drawn(rng)
    place = rng.randrange(3)
    steps = (*_turned(place), click("push button", "Swap the current page with the one below"))
    words = f"Swap pages {place + 1} and {place + 2} of the open journal."
    return _plan(words, path, pages, _swapped(pages, place), [_swapped(pages, (place + 1) % 3)], steps)


def _copy(rng: random.Random) -> Plan:
    path, pages = _drawn(rng)
    place = rng.randrange(4)
    new = [*pages[: place + 1], *pages[place:]]
    steps = (*_turned(place), click("push button", "Insert a copy of the current page below"))
    words = f"Insert a copy of page {place + 1} of the open journal below it."
    return _plan(words, path, pages, new, [[*pages, pages[place]] if place < 3 else [pages[3], *pages]], steps)


def _move_back(rng: random.Random) -> Plan:
    path, pages = _drawn(rng)
    place = rng.randrange(3)
    steps = (*_turned(place + 1), click("push button", "Swap the current page with the one above"))
    words = (
        f"In the open journal, the page that should be page {place + 1} was moved one page down by mistake. "
        "Move it up again."
    )
    slipped = _swapped(pages, place)
    return _plan(words, path, slipped, pages, [_swapped(slipped, (place + 1) % 3)], steps, num_mistakes=1)


TEMPLATES = (
    Template("xournalpp.delete_page", _delete),
    Template("xournalpp.swap_pages", _swap),
    Template("xournalpp.copy_page", _copy),
    Template("xournalpp.move_back", _move_back),
)
