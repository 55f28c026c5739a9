"""Fresh sandboxes in which verdicts are reached, and the link to the warm process of each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agentgym.errors import SandboxError
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.lender import SandboxLender
from agentgym_swe.repair.ground import judges, sandbox_spec
from agentgym_swe.repair.link import WarmGoneError, WarmLink


class Bench:
    """Lends fresh sandboxes of one provider.

    Args:
        lender: Of the provider; limits that it may leave unenforced are left out here as well.
    """

    def __init__(self, lender: SandboxLender) -> None:
        self._lender = lender

    @contextmanager
    def open(self) -> Iterator[tuple[Sandbox, WarmLink]]:
        """A fresh sandbox and the link to its warm process.

        Raises:
            SandboxError: None can be started.
        """
        provider = self._lender.provider
        with judges(provider).lease(self._lender.fitted(sandbox_spec(provider))) as sandbox:
            try:
                link = WarmLink(sandbox)
            except WarmGoneError as error:
                raise SandboxError(f"the warm process of sandbox {sandbox.id} did not start: {error}") from error
            try:
                yield sandbox, link
            finally:
                link.close()
