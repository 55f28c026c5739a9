"""What a handler of a page gets and gives back: `Visit`, made by `route` for each request.

A handler runs in a transaction: it is kept if the status of the response is below 400, else undone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

START = datetime(2026, 3, 2, 9, 0)
"""Time on the site at the reset; each writing request moves it on by a minute."""
MAX_BODY_BYTES = 8 * 2**20
"""Largest body of a request that is read."""

Upload = tuple[str, bytes]
"""Name and content of an uploaded file."""
Handler = Callable[["Visit"], Response]


class Visit:
    """One request, seen from its handler.

    Attributes:
        db: The session's database.
        request: The request as Starlette has it.
        query: Parameters after the question mark.
        form: Fields of the form: text, a list of texts where a name occurs more than once, or an upload.
        path: Parameters of the path.
        user: Who is logged in; None is nobody.
        now: Time on the site.
    """

    def __init__(self, request: Request, db: sqlite3.Connection, form: Mapping[str, Any]) -> None:
        self.request = request
        self.db = db
        self.form = form
        self.query: Mapping[str, str] = request.query_params
        self.path: Mapping[str, Any] = request.path_params
        visitor = db.execute("SELECT user, clock FROM _visitor").fetchone()
        self.user: str | None = visitor["user"]
        self.now: datetime = START + timedelta(minutes=visitor["clock"])

    @property
    def stamp(self) -> str:
        """The time on the site as databases hold it, such as "2026-03-02 09:00"."""
        return self.now.strftime("%Y-%m-%d %H:%M")

    def text(self, name: str, default: str = "") -> str:
        """A field of the form as text without white space around it; the first one if there are several."""
        value = self.form.get(name, default)
        value = value[0] if isinstance(value, list) else value
        return value.strip().replace("\r\n", "\n") if isinstance(value, str) else default

    def many(self, name: str) -> list[str]:
        """All texts that the form has under a name, such as the values of the boxes ticked."""
        value = self.form.get(name, [])
        return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]

    def files(self, name: str) -> list[Upload]:
        """All files that the form has under a name, without empty file fields."""
        value = self.form.get(name, [])
        return [upload for upload in (value if isinstance(value, list) else [value]) if isinstance(upload, tuple)]

    def render(self, template: str, /, status: int = 200, **values: Any) -> Response:
        """A page from a template.

        Args:
            template: Name of the template.
            status: HTTP status; what the handler wrote is undone if it is 400 or more.
            values: What the template uses, beside `visit`, `site`, `user`, `now` and `flashes`.
        """
        flashes = [row["text"] for row in self.db.execute("SELECT text FROM _flash ORDER BY id")]
        if flashes:
            self.db.execute("DELETE FROM _flash")
        app = self.request.app.state
        shown = {"visit": self, "site": app.site, "user": self.user, "now": self.now, "flashes": flashes, **values}
        html = app.templates.get_template(template).render(shown)
        return HTMLResponse(html, status_code=status, headers={"Cache-Control": "no-store"})

    def redirect(self, path: str) -> Response:
        """Send the browser to another page of the site with GET."""
        return RedirectResponse(path, status_code=303, headers={"Cache-Control": "no-store"})

    def login(self, user: str) -> None:
        """Log somebody in."""
        self.user = user
        self.db.execute("UPDATE _visitor SET user = ?", (user,))

    def logout(self) -> None:
        """Log out whoever is logged in."""
        self.user = None
        self.db.execute("UPDATE _visitor SET user = NULL")

    def flash(self, text: str) -> None:
        """Show a text once, at the top of the next page."""
        self.db.execute("INSERT INTO _flash (text) VALUES (?)", (text,))

    def not_found(self, text: str = "There is no such page.") -> Response:
        """The page that says that what was asked for does not exist."""
        return self.render("error.html", status=404, heading="Not found", text=text)

    def forbidden(self, text: str = "You are not allowed to do this.") -> Response:
        """The page that says that the visitor may not do this."""
        return self.render("error.html", status=403, heading="Not allowed", text=text)


def route(path: str, handler: Handler, methods: Sequence[str] = ("GET",)) -> Route:
    """A route of a site.

    Args:
        path: Its path, with parameters as Starlette has them, such as "/product/{id:int}".
        handler: What answers it.
        methods: HTTP methods that it takes; POST is a writing request.
    """

    async def endpoint(request: Request) -> Response:
        length = request.headers.get("content-length", "0")
        if length.isdigit() and int(length) > MAX_BODY_BYTES:
            return HTMLResponse("<h1>Too large</h1>", status_code=413)
        form = await _read_form(request) if request.method == "POST" else {}
        db = request.app.state.sessions.database(request.headers.get("x-agentgym-session", "default"))
        return _answer(handler, request, db, form)

    return Route(path, endpoint, methods=list(methods), name=f"{getattr(handler, '__name__', path)} {path}")


def needs_login(handler: Handler) -> Handler:
    """Send whoever is not logged in to /login, which sends them on to the page they wanted."""

    def checked(visit: Visit) -> Response:
        if visit.user is None:
            wanted = visit.request.url.path if visit.request.method == "GET" else "/"
            return visit.redirect(f"/login?next={quote(wanted)}")
        return handler(visit)

    checked.__name__ = getattr(handler, "__name__", "page")
    return checked


def only_for(may: Callable[[Visit], bool], said: str, handler: Handler) -> Handler:
    """Refuse visitors who may not, in these words, and send whoever is not logged in to /login."""

    def checked(visit: Visit) -> Response:
        return handler(visit) if may(visit) else visit.forbidden(said)

    checked.__name__ = getattr(handler, "__name__", "page")
    return needs_login(checked)


def local_path(wanted: str) -> str:
    """A path of this site that a parameter such as `next` names, or "/" if it leads elsewhere."""
    is_local = wanted.startswith("/") and not wanted.startswith("//") and "\\" not in wanted
    return wanted if is_local else "/"


def _answer(handler: Handler, request: Request, db: sqlite3.Connection, form: Mapping[str, Any]) -> Response:
    db.execute("BEGIN")
    try:
        visit = Visit(request, db, form)
        response = handler(visit)
        if request.method == "POST":
            db.execute("UPDATE _visitor SET clock = clock + 1")
    except OverflowError:  # a number in the address that is larger than any id
        db.execute("ROLLBACK")
        raise HTTPException(404) from None
    except Exception:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT" if response.status_code < 400 else "ROLLBACK")
    return response


async def _read_form(request: Request) -> Mapping[str, Any]:
    form: dict[str, Any] = {}
    async with request.form(max_part_size=MAX_BODY_BYTES) as fields:
        for name, value in fields.multi_items():
            if isinstance(value, UploadFile):
                if not value.filename:
                    continue
                read: str | Upload = (value.filename, await value.read())
            else:
                read = value
            earlier = form.get(name)
            form[name] = read if earlier is None else [*(earlier if isinstance(earlier, list) else [earlier]), read]
    return form
