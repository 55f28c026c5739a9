"""The browser layer: Chromium processes shared by many environments, what an agent sees of a page, and how it acts."""
