"""A sandbox's connection to its runner, as its operations use it: a runner that does not answer is given up.

The connection itself is in `channel`; what is asked of the runner is in `sandbox` and `streams`.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentgym.errors import SandboxError, SandboxLostError
from agentgym.sandbox.runner.channel import Channel, ControlConnection, Frame
from agentgym.sandbox.runner.protocol import Failure, Kind, parsed_failure


class RunnerLink:
    """The runner of one sandbox.

    Args:
        sandbox_id: The sandbox's id, for messages.
        control: The connection to its runner.
    """

    def __init__(self, sandbox_id: str, control: ControlConnection) -> None:
        self.sandbox_id, self.control = sandbox_id, control

    def attach(self, sandbox_id: str, control: ControlConnection) -> None:
        """Go on with another runner; the old connection is closed."""
        old, self.control = self.control, control
        self.sandbox_id = sandbox_id
        old.close()

    def receive(self, channel: Channel, timeout_s: float | None, feed: Iterator[bytes] | None = None) -> Frame | None:
        """The next frame of a channel; None where it was killed.

        Raises:
            SandboxLostError: The runner did not answer in time; it is given up, and the sandbox with it.
        """
        try:
            return channel.receive(timeout_s, feed)
        except TimeoutError as error:
            self.control.close()
            raise SandboxLostError(
                f"sandbox {self.sandbox_id} was closed: its runner did not answer in time"
            ) from error

    def failure(self, received: Frame) -> Failure:
        """What a frame says of a failure.

        Raises:
            SandboxError: It is another frame.
        """
        if received.kind != Kind.FAILED:
            raise SandboxError(
                f"the runner of sandbox {self.sandbox_id} answered with an unexpected frame {received.kind}"
            )
        return parsed_failure(received.payload)
