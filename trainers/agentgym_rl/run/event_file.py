"""TensorBoard's file of events, written at once and in this thread, so that a full disk is an error where it occurs.

What is written is up to the journal.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import platform
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentgym.errors import MissingExtraError, StoreError

_NUMBERS = itertools.count()


class EventFile:
    """One file of scalars in a folder.

    Args:
        folder: TensorBoard's folder; it is made.

    Raises:
        MissingExtraError: TensorBoard is not installed.
        StoreError: The file cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        try:
            from tensorboard.compat.proto.event_pb2 import Event  # type: ignore[import-untyped]
            from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[import-untyped]
            from tensorboard.summary.writer.record_writer import RecordWriter  # type: ignore[import-untyped]
        except ImportError:
            raise MissingExtraError("TensorBoard metrics", "train") from None
        self._event, self._summary = Event, Summary
        name = f"events.out.tfevents.{time.time():.0f}.{platform.node()}.{os.getpid()}.{next(_NUMBERS)}"
        self._path = folder / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("ab")
        except OSError as error:
            raise self._fault(error) from error
        self._records: Any = RecordWriter(self._file)
        self._write([Event(wall_time=time.time(), file_version="brain.Event:2")])

    def add(self, iteration: int, values: Mapping[str, float]) -> None:
        """Write scalars of an iteration.

        Raises:
            StoreError: The disk is full, or the folder cannot be written.
        """
        now = time.time()
        entries = [self._summary.Value(tag=tag, simple_value=value) for tag, value in values.items()]
        self._write([self._event(wall_time=now, step=iteration, summary=self._summary(value=entries))])

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        try:
            self._file.close()
        except OSError as error:
            raise self._fault(error) from error

    def _write(self, events: list[Any]) -> None:
        try:
            for event in events:
                self._records.write(event.SerializeToString())
            self._file.flush()
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.close()  # it tries once more, and lets go of the file all the same
            raise self._fault(error) from error

    def _fault(self, error: OSError) -> StoreError:
        return StoreError(f"cannot write {self._path}: {error.strerror or error}; free space or mend the folder")
