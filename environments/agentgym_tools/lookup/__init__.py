"""Lookup-v0: questions over a hidden knowledge base, answered by looking facts up one after another."""
