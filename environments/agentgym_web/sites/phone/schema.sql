-- A phone. Days are ISO dates, times are HH:MM; a message without a sender is the owner's.

CREATE TABLE contacts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    phone TEXT NOT NULL,
    email TEXT NOT NULL,
    address TEXT NOT NULL,
    birthday TEXT NOT NULL,
    note TEXT NOT NULL,
    is_favourite INTEGER NOT NULL,
    is_blocked INTEGER NOT NULL
);

CREATE TABLE chats (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    is_group INTEGER NOT NULL,
    is_mine INTEGER NOT NULL,
    is_pinned INTEGER NOT NULL,
    is_muted INTEGER NOT NULL,
    is_archived INTEGER NOT NULL
);

CREATE TABLE members (
    chat_id INTEGER NOT NULL REFERENCES chats (id),
    contact_id INTEGER NOT NULL REFERENCES contacts (id),
    PRIMARY KEY (chat_id, contact_id)
);

CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_id INTEGER NOT NULL REFERENCES chats (id),
    sender_id INTEGER REFERENCES contacts (id),
    at TEXT NOT NULL,
    text TEXT NOT NULL,
    is_starred INTEGER NOT NULL
);
CREATE INDEX messages_by_chat ON messages (chat_id);

-- Messages that have not come yet: the next pull on the list of chats fetches them.
CREATE TABLE waiting (message_id INTEGER PRIMARY KEY REFERENCES messages (id));

-- How many messages of a chat nobody has looked at.
CREATE TABLE unread (chat_id INTEGER PRIMARY KEY REFERENCES chats (id), number INTEGER NOT NULL);

CREATE TABLE calendars (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    calendar_id INTEGER NOT NULL REFERENCES calendars (id),
    title TEXT NOT NULL,
    day TEXT NOT NULL,
    start TEXT NOT NULL,
    end TEXT NOT NULL,
    place TEXT NOT NULL,
    notes TEXT NOT NULL,
    remind INTEGER NOT NULL
);
CREATE INDEX events_by_day ON events (day);

CREATE TABLE lists (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL UNIQUE
);

CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    list_id INTEGER NOT NULL REFERENCES lists (id),
    text TEXT NOT NULL,
    is_checked INTEGER NOT NULL,
    is_flagged INTEGER NOT NULL
);

CREATE TABLE alarms (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL,
    label TEXT NOT NULL,
    days TEXT NOT NULL,
    is_on INTEGER NOT NULL
);

CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- What the generated dialogues are about, for the templates of tasks; no page shows it.
CREATE TABLE _stories (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    chat_id INTEGER NOT NULL,
    contact_id INTEGER NOT NULL,
    first_message INTEGER NOT NULL,
    last_message INTEGER NOT NULL,
    facts TEXT NOT NULL
);
