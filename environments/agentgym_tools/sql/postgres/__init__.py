"""Sql-v0 on PostgreSQL: a server of its own for each process, and cloned databases whose episodes are rolled back.

The programs are found in `programs`, the server lives in `server` and is outlived by nobody thanks to `watcher`; what
statements may do is set in `template` and `guard`; clones are kept in `pool`. Needs the extra `postgres`.
"""
