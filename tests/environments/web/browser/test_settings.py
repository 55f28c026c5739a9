"""Options of views and pages."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym.errors import ConfigError
from agentgym_web.browser.settings import PageSettings, View


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"ids": "some"}, "ids of a view must be 'usable' or 'all': got 'some'"),
        ({"max_text": 0}, "max_text of a view must be at least 1: got 0"),
        ({"max_elements": -1}, "max_elements of a view must be at least 1: got -1"),
        ({"max_tokens": 19}, "max_tokens of a view must be at least 20: got 19"),
    ],
)
def test_view_refuses_what_makes_no_sense(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        View(**options)


@pytest.mark.parametrize("name", ["width", "height", "step_ms", "settle_s", "load_s", "hang_s", "scale", "max_tabs"])
def test_page_settings_refuse_what_is_not_positive(name: str) -> None:
    options: dict[str, Any] = {name: 0}
    with pytest.raises(ConfigError, match=f"{name} of a page must be positive: got 0"):
        PageSettings(**options)


def test_marks_need_a_picture() -> None:
    assert View(marks=True).has_picture
    assert View(screenshot=True).has_picture
    assert not View(dom=True).has_picture
