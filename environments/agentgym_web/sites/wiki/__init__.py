"""A wiki about an archipelago that does not exist: pages, histories, links, categories and talk."""
