"""Naming the call of an environment that a thread is in."""

import threading
from types import SimpleNamespace

import pytest

from agentgym.env import describe_running

ENV = """
class Env:
    task = None
    books = books

    def step(self):
        return self.respond()

    def respond(self):
        return describe(thread_id())
"""


@pytest.mark.parametrize(
    ("module", "place"), [("my_pages.env", " (<env>, line 10, in respond)"), ("agentgym_web.env", "")]
)
def test_only_code_of_others_is_named(module: str, place: str) -> None:
    names = {"books": SimpleNamespace(turns={"agent": 2}), "describe": describe_running}
    space = {"__name__": module, "thread_id": threading.get_ident, **names}
    exec(compile(ENV, "<env>", "exec"), space)
    assert space["Env"]().step() == f"step 2{place}"  # type: ignore[operator]
