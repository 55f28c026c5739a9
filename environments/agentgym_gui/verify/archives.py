"""Zip and tar archives, opened against bombs: names, sizes and the total are bounded before anything is unpacked.

Nothing is ever written: members are read into memory, one at a time.
"""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
import zlib

from agentgym_gui.verify.reading import UnreadableFileError

MAX_MEMBERS = 5_000
MAX_MEMBER_BYTES = 32 << 20
MAX_TOTAL_BYTES = 64 << 20
_BROKEN: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    ValueError,
)
_BROKEN += (NotImplementedError, RuntimeError)  # an unknown way of packing; a member with a password


def zip_members(content: bytes) -> dict[str, bytes]:
    """The files of a zip archive by name; folders are left out.

    Raises:
        UnreadableFileError: It is broken, names a file twice, needs a password or is too large.
    """
    found: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            _require_small(len(infos), sum(info.file_size for info in infos))
            for info in infos:
                if info.filename in found:
                    raise UnreadableFileError(f"the archive names {info.filename!r} twice")
                with archive.open(info) as member:
                    found[info.filename] = _bounded(member.read(MAX_MEMBER_BYTES + 1), info.filename)
                _require_small(0, sum(map(len, found.values())))
    except UnreadableFileError:
        raise
    except _BROKEN as error:
        raise UnreadableFileError(f"no zip archive that can be read: {error}") from error
    return found


def tar_members(content: bytes) -> dict[str, bytes]:
    """The regular files of a tar archive by name, packed with gzip, bzip2, xz or not at all.

    Raises:
        UnreadableFileError: It is broken, names a file twice or is too large.
    """
    found: dict[str, bytes] = {}
    total = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r|*") as archive:
            for count, info in enumerate(archive):
                total += info.size
                _require_small(count, total)
                name = info.name.removeprefix("./")
                stream = archive.extractfile(info) if info.isreg() else None
                if stream is None:
                    continue
                if name in found:
                    raise UnreadableFileError(f"the archive names {name!r} twice")
                found[name] = _bounded(stream.read(MAX_MEMBER_BYTES + 1), name)
    except UnreadableFileError:
        raise
    except _BROKEN as error:
        raise UnreadableFileError(f"no tar archive that can be read: {error}") from error
    return found


def members_of(content: bytes) -> dict[str, bytes]:
    """The files of an archive, zip or tar, as its first bytes tell."""
    return zip_members(content) if content[:4] in (b"PK\3\4", b"PK\5\6") else tar_members(content)


def gunzipped(content: bytes) -> bytes:
    """What a gzip file holds; a file that is not packed is returned as it is.

    Raises:
        UnreadableFileError: It is broken or unpacks to too much.
    """
    if content[:2] != b"\x1f\x8b":
        return content
    unpack = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpack.decompress(content, MAX_MEMBER_BYTES + 1)
    except zlib.error as error:
        raise UnreadableFileError(f"no gzip file that can be read: {error}") from error
    if not unpack.eof and len(unpacked) <= MAX_MEMBER_BYTES:
        raise UnreadableFileError("the gzip file is cut off")
    return _bounded(unpacked, "the unpacked file")


def _require_small(num_members: int, num_bytes: int) -> None:
    if num_members > MAX_MEMBERS or num_bytes > MAX_TOTAL_BYTES:
        limits = f"at most {MAX_MEMBERS} and {MAX_TOTAL_BYTES} are read"
        raise UnreadableFileError(f"the archive unpacks to {num_members} files of {num_bytes} bytes; {limits}")


def _bounded(content: bytes, name: str) -> bytes:
    if len(content) > MAX_MEMBER_BYTES:
        raise UnreadableFileError(f"{name}: unpacks to over {MAX_MEMBER_BYTES} bytes")
    return content
