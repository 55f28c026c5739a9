"""Loads on PostgreSQL: pgbench's."""

from __future__ import annotations

from agentgym_swe.tuning.servers.load import Load

_PAYMENT = (
    "\\set aid random(1, 100000)\n\\set delta random(-500, 500)\nBEGIN;\n"
    "UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;\n"
    "SELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n"
    "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (1, 1, :aid, :delta, now());\nCOMMIT;\n"
)
_LOOKUP = "\\set aid random(1, 100000)\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n"
_REPORT = (
    "\\set low random(0, 900)\nSELECT kind, count(*), sum(amount) FROM events WHERE kind > :low GROUP BY kind "
    "ORDER BY 3 DESC LIMIT 5;\nSELECT note FROM events WHERE amount > :low ORDER BY note LIMIT 1 OFFSET 30000;\n"
)
_VISIT = "\\set aid random(1, 100000)\nSELECT filler FROM pgbench_accounts WHERE aid = :aid;\n"
_INGEST = (
    "\\set first random(1, 1000000)\nINSERT INTO events SELECT i, i % 2003, i % 100003, md5(i::text) "
    "FROM generate_series(:first, :first + 199) i;\n"
)

LOADS = (
    Load(
        "payments",
        "postgres",
        "Payments: 4 clients change a balance and note it, 150 times each",
        ({"sql": _PAYMENT, "clients": 4, "each": 150},),
        600,
        ("cpu", "syncs", "bytes", "memory"),
        {
            "synchronous_commit": ("on", "off"),
            "wal_compression": ("off", "pglz"),
            "full_page_writes": ("on", "off"),
            "shared_buffers": (512, 131072),
        },
        {"shared_buffers": 512},
        durability="power",
    ),
    Load(
        "lookups",
        "postgres",
        "Look-ups of 4 clients, 2,000 each, among 100,000 accounts",
        ({"sql": _LOOKUP, "clients": 4, "each": 2000},),
        8000,
        ("cpu", "memory", "misses"),
        {
            "shared_buffers": (512, 2048, 8192, 131072),
            "random_page_cost": (1.1, 4.0),
            "track_activities": ("off", "on"),
            "bgwriter_delay": (10, 10000),
        },
        {"shared_buffers": 512, "bgwriter_delay": 10},
    ),
    Load(
        "reports",
        "postgres",
        "Reports: one client groups and sorts 40,000 events, 5 times",
        ({"sql": _REPORT, "clients": 1, "each": 5, "protocol": "simple"},),
        5,
        ("cpu", "bytes", "memory"),
        {
            "work_mem": (64, 4096, 32768),
            "jit_above_cost": (0, 100000),
            "enable_hashagg": ("off", "on"),
            "max_parallel_workers_per_gather": (0, 2),
        },
        {"work_mem": 64, "jit_above_cost": 0},
    ),
    Load(
        "visits",
        "postgres",
        "Visits: 25 connections, one after the other, each with one look-up",
        ({"sql": _VISIT, "clients": 1, "each": 25, "reconnects": True, "protocol": "simple"},),
        25,
        ("cpu", "memory", "misses"),
        {
            "host_auth": ("trust", "scram-sha-256"),
            "shared_buffers": (512, 4096, 131072),
            "track_activities": ("off", "on"),
        },
        {"host_auth": "scram-sha-256", "shared_buffers": 512},
        is_secure=True,
    ),
    Load(
        "ingest",
        "postgres",
        "Ingestion: 2 clients append 200 events at once, 25 times each",
        ({"sql": _INGEST, "clients": 2, "each": 25},),
        50,
        ("cpu", "syncs", "bytes", "memory"),
        {
            "synchronous_commit": ("on", "off"),
            "full_page_writes": ("on", "off"),
            "shared_buffers": (512, 131072),
            "wal_compression": ("off", "pglz"),
        },
        {"shared_buffers": 512},
        durability="power",
    ),
)
