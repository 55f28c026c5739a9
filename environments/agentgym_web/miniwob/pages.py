"""The pages of MiniWoB++ by difficulty, and what is particular about some.

Easy pages take one or two actions on what has a name; medium ones several, or reading; hard ones search, long forms,
drawing, or acting at a place or a time.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path

from agentgym.errors import ConfigError


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


HIDDEN = ("#query:not(:has(.ui-icon, .cc))", "#reward-display", "#click-canvas", "#sync-task-cover")
"""What belongs to the harness of the pages and not to the task. The instruction is shown as text; where it has an icon
or a box of colour in it, its element is shown too."""

EASY = _words(
    """
    choose-list click-button click-button-sequence click-checkboxes click-color click-collapsible-nodelay
    click-collapsible click-dialog click-dialog-2 click-link click-option click-tab click-tab-2-easy click-test
    click-test-2 click-test-transfer click-widget enter-date enter-password enter-text enter-text-2
    enter-text-dynamic enter-time focus-text focus-text-2 identify-shape login-user navigate-tree odd-or-even
    read-table simple-arithmetic text-transform unicode-test button-delay ascending-numbers simple-algebra
    """
)
MEDIUM = _words(
    """
    buy-ticket choose-date-easy choose-date-medium choose-date-nodelay choose-date click-checkboxes-large
    click-checkboxes-soft click-checkboxes-transfer click-collapsible-2 click-collapsible-2-nodelay click-menu
    click-menu-2 click-pie click-pie-nodelay click-scroll-list click-shades click-shape click-tab-2 click-tab-2-hard
    click-tab-2-medium copy-paste copy-paste-2 count-shape count-sides email-inbox-delete email-inbox-forward
    email-inbox-forward-nl email-inbox-important email-inbox-noscroll email-inbox-reply email-inbox-star-reply
    email-inbox find-greatest find-word form-sequence form-sequence-2 form-sequence-3 generate-number
    grid-coordinate guess-number login-user-popup multi-layouts multi-orderings number-checkboxes order-food
    phone-book read-table-2 scroll-text scroll-text-2 sign-agreement social-media social-media-all social-media-some
    tic-tac-toe use-autocomplete use-autocomplete-nodelay use-slider use-spinner visual-addition hover-shape
    """
)
HARD = _words(
    """
    bisect-angle book-flight book-flight-nodelay chase-circle circle-center daily-calendar drag-box drag-circle
    drag-cube drag-items drag-items-grid drag-shapes drag-shapes-2 drag-single-shape drag-sort-numbers draw-circle
    draw-line email-inbox-forward-nl-turk email-inbox-nl-turk find-midpoint highlight-text highlight-text-2 hot-cold
    moving-items resize-textarea right-angle search-engine simon-says stock-market terminal text-editor
    use-colorwheel use-colorwheel-2 use-slider-2 flight.AA flight.Alaska flight.Alaska-auto
    flight.Alaska-auto-medium
    """
)
SMALL = _words(
    """
    click-test click-test-2 click-test-transfer click-button click-button-sequence click-link click-dialog
    click-dialog-2 click-tab click-tab-2-easy click-option click-checkboxes click-collapsible-nodelay click-collapsible
    focus-text focus-text-2 enter-text
    """
)
"""Easy pages without drawings whose instruction names what to click or type: a tiny model learns them from nothing."""
UNSEEN = _words(
    """
    click-tab-2-easy click-collapsible click-test-transfer enter-text-2 focus-text-2 odd-or-even
    click-checkboxes-transfer click-menu-2 copy-paste-2 email-inbox-reply form-sequence-3 multi-orderings
    read-table-2 social-media-some use-autocomplete-nodelay choose-date-medium book-flight-nodelay drag-shapes-2
    highlight-text-2 use-slider-2 find-midpoint
    """
)
"""Pages that no training split has."""

ALL_PAGES: Mapping[str, str] = {
    name: f"{name.replace('.', '/')}/wrapper.html" if name.startswith("flight.") else f"miniwob/{name}.html"
    for name in (*EASY, *MEDIUM, *HARD)
}
"""Where each page lies in the package's folder of pages."""

RELOADED: frozenset[str] = frozenset((
    "chase-circle", "drag-cube", "form-sequence", "hot-cold", "moving-items", "search-engine", "simon-says",
    "use-slider", "use-slider-2", "flight.AA", "flight.Alaska", "flight.Alaska-auto", "flight.Alaska-auto-medium",
))  # fmt: skip
"""Pages that keep something of an episode where nobody sees it, and are loaded anew for each."""

FINE: Mapping[str, int] = {"simon-says": 100}
"""Pages on which something is seen for less than half a second, and by how much their clock goes on at each action."""

_LONG = _words(
    """
    book-flight book-flight-nodelay guess-number hot-cold search-engine terminal simon-says tic-tac-toe stock-market
    click-checkboxes-large number-checkboxes social-media-all click-scroll-list text-editor use-spinner phone-book
    find-greatest order-food drag-sort-numbers daily-calendar flight.AA flight.Alaska flight.Alaska-auto
    flight.Alaska-auto-medium choose-date chase-circle moving-items
    """
)
MAX_TURNS: Mapping[str, int] = dict.fromkeys(_LONG, 30)
"""Turns of pages that need more than the usual 10."""


def html_folder() -> Path:
    """The folder of pages in the package `miniwob`.

    Raises:
        ConfigError: The package is not installed.
    """
    found = importlib.util.find_spec("miniwob")
    if found is None or found.origin is None:
        raise ConfigError(
            "the pages of MiniWoB++ are in the package miniwob; install it: pip install 'agentgymnasium[web]'"
        )
    return Path(found.origin).parent / "html"
