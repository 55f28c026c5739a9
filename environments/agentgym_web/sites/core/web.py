"""The application that browsers see: the routes of a site and its assets.

Assets are few, lie in memory and may be kept by a browser for a year, since their addresses change with them.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from agentgym_web.sites.core.formats import FILTERS
from agentgym_web.sites.core.sessions import Sessions
from agentgym_web.sites.core.site import Site

CORE = Path(__file__).parent
STYLE = "style.css"
"""The style sheet of a site is served after that of all sites, as one asset."""
POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; form-action 'self'"
_KEEP = "public, max-age=31536000, immutable"


def web_app(site: Site, sessions: Sessions, *, is_debug: bool = False) -> Starlette:
    """The application of a site.

    Args:
        site: The site.
        sessions: Its sessions.
        is_debug: Whether templates are read anew when they change.
    """
    assets = read_assets(site)
    templates = Environment(
        loader=ChoiceLoader([FileSystemLoader(site.folder / "templates"), FileSystemLoader(CORE / "templates")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=is_debug,
    )
    templates.filters.update(FILTERS)
    addresses = {name: f"/static/{name}?v={hashlib.sha256(assets[name]).hexdigest()[:10]}" for name in assets}
    templates.globals["asset"] = addresses.__getitem__
    templates.globals["assets"] = assets

    async def asset(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in assets:
            return Response("Not found", status_code=404, media_type="text/plain")
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Response(assets[name], media_type=kind, headers={"Cache-Control": _KEEP})

    def show_error(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 500)
        heading = {404: "Not found", 405: "Not possible"}.get(status, "Something went wrong")
        page = templates.get_template("bare_error.html").render(site=site, heading=heading)
        return HTMLResponse(page, status_code=status)

    app = Starlette(
        routes=[Route("/static/{name}", asset), *site.routes],
        exception_handlers={404: show_error, 405: show_error, 500: show_error},
    )
    app.state.site, app.state.sessions, app.state.templates = site, sessions, templates
    return app


def read_assets(site: Site) -> Mapping[str, bytes]:
    """The assets of a site by name: its own, and core's under it."""
    assets = {path.name: path.read_bytes() for path in sorted((CORE / "static").iterdir()) if path.is_file()}
    own = site.folder / "static"
    if own.is_dir():
        assets |= {path.name: path.read_bytes() for path in sorted(own.iterdir()) if path.is_file()}
    assets[STYLE] = assets.pop("base.css") + b"\n" + assets.get(STYLE, b"")
    return assets
