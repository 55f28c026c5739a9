"""Errands that cannot be done: one site lacks what the other one would need."""

from __future__ import annotations

import random

from agentgym_web.sites.across.drafts import AcrossDraft, AcrossTemplate, OnSite, Worlds
from agentgym_web.sites.across.tasks import drawing
from agentgym_web.sites.across.tasks.letters import QUESTIONS
from agentgym_web.sites.across.tasks.orders import ITEM, PRESENTS
from agentgym_web.sites.core.draws import choose, pick, require, rows
from agentgym_web.sites.forum.tasks import drawing as forum
from agentgym_web.sites.mail import drawing as mail
from agentgym_web.sites.phone.tasks import draws as phone
from agentgym_web.sites.shop import drawing as shop
from agentgym_web.sites.shop import question_tasks
from agentgym_web.sites.wiki.tasks import traps

_WISHES = ("can repair it", "has the same one and lost the leaflet", "collects such things", "wants to buy it from me")


def no_such_order(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Write about an order that there is not."""
    login, owner = shop.member(worlds["shop"], rng), mail.owner(worlds["mail"], rng)
    person, product = drawing.contact(worlds["mail"], rng, owner), shop.product_in_stock(worlds["shop"], rng)
    sql = "SELECT count(*) FROM orders o JOIN order_item i ON i.order_id = o.id WHERE login = ? AND product_id = ?"
    require(shop.only(worlds["shop"], sql, login, product["id"]) == 0)
    return AcrossDraft(
        f"I once bought the {product['title']} in the shop, and {person['name']} {rng.choice(_WISHES)}. Find that "
        f"order in the shop and write a mail to {person['name']} (see my contacts) with the subject “My order” and the "
        "number of the order as its text. Write nothing if you do not know the number.",
        sites={"shop": OnSite(login), "mail": OnSite(owner)},
        infeasible=True,
        steps=[
            ["click", "link", "Orders"],
            ["click", "link", "Next page"],
            ["infeasible", f"There is no order with the {product['title']}."],
        ],
    )


def unknown_addressee(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Write a figure to somebody who is not among the contacts."""
    question, login = rng.choice(QUESTIONS)(worlds["admin"], rng), mail.owner(worlds["mail"], rng)
    name = str(pick(worlds["phone"], rng, "SELECT name FROM contacts ORDER BY id")["name"])
    for sql in ("SELECT 1 FROM contact WHERE name = ?", "SELECT 1 FROM message WHERE instr(body, ?)"):
        require(not rows(worlds["mail"], sql, name))
    return AcrossDraft(
        f"{question.instruction} Send what you find by mail to {name}; the address is in the contacts of my mail. The "
        "subject is “As you asked”. I mean this person and nobody else.",
        sites={"admin": OnSite(question.user), "mail": OnSite(login)},
        infeasible=True,
        steps=[
            *drawing.acting(question),
            drawing.goto("mail"),
            ["click", "link", "Contacts"],
            ["fill", "textbox", "Find", name],
            ["click", "button", "Show contacts"],
            ["infeasible", f"There is no contact called {name}."],
        ],
    )


def locked_thread(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Answer in a thread that is locked."""
    question = question_tasks.cheapest(worlds["shop"], rng)
    sql = "SELECT * FROM threads WHERE is_locked = 1 AND is_removed = 0 AND board_id <= 10 ORDER BY id"
    thread = choose(rng, worlds["forum"].execute(sql).fetchall())
    asked = question.instruction.partition(" Answer with")[0]
    return AcrossDraft(
        f"{asked} Look it up in the shop and write the full name of the product into the thread “{thread['title']}” "
        f"by {thread['author']} on the forum, as a reply. Start no new thread for it.",
        sites={
            "shop": OnSite(question.user),
            "forum": OnSite(forum.draw_user(worlds["forum"], rng, [thread["author"]])),
        },
        infeasible=True,
        steps=[
            *drawing.acting(question),
            drawing.goto("forum"),
            *forum.to_thread(worlds["forum"], thread["id"]),
            ["infeasible", "The thread is locked."],
        ],
    )


def sold_out_present(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Buy what stands on a list of the phone and is sold out."""
    sql = "SELECT p.* FROM product p JOIN shelf s ON s.product_id = p.id WHERE s.stock = 0 ORDER BY p.id"
    product, login = pick(worlds["shop"], rng, sql), shop.member(worlds["shop"], rng)
    number = int(worlds["phone"].execute("SELECT max(id) FROM items").fetchone()[0]) + 1
    return AcrossDraft(
        "The last thing on my phone's list “Presents” is sold by the shop. Put it into my cart there, exactly that one "
        "and no other, and then check it off on the list.",
        sites={
            "phone": OnSite(phone.USER, plants=[[ITEM, [number, PRESENTS, product["title"]]]]),
            "shop": OnSite(login, plants=[[shop.EMPTY_CART, [login]]]),
        },
        infeasible=True,
        steps=[
            *drawing.clicked(phone.app("Lists")),
            ["click", "link", "Presents"],
            drawing.goto("shop"),
            *shop.find_steps(product["title"]),
            ["infeasible", f"The {product['title']} is sold out."],
        ],
    )


def not_in_almanac(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Answer a thread about something that the almanac does not know."""
    question = traps.no_such_article(worlds["wiki"], rng)
    asker = forum.draw_user(worlds["forum"], rng)
    title, opening = "A question that nobody answers", question.instruction.partition(" Find it out")[0]
    searched = str(question.walkthrough[0][3])
    return AcrossDraft(
        f"In the thread “{title}” on the forum, {asker} asks something. Look it up in the almanac and reply in the "
        "thread with what the almanac says. Do not reply with anything that is not from the almanac.",
        sites={
            "forum": OnSite(
                forum.draw_user(worlds["forum"], rng, [asker]),
                plants=drawing.thread(worlds["forum"], 12, title, [(asker, opening)]),
            ),
            "wiki": OnSite(question.user),
        },
        infeasible=True,
        steps=[
            *forum.find_thread(title, asker),
            drawing.goto("wiki"),
            *drawing.acting(question)[:-1],
            ["infeasible", f"The almanac knows nothing of {searched}."],
        ],
    )


TEMPLATES = (
    AcrossTemplate("no_such_order", "seen", no_such_order),
    AcrossTemplate("unknown_addressee", "unseen", unknown_addressee),
    AcrossTemplate("locked_thread", "seen", locked_thread),
    AcrossTemplate("sold_out_present", "unseen", sold_out_present),
    AcrossTemplate("not_in_almanac", "unseen", not_in_almanac),
)
