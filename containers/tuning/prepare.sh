#!/bin/sh
# Makes the data that every run of PostgreSQL starts from: pgbench's tables, events, and one for tests of what is lost.
set -eu
target=$1
export PATH="$PATH:/usr/lib/postgresql/15/bin"
initdb -D "$target" -k --wal-segsize=1 --no-sync -A trust -U agent --locale=C.UTF-8 -E UTF8 >/dev/null
sockets=$(mktemp -d)
pg_ctl -D "$target" -w -l "$sockets/log" -o "-c listen_addresses= -c unix_socket_directories=$sockets -c fsync=off" start >/dev/null
ask="-h $sockets -U agent"
# shellcheck disable=SC2086 # a list of words
pgbench -i -q -s 1 $ask postgres 2>/dev/null >/dev/null
# shellcheck disable=SC2086
psql -Xq -v ON_ERROR_STOP=1 $ask -d postgres <<'SQL'
CREATE ROLE visitor LOGIN PASSWORD 'benchmark';
CREATE TABLE events AS SELECT i AS id, (i * 7919) % 2003 AS kind, (i::bigint * 104729) % 100003 AS amount,
  md5(i::text) AS note FROM generate_series(1, 40000) i;
CREATE INDEX ON events (id);
CREATE TABLE acked (id int PRIMARY KEY, note text);
GRANT ALL ON ALL TABLES IN SCHEMA public TO visitor;
VACUUM (FREEZE, ANALYZE);
CHECKPOINT;
SQL
pg_ctl -D "$target" -w -m fast stop >/dev/null
rm -rf "$sockets"
