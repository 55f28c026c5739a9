"""What all sites share: sessions over in-memory databases, pages, the server, and the grading of tasks."""
