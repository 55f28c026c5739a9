"""The options of PostgreSQL 15 that may be tuned."""

from __future__ import annotations

from agentgym_swe.tuning.servers.option import choice, number, size, whole

OPTIONS = (
    size("shared_buffers", 131072, (128, 262144), (512, 4096, 16384, 131072), "Memory in kB for pages of tables, shared by all sessions."),
    size("work_mem", 4096, (64, 131072), (64, 1024, 4096, 32768), "Memory in kB for a sort or a hash table; what does not fit goes to files."),
    number("hash_mem_multiplier", 2.0, (1, 64), (1.0, 2.0, 8.0), "How much more than work_mem a hash table may have."),
    choice("fsync", "on", "off on", "Whether the server waits for the disk at all."),
    choice("synchronous_commit", "on", "off on", "Whether a commit waits until its log is on disk."),
    choice("full_page_writes", "on", "off on", "Whether a page is logged whole at its first change after a checkpoint."),
    choice("wal_compression", "off", "off pglz", "Whether whole pages in the log are compressed."),
    choice("wal_level", "replica", "minimal replica logical", "How much is logged: for crashes, for replicas, for logical replicas."),
    whole("max_wal_senders", 10, (0, 20), (0, 10), "Connections of replicas; with wal_level minimal it must be 0."),
    choice("wal_sync_method", "fdatasync", "fdatasync fsync open_datasync", "How the log is brought to disk."),
    size("wal_buffers", 4096, (64, 65536), (64, 1024, 4096), "Memory in kB for log that is not yet written."),
    size("max_wal_size", 1048576, (2048, 1048576), (4096, 65536, 1048576), "Log in kB after which a checkpoint is begun."),
    whole("checkpoint_timeout", 300, (30, 3600), (30, 300, 3600), "Seconds between checkpoints."),
    whole("commit_delay", 0, (0, 10000), (0, 100, 1000), "Microseconds for which a commit waits for others to be synced with it."),
    whole("commit_siblings", 5, (0, 50), (1, 5), "Other open transactions without which it does not wait."),
    whole("bgwriter_delay", 200, (10, 10000), (10, 200, 10000), "Milliseconds between rounds of the background writer."),
    whole("wal_writer_delay", 200, (10, 10000), (10, 200, 10000), "Milliseconds between rounds of the log writer."),
    choice("autovacuum", "on", "off on", "Whether dead rows are cleared in the background."),
    choice("jit", "on", "off on", "Whether costly queries are compiled."),
    whole("jit_above_cost", 100000, (0, 10000000), (0, 1000, 100000), "Estimated cost from which they are."),
    number("random_page_cost", 4.0, (0.1, 100), (1.0, 1.1, 4.0, 20.0), "Planner's cost of reading a page out of order; in order it is 1."),
    size("effective_cache_size", 4194304, (1024, 8388608), (4096, 4194304), "Planner's guess in kB of how much is cached."),
    whole("max_parallel_workers_per_gather", 2, (0, 8), (0, 2, 4), "Helpers of one query."),
    choice("enable_hashagg", "on", "off on", "Whether the planner may group by a hash table."),
    choice("track_activities", "on", "off on", "Whether sessions show what they do."),
    choice("host_auth", "trust", "trust password scram-sha-256", "How users on the socket prove who they are."),
)  # fmt: skip
"""In the order in which they are shown."""
