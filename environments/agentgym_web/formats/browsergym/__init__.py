"""Environments of BrowserGym, which run in an interpreter of their own and are driven over a pipe."""
