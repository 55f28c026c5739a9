"""Calls of helper functions in published tasks, such as func:get_query_text(__page__, '.price').

They are read as text and never run as Python. What looks at a page becomes JavaScript for that page alone; what asks a
site's API is refused.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

_PREFIX = "func:"
_MAX_CHARACTERS = 2_000
_LAST, _PAGE = "__last_url__", "__page__"
_AUTHOR = "node => node.querySelector('.fg-inherit').innerText.trim()"
_COMMENTS = (
    f"const author = {_AUTHOR}; const time = node => Date.parse(node.querySelector('.comment__main > header time')"
    ".dateTime); const mine = [...document.querySelectorAll('#main .comment')].filter(node => author(node) === %s);"
    "const last = mine.reduce((best, node) => !best || time(node) > time(best) ? node : best, null);"
)
_ORDERED = (
    "const cell = (body, name) => body.querySelector(`td.${name}`); const rows = [...document.querySelectorAll("
    "'#my-orders-table tbody')];"
    "const of = skus => rows.find(body => skus.includes(cell(body, 'sku').innerText.trim()));"
)
_ON_PAGES: Mapping[str, tuple[int, str]] = {
    "get_query_text": (1, "return document.querySelector(%s).textContent"),
    "get_query_text_lowercase": (1, "return document.querySelector(%s).textContent.toLowerCase()"),
    "gitlab_get_project_memeber_role": (
        1,
        "const name = [...document.querySelectorAll(\"td[data-label='Account'] span.gl-avatar-labeled-sublabel\")]"
        ".find(node => node.innerText.trim() === '@' + %s);"
        "return name.closest('tr').querySelector('td.col-max-role span').innerText",
    ),
    "reddit_get_latest_comment_content_by_username": (
        1,
        f"{_COMMENTS} return last.querySelector('.comment__content').innerText",
    ),
    "reddit_get_parent_comment_username_of_latest_comment_by_username": (
        1,
        f"{_COMMENTS} return author(last.parentElement.closest('.comment') ?? document.querySelector('#main'))",
    ),
    "shopping_get_order_product_name_list": (
        0,
        f"{_ORDERED} return rows.map(body => cell(body, 'name').innerText).join(' |OR| ')",
    ),
    "shopping_get_order_product_quantity": (
        1,
        f"{_ORDERED} const body = of(%s.split(' |OR| '));"
        "return body ? Number(cell(body, 'qty').innerText.match(/\\d+/)[0]) : 0",
    ),
    "shopping_get_order_product_option": (
        2,
        f"{_ORDERED} const body = of([%s]); const option = %s;"
        "return [...body.querySelectorAll('td.name dt')].find(node => node.innerText.trim() === option)"
        ".nextElementSibling.innerText",
    ),
    "shopping_get_product_attributes": (
        1,
        "const terms = %s.toLowerCase().split(' |or| ');"
        "return [...document.querySelectorAll('#productDetails_detailBullets_sections1 > tbody > tr')]"
        ".filter(row => terms.some(term => row.children[0].innerText.toLowerCase().includes(term)))"
        ".map(row => row.children[1].innerText).join(', ')",
    ),
    "shopping_get_product_price": (
        0,
        "const said = document.querySelector('.product-info-price .price-final_price > span > span').innerText;"
        "return Number(said.replace(/[^\\d.]/g, ''))",
    ),
    "shopping_get_num_reviews": (
        0,
        "return Number(document.querySelector('#tab-label-reviews-title').innerText.match(/\\d+/)?.[0] ?? 0)",
    ),
    "shopping_get_rating_as_percentage": (0, "return parseFloat(document.querySelector('.rating-result').title) || 0"),
}
"""Functions that look at a page: how many texts they take after it, and a body in JavaScript; an error counts as ""."""
_ADDRESSES = ("reddit_get_post_url",)
_API = (
    "shopping_get_auth_token",
    "shopping_get_latest_order_url",
    "shopping_get_sku_latest_review_author",
    "shopping_get_sku_latest_review_rating",
    "shopping_get_sku_latest_review_text",
    "shopping_get_sku_latest_review_title",
    "shopping_get_sku_product_page_url",
)


class Call(NamedTuple):
    """A function of published tasks and the texts that it is given, without the page."""

    name: str
    arguments: tuple[str, ...]


def why_not_called(text: str, *, is_address: bool) -> str:
    """Why a field of a task cannot be played; "" if it can, or names no code.

    Args:
        text: The field.
        is_address: Whether it says which page is looked at; else what is looked for on a page.
    """
    if text.startswith("lambda:"):
        return "is code, which is never run here"
    if not text.startswith(_PREFIX):
        return ""
    call = _read(text)
    if call is None:
        return "is code, which is never run here; a call of one function by name, with texts, would be read"
    if call.name in _API:
        return "asks the shop's REST API with an administrator's token, which is not done here"
    if call.name == "reddit_get_latest_comment_obj_by_username":
        return "gives an object, which cannot be compared"
    if is_address:
        is_known = call.name in _ADDRESSES and len(call.arguments) == 1
    else:
        is_known = call.name in _ON_PAGES and len(call.arguments) == _ON_PAGES[call.name][0]
    known = _ADDRESSES if is_address else (*_ON_PAGES,)
    return "" if is_known else f"is no call that is known here; known are {', '.join(known)}"


def address_of(url: str, last: str) -> str:
    """The page that a target's address names.

    Args:
        url: The address, or a call that `why_not_called` lets pass.
        last: The address of the agent's page.
    """
    call = _read(url)
    if call is None:
        return url
    given = call.arguments[0].replace(_LAST, last)
    parts = urlsplit(given)
    found = re.match(r"/f/([^/]*)/([^/]*)", parts.path)  # /f/FORUM/POST, in front of a title or a comment
    return f"{parts.scheme}://{parts.netloc}/f/{found[1]}/{found[2]}/" if found else given


def expression_of(locator: str) -> str:
    """JavaScript for what a target looks for: its locator, or that of a call that `why_not_called` lets pass."""
    call = _read(locator)
    if call is None:
        return locator
    body = _ON_PAGES[call.name][1] % tuple(map(json.dumps, call.arguments))
    return f"(() => {{ try {{ {body} }} catch {{ return '' }} }})()"


def selector_of(locator: str) -> str:
    """The CSS selector that a call is given; "" for any other locator."""
    call = _read(locator)
    return call.arguments[0] if call is not None and call.name.startswith("get_query_text") else ""


def _read(text: str) -> Call | None:
    """A call of a function by its name with texts alone; None for anything else."""
    if not text.startswith(_PREFIX) or len(text) > _MAX_CHARACTERS:
        return None
    try:
        called = ast.parse(text.removeprefix(_PREFIX).strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(called, ast.Call) or not isinstance(called.func, ast.Name) or called.keywords:
        return None
    given = called.args
    if given and isinstance(given[0], ast.Name) and given[0].id == _PAGE:
        given = given[1:]
    texts = [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return Call(called.func.id, tuple(texts)) if len(texts) == len(given) else None
