"""POST with retries, time limits and rates, for servers that are down, slow or answer wrongly.

The caller passes a reader that decides what a valid answer is; see `agentgym.policies.endpoint_answer`.
"""

from __future__ import annotations

import email.utils
import json
import os
import random
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, TypeVar

import httpx

from agentgym.errors import AgentGymError, ConfigError, ContextOverflowError, EndpointDownError, EndpointError
from agentgym.policies.patience import Patience
from agentgym.ranges import POSITIVE, Range, Ranged

T = TypeVar("T")
_REFUSED = {401, 403, 404}
_RETRIED = {408, 409, 425, 429}
_PORTS = Range(1, 2**16 - 1)
_MAX_ANSWER_BYTES = 64 * 2**20
_CONTEXT_WORDS = ("context_length_exceeded", "maximum context length", "context length", "too many tokens")


@dataclass(frozen=True)
class Transport(Ranged):
    """Time limits, retries and rates of requests to a server."""

    timeout_s: Annotated[float, POSITIVE] = 300.0
    """Wall time of one attempt, from connecting to the last byte."""
    connect_timeout_s: Annotated[float, POSITIVE] = 10.0
    """Wall time of connecting."""
    max_retries: Annotated[int, Range(0)] = 5
    """Attempts after the first."""
    backoff_s: Annotated[float, Range(0)] = 0.5
    """Wait before the first retry. It doubles with each retry, and the actual wait is drawn between half of it and all
    of it."""
    max_backoff_s: Annotated[float, Range(0)] = 60.0
    """Longest wait between attempts; if a server asks for more (Retry-After), there are no further attempts."""
    first_answer_s: Annotated[float, POSITIVE] = 10.0
    """Seconds of failures after which a server that has never answered is given up, by all requests at once. One that
    asks to wait (status 408, 409, 425 or 429, or Retry-After) is waited for."""
    requests_per_minute: Annotated[float | None, POSITIVE] = None
    """Attempts that are started per minute, evenly spaced; None sets no limit."""
    max_concurrency: Annotated[int, Range(1)] = 16
    """Requests in flight at once."""
    key_variable: str = "OPENAI_API_KEY"
    """Environment variable that holds the key; no key is sent if it is not set."""


class Meter(Protocol):
    """Receives each attempt, because a failed attempt may also be billed."""

    def start(self) -> None:
        """An attempt is about to be sent; what this raises is passed on, and nothing is sent."""
        ...

    def fail(self, was_sent: bool) -> None:
        """It failed; `was_sent` says whether the server may have worked on it."""
        ...


class _Failed(Exception):  # noqa: N818 - internal: becomes an EndpointError when retries are used up
    def __init__(
        self, reason: str, *, wait_s: float | None = None, was_sent: bool = False, is_busy: bool = False
    ) -> None:
        super().__init__(reason)
        self.wait_s, self.was_sent, self.is_busy = wait_s, was_sent, is_busy


class _Key(httpx.Auth):
    """Adds the key to each request, and keeps it nowhere."""

    def __init__(self, variable: str) -> None:
        self._variable = variable

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        key = os.environ.get(self._variable, "").strip()
        if key:
            request.headers["Authorization"] = f"Bearer {key}"
        yield request

    def strike_out(self, text: str) -> str:
        """The text without the key, which servers like to repeat."""
        key = os.environ.get(self._variable, "").strip()
        return text.replace(key, "[key]") if key else text


class Client:
    """Sends requests to one server from many threads.

    Args:
        url: Base address; "/v1" is added where it has no path.
        transport: Limits.

    Raises:
        ConfigError: The address is no http(s) address, or carries a user, a query or a fragment.
    """

    def __init__(self, url: str, transport: Transport) -> None:
        self._transport = transport
        self.url = _checked(url)
        self._key = _Key(transport.key_variable)
        timeout = httpx.Timeout(transport.timeout_s, connect=transport.connect_timeout_s, pool=None)
        limits = httpx.Limits(max_connections=transport.max_concurrency)
        self._http = httpx.Client(auth=self._key, timeout=timeout, limits=limits, follow_redirects=False)
        self._slots = threading.BoundedSemaphore(transport.max_concurrency)
        self._lock = threading.Lock()
        self._next_start = 0.0
        self._patience = Patience(self.url, transport.first_answer_s)

    def post(self, path: str, body: dict[str, Any], reader: Callable[[Any], T], meter: Meter, seed: int = 0) -> T:
        """Send a request until there is a valid answer.

        Args:
            path: Below the base address.
            body: JSON object.
            reader: Makes the answer from its JSON; raises EndpointError if it is not valid.
            meter: Receives each attempt.
            seed: Seed of the jitter.

        Raises:
            EndpointError: All attempts failed.
            EndpointDownError: The server has never answered, for as long as that is waited for.
            ConfigError: The server refuses the key, or knows no such model or path.
            ContextOverflowError: The server says that the conversation is too long.
        """
        rng, last = random.Random(seed), self._transport.max_retries
        with self._slots:
            for attempt in range(last + 1):
                self._await_turn()
                meter.start()
                began = time.monotonic()
                try:
                    with self._patience.waiting(self._longest(last - attempt + 1, self._transport.timeout_s)):
                        return self._attempt(path, body, reader)
                except (AgentGymError, KeyboardInterrupt):
                    meter.fail(was_sent=False)
                    raise
                except _Failed as failed:
                    meter.fail(failed.was_sent)
                    failure = failed
                left_s = self._left(failure, began)
                wait_s = self._wait(failure, attempt, rng)
                if wait_s is None or attempt == last:
                    break
                attempt_s = self._transport.timeout_s if failure.was_sent else self._transport.connect_timeout_s
                longest_s = wait_s + self._longest(last - attempt, attempt_s)
                self._patience.tell(f"{failure}; it is tried again", min(longest_s, left_s))
                time.sleep(min(wait_s, left_s))
        raise EndpointError(
            f"{self.url}/{path} failed {attempt + 1} times, at last with: {failure}. Check that the server runs and "
            "what its log says"
        )

    def _left(self, failure: _Failed, began: float) -> float:
        """Seconds for which a server that has never answered is still waited for after a failure.

        Raises:
            EndpointDownError: There are none left.
        """
        since = time.monotonic() if failure.was_sent else began  # what was sent may have been worked on until now
        left_s = self._patience.fail(since, is_busy=failure.is_busy)
        if left_s > 0:
            return left_s
        raise EndpointDownError(
            f"the endpoint {self.url} refuses: {failure}. It has not answered once in "
            f"{self._transport.first_answer_s:g} s. Start the server, or correct the address. If it is still starting, "
            "wait, or raise first_answer_s (--option first_answer_s=60)"
        )

    def _longest(self, attempts: int, attempt_s: float) -> float:
        """Seconds that the last attempts and the waits between them may take."""
        transport = self._transport
        retries = range(transport.max_retries - attempts + 1, transport.max_retries)
        waits = [min(transport.backoff_s * 2.0**retry, transport.max_backoff_s) for retry in retries]
        return attempts * attempt_s + sum(waits)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _attempt(self, path: str, body: dict[str, Any], reader: Callable[[Any], T]) -> T:
        try:
            status, headers, content = self._exchange(f"{self.url}/{path}", body)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise _Failed(f"no connection ({error or type(error).__name__})") from None
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise _Failed(self._key.strike_out(f"{type(error).__name__} ({error})"), was_sent=True) from None
        excerpt = self._key.strike_out(content[:300].decode(errors="replace").strip())
        if status != httpx.codes.OK:
            self._refuse(status, excerpt)
            wait_s = _retry_after(headers)
            is_busy = status in _RETRIED or wait_s is not None
            raise _Failed(f"status {status}: {excerpt!r}", wait_s=wait_s, is_busy=is_busy)
        try:
            return reader(json.loads(content))
        except (ValueError, RecursionError):
            raise _Failed(f"an answer that is no JSON: {excerpt!r}", was_sent=True) from None
        except EndpointError as error:
            raise _Failed(self._key.strike_out(str(error)), was_sent=True) from None

    def _exchange(self, url: str, body: dict[str, Any]) -> tuple[int, httpx.Headers, bytes]:
        """One request; a server that drips its answer, or never stops, is cut off."""
        deadline = time.monotonic() + self._transport.timeout_s
        content = bytearray()
        sent = json.dumps(body).encode("ascii")  # half a character, as a cut reply may end with, has no other form
        with self._http.stream("POST", url, content=sent, headers={"content-type": "application/json"}) as response:
            for chunk in response.iter_bytes():
                content += chunk
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout(f"no whole answer within {self._transport.timeout_s:g} s")
                if len(content) > _MAX_ANSWER_BYTES:
                    raise httpx.ReadError(f"an answer of more than {_MAX_ANSWER_BYTES >> 20} MiB")
            return response.status_code, response.headers, bytes(content)

    def _refuse(self, status: int, excerpt: str) -> None:
        """Raise at once where trying again cannot help."""
        if status in _REFUSED:
            raise ConfigError(
                f"{self.url} refused the request with status {status}: {excerpt!r}. Check the address, the model's "
                f"name and the key in {self._transport.key_variable}"
            )
        if status in (400, 413, 422) and any(word in excerpt.lower() for word in _CONTEXT_WORDS):
            raise ContextOverflowError(f"{self.url} says that the conversation is too long: {excerpt!r}")
        if (300 <= status < 500 and status not in _RETRIED) or status == httpx.codes.NOT_IMPLEMENTED:
            raise EndpointError(
                f"{self.url} refused the request with status {status}: {excerpt!r}. Check the address, and what the "
                "server's log says"
            )

    def _wait(self, failure: _Failed, attempt: int, rng: random.Random) -> float | None:
        """Seconds until the next attempt; None gives up."""
        transport = self._transport
        backoff: float = min(transport.backoff_s * 2**attempt, transport.max_backoff_s) * rng.uniform(0.5, 1.0)
        if failure.wait_s is None:
            return backoff
        return max(failure.wait_s, backoff) if failure.wait_s <= transport.max_backoff_s else None

    def _await_turn(self) -> None:
        if self._transport.requests_per_minute is None:
            return
        with self._lock:
            start = max(self._next_start, time.monotonic())
            self._next_start = start + 60.0 / self._transport.requests_per_minute
        time.sleep(max(0.0, start - time.monotonic()))


def _checked(url: str) -> str:
    try:
        parsed = httpx.URL(url)
        parsed.raw_host.decode("ascii").encode("idna")  # as a connection would, and where a label is too long, fails
    except (httpx.InvalidURL, ValueError) as error:
        raise ConfigError(f"the endpoint's address cannot be read: {error}") from None
    if parsed.port is not None and parsed.port not in _PORTS:
        raise ConfigError(f"the endpoint's port must be {_PORTS}, got {parsed.port}")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        shown = "HOST:PORT" if "@" in url else url.partition("://")[2] or url or "HOST:PORT"
        raise ConfigError(
            f"endpoint address {parsed.host or shown!r} is no http or https address; write http://{shown}"
        )
    if parsed.userinfo or parsed.query or parsed.fragment:
        raise ConfigError("an endpoint's address carries no user, query or fragment; keys come from the environment")
    path = parsed.path.rstrip("/")
    return str(parsed.copy_with(path=path or "/v1"))


def _retry_after(headers: httpx.Headers) -> float | None:
    """Seconds that the server asks to wait for, given as a number or a date (RFC 9110, section 10.2.3)."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
