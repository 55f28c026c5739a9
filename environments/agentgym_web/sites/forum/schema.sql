-- Every table has a primary key, so that changes can be told row by row. Times are 'YYYY-MM-DD HH:MM'.

CREATE TABLE users (
    login TEXT PRIMARY KEY,
    password TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('member', 'moderator')),
    town TEXT NOT NULL DEFAULT '',
    bio TEXT NOT NULL DEFAULT '',
    signature TEXT NOT NULL DEFAULT '',
    joined TEXT NOT NULL,
    digest TEXT NOT NULL DEFAULT 'weekly' CHECK (digest IN ('never', 'daily', 'weekly')),
    shows_town INTEGER NOT NULL DEFAULT 1,
    takes_messages INTEGER NOT NULL DEFAULT 1
);

CREATE TABLE boards (
    id INTEGER PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    section TEXT NOT NULL
);

CREATE TABLE threads (
    id INTEGER PRIMARY KEY,
    board_id INTEGER NOT NULL REFERENCES boards (id),
    author TEXT NOT NULL REFERENCES users (login),
    title TEXT NOT NULL,
    tag TEXT NOT NULL CHECK (tag IN ('question', 'guide', 'chat', 'event', 'offer')),
    created TEXT NOT NULL,
    is_locked INTEGER NOT NULL DEFAULT 0,
    is_pinned INTEGER NOT NULL DEFAULT 0,
    is_removed INTEGER NOT NULL DEFAULT 0,
    answer_id INTEGER
);
CREATE INDEX threads_of_board ON threads (board_id);

CREATE TABLE posts (
    id INTEGER PRIMARY KEY,
    thread_id INTEGER NOT NULL REFERENCES threads (id),
    number INTEGER NOT NULL,
    author TEXT NOT NULL REFERENCES users (login),
    body TEXT NOT NULL,
    created TEXT NOT NULL,
    edited TEXT,
    is_removed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX posts_of_thread ON posts (thread_id, number);
CREATE INDEX posts_of_author ON posts (author);

CREATE TABLE votes (
    post_id INTEGER NOT NULL REFERENCES posts (id),
    user TEXT NOT NULL REFERENCES users (login),
    value INTEGER NOT NULL CHECK (value IN (-1, 1)),
    PRIMARY KEY (post_id, user)
);
CREATE INDEX votes_of_user ON votes (user);

CREATE TABLE polls (
    id INTEGER PRIMARY KEY,
    thread_id INTEGER NOT NULL UNIQUE REFERENCES threads (id),
    question TEXT NOT NULL,
    is_closed INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE poll_options (
    id INTEGER PRIMARY KEY,
    poll_id INTEGER NOT NULL REFERENCES polls (id),
    text TEXT NOT NULL
);

CREATE TABLE poll_votes (
    poll_id INTEGER NOT NULL REFERENCES polls (id),
    user TEXT NOT NULL REFERENCES users (login),
    option_id INTEGER NOT NULL REFERENCES poll_options (id),
    PRIMARY KEY (poll_id, user)
);

CREATE TABLE bookmarks (
    user TEXT NOT NULL REFERENCES users (login),
    thread_id INTEGER NOT NULL REFERENCES threads (id),
    added TEXT NOT NULL,
    PRIMARY KEY (user, thread_id)
);

CREATE TABLE follows (
    user TEXT NOT NULL REFERENCES users (login),
    followed TEXT NOT NULL REFERENCES users (login),
    PRIMARY KEY (user, followed)
);

CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    sender TEXT NOT NULL REFERENCES users (login),
    recipient TEXT NOT NULL REFERENCES users (login),
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    sent TEXT NOT NULL
);

CREATE TABLE drafts (
    id INTEGER PRIMARY KEY,
    user TEXT NOT NULL REFERENCES users (login),
    board_id INTEGER NOT NULL REFERENCES boards (id),
    title TEXT NOT NULL,
    tag TEXT NOT NULL,
    body TEXT NOT NULL,
    saved TEXT NOT NULL
);

CREATE TABLE reports (
    id INTEGER PRIMARY KEY,
    post_id INTEGER NOT NULL REFERENCES posts (id),
    reporter TEXT NOT NULL REFERENCES users (login),
    reason TEXT NOT NULL CHECK (reason IN ('advertising', 'insult', 'off topic', 'dangerous advice')),
    note TEXT NOT NULL DEFAULT '',
    created TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'upheld', 'dismissed')),
    closed_by TEXT
);

CREATE TABLE bans (
    user TEXT PRIMARY KEY REFERENCES users (login),
    moderator TEXT NOT NULL REFERENCES users (login),
    days INTEGER,
    reason TEXT NOT NULL,
    created TEXT NOT NULL
);

CREATE TABLE moderation_log (
    id INTEGER PRIMARY KEY,
    moderator TEXT NOT NULL REFERENCES users (login),
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    created TEXT NOT NULL
);

-- What search looks through; triggers keep it in step with posts and titles.
CREATE VIRTUAL TABLE search USING fts5 (title, body, tokenize = 'porter unicode61');
CREATE TRIGGER search_added AFTER INSERT ON posts BEGIN
    INSERT INTO search (rowid, title, body)
    VALUES (new.id, (SELECT title FROM threads WHERE id = new.thread_id AND new.number = 1), new.body);
END;
CREATE TRIGGER search_edited AFTER UPDATE OF body ON posts BEGIN
    UPDATE search SET body = new.body WHERE rowid = new.id;
END;
CREATE TRIGGER search_deleted AFTER DELETE ON posts BEGIN
    DELETE FROM search WHERE rowid = old.id;
END;
