"""CUDA graphs: what a decoding step launches is recorded once, and later steps start all of it with one call.

A step is hundreds of short kernels, and Python takes longer to launch them than the GPU to run them. Which steps are
recorded is in `agentgym.policies.torch.decoder`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor

_log = logging.getLogger(__name__)

Step = Callable[[], Tensor]
"""Reads and writes the same tensors at each call, and returns the same one."""


@dataclass(frozen=True, slots=True)
class _Replay:
    """A recorded step, with what holds the tensors that it reads and writes."""

    graph: torch.cuda.CUDAGraph
    result: Tensor
    step: Step

    def __call__(self) -> Tensor:
        self.graph.replay()
        return self.result


class GraphRecorder:
    """Records steps on one GPU; all graphs use the same memory, so only the newest may run.

    Args:
        device: A CUDA device.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._stream: torch.cuda.Stream = cast(Any, torch.cuda.Stream)(device)
        self._pool = torch.cuda.graph_pool_handle()
        self._newest: torch.cuda.CUDAGraph | None = None  # a pool that no graph holds cannot be used again

    def __call__(self, step: Step) -> Step | None:
        """A step that replays what this one launches; it has not run yet. None if the model's code cannot be recorded.

        Args:
            step: Waits for nothing on the GPU, and has run before with tensors of these shapes.
        """
        graph, current = torch.cuda.CUDAGraph(), torch.cuda.current_stream(self._device)
        self._stream.wait_stream(current)
        try:
            with torch.cuda.stream(self._stream):
                graph.capture_begin(pool=self._pool, capture_error_mode="thread_local")
                try:
                    result = step()
                finally:
                    graph.capture_end()
        except RuntimeError as error:
            _log.warning("decoding goes on without CUDA graphs, as the model's code cannot be recorded: %s", error)
            return None
        finally:
            current.wait_stream(self._stream)
        self._newest = graph
        return _Replay(graph, result, step)
