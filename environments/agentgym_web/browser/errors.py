"""What goes wrong in the browser layer, as classes of errors.

A mistake of the agent's is an `ActionSyntaxError` or a text in its observation; these are failures of the machinery.
"""

from __future__ import annotations

from agentgym.errors import InfrastructureError


class BrowserStartError(InfrastructureError):
    """A browser, or a page in it, could not be started."""


class BrowserLostError(InfrastructureError):
    """The browser ended or stopped answering; its episodes are played again."""


class DevToolsError(InfrastructureError):
    """The browser refused a command; carries the method and the browser's words."""


class ScriptError(DevToolsError):
    """A script of the layer failed on a page, which may have been made to that end."""


class PageGoneError(DevToolsError):
    """What a command was meant for is gone: a page that went on to another, a closed tab."""


class PageHangsError(DevToolsError):
    """A page did not answer a script of the harness in time; it was closed."""
