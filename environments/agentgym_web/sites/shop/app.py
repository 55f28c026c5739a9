"""The shop: its routes. Handlers are in `products`, `cart`, `orders` and `account`."""

from __future__ import annotations

from pathlib import Path

from agentgym_web.sites.core.logging_in import login_routes
from agentgym_web.sites.core.page import route
from agentgym_web.sites.core.site import Site
from agentgym_web.sites.shop import account, cart, data, orders, products

_POST = ("POST",)

ROUTES = (
    route("/", products.home),
    route("/search", products.search),
    route("/kind/{slug}", products.kind_page),
    route("/department/{name}", products.department_page),
    route("/product/{id:int}", products.product_page),
    route("/product/{id:int}/cart", cart.add_to_cart, _POST),
    route("/product/{id:int}/save", products.save, _POST),
    route("/product/{id:int}/review", account.write_review, _POST),
    route("/offers", products.offers),
    route("/help", products.help_page),
    route("/cart", cart.cart_page),
    route("/cart/coupon", cart.set_coupon, _POST),
    route("/cart/{id:int}", cart.change_item, _POST),
    route("/checkout", cart.checkout_page),
    route("/checkout", cart.place_order, _POST),
    route("/orders", orders.order_list),
    route("/orders/{number}", orders.order_page),
    route("/orders/{number}/cancel", orders.cancel, _POST),
    route("/orders/{number}/address", orders.readdress, _POST),
    route("/orders/{number}/again", orders.order_again, _POST),
    route("/orders/{number}/return/{item:int}", orders.return_page),
    route("/orders/{number}/return/{item:int}", orders.ask_return, _POST),
    *login_routes("customer"),
    route("/account", account.profile_page),
    route("/account", account.save_profile, _POST),
    route("/account/addresses", account.addresses),
    route("/account/addresses/new", account.address_page),
    route("/account/addresses/new", account.save_address, _POST),
    route("/account/addresses/{id:int}", account.address_page),
    route("/account/addresses/{id:int}", account.save_address, _POST),
    route("/account/addresses/{id:int}/change", account.change_address, _POST),
    route("/account/cards", account.cards),
    route("/account/cards/{id:int}/change", account.change_card, _POST),
    route("/saved", account.saved),
    route("/reviews", account.own_reviews),
    route("/reviews/{id:int}", account.review_page),
    route("/reviews/{id:int}", account.change_review, _POST),
    route("/contact", account.contact_page),
    route("/contact", account.send_message, _POST),
)

SITE = Site(
    name="shop",
    title="Larkfield",
    folder=Path(__file__).parent,
    fill=data.fill,
    users="SELECT login FROM customer",
    routes=ROUTES,
    unwatched=frozenset({"shelf"}),
)
