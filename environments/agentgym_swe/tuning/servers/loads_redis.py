"""Loads on Redis: redis-benchmark's, and a cache's client."""

from __future__ import annotations

from agentgym_swe.tuning.servers.load import Load

_FIELDS = " ".join(f"field{number} __data__" for number in range(8))

LOADS = (
    Load(
        "sessions",
        "redis",
        "Sessions of users, each a hash of 8 fields of 40 bytes: 5,000 are written and 5,000 read",
        (
            {"do": f"HSET session:__rand_int__ {_FIELDS}", "n": 5000, "clients": 20, "keys": 3000, "size": 40},
            {"do": "HGETALL session:__rand_int__", "n": 5000, "clients": 20, "keys": 3000},
        ),
        10000,
        ("cpu", "memory", "syncs", "bytes"),
        {
            "appendonly": ("no", "yes"),
            "appendfsync": ("everysec", "always"),
            "hash-max-listpack-entries": (4, 512),
            "latency-tracking": ("no", "yes"),
        },
        {"appendonly": "yes", "appendfsync": "always", "hash-max-listpack-entries": 4},
        durability="process",
        is_secure=True,
        keeps=True,
    ),
    Load(
        "cache",
        "redis",
        "A cache: 20,000 look-ups, popular keys more often, with scans of keys that never come again; what is missing "
        "is stored, 300 bytes each",
        ({"do": "cache", "n": 20000, "keys": 9000, "size": 300, "skew": 0.9, "scans": True},),
        20000,
        ("cpu", "memory", "misses"),
        {
            "maxmemory": (0, 1536, 2048, 3072),
            "maxmemory-policy": ("allkeys-lru", "allkeys-lfu", "allkeys-random"),
            "maxmemory-samples": (1, 20),
        },
        {"maxmemory": 0, "maxmemory-policy": "allkeys-random", "maxmemory-samples": 20},
        is_secure=True,
    ),
    Load(
        "ledger",
        "redis",
        "A ledger of texts of 200 bytes: 4,000 writes by 10 clients, each waiting for its answer; then the append-only "
        "file is rewritten twice",
        (
            {"do": "SET entry:__rand_int__ __data__", "n": 4000, "clients": 10, "keys": 4000, "size": 200},
            {"do": "BGREWRITEAOF"},
            {"do": "BGREWRITEAOF"},
        ),
        4000,
        ("cpu", "syncs", "bytes", "memory"),
        {
            "appendonly": ("no", "yes"),
            "appendfsync": ("always", "everysec"),
            "aof-use-rdb-preamble": ("no", "yes"),
            "rdbcompression": ("no", "yes"),
        },
        {
            "appendonly": "yes", "appendfsync": "always", "aof-use-rdb-preamble": "no", "rdbcompression": "no",
            "save": "never",
        },
        durability="power",
        keeps=True,
    ),
    Load(
        "queue",
        "redis",
        "Queues of entries of 120 bytes: 12,000 are put in, ranges are read 2,000 times, 4,000 are taken out, and a "
        "snapshot is made",
        (
            {"do": "LPUSH queue __data__", "n": 12000, "clients": 10, "keys": 1, "size": 120, "pipeline": 8},
            {"do": "LRANGE queue 200 230", "n": 2000, "clients": 10, "keys": 1},
            {"do": "RPOP queue", "n": 4000, "clients": 10, "keys": 1, "pipeline": 8},
            {"do": "BGSAVE"},
        ),
        18000,
        ("cpu", "memory", "bytes"),
        {
            "list-max-listpack-size": (-5, -2, 4, 128),
            "list-compress-depth": (0, 1),
            "rdbcompression": ("no", "yes"),
        },
        {"list-max-listpack-size": 4, "rdbcompression": "no"},
        is_secure=True,
        keeps=True,
    ),
    Load(
        "ranking",
        "redis",
        "Rankings: 9,000 scores are put into 100 sorted sets, and the best ten are read 6,000 times",
        (
            {"do": "ZADD ranking:00000000__rand_int__ 1 member:__rand_int__", "n": 9000, "clients": 20, "keys": 9000},
            {"do": "ZADD rankings __rand_int__ member:__rand_int__", "n": 6000, "clients": 20, "keys": 100},
            {"do": "ZRANGE rankings 0 9", "n": 6000, "clients": 20, "keys": 1},
        ),
        21000,
        ("cpu", "memory"),
        {
            "zset-max-listpack-entries": (0, 128, 512),
            "io-threads": (1, 2),
            "hz": (10, 500),
            "latency-tracking": ("no", "yes"),
        },
        {"zset-max-listpack-entries": 0, "hz": 500},
        is_secure=True,
        keeps=True,
    ),
)  # fmt: skip
