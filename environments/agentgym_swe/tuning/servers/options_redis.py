"""The options of Redis 7.0 that may be tuned."""

from __future__ import annotations

from agentgym_swe.tuning.servers.option import choice, size, whole

OPTIONS = (
    choice("appendonly", "no", "no yes", "Whether every write is also appended to a file that is read at the next start."),
    choice("appendfsync", "everysec", "always everysec no",
           "When that file is synced to disk: before each reply, once a second, or when the system likes."),
    choice("no-appendfsync-on-rewrite", "no", "no yes", "Whether syncs pause while the append-only file is rewritten."),
    whole("auto-aof-rewrite-percentage", 100, (0, 1000), (0, 50, 100, 400),
          "Growth in per cent since the last rewrite of the append-only file that starts the next; 0 never."),
    size("auto-aof-rewrite-min-size", 65536, (16, 262144), (64, 1024, 65536), "Size in kB below which it is not rewritten."),
    choice("aof-use-rdb-preamble", "yes", "no yes", "Whether a rewritten append-only file begins in the compact form of snapshots."),
    choice("save", "rarely", "never rarely often",
           "Snapshots: never; rarely (60 s and 10,000 writes); often (each second with a write)."),
    choice("rdbcompression", "yes", "no yes", "Whether texts in snapshots are compressed."),
    choice("rdbchecksum", "yes", "no yes", "Whether snapshots end with a checksum."),
    size("maxmemory", 0, (0, 262144), (0, 2048, 4096, 8192, 16384), "Memory in kB from which keys are evicted or writes refused; 0 has no bound."),
    choice("maxmemory-policy", "noeviction", "noeviction allkeys-lru allkeys-lfu allkeys-random volatile-lru",
           "Which keys are evicted when memory is full; noeviction refuses writes."),
    whole("maxmemory-samples", 5, (1, 64), (1, 3, 5, 10, 20), "How many keys are compared for each eviction."),
    whole("hash-max-listpack-entries", 512, (0, 4096), (0, 32, 128, 512), "Fields up to which a hash is kept in one compact piece."),
    whole("hash-max-listpack-value", 64, (0, 8192), (16, 64, 256, 1024), "Bytes of a value up to which a hash is kept compact."),
    whole("zset-max-listpack-entries", 128, (0, 4096), (0, 32, 128, 512), "Members up to which a sorted set is kept compact."),
    whole("list-max-listpack-size", -2, (-5, 1024), (-5, -2, 4, 128),
          "Entries of one piece of a list; -1 to -5 are pieces of 4, 8, 16, 32 and 64 kB."),
    whole("list-compress-depth", 0, (0, 16), (0, 1, 2), "Pieces at each end of a list that are left uncompressed; 0 compresses none."),
    whole("hz", 10, (1, 500), (1, 10, 100, 500), "Background rounds a second."),
    whole("io-threads", 1, (1, 4), (1, 2, 4), "Threads that write replies."),
    choice("latency-tracking", "yes", "no yes", "Whether the time of each command is kept in histograms."),
    choice("activerehashing", "yes", "no yes", "Whether idle time is used for resizing tables."),
    choice("enable-debug-command", "no", "no local yes", "Whether DEBUG may be called: by nobody, by this machine, by all."),
    choice("unixsocketperm", "700", "700 770 777", "Who may open the socket: the owner, the group, everybody."),
)  # fmt: skip
"""In the order in which they are shown."""
