"""A tiny site with one table, one list and one form."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.responses import Response
from starlette.testclient import TestClient

from agentgym_web.sites.core.page import Visit, needs_login, route
from agentgym_web.sites.core.sessions import Sessions
from agentgym_web.sites.core.site import Site
from agentgym_web.sites.core.web import web_app

SCHEMA = """
CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE viewed (id INTEGER PRIMARY KEY);
CREATE VIRTUAL TABLE note_text USING fts5(text);
"""
LIST = """{% extends "layout.html" %}
{% block main %}<h1>{{ now | moment }} {{ user or "nobody" }}</h1>
{% for note in notes %}<li>{{ note.text }}</li>{% endfor %}{% endblock %}"""


def _fill(db: sqlite3.Connection) -> None:
    db.executemany("INSERT INTO note (text) VALUES (?)", [("one",), ("two",), ("three",)])
    db.execute("INSERT INTO note_text SELECT text FROM note")


def _list(visit: Visit) -> Response:
    return visit.render("list.html", notes=visit.db.execute("SELECT * FROM note ORDER BY id").fetchall())


def _add(visit: Visit) -> Response:
    visit.db.execute("INSERT INTO note (text) VALUES (?)", (visit.text("text"),))
    if not visit.text("text"):
        return visit.render("list.html", status=422, notes=[])
    visit.flash("Added.")
    return visit.redirect("/")


def _form(visit: Visit) -> Response:
    names = [f"{name}:{len(content)}" for name, content in visit.files("file")]
    return Response(f"{visit.many('box')} {names} {visit.text('box')}")


def _fail(visit: Visit) -> Response:
    visit.db.execute("DELETE FROM note")
    raise RuntimeError("broken")


def _one(visit: Visit) -> Response:
    row = visit.db.execute("SELECT text FROM note WHERE id = ?", (visit.path["id"],)).fetchone()
    return Response(row["text"]) if row else visit.not_found()


def _secret(visit: Visit) -> Response:
    return Response(f"for {visit.user}")


def _login(visit: Visit) -> Response:
    visit.login(visit.text("name"))
    return visit.redirect("/")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "list.html").write_text(LIST)
    (tmp_path / "schema.sql").write_text(SCHEMA)
    routes = [
        route("/", _list),
        route("/add", _add, ["POST"]),
        route("/form", _form, ["POST"]),
        route("/fail", _fail, ["POST"]),
        route("/login", _login, ["POST"]),
        route("/note/{id:int}", _one),
        route("/secret", needs_login(_secret)),
    ]
    return Site("tiny", "Tiny", tmp_path, _fill, routes, "SELECT 'ada'", frozenset({"viewed"}))


@pytest.fixture
def sessions(site: Site) -> Sessions:
    return Sessions(site)


@pytest.fixture
def client(site: Site, sessions: Sessions) -> Iterator[TestClient]:
    with TestClient(web_app(site, sessions), raise_server_exceptions=False, follow_redirects=False) as client:
        yield client
