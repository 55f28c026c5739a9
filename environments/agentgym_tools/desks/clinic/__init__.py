"""The desk of a clinic."""
