"""`agentgym web`: records sites into archives, replays archives without a network, and serves the sites for people."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from agentgym.action import parse_tool_calls
from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, note, print_json, show
from agentgym.errors import ActionSyntaxError, ConfigError, MissingExtraError, UnknownNameError


@with_options
def run(
    action: tyro.conf.Positional[Literal["record", "replay", "serve"]],
    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="NAME ...")],
    /,
    *,
    out: Path | None = None,
    pages: int = 1,
    host: Annotated[tuple[str, ...], tyro.conf.arg(metavar="HOST ...")] = (),
    list_pages: bool = False,
    port: int = 0,
    user: str = "",
    browser: str = "",
    as_json: AsJson = False,
) -> int:
    """Record pages into an archive, replay an archive, or serve a site.

    Args:
        action: `record URL ...` opens pages and writes what they load. `replay FILE [URL]` shows a page of an archive,
            as agents see it, then reads actions from the input, one message a line. `serve SITE` serves a site.
        names: The addresses to record, the archive and a page of it, or the site.
        out: The archive that `record` writes, such as site.warc.gz.
        pages: The largest number of pages that `record` opens; links on the same hosts are followed.
        host: Further hosts that recorded pages may load from, such as cdn.example.org.
        list_pages: Let `replay` print the addresses of the pages and stop.
        port: The port of `serve` on 127.0.0.1; 0 picks a free one.
        user: Who is logged in on the site that `serve` serves.
        browser: The browser's program; the default finds one.
        as_json: Print JSON.
    """
    if action == "record":
        return _record(names, out, pages, host, browser or None, as_json=as_json)
    if action == "replay":
        return _replay(names, browser or None, list_pages=list_pages, as_json=as_json)
    if len(names) != 1:
        raise ConfigError(f"name one site to serve, such as shop: got {list(names)}")
    sites = _named("agentgym_web.sites.core.server", "SITES")
    if names[0] not in sites:
        raise UnknownNameError("site", names[0], sites)
    arguments = [names[0], "--port", str(port), *(["--user", user] if user else [])]
    _named("agentgym_web.sites.core.server", "main")(arguments)
    return 0


def _record(
    urls: tuple[str, ...], out: Path | None, pages: int, hosts: tuple[str, ...], browser: str | None, *, as_json: bool
) -> int:
    if out is None:
        raise ConfigError("name the archive to write, such as --out site.warc.gz")
    if out.exists():
        raise ConfigError(f"{out} exists; name another file, or remove it first")
    record = _named("agentgym_web.archive.recording", "record_pages")
    num_pages, num_answers = record(urls, out, hosts=hosts, max_pages=pages, browser=browser, on_page=note)
    if as_json:
        print_json({"archive": str(out), "pages": num_pages, "answers": num_answers})
    else:
        show(f"{out}: {_counted(num_pages, 'page')}, {_counted(num_answers, 'answer')}")
    return 0


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _replay(names: tuple[str, ...], browser: str | None, *, list_pages: bool, as_json: bool) -> int:
    if len(names) > 2:
        raise ConfigError(f"name an archive and at most one page of it: got {list(names)}")
    captures = _named("agentgym_web.archive.replaying", "the_archive")(Path(names[0]))
    if list_pages:
        print_json(captures.pages) if as_json else show("\n".join(captures.pages))
        return 0
    view = _named("agentgym_web.browser.settings", "View")()
    page = _open(captures, browser)
    tools = _named("agentgym_web.env", "action_tools")(("bid", "nav", "tab", "coord"))
    actions = _named("agentgym_web.browser.acting", "ACTIONS")
    try:
        first = names[1] if len(names) == 2 else next(iter(captures.pages), "about:blank")
        show(page.open(first, view).text(view))
        for line in sys.stdin:
            try:
                calls = parse_tool_calls(line, tools).tool_calls
            except ActionSyntaxError as refusal:
                note(str(refusal))
                continue
            sight = page.step([(call.name, actions[call.name].arguments(call.arguments)) for call in calls], view)
            show(sight.text(view))
    finally:
        page.close()
    return 0


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
