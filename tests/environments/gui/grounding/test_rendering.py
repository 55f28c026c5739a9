"""Rendering of screens: what is laid out, and what ends it when no desktop can be had."""

import json

import pytest

from agentgym.errors import SandboxError, SandboxStartError, UnknownNameError
from agentgym_gui.grounding.applications import APPLICATIONS
from agentgym_gui.grounding.rendering import MAX_FAILURES, render, require_states


class NoDesktops:
    """A pool that fails a few times, and then does something else."""

    def __init__(self, then):
        self.then, self.num_asked = then, 0

    def lease(self, spec):
        self.num_asked += 1
        raise SandboxStartError("no room") if self.num_asked < 5 else self.then


def test_failures_in_a_row_end_with_the_last_of_them(tmp_path):
    with pytest.raises(SandboxError, match=f"{MAX_FAILURES} openings in a row failed, the last because no window"):
        render(tmp_path / "new", NoDesktops(SandboxError("no window")), 2, ["galculator"])


def test_an_interrupt_ends_it(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        render(tmp_path / "new", NoDesktops(KeyboardInterrupt()), 2, ["galculator"])
    assert json.loads((tmp_path / "new" / "targets.json").read_text()) == []


def test_a_state_is_known_if_one_of_the_applications_has_it():
    require_states(["replace", "start"], ["galculator", "mousepad"])
    with pytest.raises(UnknownNameError, match="galculator has no state 'replace'"):
        require_states(["replace"], ["galculator"])


@pytest.mark.parametrize("name", APPLICATIONS)
def test_every_application_has_something_to_start(name):
    application = APPLICATIONS[name]
    plan = application.plan(0)
    assert application.start or (plan is not None and plan.start)
