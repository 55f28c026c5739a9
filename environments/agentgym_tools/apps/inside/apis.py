"""`apis` in the sandbox: `apis.mail.get_mail(mail_id=7)` asks the host, which checks the call and makes it.

Nothing of the apps is here, neither their code nor their database: only arguments and results cross, as JSON.
"""

from __future__ import annotations

import json
from typing import Any

import host  # type: ignore[import-not-found]  # the session's own module


class ApiError(Exception):
    """What an API answers in place of doing something; nothing has changed then."""


class App:
    """An app; its attributes are its APIs."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, api: str) -> Any:
        if api.startswith("_"):
            raise AttributeError(api)

        def call(*values: Any, **arguments: Any) -> Any:
            asked = {"app": self._name, "api": api, "values": values, "arguments": arguments}
            answer = json.loads(host.ask(json.dumps(asked)))
            if "error" in answer:
                raise ApiError(answer["error"])
            return answer["result"]

        call.__name__ = api
        return call


class Apis:
    """All apps; `apis.docs` has list_apps(), list_apis(app) and describe_api(app, api)."""

    def __getattr__(self, app: str) -> App:
        if app.startswith("_"):
            raise AttributeError(app)
        return App(app)


apis = Apis()
