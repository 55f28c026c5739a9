"""Options of what an agent sees that MiniWoB++ and our own sites share, as keyword arguments of their environments.

What the options do is in `browser/settings`; each environment adds options of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypedDict, TypeVar, get_type_hints

from agentgym.errors import ConfigError
from agentgym_web.browser.settings import View

Init = TypeVar("Init", bound=Callable[..., None])


class ViewOptions(TypedDict, total=False):
    """The shared options; a missing one has the default of `View`.

    Attributes:
        screenshot: Whether observations have a picture.
        marks: Whether the picture has a frame with its id around each element.
        tree: Whether observations have the tree.
        dom: Whether observations have the pruned DOM, as HTML.
        visible_only: Whether the tree and the DOM leave out what lies outside the window.
        max_tokens: Most tokens of the tree, and most of the DOM; None leaves them whole.
    """

    screenshot: bool
    marks: bool
    tree: bool
    dom: bool
    visible_only: bool
    max_tokens: int | None


def takes_view_options(init: Init) -> Init:
    """Name the shared options in the signature of an `__init__` that takes them as `**options`.

    Args:
        init: The method; `agentgym.make` reads from its signature which options there are, and their types.
    """
    signature = inspect.signature(init)
    *own, _ = signature.parameters.values()
    defaults = View()
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=getattr(defaults, name), annotation=kind)
        for name, kind in get_type_hints(ViewOptions).items()
    ]
    init.__signature__ = signature.replace(parameters=[*own, *shared])  # type: ignore[attr-defined]
    return init


def chosen_view(options: ViewOptions, **own: Any) -> View:
    """The view of an environment.

    Args:
        options: The shared options that were given.
        own: What the environment itself says of the view.

    Raises:
        ConfigError: It has neither the tree nor the DOM nor a picture.
    """
    view = View(**options, **own)
    if not (view.tree or view.dom or view.has_picture):
        raise ConfigError(
            "without the tree an agent sees nothing: set dom, screenshot or marks to True, or leave tree on"
        )
    return view
