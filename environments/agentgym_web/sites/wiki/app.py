"""The wiki as a site: its routes. What they show is in `reading`, `histories`, `editing`, `talking` and `account`."""

from __future__ import annotations

from pathlib import Path

from agentgym_web.sites.core.logging_in import login_routes
from agentgym_web.sites.core.page import needs_login, route
from agentgym_web.sites.core.site import Site
from agentgym_web.sites.wiki import account, editing, histories, reading, talking
from agentgym_web.sites.wiki.account import for_admins
from agentgym_web.sites.wiki.data import fill

BOTH = ("GET", "POST")
POST = ("POST",)

ROUTES = (
    route("/", reading.home),
    route("/wiki/{title}", reading.article),
    route("/backlinks/{title}", reading.backlinks),
    route("/pages", reading.pages),
    route("/categories", reading.categories),
    route("/category/{title}", reading.category),
    route("/search", reading.search),
    route("/history/{title}", histories.history),
    route("/compare/{title}", histories.compare),
    route("/revision/{id:int}", histories.revision),
    route("/recent", histories.recent),
    route("/user/{name}", histories.user),
    route("/users", histories.users),
    route("/revision/{id:int}/thank", needs_login(histories.thank), POST),
    route("/revision/{id:int}/review", needs_login(histories.review), POST),
    route("/revision/{id:int}/restore", needs_login(editing.restore), POST),
    route("/edit/{title}", needs_login(editing.edit), BOTH),
    route("/edit_categories/{title}", needs_login(editing.categories), BOTH),
    route("/move/{title}", needs_login(editing.move), BOTH),
    route("/talk/{title}", talking.talk),
    route("/talk/{title}/new", needs_login(talking.begin), POST),
    route("/topic/{id:int}", needs_login(talking.answer), POST),
    *login_routes("users", "name", "Name"),
    route("/watch_list", needs_login(account.watch_list)),
    route("/watch/{title}", needs_login(account.watch), POST),
    route("/protect/{title}", for_admins(account.protect), POST),
    route("/delete/{title}", for_admins(account.delete), BOTH),
    route("/blocks", account.blocks),
    route("/blocks/new", for_admins(account.block), POST),
    route("/blocks/lift", for_admins(account.lift_block), POST),
    route("/log", account.show_log),
)

SITE = Site(
    name="wiki",
    title="The Sarn Almanac",
    folder=Path(__file__).parent,
    fill=fill,
    users="SELECT name FROM users",
    routes=ROUTES,
    unwatched=frozenset({"links", "categories", "redirects"}),
)
