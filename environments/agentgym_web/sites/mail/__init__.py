"""A mail service: folders, search, writing, attachments, labels, rules, contacts and settings."""
