"""The forum as a site: its routes. What they show is in `reading`, `writing`, `account` and `moderation`."""

from __future__ import annotations

from pathlib import Path

from agentgym_web.sites.core.logging_in import login_routes
from agentgym_web.sites.core.page import needs_login, route
from agentgym_web.sites.core.site import Site
from agentgym_web.sites.forum import account, moderation, reading, writing
from agentgym_web.sites.forum.data import fill
from agentgym_web.sites.forum.moderation import for_moderators

BOTH = ("GET", "POST")
POST = ("POST",)

ROUTES = (
    route("/", reading.home),
    route("/b/{slug}", reading.board),
    route("/t/{id:int}", reading.thread),
    route("/search", reading.search),
    route("/members", reading.members),
    route("/u/{login}", reading.member),
    route("/b/{slug}/new", needs_login(writing.new_thread), BOTH),
    route("/t/{id:int}/reply", needs_login(writing.reply), POST),
    route("/t/{id:int}/poll", needs_login(writing.vote_in_poll), POST),
    route("/p/{id:int}/edit", needs_login(writing.edit), BOTH),
    route("/p/{id:int}/delete", needs_login(writing.delete), BOTH),
    route("/p/{id:int}/vote", needs_login(writing.vote), POST),
    route("/p/{id:int}/accept", needs_login(writing.accept), POST),
    route("/p/{id:int}/report", needs_login(writing.report), BOTH),
    route("/drafts", needs_login(writing.drafts)),
    route("/drafts/{id:int}", needs_login(writing.draft), BOTH),
    *login_routes("users", label="Login"),
    route("/settings", needs_login(account.settings), BOTH),
    route("/bookmarks", needs_login(account.bookmarks), BOTH),
    route("/t/{id:int}/bookmark", needs_login(account.bookmark), POST),
    route("/following", needs_login(account.following)),
    route("/u/{login}/follow", needs_login(account.follow), POST),
    route("/messages", needs_login(account.messages)),
    route("/messages/new", needs_login(account.write_message), BOTH),
    route("/messages/{id:int}", needs_login(account.message)),
    route("/t/{id:int}/moderate", for_moderators(moderation.change_thread), POST),
    route("/b/{slug}/lock", for_moderators(moderation.lock_ticked), POST),
    route("/p/{id:int}/remove", for_moderators(moderation.remove_post), POST),
    route("/mod/reports", for_moderators(moderation.reports)),
    route("/mod/reports/{id:int}", for_moderators(moderation.close_report), POST),
    route("/mod/bans", for_moderators(moderation.bans)),
    route("/mod/bans/new", for_moderators(moderation.ban), POST),
    route("/mod/bans/{login}/lift", for_moderators(moderation.lift_ban), POST),
    route("/mod/log", for_moderators(moderation.log)),
)

SITE = Site(
    name="forum",
    title="Lantern Green",
    folder=Path(__file__).parent,
    fill=fill,
    users="SELECT login FROM users",
    routes=ROUTES,
    written_along=frozenset({("drafts", "saved"), ("posts", "edited"), ("reports", "closed_by")}),
)
