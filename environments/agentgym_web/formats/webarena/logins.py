"""Logins: cookies and stored values of a site from a file in Playwright's form, put into a window before a task begins.

`agentgym` logs in nowhere: the user makes the file, for example with `browser_context.storage_state(path=FILE)`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError
from agentgym_web.browser.page import WebPage
from agentgym_web.browser.settings import View
from agentgym_web.user_files import read_text

MAX_BYTES = 16 << 20
_TYPES: Mapping[str, type] = {
    "name": str,
    "value": str,
    "domain": str,
    "path": str,
    "httpOnly": bool,
    "secure": bool,
    "sameSite": str,
}
_SAME_SITE = ("Strict", "Lax", "None")
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
    text = read_text(path, MAX_BYTES, ConfigError)
    try:
        loaded = json.loads(text)
        cookies = [_cookie(each) for each in loaded.get("cookies", ())]
        stored = {
            str(each["origin"]): {str(pair["name"]): str(pair["value"]) for pair in each.get("localStorage", ())}
            for each in loaded.get("origins", ())
        }
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        raise ConfigError(
            f"the login {path} has another form ({str(error) or type(error).__name__:.80}); {_EXPECTED}"
        ) from error
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
    cookie = {key: given[key] for key in _TYPES if key in given}
    for key in ("name", "value", "domain"):
        if key not in cookie:
            raise TypeError(f"a cookie lacks {key}")
    for key, value in cookie.items():
        if not isinstance(value, _TYPES[key]) or (key == "sameSite" and value not in _SAME_SITE):
            raise TypeError(f"{key} of a cookie is {value!r:.30}")
    expires = given.get("expires", -1)
    if isinstance(expires, bool) or not isinstance(expires, int | float) or not math.isfinite(expires):
        raise TypeError(f"expires of a cookie is {expires!r:.30}, which is no number")
    return {"path": "/", **cookie, **({} if expires < 0 else {"expires": expires})}
