"""The options of nginx 1.22 that may be tuned."""

from __future__ import annotations

from agentgym_swe.tuning.servers.option import choice, whole

OPTIONS = (
    whole("worker_processes", 1, (1, 8), (1, 2, 4), "Worker processes."),
    whole("worker_connections", 512, (16, 4096), (64, 512, 2048), "Connections of each worker."),
    choice("multi_accept", "off", "off on", "Whether a worker accepts all waiting connections at once."),
    choice("accept_mutex", "off", "off on", "Whether workers take turns in accepting."),
    whole("keepalive_timeout", 75, (0, 600), (0, 5, 75), "Seconds for which an idle connection stays open; 0 closes after each answer."),
    whole("keepalive_requests", 1000, (1, 100000), (1, 10, 100, 1000), "Requests after which a connection is closed."),
    choice("sendfile", "off", "off on", "Whether the kernel sends files by itself."),
    choice("tcp_nopush", "off", "off on", "Whether packets are filled before they leave; with sendfile."),
    choice("tcp_nodelay", "on", "off on", "Whether small packets leave at once."),
    choice("gzip", "off", "off on", "Whether answers are compressed."),
    whole("gzip_comp_level", 1, (1, 9), (1, 3, 6, 9), "How hard: 1 is fast, 9 is small."),
    whole("gzip_min_length", 20, (0, 1048576), (20, 1000, 20000), "Bytes below which an answer is not compressed."),
    whole("open_file_cache", 0, (0, 10000), (0, 4, 1000), "Open files that each worker remembers; 0 remembers none."),
    whole("open_file_cache_valid", 60, (1, 3600), (1, 60, 600), "Seconds after which a remembered file is looked at again."),
    choice("access_log", "plain", "off buffered plain",
           "The log of requests: none, written in blocks of 64 kB or after 5 s, or written line by line."),
    choice("etag", "on", "off on", "Whether answers have a tag for caches."),
    choice("server_tokens", "on", "off on", "Whether the version is told."),
    choice("disable_symlinks", "off", "off if_not_owner on",
           "Which links of the site are refused: none; those whose target has another owner; all. Each part of a path is then checked."),
    choice("autoindex", "off", "off on", "Whether folders are listed."),
)  # fmt: skip
"""In the order in which they are shown."""
