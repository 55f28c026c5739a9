"""What crosses from Python in the sandbox to the apps: a call as a text of JSON, and its result as another.

The text is the agent's own, whatever wrote it: it is parsed, checked like any call, and never believed.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, NamedTuple, NoReturn

from agentgym.errors import ActionSyntaxError
from agentgym_tools.apps.catalogue import api_named

DOCS = "docs"
"""The name under which code finds the documentation of the APIs."""
PRELUDE = resources.files("agentgym_tools.apps.inside").joinpath("apis.py").read_text(encoding="utf-8")
"""The code that defines `apis` in the sandbox."""


class Asked(NamedTuple):
    """A call that code asks for.

    Attributes:
        app: Name of the app, or `DOCS`.
        api: Name of the API.
        values: Arguments by place.
        arguments: Arguments by name.
    """

    app: str
    api: str
    values: list[Any]
    arguments: dict[str, Any]

    def by_name(self) -> dict[str, Any]:
        """All arguments by name.

        Raises:
            ActionSyntaxError: There is no such API, or it has fewer parameters, or one is given twice.
        """
        names = list(api_named(self.app, self.api)["function"]["parameters"]["properties"])
        if len(self.values) > len(names):
            raise ActionSyntaxError(f"{self.api} takes at most {len(names)} arguments, got {len(self.values)}.")
        placed = dict(zip(names, self.values, strict=False))
        twice = [name for name in placed if name in self.arguments]
        if twice:
            raise ActionSyntaxError(f"{self.api} got {twice[0]} twice: give each argument once, by place or by name.")
        return {**placed, **self.arguments}


def read_asked(text: str) -> Asked:
    """The call that a text asks for.

    Raises:
        ActionSyntaxError: It is none.
    """
    try:
        found = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ActionSyntaxError(f"The call holds what JSON has not: {str(error)[:100]}.") from None
    fields = found if isinstance(found, dict) else {}
    app, api, values, arguments = (fields.get(name) for name in Asked._fields)
    if not (isinstance(app, str) and isinstance(api, str) and isinstance(values, list) and isinstance(arguments, dict)):
        raise ActionSyntaxError("Call an API as apis.mail.get_mail(mail_id=7).")
    return Asked(app, api, values, arguments)


def result_text(result: Any) -> str:
    """What the code gets for a call that was made."""
    return json.dumps({"result": result})


def error_text(why: str) -> str:
    """What the code gets for a call that was not made."""
    return json.dumps({"error": why})


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"the number {name}")
