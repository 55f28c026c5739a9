"""Files that an agent may leave to stop or fool a verifier."""

import gzip
import io
import os
import tarfile
import zipfile

import pytest
from PIL import Image

from agentgym_gui.verify import archives, databases, documents, mail, pictures, reading, workbooks, xml_trees
from agentgym_gui.verify.apart.asking import check_apart
from agentgym_gui.verify.reading import UnreadableFileError
from agentgym_gui.verify.state import State


def zipped(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return stream.getvalue()


def test_reading_follows_no_link(tmp_path):
    home = tmp_path / "home"
    (home / "real").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (home / "note.txt").symlink_to(tmp_path / "secret")
    (home / "folder").symlink_to(tmp_path)
    for path in ("note.txt", "folder/secret", "../secret", "/etc/passwd", "a\0b", ""):
        with pytest.raises(UnreadableFileError):
            reading.read_bytes(home, path)
    with pytest.raises(UnreadableFileError):
        reading.names_in(home, "folder")


def test_reading_does_not_wait_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableFileError, match="no regular file"):
        reading.read_bytes(tmp_path, "pipe")


def test_reading_refuses_a_large_file(tmp_path):
    (tmp_path / "large").write_bytes(b"x" * 11)
    with pytest.raises(UnreadableFileError, match="over 10 bytes"):
        reading.read_bytes(tmp_path, "large", 10)


def test_archives_refuse_bombs(monkeypatch):
    monkeypatch.setattr(archives, "MAX_TOTAL_BYTES", 1 << 20)
    monkeypatch.setattr(archives, "MAX_MEMBER_BYTES", 1 << 19)
    zeros = bytes(2 << 20)
    packed_tar = io.BytesIO()
    with tarfile.open(fileobj=packed_tar, mode="w:gz") as archive:
        info = tarfile.TarInfo("zeros")
        info.size = len(zeros)
        archive.addfile(info, io.BytesIO(zeros))
    for read, content in (
        (archives.zip_members, zipped(zeros=zeros)),
        (archives.tar_members, packed_tar.getvalue()),
        (archives.gunzipped, gzip.compress(zeros)),
    ):
        with pytest.raises(UnreadableFileError, match="unpacks to"):
            read(content)


def test_archives_refuse_a_size_that_is_a_lie(monkeypatch):
    monkeypatch.setattr(archives, "MAX_MEMBER_BYTES", 1 << 16)
    content = zipped(zeros=bytes(1 << 20))
    lie = content.replace((1 << 20).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    with pytest.raises(UnreadableFileError):
        archives.zip_members(lie)


def test_archives_refuse_a_name_that_stands_twice():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a", "1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a", "2")
    with pytest.raises(UnreadableFileError, match="twice"):
        archives.zip_members(stream.getvalue())


def test_xml_refuses_entities_document_types_and_depth():
    entity = b'<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z "&x;&x;">]><a>&z;</a>'
    external = b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>'
    for content in (entity, external, b"<a>" * 300 + b"</a>" * 300, b"<a", b"\xff\xfe\x00", b""):
        with pytest.raises(UnreadableFileError):
            xml_trees.xml_root(content)
    with pytest.raises(UnreadableFileError):
        xml_trees.xml_root(entity, may_have_doctype=True)
    assert xml_trees.xml_root(b"<!DOCTYPE a><a/>", may_have_doctype=True).tag == "a"


def test_workbooks_refuse_cells_repeated_without_end():
    table = '<t:table xmlns:t="u" xmlns:o="v" t:name="S"><t:table-row t:number-rows-repeated="1000000"><t:table-cell '
    table += 't:number-columns-repeated="1000000" o:value-type="float" o:value="1"/></t:table-row></t:table>'
    with pytest.raises(UnreadableFileError, match="repeated over"):
        workbooks.workbook(zipped(**{"content.xml": table}), "a.ods")


def test_workbooks_refuse_broken_files_of_each_format():
    for name in ("a.xlsx", "a.ods", "a.gnumeric"):
        for content in (b"", b"PK\3\4rest", zipped(a="b"), b"<a/", os.urandom(50)):
            with pytest.raises(UnreadableFileError):
                workbooks.workbook(content, name)


def test_databases_refuse_what_is_not_asked_of_them():
    import sqlite3

    connection = sqlite3.connect(":memory:")
    connection.executescript("CREATE TABLE t(a); INSERT INTO t VALUES (1);")
    content = connection.serialize()
    connection.close()
    assert databases.rows(content, "SELECT a FROM t WHERE a = ?", [1]) == [[1]]
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    for query in ("ATTACH 'x.db' AS x", "SELECT load_extension('x')", "DELETE FROM t", "SELECT b FROM t", endless):
        with pytest.raises(UnreadableFileError):
            databases.rows(content, query)
    with pytest.raises(UnreadableFileError):
        databases.rows(b"no database" * 100, "SELECT 1 FROM t")


def test_pictures_are_refused_by_their_header(monkeypatch):
    monkeypatch.setattr(pictures, "MAX_PIXELS", 99)
    stream = io.BytesIO()
    Image.new("RGB", (10, 10)).save(stream, "PNG")
    with pytest.raises(UnreadableFileError, match="over 99 pixels"):
        pictures.facts(stream.getvalue())
    with pytest.raises(UnreadableFileError, match="no picture"):
        pictures.facts(b"%!PS-Adobe-3.0 EPSF-3.0\n")  # a format that would call a program


def test_mail_survives_broken_headers():
    broken = b"From: =?utf-8?q?=ZZ?= <@@\nSubject: =?x?b?????=\nContent-Type: text/plain; charset=no-such\n\nbody"
    assert mail.parsed(broken)["text"] == ""
    with pytest.raises(UnreadableFileError):
        mail.mbox(b"no mails here")


def test_documents_refuse_what_is_no_document():
    for name in ("a.odt", "a.docx", "a.pptx", "a.doc"):
        with pytest.raises(UnreadableFileError):
            documents.paragraphs(zipped(**{"content.xml.": "x"}), name)


def test_a_verdict_that_takes_too_long_costs_the_agent(tmp_path):
    (tmp_path / "before").mkdir()
    (tmp_path / "after").mkdir()
    (tmp_path / "after/a.txt").write_text("a" * 40 + "b")
    slow = {"name": "slow", "read": "text", "path": "a.txt", "matches": "^(a+)+$"}
    before, after = State(tmp_path / "before"), State(tmp_path / "after")
    parts = check_apart({"goals": [slow]}, before, after, max_cpu_s=1)
    assert (parts[0].name, parts[0].value) == ("success", 0.0)
    assert "too much time" in parts[0].detail
