"""Errands that begin with the shop's orders, products and reviews, and end in a mailbox, on a phone or on the forum."""

# ruff: noqa: S608 - a check is a query with its values written into it

from __future__ import annotations

import random
import sqlite3
from dataclasses import replace
from datetime import date, timedelta

from agentgym_web.sites.across.drafts import AcrossDraft, AcrossTemplate, OnSite, Worlds
from agentgym_web.sites.across.tasks import drawing
from agentgym_web.sites.core.drafts import Check, Step
from agentgym_web.sites.core.draws import literal, pick, require
from agentgym_web.sites.core.row_checks import num_rows, row_is, rows_are
from agentgym_web.sites.forum.tasks import drawing as forum
from agentgym_web.sites.mail import drawing as mail
from agentgym_web.sites.phone.data import CALENDARS
from agentgym_web.sites.phone.tasks import draws as phone
from agentgym_web.sites.shop import account_tasks
from agentgym_web.sites.shop import drawing as shop
from agentgym_web.sites.shop.buying_tasks import only_order_with
from agentgym_web.sites.shop.data import options_text
from agentgym_web.sites.shop.phrases import place

_BOUGHT = (
    "SELECT o.*, i.product_id, p.title FROM orders o JOIN order_item i ON i.order_id = o.id"
    " JOIN product p ON p.id = i.product_id WHERE o.placed > '2025-06' AND o.status = 'Delivered' ORDER BY i.id"
)

PRESENTS = 5
"""Id of the phone's list of presents."""
ITEM = "INSERT INTO items (id, list_id, text, is_checked, is_flagged) VALUES (?, ?, ?, 0, 1)"
"""A plant with which something flagged stands on a list of the phone."""


def bought(db: sqlite3.Connection, rng: random.Random) -> sqlite3.Row:
    """An order with a product that the customer has ordered only once."""
    row = pick(db, rng, _BOUGHT)
    require(only_order_with(db, row["login"], row["product_id"]))
    return row


def order_complaint(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Write to a contact about an order: its number and its total."""
    row, login = bought(worlds["shop"], rng), mail.owner(worlds["mail"], rng)
    person = drawing.contact(worlds["mail"], rng, login)
    total = f"${row['total'] / 100:,.2f}"
    return AcrossDraft(
        f"The {row['title']} that I once bought in the shop has broken, and {person['name']} wants to deal with it for "
        f"me. Find the order in the shop. Then write a mail to {person['name']} (the address is in my contacts): the "
        "subject is the number of the order, and the text is what the order cost in total, such as $12.50, and "
        "nothing else.",
        sites={
            "shop": OnSite(row["login"]),
            "mail": OnSite(
                login,
                checks=[
                    drawing.sent(worlds["mail"], login, recipients=person["email"], subject=row["number"], body=total),
                    drawing.written(worlds["mail"]),
                    _mentions(worlds["mail"], row["number"]),
                ],
                touched={"message": [1, 0, 0]},
            ),
        },
        steps=[
            *shop.order_steps(worlds["shop"], row),
            drawing.goto("mail"),
            *mail.write_steps(person, row["number"], total),
        ],
    )


def _mentions(db: sqlite3.Connection, text: str) -> Check:
    where = f"FROM message WHERE id > {mail.last(db)} AND instr(subject || ' ' || body, {literal(text)})"
    return mail.counted(where, 1, "the order is named")


def return_and_tell(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Ask for the return of an item, and tell a contact which order it is from."""
    sale = account_tasks.return_item(worlds["shop"], rng)
    login = mail.owner(worlds["mail"], rng)
    person = drawing.contact(worlds["mail"], rng, login)
    number = next(str(step[2]) for step in sale.walkthrough if str(step[2]).startswith("L-"))
    return AcrossDraft(
        f"{sale.instruction} Ask for it in the shop. When that is done, write a mail to {person['name']}, whose "
        "address is in my contacts, with the subject “It goes back”. The text is the number of the order, nothing "
        "else.",
        sites={
            "shop": drawing.on_site(sale),
            "mail": OnSite(
                login,
                checks=[
                    drawing.sent(
                        worlds["mail"], login, recipients=person["email"], subject="It goes back", body=number
                    ),
                    drawing.written(worlds["mail"]),
                ],
                touched={"message": [1, 0, 0]},
            ),
        },
        steps=[
            *sale.walkthrough,
            *drawing.in_new_tab("mail"),
            *mail.write_steps(person, "It goes back", number),
        ],
    )


def last_day_to_return(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Enter the last day to return an item in the calendar, and tell a contact."""
    row, login = bought(worlds["shop"], rng), mail.owner(worlds["mail"], rng)
    person = drawing.contact(worlds["mail"], rng, login)
    day = (date.fromisoformat(row["delivered"]) + timedelta(days=30)).isoformat()
    require(day > "2026-03-02")
    title, calendar = "Last day to send it back", rng.choice(CALENDARS)
    event = {"day": day, "start": "09:00", "end": "09:30", "place": "", "notes": row["number"]}
    form = {"Title": title, "Calendar": calendar, "Day": day, "Start": "09:00", "End": "09:30", "Notes": row["number"]}
    return AcrossDraft(
        f"I may send the {row['title']} back, which I can do until 30 days after the day on which it was delivered. "
        f"Look that day up in the shop and enter the last day in my phone's calendar {calendar}: title “{title}”, "
        "from 09:00 to 09:30, no place, with the number of the order as the only note. Then write a mail to "
        f"{person['name']} (see my contacts) with the subject “To be sent back”, whose text is the last day, written "
        "like 2026-03-31, and nothing else.",
        sites={
            "shop": OnSite(row["login"]),
            "phone": drawing.entered(title, calendar, event),
            "mail": OnSite(
                login,
                checks=[
                    drawing.sent(
                        worlds["mail"], login, recipients=person["email"], subject="To be sent back", body=day
                    ),
                    drawing.written(worlds["mail"]),
                ],
                touched={"message": [1, 0, 0]},
            ),
        },
        steps=[
            *shop.order_steps(worlds["shop"], row),
            drawing.goto("phone"),
            *drawing.clicked(phone.app("Calendar")),
            ["click", "link", "New event"],
            *drawing.clicked(phone.fill_event(form)),
            drawing.goto("mail"),
            *mail.write_steps(person, "To be sent back", day),
        ],
    )


def presents_into_cart(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Put what stands on a list of the phone into the cart, and check it off."""
    db, login = worlds["shop"], shop.member(worlds["shop"], rng)
    products = [shop.product_in_stock(db, rng) for _ in range(2)]
    require(products[0]["id"] != products[1]["id"])
    wanted = [(row, shop.chosen_options(db, rng, row["id"])) for row in products]
    texts = [f"{row['title']} ({shop.say_options(options)})" for row, options in wanted]
    first = int(worlds["phone"].execute("SELECT max(id) FROM items").fetchone()[0]) + 1
    to_list: list[Step] = [*drawing.clicked(phone.app("Lists")), ["click", "link", "Presents"]]
    buying: list[Step] = []
    for row, options in wanted:
        buying += [*shop.find_steps(row["title"]), *shop.cart_steps(options)]
    sql = f"SELECT product_id, options, quantity FROM cart_item WHERE login = {literal(login)}"
    checked = rows_are("items", [first, first + 1], {"is_checked": 1}, "both are checked off")
    return AcrossDraft(
        "On my phone's list “Presents”, the two things that are flagged can be bought in the shop. Put one of each "
        "into my cart there, as the list describes it, but do not order yet. Then check these two off on the list.",
        sites={
            "phone": OnSite(
                phone.USER,
                plants=[
                    ["UPDATE items SET is_flagged = 0 WHERE list_id = ?", [PRESENTS]],
                    *[[ITEM, [first + index, PRESENTS, text]] for index, text in enumerate(texts)],
                ],
                checks=[checked, replace(checked, milestone=True)],
                touched={"items": [0, 2, 0]},
            ),
            "shop": OnSite(
                login,
                plants=[[shop.EMPTY_CART, [login]]],
                checks=[
                    Check(sql, [[row["id"], options_text(options), 1] for row, options in wanted], "the cart is right"),
                    *[shop.in_cart(login, row["id"], options) for row, options in wanted],
                ],
                touched={"cart_item": [2, 0, 0]},
            ),
        },
        steps=[
            *to_list,
            drawing.goto("shop"),
            *buying,
            drawing.goto("phone"),
            *to_list,
            *[["click", "checkbox", text] for text in texts],
        ],
    )


def friend_address(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Save in the shop the address that a friend has written in a chat."""
    story, login = phone.tell(worlds["phone"], rng, "moved"), shop.member(worlds["shop"], rng)
    street, city = story.facts["address"].split(", ")
    label, postcode = story.name.split()[0], place(rng)[2]
    new = {"label": label, "name": story.name, "street": street, "city": city, "postcode": postcode}
    where = {"login": login, "label": label}
    require(not shop.only(worlds["shop"], "SELECT count(*) FROM address WHERE label = ?", label))
    return AcrossDraft(
        f"{story.name} has moved and wrote me the new address in our chat on the phone. Save it in the shop among my "
        f"addresses, with the full name and the label “{label}”. The postcode is {postcode}. My default address "
        f"stays as it is. Then answer {label} in the chat: “Saved it, thank you!”",
        sites={
            "phone": OnSite(
                phone.USER,
                checks=[
                    num_rows("messages", {"chat_id": story.chat, "sender_id": None, "text": "Saved it, thank you!"}, 1),
                ],
                touched={"messages": [1, 0, 0]},
            ),
            "shop": OnSite(
                login,
                checks=[
                    row_is("address", where, {**new, "is_default": 0}, "the address is saved"),
                    num_rows("address", where, 1, "an address is saved", milestone=True),
                    num_rows("address", {**where, "street": street}, 1, "the street is right", milestone=True),
                ],
                touched={"address": [1, 0, 0]},
            ),
        },
        steps=[
            *drawing.clicked(phone.open_chat(story.title)),
            *drawing.in_new_tab("shop"),
            ["click", "link", "Account"],
            ["click", "link", "Addresses"],
            ["click", "link", "Add an address"],
            *shop.address_steps(new),
            ["click", "button", "Save address"],
            ["tab_focus", 0],
            *drawing.clicked(phone.send_text("Saved it, thank you!")),
        ],
    )


def review_into_thread(worlds: Worlds, rng: random.Random) -> AcrossDraft:
    """Post one's own review from the shop in a thread of the forum."""
    login = shop.member(worlds["shop"], rng)
    sql = "SELECT r.*, p.title AS product FROM review r JOIN product p ON p.id = r.product_id WHERE r.login = ?"
    row = pick(worlds["shop"], rng, f"{sql} ORDER BY r.id", login)
    asker = forum.draw_user(worlds["forum"], rng)
    user = forum.draw_user(worlds["forum"], rng, [asker])
    title, number = f"Anybody using the {row['product']}?", drawing.thread_id(worlds["forum"])
    opening = f"I think of buying the {row['product']}. If you have it, are you content?"
    require(len(row["body"]) > 40 and "\n" not in row["body"])
    sql = "SELECT count(*) FROM review WHERE login = ? AND product_id = ?"
    require(shop.only(worlds["shop"], sql, login, row["product_id"]) == 1)
    return AcrossDraft(
        f"On the forum, {asker} asks about a thing that I have reviewed in the shop, in the thread “{title}”. Reply "
        "there with the text of my review, word for word. Leave out its title and its stars.",
        sites={
            "forum": OnSite(
                user,
                plants=drawing.thread(worlds["forum"], 12, title, [(asker, opening)]),
                checks=drawing.replied(number, user, row["body"]),
                touched={"posts": [1, 0, 0]},
            ),
            "shop": OnSite(login),
        },
        steps=[
            *forum.find_thread(title, asker),
            drawing.goto("shop"),
            ["click", "link", "Account"],
            ["click", "link", "Your reviews"],
            *[["go_back"]] * 3,
            *drawing.answer_in_thread(row["body"]),
        ],
    )


TEMPLATES = (
    AcrossTemplate("order_complaint", "seen", order_complaint),
    AcrossTemplate("return_and_tell", "seen", return_and_tell),
    AcrossTemplate("last_day_to_return", "unseen", last_day_to_return),
    AcrossTemplate("presents_into_cart", "seen", presents_into_cart),
    AcrossTemplate("friend_address", "seen", friend_address),
    AcrossTemplate("review_into_thread", "seen", review_into_thread),
)
