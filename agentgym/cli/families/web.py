"""`agentgym web`: records sites into archives, replays archives without a network, and serves the sites for people."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, note, print_json, show
from agentgym.errors import ActionSyntaxError, ConfigError, MissingExtraError
from agentgym.wording import counted


@with_options
def run(action: tyro.conf.Positional[Literal["record", "replay", "serve"]], /) -> int:
    """Record pages into an archive, replay an archive, or serve a site.

    Each takes options of its own: see `agentgym web record --help`, for example.

    Args:
        action: `record URL ...` opens pages and writes what they load. `replay FILE [URL]` shows a page of an archive
            and reads actions. `serve SITE` serves a site for people.
    """
    return ACTIONS[action]()


@with_options
def record(
    urls: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="URL ...")],
    /,
    *,
    out: Path | None = None,
    pages: int = 1,
    host: Annotated[tuple[str, ...], tyro.conf.arg(metavar="HOST ...")] = (),
    browser: str = "",
    as_json: AsJson = False,
) -> int:
    """Open pages in the browser, and write what they load into an archive.

    Args:
        urls: The addresses to begin with, such as https://example.org/.
        out: The archive to write, such as site.warc.gz.
        pages: The largest number of pages to open: the addresses, then links on the same hosts. 1 opens the first
            address alone.
        host: Further hosts that the pages may load from, such as cdn.example.org.
        browser: The browser's program; the default finds one.
        as_json: Print the archive's path and counts as JSON.
    """
    if not urls:
        raise ConfigError("name at least one address to record, such as https://example.org/")
    if out is None:
        raise ConfigError("name the archive to write, such as --out site.warc.gz")
    if out.exists():
        raise ConfigError(f"{out} exists; name another file, or remove it first")
    record_pages = _named("agentgym_web.archive.recording", "record_pages")
    num_pages, num_answers, left_out = record_pages(
        urls, out, hosts=host, max_pages=pages, browser=browser or None, on_page=note
    )
    for url in left_out:
        note(f"left out {url}, whose body did not come")
    if as_json:
        counts = {"pages": num_pages, "answers": num_answers, "left_out": len(left_out)}
        print_json({"archive": str(out), **counts})
    else:
        show(f"{out}: {counted(num_pages, 'page')}, {counted(num_answers, 'answer')}")
    return 0


@with_options
def replay(
    archive: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")],
    url: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[URL]")] = "",
    /,
    *,
    list_pages: bool = False,
    browser: str = "",
    as_json: AsJson = False,
) -> int:
    """Show a page of an archive, as agents see it, then read actions from the input, one message a line.

    Args:
        archive: The archive, such as site.warc.gz.
        url: The page to show. The default is the archive's first one.
        list_pages: Print the addresses of the pages and stop.
        browser: The browser's program; the default finds one.
        as_json: Print the addresses as JSON. Needs --list-pages.
    """
    if as_json and not list_pages:
        raise ConfigError("--json prints the addresses of the pages; add --list-pages")
    captures = _named("agentgym_web.archive.replaying", "the_archive")(archive)
    if list_pages:
        print_json(captures.pages) if as_json else show("\n".join(captures.pages))
        return 0
    if url and not url.startswith(("http://", "https://")):
        raise ConfigError(f"an address begins with http:// or https://, as https://example.org/ does: got {url!r}")
    if url and captures.find("GET", url) is None:
        raise ConfigError(
            f"{url} is not in {archive}; its pages are shown by: agentgym web replay {archive} --list-pages"
        )
    view = _named("agentgym_web.browser.settings", "View")()
    page = _open(captures, browser or None)
    tools = _named("agentgym_web.env", "action_tools")(("bid", "nav", "tab", "coord"))
    parsed = _named("agentgym_web.env", "parse_actions")
    actions = _named("agentgym_web.browser.acting", "ACTIONS")
    try:
        first = url or next(iter(captures.pages), "about:blank")
        show(page.open(first, view).text(view))
        for line in sys.stdin:
            try:
                calls = parsed(line, tools).tool_calls
            except ActionSyntaxError as refusal:
                note(str(refusal))
                continue
            sight = page.step([(call.name, actions[call.name].arguments(call.arguments)) for call in calls], view)
            show(f"\n--- {line.strip()}\n{sight.text(view)}")
    finally:
        page.close()
    return 0


@with_options
def serve(
    site: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SITE")],
    /,
    *,
    port: int = 0,
    user: str = "",
    as_json: AsJson = False,
) -> int:
    """Serve a site for people on 127.0.0.1 until SIGTERM or Ctrl-C.

    Args:
        site: The site: shop, mail, forum, wiki, admin or phone.
        port: The port; 0 picks a free one.
        user: Who is logged in. The default is nobody. Give a name that does not exist, such as x, to see names that do.
        as_json: Print the site, its address and who is logged in as JSON.
    """

    def started(url: str) -> None:
        if as_json:
            print_json({"site": site, "url": url, "user": user or None})
        else:
            show(f"{url} serves {site} with {user or 'nobody'} logged in; Ctrl-C stops it")

    _named("agentgym_web.sites.core.server", "serve_site")(site, port, user or None, started)
    return 0


ACTIONS: Mapping[str, Callable[..., int]] = {"record": record, "replay": replay, "serve": serve}
"""The command of each action, which has options of its own."""


def _open(captures: Any, browser: str | None) -> Any:
    network = _named("agentgym_web.archive.replaying", "archive_network")(captures)
    settings = _named("agentgym_web.browser.settings", "PageSettings")(virtual_time=True)
    process = _named("agentgym_web.browser.program.process", "ProcessSettings")(browser=browser)
    return _named("agentgym_web.browser.hub", "the_hub")().open(settings, network, process)


def _named(module: str, name: str) -> Any:
    """Something of the web family, which commands look up by name."""
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"agentgym web ({error.name})", "web") from error
