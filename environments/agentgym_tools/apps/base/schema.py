"""The tables of the apps. Days are whole numbers, times of day are minutes, money is whole cents."""

from __future__ import annotations

from collections.abc import Mapping

SCHEMA = """
CREATE TABLE people (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, phone TEXT NOT NULL, birthday TEXT NOT NULL,
    street TEXT NOT NULL, city TEXT NOT NULL, job TEXT NOT NULL
);
CREATE TABLE contacts (
    id INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES people, name TEXT NOT NULL, email TEXT, phone TEXT,
    birthday TEXT, city TEXT, relation TEXT NOT NULL, is_favourite INTEGER NOT NULL, note TEXT NOT NULL
);
CREATE TABLE contact_groups (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, title TEXT NOT NULL);
CREATE TABLE group_members (
    group_id INTEGER NOT NULL, contact_id INTEGER NOT NULL, PRIMARY KEY (group_id, contact_id)
) WITHOUT ROWID;
CREATE TABLE mails (
    id INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES people, thread TEXT NOT NULL, folder TEXT NOT NULL,
    sender TEXT NOT NULL, recipients TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, sent INTEGER NOT NULL,
    is_read INTEGER NOT NULL, is_starred INTEGER NOT NULL, label TEXT, attachment TEXT, attached TEXT
);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES people, title TEXT NOT NULL, day INTEGER NOT NULL,
    start INTEGER NOT NULL, minutes INTEGER NOT NULL, place TEXT NOT NULL, note TEXT NOT NULL, reminder INTEGER
);
CREATE TABLE guests (
    event_id INTEGER NOT NULL, person_id INTEGER NOT NULL, response TEXT NOT NULL, PRIMARY KEY (event_id, person_id)
) WITHOUT ROWID;
CREATE TABLE notes (
    id INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES people, title TEXT NOT NULL, text TEXT NOT NULL,
    notebook TEXT NOT NULL, is_pinned INTEGER NOT NULL, is_archived INTEGER NOT NULL, updated INTEGER NOT NULL
);
CREATE TABLE chats (id INTEGER PRIMARY KEY, title TEXT NOT NULL, is_group INTEGER NOT NULL);
CREATE TABLE chat_members (
    chat_id INTEGER NOT NULL, person_id INTEGER NOT NULL, is_muted INTEGER NOT NULL, PRIMARY KEY (chat_id, person_id)
) WITHOUT ROWID;
CREATE TABLE messages (
    id INTEGER PRIMARY KEY, chat_id INTEGER NOT NULL, sender INTEGER NOT NULL REFERENCES people, text TEXT NOT NULL,
    sent INTEGER NOT NULL, is_pinned INTEGER NOT NULL
);
CREATE TABLE reactions (
    message_id INTEGER NOT NULL, person_id INTEGER NOT NULL, emoji TEXT NOT NULL, PRIMARY KEY (message_id, person_id)
) WITHOUT ROWID;
CREATE TABLE songs (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, artist TEXT NOT NULL, album TEXT NOT NULL, genre TEXT NOT NULL,
    seconds INTEGER NOT NULL, year INTEGER NOT NULL
);
CREATE TABLE library (
    owner INTEGER NOT NULL, song_id INTEGER NOT NULL, is_liked INTEGER NOT NULL, plays INTEGER NOT NULL,
    rating INTEGER, PRIMARY KEY (owner, song_id)
) WITHOUT ROWID;
CREATE TABLE playlists (
    id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, title TEXT NOT NULL, is_public INTEGER NOT NULL
);
CREATE TABLE playlist_songs (
    playlist_id INTEGER NOT NULL, song_id INTEGER NOT NULL, PRIMARY KEY (playlist_id, song_id)
) WITHOUT ROWID;
CREATE TABLE followed (owner INTEGER NOT NULL, artist TEXT NOT NULL, PRIMARY KEY (owner, artist)) WITHOUT ROWID;
CREATE TABLE wallets (owner INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
CREATE TABLE cards (
    id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, kind TEXT NOT NULL, last4 TEXT NOT NULL, expires TEXT NOT NULL,
    room INTEGER NOT NULL, is_default INTEGER NOT NULL
);
CREATE TABLE transfers (
    id INTEGER PRIMARY KEY, sender INTEGER NOT NULL REFERENCES people, receiver INTEGER NOT NULL REFERENCES people,
    amount INTEGER NOT NULL, note TEXT NOT NULL, made INTEGER NOT NULL, is_private INTEGER NOT NULL
);
CREATE TABLE requests (
    id INTEGER PRIMARY KEY, requester INTEGER NOT NULL REFERENCES people, payer INTEGER NOT NULL REFERENCES people,
    amount INTEGER NOT NULL, note TEXT NOT NULL, made INTEGER NOT NULL, state TEXT NOT NULL, reminders INTEGER NOT NULL
);
CREATE TABLE products (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price INTEGER NOT NULL, stock INTEGER NOT NULL,
    rating INTEGER NOT NULL, seller TEXT NOT NULL
);
CREATE TABLE cart (
    owner INTEGER NOT NULL, product_id INTEGER NOT NULL, quantity INTEGER NOT NULL, PRIMARY KEY (owner, product_id)
) WITHOUT ROWID;
CREATE TABLE wishlist (
    owner INTEGER NOT NULL, product_id INTEGER NOT NULL, PRIMARY KEY (owner, product_id)
) WITHOUT ROWID;
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, placed INTEGER NOT NULL, state TEXT NOT NULL,
    delivered INTEGER, total INTEGER NOT NULL, card_id INTEGER NOT NULL, street TEXT NOT NULL, city TEXT NOT NULL
);
CREATE TABLE order_items (
    order_id INTEGER NOT NULL, product_id INTEGER NOT NULL, quantity INTEGER NOT NULL, price INTEGER NOT NULL,
    PRIMARY KEY (order_id, product_id)
) WITHOUT ROWID;
CREATE TABLE reviews (
    id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL, author INTEGER NOT NULL, stars INTEGER NOT NULL,
    text TEXT NOT NULL
);
CREATE TABLE folders (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, path TEXT NOT NULL);
CREATE TABLE files (
    id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, folder TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,
    updated INTEGER NOT NULL, is_locked INTEGER NOT NULL
);
CREATE TABLE shares (
    file_id INTEGER NOT NULL, person_id INTEGER NOT NULL, can_edit INTEGER NOT NULL, PRIMARY KEY (file_id, person_id)
) WITHOUT ROWID;
CREATE TABLE todo_lists (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, title TEXT NOT NULL);
CREATE TABLE todos (
    id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, list_id INTEGER NOT NULL, title TEXT NOT NULL, due INTEGER,
    priority TEXT NOT NULL, is_done INTEGER NOT NULL, note TEXT NOT NULL
);
CREATE TABLE steps (id INTEGER PRIMARY KEY, todo_id INTEGER NOT NULL, title TEXT NOT NULL, is_done INTEGER NOT NULL);
CREATE INDEX people_by_email ON people (email);
CREATE INDEX people_by_phone ON people (phone);
CREATE INDEX contacts_by_owner ON contacts (owner);
CREATE INDEX groups_by_owner ON contact_groups (owner);
CREATE INDEX mails_by_owner ON mails (owner, folder, sent);
CREATE INDEX events_by_owner ON events (owner, day);
CREATE INDEX guests_by_person ON guests (person_id);
CREATE INDEX notes_by_owner ON notes (owner);
CREATE INDEX members_by_person ON chat_members (person_id);
CREATE INDEX messages_by_chat ON messages (chat_id, sent);
CREATE INDEX playlists_by_owner ON playlists (owner);
CREATE INDEX cards_by_owner ON cards (owner);
CREATE INDEX transfers_by_sender ON transfers (sender);
CREATE INDEX transfers_by_receiver ON transfers (receiver);
CREATE INDEX requests_by_payer ON requests (payer);
CREATE INDEX requests_by_requester ON requests (requester);
CREATE INDEX orders_by_owner ON orders (owner);
CREATE INDEX reviews_by_product ON reviews (product_id);
CREATE INDEX files_by_owner ON files (owner, folder);
CREATE INDEX shares_by_person ON shares (person_id);
CREATE INDEX lists_by_owner ON todo_lists (owner);
CREATE INDEX todos_by_owner ON todos (owner, list_id);
CREATE INDEX steps_by_todo ON steps (todo_id);
"""

LINKS: Mapping[tuple[str, str], str] = {
    ("group_members", "group_id"): "contact_groups",
    ("group_members", "contact_id"): "contacts",
    ("guests", "event_id"): "events",
    ("chat_members", "chat_id"): "chats",
    ("messages", "chat_id"): "chats",
    ("reactions", "message_id"): "messages",
    ("playlist_songs", "playlist_id"): "playlists",
    ("orders", "card_id"): "cards",
    ("order_items", "order_id"): "orders",
    ("shares", "file_id"): "files",
    ("todos", "list_id"): "todo_lists",
    ("steps", "todo_id"): "todos",
}
"""Columns that hold the number of a row that an episode may have added, and that row's table."""
