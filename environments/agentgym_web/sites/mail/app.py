"""The mail service: its routes. Handlers are in `lists`, `messages` and `settings`."""

from __future__ import annotations

from pathlib import Path

from agentgym_web.sites.core.logging_in import login_routes
from agentgym_web.sites.core.page import route
from agentgym_web.sites.core.site import Site
from agentgym_web.sites.mail import data, lists, messages, settings

_POST = ("POST",)

ROUTES = (
    route("/", lists.inbox),
    route("/folder/{id:int}", lists.folder_page),
    route("/folder/{id:int}/empty", lists.empty_folder, _POST),
    route("/label/{id:int}", lists.label_page),
    route("/search", lists.search),
    route("/messages", lists.change_list, _POST),
    route("/message/{id:int}", messages.message_page),
    route("/message/{id:int}", messages.change_message, _POST),
    route("/message/{id:int}/reply", messages.reply_page),
    route("/message/{id:int}/forward", messages.forward_page),
    route("/message/{id:int}/draft", messages.draft_page),
    route("/attachment/{id:int}", messages.attachment_page),
    route("/attachment/{id:int}/download", messages.download),
    route("/compose", messages.compose_page),
    route("/compose", messages.send, _POST),
    route("/contacts", settings.contacts),
    route("/contacts/new", settings.new_contact),
    route("/contacts/new", settings.save_contact, _POST),
    route("/contacts/{id:int}", settings.contact_page),
    route("/contacts/{id:int}", settings.save_contact, _POST),
    route("/organise", settings.organise_page),
    route("/organise/{what}", settings.add_folder, _POST),
    route("/organise/{what}/{id:int}", settings.change_folder, _POST),
    route("/rules", settings.rules),
    route("/rules", settings.add_rule, _POST),
    route("/rules/{id:int}", settings.change_rule, _POST),
    route("/settings", settings.settings_page),
    route("/settings", settings.save_settings, _POST),
    *login_routes("account"),
)

SITE = Site(
    name="mail",
    title="Inkmail",
    folder=Path(__file__).parent,
    fill=data.fill,
    users="SELECT login FROM account",
    routes=ROUTES,
    unwatched=frozenset({"reading"}),
    written_along=frozenset({("message", "sent")}),
)
