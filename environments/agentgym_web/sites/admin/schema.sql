-- The console of a company that runs vending machines. Dates are ISO text; money is whole euros.

CREATE TABLE roles (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL
);

CREATE TABLE role_permissions (
    role_id INTEGER NOT NULL REFERENCES roles (id),
    permission TEXT NOT NULL,
    PRIMARY KEY (role_id, permission)
);

CREATE TABLE people (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    login TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL,
    phone TEXT NOT NULL,
    team TEXT NOT NULL,
    role_id INTEGER NOT NULL REFERENCES roles (id),
    is_active INTEGER NOT NULL,
    has_two_factor INTEGER NOT NULL,
    joined_on TEXT NOT NULL,
    password TEXT NOT NULL
);

CREATE TABLE locations (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    region TEXT NOT NULL,
    kind TEXT NOT NULL,
    manager_id INTEGER NOT NULL REFERENCES people (id)
);

CREATE TABLE machines (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    code TEXT NOT NULL UNIQUE,
    model TEXT NOT NULL,
    location_id INTEGER NOT NULL REFERENCES locations (id),
    status TEXT NOT NULL,
    firmware TEXT NOT NULL,
    fill INTEGER NOT NULL,
    takes_cash INTEGER NOT NULL,
    installed_on TEXT NOT NULL,
    serviced_on TEXT NOT NULL,
    notes TEXT NOT NULL
);

CREATE TABLE tickets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    machine_id INTEGER NOT NULL REFERENCES machines (id),
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    category TEXT NOT NULL,
    priority TEXT NOT NULL,
    state TEXT NOT NULL,
    assignee_id INTEGER REFERENCES people (id),
    reporter TEXT NOT NULL,
    opened_at TEXT NOT NULL
);
CREATE INDEX tickets_by_machine ON tickets (machine_id);

CREATE TABLE comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket_id INTEGER NOT NULL REFERENCES tickets (id),
    author_id INTEGER NOT NULL REFERENCES people (id),
    at TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX comments_by_ticket ON comments (ticket_id);

CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    kind TEXT NOT NULL,
    location_id INTEGER NOT NULL REFERENCES locations (id),
    owner_id INTEGER NOT NULL REFERENCES people (id),
    day TEXT NOT NULL,
    start TEXT NOT NULL,
    minutes INTEGER NOT NULL,
    state TEXT NOT NULL,
    notes TEXT NOT NULL
);
CREATE INDEX jobs_by_day ON jobs (day);

CREATE TABLE sales (
    location_id INTEGER NOT NULL REFERENCES locations (id),
    month TEXT NOT NULL,
    revenue INTEGER NOT NULL,
    num_sales INTEGER NOT NULL,
    PRIMARY KEY (location_id, month)
);

CREATE TABLE alert_rules (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    metric TEXT NOT NULL,
    comparison TEXT NOT NULL,
    threshold INTEGER NOT NULL,
    region TEXT NOT NULL,
    notify_id INTEGER NOT NULL REFERENCES people (id),
    is_on INTEGER NOT NULL
);

CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE saved_views (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    person_id INTEGER NOT NULL REFERENCES people (id),
    table_name TEXT NOT NULL,
    name TEXT NOT NULL,
    query TEXT NOT NULL
);

CREATE TABLE exports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    person_id INTEGER NOT NULL REFERENCES people (id),
    at TEXT NOT NULL,
    table_name TEXT NOT NULL,
    filters TEXT NOT NULL,
    num_rows INTEGER NOT NULL,
    ids TEXT NOT NULL,
    content TEXT NOT NULL
);

CREATE TABLE audit_log (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    area TEXT NOT NULL,
    object TEXT NOT NULL,
    action TEXT NOT NULL,
    old TEXT NOT NULL,
    new TEXT NOT NULL
);
