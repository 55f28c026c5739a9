"""Observations of text and pictures in memory that processes share, as Gymnasium's asynchronous vectors want it.

Each environment has a slot as large as its largest observation. The system gives pages to what is written only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.heap import BufferWrapper
from typing import Any, Generic, TypeVar, overload

import numpy as np
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory
from numpy.typing import NDArray

from agentgym.spaces import Message, Picture

T = TypeVar("T")

_HEADER = 16
_MAX_CHAR_BYTES = 4
_MAX_PICTURE_BYTES = 1 << 26


@dataclass(frozen=True)
class Slots:
    """Memory for one observation of each environment.

    Attributes:
        memory: The memory; a child process gets the same.
        size: Bytes of a slot, its header of two numbers included.
    """

    memory: BufferWrapper
    size: int

    @classmethod
    def made(cls, count: int, max_bytes: int) -> Slots:
        """Empty slots: fresh memory is zero."""
        size = _HEADER + max_bytes
        return cls(BufferWrapper(count * size), size)

    def write(self, index: int, header: tuple[int, int], content: bytes) -> None:
        """Put an observation into a slot."""
        if len(content) > self.size - _HEADER:
            raise ValueError(
                f"an observation of {len(content)} bytes is larger than the {self.size - _HEADER} bytes that processes "
                "share; make the vector with shared_memory=False"
            )
        start = index * self.size
        view = self.memory.create_memoryview()
        view[start : start + _HEADER] = np.array(header, np.int64).tobytes()
        view[start + _HEADER : start + _HEADER + len(content)] = content

    def read(self, index: int, size_of: Callable[[int, int], int]) -> tuple[int, int, bytes]:
        """The two numbers of a slot's header, and as many bytes as they stand for."""
        start = index * self.size
        view = self.memory.create_memoryview()
        first, second = np.frombuffer(view[start : start + _HEADER], np.int64).tolist()
        return first, second, bytes(view[start + _HEADER : start + _HEADER + size_of(first, second)])


class SharedObservations(Sequence[T], Generic[T]):
    """The present observations of all environments, read when they are asked for.

    Gymnasium keeps this object, and hands out copies of it: a copy is a plain tuple.
    """

    def __init__(self, count: int, read: Callable[[int], T]) -> None:
        self._count, self._read = count, read

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            return tuple(self._read(each) for each in range(*index.indices(self._count)))
        return self._read(range(self._count)[index])

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[T, ...]:
        return tuple(self)


@create_shared_memory.register(Message)
def _create_texts(space: Message, n: int = 1, ctx: Any = None) -> Slots:
    return Slots.made(n, space.max_chars * _MAX_CHAR_BYTES)


@write_to_shared_memory.register(Message)
def _write_text(space: Message, index: int, value: str, shared_memory: Slots) -> None:
    content = value.encode("utf-8", "surrogatepass")
    shared_memory.write(index, (len(content), 0), content)


@read_from_shared_memory.register(Message)
def _read_texts(space: Message, shared_memory: Slots, n: int = 1) -> SharedObservations[str]:
    def read(index: int) -> str:
        return shared_memory.read(index, lambda length, _: length)[2].decode("utf-8", "surrogatepass")

    return SharedObservations(n, read)


@create_shared_memory.register(Picture)
def _create_pictures(space: Picture, n: int = 1, ctx: Any = None) -> Slots:
    return Slots.made(n, _MAX_PICTURE_BYTES)


@write_to_shared_memory.register(Picture)
def _write_picture(space: Picture, index: int, value: NDArray[np.uint8], shared_memory: Slots) -> None:
    shared_memory.write(index, (value.shape[0], value.shape[1]), value.tobytes())


@read_from_shared_memory.register(Picture)
def _read_pictures(space: Picture, shared_memory: Slots, n: int = 1) -> SharedObservations[NDArray[np.uint8]]:
    def read(index: int) -> NDArray[np.uint8]:
        height, width, content = shared_memory.read(index, lambda height, width: height * width * 3)
        return np.frombuffer(content, np.uint8).reshape(height, width, 3)

    return SharedObservations(n, read)
