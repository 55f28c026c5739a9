"""Web archives: recording pages into WARC files, replaying them without a network, and questions about them."""
