"""Requests about music, payments, the shop, notes, files and contacts alone, in their words."""

# ruff: noqa: E501 - requests as they are worded

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentgym_tools.apps.calendar_days import TODAY, date_of
from benchmarks.verdicts.requests.app_requests import Asked, wants
from benchmarks.verdicts.requests.effects import Effect, Named

Alternatives = Iterator[Sequence[Effect]]


@wants("Make a playlist {title} of all songs that I like.")
def playlist_of_liked(asked: Asked) -> Alternatives:
    songs = asked.own("library", "is_liked")
    added = [asked.new("playlist_songs", playlist_id=Named("list"), song_id=song["song_id"]) for song in songs]
    yield [asked.new("playlists", "list", title=asked["title"]), *added]


@wants("Rate all songs by {artist} in my library with {stars} stars.")
def rate_artist(asked: Asked) -> Alternatives:
    by = "song_id IN (SELECT id FROM songs WHERE artist = :artist)"
    yield [asked.every("library", by, rating=int(asked["stars"]))]


@wants("Take all songs out of my library that I have played fewer than {number} times.")
def drop_unplayed(asked: Asked) -> Alternatives:
    yield [asked.gone("library", asked.own("library", f"plays < {int(asked['number'])}"))]


@wants("Take all songs that last longer than {seconds} seconds out of my playlist {title}.")
def shorten_playlist(asked: Asked) -> Alternatives:
    for playlist in asked.own("playlists", "title = :title"):
        where = f"playlist_id = :list AND song_id IN (SELECT id FROM songs WHERE seconds > {int(asked['seconds'])})"
        yield [asked.gone("playlist_songs", asked.own("playlist_songs", where, list=playlist["id"]))]


@wants("Stop following the artists of whom my library has fewer than {number} songs.")
def unfollow_rare(asked: Asked) -> Alternatives:
    owned = "SELECT count(*) FROM library JOIN songs ON songs.id = song_id WHERE owner = :me AND songs.artist = followed.artist"
    yield [asked.gone("followed", asked.own("followed", f"({owned}) < {int(asked['number'])}"))]


@wants("Make all my public playlists private.")
def hide_playlists(asked: Asked) -> Alternatives:
    yield [asked.every("playlists", "1", is_public=0)]


@wants("Pay all open requests for money of at most {cents} cents. Leave the others open.")
def pay_small_requests(asked: Asked) -> Alternatives:
    rows = asked.own("requests", f"payer = :me AND state = 'pending' AND amount <= {int(asked['cents'])}")
    paid = [asked.new("transfers", receiver=row["requester"], amount=row["amount"], note=row["note"]) for row in rows]
    yield [asked.put("requests", rows, state="paid"), *paid]


@wants("Decline what {name} has asked me to pay.")
def decline_requests(asked: Asked) -> Alternatives:
    by = "payer = :me AND state = 'pending' AND requester IN (SELECT id FROM people WHERE name = :name)"
    yield [asked.every("requests", by, state="declined")]


@wants("Remind everybody who has not paid yet what I asked for.")
def remind_debtors(asked: Asked) -> Alternatives:
    rows = asked.own("requests", "requester = :me AND state = 'pending'")
    yield [asked.put("requests", [row], reminders=row["reminders"] + 1) for row in rows]


@wants("Make all transfers private that I sent with the note {note}.")
def hide_transfers(asked: Asked) -> Alternatives:
    yield [asked.every("transfers", "sender = :me AND note = :note", is_private=1)]


@wants("Bring my wallet to {cents} cents with money from my {kind} card.")
def top_up_to(asked: Asked) -> Alternatives:
    wallet, wanted = asked.own("wallets"), int(asked["cents"])
    more = wanted - wallet[0]["balance"]
    for card in asked.own("cards", "kind = :kind"):
        yield [asked.put("wallets", wallet, balance=wanted), asked.put("cards", [card], room=card["room"] - more)]


@wants("Cancel all my orders that are still being processed.")
def cancel_processing(asked: Asked) -> Alternatives:
    yield asked.given_back(asked.own("orders", "state = 'processing'"), "cancelled")


@wants("Return the order with the {name}.")
def return_product(asked: Asked) -> Alternatives:
    has = "id IN (SELECT order_id FROM order_items JOIN products ON products.id = product_id WHERE name = :name)"
    for order in asked.own("orders", has):
        yield asked.given_back([order], "returned")


@wants("Review the {name} in the shop with {stars} stars and the text {text}")
def review_product(asked: Asked) -> Alternatives:
    for product in asked.rows("SELECT * FROM products WHERE name = :name"):
        yield [asked.new("reviews", product_id=product["id"], stars=int(asked["stars"]), text=asked["text"])]


@wants("Put one of each product of my wish list that is in stock into my cart. Leave the wish list as it is.")
def wishes_to_cart(asked: Asked) -> Alternatives:
    rows = asked.rows("SELECT id FROM products JOIN wishlist ON product_id = id WHERE owner = :me AND stock > 0")
    yield [asked.new("cart", product_id=row["id"]) for row in rows]


@wants("I need twice as many of the {name} as are in my cart. Change that.")
def double_cart(asked: Asked) -> Alternatives:
    rows = asked.own("cart", "product_id IN (SELECT id FROM products WHERE name = :name)")
    yield [asked.put("cart", [row], quantity=2 * row["quantity"]) for row in rows]


@wants("Take everything that costs more than {cents} cents off my wish list.")
def prune_wishes(asked: Asked) -> Alternatives:
    dear = f"product_id IN (SELECT id FROM products WHERE price > {int(asked['cents'])})"
    yield [asked.gone("wishlist", asked.own("wishlist", dear))]


@wants("Add the line {line} to the end of my note {title}.")
def append_to_list(asked: Asked) -> Alternatives:
    for note in asked.own("notes", "title = :title"):
        yield [asked.put("notes", [note], text=f"{note['text']}\n{asked['line']}")]


@wants("Archive all notes whose title begins with 'Thought'.")
def archive_thoughts(asked: Asked) -> Alternatives:
    yield [asked.every("notes", "title LIKE 'Thought%'", is_archived=1)]


@wants("Unpin all my notes.")
def unpin_notes(asked: Asked) -> Alternatives:
    yield [asked.every("notes", "1", is_pinned=0)]


@wants("Move all notes of the notebook {source} to {target}, archived ones too.")
def empty_notebook(asked: Asked) -> Alternatives:
    yield [asked.every("notes", "notebook = :source", notebook=asked["target"])]


@wants("Delete all archived notes.")
def delete_archived(asked: Asked) -> Alternatives:
    yield [asked.gone("notes", asked.own("notes", "is_archived"))]


@wants("Lock all files of the folder {folder}.")
def lock_folder(asked: Asked) -> Alternatives:
    yield [asked.every("files", "folder = :folder", is_locked=1)]


@wants("Make a folder {new}, and move all files of {folder} into it.")
def move_to_new_folder(asked: Asked) -> Alternatives:
    made = asked.new("folders", path=asked["new"])
    yield [made, asked.every("files", "folder = :folder", folder=asked["new"])]


@wants("Stop sharing my file {name} of the folder {folder} with anybody.")
def stop_sharing(asked: Asked) -> Alternatives:
    for file in asked.own("files", "name = :name AND folder = :folder"):
        yield [asked.gone("shares", asked.own("shares", "file_id = :file", file=file["id"]))]


@wants("In my file {file}, put the name {name} in place of 'to be named'. Leave the rest as it is.")
def note_owner(asked: Asked) -> Alternatives:
    for file in asked.own("files", "name = :file"):
        yield [asked.put("files", [file], text=file["text"].replace("to be named", asked["name"]))]


@wants("{person} shares the file {file} with me. Keep a copy of it as 'copy.txt' in my folder /home.")
def keep_shared_copy(asked: Asked) -> Alternatives:
    sql = (
        "SELECT files.* FROM files JOIN shares ON file_id = files.id JOIN people ON people.id = files.owner WHERE "
        "person_id = :me AND people.name = :person AND files.name = :file"
    )
    for file in asked.rows(sql):
        yield [asked.new("files", folder="/home", name="copy.txt", text=file["text"])]


@wants("Make all {what} among my contacts favourites.")
def favour_relation(asked: Asked) -> Alternatives:
    yield [asked.every("contacts", "relation || 's' = :what", is_favourite=1)]


@wants("Make a group {title} of my contacts who live in {city}.")
def group_of_city(asked: Asked) -> Alternatives:
    rows = asked.contacts("city = :city")
    added = [asked.new("group_members", group_id=Named("group"), contact_id=row["id"]) for row in rows]
    yield [asked.new("contact_groups", "group", title=asked["title"]), *added]


@wants("{name} has a new phone number, {phone}. Change it in my contacts.")
def new_phone(asked: Asked) -> Alternatives:
    for row in asked.contacts("name = :name"):
        yield [asked.put("contacts", [row], phone=asked["phone"])]


@wants("Delete the services, such as plumbers and taxis, from my contacts.")
def delete_services(asked: Asked) -> Alternatives:
    yield [asked.gone("contacts", asked.contacts("relation = 'service'"))]


@wants("{name} no longer belongs to the group {title} of my contacts. Take the contact out.")
def leave_group(asked: Asked) -> Alternatives:
    where = (
        "group_id IN (SELECT id FROM contact_groups WHERE owner = :me AND title = :title) AND "
        "contact_id IN (SELECT id FROM contacts WHERE owner = :me AND name = :name)"
    )
    yield [asked.gone("group_members", asked.own("group_members", where))]


@wants("Order what is in my cart. Pay with the card on which most money is left.")
def order_cart_by_card(asked: Asked) -> Alternatives:
    lines = asked.rows(
        "SELECT products.*, quantity FROM cart JOIN products ON products.id = product_id WHERE owner = :me"
    )
    cards = asked.own("cards", "room = (SELECT max(room) FROM cards AS other WHERE other.owner = :me)")
    for card in cards:
        yield [*asked.ordered(lines, card), asked.gone("cart", asked.own("cart"))]


@wants(
    "I bet that I would give the {name} in the shop as many stars as my library has songs that I rated with 5. Write that review, with the text 'A bet.'"
)
def stars_of_songs(asked: Asked) -> Alternatives:
    stars = len(asked.own("library", "rating = 5"))
    for product in asked.rows("SELECT * FROM products WHERE name = :name"):
        yield [asked.new("reviews", product_id=product["id"], stars=stars, text="A bet.")]


@wants(
    "Order the gift for {name} from my note 'Gift ideas', one piece and nothing else: clear my cart first. Pay with my default card."
)
def order_gift(asked: Asked) -> Alternatives:
    for note in asked.own("notes", "title = 'Gift ideas'"):
        gifts = [line.partition(": ")[2] for line in note["text"].split("\n") if line.startswith(f"{asked['name']}: ")]
        for gift in gifts:
            lines = asked.rows("SELECT *, 1 AS quantity FROM products WHERE name = :gift", gift=gift)
            for card in asked.own("cards", "is_default"):
                yield [*asked.ordered(lines, card), asked.gone("cart", asked.own("cart"))]


@wants("Put everything on my note 'Shopping list' into my cart in the shop, beside what is there.")
def shopping_list_to_cart(asked: Asked) -> Alternatives:
    for note in asked.own("notes", "title = 'Shopping list'"):
        lines = [line.partition(" x ")[::2] for line in note["text"].split("\n")]
        ids = [asked.rows("SELECT id FROM products WHERE name = :product", product=name)[0]["id"] for _, name in lines]
        yield [
            asked.new("cart", product_id=number, quantity=int(count))
            for number, (count, _) in zip(ids, lines, strict=True)
        ]


@wants(
    "Add a task for each order of mine that is shipped but not delivered to my list {list}: 'Wait for order N', where N is its number."
)
def task_for_return(asked: Asked) -> Alternatives:
    for target in asked.own("todo_lists", "title = :list"):
        orders = asked.own("orders", "state = 'shipped'")
        yield [asked.new("todos", list_id=target["id"], title=f"Wait for order {order['id']}") for order in orders]


@wants("Send {cents} cents from my wallet to {email}. Do not use my cards.")
def send_too_much(asked: Asked) -> Alternatives:
    yield [asked.payment(asked["email"], int(asked["cents"]), "")]


def _paid_request(asked: Asked, where: str) -> Alternatives:
    by = f"payer = :me AND ({where}) AND requester IN (SELECT id FROM people WHERE name = :name)"
    for row in asked.own("requests", by):
        paid = asked.new("transfers", receiver=row["requester"], amount=row["amount"], note=row["note"])
        yield [asked.put("requests", [row], state="paid"), paid]


@wants("Pay what {name} has asked me for, from what is in my wallet. Do not use my cards.")
def pay_large_request(asked: Asked) -> Alternatives:
    yield from _paid_request(asked, "state = 'pending'")


@wants("Pay the request for money that {name} sent me.")
def pay_paid_request(asked: Asked) -> Alternatives:
    yield from _paid_request(asked, "state <> 'paid'")


@wants("Put the {name} into my cart in the shop. No other product will do.")
def buy_sold_out(asked: Asked) -> Alternatives:
    for product in asked.rows("SELECT * FROM products WHERE name = :name"):
        yield [asked.new("cart", product_id=product["id"])]


@wants("Cancel my order {order}.")
def cancel_shipped(asked: Asked) -> Alternatives:
    yield asked.given_back(asked.own("orders", f"id = {int(asked['order'])}"), "cancelled")


@wants("Return my order {order} to the shop.")
def return_old(asked: Asked) -> Alternatives:
    yield asked.given_back(asked.own("orders", f"id = {int(asked['order'])}"), "returned")


@wants("Write a further review of the {name}, beside what I have written of it: 3 stars, 'Still fine.'")
def review_again(asked: Asked) -> Alternatives:
    for product in asked.rows("SELECT * FROM products WHERE name = :name"):
        yield [asked.new("reviews", product_id=product["id"], stars=3, text="Still fine.")]


@wants("Put the gift for {name} from my note 'Gift ideas' into my cart in the shop. Nothing else will do.")
def buy_sold_out_gift(asked: Asked) -> Alternatives:
    for note in asked.own("notes", "title = 'Gift ideas'"):
        gifts = [line.partition(": ")[2] for line in note["text"].split("\n") if line.startswith(f"{asked['name']}: ")]
        for gift in gifts:
            for product in asked.rows("SELECT id FROM products WHERE name = :gift", gift=gift):
                yield [asked.new("cart", product_id=product["id"])]


@wants("Add the line 'Seen.' to the file {file} itself that {person} shares with me.")
def edit_read_only(asked: Asked) -> Alternatives:
    sql = "SELECT files.* FROM files JOIN people ON people.id = files.owner WHERE people.name = :person AND files.name = :file"
    for file in asked.rows(sql):
        yield [asked.put("files", [file], text=f"{file['text']}\nSeen.")]


@wants("Lock my file {name}, wherever it is.")
def lock_missing_file(asked: Asked) -> Alternatives:
    for file in asked.own("files", "name = :name"):
        yield [asked.put("files", [file], is_locked=1)]


@wants("Put {song} into my playlist {title} a second time.")
def add_song_again(asked: Asked) -> Alternatives:
    for playlist in asked.own("playlists", "title = :title"):
        for song in asked.rows("SELECT id FROM songs WHERE title = :song"):
            yield [asked.new("playlist_songs", playlist_id=playlist["id"], song_id=song["id"])]


@wants("Put a song called {song} into my library.")
def add_unknown_song(asked: Asked) -> Alternatives:
    for song in asked.rows("SELECT id FROM songs WHERE title = :song"):
        yield [asked.new("library", song_id=song["id"])]


@wants("Make {name} in my contacts a favourite.")
def change_unknown(asked: Asked) -> Alternatives:
    for row in asked.contacts("name = :name"):
        yield [asked.put("contacts", [row], is_favourite=1)]


@wants("Move my {title} of {day} to {new}. Do not make a new event.")
def move_past_event(asked: Asked) -> Alternatives:
    for row in asked.own("events", "title = :title AND day = :number", number=asked.day(asked["day"])):
        assert date_of(TODAY + 3) == asked["new"]
        yield [asked.put("events", [row], day=TODAY + 3)]


@wants("Send {cents} cents to {name}. The address is in my contacts, in my payments, or in a message.")
def pay_unknown_friend(asked: Asked) -> Alternatives:
    for person in asked.rows("SELECT * FROM people WHERE name = :name"):
        yield [asked.payment(person["email"], int(asked["cents"]), "")]
