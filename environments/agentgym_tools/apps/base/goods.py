"""Music, money and the shop: songs and playlists, wallets and transfers, products and orders."""

from __future__ import annotations

import random
import sqlite3
from itertools import count

from agentgym_tools.apps.base import words
from agentgym_tools.apps.base.people import Person, Size
from agentgym_tools.apps.calendar_days import DAY, TODAY

NUM_SONGS = 90


def fill_songs(rng: random.Random, size: Size, db: sqlite3.Connection) -> None:
    """Add songs; no two have the same title."""
    titles = [f"{first} {second}" for first in words.SONG_FIRST for second in words.SONG_SECOND]
    albums: dict[tuple[str, int], tuple[str, int]] = {}
    for number, title in enumerate(rng.sample(titles, NUM_SONGS if size.each == 100 else 20), 1):
        artist = rng.choice(words.ARTISTS)
        disc = (artist, rng.randint(1, 2))
        album, year = albums.setdefault(
            disc, (f"{rng.choice(words.SONG_SECOND)} Songs {len(albums)}", rng.randint(1998, 2030))
        )
        genre = words.GENRES[words.ARTISTS.index(artist) % len(words.GENRES)]
        row = (number, title, artist, album, genre, rng.randint(110, 420), year)
        db.execute("INSERT INTO songs VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def fill_music(rng: random.Random, size: Size, people: list[Person], db: sqlite3.Connection) -> None:
    """Add each person's library, playlists and followed artists."""
    songs = [row[0] for row in db.execute("SELECT id FROM songs ORDER BY id")]
    playlists = count(1)
    for person in people:
        own = rng.sample(songs, min(len(songs) - 5, size.many(rng, 14, 20)))
        for song in own:
            rating = rng.choice((None, None, 2, 3, 4, 5))
            row = (person.id, song, int(rng.random() < 0.3), rng.randint(0, 200), rating)
            db.execute("INSERT INTO library VALUES (?, ?, ?, ?, ?)", row)
        for title in rng.sample(words.PLAYLISTS, 3):
            number = next(playlists)
            db.execute("INSERT INTO playlists VALUES (?, ?, ?, ?)", (number, person.id, title, int(rng.random() < 0.3)))
            for song in rng.sample(own, min(len(own), rng.randint(3, 7))):
                db.execute("INSERT INTO playlist_songs VALUES (?, ?)", (number, song))
        for artist in rng.sample(words.ARTISTS, 3):
            db.execute("INSERT INTO followed VALUES (?, ?)", (person.id, artist))


def fill_products(rng: random.Random, size: Size, db: sqlite3.Connection) -> None:
    """Add products; no two have the same name."""
    number = 1
    for category, names in words.PRODUCTS.items():
        for name in names[: 6 if size.each == 100 else 2]:
            for maker in words.MAKERS[: 4 if size.each == 100 else 2]:
                stock = rng.choice((0, 4, 20, 60, 60))
                row = (number, f"{maker} {name}", category, rng.randrange(500, 9000, 10), stock, rng.randint(20, 50))
                db.execute("INSERT INTO products VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, rng.choice(words.SELLERS)))
                number += 1


def fill_payments(rng: random.Random, size: Size, people: list[Person], db: sqlite3.Connection) -> None:
    """Add wallets, cards, transfers between people who know each other, and requests for money."""
    cards, transfers, requests = count(1), count(1), count(1)
    for person in people:
        db.execute("INSERT INTO wallets VALUES (?, ?)", (person.id, rng.randrange(12_000, 60_000, 50)))
        for place, kind in enumerate(rng.sample(("debit", "credit", "gift"), rng.choice((2, 3)))):
            expires = f"20{rng.choice((30, 32, 33, 34))}-{rng.randint(1, 12):02}"
            row = (
                next(cards),
                person.id,
                kind,
                f"{rng.randint(0, 9999):04}",
                expires,
                rng.randrange(20_000, 90_000, 100),
            )
            db.execute("INSERT INTO cards VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, int(place == 0)))
        for _ in range(size.many(rng, 5, 9)):
            pair = [person.id, rng.choice(person.known)]
            rng.shuffle(pair)
            made = (TODAY - rng.randint(1, 60)) * DAY + rng.randrange(DAY)
            note = rng.choice(words.OCCASIONS)
            row_of_transfer = (
                next(transfers),
                *pair,
                rng.randrange(200, 9000, 50),
                note,
                made,
                int(rng.random() < 0.2),
            )
            db.execute("INSERT INTO transfers VALUES (?, ?, ?, ?, ?, ?, ?)", row_of_transfer)
        for other in rng.sample(person.known, 3):
            made = (TODAY - rng.randint(1, 30)) * DAY + rng.randrange(DAY)
            state = rng.choice(("pending", "pending", "paid", "declined"))
            amount = rng.choice((rng.randrange(300, 6000, 50), rng.randrange(300, 6000, 50), 75_000))
            row_of_request = (next(requests), other, person.id, amount, rng.choice(words.OCCASIONS), made, state, 0)
            db.execute("INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row_of_request)


def fill_shop(rng: random.Random, size: Size, people: list[Person], db: sqlite3.Connection) -> None:
    """Add carts, wish lists, orders and reviews."""
    products = db.execute("SELECT id, price FROM products ORDER BY id").fetchall()
    orders, reviews = count(1), count(1)
    for person in people:
        card, (street, city) = (
            db.execute("SELECT id FROM cards WHERE owner = ? AND is_default", (person.id,)).fetchone()[0],
            db.execute("SELECT street, city FROM people WHERE id = ?", (person.id,)).fetchone(),
        )
        drawn = rng.sample(products, 8)
        for product, _ in drawn[:2]:
            db.execute("INSERT INTO cart VALUES (?, ?, ?)", (person.id, product, rng.randint(1, 3)))
        for product, _ in drawn[2:5]:
            db.execute("INSERT INTO wishlist VALUES (?, ?)", (person.id, product))
        for _ in range(size.many(rng, 4, 6)):
            number, days_ago = next(orders), rng.randint(1, 60)
            state = "processing" if days_ago < 4 else rng.choice(("shipped", "delivered", "delivered", "cancelled"))
            delivered = TODAY - days_ago + rng.randint(1, min(days_ago, 5)) if state == "delivered" else None
            lines = [(each, rng.randint(1, 2), price) for each, price in rng.sample(products, rng.choice((1, 1, 2)))]
            total = sum(quantity * price for _, quantity, price in lines)
            row = (number, person.id, TODAY - days_ago, state, delivered, total, card, street, city)
            db.execute("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            for line in lines:
                db.execute("INSERT INTO order_items VALUES (?, ?, ?, ?)", (number, *line))
        for product, _ in rng.sample(products, 2):
            text = rng.choice(("Works well.", "Too small for me.", "Broke after a week.", "I would buy it again."))
            db.execute(
                "INSERT INTO reviews VALUES (?, ?, ?, ?, ?)",
                (next(reviews), product, person.id, rng.randint(1, 5), text),
            )
