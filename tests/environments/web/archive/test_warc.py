import gzip
import io
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from agentgym_web.archive.captures import Capture
from agentgym_web.archive.warc import ArchiveError, ArchiveWriter, read_archive

HTML = [("Content-Type", "text/html; charset=utf-8")]
CAPTURES = [
    Capture("GET", "https://site.test/", 200, HTML, b"<h1>Home</h1>" * 40, reason="OK"),
    Capture("GET", "https://site.test/old", 302, [("Location", "/new")], reason="Found"),
    Capture("POST", "https://site.test/p", 200, HTML, b"<p>posted</p>", sent=b"q=1", reason="OK"),
    Capture("GET", "https://site.test/x", 404, HTML, bytes(range(256)), reason="Not Found"),
]
DATE = "2026-03-02T09:00:00Z"


def write(path: Path) -> Path:
    with ArchiveWriter(path, DATE) as writer:
        for capture in CAPTURES:
            writer.add(capture)
    return path


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_what_was_written_is_read_again(tmp_path, name):
    found = read_archive(write(tmp_path / name)).all
    assert [(each.method, each.url, each.status, each.body, each.sent) for each in found] == [
        (each.method, each.url, each.status, each.body, each.sent) for each in CAPTURES
    ]
    assert found[1].headers == [("Location", "/new")]


def test_same_captures_give_the_same_bytes(tmp_path):
    assert write(tmp_path / "a.warc").read_bytes() == write(tmp_path / "b.warc").read_bytes()


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_archive_that_lacks_any_of_its_last_bytes_is_refused(tmp_path, name):
    whole = write(tmp_path / name).read_bytes()
    cut = tmp_path / f"cut-{name}"
    for size in [*range(1, len(whole) - 4, max(1, len(whole) // 150)), len(whole) - 5]:
        cut.write_bytes(whole[:size])
        with pytest.raises(ArchiveError, match=r"cut short|cannot be read|no answers|is no WARC") as refusal:
            read_archive(cut)
        assert str(refusal.value).count("again, with: agentgym web record") == 1, size


def test_end_that_was_cut_between_two_records_is_noticed(tmp_path):
    parts = []
    rest = write(tmp_path / "a.warc.gz").read_bytes()
    while rest:
        start = rest.find(b"\x1f\x8b", 2)
        parts, rest = [*parts, rest if start < 0 else rest[:start]], b"" if start < 0 else rest[start:]
    (tmp_path / "b.warc.gz").write_bytes(b"".join(parts[:-1]))
    with pytest.raises(ArchiveError, match="cut short after 4 answers"):
        read_archive(tmp_path / "b.warc.gz")


def test_damaged_part_is_refused(tmp_path):
    broken = bytearray(write(tmp_path / "a.warc.gz").read_bytes())
    broken[len(broken) // 2] ^= 0xFF
    (tmp_path / "a.warc.gz").write_bytes(bytes(broken))
    with pytest.raises(ArchiveError, match=r"damaged|cut short|cannot be read|is no WARC"):
        read_archive(tmp_path / "a.warc.gz")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"hello world\n" * 9, "is no WARC archive: it begins with 'hello"),
        (b"\x1f\x8bno", "damaged|cut"),
    ],
)
def test_file_that_is_no_archive_is_refused(tmp_path, content, said):
    (tmp_path / "a.warc").write_bytes(content)
    with pytest.raises(ArchiveError, match=said):
        read_archive(tmp_path / "a.warc")


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(ArchiveError, match="there is no file"):
        read_archive(tmp_path / "none.warc")


def test_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path):
    (tmp_path / "a.warc.gz").write_bytes(gzip.compress(bytes(40 << 20)))
    with pytest.raises(ArchiveError, match="more than 1 MiB unpacked"):
        read_archive(tmp_path / "a.warc.gz", max_bytes=1 << 20)


def test_archive_of_other_software_with_codings_is_read(tmp_path):
    path = tmp_path / "a.warc.gz"
    packed = gzip.compress(b"<h1>Packed</h1>")
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        head = StatusAndHeaders("200 OK", [*HTML, ("Content-Encoding", "gzip")], protocol="HTTP/1.1")
        url = "http://other.test/"
        writer.write_record(
            writer.create_warc_record(url, "response", io.BytesIO(packed), len(packed), http_headers=head)
        )
    [found] = read_archive(path).all
    assert found.body == b"<h1>Packed</h1>"
    assert found.plain_headers() == HTML


def test_writer_that_fails_leaves_no_file(tmp_path):
    with pytest.raises(ValueError, match="stop"), ArchiveWriter(tmp_path / "a.warc"):
        raise ValueError("stop")
    assert list(tmp_path.iterdir()) == []
