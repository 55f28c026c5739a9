"""The server's JSON: strict, fast, and able to write everything that an environment says.

The client uses the standard library's JSON. `agentgym.remote.wire` defines the values with a special form.
"""

from __future__ import annotations

import json
from typing import Any

from agentgym.errors import MissingExtraError
from agentgym.remote.wire import encode_special

try:
    import orjson
except ImportError as error:
    raise MissingExtraError("serving environments", "serve") from error


def dumps(value: Any) -> bytes:
    """Write JSON in UTF-8, including text with unpaired surrogates and integers over 64 bits.

    Raises:
        TypeError: A value has no form in JSON.
        ValueError: An integer has more digits than Python writes.
        RecursionError: A value is nested too deep.
    """
    try:
        return orjson.dumps(value, default=encode_special)
    except TypeError:
        return json.dumps(value, default=encode_special, allow_nan=False).encode("ascii")


def loads(raw: bytes) -> Any:
    """The value of JSON text.

    Raises:
        ValueError: It is no valid JSON.
    """
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        if b"\\u" not in raw:
            raise
    try:
        return json.loads(raw, parse_constant=_refuse)  # takes halves of surrogate pairs
    except RecursionError:
        raise ValueError("nested too deep") from None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not valid JSON")
