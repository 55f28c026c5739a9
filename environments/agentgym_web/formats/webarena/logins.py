"""Logins: cookies and stored values of a site from a file in Playwright's form, put into a window before a task begins.

`agentgym` logs in nowhere: the user makes the file, for example with `browser_context.storage_state(path=FILE)`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError, unreadable
from agentgym_web.browser.page import WebPage
from agentgym_web.browser.settings import View

MAX_BYTES = 16 << 20
_KEYS = ("name", "value", "domain", "path", "expires", "httpOnly", "secure", "sameSite")
_EXPECTED = 'expected {"cookies": [{"name", "value", "domain", "path"}, …], "origins": […]}, as Playwright writes it'


@dataclass(frozen=True)
class Login:
    """What makes a window logged in.

    Attributes:
        cookies: As the browser takes them.
        stored: Values of `localStorage` by origin.
    """

    cookies: Sequence[Mapping[str, Any]] = ()
    stored: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def read_login(path: Path) -> Login:
    """The login of a file.

    Raises:
        ConfigError: The file cannot be read or has another form.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigError(f"the login {path} has more than {MAX_BYTES >> 20} MiB; {_EXPECTED}")
        loaded = json.loads(path.read_text(encoding="utf-8"))
        cookies = [_cookie(each) for each in loaded.get("cookies", ())]
        stored = {
            str(each["origin"]): {str(pair["name"]): str(pair["value"]) for pair in each.get("localStorage", ())}
            for each in loaded.get("origins", ())
        }
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(unreadable(path, error)) from error
    except (json.JSONDecodeError, RecursionError, AttributeError, KeyError, TypeError) as error:
        raise ConfigError(f"the login {path} has another form ({error!r:.80}); {_EXPECTED}") from error
    if not cookies and not stored:
        raise ConfigError(f"the login {path} has no cookies; {_EXPECTED}")
    return Login(cookies, stored)


def log_in(page: WebPage, logins: Sequence[Login]) -> None:
    """Put logins into a window; it shows any page afterwards."""
    cookies = [cookie for login in logins for cookie in login.cookies]
    if cookies:
        page.set_cookies(cookies)
    for login in logins:
        for origin, values in login.stored.items():
            page.open(origin, View(tree=False))
            page.run_script(f"Object.entries({json.dumps(values)}).forEach((pair) => localStorage.setItem(...pair))")


def _cookie(given: Mapping[str, Any]) -> dict[str, Any]:
    cookie = {key: given[key] for key in _KEYS if key in given}
    for key in ("name", "value", "domain"):
        if not isinstance(cookie.get(key), str):
            raise TypeError(f"a cookie lacks {key}")
    if float(cookie.get("expires", -1)) < 0:
        cookie.pop("expires", None)
    return {"path": "/", **cookie}
