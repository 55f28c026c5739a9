"""Pages about products: the home page, lists with filters, a product with its reviews, offers and help."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, needs_login
from agentgym_web.sites.core.paging import Pager, page_number

PAGE_SIZE = 16
REVIEWS_ON_A_PAGE = 8
SORTS: Mapping[str, tuple[str, str]] = {
    "best": ("Best match", "{rank}, p.id"),
    "price": ("Price: low to high", "p.price, p.id"),
    "price-down": ("Price: high to low", "p.price DESC, p.id"),
    "rating": ("Rating", "s.rating DESC, s.num_reviews DESC, p.id"),
    "reviews": ("Most reviews", "s.num_reviews DESC, p.id"),
    "new": ("Newest", "p.added DESC, p.id"),
    "light": ("Weight: light to heavy", "p.weight, p.id"),
}
"""By the value of `sort`: what it is called, and its ORDER BY."""
_REVIEW_SORTS = {
    "new": ("Newest first", "written DESC, id DESC"),
    "low": ("Lowest stars first", "stars, id"),
    "high": ("Highest stars first", "stars DESC, id"),
}
_FROM = "FROM product p JOIN shelf s ON s.product_id = p.id JOIN kind k ON k.id = p.kind_id"
_COLUMNS = "p.id, p.title, p.price, p.was, p.brand, s.stock, s.rating, s.num_reviews, k.name AS kind"


@dataclass
class _Conditions:
    """The WHERE of a list, with its parameters."""

    parts: list[str] = field(default_factory=lambda: ["1"])
    values: list[Any] = field(default_factory=list)

    def add(self, part: str, *values: Any) -> None:
        self.parts.append(part)
        self.values.extend(values)

    @property
    def sql(self) -> str:
        return " AND ".join(self.parts)


def home(visit: Visit) -> Response:
    """The departments, what is reduced, and what is new."""
    reduced = visit.db.execute(
        f"SELECT {_COLUMNS} {_FROM} WHERE p.was IS NOT NULL AND s.stock > 0 ORDER BY s.rating DESC, p.id LIMIT 4"
    )
    new = visit.db.execute(f"SELECT {_COLUMNS} {_FROM} ORDER BY p.added DESC, p.id LIMIT 4")
    return visit.render("home.html", reduced=reduced.fetchall(), new=new.fetchall(), departments=departments(visit.db))


def departments(db: sqlite3.Connection) -> Mapping[str, Sequence[sqlite3.Row]]:
    """The kinds of products by department."""
    found: dict[str, list[sqlite3.Row]] = {}
    for kind in db.execute("SELECT * FROM kind ORDER BY id"):
        found.setdefault(kind["department"], []).append(kind)
    return found


def search(visit: Visit) -> Response:
    """Products that hold the words searched for."""
    return _list(visit, None)


def kind_page(visit: Visit) -> Response:
    """The products of a kind, with the filters that fit it."""
    kind = visit.db.execute("SELECT * FROM kind WHERE slug = ?", (visit.path["slug"],)).fetchone()
    return _list(visit, kind) if kind else visit.not_found()


def department_page(visit: Visit) -> Response:
    """The products of a department."""
    kinds = departments(visit.db).get(visit.path["name"])
    return _list(visit, None, visit.path["name"]) if kinds else visit.not_found()


def _list(visit: Visit, kind: sqlite3.Row | None, department: str | None = None) -> Response:
    chosen = visit.request.query_params
    query = chosen.get("q", "").strip()[:200]
    where = _Conditions()
    rank = "p.id"
    source = _FROM
    words = " ".join(f'"{word}"' for word in re.findall(r"[\w']+", query))
    if words:
        source += " JOIN product_text t ON t.rowid = p.id"
        where.add("product_text MATCH ?", words)
        rank = "bm25(product_text, 4, 3, 3, 1)"
    if kind:
        where.add("p.kind_id = ?", kind["id"])
    if department:
        where.add("k.department = ?", department)
    facets = _facets(visit.db, kind) if kind else {}
    _filter(where, chosen, facets)
    order = SORTS.get(chosen.get("sort", ""), SORTS["best"])[1].format(rank=rank)
    total = visit.db.execute(f"SELECT count(*) {source} WHERE {where.sql}", where.values).fetchone()[0]
    pager = Pager(total, page_number(chosen), PAGE_SIZE, dict(chosen))
    rows = visit.db.execute(
        f"SELECT {_COLUMNS} {source} WHERE {where.sql} ORDER BY {order} LIMIT ? OFFSET ?",
        [*where.values, pager.size, pager.offset],
    ).fetchall()
    heading = kind["name"] if kind else department or (f"Results for “{query}”" if query else "All products")
    return visit.render(
        "list.html",
        heading=heading,
        kind=kind,
        department=department or (kind["department"] if kind else None),
        kinds=departments(visit.db).get(department or "", ()),
        products=[(row, _facts(visit.db, row["id"])) for row in rows],
        pager=Pager(total, pager.number, PAGE_SIZE, {}),
        link=lambda number: _link(chosen.multi_items(), number),
        facets=facets,
        brands=_brands(visit.db, kind, department),
        features=_features(visit.db, kind),
        chosen=chosen,
        sorts={value: label for value, (label, _) in SORTS.items()},
        query=query,
    )


def _link(items: Sequence[tuple[str, str]], number: int) -> str:
    return "?" + urlencode([item for item in items if item[0] != "page" and item[1]] + [("page", str(number))])


def _filter(where: _Conditions, chosen: Any, facets: Mapping[str, Sequence[str]]) -> None:
    if brand := chosen.get("brand"):
        where.add("p.brand = ?", brand)
    for name, sign in (("min", ">="), ("max", "<=")):
        amount = read_dollars(chosen.get(name, ""))
        if amount is not None:
            where.add(f"p.price {sign} ?", amount)
    if re.fullmatch(r"[1-5](\.\d)?", chosen.get("rating", "")):
        where.add("s.rating >= ?", float(chosen["rating"]))
    if chosen.get("stock"):
        where.add("s.stock > 0")
    if chosen.get("reduced"):
        where.add("p.was IS NOT NULL")
    for name in facets:
        if value := chosen.get(f"fact-{name}"):
            where.add(
                "EXISTS (SELECT 1 FROM fact f WHERE f.product_id = p.id AND f.name = ? AND f.value = ?)", name, value
            )
    for feature in chosen.getlist("feature"):
        where.add("EXISTS (SELECT 1 FROM feature f WHERE f.product_id = p.id AND f.name = ?)", feature)


def read_dollars(text: str) -> int | None:
    """An amount in dollars that was typed, in cents; None if it is none."""
    plain = text.strip().lstrip("$").replace(",", "")
    return round(float(plain) * 100) if re.fullmatch(r"\d{1,7}(\.\d{1,2})?", plain) else None


def _facets(db: sqlite3.Connection, kind: sqlite3.Row) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    sql = "SELECT DISTINCT f.name, f.value FROM fact f JOIN product p ON p.id = f.product_id WHERE p.kind_id = ?"
    for name, value in db.execute(sql, (kind["id"],)):
        found.setdefault(name, []).append(value)
    return {name: sorted(values, key=_natural) for name, values in found.items()}


def _natural(text: str) -> tuple[float, str]:
    number = re.match(r"-?[\d,.]+", text)
    return (float(number.group().replace(",", "")) if number else 0.0, text)


def _brands(db: sqlite3.Connection, kind: sqlite3.Row | None, department: str | None) -> list[str]:
    sql = (
        "SELECT DISTINCT brand FROM product p JOIN kind k ON k.id = p.kind_id"
        " WHERE (? IS NULL OR k.id = ?) AND (? IS NULL OR department = ?) ORDER BY 1"
    )
    number = kind["id"] if kind else None
    return [row[0] for row in db.execute(sql, (number, number, department, department))]


def _features(db: sqlite3.Connection, kind: sqlite3.Row | None) -> list[str]:
    sql = "SELECT DISTINCT f.name FROM feature f JOIN product p ON p.id = f.product_id WHERE p.kind_id = ? ORDER BY 1"
    return [row[0] for row in db.execute(sql, (kind["id"],))] if kind else []


def _facts(db: sqlite3.Connection, product: int) -> str:
    sql = "SELECT value FROM fact WHERE product_id = ? ORDER BY name"
    return " · ".join(row[0] for row in db.execute(sql, (product,)))


def product_page(visit: Visit) -> Response:
    """One product, with its reviews."""
    return show_product(visit, visit.path["id"])


def show_product(visit: Visit, number: int, problem: str = "", status: int = 200) -> Response:
    """The page of a product.

    Args:
        visit: The visit.
        number: The product's id.
        problem: What was wrong with the choice of options; "" if nothing was.
        status: HTTP status.
    """
    db = visit.db
    sql = f"SELECT p.*, s.stock, s.rating, s.num_reviews, k.name AS kind, k.slug, k.department {_FROM} WHERE p.id = ?"
    product = db.execute(sql, (number,)).fetchone()
    if product is None:
        return visit.not_found("There is no such product.")
    choices: dict[str, list[sqlite3.Row]] = {}
    for choice in db.execute("SELECT * FROM choice WHERE product_id = ? ORDER BY id", (number,)):
        choices.setdefault(choice["name"], []).append(choice)
    saved = db.execute("SELECT 1 FROM saved_item WHERE login = ? AND product_id = ?", (visit.user, number)).fetchone()
    return visit.render(
        "product.html",
        status=status,
        product=product,
        choices=choices,
        facts=db.execute("SELECT name, value FROM fact WHERE product_id = ? ORDER BY name", (number,)).fetchall(),
        features=[row[0] for row in db.execute("SELECT name FROM feature WHERE product_id = ?", (number,))],
        is_saved=saved is not None,
        problem=problem,
        **_reviews(visit, number),
    )


def _reviews(visit: Visit, product: int) -> dict[str, Any]:
    stars = visit.query.get("stars", "")
    sort = visit.query.get("order", "new")
    where, values = "product_id = ?", [product]
    if stars in ("1", "2", "3", "4", "5"):
        where, values = where + " AND stars = ?", [product, int(stars)]
    total = visit.db.execute(f"SELECT count(*) FROM review WHERE {where}", values).fetchone()[0]  # noqa: S608
    pager = Pager(total, page_number(visit.query), REVIEWS_ON_A_PAGE, dict(visit.query))
    order = _REVIEW_SORTS.get(sort, _REVIEW_SORTS["new"])[1]
    sql = f"SELECT * FROM review WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"  # noqa: S608
    counts = dict(
        visit.db.execute("SELECT stars, count(*) FROM review WHERE product_id = ? GROUP BY 1", (product,)).fetchall()
    )
    return {
        "reviews": visit.db.execute(sql, (*values, pager.size, pager.offset)).fetchall(),
        "pager": pager,
        "counts": counts,
        "review_sorts": {name: label for name, (label, _) in _REVIEW_SORTS.items()},
        "stars": stars,
        "review_sort": sort,
    }


@needs_login
def save(visit: Visit) -> Response:
    """Put a product on the list of saved items, or take it off."""
    number = visit.path["id"]
    if not visit.db.execute("SELECT 1 FROM product WHERE id = ?", (number,)).fetchone():
        return visit.not_found("There is no such product.")
    if visit.text("remove"):
        visit.db.execute("DELETE FROM saved_item WHERE login = ? AND product_id = ?", (visit.user, number))
        visit.flash("Removed from your saved items.")
    else:
        visit.db.execute("INSERT OR IGNORE INTO saved_item VALUES (?, ?)", (visit.user, number))
        visit.flash("Saved.")
    return visit.redirect("/saved" if visit.text("from") == "saved" else f"/product/{number}")


def offers(visit: Visit) -> Response:
    """The coupons, with their conditions."""
    coupons = visit.db.execute("SELECT * FROM coupon ORDER BY code").fetchall()
    return visit.render("offers.html", coupons=coupons, today=visit.stamp[:10])


def help_page(visit: Visit) -> Response:
    """Shipping, returns and payment."""
    return visit.render("help.html", methods=visit.db.execute("SELECT * FROM shipping ORDER BY price").fetchall())
