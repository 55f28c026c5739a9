"""Pages of the shop, over HTTP."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from agentgym_web.sites.core.site import snapshot
from agentgym_web.sites.shop.app import SITE

PAGES = (
    "/",
    "/search",
    "/search?q=waterproof+jacket",
    "/kind/socks?sort=price",
    "/department/Garden",
    "/offers",
    "/help",
)
OWN_PAGES = ("/cart", "/checkout", "/orders", "/account", "/account/addresses", "/account/cards", "/saved", "/reviews")


def first(db, sql, *values):
    return db().execute(sql, values).fetchone()


def buyable(db):
    """A product in stock, with a choice of its options as fields of the form."""
    product = first(db, "SELECT product_id FROM shelf WHERE stock > 20 ORDER BY product_id")[0]
    sql = "SELECT name, min(value) AS value FROM choice WHERE product_id = ? AND in_stock GROUP BY name"
    return product, {f"option-{row['name']}": row["value"] for row in db().execute(sql, (product,))}


@pytest.mark.parametrize("path", PAGES + OWN_PAGES)
def test_page_shows(client, path):
    reply = client.get(path)
    assert reply.status_code == 200
    assert "<h1>" in reply.text


@pytest.mark.parametrize("path", OWN_PAGES)
def test_page_of_the_account_asks_for_the_login(client, path):
    client.post("/logout")
    reply = client.get(path)
    assert reply.url.path == "/login"


@pytest.mark.parametrize(
    "path",
    ["/product/99999", "/kind/none", "/department/None", "/orders/L-1", "/reviews/99999", "/account/addresses/999"],
)
def test_page_that_does_not_exist_is_404(client, path):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("query", ['"', "' OR 1=1", "*", "NEAR(a b)", "title:x", "<b>", "x" * 5000, "%", "æ–"])
def test_search_takes_any_text(client, query):
    reply = client.get("/search", params={"q": query, "min": query, "rating": query, "page": query, "sort": query})
    assert reply.status_code == 200
    assert "<b>" not in reply.text


def test_search_finds_by_inflected_words(client):
    assert "Rain Jacket" in client.get("/search?q=rain+jackets").text


def test_list_filters_and_sorts(client, db):
    page = client.get("/kind/socks", params={"fact-Material": "merino", "max": "25", "sort": "price-down"}).text
    rows = db().execute(
        "SELECT p.title FROM product p JOIN kind k ON k.id = p.kind_id JOIN fact f ON f.product_id = p.id"
        " WHERE k.slug = 'socks' AND f.value = 'merino' AND p.price <= 2500 ORDER BY p.price DESC, p.id"
    )
    titles = [row[0] for row in rows][:16]
    places = [page.index(f">{title.replace('&', '&amp;')}</a>") for title in titles]
    assert places == sorted(places)


def test_order_holds_the_cart_and_empties_it(client, db, sessions, member):
    db().execute("DELETE FROM cart_item WHERE login = ?", (member,))
    product, options = buyable(db)
    client.post(f"/product/{product}/cart", data={**options, "quantity": "2"})
    address = first(db, "SELECT id FROM address WHERE login = ?", member)["id"]
    card = first(db, "SELECT id FROM card WHERE login = ?", member)["id"]
    reply = client.post(
        "/checkout", data={"address": address, "card": card, "shipping": "Express", "note": "<i>hi</i>"}
    )
    assert "Thank you" in reply.text
    assert "&lt;i&gt;hi" in reply.text
    order = first(db, "SELECT * FROM orders ORDER BY id DESC")
    assert order["total"] == 2 * first(db, "SELECT price FROM product WHERE id = ?", product)["price"] + 990
    assert first(db, "SELECT count(*) FROM cart_item WHERE login = ?", member)[0] == 0
    assert {*sessions.changes("default")} == {"orders", "order_item", "cart_item"}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"quantity": "0"}, "quantity must be"),
        ({"quantity": "x"}, "quantity must be"),
        ({"quantity": "-3"}, "quantity must be"),
    ],
)
def test_cart_refuses_a_wrong_quantity(client, db, sessions, fields, words):
    product, options = buyable(db)
    reply = client.post(f"/product/{product}/cart", data={**options, **fields})
    assert reply.status_code == 422
    assert words in reply.text
    assert not sessions.changes("default")


def test_cart_refuses_an_option_that_does_not_exist(client, db, sessions):
    product, options = buyable(db)
    reply = client.post(f"/product/{product}/cart", data=dict.fromkeys(options, "Nothing"))
    assert "Please choose" in reply.text
    assert not sessions.changes("default")


def test_checkout_without_choices_says_what_is_missing(client, sessions):
    reply = client.post("/checkout", data={"address": "999"})
    assert reply.status_code == 422
    assert all(text in reply.text for text in ("Choose an address.", "Choose a card.", "Choose a way of shipping."))
    assert not sessions.changes("default")


@pytest.mark.parametrize(("path", "table"), [("/account/addresses/{}", "address"), ("/reviews/{}", "review")])
def test_nobody_reads_or_changes_what_is_not_theirs(client, db, sessions, member, path, table):
    other = first(db, f"SELECT id FROM {table} WHERE login != ?", member)["id"]
    assert client.get(path.format(other)).status_code == 403
    assert client.post(path.format(other), data={"act": "delete", "stars": "1"}).status_code == 403
    assert not sessions.changes("default")


def test_nobody_sees_or_cancels_the_order_of_another(client, db, sessions, member):
    number = first(db, "SELECT number FROM orders WHERE login != ? AND status = 'Processing'", member)["number"]
    assert client.get(f"/orders/{number}").status_code == 403
    assert client.post(f"/orders/{number}/cancel").status_code == 403
    assert not sessions.changes("default")


def test_order_that_was_delivered_cannot_be_cancelled(client, db, sessions, member):
    number = first(db, "SELECT number FROM orders WHERE login = ? AND status = 'Delivered'", member)["number"]
    assert client.post(f"/orders/{number}/cancel").status_code == 403
    assert not sessions.changes("default")


def test_return_is_refused_after_thirty_days(client, db, sessions, member):
    row = first(
        db,
        "SELECT o.number, i.id FROM orders o JOIN order_item i ON i.order_id = o.id WHERE login = ?"
        " AND delivered < '2026-01-20'",
        member,
    )
    fields = {"reason": "Wrong item", "wanted": "Refund"}
    assert client.post(f"/orders/{row['number']}/return/{row['id']}", data=fields).status_code == 403
    assert not sessions.changes("default")


def test_default_address_cannot_be_deleted(client, db, sessions, member):
    number = first(db, "SELECT id FROM address WHERE login = ? AND is_default", member)["id"]
    assert client.post(f"/account/addresses/{number}/change", data={"act": "delete"}).status_code == 403
    assert not sessions.changes("default")


def test_profile_says_what_is_wrong(client, sessions):
    reply = client.post("/account", data={"name": "", "email": "nobody", "phone": "x", "newsletter": "Hourly"})
    assert reply.status_code == 422
    assert reply.text.count('class="problem"') >= 3
    assert not sessions.changes("default")


def test_review_is_escaped_and_counted(client, db, sessions):
    product = first(db, "SELECT product_id FROM shelf WHERE num_reviews = 0")[0]
    fields = {"stars": "4", "title": "<script>x</script>", "body": "Line one\n\n<img src=x onerror=y>"}
    page = client.post(f"/product/{product}/review", data=fields).text
    assert "<script>x" not in page
    assert "<img src=x" not in page
    assert first(db, "SELECT rating FROM shelf WHERE product_id = ?", product)["rating"] == 4.0
    assert {*sessions.changes("default")} == {"review"}


def test_login_takes_the_password_alone(client, db, member):
    client.post("/logout")
    assert "is wrong" in client.post("/login", data={"login": member, "password": "guess"}).text
    password = first(db, "SELECT password FROM customer WHERE login = ?", member)["password"]
    reply = client.post("/login", data={"login": member, "password": password, "next": "https://elsewhere.test/"})
    assert reply.url.path == "/"
    assert f"logged in as {member}" in reply.text


def test_reset_takes_less_than_twenty_milliseconds(sessions):
    seconds = []
    for _ in range(5):
        start = time.process_time()
        sessions.reset("timed")
        seconds.append(time.process_time() - start)
    assert min(seconds) < 0.02


def test_data_are_the_same_in_every_process():
    code = (
        "import hashlib; from agentgym_web.sites.core.site import snapshot;"
        "from agentgym_web.sites.shop.app import SITE;"
        "print(hashlib.sha256(snapshot(SITE)).hexdigest())"
    )
    made = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout for _ in "ab"
    }
    assert len(made) == 1
    assert len(snapshot(SITE)) < 8e6
