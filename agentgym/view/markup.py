"""HTML that is safe by construction: every text is escaped unless it is already markup.

Layout and colours are in `report.css`.
"""

from __future__ import annotations

import html
import re

_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
"""Control characters, lone surrogates, and marks that reorder or hide text."""


_BREAKABLE = re.compile(r"(?<=[^\w\s-])(?=\w)|(?<=_)(?=[^_])")
"""Where a long name may be broken: after a mark inside it, such as a slash."""
_SHORT_NAME, _MAX_NAME = 20, 64


class Html(str):
    """Text that is already markup; only this package makes it."""

    __slots__ = ()


def text(value: object) -> Html:
    """Escape a value for element content or a quoted attribute; unshowable characters appear as code points."""
    if isinstance(value, Html):
        return value
    shown = _UNSHOWABLE.sub(lambda found: f"⟨{ord(found.group()):04X}⟩", str(value))
    return Html(html.escape(shown, quote=True))


def join(*parts: object) -> Html:
    """Join parts, and escape each one that is not markup."""
    return Html("".join(text(part) for part in parts if part is not None))


def tag(name: str, *children: object, **attributes: object) -> Html:
    """Make an element.

    Args:
        name: Its name; a word of this package's own, never data.
        children: Contents, escaped unless they are markup; None is left out.
        attributes: Attributes; `class_` for class, `_` for `-`; None is left out, True stands alone.
    """
    written = []
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        written.append(f" {key}" if value is True else f' {key}="{text(value)}"')
    return Html(f"<{name}{''.join(written)}>{join(*children)}</{name}>")


def named(name: str, class_: str | None = None) -> Html:
    """A name that may be broken after its marks; a very long one shows its ends, and all of it under the pointer."""
    half = _MAX_NAME // 2
    shown = name if len(name) <= _MAX_NAME else f"{name[: half - 1]}…{name[-half:]}"
    pieces = _BREAKABLE.split(shown) if len(shown) > _SHORT_NAME else [shown]
    parts = [part for piece in pieces for part in (Html("<wbr>"), piece)][1:]
    return tag("span", *parts, title=name if shown != name else None, class_=class_)
