"""An index of 300 generated papers: its pages as an archive, and questions about it whose answers are fixed."""
