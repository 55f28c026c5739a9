-- Every table has a primary key, so that changes can be told row by row. Times are 'YYYY-MM-DD HH:MM'.

CREATE TABLE users (
    name TEXT PRIMARY KEY,
    password TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('editor', 'admin')),
    registered TEXT NOT NULL,
    about TEXT NOT NULL DEFAULT ''
);

CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL UNIQUE,
    is_protected INTEGER NOT NULL DEFAULT 0,
    is_deleted INTEGER NOT NULL DEFAULT 0
);

-- The text of a page is that of its latest revision.
CREATE TABLE revisions (
    id INTEGER PRIMARY KEY,
    page_id INTEGER NOT NULL REFERENCES pages (id),
    number INTEGER NOT NULL,
    author TEXT NOT NULL REFERENCES users (name),
    created TEXT NOT NULL,
    comment TEXT NOT NULL DEFAULT '',
    is_minor INTEGER NOT NULL DEFAULT 0,
    restores INTEGER,
    reviewed_by TEXT REFERENCES users (name),
    body TEXT NOT NULL,
    UNIQUE (page_id, number)
);
CREATE INDEX revisions_of_author ON revisions (author);
CREATE INDEX revisions_by_time ON revisions (created);

CREATE TABLE watches (
    user TEXT NOT NULL REFERENCES users (name),
    page_id INTEGER NOT NULL REFERENCES pages (id),
    PRIMARY KEY (user, page_id)
);

CREATE TABLE thanks (
    user TEXT NOT NULL REFERENCES users (name),
    revision_id INTEGER NOT NULL REFERENCES revisions (id),
    PRIMARY KEY (user, revision_id)
);

CREATE TABLE topics (
    id INTEGER PRIMARY KEY,
    page_id INTEGER NOT NULL REFERENCES pages (id),
    title TEXT NOT NULL,
    is_settled INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE comments (
    id INTEGER PRIMARY KEY,
    topic_id INTEGER NOT NULL REFERENCES topics (id),
    author TEXT NOT NULL REFERENCES users (name),
    body TEXT NOT NULL,
    created TEXT NOT NULL
);

CREATE TABLE blocks (
    user TEXT PRIMARY KEY REFERENCES users (name),
    admin TEXT NOT NULL REFERENCES users (name),
    days INTEGER,
    reason TEXT NOT NULL,
    created TEXT NOT NULL
);

CREATE TABLE log (
    id INTEGER PRIMARY KEY,
    user TEXT NOT NULL REFERENCES users (name),
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    created TEXT NOT NULL
);

-- What follows from the latest revisions: links, categories and redirects. Changes of these do not count.
CREATE TABLE links (
    page_id INTEGER NOT NULL REFERENCES pages (id),
    target TEXT NOT NULL,
    PRIMARY KEY (page_id, target)
);
CREATE INDEX links_to ON links (target);

CREATE TABLE categories (
    page_id INTEGER NOT NULL REFERENCES pages (id),
    name TEXT NOT NULL,
    PRIMARY KEY (page_id, name)
);
CREATE INDEX pages_in_category ON categories (name);

CREATE TABLE redirects (
    page_id INTEGER PRIMARY KEY REFERENCES pages (id),
    target TEXT NOT NULL
);

CREATE VIRTUAL TABLE search USING fts5 (title, body, tokenize = 'porter unicode61');
