"""Tasks with music alone, payments alone, or the shop alone."""

from __future__ import annotations

import sqlite3

from agentgym_tools.apps.base import words
from agentgym_tools.apps.calendar_days import TODAY, date_of
from agentgym_tools.apps.drafts import Draft, Draw, all_pages, do, seen, template
from agentgym_tools.worlds.calls import Call

_LIBRARY = "SELECT songs.*, is_liked, plays, rating FROM library JOIN songs ON songs.id = song_id WHERE owner = ?"
REVIEWS = ("Works well.", "Not worth the money.", "I use it every day.", "It broke within a month.")


def library_pages(draw: Draw) -> list[Call]:
    """The calls that list the whole library."""
    return all_pages("music.list_library", draw.count("SELECT count(*) FROM library WHERE owner = ?", draw.user))


def own_playlist(draw: Draw) -> tuple[sqlite3.Row, list[sqlite3.Row]]:
    """A playlist of the person's with its songs."""
    row = draw.one("SELECT * FROM playlists WHERE owner = ? ORDER BY id", draw.user)
    songs = draw.rows(
        "SELECT songs.* FROM playlist_songs JOIN songs ON songs.id = song_id WHERE playlist_id = ?", row["id"]
    )
    return row, songs


def reading_playlist(number: int, num_songs: int) -> list[Call]:
    """The calls that find a playlist and list its songs."""
    return [do("music.list_playlists"), *all_pages("music.list_playlist_songs", num_songs, playlist_id=number)]


@template("music")
def most_played_of_artist(draw: Draw) -> Draft:
    rows = draw.rows(f"{_LIBRARY} ORDER BY plays DESC", draw.user)
    artist = draw.pick(sorted({row["artist"] for row in rows}))
    own = [row for row in rows if row["artist"] == artist]
    draw.need(len(own) > 1 and own[0]["plays"] != own[1]["plays"])
    text = f"Which song by {artist} in my library have I played most often? Answer with its title."
    return Draft(text, library_pages(draw), answers=(own[0]["title"],), evidence=(seen("library", own),))


@template("music")
def length_of_playlist(draw: Draw) -> Draft:
    row, songs = own_playlist(draw)
    text = f"How many seconds does my playlist {row['title']!r} last in all?"
    evidence = frozenset(("playlist songs", f"{row['id']} {song['id']}") for song in songs)
    answer = sum(song["seconds"] for song in songs)
    return Draft(text, reading_playlist(row["id"], len(songs)), answers=(answer,), evidence=(evidence,))


@template("music")
def playlist_of_liked(draw: Draw) -> Draft:
    rows = draw.rows(f"{_LIBRARY} AND is_liked", draw.user)
    draw.need(2 <= len(rows) <= 8)
    title, number = (
        draw.pick(("Best of mine", "Favourites", "For Sunday")),
        draw.count("SELECT max(id) + 1 FROM playlists"),
    )
    writes = [do("music.create_playlist", title=title)]
    writes += [do("music.add_to_playlist", playlist_id=number, song_id=row["id"]) for row in rows]
    return Draft(
        f"Make a playlist {title!r} of all songs that I like.", all_pages("music.list_liked", len(rows)), [writes]
    )


@template("music")
def rate_artist(draw: Draw) -> Draft:
    stars = draw.rng.randint(1, 5)
    rows = draw.rows(f"{_LIBRARY} AND (rating IS NULL OR rating != ?)", draw.user, stars)
    artist = draw.pick(sorted({row["artist"] for row in rows}))
    own = [row for row in rows if row["artist"] == artist]
    draw.need(len(own) <= 6)
    writes = [do("music.rate_song", song_id=row["id"], stars=stars) for row in own]
    return Draft(f"Rate all songs by {artist} in my library with {stars} stars.", library_pages(draw), [writes])


@template("music")
def drop_unplayed(draw: Draw) -> Draft:
    most = draw.rng.choice((10, 20, 30))
    rows = draw.rows(f"{_LIBRARY} AND plays < ?", draw.user, most)
    draw.need(1 <= len(rows) <= 6)
    writes = [do("music.remove_from_library", song_id=row["id"]) for row in rows]
    return Draft(
        f"Take all songs out of my library that I have played fewer than {most} times.", library_pages(draw), [writes]
    )


@template("music")
def shorten_playlist(draw: Draw) -> Draft:
    row, songs = own_playlist(draw)
    seconds = draw.rng.choice((180, 240, 300))
    long = [song for song in songs if song["seconds"] > seconds]
    draw.need(0 < len(long) < len(songs))
    writes = [do("music.remove_from_playlist", playlist_id=row["id"], song_id=song["id"]) for song in long]
    text = f"Take all songs that last longer than {seconds} seconds out of my playlist {row['title']!r}."
    return Draft(text, reading_playlist(row["id"], len(songs)), [writes])


@template("music")
def unfollow_rare(draw: Draw) -> Draft:
    followed = [row["artist"] for row in draw.rows("SELECT artist FROM followed WHERE owner = ?", draw.user)]
    owned = [row["artist"] for row in draw.rows(_LIBRARY, draw.user)]
    least = draw.rng.choice((2, 3))
    rare = [artist for artist in followed if owned.count(artist) < least]
    draw.need(bool(rare))
    writes = [do("music.unfollow_artist", artist=artist) for artist in rare]
    text = f"Stop following the artists of whom my library has fewer than {least} songs."
    return Draft(text, [do("music.list_followed"), *library_pages(draw)], [writes])


@template("music")
def hide_playlists(draw: Draw) -> Draft:
    rows = draw.rows("SELECT * FROM playlists WHERE owner = ? ORDER BY id", draw.user)
    public = [row for row in rows if row["is_public"]]
    draw.need(bool(public))
    writes = [do("music.publish_playlist", playlist_id=row["id"], is_public=False) for row in public]
    return Draft("Make all my public playlists private.", [do("music.list_playlists")], [writes])


_TRANSFERS = (
    "SELECT transfers.*, giver.name AS giver, taker.name AS taker FROM transfers JOIN people AS giver ON giver.id = sender "
    "JOIN people AS taker ON taker.id = receiver"
)


@template("payments")
def received_from(draw: Draw) -> Draft:
    rows = draw.rows(f"{_TRANSFERS} WHERE receiver = ?", draw.user)
    name = draw.pick(sorted({row["giver"] for row in rows}))
    own = [row for row in rows if row["giver"] == name]
    text = f"How many cents has {name} sent me in all?"
    reads = all_pages("payments.list_transfers", len(rows), direction="received")
    return Draft(text, reads, answers=(sum(row["amount"] for row in own),), evidence=(seen("transfers", own),))


@template("payments")
def spent_on(draw: Draw) -> Draft:
    rows = draw.rows(f"{_TRANSFERS} WHERE sender = ?", draw.user)
    note = draw.pick(sorted({row["note"] for row in rows}))
    own = [row for row in rows if row["note"] == note]
    draw.need(len(own) > 1)
    text = f"How many cents have I sent in all with the note {note!r}?"
    reads = all_pages("payments.list_transfers", len(rows), direction="sent")
    return Draft(text, reads, answers=(sum(row["amount"] for row in own),), evidence=(seen("transfers", own),))


_REQUESTS = (
    "SELECT requests.*, name FROM requests JOIN people ON people.id = {side} WHERE {me} = ? AND state = 'pending' ORDER BY "
    "requests.id"
)


@template("payments")
def pay_small_requests(draw: Draw) -> Draft:
    rows, most = (
        draw.rows(_REQUESTS.format(side="requester", me="payer"), draw.user),
        draw.rng.choice((3000, 4500, 7000)),
    )
    small = [row for row in rows if row["amount"] <= most]
    balance = draw.count("SELECT balance FROM wallets WHERE owner = ?", draw.user)
    draw.need(bool(small) and sum(row["amount"] for row in small) <= balance)
    writes = [do("payments.pay_request", request_id=row["id"]) for row in small]
    text = f"Pay all open requests for money of at most {most} cents. Leave the others open."
    return Draft(text, all_pages("payments.list_requests", len(rows), state="pending"), [writes])


@template("payments")
def decline_requests(draw: Draw) -> Draft:
    rows = draw.rows(_REQUESTS.format(side="requester", me="payer"), draw.user)
    name = draw.pick(sorted({row["name"] for row in rows}))
    writes = [do("payments.decline_request", request_id=row["id"]) for row in rows if row["name"] == name]
    reads = all_pages("payments.list_requests", len(rows), state="pending")
    return Draft(f"Decline what {name} has asked me to pay.", reads, [writes])


@template("payments")
def remind_debtors(draw: Draw) -> Draft:
    rows = draw.rows(_REQUESTS.format(side="payer", me="requester"), draw.user)
    draw.need(2 <= len(rows) <= 8)
    writes = [do("payments.remind", request_id=row["id"]) for row in rows]
    reads = all_pages("payments.list_own_requests", len(rows), state="pending")
    return Draft("Remind everybody who has not paid yet what I asked for.", reads, [writes])


@template("payments")
def hide_transfers(draw: Draw) -> Draft:
    rows = draw.rows(f"{_TRANSFERS} WHERE sender = ?", draw.user)
    note = draw.pick(sorted({row["note"] for row in rows if not row["is_private"]}))
    shown = [row for row in rows if row["note"] == note and not row["is_private"]]
    writes = [do("payments.set_private", transfer_id=row["id"], is_private=True) for row in shown]
    reads = all_pages("payments.list_transfers", len(rows), direction="sent")
    return Draft(f"Make all transfers private that I sent with the note {note!r}.", reads, [writes])


@template("payments")
def top_up_to(draw: Draw) -> Draft:
    balance = draw.count("SELECT balance FROM wallets WHERE owner = ?", draw.user)
    wanted = (balance // 1000 + draw.rng.randint(2, 12)) * 1000
    sql = "SELECT * FROM cards WHERE owner = ? AND room >= ? AND expires >= ?"
    card = draw.one(sql, draw.user, wanted - balance, date_of(TODAY)[:7])
    text = f"Bring my wallet to {wanted} cents with money from my {card['kind']} card."
    reads = [do("payments.get_balance"), do("payments.list_cards")]
    return Draft(text, reads, [[do("payments.top_up", card_id=card["id"], amount_cents=wanted - balance)]])


@template("shop")
def cheapest_of_category(draw: Draw) -> Draft:
    category = draw.pick(list(words.PRODUCTS))
    rows = draw.rows("SELECT * FROM products WHERE category = ? ORDER BY price", category)
    stocked = [row for row in rows if row["stock"]]
    draw.need(len(stocked) > 1 and stocked[0]["price"] != stocked[1]["price"])
    text = f"What is the cheapest product of the category {category!r} that is in stock? Answer with its name."
    reads = all_pages("shop.list_category", len(rows), category=category)
    return Draft(text, reads, answers=(stocked[0]["name"],), evidence=(seen("products", rows),))


@template("shop")
def spent_on_orders(draw: Draw) -> Draft:
    rows, state = draw.rows("SELECT * FROM orders WHERE owner = ?", draw.user), draw.pick(("delivered", "shipped"))
    own = [row for row in rows if row["state"] == state]
    draw.need(bool(own))
    text = f"How many cents did my orders that are now {state!r} cost in all?"
    reads = all_pages("shop.list_orders", len(rows))
    return Draft(text, reads, answers=(sum(row["total"] for row in own),), evidence=(seen("orders", own),))


@template("shop")
def cancel_processing(draw: Draw) -> Draft:
    rows = draw.rows("SELECT * FROM orders WHERE owner = ?", draw.user)
    own = [row for row in rows if row["state"] == "processing"]
    draw.need(bool(own))
    writes = [do("shop.cancel_order", order_id=row["id"]) for row in own]
    return Draft(
        "Cancel all my orders that are still being processed.", all_pages("shop.list_orders", len(rows)), [writes]
    )


@template("shop")
def return_product(draw: Draw) -> Draft:
    rows = draw.rows("SELECT * FROM orders WHERE owner = ? ORDER BY placed DESC, id", draw.user)
    row = draw.pick([row for row in rows if row["state"] == "delivered" and TODAY - row["delivered"] <= 30])
    name = draw.one(
        "SELECT name FROM order_items JOIN products ON products.id = product_id WHERE order_id = ?", row["id"]
    )["name"]
    sql = "SELECT orders.id FROM orders JOIN order_items ON order_id = orders.id JOIN products ON products.id = product_id WHERE owner = ? AND name = ?"
    draw.need(len(draw.rows(sql, draw.user, name)) == 1)
    reads = all_pages("shop.list_orders", len(rows)) + [do("shop.get_order", order_id=each["id"]) for each in rows]
    return Draft(f"Return the order with the {name}.", reads, [[do("shop.return_order", order_id=row["id"])]])


@template("shop")
def review_product(draw: Draw) -> Draft:
    sql = "SELECT * FROM products WHERE id NOT IN (SELECT product_id FROM reviews WHERE author = ?) ORDER BY id"
    row, stars, said = draw.one(sql, draw.user), draw.rng.randint(1, 5), draw.pick(REVIEWS)
    text = f"Review the {row['name']} in the shop with {stars} stars and the text {said!r}"
    reads = [do("shop.search_products", query=row["name"])]
    return Draft(text, reads, [[do("shop.write_review", product_id=row["id"], stars=stars, text=said)]])


@template("shop")
def wishes_to_cart(draw: Draw) -> Draft:
    sql = "SELECT products.* FROM wishlist JOIN products ON products.id = product_id WHERE owner = ? ORDER BY name"
    stocked = [row for row in draw.rows(sql, draw.user) if row["stock"]]
    inside = {row["product_id"] for row in draw.rows("SELECT product_id FROM cart WHERE owner = ?", draw.user)}
    draw.need(bool(stocked) and not inside & {row["id"] for row in stocked})
    writes = [do("shop.add_to_cart", product_id=row["id"]) for row in stocked]
    text = "Put one of each product of my wish list that is in stock into my cart. Leave the wish list as it is."
    return Draft(text, [do("shop.list_wishlist")], [writes])


@template("shop")
def double_cart(draw: Draw) -> Draft:
    rows = draw.rows(
        "SELECT cart.*, name FROM cart JOIN products ON products.id = product_id WHERE owner = ?", draw.user
    )
    row = draw.pick(rows)
    call = do("shop.set_quantity", product_id=row["product_id"], quantity=2 * row["quantity"])
    text = f"I need twice as many of the {row['name']} as are in my cart. Change that."
    return Draft(text, [do("shop.get_cart")], [[call]])


@template("shop")
def prune_wishes(draw: Draw) -> Draft:
    sql = "SELECT products.* FROM wishlist JOIN products ON products.id = product_id WHERE owner = ? ORDER BY name"
    rows, most = draw.rows(sql, draw.user), draw.rng.choice((3000, 4500, 6000))
    dear = [row for row in rows if row["price"] > most]
    draw.need(0 < len(dear) < len(rows))
    writes = [do("shop.remove_from_wishlist", product_id=row["id"]) for row in dear]
    return Draft(
        f"Take everything that costs more than {most} cents off my wish list.", [do("shop.list_wishlist")], [writes]
    )
