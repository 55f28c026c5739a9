"""A person at a window, as programs can be one: real input events through the browser, not through the actions."""

from __future__ import annotations

import json
from typing import Any

from agentgym_web.browser.hub import the_hub
from agentgym_web.browser.keys import key_named
from agentgym_web.env import WebEnv


class Hands:
    """Moves the mouse and presses keys in the window of an environment.

    Args:
        env: Made with `render_mode="human"`.
    """

    def __init__(self, env: WebEnv) -> None:
        self._env = env

    def _post(self, method: str, params: dict[str, Any]) -> None:
        async def send() -> None:
            await self._env.page._window.tab.post(method, params)

        the_hub().run(send())

    def place(self, selector: str) -> tuple[float, float]:
        """The middle of an element."""
        found = (
            f"const found = document.querySelector({json.dumps(selector)}); found.scrollIntoView({{block: 'center'}}); "
        )
        middle = "const r = found.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]"
        x, y = self._env.page.run_script(f"(() => {{ {found}{middle} }})()")
        return x, y

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self._post("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def click(self, selector: str, *, button: str = "left", modifiers: int = 0) -> None:
        x, y = self.place(selector)
        pressing = {"button": button, "clickCount": 1, "modifiers": modifiers}
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, **pressing)
        self.mouse("mouseReleased", x, y, **pressing)

    def dblclick(self, selector: str) -> None:
        x, y = self.place(selector)
        for count in (1, 2):
            self.mouse("mousePressed", x, y, button="left", clickCount=count)
            self.mouse("mouseReleased", x, y, button="left", clickCount=count)

    def drag(self, start: str, end: str) -> None:
        (x, y), (to_x, to_y) = self.place(start), self.place(end)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseMoved", (x + to_x) / 2, (y + to_y) / 2, button="left")
        self.mouse("mouseMoved", to_x, to_y, button="left")
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)

    def press(self, name: str) -> None:
        key = key_named(name)
        told = {"key": key.key, "code": key.code, "windowsVirtualKeyCode": key.number}
        text = {"text": key.text} if key.text else {}
        self._post("Input.dispatchKeyEvent", {"type": "keyDown" if text else "rawKeyDown", **told, **text})
        self._post("Input.dispatchKeyEvent", {"type": "keyUp", **told})

    def type(self, text: str) -> None:
        for character in text:
            self.press(character)

    def wheel(self, down: float) -> None:
        self.mouse("mouseWheel", 300, 300, deltaX=0, deltaY=down)

    def act(self) -> str:
        """The message that the environment makes of it; played at once."""
        said = self._env.next_message(5)
        assert said is not None, "nothing was told"
        return said
