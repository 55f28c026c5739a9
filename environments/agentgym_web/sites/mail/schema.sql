CREATE TABLE account (
  login TEXT PRIMARY KEY,
  password TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  signature TEXT NOT NULL,
  is_away INTEGER NOT NULL DEFAULT 0,
  away_from TEXT NOT NULL DEFAULT '',
  away_until TEXT NOT NULL DEFAULT '',
  away_text TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE folder (
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL REFERENCES account (login),
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('inbox', 'sent', 'drafts', 'archive', 'spam', 'trash', 'own')),
  UNIQUE (login, name)
);
CREATE TABLE label (id INTEGER PRIMARY KEY, login TEXT NOT NULL REFERENCES account (login), name TEXT NOT NULL, UNIQUE (login, name));
CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL REFERENCES account (login),
  folder_id INTEGER NOT NULL REFERENCES folder (id),
  thread INTEGER NOT NULL, -- the id of the first message of the conversation
  sender_name TEXT NOT NULL,
  sender TEXT NOT NULL,
  recipients TEXT NOT NULL, -- addresses with ", " between them
  copies TEXT NOT NULL DEFAULT '',
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  sent TEXT NOT NULL,
  is_starred INTEGER NOT NULL DEFAULT 0,
  forwards INTEGER -- the message that this one passes on
);
CREATE INDEX message_by_folder ON message (folder_id, sent);
CREATE INDEX message_by_thread ON message (thread);
CREATE TABLE reading (message_id INTEGER PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE); -- what was read; not watched
CREATE TABLE message_label (
  message_id INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
  label_id INTEGER NOT NULL REFERENCES label (id) ON DELETE CASCADE,
  PRIMARY KEY (message_id, label_id)
) WITHOUT ROWID;
CREATE TABLE attachment (
  id INTEGER PRIMARY KEY,
  message_id INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  content BLOB NOT NULL
);
CREATE INDEX attachment_by_message ON attachment (message_id);
CREATE TABLE contact (
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL REFERENCES account (login),
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  phone TEXT NOT NULL,
  circle TEXT NOT NULL, -- such as "Choir"; '' for none
  note TEXT NOT NULL
);
CREATE TABLE rule (
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL REFERENCES account (login),
  field TEXT NOT NULL CHECK (field IN ('Sender', 'Subject', 'Recipient')),
  words TEXT NOT NULL,
  act TEXT NOT NULL CHECK (act IN ('Move to folder', 'Add label', 'Star', 'Delete')),
  target TEXT NOT NULL, -- name of the folder or label
  is_active INTEGER NOT NULL
);
CREATE TABLE _story ( -- what tasks are drawn from; pages never show it
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL,
  kind TEXT NOT NULL,
  message_id INTEGER NOT NULL,
  facts TEXT NOT NULL -- JSON
);
