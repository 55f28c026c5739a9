"""Who watches a window besides the harness: a person who uses it, and Playwright for its traces."""
