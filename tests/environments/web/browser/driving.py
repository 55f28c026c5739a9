"""A window with short names for what tests do with it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from agentgym_web.browser.page import WebPage
from agentgym_web.browser.settings import View
from agentgym_web.browser.sight import Sight
from tests.environments.web.browser.string_site import StringSite, Text

VIEW = View()
RECORDER = """<script>
  window.events = [];
  const names = (event) => ["ctrlKey", "altKey", "shiftKey", "metaKey"].filter((name) => event[name]).join("+");
  for (const type of ["mousedown", "mouseup", "click", "dblclick", "auxclick", "contextmenu", "mousemove", "keydown",
      "keyup", "input", "change", "focusin", "wheel", "touchstart", "touchmove", "touchend", "drop"])
    addEventListener(type, (event) => window.events.push({
      type, id: event.target.id || "", trusted: event.isTrusted, keys: names(event), button: event.button,
      buttons: event.buttons, key: event.key, code: event.code, detail: event.detail,
      x: event.clientX, y: event.clientY, left: event.target.value,
    }), true);
</script>"""


class Browser:
    """A window with short names for what tests do with it."""

    def __init__(self, page: WebPage, site: StringSite) -> None:
        self.page, self.site = page, site
        self.sight = Sight()

    def show(self, body: str, view: View = VIEW, pages: Mapping[str, str | Text] = MappingProxyType({})) -> Sight:
        """Show a page with this body, beside other pages."""
        self.site.pages |= {**pages, "/": body}
        self.sight = self.page.open("http://a.test/", view)
        return self.sight

    def do(self, name: str, view: View = VIEW, /, **arguments: Any) -> Sight:
        """Carry out one action."""
        self.sight = self.page.step([(name, arguments)], view)
        return self.sight

    def id(self, part: str) -> str:
        """The id of the only line that contains a text."""
        found = [line.strip() for line in self.sight.lines if part in line]
        assert len(found) == 1, f"{len(found)} lines with {part!r} in {list(self.sight.lines)}"
        assert found[0].startswith("["), f"no id: {found[0]}"
        return found[0][1:].partition("]")[0]

    def view(self) -> View:
        """The view that is looked at by default."""
        return VIEW

    def value(self, expression: str) -> Any:
        """What the page's own world says."""
        return self.page.run_script(expression)

    def events(self, *types: str) -> list[dict[str, Any]]:
        """The recorded events of some types."""
        found = self.value("window.events")
        return [event for event in found if event["type"] in types]
