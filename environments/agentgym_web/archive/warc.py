"""WARC files read and written with warcio: whole ones only, and byte for byte the same for the same captures.

An archive of ours ends with a record that counts the others, so that a lost end is seen. What the captures mean is in
`captures`.
"""

from __future__ import annotations

import io
import uuid
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]
from warcio.exceptions import ArchiveLoadFailed  # type: ignore[import-untyped]
from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from agentgym.errors import ConfigError, unreadable
from agentgym_web.archive.captures import Capture, Captures

MAX_BYTES = 1 << 30
"""Most bytes of an archive when it is unpacked."""
END = "urn:agentgym:end"
"""Address of the last record of an archive of ours."""
_SOFTWARE = "agentgym"
_NAMESPACE = uuid.UUID("7a8cbf0e-7c5b-5a3e-9a7e-3f0c1f6f5d11")
_AGAIN = "copy or record it again, with: agentgym web record URL --out FILE"


class ArchiveError(ConfigError):
    """An archive that cannot be used; says where it breaks and what to do."""


def read_archive(path: Path, max_bytes: int = MAX_BYTES) -> Captures:
    """The captures of an archive.

    Args:
        path: A file such as site.warc or site.warc.gz.
        max_bytes: Most bytes of it when it is unpacked.

    Raises:
        ArchiveError: There is no such file, it is no archive, it is too large, damaged, cut short, or empty.
    """
    try:
        packed = path.read_bytes()
    except OSError as error:
        raise ArchiveError(unreadable(path, error)) from error
    if not packed:
        raise ArchiveError(f"the archive {path} is empty; {_AGAIN}")
    plain = _unpacked(path, packed, max_bytes)
    if not plain.lstrip().startswith((b"WARC/", b"filedesc:")):
        begin = plain[:40].decode("utf-8", "replace")
        raise ArchiveError(f"{path} is no WARC archive: it begins with {begin!r}; check the path, or {_AGAIN}")
    found = _Found()
    try:
        for record, content in _records(path, plain):
            found.take(record, content)
    except ArchiveError:
        raise
    except (ArchiveLoadFailed, AttributeError, EOFError, ValueError) as error:  # of warcio, for heads that are cut
        said = " ".join(str(error).split())[:120]
        raise ArchiveError(
            f"{path} cannot be read as a WARC archive after {len(found.answers)} answers: {said!a}; {_AGAIN}"
        ) from error
    if found.is_ours and found.counted != len(found.answers):
        raise ArchiveError(f"the archive {path} is cut short after {len(found.answers)} answers; {_AGAIN}")
    if not found.answers:
        raise ArchiveError(f"the archive {path} has no answers to requests; {_AGAIN}")
    return Captures(found.captures())


class ArchiveWriter:
    """Writes an archive; it appears under its name when it is complete.

    Args:
        path: The file; a name that ends with .gz is packed.
        date: The date of all records, as 2026-03-02T09:00:00Z; "" for the time of each.

    Raises:
        ArchiveError: The file cannot be written.
    """

    def __init__(self, path: Path, date: str = "") -> None:
        self.path, self._date = path, date
        self._part = path.with_name(path.name + ".part")
        self.num_written = 0
        self._new_folders = [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = self._part.open("wb")
        except OSError as error:
            raise ArchiveError(f"{path} cannot be written: {error.strerror}; name another file") from error
        self._writer = WARCWriter(self._file, gzip=path.name.endswith(".gz"))
        self._put("warcinfo", "", f"software: {_SOFTWARE}\r\nformat: WARC File Format 1.0\r\n".encode(), "info")

    def add(self, capture: Capture) -> None:
        """Write a request and its answer."""
        self.num_written += 1
        name = f"{self.num_written} {capture.method} {capture.url}"
        status = StatusAndHeaders(
            f"{capture.status} {capture.reason}".strip(), capture.plain_headers(), protocol="HTTP/1.1"
        )
        self._put("response", capture.url, capture.body, name, http=status, date=capture.date)
        if capture.method != "GET":
            head = StatusAndHeaders(f"{capture.method} {_target(capture.url)} HTTP/1.1", [], is_http_request=True)
            self._put("request", capture.url, capture.sent, f"request {name}", http=head, beside=name)

    def close(self) -> None:
        """Write the end and give the file its name; a second call does nothing."""
        if self._file.closed:
            return
        self._put("metadata", END, f"answers: {self.num_written}".encode(), "end")
        self._file.close()
        self._part.replace(self.path)

    def give_up(self) -> None:
        """Remove what was written, and the folders that were made for it."""
        self._file.close()
        self._part.unlink(missing_ok=True)
        with suppress(OSError):  # a folder may hold something else by now
            for folder in self._new_folders:
                folder.rmdir()

    def __enter__(self) -> Self:
        """The writer."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        """Complete the archive, or remove it after an error."""
        if kind is None:
            self.close()
        else:
            self.give_up()

    def _put(
        self, kind: str, url: str, body: bytes, name: str, *, http: Any = None, date: str = "", beside: str = ""
    ) -> None:
        headers = {"WARC-Record-ID": _record_id(name), "WARC-Date": date or self._date or _now()}
        if beside:
            headers["WARC-Concurrent-To"] = _record_id(beside)
        record = self._writer.create_warc_record(
            url, kind, payload=io.BytesIO(body), length=len(body), http_headers=http, warc_headers_dict=headers
        )
        for digest in ("WARC-Payload-Digest", "WARC-Block-Digest"):  # half of the size of small records
            record.rec_headers.remove_header(digest)
        self._writer.write_record(record)


def _records(path: Path, plain: bytes) -> Iterator[tuple[Any, bytes]]:
    for number, record in enumerate(ArchiveIterator(io.BytesIO(plain)), 1):
        content = record.content_stream().read()
        if getattr(record.raw_stream, "limit", 1) > 0:  # without a limit, the head has no length
            raise ArchiveError(f"the archive {path} is cut short within record {number}; {_AGAIN}")
        yield record, content


def _unpacked(path: Path, packed: bytes, max_bytes: int) -> bytes:
    """The bytes of a file, unpacked where it is packed; its parts have to be whole."""
    if not packed.startswith(b"\x1f\x8b"):
        if len(packed) > max_bytes:
            raise _too_large(path, max_bytes)
        return packed
    pieces: list[bytes] = []
    size = 0
    while packed:
        opened = zlib.decompressobj(31)
        try:
            piece = opened.decompress(packed, max_bytes - size + 1)
        except zlib.error as error:
            raise ArchiveError(f"the archive {path} is damaged at part {len(pieces) + 1}: {error}; {_AGAIN}") from error
        size += len(piece)
        if size > max_bytes:
            raise _too_large(path, max_bytes)
        if not opened.eof:
            raise ArchiveError(f"the archive {path} is cut short within part {len(pieces) + 1}; {_AGAIN}")
        pieces.append(piece)
        packed = opened.unused_data
    return b"".join(pieces)


def _too_large(path: Path, max_bytes: int) -> ArchiveError:
    return ArchiveError(
        f"the archive {path} is too large: more than {max_bytes >> 20} MiB unpacked; record fewer pages, or split it"
    )


class _Found:
    """What the records of a file held so far."""

    def __init__(self) -> None:
        self.is_ours = False
        self.counted = -1
        self.answers: list[tuple[Capture, tuple[str, ...]]] = []
        self._requests: dict[str, tuple[str, bytes]] = {}

    def take(self, record: Any, content: bytes) -> None:
        """Read one record."""
        said = record.rec_headers.get_header
        url = said("WARC-Target-URI") or ""
        names = tuple(filter(None, (said("WARC-Record-ID"), said("WARC-Concurrent-To"))))
        if record.rec_type == "warcinfo":
            self.is_ours = self.is_ours or f"software: {_SOFTWARE}\r".encode() in content
        elif record.rec_type == "metadata" and url == END:
            self.counted = int(content.partition(b":")[2])
        elif record.rec_type == "request" and record.http_headers is not None:
            self._requests |= dict.fromkeys(names, (record.http_headers.protocol, content))
        elif record.rec_type in ("response", "resource"):
            self.answers.append((_capture(record, content, url), names))

    def captures(self) -> Iterator[Capture]:
        """The answers, each with its request."""
        for capture, names in self.answers:
            method, sent = next((self._requests[name] for name in names if name in self._requests), ("GET", b""))
            yield capture if method == "GET" else replace(capture, method=method, sent=sent)


def _capture(record: Any, content: bytes, url: str) -> Capture:
    date = record.rec_headers.get_header("WARC-Date") or ""
    http = record.http_headers
    if http is None:
        kind = record.rec_headers.get_header("Content-Type") or "application/octet-stream"
        return Capture("GET", url, 200, [("Content-Type", kind)], content, date=date)
    status, _, reason = (http.statusline or "").partition(" ")
    return Capture("GET", url, int(status), list(http.headers), content, reason=reason, date=date)


def _record_id(name: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(_NAMESPACE, name)}>"


def _target(url: str) -> str:
    return "/" + url.partition("://")[2].partition("/")[2]


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
