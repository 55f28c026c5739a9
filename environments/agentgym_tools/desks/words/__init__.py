"""Talk in plain words: how acts are said, and how words are understood as acts."""
