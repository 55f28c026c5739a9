"""Loads on nginx: ab's."""

from __future__ import annotations

from agentgym_swe.tuning.servers.load import Load

LOADS = (
    Load(
        "pages",
        "nginx",
        "Four pages of text of 6 to 40 kB, asked for 200 times each by 10 visitors that take compressed answers",
        ({"file": "*", "n": 200, "clients": 10, "keeps": True},),
        800,
        ("cpu", "sent", "bytes"),
        {
            "gzip": ("off", "on"),
            "gzip_comp_level": (1, 9),
            "open_file_cache": (0, 1000),
            "access_log": ("off", "buffered", "plain"),
        },
        {"gzip": "on", "gzip_comp_level": 9},
        durability="process",
        files=(("a.html", 6000), ("b.html", 12000), ("c.css", 24000), ("d.html", 40000)),
    ),
    Load(
        "images",
        "nginx",
        "Three images of 60 to 400 kB, asked for 150 times each by 8 visitors",
        ({"file": "*", "n": 150, "clients": 8, "keeps": True},),
        450,
        ("cpu", "memory", "bytes"),
        {
            "sendfile": ("off", "on"),
            "tcp_nopush": ("off", "on"),
            "access_log": ("off", "buffered", "plain"),
            "worker_processes": (1, 4),
        },
        {"worker_processes": 4},
        durability="process",
        files=(("a.png", 60000), ("b.png", 160000), ("c.png", 400000)),
    ),
    Load(
        "api",
        "nginx",
        "Two small answers of 400 and 1,500 bytes, asked for 1,500 times each by 30 clients that keep connections",
        ({"file": "*", "n": 1500, "clients": 30, "keeps": True},),
        3000,
        ("cpu", "memory", "bytes", "sent"),
        {
            "keepalive_requests": (10, 1000),
            "access_log": ("off", "buffered", "plain"),
            "open_file_cache": (0, 1000),
            "worker_processes": (1, 4),
        },
        {"keepalive_requests": 10, "worker_processes": 4},
        durability="process",
        files=(("a.json", 400), ("b.json", 1500)),
    ),
    Load(
        "connections",
        "nginx",
        "A small page, asked for 1,500 times by 20 visitors that open a connection each time",
        ({"file": "*", "n": 1500, "clients": 20},),
        1500,
        ("cpu", "memory", "bytes"),
        {
            "gzip": ("off", "on"),
            "access_log": ("off", "buffered", "plain"),
            "worker_processes": (1, 4),
            "open_file_cache": (0, 1000),
        },
        {"gzip": "on", "gzip_comp_level": 9, "worker_processes": 4},
        durability="process",
        files=(("a.html", 3000),),
    ),
    Load(
        "shared",
        "nginx",
        "Files of many owners in a folder of their own, 1,200 requests each for two of them by 10 visitors",
        ({"file": "*", "n": 1200, "clients": 10, "keeps": True},),
        2400,
        ("cpu", "bytes", "memory"),
        {
            "disable_symlinks": ("off", "if_not_owner", "on"),
            "open_file_cache": (0, 1000),
            "access_log": ("off", "buffered", "plain"),
        },
        {"disable_symlinks": "on", "server_tokens": "off"},
        durability="process",
        is_secure=True,
        files=(("a.html", 2000), ("b.png", 9000)),
    ),
)
