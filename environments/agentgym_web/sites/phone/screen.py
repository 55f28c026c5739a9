"""What every screen of the phone shares: the lock, the bar at the bottom, and saying that something is missing."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, local_path

APPS = (("/", "Today"), ("/chats", "Chats"), ("/calendar", "Calendar"), ("/lists", "Lists"), ("/more", "More"))
"""Address and label of each entry of the bar at the bottom."""
_HOME = {"/events": "/calendar", "/messages": "/chats", "/items": "/lists"}


def show(visit: Visit, template: str, heading: str, status: int = 200, back: str = "", **values: Any) -> Response:
    """A screen of the unlocked phone.

    Args:
        visit: The visit.
        template: Name of the template.
        heading: What stands at the top.
        status: HTTP status.
        back: Address that the arrow beside the heading leads to; empty: no arrow.
        values: What the template uses.
    """
    first = f"/{visit.request.url.path.split('/')[1]}"
    first = _HOME.get(first, first)
    current = first if first in {path for path, _ in APPS} else "/more"
    return visit.render(template, status=status, heading=heading, back=back, apps=APPS, current=current, **values)


def missing(visit: Visit) -> Response:
    """The screen for what does not exist."""
    return show(visit, "refused.html", "Not found", 404, back="/", text="There is nothing here.")


def refuse(visit: Visit, text: str, back: str) -> Response:
    """The screen that says why something is not possible."""
    return show(visit, "refused.html", "Not possible", 403, back=back, text=text)


def return_to(visit: Visit, default: str) -> Response:
    """Go back to the screen that a form was sent from."""
    return visit.redirect(local_path(visit.text("back", default)))
