"""The policy in this process: batched decoding with a key-value cache. Imports torch."""
