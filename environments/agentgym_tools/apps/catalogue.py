"""The catalogue: all apps by name, and one call of one of their APIs."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from agentgym.errors import ActionSyntaxError
from agentgym_tools.apps.api.app import App
from agentgym_tools.apps.api.calendar import Calendar
from agentgym_tools.apps.api.contacts import Contacts
from agentgym_tools.apps.api.files import Files
from agentgym_tools.apps.api.mail import Mail
from agentgym_tools.apps.api.messages import Messages
from agentgym_tools.apps.api.music import Music
from agentgym_tools.apps.api.notes import Notes
from agentgym_tools.apps.api.payments import Payments
from agentgym_tools.apps.api.shop import Shop
from agentgym_tools.apps.api.supervisor import Supervisor
from agentgym_tools.apps.api.todo import Todo
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.toolbox import Result, WorldTool

APPS: Mapping[str, type[App]] = {
    "mail": Mail,
    "calendar": Calendar,
    "notes": Notes,
    "contacts": Contacts,
    "messages": Messages,
    "music": Music,
    "payments": Payments,
    "shop": Shop,
    "files": Files,
    "todo": Todo,
    "supervisor": Supervisor,
}
"""All apps by name; the last one is about the person itself."""


def app_named(name: str) -> type[App]:
    """An app.

    Raises:
        ActionSyntaxError: There is none of that name.
    """
    if name not in APPS:
        raise ActionSyntaxError(f"There is no app {name[:60]!r}. {_near(name, APPS)}")
    return APPS[name]


def api_named(app: str, api: str) -> WorldTool:
    """An API of an app.

    Raises:
        ActionSyntaxError: There is none of that name.
    """
    tools = app_named(app).tools
    if api not in tools:
        raise ActionSyntaxError(f"{app} has no API {api[:60]!r}. {_near(api, tools)}")
    return tools[api]


def checked(app: str, api: str, arguments: Mapping[str, Any]) -> Call:
    """A call whose arguments fit the API.

    Raises:
        ActionSyntaxError: They do not, or there is no such API; it says what would.
    """
    api_named(app, api).arguments(dict(arguments))
    return Call(f"{app}.{api}", dict(arguments))


def carry_out(world: World, user: int, call: Call) -> Result:
    """Make a call on behalf of a person; one that fails changes nothing."""
    app, _, api = call.tool.partition(".")
    return APPS[app](world, user).call(Call(api, call.arguments))


def is_writing(call: Call) -> bool:
    """Whether a call changes something."""
    app, _, api = call.tool.partition(".")
    return APPS[app].tools[api].is_writing


def _near(name: str, names: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(name[:60], list(names), n=2, cutoff=0.5)
    return f"Did you mean {' or '.join(close)}?" if close else f"There are: {', '.join(names)}."
